//! Decodes the server from `qstat -Bf`.

use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::limits;
use super::log::DiagnosticLog;
use super::record::Record;
use qscope_engine::cluster::{Name, Server};

/// Decodes a record (rule 1.7).
pub(crate) fn decode(record: &Record<'_>, cx: &mut ReadContext<'_>, log: &mut DiagnosticLog) -> Server {
    let mut server = Server { name: cx.name(&record.name), ..Server::default() };
    for attribute in &record.attributes {
        set(&mut server, &mut AttributeReader { attribute, cx, log });
    }
    server
}

/// Number of unfinished jobs that a server counts.
#[derive(Clone, Copy)]
pub(crate) struct CountedJobs {
    pub(crate) jobs: u64,
    /// Whether it lists the jobs of other users to managers only.
    pub(crate) hides: bool,
}

/// Returns the jobs that a server counts: `total_jobs`, or fewer if `state_count` shows finished ones.
pub(crate) fn counted_jobs(record: &Record<'_>) -> Option<CountedJobs> {
    let total: Option<u64> = record.value("total_jobs").and_then(|total| total.trim().parse().ok());
    let jobs = total.into_iter().chain(record.value("state_count").map(unfinished)).min()?;
    let hides =
        record.value("query_other_jobs").is_some_and(|value| value.trim().eq_ignore_ascii_case("false"));
    Some(CountedJobs { jobs, hides })
}

/// Returns the number of unfinished jobs in `Transit:0 Queued:24 Held:1 …`.
pub(crate) fn unfinished(states: &str) -> u64 {
    let counts = states.split_whitespace().filter_map(|word| word.split_once(':'));
    let counts = counts.filter(|(state, _)| !["Finished", "Moved", "Expired", "Complete"].contains(state));
    counts.filter_map(|(_, count)| count.parse::<u64>().ok()).fold(0, u64::saturating_add)
}

/// Returns `default_chunk` of a new server: a chunk without ncpus gets one.
pub(crate) fn shipped_default_chunk() -> Vec<(Name, Name)> {
    vec![("ncpus".into(), "1".into())]
}

/// The attributes of the server; `limits` represents those of [`limits::LIMITS`].
pub(crate) const ATTRIBUTES: &[AttributeRow<Server>] = &[
    row!(Server, "server_state", state, "its state").reported(),
    row!(Server, scheduling, "whether it lets a scheduler run jobs"),
    row!(Server, default_queue, "the queue of jobs that name none"),
    row!(Server, node_group_enable, "whether node_group_key counts"),
    row!(Server, node_group_key, "the resources that make placement sets"),
    row!(Server, job_sort_formula, "the priority of jobs"),
    row!(Server, backfill_depth, "so many jobs are top jobs"),
    row!(Server, scheduler_iteration, "time between two cycles that no event asked for"),
    row!(Server, eligible_time_enable, "whether eligible_time is counted"),
    row!(Server, power_provisioning, "whether power profiles count"),
    row!(
        Server,
        "restrict_res_to_release_on_suspend",
        release_on_suspend,
        "what suspended jobs release; all where it names none"
    ),
    row!(Server, "pbs_version", version, "its version"),
    row!(Server, default_chunk, "what chunks request that do not name it"),
    row!(Server, "resources_available", available, "what all jobs may use together"),
    row!(Server, "resources_assigned", assigned, "what all jobs use").reported().not_in_toml(),
    row!(Server, "resources_default", defaults, "what jobs request that do not name it"),
    row!(Server, limits, "limits on what runs at once").read_only(),
    row!(Server, queued, "limits on what may be in all queues").read_only().not_in_toml(),
    row!(Server, max_array_size, "the most subjobs of an array"),
];

/// Attributes of the server and of queues without a row that a collected dump keeps: limits and counts.
pub(crate) const UNREAD: &[&str] = &[
    "clear_topjob_estimates_enable",
    "flatuid",
    "job_history_enable",
    "license_count",
    "log_events",
    "max_concurrent_provision",
    "max_group_res",
    "max_job_sequence_id",
    "max_queuable",
    "max_queued",
    "max_queued_res",
    "node_fail_requeue",
    "query_other_jobs",
    "queued_jobs_threshold",
    "queued_jobs_threshold_res",
    "resv_enable",
    "server_host",
    "state_count",
    "total_jobs",
];

/// Reads one attribute; returns false for one that is not used. Repeated limits accumulate.
pub(crate) fn set(server: &mut Server, reader: &mut AttributeReader<'_, '_>) -> bool {
    limits::add(&mut server.limits, reader)
        || limits::add_queued(&mut server.queued, reader)
        || rows::set(ATTRIBUTES, server, reader)
}

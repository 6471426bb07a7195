//! The server as `qstat -Bf` shows it, and the scheduler object of `qmgr -c "list sched"`.

use super::{Limits, Name, QueuedLimits, ResourceList, Seconds};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Server {
    pub name: Name,
    /// `server_state`, as printed.
    pub state: Name,
    /// `scheduling`.
    pub scheduling: Option<bool>,
    /// `default_queue`.
    pub default_queue: Option<Name>,
    /// `resources_available`.
    pub available: ResourceList,
    /// `resources_assigned`.
    pub assigned: ResourceList,
    /// `resources_default`.
    pub defaults: ResourceList,
    /// `default_chunk`, name and value as written.
    pub default_chunk: Vec<(Name, Name)>,
    /// `node_group_enable`.
    pub node_group_enable: bool,
    /// `node_group_key`, split.
    pub node_group_key: Vec<Name>,
    /// `job_sort_formula`, as written.
    pub job_sort_formula: Option<String>,
    /// `backfill_depth`, if set.
    pub backfill_depth: Option<u32>,
    /// `scheduler_iteration`: the time between two cycles that no event asked for, if set.
    pub scheduler_iteration: Option<Seconds>,
    /// `eligible_time_enable`.
    pub eligible_time_enable: bool,
    /// `power_provisioning`.
    pub power_provisioning: bool,
    /// `restrict_res_to_release_on_suspend`, split; empty means all.
    pub release_on_suspend: Vec<Name>,
    pub limits: Limits,
    /// What may be in all queues together.
    pub queued: QueuedLimits,
    /// `max_array_size`: the most subjobs of an array, if set.
    pub max_array_size: Option<u32>,
    /// `pbs_version`.
    pub version: Option<Name>,
    /// Whether no dump of the server was read.
    pub assumed: bool,
}

/// `opt_backfill_fuzzy`: the length of a simulation window (rule 0, constants).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fuzzy(pub Seconds);

impl Default for Fuzzy {
    fn default() -> Self {
        Self(Seconds(60))
    }
}

impl Fuzzy {
    /// Reads `off`, `low`, `medium`, `high` or a number of seconds.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(Self(Seconds(match word {
            "off" => 1,
            "low" => 60,
            "medium" | "med" => 600,
            "high" => 3600,
            number => number.parse::<i64>().ok().filter(|n| *n >= 0)?.max(1),
        })))
    }
}

/// The scheduler object; every option has its default when the dump is silent (rule 1.8).
#[derive(Clone, PartialEq, Debug)]
pub struct Scheduler {
    /// Its name, `default` for the first one.
    pub name: Name,
    /// Its partitions; empty for the default scheduler.
    pub partitions: Vec<Name>,
    /// `scheduling`.
    pub scheduling: Option<bool>,
    /// `state`, as printed.
    pub state: Option<Name>,
    /// `comment`.
    pub comment: Option<String>,
    /// `sched_cycle_length`.
    pub cycle_length: Seconds,
    /// `do_not_span_psets`.
    pub do_not_span_psets: bool,
    /// `only_explicit_psets`.
    pub only_explicit_psets: bool,
    /// `sched_preempt_enforce_resumption`.
    pub enforce_resumption: bool,
    /// `preempt_targets_enable`.
    pub preempt_targets_enable: bool,
    /// `job_sort_formula`, as written.
    pub job_sort_formula: Option<String>,
    /// `job_sort_formula_threshold`.
    pub formula_threshold: Option<f64>,
    /// `throughput_mode`.
    pub throughput_mode: bool,
    /// `opt_backfill_fuzzy`.
    pub fuzzy: Fuzzy,
    /// `preempt_queue_prio`.
    pub preempt_queue_prio: i64,
    /// `preempt_prio`, as written.
    pub preempt_prio: Name,
    /// `preempt_order`, as written.
    pub preempt_order: Name,
    /// `preempt_sort`, as written.
    pub preempt_sort: Name,
    /// Whether no dump of it was read.
    pub assumed: bool,
}

impl Default for Scheduler {
    fn default() -> Self {
        Self {
            name: "default".into(),
            partitions: Vec::new(),
            scheduling: None,
            state: None,
            comment: None,
            cycle_length: Seconds(1200),
            do_not_span_psets: false,
            only_explicit_psets: false,
            enforce_resumption: false,
            preempt_targets_enable: true,
            job_sort_formula: None,
            formula_threshold: None,
            throughput_mode: true,
            fuzzy: Fuzzy::default(),
            preempt_queue_prio: 150,
            preempt_prio: "express_queue, normal_jobs".into(),
            preempt_order: "SCR".into(),
            preempt_sort: "min_time_since_start".into(),
            assumed: true,
        }
    }
}

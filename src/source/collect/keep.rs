//! Which attributes of a dump are kept: those that are known to be harmless, and those asked for by name.
//!
//! Jobs carry what people typed: environments, command lines, scripts. Which attribute holds a secret cannot be known,
//! since sites and versions add their own; so what is not on these lists stays out.

use crate::attributes::Row;
use crate::record::DumpKind;
use crate::{job, limits, node, queue, reservation, scheduler, server};

/// Of jobs, beside what the reader uses; nothing that its owner wrote for the job itself to read.
const JOBS: &[&str] = &[
    "array",
    "array_id",
    "array_index",
    "array_indices_remaining",
    "array_indices_submitted",
    "array_state_count",
    "estimated",
    "exec_host",
    "group_list",
    "job_state",
    "max_run_subjobs",
    "mtime",
    "queue_type",
    "run_version",
    "sched_preempted",
    "schedselect",
    "server",
];

/// Of nodes, beside what the reader uses.
const NODES: &[&str] = &[
    "Port",
    "State",
    "hpcbp_enable",
    "last_state_change_time",
    "np",
    "ntype",
    "pbs_version",
    "pcpus",
    "power_state",
    "status",
    "topology_info",
];

/// Of queues and the server, beside what the readers use; what is limited or counted.
const SERVERS: &[&str] = &[
    "clear_topjob_estimates_enable",
    "flatuid",
    "job_history_enable",
    "license_count",
    "log_events",
    "max_array_size",
    "max_concurrent_provision",
    "max_group_res",
    "max_job_sequence_id",
    "max_queued",
    "max_queued_res",
    "node_fail_requeue",
    "query_other_jobs",
    "queued_jobs_threshold",
    "queued_jobs_threshold_res",
    "resv_enable",
    "route_destinations",
    "scheduler_iteration",
    "server_host",
    "state_count",
    "total_jobs",
];

/// Of schedulers, beside what the reader uses.
const SCHEDULERS: &[&str] = &[
    "job_run_wait",
    "log_events",
    "pbs_version",
    "sched_host",
    "sched_log",
    "sched_port",
    "sched_priv",
    "scheduler_iteration",
    "server_dyn_res_alarm",
];

const RESERVATIONS: &[&str] = &["Reserve_Name", "ctime", "egroup", "euser", "mtime", "schedselect", "server"];

/// What is kept of a kind of dump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keep<'k> {
    kind: DumpKind,
    asked: &'k [String],
}

impl<'k> Keep<'k> {
    /// The list of this kind of dump, and what was asked for beside it.
    pub(super) fn new(kind: DumpKind, asked: &'k [String]) -> Self {
        Self { kind, asked }
    }

    /// Whether an attribute is kept, with all of its resources.
    pub(super) fn attribute(&self, name: &[u8]) -> bool {
        let Ok(name) = std::str::from_utf8(name) else { return false };
        let name = name.split('.').next().unwrap_or(name);
        name == "Resource_List"
            || name == "default_chunk"
            || name.starts_with("resources_")
            || is_read(self.kind, name)
            || harmless(self.kind).contains(&name)
            || self.asked.iter().any(|asked| asked == name)
    }
}

/// Whether the reader of a kind of dump uses an attribute.
fn is_read(kind: DumpKind, name: &str) -> bool {
    fn has<T>(rows: &[Row<T>], name: &str) -> bool {
        rows.iter().any(|row| row.name == name)
    }
    match kind {
        DumpKind::Jobs => has(job::ATTRIBUTES, name),
        DumpKind::Nodes => has(node::ATTRIBUTES, name),
        DumpKind::Queues => has(queue::ATTRIBUTES, name) || limits::is_limit(name),
        DumpKind::Server => has(server::ATTRIBUTES, name) || limits::is_limit(name),
        DumpKind::Schedulers => has(scheduler::ATTRIBUTES, name),
        DumpKind::Resources => matches!(name, "type" | "flag"),
        DumpKind::Reservations => has(reservation::ATTRIBUTES, name),
    }
}

/// What is kept beside what the readers use.
fn harmless(kind: DumpKind) -> &'static [&'static str] {
    match kind {
        DumpKind::Jobs => JOBS,
        DumpKind::Nodes => NODES,
        DumpKind::Queues | DumpKind::Server => SERVERS,
        DumpKind::Schedulers => SCHEDULERS,
        DumpKind::Resources => &[],
        DumpKind::Reservations => RESERVATIONS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_reader_of_jobs_uses_is_kept() {
        let keep = Keep::new(DumpKind::Jobs, &[]);
        for name in ["Priority", "job_state", "exec_vnode", "Resource_List.ncpus", "resources_used"] {
            assert!(keep.attribute(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_people_typed_is_kept_only_by_name() {
        let asked = ["Variable_List".to_owned()];
        let (keep, more) = (Keep::new(DumpKind::Jobs, &[]), Keep::new(DumpKind::Jobs, &asked));
        for name in
            ["Submit_arguments", "argument_list", "executable", "Error_Path", "jobscript", "", "Resource"]
        {
            assert!(!keep.attribute(name.as_bytes()) && !more.attribute(name.as_bytes()), "{name}");
        }
        assert!(!keep.attribute(b"Variable_List") && more.attribute(b"Variable_List"));
        assert!(!more.attribute(b"variable_list") && !more.attribute(b"Variable_List "));
    }
}

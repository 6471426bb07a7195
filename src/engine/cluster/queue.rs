//! Queues as `qstat -Qf` shows them.

use super::{Access, Limits, Name, QueuedLimits, ResourceList};

/// What a queue does with its jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QueueKind {
    /// Jobs run from it.
    #[default]
    Execution,
    /// Jobs are passed on.
    Route,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Queue {
    pub name: Name,
    /// What it does.
    pub kind: QueueKind,
    /// Which is served before which, the highest first.
    pub priority: i64,
    /// Whether jobs of it may start.
    pub started: bool,
    /// Whether it takes new jobs.
    pub enabled: bool,
    /// Whether nodes are bound to it, as the dump shows.
    pub has_nodes: bool,
    /// What limits its jobs together (`resources_available`).
    pub available: ResourceList,
    /// What its running jobs take of that (`resources_assigned`).
    pub assigned: ResourceList,
    /// What its jobs get that request nothing of it (`resources_default`).
    pub defaults: ResourceList,
    /// What a job has to request at least (`resources_min`).
    pub minimum: ResourceList,
    /// What it may request at most (`resources_max`).
    pub maximum: ResourceList,
    /// `default_chunk`, name and value as written.
    pub default_chunk: Vec<(Name, Name)>,
    /// `node_group_key`, split.
    pub node_group_key: Vec<Name>,
    /// How many of its top jobs are planned, if that is set.
    pub backfill_depth: Option<u32>,
    pub limits: Limits,
    /// What may be in it.
    pub queued: QueuedLimits,
    /// `max_array_size`: the most subjobs of an array, if set.
    pub max_array_size: Option<u32>,
    /// Of a routing queue, where it moves its jobs, in the order tried.
    pub destinations: Vec<Name>,
    /// Who may put jobs into it.
    pub access: Access,
    pub partition: Option<Name>,
    /// Whether the dump was silent about it and it was made up from the jobs in it.
    pub assumed: bool,
}

impl Queue {
    /// A started, enabled execution queue of this name.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), started: true, enabled: true, ..Self::default() }
    }
}

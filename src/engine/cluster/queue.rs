//! Queues as `qstat -Qf` shows them.

use super::{Limits, Name, QueueAccess, QueuedLimits, ResourceList};

/// What a queue does with its jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QueueKind {
    /// Jobs run from it.
    #[default]
    Execution,
    /// Jobs are moved on to other queues.
    Route,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Queue {
    pub name: Name,
    pub kind: QueueKind,
    /// Order in which queues are served, highest first.
    pub priority: i64,
    /// Whether its jobs may start.
    pub started: bool,
    /// Whether it accepts new jobs.
    pub enabled: bool,
    /// Whether nodes are bound to it, according to the dump.
    pub has_nodes: bool,
    /// Total amounts available to its jobs (`resources_available`).
    pub available: ResourceList,
    /// Amounts used by its running jobs (`resources_assigned`).
    pub assigned: ResourceList,
    /// Job-wide defaults for resources that a job does not request (`resources_default`).
    pub defaults: ResourceList,
    /// Minimum that a job must request (`resources_min`).
    pub minimum: ResourceList,
    /// Maximum that a job may request (`resources_max`).
    pub maximum: ResourceList,
    /// `default_chunk`, names and values as written.
    pub default_chunk: Vec<(Name, Name)>,
    /// Keys of `node_group_key`.
    pub node_group_key: Vec<Name>,
    /// Number of top jobs planned for it, if set.
    pub backfill_depth: Option<u32>,
    pub limits: Limits,
    pub queued: QueuedLimits,
    /// Maximum number of subjobs of an array (`max_array_size`), if set.
    pub max_array_size: Option<u32>,
    /// Queues to which a routing queue moves its jobs, in the order tried.
    pub destinations: Vec<Name>,
    /// Who may submit to it.
    pub access: QueueAccess,
    pub partition: Option<Name>,
    /// Whether no dump has it and it was created from the jobs in it.
    pub assumed: bool,
}

impl Queue {
    /// Returns a started, enabled execution queue of this name.
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), started: true, enabled: true, ..Self::default() }
    }
}

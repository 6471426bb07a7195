//! The lists that jobs are picked from, and how the queues share the cycle (rule 6.5).
//!
//! They are sorted by the job order; the picker walks through them.

use std::sync::Arc;

use crate::cluster::{JobId, Period, Policy, QueueId};

/// How the queues share the cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickingPolicy {
    /// All jobs of the server form one list.
    OneList,
    /// Queue by queue, after the jobs that go ahead of all queues.
    ByQueue,
    /// Queues of equal priority take turns.
    RoundRobin,
}

impl PickingPolicy {
    /// Returns the mode that the options select; `round_robin` overrides `by_queue`.
    pub fn of(policy: &Policy, period: Period) -> Self {
        match (*policy.round_robin.get(period), *policy.by_queue.get(period)) {
            (true, _) => Self::RoundRobin,
            (false, true) => Self::ByQueue,
            (false, false) => Self::OneList,
        }
    }
}

/// The jobs of one queue, sorted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueueList {
    pub queue: QueueId,
    /// Higher ones are served first.
    pub priority: i64,
    pub jobs: Arc<[JobId]>,
}

/// All lists of a cycle. After re-sorting one, replace it and inform the picker.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobLists {
    /// Indices into `queues` of the queues of reservations, in the order of the reservations.
    pub reservations: Vec<usize>,
    /// All jobs.
    pub server: Arc<[JobId]>,
    /// The jobs by queue, in the order queues are served.
    pub queues: Vec<QueueList>,
}

impl JobLists {
    /// Creates the lists; with `in_turn`, queues are ordered by descending priority, equal ones as the server lists
    /// them.
    pub fn new(
        reservations: Vec<usize>,
        server: Arc<[JobId]>,
        mut queues: Vec<QueueList>,
        in_turn: bool,
    ) -> Self {
        if in_turn {
            queues.sort_by_key(|list| std::cmp::Reverse(list.priority));
        }
        Self { reservations, server, queues }
    }

    /// Returns the list of the queue that has all the jobs, if one queue has.
    pub(super) fn only_queue(&self) -> Option<&QueueList> {
        let mut with_jobs = self.queues.iter().filter(|list| !list.jobs.is_empty());
        with_jobs.next().filter(|_| with_jobs.next().is_none())
    }
}

//! The lists that jobs are taken from, and how the queues share the cycle (rule 6.5).
//!
//! They are sorted by the order of jobs, and the picker goes through them.

use std::sync::Arc;

use crate::cluster::{JobId, Period, Policy, QueueId};

/// How the queues share the cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picking {
    /// All jobs of the server in one list.
    OneList,
    /// Queue after queue, but jobs that go ahead of all first.
    ByQueue,
    /// Queues of equal priority take turns.
    RoundRobin,
}

impl Picking {
    /// What the options prescribe; `round_robin` holds over `by_queue`.
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

/// All lists of a cycle. Replace one after sorting it anew, and inform the picker.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobLists {
    /// The places in `queues` of the queues of reservations, in the order of the reservations.
    pub reservations: Vec<usize>,
    /// All jobs.
    pub server: Arc<[JobId]>,
    /// The same by queue, in the order in which queues are served.
    pub queues: Vec<QueueList>,
}

impl JobLists {
    /// Puts queues that are served in turn into that order: priority descending, equal ones as the server lists them.
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
}

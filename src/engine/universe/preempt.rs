//! Whether jobs can be preempted at all, and how (rule 6.10).

use crate::cluster::Snapshot;

/// Whether jobs can differ in preemption level at all (rule 6.10); if not, none is preempted.
pub fn may_preempt(snap: &Snapshot) -> bool {
    let shares = snap.policy.fair_share;
    snap.qrun.is_some()
        || shares.prime
        || shares.non_prime
        || has_soft_limits(snap)
        || snap.queues.iter().any(|queue| queue.priority >= snap.scheduler.preempt_queue_prio)
}

/// How a job is preempted (rule 6.10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum PreemptMethod {
    /// Suspended: it returns to its own nodes.
    Suspend,
    /// Checkpointed: it returns to its own nodes.
    Checkpoint,
    /// Requeued: it starts again on any nodes.
    Requeue,
    Delete,
}

impl PreemptMethod {
    /// Returns the method of a letter of `preempt_order`.
    pub fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'S' => Self::Suspend,
            'C' => Self::Checkpoint,
            'R' => Self::Requeue,
            'D' => Self::Delete,
            _ => return None,
        })
    }

    /// Returns the state of a job preempted by this method, such as `suspended`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Suspend => "suspended",
            Self::Checkpoint => "checkpointed",
            Self::Requeue => "requeued",
            Self::Delete => "deleted",
        }
    }

    /// Returns the letter used in rows of jobs, where Q is requeued.
    pub fn letter(self) -> char {
        match self {
            Self::Suspend => 'S',
            Self::Checkpoint => 'C',
            Self::Requeue => 'Q',
            Self::Delete => 'D',
        }
    }

    /// Whether the job must return to the nodes it had.
    pub fn keeps_nodes(self) -> bool {
        matches!(self, Self::Suspend | Self::Checkpoint)
    }
}

/// Whether the server or any queue has a soft limit.
pub(in crate::universe) fn has_soft_limits(snap: &Snapshot) -> bool {
    let of_queues = snap.queues.iter().map(|queue| &queue.limits);
    let mut entries = of_queues.chain([&snap.server.limits]).flat_map(|limits| &limits.entries);
    entries.any(|entry| entry.soft)
}

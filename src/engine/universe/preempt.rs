//! Whether jobs are preempted at all, and how (rule 6.10).

use crate::cluster::Snapshot;

/// Whether one job can be of another preemption level than the others at all (rule 6.10): where nothing sets a job apart,
/// none has to go for another.
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
    /// Suspended: it goes back to its own nodes.
    Suspend,
    /// Checkpointed: it goes back to its own nodes.
    Checkpoint,
    /// Requeued: it starts anew anywhere.
    Requeue,
    Delete,
}

impl PreemptMethod {
    /// The method of a letter of `preempt_order`.
    pub fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'S' => Self::Suspend,
            'C' => Self::Checkpoint,
            'R' => Self::Requeue,
            'D' => Self::Delete,
            _ => return None,
        })
    }

    /// What a job is by it: `suspended`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Suspend => "suspended",
            Self::Checkpoint => "checkpointed",
            Self::Requeue => "requeued",
            Self::Delete => "deleted",
        }
    }

    /// Its letter in rows of jobs: Q for requeued.
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

/// Whether anything has a soft limit.
pub(in crate::universe) fn has_soft_limits(snap: &Snapshot) -> bool {
    let of_queues = snap.queues.iter().map(|queue| &queue.limits);
    let mut entries = of_queues.chain([&snap.server.limits]).flat_map(|limits| &limits.entries);
    entries.any(|entry| entry.soft)
}

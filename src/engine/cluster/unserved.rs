//! Jobs that the scheduler never reads, so that neither their requests nor their owners have any effect (rules 6.2,
//! 7).

use super::{Job, JobState, QueueId, QueueKind, Snapshot};

/// Why the scheduler reads no jobs of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnservedReason {
    /// No dump has the queue.
    Unknown,
    /// It is a routing queue.
    Routing,
    /// Another scheduler serves it.
    OtherScheduler,
}

impl Snapshot {
    /// Returns why the scheduler reads no jobs of a queue; `None` if it reads them. A reservation's queue has the
    /// partition of its reservation.
    pub fn unserved(&self, queue: Option<QueueId>, is_of_reservation: bool) -> Option<UnservedReason> {
        let Some(queue) = queue else { return Some(UnservedReason::Unknown) };
        let queue = &self.queues[queue];
        if queue.kind == QueueKind::Route {
            return Some(UnservedReason::Routing);
        }
        let partitions = &self.scheduler.partitions;
        let is_others = match &queue.partition {
            Some(partition) => !partitions.contains(partition),
            // A queue without a partition belongs to the default scheduler.
            None => !partitions.is_empty() && !is_of_reservation,
        };
        is_others.then_some(UnservedReason::OtherScheduler)
    }

    /// Whether the scheduler reads a job that is in this queue.
    pub fn reads_in(&self, job: &Job, queue: Option<QueueId>, is_of_reservation: bool) -> bool {
        job.is_counted || (is_known(job) && self.unserved(queue, is_of_reservation).is_none())
    }

    /// Whether the scheduler reads a job.
    pub fn reads(&self, job: &Job) -> bool {
        let queue = self.queue_named(&job.queue);
        let of_reservation = self.reservations.iter().any(|one| one.queue.as_ref() == Some(&job.queue));
        self.reads_in(job, queue, of_reservation)
    }
}

/// Whether the scheduler reads jobs in this state; of subjobs, only those that have nodes.
fn is_known(job: &Job) -> bool {
    use JobState as S;
    match job.state {
        S::Finished | S::Moved => false,
        S::Running | S::Exiting | S::Suspended | S::UserSuspended => true,
        S::Queued | S::Transit | S::Held | S::Waiting | S::Begun | S::Expired => !job.is_subjob(),
    }
}

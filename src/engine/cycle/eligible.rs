//! Which jobs a cycle considers (rule 6.2).

use crate::cluster::{Column, Job, JobId, JobState, QueueId, Substate, UnservedReason};
use crate::universe::{NEGATIVE, Plan, TOO_MANY_PARTS};

use super::{CycleSettings, Exclusion};

/// Eligibility of a job at the start of the cycle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Eligibility {
    /// It has nodes or is about to end; it only counts as running.
    Running,
    Considered,
    /// It is not considered.
    Excluded(Exclusion),
}

/// Why each queue keeps out the jobs that are in no reservation and that no operator started, if it does.
pub(crate) type ClosedQueues = Column<QueueId, Option<Exclusion>>;

/// The queues that keep their jobs out.
pub(crate) fn closed_queues(plan: &Plan, settings: &CycleSettings) -> ClosedQueues {
    plan.snap.queues.ids().map(|queue| closed_to(plan, settings, Some(queue), false, false)).collect()
}

pub(crate) fn initial_eligibility(
    plan: &Plan,
    settings: &CycleSettings,
    closed: &ClosedQueues,
    id: JobId,
) -> Eligibility {
    let job = plan.job(id);
    if job.state.has_nodes() {
        return Eligibility::Running;
    }
    // Thousands of jobs are in the same few queues.
    let is_plain = plan.reservation_of(id).is_none() && plan.snap.qrun != Some(id);
    let by_queue = || match plan.queue_of(id).filter(|_| is_plain) {
        Some(queue) => closed[queue],
        None => closed_for(plan, settings, id),
    };
    let excluded = not_runnable(job).or_else(|| unusable(plan, id)).or_else(by_queue);
    excluded.map_or(Eligibility::Considered, Eligibility::Excluded)
}

/// Whether the queue of a job runs jobs in this cycle. A queue that was closed when jobs were read stays closed to
/// its own jobs that are preempted (rule M20).
pub(crate) fn is_queue_open(plan: &Plan, settings: &CycleSettings, id: JobId) -> bool {
    closed_for(plan, settings, id).is_none()
}

/// Returns why prime or dedicated time closes a queue (rule 6.2; dedicated time is checked first).
fn window_closed(plan: &Plan, settings: &CycleSettings, queue: QueueId) -> Option<Exclusion> {
    let window = settings.queue_windows[queue];
    let closed = settings.windows.queue_open(window, plan.snap.now).err()?;
    Some(Exclusion::Window { closed, is_dedicated: window.dedicated })
}

/// Returns why the state of a job excludes it.
fn not_runnable(job: &Job) -> Option<Exclusion> {
    if job.is_all_started() {
        return Some(Exclusion::AllSubjobsStarted);
    }
    if job.is_subjob() && job.state != JobState::Suspended {
        return Some(Exclusion::Subjob);
    }
    match job.state {
        JobState::Queued => None,
        JobState::Begun if job.is_array() => None,
        JobState::Suspended if job.substate == Substate::SCHED_SUSPENDED => None,
        JobState::Suspended | JobState::UserSuspended => Some(Exclusion::SuspendedByUser),
        JobState::Held => Some(Exclusion::Held),
        JobState::Waiting => Some(Exclusion::ExecutionTime),
        JobState::Transit => Some(Exclusion::InTransit),
        _ => Some(Exclusion::OtherState),
    }
}

/// Returns why a job's request is unusable, if it is. Two of the texts are written into the job's comment.
fn unusable(plan: &Plan, id: JobId) -> Option<Exclusion> {
    let text = *plan.requests[id].as_ref().err()?;
    Some(Exclusion::UnusableRequest { is_written: matches!(text, NEGATIVE | TOO_MANY_PARTS) })
}

/// Returns why the queue of a job excludes it.
fn closed_for(plan: &Plan, settings: &CycleSettings, id: JobId) -> Option<Exclusion> {
    let is_qrun = plan.snap.qrun == Some(id);
    closed_to(plan, settings, plan.queue_of(id), plan.reservation_of(id).is_some(), is_qrun)
}

/// Returns why a queue keeps a job out: it serves no jobs, is stopped, or its window is closed. An operator's qrun
/// passes the last two.
fn closed_to(
    plan: &Plan,
    settings: &CycleSettings,
    queue: Option<QueueId>,
    in_reservation: bool,
    is_qrun: bool,
) -> Option<Exclusion> {
    if let Some(why) = plan.snap.unserved(queue, in_reservation) {
        return Some(match why {
            UnservedReason::Unknown => Exclusion::QueueUnknown,
            UnservedReason::Routing => Exclusion::RoutingQueue,
            UnservedReason::OtherScheduler => Exclusion::OtherScheduler,
        });
    }
    let queue = queue.filter(|_| !is_qrun)?;
    if !plan.snap.queues[queue].started {
        return Some(Exclusion::QueueStopped);
    }
    window_closed(plan, settings, queue)
}

//! The length of running jobs whose walltime or soft walltime has passed (rule 6.8).

use crate::cluster::{Epoch, Job, JobState, ResourceId, Seconds};
use crate::universe::JobRequest;

/// Extends a soft walltime by itself once for every whole soft walltime in `elapsed`, up to the hard walltime (rule
/// 6.8).
pub(in crate::universe) fn extended_soft_walltime(soft: Seconds, hard: Seconds, elapsed: Seconds) -> Seconds {
    let times = elapsed.0.checked_div(soft.0).unwrap_or(0).saturating_add(1);
    Seconds(soft.0.saturating_mul(times)).min(hard)
}

/// Returns the extended soft walltime of a running job, or `None` if it has not passed.
pub(in crate::universe) fn extended_soft(job: &Job, request: &JobRequest, now: Epoch) -> Option<Seconds> {
    let started = job.started.filter(|_| job.state == JobState::Running)?;
    let (soft, hard) = (request.duration, request.hard_duration);
    let has_passed = started + soft < now && soft < hard && soft.0 > 0;
    has_passed.then(|| extended_soft_walltime(soft, hard, Seconds(now.0 - started.0)))
}

/// Returns the length from the start of a running job without a soft walltime to its expected end, if its walltime has
/// passed; `None` otherwise.
pub(in crate::universe) fn overdue_length(job: &Job, request: &JobRequest, now: Epoch) -> Option<Seconds> {
    let started = job.started.filter(|_| job.state == JobState::Running)?;
    let has_soft = job.requested.amount(ResourceId::soft_walltime()).is_some();
    let is_overdue = !has_soft && started + request.hard_duration < now;
    is_overdue.then(|| Seconds((now + Seconds::EXITING).0 - started.0))
}

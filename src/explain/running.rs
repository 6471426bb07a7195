//! Describes until when a running job is expected to run.

use qscope_engine::cluster::{Epoch, Job, JobId, JobState, Name, Seconds, array_id};
use qscope_engine::cycle::Run;
use qscope_engine::universe::{EventKind, PreemptMethod};

use crate::overdue::Overdue;
use crate::words;

/// Returns the job for which this cycle preempts a running one, and how.
pub(crate) fn preempted_for(run: &Run, id: JobId) -> Option<(JobId, PreemptMethod)> {
    run.steps.iter().find_map(|step| {
        let victim = step.outcome.victims.iter().find(|(victim, _)| *victim == id)?;
        Some((step.outcome.job, victim.1))
    })
}

/// How a running job is expected to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunningEnd {
    /// To follow its name and `runs`: ` until this cycle, …` or `, and ends by its walltime at 14:20`; may be empty.
    pub words: String,
    /// The full id of the job for which this cycle preempts it, and how.
    pub preempted: Option<(Name, PreemptMethod)>,
}

impl RunningEnd {
    /// Returns the end of a job that runs.
    pub fn of(run: &Run, id: JobId) -> Self {
        let by_name = |(by, method): (JobId, PreemptMethod)| (run.plan.snap.jobs[by].name.clone(), method);
        Self { words: end_text(run, id), preempted: preempted_for(run, id).map(by_name) }
    }
}

/// Describes the end of a running job, to follow its name and `is running`: that this cycle preempts it, or else its end
/// on the timeline, `, and ends by its walltime at 14:20`; empty if it has none there.
pub(crate) fn end_text(run: &Run, id: JobId) -> String {
    let (plan, snap) = (&run.plan, &run.plan.snap);
    if let Some((by, method)) = preempted_for(run, id) {
        return format!(
            " until this cycle, in which it is {} to make room for {}",
            method.word(),
            snap.jobs[by].short_name()
        );
    }
    if let Some(overdue) = Overdue::of(plan, id) {
        return format!(", and {}", overdue.words(snap));
    }
    let mut events = run.end.timeline.iter();
    let end = events.find(|(key, event)| key.kind == EventKind::End && event.occupant.is_of(id));
    end.map_or_else(String::new, |(key, _)| ends(run, id, key.at))
}

/// States which subjobs of an array run: `: 66[1,3,5] run`; empty if none does.
pub(crate) fn subjobs(run: &Run, id: JobId) -> String {
    let (snap, parent) = (&run.plan.snap, &*run.plan.job(id).name);
    let is_of_it = |job: &&Job| array_id(&job.name).is_some_and(|(array, _)| array == parent);
    let running = snap.jobs.iter().filter(|job| job.is_subjob() && job.state == JobState::Running);
    let names: Vec<&str> = running.filter(is_of_it).map(Job::short_name).collect();
    let verb = if names.len() == 1 { "runs" } else { "run" };
    match words::folded_within(names.iter().copied(), MAX_NAMES) {
        _ if names.is_empty() => String::new(),
        folded => format!(": {folded} {verb}"),
    }
}

/// Maximum width of the list of subjobs, in columns.
const MAX_NAMES: usize = 40;

/// States why and when a job ends at this moment; without a walltime, what the scheduler assumes.
fn ends(run: &Run, id: JobId, at: Epoch) -> String {
    let (plan, snap) = (&run.plan, &run.plan.snap);
    let job = plan.job(id);
    let moment = words::moment(snap, at);
    let (Some(Ok(request)), Some(started)) = (plan.requests.checked(id), job.started) else {
        return format!(", and ends at {moment}");
    };
    let [soft, hard] = [request.duration, request.hard_duration];
    let last = plan.reservation_of(id).map(|id| &snap.reservations[id]).filter(|of| of.end == Some(at));
    match last.filter(|_| at != started + hard) {
        Some(reservation) => format!(", and ends with its reservation {} at {moment}", reservation.name),
        None if soft >= Seconds::UNLIMITED && job.request_assumed => {
            ", and no walltime of it is known: the scheduler assumes 5 years".to_owned()
        }
        None if soft >= Seconds::UNLIMITED => {
            ", and has no walltime: the scheduler assumes 5 years".to_owned()
        }
        None if at != started + hard => format!(", and ends by its soft walltime at {moment}"),
        None => format!(", and ends by its walltime at {moment}"),
    }
}

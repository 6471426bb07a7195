//! The ends on the timeline that let a job start: running jobs end by their walltimes, and nothing is room for a job
//! whose own reservation ends. And whose ends they are: of jobs that are overdue, planned, or considered after it.

use qscope_engine::cluster::{Epoch, JobId, JobState};
use qscope_engine::universe::{
    EventKey, EventKind, Occupant, Plan, PreemptMethod, State, TimedEvent, expected_end, within_reservation,
};
use rustc_hash::FxHashMap;

use crate::overdue::Overdue;
use crate::turn::{JobTurn, decided};

/// Moves the ends of running jobs with a soft walltime to those of their walltimes: the scheduler plans by soft
/// walltimes, but these end nothing.
pub(super) fn end_by_walltimes(state: &mut State) {
    let ends = state.timeline.iter().filter(|(key, _)| key.kind == EventKind::End);
    let moved =
        ends.filter_map(|(key, event)| Some((*key, event.clone(), end_by_walltime(state, key, event)?)));
    for (key, event, at) in moved.collect::<Vec<_>>() {
        state.take_event(key);
        state.plan_event(at, EventKind::End, event.occupant, &event.allocation);
    }
}

/// Returns the later end of a job that holds its nodes now, if it has a soft walltime.
pub(crate) fn end_by_walltime(state: &State, key: &EventKey, event: &TimedEvent) -> Option<Epoch> {
    let Occupant::Job(job, subjob) = event.occupant else { return None };
    let plan = &*state.plan;
    let request = plan.requests[job].as_ref().ok()?;
    if request.duration == request.hard_duration || state.ledger.top_jobs[job] {
        return None;
    }
    let end = if subjob.is_none() && plan.job(job).state.has_nodes() {
        expected_end(plan, plan.job(job), request, true)
    } else {
        state.now + request.hard_duration
    };
    Some(within_reservation(plan, job, end)).filter(|end| *end > key.at)
}

/// Returns the end of the job's own reservation, if it is among the events until a moment: then its queue is gone.
pub(super) fn own_reservation_end(state: &State, job: JobId, until: Epoch) -> Option<Epoch> {
    let own = Occupant::Reservation(state.plan.reservation_of(job)?);
    let mut coming = state.timeline.iter().take_while(|(key, _)| key.at <= until);
    let end = coming.find(|(key, event)| key.kind == EventKind::End && event.occupant == own);
    end.map(|(key, _)| key.at)
}

/// Returns since when a running job is overdue; one that this cycle preempts no longer runs.
pub(super) fn overdue_since(
    plan: &Plan,
    preempted: &FxHashMap<JobId, PreemptMethod>,
    occupant: Occupant,
) -> Option<Epoch> {
    let Occupant::Job(job, _) = occupant else { return None };
    Overdue::of(plan, job).filter(|_| !preempted.contains_key(&job)).map(|overdue| overdue.since)
}

/// Whether a job starts in this cycle after the waiting job's turn.
pub(super) fn starts_behind(turn: &JobTurn, occupant: Occupant) -> bool {
    let Occupant::Job(job, _) = occupant else { return false };
    let started = turn.run.last_step_of(job).filter(|step| turn.run.steps[*step].outcome.placed.is_some());
    job != turn.job && started.zip(turn.run.last_step_of(turn.job)).is_some_and(|(start, own)| start > own)
}

/// Whether a job neither runs after this cycle nor starts in it, so that its end is that of a planned start.
pub(super) fn is_planned(
    turn: &JobTurn,
    preempted: &FxHashMap<JobId, PreemptMethod>,
    occupant: Occupant,
) -> bool {
    let Occupant::Job(job, None) = occupant else { return false };
    let runs = matches!(turn.plan().job(job).state, JobState::Running | JobState::Begun | JobState::Exiting)
        && !preempted.contains_key(&job);
    !runs
        && decided(&turn.run, job)
            .is_some_and(|outcome| outcome.placed.is_none() && outcome.estimate.is_some())
}

//! Preemption: running jobs of lower levels make room for a job that could not start (rule 6.10).
//!
//! Everything is tried in the state itself and undone through its journal; only the jobs that are needed in
//! the end are preempted in earnest.

use std::sync::Arc;

use crate::cluster::{JobId, ResourceId, Seconds};
use crate::universe::{CopyFor, LevelBits, PreemptMethod, Reason, RunningJob, State, express_queues};

use super::consider::{Mode, consider, failed_class};
use super::preempt_reasons::all_reasons;
use super::preempt_search::Search;
use super::rehearsal::{Recording, reconsider};
use super::{Agenda, Outcome, Setup, Verdict};

/// A job to be preempted, and how.
#[derive(Clone, Debug)]
pub(super) struct Victim {
    /// The job.
    pub running: RunningJob,
    /// How.
    pub method: PreemptMethod,
    /// How that is tried out: as a suspension, whatever the method.
    pub simulated: PreemptMethod,
}

/// The jobs that have to go for one that could not start, in the order in which the server receives them: none,
/// when the node path has room after all. None when preemption is no way. Counts the attempt, if one is made.
pub(super) fn find_victims(
    state: &mut State,
    setup: &Setup,
    agenda: &Agenda,
    attempts: &mut u32,
    outcome: &Outcome,
    recording: Recording<'_>,
) -> Option<Vec<Victim>> {
    let policy = &state.plan.snap.policy;
    let job = outcome.job;
    if outcome.verdict != Verdict::NotNow
        || !*policy.preemptive_sched.get(state.plan.period)
        || !is_above_any(state, job)
        || policy.preempt_attempts.is_some_and(|limit| *attempts >= limit)
    {
        return None;
    }
    let plan: Arc<_> = state.plan.clone();
    let request = plan.request(job, state.ledger.preempted[job]).ok()?;
    // An environment that a node would have to be provisioned with.
    if request.has_requirement(&plan.shapes, ResourceId::aoe()) {
        return None;
    }
    *attempts += 1;
    // In a reservation nothing lasts longer than that.
    let request = &*state.capped(job, request);
    // What its class failed for no victim can change; but looking for reasons also moves round robin on and
    // sorts lists (rule 11.7).
    let is_vain = failed_class(state, setup, job).is_some();
    let own = state.ledger.levels[job].priority;
    let mut recording = recording;
    // The reasons are looked for in the universe itself, the victims in a copy. Where hosts have several vnodes nothing is
    // left behind of either (measured).
    let before = plan.multi_vnode.found.then(|| state.begin_trial());
    let reasons = all_reasons(state, setup, job, request, recording.as_deref_mut());
    let victims = if is_vain {
        None
    } else {
        let copy = state.begin_trial();
        let search = Search { setup, agenda, job, request, own, recording };
        let victims = state.in_copy(CopyFor::Preemption, |state| search.run(state, &reasons));
        state.end_simulation(copy);
        victims
    };
    if let Some(before) = before {
        state.end_trial(before);
    }
    victims
}

/// Whether jobs of lower levels run, as they were counted last. Where several queues are express queues, an express job
/// compares itself with each job that runs.
fn is_above_any(state: &State, job: JobId) -> bool {
    let level = state.ledger.levels[job];
    if level.bits.has(LevelBits::EXPRESS) && express_queues(&state.plan.snap) > 1 {
        return state.running().any(|(_, running, _)| state.ledger.levels[running].priority < level.priority);
    }
    let first_below = level.place.map_or(1, |place| place as usize + 2);
    state.ledger.by_place.iter().skip(first_below).any(|count| *count > 0)
}

/// Preempts jobs in earnest and places the job by the node path, whatever path it took before.
pub(super) fn preempt(
    state: &mut State,
    setup: &Setup,
    agenda: &mut Agenda,
    victims: &[Victim],
    outcome: &mut Outcome,
    recording: Recording<'_>,
) {
    for victim in victims {
        state.preempt(&victim.running, victim.method);
    }
    let jobs: Vec<JobId> = victims.iter().map(|victim| victim.running.job).collect();
    agenda.after_preemption(state, &jobs);
    outcome.victims = victims.iter().map(|victim| (victim.running.job, victim.method)).collect();
    let job = outcome.job;
    // No trial any more: the next job needs the sums of all nodes. One that goes back to its own nodes needs none, and
    // leaves them to the job after it (rule M15).
    if !state.goes_back(job) {
        state.refresh_sets();
    }
    let again = reconsider(recording, state, job, |state, probe| {
        consider(state, setup, job, Mode::by_nodes(), probe)
    });
    if again.placed.is_some() {
        outcome.verdict = Verdict::Run;
        outcome.placed = again.placed;
        outcome.shrunk_to = full_length(state, outcome.job);
        outcome.by_preemption = true;
        outcome.rejection = None;
        outcome.refused_at = None;
    } else {
        outcome.rejection = Some(Arc::new(Reason::RoomInVain.not_now()));
        agenda.after_vain_preemption(&jobs);
    }
}

/// The length of a shrink-to-fit job that others make room for: nothing is shrunk then.
fn full_length(state: &State, job: JobId) -> Option<Seconds> {
    let request = state.plan.request(job, state.ledger.preempted[job]).ok()?;
    request.shortest.map(|_| request.duration).filter(|length| *length != Seconds::UNLIMITED)
}

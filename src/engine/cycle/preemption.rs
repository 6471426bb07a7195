//! Preemption: running jobs of lower levels make room for a job that could not start (rule 6.10).
//!
//! All trials run on the state itself and are undone through its journal; only the jobs needed in the end are really
//! preempted.

use std::sync::Arc;

use crate::cluster::{JobId, ResourceId, Seconds};
use crate::universe::{CopyPurpose, LevelBits, Reason, State, express_queues};

use super::consider::{ConsiderationMode, consider, failed_class};
use super::preempt_order::PreemptionVictim;
use super::preempt_reasons::all_reasons;
use super::preempt_search::VictimSearch;
use super::rehearsal::{SimulationRecorder, reconsider};
use super::{Agenda, Outcome, Setup, Verdict};

/// Returns the jobs to preempt for one that could not start, in the order they are sent to the server; the list is
/// empty if the node path has room after all. Returns `None` if preemption is not possible. Counts the attempt, if
/// one is made.
pub(super) fn find_victims(
    state: &mut State,
    setup: &Setup,
    agenda: &Agenda,
    attempts: &mut u32,
    outcome: &Outcome,
    recording: SimulationRecorder<'_>,
) -> Option<Vec<PreemptionVictim>> {
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
    // The request names an environment (`aoe`) that a node would have to be provisioned with.
    if request.has_requirement(&plan.shapes, ResourceId::aoe()) {
        return None;
    }
    *attempts += 1;
    // In a reservation no job outlasts the reservation.
    let request = &*state.capped(job, request);
    // No victim can change the failure of the job's class. The reasons are still collected, because doing so advances
    // round robin and sorts lists (rule 11.7).
    let is_vain = failed_class(state, setup, job).is_some();
    let own = state.ledger.levels[job].priority;
    let mut recording = recording;
    // The scheduler collects the reasons in its own universe and searches victims in a copy. If hosts have several
    // vnodes, neither leaves a trace (measured).
    let before = plan.multi_vnode.exists.then(|| state.begin_trial());
    let reasons = all_reasons(state, setup, job, request, recording.as_deref_mut());
    let victims = if is_vain {
        None
    } else {
        let copy = state.begin_trial();
        let search = VictimSearch { setup, agenda, job, request, own, recording };
        let victims = state.in_copy(CopyPurpose::Preemption, |state| search.run(state, &reasons));
        state.end_simulation(copy);
        victims
    };
    if let Some(before) = before {
        state.end_trial(before);
    }
    victims
}

/// Whether jobs of lower levels are running, according to the last count. With several express queues, an express job
/// is compared with each running job.
fn is_above_any(state: &State, job: JobId) -> bool {
    let level = state.ledger.levels[job];
    if level.bits.has(LevelBits::EXPRESS) && express_queues(&state.plan.snap) > 1 {
        return state.running().any(|(_, running, _)| state.ledger.levels[running].priority < level.priority);
    }
    let first_below = level.place.map_or(1, |place| place as usize + 2);
    state.ledger.by_place.iter().skip(first_below).any(|count| *count > 0)
}

/// Preempts jobs for real and places the job by the node path, whatever path it took before.
pub(super) fn preempt(
    state: &mut State,
    setup: &Setup,
    agenda: &mut Agenda,
    victims: &[PreemptionVictim],
    outcome: &mut Outcome,
    recording: SimulationRecorder<'_>,
) {
    for victim in victims {
        state.preempt(&victim.running, victim.method);
    }
    let jobs: Vec<JobId> = victims.iter().map(|victim| victim.running.job).collect();
    agenda.after_preemption(state, &jobs);
    outcome.victims = victims.iter().map(|victim| (victim.running.job, victim.method)).collect();
    let job = outcome.job;
    // This is no trial: the next job needs the sums of all nodes. A job that returns to its own nodes needs no sums
    // and leaves them to the job after it (rule M15).
    if !state.must_return(job) {
        state.refresh_sets();
    }
    let again = reconsider(recording, state, job, |state, probe| {
        consider(state, setup, job, ConsiderationMode::by_nodes(), probe)
    });
    if again.placed.is_some() {
        outcome.verdict = Verdict::Run;
        outcome.placed = again.placed;
        outcome.shrunk_to = full_length(state, outcome.job);
        outcome.by_preemption = true;
        outcome.rejection = None;
        outcome.refused_at = None;
    } else {
        outcome.rejection = Some(Arc::new(Reason::PreemptionInVain.not_now()));
        agenda.after_vain_preemption(&jobs);
    }
}

/// Returns the length of a shrink-to-fit job started through preemption: it is not shrunk.
fn full_length(state: &State, job: JobId) -> Option<Seconds> {
    let request = state.plan.request(job, state.ledger.preempted[job]).ok()?;
    request.min_walltime.map(|_| request.duration).filter(|length| *length != Seconds::UNLIMITED)
}

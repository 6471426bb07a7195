//! Searches, in simulation, for running jobs to preempt (rule 6.10).

use std::sync::Arc;

use crate::cluster::JobId;
use crate::placement::{Probe, SetRecheck};
use crate::universe::{Allocation, JobRequest, NodeSet, Reason, Rejection, RunningJob, State};

use super::candidates::{
    PreemptTargets, always_helps, are_alike, candidates, has_useful_node, is_drawn, is_relevant_victim,
};
use super::consider::{ConsiderationMode, before_any_path, consider};
use super::preempt_order::{PreemptOrder, PreemptionVictim};
use super::preempt_reasons::is_hopeless;
use super::rehearsal::{PreemptionOutcome, SimulationRecorder, considered, reconsider};
use super::top_jobs::{length_of, occupant_of};
use super::{Agenda, Outcome, Setup};

/// One search for victims.
pub(super) struct VictimSearch<'a> {
    pub setup: &'a Setup,
    pub agenda: &'a Agenda,
    /// The job that is to run.
    pub job: JobId,
    /// What it requests.
    pub request: &'a JobRequest,
    /// Its preemption level when the search began.
    pub own: i64,
    pub recording: SimulationRecorder<'a>,
}

/// The candidates in order, and those already excluded.
struct VictimCandidates {
    order: PreemptOrder,
    all: Vec<RunningJob>,
    /// Candidates whose preemption lifted another job above the one that is to run; they are not tried again.
    failed: Vec<JobId>,
    /// Number of leading candidates that can no longer be taken. Used only if levels are fixed, because then a
    /// rejected candidate stays rejected.
    passed: usize,
}

/// The candidate list for one reason, and the position of the search in it. The search ends when the list is
/// exhausted or empty.
struct CandidateCursor {
    reason: Reason,
    /// All candidates before this index were passed.
    at: usize,
}

impl CandidateCursor {
    /// Starts at the first candidate.
    fn new(reason: Reason) -> Self {
        Self { reason, at: 0 }
    }
}

impl VictimSearch<'_> {
    /// Preempts candidates in simulation until the job runs, then returns the ones that are needed.
    pub(super) fn run(mut self, state: &mut State, reasons: &[Rejection]) -> Option<Vec<PreemptionVictim>> {
        let targets = PreemptTargets::of(state, self.job);
        if targets == PreemptTargets::NoJob || reasons.iter().any(is_hopeless) {
            return None;
        }
        let mut field = VictimCandidates {
            order: PreemptOrder::read(&state.plan.snap.scheduler.preempt_order),
            all: candidates(state, self.agenda, self.job, &targets),
            failed: Vec::new(),
            passed: 0,
        };
        let first = reasons.first()?.reason.clone();
        let (taken, allocation) = self.take(state, &mut field, first)?;
        self.start(state, &allocation);
        // Once started, the job would be preempted itself.
        if state.ledger.levels[self.job].priority < self.own {
            return None;
        }
        let needed = self.needed(state, taken, reasons, &allocation);
        if let Some(recording) = &mut self.recording {
            let jobs: Vec<JobId> = needed.iter().map(|victim| victim.running.job).collect();
            recording.needs(&jobs);
        }
        Some(needed)
    }

    /// Preempts one candidate after the other until the job is placed.
    fn take(
        &mut self,
        state: &mut State,
        field: &mut VictimCandidates,
        first: Reason,
    ) -> Option<(Vec<PreemptionVictim>, Arc<Allocation>)> {
        let mut taken: Vec<PreemptionVictim> = Vec::new();
        let mut drawn = Some(CandidateCursor::new(first));
        // If levels are fixed, it may be known that there is still no room without knowing why.
        let fixed = !state.plan.has_soft_limits && self.recording.is_none();
        let mut again = if fixed { SetRecheck::new(state, self.job, self.request) } else { None };
        // Until the sets have been summed up once, any of them may change.
        let mut summed_up = false;
        loop {
            let place = self.next(state, field, &mut drawn, again.as_mut())?;
            let victim = field.order.victim(state, field.all.get(place)?)?;
            let Some(victim) = self.try_without(state, field, victim, &taken) else { continue };
            let running = victim.running.clone();
            let method = victim.method;
            taken.push(victim);
            if let Some(again) = &mut again {
                again.give_back(state, &running.allocation);
            }
            if let Some(again) = again.as_mut().filter(|_| summed_up)
                && self.has_no_room(state, again)
            {
                drawn = None;
                continue;
            }
            summed_up = true;
            let outcome = self.consider(state);
            if let Some(again) = again.as_mut().filter(|_| outcome.refused_at.is_none()) {
                again.examined_all();
            }
            if let Some(recording) = &mut self.recording {
                recording.tried_without(
                    running.job,
                    method,
                    PreemptionOutcome::SearchFailed,
                    outcome.rejection.as_deref().cloned(),
                );
            }
            if let Some(placed) = outcome.placed {
                return Some((taken, placed.allocation));
            }
            let reason = Arc::unwrap_or_clone(outcome.rejection?).reason;
            if !drawn.as_ref().is_some_and(|drawn| are_alike(&drawn.reason, &reason)) {
                drawn = Some(CandidateCursor::new(reason));
            }
        }
    }

    /// Preempts a candidate in simulation. If it, or one taken before, rises above the job that is to run, it is
    /// restarted and excluded, and `None` is returned.
    fn try_without(
        &mut self,
        state: &mut State,
        field: &mut VictimCandidates,
        victim: PreemptionVictim,
        taken: &[PreemptionVictim],
    ) -> Option<PreemptionVictim> {
        state.preempt(&victim.running, victim.simulated);
        let own = self.priority(state);
        let rises = |victim: &PreemptionVictim| state.ledger.levels[victim.running.job].priority > own;
        // If levels are fixed, every candidate taken was below the job and stays there.
        if !state.plan.has_soft_limits || (!rises(&victim) && !taken.iter().any(rises)) {
            return Some(victim);
        }
        start_again(state, &victim);
        field.failed.push(victim.running.job);
        if let Some(recording) = &mut self.recording {
            recording.tried_without(victim.running.job, victim.method, PreemptionOutcome::Escalates, None);
        }
        None
    }

    /// Returns the current level of the job, which may rise as others release resources.
    fn priority(&self, state: &State) -> i64 {
        state.ledger.levels[self.job].priority
    }

    /// Returns the index of the next candidate to take. The reason why there is still no room is determined only if
    /// the choice depends on it.
    fn next(
        &mut self,
        state: &mut State,
        field: &mut VictimCandidates,
        drawn: &mut Option<CandidateCursor>,
        again: Option<&mut SetRecheck<'_>>,
    ) -> Option<usize> {
        if drawn.is_none() {
            let rest = field.all.get(field.passed..).unwrap_or_default();
            let place =
                field.passed + rest.iter().position(|running| self.may_take(state, field, running))?;
            field.passed = place;
            if field.all.get(place).is_some_and(|next| always_helps(state, self.request, next.job)) {
                return Some(place);
            }
            let known = again.and_then(|again| again.reason(state));
            let reason = match known {
                Some(reason) => reason,
                None => Arc::unwrap_or_clone(self.consider(state).rejection?).reason,
            };
            // No candidate before that index may be taken, whatever the reason.
            *drawn = Some(CandidateCursor { reason, at: place });
        }
        let drawn = drawn.as_mut()?;
        let is_next = |running: &RunningJob| {
            state.ledger.runs(&state.plan, running.job)
                && is_drawn(state, self.job, running, &drawn.reason)
                && self.may_take(state, field, running)
        };
        let place = drawn.at + field.all.get(drawn.at..)?.iter().position(is_next)?;
        drawn.at = place + 1;
        Some(place)
    }

    /// Whether a candidate may be taken: it runs, has a lower level, can be preempted, and has a useful node.
    fn may_take(&self, state: &State, candidates: &VictimCandidates, running: &RunningJob) -> bool {
        let job = running.job;
        state.ledger.runs(&state.plan, job)
            && state.ledger.levels[job].priority < self.priority(state)
            && !candidates.failed.contains(&job)
            && candidates.order.method(state, job).is_some()
            && self.shares_nodes(state, running)
            && has_useful_node(state, self.request, running)
    }

    /// Whether a candidate is on a node that the job must return to; `true` if the job need not return to nodes.
    fn shares_nodes(&self, state: &State, running: &RunningJob) -> bool {
        let plan = &state.plan;
        let goes_back = state.must_return(self.job);
        let pieces = &running.allocation.pieces;
        if let Some(left) = state.ledger.former_allocations[self.job].as_ref().filter(|_| goes_back) {
            return left.nodes().iter().any(|bit| pieces.iter().any(|piece| piece.bit == *bit));
        }
        let Some(had) = plan.job(self.job).exec_vnode.as_ref().filter(|_| goes_back) else { return true };
        had.parts().any(|part| pieces.iter().any(|piece| *plan.node_name(piece.bit) == part.vnode))
    }

    /// Considers the job in the current simulated state.
    fn consider(&mut self, state: &mut State) -> Outcome {
        let (setup, job) = (self.setup, self.job);
        considered(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, ConsiderationMode::by_nodes(), probe)
        })
    }

    /// Whether the job certainly still has no room, whatever the reason.
    fn has_no_room(&self, state: &mut State, recheck: &mut SetRecheck<'_>) -> bool {
        let mut probe = Probe::off();
        before_any_path(state, self.setup, self.job, self.request, ConsiderationMode::by_nodes(), &mut probe)
            .is_ok()
            && !recheck.is_held(state)
    }

    fn start(&self, state: &mut State, allocation: &Arc<Allocation>) {
        let occupant = occupant_of(state, self.job);
        state.start(occupant, self.request.place.sharedness, allocation, state.now + self.request.duration);
    }

    /// Returns the victims that are needed, last taken first. The others are not relevant to any reason or still fit
    /// next to the job; only those that fit are restarted in the simulation (rule M22).
    fn needed(
        &mut self,
        state: &mut State,
        taken: Vec<PreemptionVictim>,
        reasons: &[Rejection],
        allocation: &Allocation,
    ) -> Vec<PreemptionVictim> {
        let mut needed = Vec::new();
        let nodes = NodeSet::of(state.plan.nodes.len(), allocation.pieces.iter().map(|piece| piece.bit));
        for victim in taken.into_iter().rev() {
            let is_cause =
                |why: &Rejection| is_relevant_victim(state, self.job, &victim.running, &why.reason, &nodes);
            if !reasons.iter().any(is_cause) {
                continue;
            }
            if self.still_fits(state, &victim) {
                start_again(state, &victim);
            } else {
                needed.push(victim);
            }
        }
        needed
    }

    /// Whether a victim could continue on its own nodes.
    fn still_fits(&mut self, state: &mut State, victim: &PreemptionVictim) -> bool {
        let trial = state.begin_trial();
        state.mark_preempted(victim.running.job, victim.simulated);
        let (setup, job) = (self.setup, victim.running.job);
        let outcome = reconsider(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, ConsiderationMode::by_nodes(), probe)
        });
        state.end_trial(trial);
        outcome.placed.is_some()
    }
}

/// Restarts a job that was preempted in simulation, for its whole length again, as any start is planned (rule M50).
fn start_again(state: &mut State, victim: &PreemptionVictim) {
    let job = victim.running.job;
    let length = state.plan.requests[job].as_ref().map(|request| length_of(state, job, request));
    let end = length.map_or(victim.running.end.at, |length| state.now + length);
    state.restart_preempted(&victim.running, victim.simulated, end);
}

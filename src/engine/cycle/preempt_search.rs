//! The search for running jobs that have to go, in simulation (rule 6.10).

use std::sync::Arc;

use crate::cluster::JobId;
use crate::placement::{Probe, SetsAgain};
use crate::universe::{Allocation, JobRequest, NodeSet, Reason, Rejection, RunningJob, State};

use super::candidates::{Targets, always_helps, are_alike, candidates, has_to_do, has_useful_node, is_drawn};
use super::consider::{Mode, before_any_path, consider};
use super::preempt_order::PreemptOrder;
use super::preempt_reasons::is_hopeless;
use super::preemption::Victim;
use super::rehearsal::{Fate, Recording, considered, reconsider};
use super::top_jobs::{length_of, occupant_of};
use super::{Agenda, Outcome, Setup};

/// One search for victims.
pub(super) struct Search<'a> {
    pub setup: &'a Setup,
    pub agenda: &'a Agenda,
    /// The job that is to run.
    pub job: JobId,
    /// What it requests.
    pub request: &'a JobRequest,
    /// How high it stood as the search began.
    pub own: i64,
    pub recording: Recording<'a>,
}

/// The candidates in their order, and which of them are out of the search.
struct Field {
    order: PreemptOrder,
    all: Vec<RunningJob>,
    /// Candidates that lifted some job above the one that is to run; they are left alone from then on.
    failed: Vec<JobId>,
    /// None of so many at the front is taken any more. Only where levels do not move: then who was passed stays so.
    passed: usize,
}

/// The candidates that are drawn for a reason, and how far the search has come in them. Where none is left, or there was
/// not one, the search ends.
struct Drawn {
    reason: Reason,
    /// All candidates before this place were passed.
    at: usize,
}

impl Drawn {
    /// Of all candidates in their order.
    fn new(reason: Reason) -> Self {
        Self { reason, at: 0 }
    }
}

impl Field {
    /// A candidate by its place, with how it is preempted; none where it can not be.
    fn victim(&self, state: &State, place: usize) -> Option<Victim> {
        let running = self.all.get(place)?.clone();
        let method = self.order.method(state, running.job)?;
        let simulated = self.order.simulated(state, running.job);
        Some(Victim { running, method, simulated })
    }
}

impl Search<'_> {
    /// Preempts in simulation until the job runs, then returns those that are needed.
    pub(super) fn run(mut self, state: &mut State, reasons: &[Rejection]) -> Option<Vec<Victim>> {
        let targets = Targets::of(state, self.job);
        if targets == Targets::NoJob || reasons.iter().any(is_hopeless) {
            return None;
        }
        let mut field = Field {
            order: PreemptOrder::read(&state.plan.snap.scheduler.preempt_order),
            all: candidates(state, self.agenda, self.job, &targets),
            failed: Vec::new(),
            passed: 0,
        };
        let first = reasons.first()?.reason.clone();
        let (taken, allocation) = self.take(state, &mut field, first)?;
        self.start(state, &allocation);
        // Once started it would be preempted itself.
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

    /// Takes one candidate after the other until the job is placed.
    fn take(
        &mut self,
        state: &mut State,
        field: &mut Field,
        first: Reason,
    ) -> Option<(Vec<Victim>, Arc<Allocation>)> {
        let mut taken: Vec<Victim> = Vec::new();
        let mut drawn = Some(Drawn::new(first));
        // Where levels do not move, it may be known that there is no room yet without knowing why.
        let fixed = !state.plan.has_soft_limits && self.recording.is_none();
        let mut again = if fixed { SetsAgain::new(state, self.job, self.request) } else { None };
        // Until sets were summed up once any of them may change.
        let mut summed_up = false;
        loop {
            let place = self.next(state, field, &mut drawn, again.as_mut())?;
            let victim = field.victim(state, place)?;
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
                    Fate::InVain,
                    outcome.rejection.as_deref().cloned(),
                );
            }
            if let Some(placed) = outcome.placed {
                return Some((taken, placed.allocation));
            }
            let reason = Arc::unwrap_or_clone(outcome.rejection?).reason;
            if !drawn.as_ref().is_some_and(|drawn| are_alike(&drawn.reason, &reason)) {
                drawn = Some(Drawn::new(reason));
            }
        }
    }

    /// Preempts a candidate in simulation. It goes on, is left alone and not returned, if it or one taken before rises above
    /// the job that is to run.
    fn try_without(
        &mut self,
        state: &mut State,
        field: &mut Field,
        victim: Victim,
        taken: &[Victim],
    ) -> Option<Victim> {
        state.preempt(&victim.running, victim.simulated);
        let own = self.priority(state);
        let rises = |victim: &Victim| state.ledger.levels[victim.running.job].priority > own;
        // Where levels do not move, each that was taken was below the job and stays there.
        if !state.plan.has_soft_limits || (!rises(&victim) && !taken.iter().any(rises)) {
            return Some(victim);
        }
        start_again(state, &victim);
        field.failed.push(victim.running.job);
        if let Some(recording) = &mut self.recording {
            recording.tried_without(victim.running.job, victim.method, Fate::Escalates, None);
        }
        None
    }

    /// How high the job stands at the moment: what others give back may lift it.
    fn priority(&self, state: &State) -> i64 {
        state.ledger.levels[self.job].priority
    }

    /// The place of the candidate that is taken next. Why there is no room yet is found out where that decides between
    /// them.
    fn next(
        &mut self,
        state: &mut State,
        field: &mut Field,
        drawn: &mut Option<Drawn>,
        again: Option<&mut SetsAgain<'_>>,
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
            // None before that place may be taken, whatever the reason.
            *drawn = Some(Drawn { reason, at: place });
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

    /// Whether a candidate is taken that comes up: it runs, is lower as levels stand, can be preempted, and has a node
    /// that is of use.
    fn may_take(&self, state: &State, field: &Field, running: &RunningJob) -> bool {
        let job = running.job;
        state.ledger.runs(&state.plan, job)
            && state.ledger.levels[job].priority < self.priority(state)
            && !field.failed.contains(&job)
            && field.order.method(state, job).is_some()
            && self.shares_nodes(state, running)
            && has_useful_node(state, self.request, running)
    }

    /// Whether a candidate is on a node that the job has to go back to, if it has to.
    fn shares_nodes(&self, state: &State, running: &RunningJob) -> bool {
        let plan = &state.plan;
        let goes_back = state.goes_back(self.job);
        let pieces = &running.allocation.pieces;
        if let Some(left) = state.ledger.left[self.job].as_ref().filter(|_| goes_back) {
            return left.nodes().iter().any(|bit| pieces.iter().any(|piece| piece.bit == *bit));
        }
        let Some(had) = plan.job(self.job).exec_vnode.as_ref().filter(|_| goes_back) else { return true };
        had.parts().any(|part| pieces.iter().any(|piece| *plan.node_name(piece.bit) == part.vnode))
    }

    /// Considers the job as things are in the simulation.
    fn consider(&mut self, state: &mut State) -> Outcome {
        let (setup, job) = (self.setup, self.job);
        considered(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, Mode::by_nodes(), probe)
        })
    }

    /// Whether the job certainly finds no room, now that some are gone: whatever the reason.
    fn has_no_room(&self, state: &mut State, again: &mut SetsAgain<'_>) -> bool {
        let mut probe = Probe::off();
        before_any_path(state, self.setup, self.job, self.request, Mode::by_nodes(), &mut probe).is_ok()
            && !again.is_held(state)
    }

    fn start(&self, state: &mut State, allocation: &Arc<Allocation>) {
        let occupant = occupant_of(state, self.job);
        state.start(occupant, self.request.place.sharedness, allocation, state.now + self.request.duration);
    }

    /// Gives back those that have nothing to do with any of the reasons, or still fit next to the job, from the last
    /// taken to the first; the rest is needed. Only those that fit are started again (rule M22).
    fn needed(
        &mut self,
        state: &mut State,
        taken: Vec<Victim>,
        reasons: &[Rejection],
        allocation: &Allocation,
    ) -> Vec<Victim> {
        let mut needed = Vec::new();
        let nodes = NodeSet::of(state.plan.nodes.len(), allocation.pieces.iter().map(|piece| piece.bit));
        for victim in taken.into_iter().rev() {
            let is_cause = |why: &Rejection| has_to_do(state, self.job, &victim.running, &why.reason, &nodes);
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

    /// Whether a victim would run on its own nodes right away.
    fn still_fits(&mut self, state: &mut State, victim: &Victim) -> bool {
        let trial = state.begin_trial();
        state.mark_preempted(victim.running.job, victim.simulated);
        let (setup, job) = (self.setup, victim.running.job);
        let outcome = reconsider(self.recording.as_deref_mut(), state, job, |state, probe| {
            consider(state, setup, job, Mode::by_nodes(), probe)
        });
        state.end_trial(trial);
        outcome.placed.is_some()
    }
}

/// Starts a job again that was preempted in simulation: for its whole length once more, as a start plans it (rule M50).
fn start_again(state: &mut State, victim: &Victim) {
    let job = victim.running.job;
    let length = state.plan.requests[job].as_ref().map(|request| length_of(state, job, request));
    let end = length.map_or(victim.running.end.at, |length| state.now + length);
    state.put_back(&victim.running, victim.simulated, end);
}

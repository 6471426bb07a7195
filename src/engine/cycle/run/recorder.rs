//! Considers job after job and records the results.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, JobId, JobState};
use crate::placement::Probe;
use crate::universe::{
    Allocation, Bit, Occupant, Plan, PreemptMethod, Reason, State, extended_softs, read_allocation,
};

use super::witnesses::{end_of_start, held_nodes, overrun_plans, quirk_occurrence};
use crate::cycle::consider::{ConsiderationMode, class_of, consider_knowing};
use crate::cycle::preemption::{find_victims, preempt};
use crate::cycle::refusals::RefusalCache;
use crate::cycle::rehearsal::SimulationRecorder;
use crate::cycle::top_jobs::{TopJobCounts, occupant_of, stop_the_rest};
use crate::cycle::{
    Agenda, Exclusion, Outcome, QuirkOccurrence, RefusalStage, ServerAction, Setup, Step, StepIx,
};

/// Number of preemptions of one job after which the cycle is ended. Two jobs that each have the lower level once
/// running would preempt each other until the scheduler's `sched_cycle_length` is over.
const MAX_PREEMPTIONS: u32 = 100;

/// The record made while a cycle runs.
#[derive(Default)]
pub(super) struct RunRecorder {
    pub(super) steps: Column<StepIx, Step>,
    pub(super) stopped_by_order: Vec<Outcome>,
    pub(super) witnesses: Vec<QuirkOccurrence>,
    /// The nodes of a start that another job has exclusively in the cycle's books, by step.
    pub(super) held_nodes: FxHashMap<StepIx, Vec<Bit>>,
    top: TopJobCounts,
    /// The first step of every job.
    pub(super) step_of: Column<JobId, Option<StepIx>>,
    /// Number of jobs considered so far.
    pub(super) considered: u32,
    preemptions: u32,
    /// Number of preemptions of each job.
    preempted: FxHashMap<JobId, u32>,
    /// Number of considerations; an array counts once for each subjob.
    checked: u32,
    pub(super) actions: Vec<ServerAction>,
    refusals: RefusalCache,
}

impl RunRecorder {
    /// Creates the record of a starting cycle. Expired soft walltimes were extended when running jobs were read.
    pub(super) fn starting(plan: &Plan, setup: &Setup) -> Self {
        let extend = |(job, length)| ServerAction::ExtendSoft(job, length);
        let steps = Column::with_room(plan.snap.jobs.len());
        let step_of = Column::filled(plan.snap.jobs.len(), None);
        Self {
            steps,
            step_of,
            actions: extended_softs(plan).into_iter().map(extend).collect(),
            refusals: RefusalCache::new(setup.classes.count),
            ..Self::default()
        }
    }

    /// Whether a picked job is considered; the cycle ends before it once the limit is reached (rule 6.3). A job
    /// preempted in vain is resumed in any case and does not count.
    pub(super) fn may_consider(&self, plan: &Plan, agenda: &Agenda, job: JobId) -> bool {
        agenda.is_in_vain(job) || self.early_end(plan).is_none()
    }

    /// Returns why the cycle ended early, if it did.
    pub(super) fn early_end(&self, plan: &Plan) -> Option<Exclusion> {
        let is_full = self.is_check_limit_reached(plan).then_some(Exclusion::CheckLimit);
        is_full.or_else(|| self.endlessly_preempted().map(Exclusion::NoEnd))
    }

    /// Returns the job preempted by the last step, if it was preempted so often that the cycle would never end.
    pub(super) fn endlessly_preempted(&self) -> Option<JobId> {
        let victims = &self.steps.iter().next_back()?.outcome.victims;
        let is_often = |job: &JobId| self.preempted.get(job).is_some_and(|times| *times >= MAX_PREEMPTIONS);
        victims.iter().map(|(job, _)| *job).find(is_often)
    }

    /// Whether the cycle has considered as many jobs as `max_job_check` allows.
    pub(super) fn is_check_limit_reached(&self, plan: &Plan) -> bool {
        plan.snap.policy.max_job_check.is_some_and(|most| self.checked >= most)
    }

    /// Whether the job considered last does not start.
    pub(super) fn is_last_job_refused(&self) -> bool {
        self.steps.iter().next_back().is_some_and(|step| step.outcome.placed.is_none())
    }

    /// Returns the last step of jobs considered more than once.
    pub(super) fn last_steps(&self) -> FxHashMap<JobId, StepIx> {
        // Mostly no job came up again, and there are as many steps as jobs considered.
        if self.steps.len() == self.considered as usize {
            return FxHashMap::default();
        }
        let by_job = |(ix, step): (StepIx, &Step)| (step.outcome.job, ix);
        self.steps.enumerate().map(by_job).filter(|(job, ix)| self.step_of[*job] != Some(*ix)).collect()
    }

    /// Considers one job and applies the outcome.
    pub(super) fn step(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &mut Agenda,
        job: JobId,
        recording: SimulationRecorder<'_>,
    ) {
        let before = state.mark();
        let resumes = agenda.remove_preempted_in_vain(job);
        self.checked = self.checked.saturating_add(u32::from(!resumes));
        let refusals = Some(&mut self.refusals).filter(|_| !resumes);
        let mut outcome =
            consider_knowing(state, setup, job, ConsiderationMode::of(resumes), &mut Probe::off(), refusals);
        outcome.order = Some(self.place_of(job));
        self.witnesses.extend(quirk_occurrence(state, &outcome));
        self.witnesses.extend(overrun_plans(state, &outcome));
        if outcome.placed.is_some() {
            self.begin(state, agenda, &mut outcome);
            self.consider_exhausted_array(state, setup, agenda, &outcome);
        } else {
            self.fail(state, setup, agenda, &mut outcome, recording);
        }
        self.refusals.clear_if_changed(state, before);
        self.steps.push(Step { outcome, resumes, before, after: state.mark() });
    }

    /// Returns the order number of a job at its next step: the next free one if it was not considered before, else that
    /// of its first step, as for an array.
    fn place_of(&mut self, job: JobId) -> u32 {
        if let Some(first) = self.step_of[job] {
            return self.steps[first].outcome.order.unwrap_or(self.considered);
        }
        self.step_of[job] = Some(StepIx::at(self.steps.len()));
        self.considered = self.considered.saturating_add(1);
        self.considered
    }

    /// Starts the job of the current step on the nodes found for it.
    fn begin(&mut self, state: &mut State, agenda: &mut Agenda, outcome: &mut Outcome) {
        let held = held_nodes(state, outcome);
        if !held.is_empty() {
            self.held_nodes.insert(StepIx::at(self.steps.len()), held);
        }
        self.resume(state, outcome.job);
        start(state, agenda, outcome);
    }

    /// Records that a suspended job is resumed on its nodes.
    fn resume(&mut self, state: &State, job: JobId) {
        if is_suspended(state, job) {
            self.actions.push(ServerAction::Resume(job));
        }
    }

    /// Handles a job that could not run: it may preempt others or become a top job, its class fails, and strict
    /// ordering may stop others.
    fn fail(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &mut Agenda,
        outcome: &mut Outcome,
        mut recording: SimulationRecorder<'_>,
    ) {
        let attempts = &mut self.preemptions;
        if let Some(victims) = find_victims(state, setup, agenda, attempts, outcome, recording.as_deref_mut())
        {
            preempt(state, setup, agenda, &victims, outcome, recording.as_deref_mut());
            for (job, _) in &outcome.victims {
                *self.preempted.entry(*job).or_default() += 1;
            }
            self.actions
                .extend(outcome.victims.iter().map(|(job, method)| ServerAction::Preempt(*job, *method)));
            if outcome.placed.is_some() {
                self.begin(state, agenda, outcome);
                self.consider_exhausted_array(state, setup, agenda, outcome);
                return;
            }
        }
        if outcome.rejection.is_none() {
            return;
        }
        outcome.estimate = self.top.plan(state, setup, agenda, outcome, recording);
        let class = class_of(state, setup, outcome.job);
        let of_class = outcome.rejection.as_ref().filter(|rejection| !rejection.reason.is_of_array());
        state.refuse(outcome.job, class.zip(of_class));
        if outcome.estimate.is_some() {
            agenda.after_planning(outcome.job);
        }
        self.stop_by_strict_ordering(state, setup, agenda, outcome);
    }

    /// Handles the extra turn of an array after its last subjob, if it goes ahead of all queues. That nothing is left
    /// of it is a failure like any other: its class fails, without a text, and jobs after it may be stopped (rule
    /// M4). The turn counts as a consideration.
    fn consider_exhausted_array(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &Agenda,
        outcome: &Outcome,
    ) {
        let job = outcome.job;
        if outcome.subjob.is_none() || agenda.is_waiting(state, job) || !agenda.is_picked_ahead(state, job) {
            return;
        }
        if self.is_check_limit_reached(&state.plan) {
            return;
        }
        self.checked = self.checked.saturating_add(1);
        if let Some(class) = class_of(state, setup, outcome.job) {
            state.fail_class(outcome.job, class, &Arc::new(Reason::NoSubjobLeft.not_now()));
        }
        self.stop_by_strict_ordering(state, setup, agenda, outcome);
    }

    /// Refuses the jobs that strict ordering stops after a failed one. For a job that was running when the cycle
    /// began, only the preemption is recorded.
    fn stop_by_strict_ordering(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &Agenda,
        outcome: &Outcome,
    ) {
        let stopped = stop_the_rest(state, setup, agenda, outcome);
        let ran = |job: &JobId| state.plan.job(*job).state == JobState::Running;
        for stopped in stopped.into_iter().filter(|job| !ran(job)) {
            let rejection = Arc::new(Reason::StrictOrdering.not_now());
            let mut refused = Outcome::not_considered(stopped, Some(rejection));
            refused.refused_at = Some(RefusalStage::Order);
            self.stopped_by_order.push(refused);
        }
    }
}

/// Whether a job is suspended, by a preemption in this cycle or earlier.
fn is_suspended(state: &State, job: JobId) -> bool {
    let before = || state.plan.job(job).state == JobState::Suspended;
    state.ledger.preempted[job].map_or_else(before, |method| method == PreemptMethod::Suspend)
}

/// Returns the former allocation of a suspended job that is resumed: its chunks, and the resources of each node in
/// the original order. `None` if the job kept part of it and takes only the rest.
fn former_allocation(state: &State, job: JobId, found: &Allocation) -> Option<Arc<Allocation>> {
    let plan = &state.plan;
    let of = plan.job(job);
    let kept_a_part = match state.ledger.preempted[job] {
        Some(_) => !plan.snap.server.release_on_suspend.is_empty(),
        None => of.released_part().is_some(),
    };
    if kept_a_part {
        return None;
    }
    let left = state.ledger.former_allocations[job].as_deref().cloned();
    let mut whole = left.or_else(|| Some(read_allocation(plan, of.exec_vnode.as_ref()?)))?;
    // The chunks of the request are those of its former nodes, one per node.
    let specs: FxHashMap<Bit, u32> = found.pieces.iter().rev().map(|piece| (piece.bit, piece.spec)).collect();
    for piece in &mut whole.pieces {
        piece.spec = *specs.get(&piece.bit)?;
    }
    Some(Arc::new(whole))
}

/// Starts the job, or the next subjob of the array.
fn start(state: &mut State, agenda: &mut Agenda, outcome: &mut Outcome) {
    let plan = state.plan.clone();
    let job = outcome.job;
    let preempted = state.ledger.preempted[job];
    let goes_back = state.must_return(job);
    if let Some(placed) = outcome.placed.as_mut().filter(|_| goes_back) {
        if !is_suspended(state, job) {
            // A checkpointed job gets each of its nodes in one piece.
            placed.allocation = Arc::new(placed.allocation.by_node(&plan));
        } else if let Some(whole) = former_allocation(state, job, &placed.allocation) {
            placed.allocation = whole;
        }
    }
    let (Some(placed), Ok(request)) = (&outcome.placed, plan.request(job, preempted)) else { return };
    let occupant = occupant_of(state, job);
    let Some(end) = end_of_start(state, outcome) else { return };
    state.start(occupant, request.place.sharedness, &placed.allocation, end);
    if let Occupant::Job(_, Some(index)) = occupant {
        outcome.subjob = Some(index);
        state.close_array_when_done(job);
    }
    state.stop_run_one(job);
    agenda.after_start(job);
}

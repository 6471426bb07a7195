//! Job after job as the cycle goes, and what is written down of each.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, JobId, JobState};
use crate::placement::{Path, Probe};
use crate::universe::{
    Allocation, Bit, Occupant, Plan, PreemptMethod, Quirk, Reason, State, extended_softs, read_allocation,
    within_reservation,
};

use crate::cycle::consider::{Mode, class_of, consider_knowing};
use crate::cycle::preemption::{find_victims, preempt};
use crate::cycle::refusals::Refusals;
use crate::cycle::rehearsal::Recording;
use crate::cycle::top_jobs::{TopJobs, length_of, occupant_of, stop_the_rest};
use crate::cycle::{Agenda, Exclusion, Outcome, ServerAction, Setup, Stage, Step, StepIx, Verdict, Witness};

/// After so many preemptions of one job the cycle is ended: two jobs of which each, once it runs, stands below the other
/// preempt each other for as long as the scheduler's `sched_cycle_length` lasts.
const MAX_PREEMPTIONS: u32 = 100;

/// What is written down while a cycle runs.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) steps: Column<StepIx, Step>,
    pub(super) stopped: Vec<Outcome>,
    pub(super) witnesses: Vec<Witness>,
    top: TopJobs,
    /// The place of every job considered so far, from 1, else 0; of an array, that of its first consideration.
    orders: Column<JobId, u32>,
    /// How many jobs were considered so far.
    considered: u32,
    preemptions: u32,
    /// How often each job was preempted.
    preempted: FxHashMap<JobId, u32>,
    /// How often a job was considered, an array once for each subjob.
    checked: u32,
    pub(super) actions: Vec<ServerAction>,
    refusals: Refusals,
}

impl Recorder {
    /// A cycle that has just started: soft walltimes that have passed were extended as running jobs were read.
    pub(super) fn starting(plan: &Plan) -> Self {
        let extend = |(job, length)| ServerAction::ExtendSoft(job, length);
        let steps = Column::with_room(plan.snap.jobs.len());
        let orders = Column::filled(plan.snap.jobs.len(), 0);
        Self {
            steps,
            orders,
            actions: extended_softs(plan).into_iter().map(extend).collect(),
            ..Self::default()
        }
    }

    /// Whether a job that comes up is considered: the cycle ends before it where as many were as may be (rule 6.3). One that
    /// was preempted in vain goes on all the same, and does not count.
    pub(super) fn has_turn(&self, plan: &Plan, agenda: &Agenda, job: JobId) -> bool {
        agenda.is_in_vain(job) || self.ended(plan).is_none()
    }

    /// Why no more jobs are considered, if that is not since all were.
    pub(super) fn ended(&self, plan: &Plan) -> Option<Exclusion> {
        let is_full = self.has_had_enough(plan).then_some(Exclusion::CheckLimit);
        is_full.or_else(|| self.goes_round().map(Exclusion::NoEnd))
    }

    /// The job that the last step preempted once more, where that was so often that the cycle would not end.
    pub(super) fn goes_round(&self) -> Option<JobId> {
        let victims = &self.steps.iter().next_back()?.outcome.victims;
        let is_often = |job: &JobId| self.preempted.get(job).is_some_and(|times| *times >= MAX_PREEMPTIONS);
        victims.iter().map(|(job, _)| *job).find(is_often)
    }

    /// Whether the cycle has considered as many jobs as `max_job_check` admits.
    pub(super) fn has_had_enough(&self, plan: &Plan) -> bool {
        plan.snap.policy.max_job_check.is_some_and(|most| self.checked >= most)
    }

    /// Whether the job that was considered last does not start.
    pub(super) fn has_turned_down_the_last(&self) -> bool {
        self.steps.iter().next_back().is_some_and(|step| step.outcome.placed.is_none())
    }

    /// The first step of every job, and the last one where it came up more than once.
    pub(super) fn steps_by_job(
        &self,
        plan: &Plan,
    ) -> (Column<JobId, Option<StepIx>>, FxHashMap<JobId, StepIx>) {
        let mut first = Column::filled(plan.snap.jobs.len(), None);
        for (ix, step) in self.steps.enumerate().rev() {
            first[step.outcome.job] = Some(ix);
        }
        // Mostly no job came up again, and a job has as many steps as places.
        if self.steps.len() == self.considered as usize {
            return (first, FxHashMap::default());
        }
        let by_job = |(ix, step): (StepIx, &Step)| (step.outcome.job, ix);
        let last = self.steps.enumerate().map(by_job).filter(|(job, ix)| first[*job] != Some(*ix));
        let last = last.collect();
        (first, last)
    }

    /// Considers one job, and makes real what becomes of it.
    pub(super) fn step(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &mut Agenda,
        job: JobId,
        recording: Recording<'_>,
    ) {
        let before = state.mark();
        let resumes = agenda.take_in_vain(job);
        self.checked = self.checked.saturating_add(u32::from(!resumes));
        let refusals = Some(&mut self.refusals).filter(|_| !resumes);
        let mut outcome = consider_knowing(state, setup, job, Mode::of(resumes), &mut Probe::off(), refusals);
        outcome.order = Some(self.place_of(job));
        self.witnesses.extend(witness(state, &outcome));
        if outcome.placed.is_some() {
            self.resume(state, job);
            start(state, agenda, &mut outcome);
            self.come_up_empty(state, setup, agenda, &outcome);
        } else {
            self.fail(state, setup, agenda, &mut outcome, recording);
        }
        self.refusals.settle(state, before);
        self.steps.push(Step { outcome, resumes, before, after: state.mark() });
    }

    /// The place of a job among those considered: the next one, if it was not considered before.
    fn place_of(&mut self, job: JobId) -> u32 {
        if self.orders[job] == 0 {
            self.considered = self.considered.saturating_add(1);
            self.orders[job] = self.considered;
        }
        self.orders[job]
    }

    /// A suspended job that has nodes is resumed there.
    fn resume(&mut self, state: &State, job: JobId) {
        if is_suspended(state, job) {
            self.actions.push(ServerAction::Resume(job));
        }
    }

    /// A job that could not run: it may become a top job, its class has failed, others may be stopped.
    fn fail(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &mut Agenda,
        outcome: &mut Outcome,
        mut recording: Recording<'_>,
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
                self.resume(state, outcome.job);
                start(state, agenda, outcome);
                self.come_up_empty(state, setup, agenda, outcome);
                return;
            }
        }
        if outcome.rejection.is_none() {
            return;
        }
        outcome.estimate = self.top.plan(state, setup, agenda, outcome, recording);
        let Some(rejection) = &outcome.rejection else { return };
        let class = class_of(state, setup, outcome.job).filter(|_| !rejection.reason.is_of_array());
        state.refuse(outcome.job, class, rejection);
        if outcome.estimate.is_some() {
            agenda.after_planning(outcome.job);
        }
        self.stop(state, setup, agenda, outcome);
    }

    /// An array that goes ahead of all queues comes up once more after its last subjob. That nothing of it is left is a
    /// failure like others: its class has failed, without a text, and those behind it may be stopped (rule M4). It counts as
    /// considered.
    fn come_up_empty(&mut self, state: &mut State, setup: &Setup, agenda: &Agenda, outcome: &Outcome) {
        let job = outcome.job;
        if outcome.subjob.is_none() || agenda.is_waiting(state, job) || !agenda.is_picked_ahead(state, job) {
            return;
        }
        if self.has_had_enough(&state.plan) {
            return;
        }
        self.checked = self.checked.saturating_add(1);
        if let Some(class) = class_of(state, setup, outcome.job) {
            state.fail_class(outcome.job, class, &Arc::new(Reason::NothingLeft.not_now()));
        }
        self.stop(state, setup, agenda, outcome);
    }

    /// Turns away those that strict ordering stops behind a job that failed. Of one that ran when the cycle began nothing
    /// is written but that it was preempted.
    fn stop(&mut self, state: &mut State, setup: &Setup, agenda: &Agenda, outcome: &Outcome) {
        let stopped = stop_the_rest(state, setup, agenda, outcome);
        let ran = |job: &JobId| state.plan.job(*job).state == JobState::Running;
        for stopped in stopped.into_iter().filter(|job| !ran(job)) {
            let rejection = Arc::new(Reason::StrictOrdering.not_now());
            let mut refused = Outcome::not_considered(stopped, Some(rejection));
            refused.refused_at = Some(Stage::Order);
            self.stopped.push(refused);
        }
    }
}

/// Whether a job is suspended: by a preemption of this cycle, or since before it.
fn is_suspended(state: &State, job: JobId) -> bool {
    let before = || state.plan.job(job).state == JobState::Suspended;
    state.ledger.preempted[job].map_or_else(before, |method| method == PreemptMethod::Suspend)
}

/// What a suspended job goes on with, as it had it: its chunks, and of each node the resources in the order in which they were
/// given. None for one that kept a part of it and takes only the rest.
fn as_before(state: &State, job: JobId, found: &Allocation) -> Option<Arc<Allocation>> {
    let plan = &state.plan;
    let of = plan.job(job);
    let kept_a_part = match state.ledger.preempted[job] {
        Some(_) => !plan.snap.server.release_on_suspend.is_empty(),
        None => of.released_part().is_some(),
    };
    if kept_a_part {
        return None;
    }
    let left = state.ledger.left[job].as_deref().cloned();
    let mut whole = left.or_else(|| Some(read_allocation(plan, of.exec_vnode.as_ref()?)))?;
    // The chunks of its request are those of the way back, one for each node.
    let specs: FxHashMap<Bit, u32> = found.pieces.iter().rev().map(|piece| (piece.bit, piece.spec)).collect();
    for piece in &mut whole.pieces {
        piece.spec = *specs.get(&piece.bit)?;
    }
    Some(Arc::new(whole))
}

/// The job, or the next subjob of the array, starts.
fn start(state: &mut State, agenda: &mut Agenda, outcome: &mut Outcome) {
    let plan = state.plan.clone();
    let job = outcome.job;
    let preempted = state.ledger.preempted[job];
    let goes_back = state.goes_back(job);
    if let Some(placed) = outcome.placed.as_mut().filter(|_| goes_back) {
        if !is_suspended(state, job) {
            // A job that was checkpointed gets each of its nodes in one piece.
            placed.allocation = Arc::new(placed.allocation.by_node(&plan));
        } else if let Some(whole) = as_before(state, job, &placed.allocation) {
            placed.allocation = whole;
        }
    }
    let (Some(placed), Ok(request)) = (&outcome.placed, plan.request(job, preempted)) else { return };
    let occupant = occupant_of(state, job);
    let length = || length_of(state, job, &state.capped(job, request));
    let end = within_reservation(&plan, job, state.now + outcome.shrunk_to.unwrap_or_else(length));
    state.start(occupant, request.place.sharedness, &placed.allocation, end);
    if let Occupant::Job(_, Some(index)) = occupant {
        outcome.subjob = Some(index);
        state.close_array_when_done(job);
    }
    state.stop_run_one(job);
    agenda.after_start(job);
}

/// What a quirk did in this step, if one did anything.
fn witness(state: &State, outcome: &Outcome) -> Option<Witness> {
    let placed = outcome.placed.as_ref().filter(|_| outcome.verdict == Verdict::Run)?;
    let plan = &state.plan;
    if let Some(quirk) = placed.by_quirk {
        let what = "it spans placement sets although one of them could hold it later".to_owned();
        return Some(Witness { quirk, job: outcome.job, what, doubled: Vec::new() });
    }
    // Only buckets give a node away twice; a reservation's jobs find its nodes taken by it, as they should.
    let by_buckets = outcome.path == Some(Path::Bucket) && !outcome.by_preemption;
    if !by_buckets || plan.reservation_of(outcome.job).is_some() {
        return None;
    }
    // A node with a job on it that leaves room for others is open, and yet none that a bucket may give away.
    let taken = |bit: &Bit| !state.floor.open.contains(*bit) || state.floor.occupied.contains(*bit);
    let doubled: Vec<Bit> = placed.allocation.nodes().into_iter().filter(taken).collect();
    let first = *doubled.first()?;
    let quirk = if outcome.tries.is_empty() { Quirk::StaleBucketIndex } else { Quirk::LastSetOnly };
    let what = format!("{} was given to it although it was not free", plan.node_name(first));
    Some(Witness { quirk, job: outcome.job, what, doubled })
}

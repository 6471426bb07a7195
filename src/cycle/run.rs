//! One whole cycle, and the record of it.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, JobId, Period, Snapshot};
use crate::placement::Probe;
use crate::universe::{Mark, Party, Plan, Quirks, State};

use super::class::{Classes, classify};
use super::consider::consider;
use super::eligible::{Standing, standing};
use super::order::considered_order;
use super::outcome::{Outcome, Verdict, Witness};
use super::warnings::unmodelled;

crate::id!(
    /// One step of a cycle: one job considered.
    StepIx
);

/// One job considered.
#[derive(Clone, Debug)]
pub struct Step {
    /// What became of it.
    pub outcome: Outcome,
    /// Where the journal stood before it.
    pub before: Mark,
    /// Where the journal stood after it.
    pub after: Mark,
}

/// A finished cycle: what became of every job, and the journal that leads from any step to any other.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was derived once.
    pub plan: Arc<Plan>,
    /// Job classes.
    pub classes: Arc<Classes>,
    /// Jobs considered, in order.
    pub steps: Column<StepIx, Step>,
    /// Jobs not considered.
    pub others: Vec<Outcome>,
    /// The state after the last step, with the whole journal.
    pub end: State,
    /// Quirks that changed an outcome.
    pub witnesses: Vec<Witness>,
    /// What the cluster uses and the model does not know.
    pub warnings: Vec<String>,
    step_of: FxHashMap<JobId, StepIx>,
}

/// The universe at the start of a cycle, ready to run.
#[derive(Clone, Debug)]
pub struct CycleStart {
    plan: Arc<Plan>,
    classes: Arc<Classes>,
    state: State,
}

/// Runs one cycle over a snapshot.
#[must_use]
pub fn run_cycle(snap: Arc<Snapshot>, quirks: Quirks) -> Run {
    CycleStart::new(snap, quirks).run()
}

impl CycleStart {
    /// Derives the universe of a snapshot.
    #[must_use]
    pub fn new(snap: Arc<Snapshot>, quirks: Quirks) -> Self {
        let plan = Arc::new(Plan::new(snap, quirks, Period::Prime));
        let classes = Arc::new(classify(&plan));
        let state = State::new(plan.clone(), classes.count);
        Self { plan, classes, state }
    }

    /// Considers every job once.
    #[must_use]
    pub fn run(self) -> Run {
        let Self { plan, classes, mut state } = self;
        let mut steps = Column::new();
        let mut witnesses = Vec::new();
        for (at, job) in considered_order(&plan).into_iter().enumerate() {
            let before = state.mark();
            let mut outcome = consider(&mut state, &classes, job, &mut Probe::off());
            outcome.order = u32::try_from(at + 1).ok();
            witnesses.extend(witness(&state, &outcome));
            settle(&mut state, &classes, &outcome);
            steps.push(Step { outcome, before, after: state.mark() });
        }
        let step_of = steps.enumerate().map(|(ix, step): (StepIx, &Step)| (step.outcome.job, ix)).collect();
        Run {
            others: not_considered(&plan),
            warnings: unmodelled(&plan),
            plan,
            classes,
            steps,
            end: state,
            witnesses,
            step_of,
        }
    }
}

impl Run {
    /// The step that considered a job; the first one for arrays.
    #[must_use]
    pub fn step_of(&self, job: JobId) -> Option<StepIx> {
        self.step_of.get(&job).copied()
    }

    /// What became of a job.
    #[must_use]
    pub fn outcome(&self, job: JobId) -> Option<&Outcome> {
        match self.step_of(job) {
            Some(step) => Some(&self.steps[step].outcome),
            None => self.others.iter().find(|outcome| outcome.job == job),
        }
    }

    /// All outcomes: considered jobs in order, then the others in the order of the dump.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.steps.iter().map(|step| &step.outcome).chain(&self.others)
    }
}

/// Makes the outcome real: the job starts, or it and its class have failed.
fn settle(state: &mut State, classes: &Classes, outcome: &Outcome) {
    let plan = state.plan.clone();
    let job = outcome.job;
    match (&outcome.placed, &outcome.rejection) {
        (Some(placed), _) => {
            let Ok(request) = &plan.requests[job] else { return };
            let end = state.now + request.duration;
            state.start(Party::Job(job, outcome.subjob), request.place.sharedness, &placed.allocation, end);
        }
        (None, Some(rejection)) => state.turn_away(job, classes.of[job], rejection),
        (None, None) => {}
    }
}

/// Jobs that the cycle does not consider, running ones left out.
fn not_considered(plan: &Plan) -> Vec<Outcome> {
    let out = |id| match standing(plan, id) {
        Standing::Out(rejection, _) => Some(Outcome::not_considered(id, rejection)),
        _ => None,
    };
    plan.snap.jobs.ids().filter_map(out).collect()
}

/// What a quirk did in this step, if one did anything.
fn witness(state: &State, outcome: &Outcome) -> Option<Witness> {
    let placed = outcome.placed.as_ref().filter(|_| outcome.verdict == Verdict::Run)?;
    let plan = &state.plan;
    if let Some(quirk) = placed.by_quirk {
        let what = "it spans placement sets although one of them could hold it later".to_owned();
        return Some(Witness { quirk, job: outcome.job, what });
    }
    let doubled = placed.allocation.nodes().into_iter().find(|bit| !state.floor.open.contains(*bit))?;
    let quirk = if outcome.tries.is_empty() {
        crate::universe::Quirk::StaleBucketIndex
    } else {
        crate::universe::Quirk::LastSetOnly
    };
    let what = format!("{} was given to it although it was not free", plan.node_name(doubled));
    Some(Witness { quirk, job: outcome.job, what })
}

//! One whole cycle, and the record of it.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Job, JobId, JobState, ResvId, Snapshot};
use crate::placement::{Path, Probe};
use crate::universe::{Bit, JobStatus, Mark, NodeRanking, Party, Plan, PreemptMethod, Quirks, Reason, State};

use super::agenda::Agenda;
use super::confirm::{Confirmation, confirm_all};
use super::consider::{Mode, consider};
use super::eligible::Standing;
use super::outcome::{Action, Outcome, Stage, Verdict, Witness};
use super::preemption::{find_victims, preempt};
use super::rehearsal::{Focus, Heard, Rehearsal};
use super::setup::{Setup, period_at};
use super::top_jobs::{TopJobs, length_of, party_of, stop_the_rest};
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
    /// What was fixed before the first job.
    pub setup: Arc<Setup>,
    /// How every job stood at the start.
    pub standing: Column<JobId, Standing>,
    /// Reservations that waited to be confirmed, in the order tried.
    pub confirmations: Vec<Confirmation>,
    /// Jobs considered, in order.
    pub steps: Column<StepIx, Step>,
    /// Jobs not considered.
    pub others: Vec<Outcome>,
    /// The state after the last step, with the whole journal.
    pub end: State,
    /// What was asked of the server besides starting jobs, in order.
    pub actions: Vec<Action>,
    /// Quirks that changed an outcome.
    pub witnesses: Vec<Witness>,
    /// What the cluster uses and the model does not know.
    pub warnings: Vec<String>,
    step_of: FxHashMap<JobId, StepIx>,
    agenda: OnceLock<Agenda>,
}

/// The universe at the start of a cycle, ready to run.
#[derive(Clone, Debug)]
pub struct CycleStart {
    plan: Arc<Plan>,
    setup: Arc<Setup>,
    state: State,
    agenda: Agenda,
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
        Self::ranked(snap, quirks, None)
    }

    /// The same with nodes ordered job by job by somebody else than the scheduler, on the node path alone.
    #[must_use]
    pub fn ranked(snap: Arc<Snapshot>, quirks: Quirks, ranking: Option<Arc<dyn NodeRanking>>) -> Self {
        let period = period_at(&snap, snap.now);
        let mut plan = Plan::new(snap, quirks, period);
        plan.ranking = ranking;
        let plan = Arc::new(plan);
        let setup = Arc::new(Setup::new(&plan));
        let state = State::new(plan.clone(), setup.classes.count);
        let agenda = Agenda::new(&state, &setup);
        Self { plan, setup, state, agenda }
    }

    /// Considers every job.
    #[must_use]
    pub fn run(self) -> Run {
        let Self { plan, setup, mut state, mut agenda } = self;
        let mut standing = agenda.standing.clone();
        let mut cycle = Recorder::default();
        let confirmations = confirm_all(&mut state, &setup);
        match confirmations.iter().rfind(|tried| tried.is_confirmed()) {
            Some(confirmed) => end_early(&plan, &mut standing, confirmed.reservation),
            None => {
                while let Some(job) = agenda.next(&state) {
                    cycle.step(&mut state, &setup, &mut agenda, job, None);
                }
            }
        }
        let mut step_of: FxHashMap<JobId, StepIx> =
            cycle.steps.enumerate().rev().map(|(ix, step)| (step.outcome.job, ix)).collect();
        find_listed_subjobs(&plan, &cycle.steps, &mut step_of, &mut standing);
        take_out_rivals(&state, &step_of, &mut standing);
        let mut others = not_considered(&plan, &standing);
        others.append(&mut cycle.stopped);
        others.sort_by_key(|outcome| outcome.job);
        Run {
            others,
            standing,
            confirmations,
            warnings: unmodelled(&state, &setup),
            plan,
            setup,
            steps: cycle.steps,
            end: state,
            actions: cycle.actions,
            witnesses: cycle.witnesses,
            step_of,
            agenda: OnceLock::new(),
        }
    }
}

/// What is written down while a cycle runs.
#[derive(Default)]
struct Recorder {
    steps: Column<StepIx, Step>,
    stopped: Vec<Outcome>,
    witnesses: Vec<Witness>,
    top: TopJobs,
    order: u32,
    last: Option<JobId>,
    preemptions: u32,
    actions: Vec<Action>,
}

impl Recorder {
    /// Considers one job, and makes real what becomes of it.
    fn step(&mut self, state: &mut State, setup: &Setup, agenda: &mut Agenda, job: JobId, heard: Heard<'_>) {
        let before = state.mark();
        let mut outcome = consider(state, setup, job, Mode::Main, &mut Probe::off());
        if self.last != Some(job) {
            self.order += 1;
        }
        self.last = Some(job);
        outcome.order = Some(self.order);
        self.witnesses.extend(witness(state, &outcome));
        if outcome.placed.is_some() {
            if state.ledger.preempted[job] == Some(PreemptMethod::Suspend) {
                self.actions.push(Action::Resume(job));
            }
            start(state, agenda, &mut outcome);
            // An array comes up once more after its last subjob, and that nothing of it is left counts as a
            // failure for those behind it (measured).
            if outcome.subjob.is_some() && !agenda.is_waiting(state, job) {
                self.stop(state, setup, agenda, &outcome);
            }
        } else {
            self.fail(state, setup, agenda, &mut outcome, heard);
        }
        self.steps.push(Step { outcome, before, after: state.mark() });
    }

    /// A job that could not run: it may become a top job, its class has failed, others may be stopped.
    fn fail(
        &mut self,
        state: &mut State,
        setup: &Setup,
        agenda: &mut Agenda,
        outcome: &mut Outcome,
        mut heard: Heard<'_>,
    ) {
        let attempts = &mut self.preemptions;
        if let Some(victims) = find_victims(state, setup, agenda, attempts, outcome, heard.as_deref_mut()) {
            preempt(state, setup, agenda, &victims, outcome, heard.as_deref_mut());
            self.actions.extend(outcome.victims.iter().map(|(job, method)| Action::Preempt(*job, *method)));
            if outcome.placed.is_some() {
                start(state, agenda, outcome);
                return;
            }
        }
        let Some(rejection) = outcome.rejection.clone() else { return };
        outcome.estimate = self.top.plan(state, setup, agenda, outcome, heard);
        let class = setup.classes.of[outcome.job].filter(|_| rejection.reason != Reason::SubjobLimit);
        state.turn_away(outcome.job, class, &rejection);
        if outcome.estimate.is_some() {
            agenda.after_start(state, outcome.job);
        }
        self.stop(state, setup, agenda, outcome);
    }

    /// Turns away those that strict ordering stops behind a job that failed.
    fn stop(&mut self, state: &mut State, setup: &Setup, agenda: &Agenda, outcome: &Outcome) {
        for stopped in stop_the_rest(state, setup, agenda, outcome) {
            let rejection = Reason::StrictOrdering.not_now();
            let mut turned = Outcome::not_considered(stopped, Some(rejection));
            turned.turned_away_by = Some(Stage::Order);
            self.stopped.push(turned);
        }
    }
}

/// The job, or the next subjob of the array, starts.
fn start(state: &mut State, agenda: &mut Agenda, outcome: &mut Outcome) {
    let plan = state.plan.clone();
    let job = outcome.job;
    let returning = state.ledger.returns(job);
    let (Some(placed), Ok(request)) = (&outcome.placed, plan.request(job, returning)) else { return };
    let party = party_of(state, job);
    let length = || length_of(state, job, &state.capped(job, request));
    let end = state.now + outcome.shrunk_to.unwrap_or_else(length);
    state.start(party, request.place.sharedness, &placed.allocation, end);
    if let Party::Job(_, Some(index)) = party {
        outcome.subjob = Some(index);
        state.close_array_when_done(job);
    }
    state.stop_run_one(job);
    agenda.after_start(state, job);
}

impl Run {
    /// Makes the cycle again up to a step and listens to the simulations within that step. As long as a whole cycle
    /// up to there; none if the cycle never comes to that step.
    #[must_use]
    pub fn rehearse(&self, step: StepIx, focus: Focus) -> Option<Rehearsal> {
        let mut found = None;
        self.make_again(
            |at| (at == step).then_some(focus),
            |_, rehearsal| {
                found = Some(rehearsal);
                ControlFlow::Break(())
            },
        );
        found
    }

    /// Makes the cycle again, listens to everything after each job's turn in the main pass, and hands it over step by
    /// step until somebody has heard enough.
    pub fn rehearse_all(&self, hear: impl FnMut(StepIx, Rehearsal) -> ControlFlow<()>) {
        self.make_again(|_| Some(Focus::Everything), hear);
    }

    fn make_again(
        &self,
        focus: impl Fn(StepIx) -> Option<Focus>,
        mut hear: impl FnMut(StepIx, Rehearsal) -> ControlFlow<()>,
    ) {
        let (plan, setup) = (self.plan.clone(), self.setup.clone());
        let mut state = State::new(plan, setup.classes.count);
        let mut agenda = Agenda::new(&state, &setup);
        let mut cycle = Recorder::default();
        drop(confirm_all(&mut state, &setup));
        for step in self.steps.ids() {
            let Some(job) = agenda.next(&state) else { return };
            let mut rehearsal = focus(step).map(Rehearsal::of);
            cycle.step(&mut state, &setup, &mut agenda, job, rehearsal.as_mut());
            if rehearsal.is_some_and(|rehearsal| hear(step, rehearsal).is_break()) {
                return;
            }
        }
    }

    /// The agenda at the start of the cycle, which is where `start` has to stand; made once.
    #[must_use]
    pub fn first_agenda(&self, start: &State) -> &Agenda {
        self.agenda.get_or_init(|| Agenda::new(start, &self.setup))
    }

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

    /// Jobs that ran before the cycle and go on, in the order of the dump: nothing was decided about them.
    pub fn ran_before(&self) -> impl Iterator<Item = &Job> {
        let runs = |job: &Job| matches!(job.state, JobState::Running | JobState::Exiting);
        let jobs = self.plan.snap.jobs.enumerate().filter(move |(_, job)| runs(job));
        jobs.filter(|(id, _)| !self.step_of.contains_key(id)).map(|(_, job)| job)
    }

    /// All outcomes: considered jobs in order, then the others in the order of the dump.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.steps.iter().map(|step| &step.outcome).chain(&self.others)
    }
}

/// A confirmed reservation ends the cycle: no job is considered any more (rule 6.9).
fn end_early(plan: &Plan, standing: &mut Column<JobId, Standing>, confirmed: ResvId) {
    let name = &plan.snap.reservations[confirmed].name;
    for job in plan.snap.jobs.ids().filter(|job| standing[*job] == Standing::Considered).collect::<Vec<_>>() {
        let why = format!("the cycle ended: reservation {name} was confirmed");
        standing[job] = Standing::Out(None, why);
    }
}

/// Jobs that were to be considered until another job of their runone dependency started (rule 6.2).
fn take_out_rivals(state: &State, steps: &FxHashMap<JobId, StepIx>, standing: &mut Column<JobId, Standing>) {
    for (job, status) in state.ledger.jobs.enumerate() {
        let waits = standing[job] == Standing::Considered && !steps.contains_key(&job);
        if waits && matches!(status, JobStatus::Out) {
            let why = "another job of its runone dependency started".to_owned();
            standing[job] = Standing::Out(None, why);
        }
    }
}

/// Subjobs that the dump lists and the cycle started by way of their array: what became of them is that
/// step (rule 6.12).
fn find_listed_subjobs(
    plan: &Plan,
    steps: &Column<StepIx, Step>,
    step_of: &mut FxHashMap<JobId, StepIx>,
    standing: &mut Column<JobId, Standing>,
) {
    let started: FxHashMap<String, StepIx> = steps
        .enumerate()
        .filter(|(_, step)| step.outcome.subjob.is_some())
        .map(|(ix, step)| (step.outcome.name(&plan.snap), ix))
        .collect();
    if started.is_empty() {
        return;
    }
    for (job, listed) in plan.snap.jobs.enumerate().filter(|(_, job)| job.is_subjob()) {
        if let Some(step) = started.get(&*listed.name) {
            step_of.insert(job, *step);
            standing[job] = Standing::Considered;
        }
    }
}

/// Jobs that the cycle does not consider, running ones left out.
fn not_considered(plan: &Plan, standing: &Column<JobId, Standing>) -> Vec<Outcome> {
    let out = |id| match &standing[id] {
        Standing::Out(rejection, _) => Some(Outcome::turned_away_at_query(id, rejection.clone())),
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
        return Some(Witness { quirk, job: outcome.job, what, doubled: Vec::new() });
    }
    // Only buckets give a node away twice; a reservation's jobs find its nodes taken by it, as they should.
    let by_buckets = outcome.path == Some(Path::Bucket) && !outcome.by_preemption;
    if !by_buckets || plan.reservation_of(outcome.job).is_some() {
        return None;
    }
    let taken = |bit: &Bit| !state.floor.open.contains(*bit);
    let doubled: Vec<Bit> = placed.allocation.nodes().into_iter().filter(taken).collect();
    let first = *doubled.first()?;
    let quirk = if outcome.tries.is_empty() {
        crate::universe::Quirk::StaleBucketIndex
    } else {
        crate::universe::Quirk::LastSetOnly
    };
    let what = format!("{} was given to it although it was not free", plan.node_name(first));
    Some(Witness { quirk, job: outcome.job, what, doubled })
}

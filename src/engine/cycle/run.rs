//! One whole cycle, and the record of it.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Column, Job, JobId, ResvId, Snapshot};
use crate::universe::{Occupant, Plan, Start, State};

use super::confirm::{Confirmation, Examination, confirm_all, examine_again};
use super::{
    Agenda, DoubleBooking, Eligibility, Focus, Impossible, Outcome, Rehearsal, ServerAction, Setup, Step,
    StepIx, Witness,
};

mod landed;
mod no_step;
mod recorder;
mod shares;
mod start;

pub use start::{CycleStart, Universe, run_cycle};

use recorder::Recorder;

/// A finished cycle: what became of every job, and the journal that leads from any step to any other.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was derived once.
    pub plan: Arc<Plan>,
    /// What was fixed before the first job.
    pub setup: Arc<Setup>,
    /// How every job stood at the start.
    pub standing: Column<JobId, Eligibility>,
    /// Reservations that waited to be confirmed, in the order tried.
    pub confirmations: Vec<Confirmation>,
    /// Jobs considered, in order.
    pub steps: Column<StepIx, Step>,
    /// How many jobs the steps consider, as their places count them: an array has one place for all its subjobs, and a job
    /// that comes up again keeps its own.
    pub considered: usize,
    /// Jobs not considered.
    pub others: Vec<Outcome>,
    /// The state after the last step, with the whole journal.
    pub end: State,
    start: Arc<Start>,
    /// What was sent to the server besides starting jobs, in order.
    pub actions: Vec<ServerAction>,
    /// Quirks that changed an outcome.
    pub witnesses: Vec<Witness>,
    /// What the cluster uses and the model does not know.
    pub warnings: Vec<String>,
    /// What makes `fairshare_usage_res` count nothing, where fair share counts; among the warnings too.
    pub usage_fault: Option<String>,
    step_of: Column<JobId, Option<StepIx>>,
    /// The last step of the jobs that came up more than once.
    last_step_of: FxHashMap<JobId, StepIx>,
    agenda: OnceLock<Agenda>,
    pub(super) impossible: OnceLock<Impossible>,
    pub(super) double_bookings: OnceLock<Vec<DoubleBooking>>,
    /// The jobs and subjobs whose starts the server refuses.
    pub(super) refused: OnceLock<FxHashSet<Occupant>>,
    /// The end as the server has it, where that is another.
    pub(super) at_server: OnceLock<Box<State>>,
}

impl Run {
    /// Whether the end as the server has it is held as a state of its own, since some start was refused and it was asked for.
    pub fn holds_end_at_server(&self) -> bool {
        self.at_server.get().is_some()
    }

    /// Why a job was not considered, in words; none for one that was, and for one that runs.
    pub fn excluded(&self, job: JobId) -> Option<String> {
        match self.standing[job] {
            Eligibility::Out(excluded) => Some(excluded.words(&self.plan, job)),
            _ => None,
        }
    }

    /// What was derived before the cycle, for the snapshot after this one.
    pub fn universe(&self) -> Universe {
        let prime = self.setup.windows.prime.clone();
        Universe { plan: self.plan.clone(), start: self.start.clone(), prime }
    }

    /// The cycle over another version of the cluster, under the same quirks and allocation policies.
    pub fn over(&self, snap: Arc<Snapshot>) -> Self {
        self.universe().cycle_over(snap)
    }

    /// Makes the cycle again up to a step and records the simulations within that step. As long as a whole cycle
    /// up to there; none if the cycle never comes to that step.
    pub fn rehearse(&self, step: StepIx, focus: Focus) -> Option<Rehearsal> {
        let mut found = None;
        self.make_again(
            |at| (at == step).then_some(focus),
            |_, rehearsal| {
                found = Some(rehearsal);
                ControlFlow::Break(())
            },
            |_, _, _, _| ControlFlow::Continue(()),
        );
        found
    }

    /// Makes the cycle again, records everything after each job's turn in the main pass, and hands it over step by
    /// step until the receiver breaks.
    pub fn rehearse_all(&self, record: impl FnMut(StepIx, Rehearsal) -> ControlFlow<()>) {
        self.make_again(|_| Some(Focus::Everything), record, |_, _, _, _| ControlFlow::Continue(()));
    }

    /// How a reservation that waited to be confirmed was examined, recorded; none for any other.
    pub fn examination(&self, reservation: ResvId) -> Option<Examination> {
        let state = State::starting(self.plan.clone(), &self.start, self.setup.classes.count);
        examine_again(state, &self.setup, reservation)
    }

    /// Makes the cycle again and hands over every pick, with the agenda and the state right after it and before the job
    /// is considered, until the receiver breaks.
    pub fn picks(&self, picked: impl FnMut(StepIx, JobId, &Agenda, &State) -> ControlFlow<()>) {
        self.make_again(|_| None, |_, _| ControlFlow::Continue(()), picked);
    }

    fn make_again(
        &self,
        focus: impl Fn(StepIx) -> Option<Focus>,
        mut record: impl FnMut(StepIx, Rehearsal) -> ControlFlow<()>,
        mut picked: impl FnMut(StepIx, JobId, &Agenda, &State) -> ControlFlow<()>,
    ) {
        let (plan, setup) = (self.plan.clone(), self.setup.clone());
        let mut state = State::starting(plan, &self.start, setup.classes.count);
        let mut agenda = Agenda::new(&state, &setup);
        let mut cycle = Recorder::starting(&self.plan);
        drop(confirm_all(&mut state, &setup));
        for step in self.steps.ids() {
            let Some(job) = agenda.next(&state) else { return };
            if picked(step, job, &agenda, &state).is_break() {
                return;
            }
            let mut rehearsal = focus(step).map(Rehearsal::of);
            cycle.step(&mut state, &setup, &mut agenda, job, rehearsal.as_mut());
            if rehearsal.is_some_and(|rehearsal| record(step, rehearsal).is_break()) {
                return;
            }
        }
    }

    /// The agenda at the start of the cycle, which is where `start` has to stand; made once.
    pub fn first_agenda(&self, start: &State) -> &Agenda {
        self.agenda.get_or_init(|| Agenda::new(start, &self.setup))
    }

    /// The step that considered a job first: arrays come up again after each subjob that starts, and jobs that this cycle
    /// started may be preempted and come up again.
    pub fn step_of(&self, job: JobId) -> Option<StepIx> {
        self.step_of.checked(job).copied().flatten()
    }

    /// The step that considered a job last.
    pub fn last_step_of(&self, job: JobId) -> Option<StepIx> {
        self.last_step_of.get(&job).copied().or_else(|| self.step_of(job))
    }

    /// What became of a job when it was considered first, or why it was not.
    pub fn outcome(&self, job: JobId) -> Option<&Outcome> {
        match self.step_of(job) {
            Some(step) => Some(&self.steps[step].outcome),
            None => self.others.iter().find(|outcome| outcome.job == job),
        }
    }

    /// Jobs that ran before the cycle and go on, in the order of the dump: nothing was decided about them.
    pub fn ran_before(&self) -> impl Iterator<Item = &Job> {
        self.plan.snap.jobs.enumerate().filter(|(id, _)| self.runs_before(*id)).map(|(_, job)| job)
    }

    /// Whether a job ran already when the cycle began.
    pub fn runs_before(&self, job: JobId) -> bool {
        let runs = |job: &Job| job.state.has_nodes();
        self.plan.snap.jobs.checked(job).is_some_and(runs) && self.step_of(job).is_none()
    }

    /// How many jobs wait that are not considered; subjobs for which their array stands count with it.
    pub fn not_considered(&self) -> usize {
        self.others.len() - self.subjobs_stood_for()
    }

    /// How many subjobs are not considered by themselves, since their array stands for them.
    pub fn subjobs_stood_for(&self) -> usize {
        self.others.iter().filter(|outcome| self.plan.job(outcome.job).is_stood_for()).count()
    }

    /// All outcomes: considered jobs in order, then the others in the order of the dump.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.steps.iter().map(|step| &step.outcome).chain(&self.others)
    }
}

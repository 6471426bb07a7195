//! One complete cycle and its record.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Column, Job, JobId, ResvId, Snapshot};
use crate::universe::{Bit, Occupant, Plan, State, StateAtStart};

use super::confirm::{Confirmation, ConfirmationTrace, confirm_all, examine_again};
use super::{
    Agenda, DoubleBooking, Eligibility, ImpossibleJobs, Outcome, QuirkOccurrence, ServerAction, Setup,
    SimulationFocus, SimulationRecord, Step, StepIx,
};

mod landing_set;
mod no_step;
mod recorder;
mod shares;
mod start;
mod witnesses;

pub use start::{CycleStart, Universe, run_cycle};

use recorder::RunRecorder;

/// A finished cycle: the outcome of every job, and the journal that leads from any step to any other.
#[derive(Clone, Debug)]
pub struct Run {
    /// The derived data of the snapshot.
    pub plan: Arc<Plan>,
    /// Everything fixed before the first job.
    pub setup: Arc<Setup>,
    /// Eligibility of every job at the start.
    pub eligibility: Column<JobId, Eligibility>,
    /// Results for the reservations that waited to be confirmed, in the order tried.
    pub confirmations: Vec<Confirmation>,
    /// The steps, in order; each considers one job.
    pub steps: Column<StepIx, Step>,
    /// Number of jobs considered, as their order numbers count them: an array counts once for all its subjobs, and a
    /// job considered again keeps its number.
    pub considered: usize,
    /// Jobs not considered.
    pub not_considered: Vec<Outcome>,
    /// The state after the last step, with the whole journal.
    pub end: State,
    start: Arc<StateAtStart>,
    /// Requests sent to the server other than starting jobs, in order.
    pub actions: Vec<ServerAction>,
    /// Quirks that changed an outcome.
    pub witnesses: Vec<QuirkOccurrence>,
    /// The nodes of a start that another job has exclusively in the cycle's books, by step.
    pub(super) held_nodes: FxHashMap<StepIx, Vec<Bit>>,
    /// Features that the cluster uses and the model does not cover.
    pub warnings: Vec<String>,
    /// Why `fairshare_usage_res` counts 0, if fair share is on; also among the warnings.
    pub usage_fault: Option<String>,
    step_of: Column<JobId, Option<StepIx>>,
    /// The last step of jobs considered more than once.
    last_step_of: FxHashMap<JobId, StepIx>,
    agenda: OnceLock<Agenda>,
    pub(super) impossible: OnceLock<ImpossibleJobs>,
    pub(super) double_bookings: OnceLock<Vec<DoubleBooking>>,
    /// The jobs and subjobs whose starts the server refuses.
    pub(super) refused: OnceLock<FxHashSet<Occupant>>,
    /// The end state as the server has it, if it differs from `end`.
    pub(super) at_server: OnceLock<Box<State>>,
}

impl Run {
    /// Whether the server's end state is held separately, because some start was refused and it was requested.
    pub fn holds_end_at_server(&self) -> bool {
        self.at_server.get().is_some()
    }

    /// Returns why a job was not considered, in words; `None` for considered and running jobs.
    pub fn excluded(&self, job: JobId) -> Option<String> {
        match self.eligibility[job] {
            Eligibility::Excluded(excluded) => Some(excluded.words(&self.plan, job)),
            _ => None,
        }
    }

    /// Returns the data derived before the cycle, for use with the next snapshot.
    pub fn universe(&self) -> Universe {
        let prime = self.setup.windows.prime.clone();
        Universe { plan: self.plan.clone(), start: self.start.clone(), prime }
    }

    /// Runs the cycle on another version of the cluster, with the same quirks and allocation policies.
    pub fn over(&self, snap: Arc<Snapshot>) -> Self {
        self.universe().run_cycle_on(snap)
    }

    /// Repeats the cycle up to a step and records the simulations within that step. Takes as long as the whole cycle
    /// up to there. Returns `None` if the cycle never reaches that step.
    pub fn rehearse(&self, step: StepIx, focus: SimulationFocus) -> Option<SimulationRecord> {
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

    /// Repeats the cycle, records everything after each job's turn in the main pass, and passes it on step by step
    /// until `record` breaks.
    pub fn rehearse_all(&self, record: impl FnMut(StepIx, SimulationRecord) -> ControlFlow<()>) {
        self.make_again(
            |_| Some(SimulationFocus::Everything),
            record,
            |_, _, _, _| ControlFlow::Continue(()),
        );
    }

    /// Returns the recorded examination of a reservation that waited to be confirmed; `None` for any other.
    pub fn examination(&self, reservation: ResvId) -> Option<ConfirmationTrace> {
        let state = State::starting(self.plan.clone(), &self.start, self.setup.classes.count);
        examine_again(state, &self.setup, reservation)
    }

    /// Repeats the cycle and passes on every pick, with the agenda and the state right after it and before the job is
    /// considered, until `picked` breaks.
    pub fn picks(&self, picked: impl FnMut(StepIx, JobId, &Agenda, &State) -> ControlFlow<()>) {
        self.make_again(|_| None, |_, _| ControlFlow::Continue(()), picked);
    }

    fn make_again(
        &self,
        focus: impl Fn(StepIx) -> Option<SimulationFocus>,
        mut record: impl FnMut(StepIx, SimulationRecord) -> ControlFlow<()>,
        mut picked: impl FnMut(StepIx, JobId, &Agenda, &State) -> ControlFlow<()>,
    ) {
        let (plan, setup) = (self.plan.clone(), self.setup.clone());
        let mut state = State::starting(plan, &self.start, setup.classes.count);
        let mut agenda = Agenda::new(&state, &setup.settings);
        let mut cycle = RunRecorder::starting(&self.plan, &setup);
        drop(confirm_all(&mut state, &setup));
        for step in self.steps.ids() {
            let Some(job) = agenda.next(&state) else { return };
            if picked(step, job, &agenda, &state).is_break() {
                return;
            }
            let mut rehearsal = focus(step).map(SimulationRecord::of);
            cycle.step(&mut state, &setup, &mut agenda, job, rehearsal.as_mut());
            if rehearsal.is_some_and(|rehearsal| record(step, rehearsal).is_break()) {
                return;
            }
        }
    }

    /// Returns the agenda at the start of the cycle, computed once; `start` must be the state at that point.
    pub fn first_agenda(&self, start: &State) -> &Agenda {
        self.agenda.get_or_init(|| Agenda::new(start, &self.setup.settings))
    }

    /// Returns the step that first considered a job. Arrays are considered again after each started subjob, and jobs
    /// started in this cycle may be preempted and considered again.
    pub fn step_of(&self, job: JobId) -> Option<StepIx> {
        self.step_of.checked(job).copied().flatten()
    }

    /// Returns the step that last considered a job.
    pub fn last_step_of(&self, job: JobId) -> Option<StepIx> {
        self.last_step_of.get(&job).copied().or_else(|| self.step_of(job))
    }

    /// Returns the outcome of a job when it was first considered, or the reason why it was not.
    pub fn outcome(&self, job: JobId) -> Option<&Outcome> {
        match self.step_of(job) {
            Some(step) => Some(&self.steps[step].outcome),
            None => self.not_considered.iter().find(|outcome| outcome.job == job),
        }
    }

    /// Returns the jobs that were running before the cycle and continue, in the order of the dump; nothing was
    /// decided about them.
    pub fn continuing_jobs(&self) -> impl Iterator<Item = &Job> {
        self.plan.snap.jobs.enumerate().filter(|(id, _)| self.runs_before(*id)).map(|(_, job)| job)
    }

    /// Whether a job was already running when the cycle began.
    pub fn runs_before(&self, job: JobId) -> bool {
        let runs = |job: &Job| job.state.has_nodes();
        self.plan.snap.jobs.checked(job).is_some_and(runs) && self.step_of(job).is_none()
    }

    /// Number of waiting jobs that are not considered; subjobs represented by their array are counted with it.
    pub fn not_considered(&self) -> usize {
        self.not_considered.len() - self.represented_subjobs()
    }

    /// Number of subjobs that are not considered themselves because their array represents them.
    pub fn represented_subjobs(&self) -> usize {
        self.not_considered
            .iter()
            .filter(|outcome| self.plan.job(outcome.job).is_represented_by_array())
            .count()
    }

    /// Returns all outcomes: considered jobs in order, then the others in the order of the dump.
    pub fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.steps.iter().map(|step| &step.outcome).chain(&self.not_considered)
    }
}

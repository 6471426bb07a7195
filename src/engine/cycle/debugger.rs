//! Stepping through a finished cycle, forward and back.

use std::sync::Arc;

use crate::cluster::Id;
use crate::placement::{PathChoice, PlacementPath, Probe, ProbeEvent};
use crate::universe::{JournalPosition, State};

use super::{Consideration, ConsiderationMode, Outcome, Run, Setup, Step, StepIx, consider};

/// A job considered again: its outcome and the recorded events.
#[derive(Clone, Debug)]
pub struct OutcomeTrace {
    pub outcome: Outcome,
    /// Recorded events, in order.
    pub events: Vec<ProbeEvent>,
}

/// A replica of the state, positioned after some number of considered jobs.
#[derive(Clone, Debug)]
pub struct Debugger {
    run: Arc<Run>,
    state: State,
    done: usize,
}

impl Debugger {
    /// Creates a debugger positioned before the first step.
    pub fn new(run: Arc<Run>) -> Self {
        let mut debugger = Self { state: run.end.clone(), done: run.steps.len(), run };
        debugger.seek(0);
        debugger
    }

    /// The cycle being debugged.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The state at the current position.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Copies the state at the current position without its journal, which is by far the largest part.
    pub fn snapshot_state(&self) -> State {
        self.state.without_journal()
    }

    /// Number of jobs considered so far.
    pub fn position(&self) -> usize {
        self.done
    }

    /// Number of steps in the cycle.
    pub fn len(&self) -> usize {
        self.run.steps.len()
    }

    /// Whether the cycle considers no job at all.
    pub fn is_empty(&self) -> bool {
        self.run.steps.is_empty()
    }

    /// The next step.
    pub fn next_step(&self) -> Option<&Step> {
        self.run.steps.checked(StepIx::at(self.done))
    }

    /// The last step made.
    pub fn last_step(&self) -> Option<&Step> {
        self.run.steps.checked(StepIx::at(self.done.checked_sub(1)?))
    }

    /// Moves to the position after `done` considered jobs, or to the end.
    pub fn seek(&mut self, done: usize) {
        self.done = done.min(self.run.steps.len());
        let mark = match self.last_step() {
            Some(step) => step.after,
            // The very start, before reservations are confirmed.
            None => JournalPosition::default(),
        };
        self.state.seek(mark);
    }

    /// Considers the job of the next step and returns its outcome and events. The state is left unchanged.
    pub fn explain_next(&mut self) -> Option<OutcomeTrace> {
        self.record_next(Probe::on())
    }

    /// Like [`explain_next`](Self::explain_next), but examines every host, as the scheduler's log names them.
    pub fn log_next(&mut self) -> Option<OutcomeTrace> {
        self.record_next(Probe::for_log())
    }

    fn record_next(&mut self, mut probe: Probe) -> Option<OutcomeTrace> {
        let step = self.next_step()?;
        let (job, mode) = (step.outcome.job, ConsiderationMode::of(step.resumes));
        let outcome = self.with_rollback(|state, setup| consider(state, setup, job, mode, &mut probe));
        Some(OutcomeTrace { outcome, events: probe.events })
    }

    /// Like [`explain_next`](Self::explain_next), but also returns the state in which the job was considered,
    /// including the sets created for it alone.
    pub fn consideration_next(&mut self) -> Option<Consideration> {
        let step = self.next_step()?;
        let (job, mode) = (step.outcome.job, ConsiderationMode::of(step.resumes));
        let mut state = self.snapshot_state();
        let mut probe = Probe::on();
        let outcome = consider(&mut state, &self.run.setup, job, mode, &mut probe);
        state.forget_journal();
        Some(Consideration { outcome, events: probe.events, state })
    }

    /// Runs `work` on the state and undoes its changes.
    pub fn with_rollback<T>(&mut self, work: impl FnOnce(&mut State, &Setup) -> T) -> T {
        self.state.with_rollback(|state| work(state, &self.run.setup))
    }

    /// Considers the job of the next step by its own path and by the other one, skipping the checks before any path,
    /// so that the two searches can be compared.
    pub fn both_paths(&mut self) -> Option<[Outcome; 2]> {
        let outcome = &self.next_step()?.outcome;
        let (job, own) = (outcome.job, outcome.would_use?);
        let other = match own.path {
            PlacementPath::Bucket => PathChoice { path: PlacementPath::Node, rule: own.rule },
            PlacementPath::Node => PathChoice { path: PlacementPath::Bucket, rule: own.rule },
        };
        let by = |choice| {
            let mode = ConsiderationMode::Simulated(choice);
            self.with_rollback(|state, setup| consider(state, setup, job, mode, &mut Probe::on()))
        };
        Some([own, other].map(by))
    }
}

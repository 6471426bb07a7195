//! Stepping through a finished cycle, forward and back.

use std::sync::Arc;

use crate::cluster::Id;
use crate::placement::{Event, Path, PathChoice, Probe};
use crate::universe::{Mark, State};

use super::{Consideration, Mode, Outcome, Run, Setup, Step, StepIx, consider};

/// A job considered again: what came of it, and what was recorded.
#[derive(Clone, Debug)]
pub struct Considered {
    /// What came of the job.
    pub outcome: Outcome,
    /// What was recorded, in order.
    pub events: Vec<Event>,
}

/// A replica of the state and a position: so many jobs have been considered.
#[derive(Clone, Debug)]
pub struct Debugger {
    run: Arc<Run>,
    state: State,
    done: usize,
}

impl Debugger {
    /// A debugger before the first step.
    pub fn new(run: Arc<Run>) -> Self {
        let mut debugger = Self { state: run.end.clone(), done: run.steps.len(), run };
        debugger.seek(0);
        debugger
    }

    /// The cycle.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The universe at the position.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A copy of the universe at the position, without its journal, which is by far the largest part.
    pub fn snapshot_state(&self) -> State {
        self.state.without_journal()
    }

    /// How many jobs have been considered.
    pub fn position(&self) -> usize {
        self.done
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.run.steps.len()
    }

    /// Whether the cycle considers no job at all.
    pub fn is_empty(&self) -> bool {
        self.run.steps.is_empty()
    }

    /// The step that comes next.
    pub fn next_step(&self) -> Option<&Step> {
        self.run.steps.checked(StepIx::at(self.done))
    }

    /// The step that was made last.
    pub fn last_step(&self) -> Option<&Step> {
        self.run.steps.checked(StepIx::at(self.done.checked_sub(1)?))
    }

    /// Goes to where so many jobs have been considered, or to the end.
    pub fn seek(&mut self, done: usize) {
        self.done = done.min(self.run.steps.len());
        let mark = match self.last_step() {
            Some(step) => step.after,
            // The very start, before reservations were confirmed too.
            None => Mark::default(),
        };
        self.state.seek(mark);
    }

    /// Considers the job of the step that comes next and returns everything that happened; the state is left as it
    /// was.
    pub fn explain_next(&mut self) -> Option<Considered> {
        self.record_next(Probe::on())
    }

    /// The same with every host examined, as the scheduler's log names them.
    pub fn log_next(&mut self) -> Option<Considered> {
        self.record_next(Probe::for_log())
    }

    fn record_next(&mut self, mut probe: Probe) -> Option<Considered> {
        let step = self.next_step()?;
        let (job, mode) = (step.outcome.job, Mode::of(step.resumes));
        let outcome = self.aside(|state, setup| consider(state, setup, job, mode, &mut probe));
        Some(Considered { outcome, events: probe.events })
    }

    /// The same with a copy of the universe as the job found it, with the sets that were made for it alone.
    pub fn consideration_next(&mut self) -> Option<Consideration> {
        let step = self.next_step()?;
        let (job, mode) = (step.outcome.job, Mode::of(step.resumes));
        let mut state = self.snapshot_state();
        let mut probe = Probe::on();
        let outcome = consider(&mut state, &self.run.setup, job, mode, &mut probe);
        state.forget_journal();
        Some(Consideration { outcome, events: probe.events, state })
    }

    /// Does something to the state and undoes it.
    pub fn aside<T>(&mut self, work: impl FnOnce(&mut State, &Setup) -> T) -> T {
        self.state.aside(|state| work(state, &self.run.setup))
    }

    /// What the other path would do with the job of the step that comes next: it is considered by the path
    /// that it would not use, past the checks that come before any path. Before it the same by its own path, so that
    /// what the two examined can be held side by side.
    pub fn both_paths(&mut self) -> Option<[Outcome; 2]> {
        let outcome = &self.next_step()?.outcome;
        let (job, own) = (outcome.job, outcome.would_use?);
        let other = match own.path {
            Path::Bucket => PathChoice { path: Path::Node, rule: own.rule },
            Path::Node => PathChoice { path: Path::Bucket, rule: own.rule },
        };
        let by = |choice| {
            let mode = Mode::Simulated(choice);
            self.aside(|state, setup| consider(state, setup, job, mode, &mut Probe::on()))
        };
        Some([own, other].map(by))
    }
}

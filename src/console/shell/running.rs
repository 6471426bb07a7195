//! Run to: the next job that waits, that takes the node path, or that meets a condition, forward and back.

use super::{Screen, Shell};
use crate::action::Action;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::{Outcome, StepIx, Verdict};
use qscope_engine::placement::Path;
use qscope_session::query::{Query, QueryError};
use qscope_session::records::{JobRecord, job_fields};

impl Shell {
    /// Runs to the next or last step that an action means, so often.
    pub(super) fn run_to(&mut self, action: Action, times: usize) {
        let waits = |outcome: &Outcome| matches!(outcome.verdict, Verdict::NotNow | Verdict::Never);
        let by_node = |outcome: &Outcome| outcome.path == Some(Path::Node);
        match action {
            Action::NextWaiting => self.run_until(true, times, "no job that waits", waits),
            Action::PreviousWaiting => self.run_until(false, times, "no job that waits", waits),
            Action::NextNodePath => self.run_until(true, times, "no job on the node path", by_node),
            Action::PreviousNodePath => self.run_until(false, times, "no job on the node path", by_node),
            _ => self.run_to_condition(action == Action::Continue, times),
        }
    }

    fn run_to_condition(&mut self, forward: bool, times: usize) {
        let Some(screen) = &self.screen else { return };
        if self.condition.is_empty() {
            self.set_status("no condition to run to; B sets one");
            return;
        }
        let (run, condition) = (screen.generation.run.clone(), self.condition.clone());
        let none = format!("no step that fits {}", condition.text());
        self.run_until(forward, times, &none, |outcome| condition.fits(&JobRecord::of(&run, outcome)));
    }

    fn run_until(&mut self, forward: bool, times: usize, none: &str, fits: impl Fn(&Outcome) -> bool) {
        let Some(screen) = &self.screen else { return };
        let (at, len) = (screen.debugger.position(), screen.debugger.len());
        let fits = |done: &usize| {
            let step = done.checked_sub(1).and_then(|last| screen.run().steps.checked(StepIx::at(last)));
            step.is_some_and(|step| fits(&step.outcome))
        };
        let found: Vec<usize> = match forward {
            true => (at + 1..=len).filter(fits).take(times).collect(),
            false => (1..at).rev().filter(fits).take(times).collect(),
        };
        match found.last() {
            Some(to) => self.go_to(*to),
            None => {
                self.set_status(format!("{none} {}", if forward { "from here on" } else { "before this" }));
            }
        }
    }

    /// Reads what is typed as a condition, so that a mistake shows while one types.
    pub(super) fn read_condition(&mut self) -> Result<Query, QueryError> {
        let Some(screen) = &self.screen else { return Ok(Query::default()) };
        Query::parse(self.condition_prompt.text(), &job_fields(&screen.generation.snapshot.catalogue))
    }

    /// Takes the condition that is typed, and runs to the first step that meets it.
    pub(super) fn accept_condition(&mut self) {
        let Ok(condition) = self.read_condition() else { return };
        self.condition = condition;
        self.typing = false;
        self.prompt_kind = super::PromptKind::Filter;
        if self.condition.is_empty() {
            self.set_status("no condition any more");
            return;
        }
        self.run_to_condition(true, 1);
        let Some(screen) = &self.screen else { return };
        let steps = screen.stops(&self.condition).len();
        if self.status.is_empty() {
            self.set_status(format!("{steps} steps fit; c goes on, C goes back"));
        }
    }
}

impl Screen {
    /// The steps that meet a condition.
    pub(crate) fn stops(&self, condition: &Query) -> Vec<StepIx> {
        let fits =
            |step: &StepIx| condition.fits(&JobRecord::of(self.run(), &self.run().steps[*step].outcome));
        if condition.is_empty() { Vec::new() } else { self.run().steps.ids().filter(fits).collect() }
    }
}

//! Running to the next waiting job or breakpoint, forward and back.

use super::{Screen, Shell};
use crate::action::Action;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::{Outcome, StepIx, Verdict};

impl Shell {
    /// Runs to the `times`-th next or previous step that an action stands for.
    pub(super) fn run_to(&mut self, action: Action, times: usize) {
        let Some(screen) = &self.screen else { return };
        // By the verdicts shown, so that starts refused by the server count as waiting.
        let run = screen.run();
        let waits = |outcome: &Outcome| matches!(run.verdict(outcome), Verdict::NotNow | Verdict::Never);
        let forward = matches!(action, Action::NextWaiting | Action::Continue);
        match action {
            Action::NextWaiting | Action::PreviousWaiting => {
                let steps = screen.steps_of(waits);
                self.run_along(&steps, forward, times, "no waiting job");
            }
            _ if self.breakpoints.stops().is_empty() => {
                self.set_status(match self.breakpoints.list.is_empty() {
                    true => "no breakpoint; B adds one",
                    false => "no step meets a breakpoint that is on; B lists them",
                });
            }
            _ => {
                let steps = self.breakpoints.stops().to_vec();
                self.run_along(&steps, forward, times, "no breakpoint");
            }
        }
    }

    fn run_along(&mut self, steps: &[usize], forward: bool, times: usize, none: &str) {
        let Some(screen) = &self.screen else { return };
        let at = screen.debugger.position();
        let found = match forward {
            true => steps.iter().copied().filter(|step| *step > at).take(times).last(),
            false => steps.iter().rev().copied().filter(|step| *step < at).take(times).last(),
        };
        match found {
            Some(to) => {
                self.go_to(to);
                if let Some(text) = self.breakpoints.at(to) {
                    let text = format!("breakpoint {text}");
                    self.set_status(text);
                }
            }
            None => {
                self.set_status(format!("{none} {}", if forward { "from here on" } else { "before this" }));
            }
        }
    }
}

impl Screen {
    /// The numbers of the steps whose outcome fits, from 1.
    fn steps_of(&self, fits: impl Fn(&Outcome) -> bool) -> Vec<usize> {
        let steps = self.run().steps.enumerate();
        let fitting = steps.filter(|(_, step)| fits(&step.outcome));
        fitting.map(|(at, _): (StepIx, _)| at.ix() + 1).collect()
    }
}

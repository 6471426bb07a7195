//! Stepping through the cycle, forward and back. Every step freezes the snapshot.

use std::iter;

use super::Shell;
use crate::action::Action;
use crate::screen::{CycleRow, Screen};
use crate::views::ViewName;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::StepIx;

impl Shell {
    pub(super) fn step(&mut self, action: Action) {
        self.select_chosen();
        let Some(screen) = &self.screen else { return };
        let (at, len) = (screen.debugger.position(), screen.debugger.len());
        if len == 0 {
            self.set_status("the cycle considers no job; r reads the files again");
            return;
        }
        let to = match action {
            Action::StepForward if at == len => {
                return self.set_status("the cycle ends here; , steps back, 0 goes to its start");
            }
            Action::StepBack | Action::FirstStep if at == 0 => {
                return self.set_status("the cycle starts here; . steps");
            }
            Action::LastStep if at == len => return self.set_status("the cycle ends here"),
            Action::StepForward => next_step(screen),
            Action::StepBack => at - 1,
            Action::FirstStep => 0,
            _ => len,
        };
        self.go_to(to);
    }

    /// Whether the cycle view is shown without the effects of the selected job's step, which are still to be computed.
    pub(super) fn is_to_examine(&self) -> bool {
        self.view() == ViewName::Cycle && self.screen.as_ref().is_some_and(Screen::is_to_examine)
    }

    /// Computes these effects; returns whether there is something new to show.
    pub(super) fn examine(&mut self) -> bool {
        let is_to_examine = self.is_to_examine();
        if is_to_examine && let Some(screen) = &mut self.screen {
            screen.examine();
        }
        is_to_examine
    }

    /// Makes up to `times` steps.
    pub(super) fn step_times(&mut self, action: Action, times: usize) {
        self.select_chosen();
        let Some(screen) = &self.screen else { return };
        let (at, len) = (screen.debugger.position(), screen.debugger.len());
        let to = match action {
            Action::StepBack => at.saturating_sub(times),
            _ => next_step(screen).saturating_add(times.saturating_sub(1)).min(len),
        };
        if to == at { self.step(action) } else { self.go_to(to) }
    }

    /// Goes to the `times`-th next or previous job whose verdict differs from that of the job before it.
    pub(super) fn step_to_verdict(&mut self, action: Action, times: usize) {
        let Some(screen) = &self.screen else { return };
        let at = screen.debugger.position();
        let verdict = |done: usize| {
            let step = screen.run().steps.checked(StepIx::at(done.checked_sub(1)?))?;
            Some(screen.run().verdict(&step.outcome))
        };
        let differs = |from: usize| {
            let differs = |done: &usize| verdict(*done) != verdict(from);
            match action {
                Action::NextVerdict => (from + 1..=screen.debugger.len()).find(differs),
                _ => (1..from).rev().find(differs),
            }
        };
        let to = iter::successors(differs(at), |from| differs(*from)).take(times).last();
        match to {
            Some(to) => self.go_to(to),
            None => self.set_status("every job that way has the same verdict"),
        }
    }

    /// Moves the cycle to the position where `done` jobs have been considered, and selects the last of them.
    pub(super) fn go_to(&mut self, done: usize) {
        self.freeze_for_stepping();
        if self.screen.as_ref().is_some_and(|screen| screen.debugger.position().abs_diff(done) > 1) {
            self.remember();
        }
        if let Some(screen) = &mut self.screen {
            screen.go_to(done);
        }
        self.forget_chosen();
    }
}

/// The position after a step forward; at rest that is after the step of the selected job (console.md 2.4).
fn next_step(screen: &Screen) -> usize {
    match (screen.debugger.position(), screen.subject) {
        (0, Some(CycleRow::Step(step))) => step.ix() + 1,
        (at, _) => at + 1,
    }
}

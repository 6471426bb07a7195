//! Through the cycle, forward and back. Every step freezes the screen.

use std::iter;

use super::{Row, Shell, Shown};
use crate::action::Action;
use crate::layout::Pane;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::StepIx;

impl Shell {
    /// One step, or to one end.
    pub(super) fn step(&mut self, action: Action) {
        let Some(shown) = &self.shown else { return };
        let (at, len) = (shown.debugger.position(), shown.debugger.len());
        if len == 0 {
            self.say("the cycle considers no job; r reads the files again");
            return;
        }
        let to = match action {
            Action::StepForward if at == len => {
                return self.say("the cycle ends here; , steps back, 0 goes to its start");
            }
            Action::StepBack | Action::FirstStep if at == 0 => {
                return self.say("the cycle starts here; . steps");
            }
            Action::LastStep if at == len => return self.say("the cycle ends here"),
            Action::StepForward => at + 1,
            Action::StepBack => at - 1,
            Action::FirstStep => 0,
            _ => len,
        };
        self.go_to(to);
    }

    /// So many steps, as far as there are any.
    pub(super) fn step_times(&mut self, action: Action, times: usize) {
        let Some(shown) = &self.shown else { return };
        let (at, len) = (shown.debugger.position(), shown.debugger.len());
        let to = match action {
            Action::StepBack => at.saturating_sub(times),
            _ => at.saturating_add(times).min(len),
        };
        if to == at { self.step(action) } else { self.go_to(to) }
    }

    /// To the next job, or back to the last one, whose verdict is another than that of the job before it, so often.
    pub(super) fn step_to_verdict(&mut self, action: Action, times: usize) {
        let Some(shown) = &self.shown else { return };
        let at = shown.debugger.position();
        let verdict = |done: usize| {
            let step = shown.run().steps.checked(StepIx::at(done.checked_sub(1)?))?;
            Some(step.outcome.verdict)
        };
        let differs = |from: usize| {
            let differs = |done: &usize| verdict(*done) != verdict(from);
            match action {
                Action::NextVerdict => (from + 1..=shown.debugger.len()).find(differs),
                _ => (1..from).rev().find(differs),
            }
        };
        let to = iter::successors(differs(at), |from| differs(*from)).take(times).last();
        match to {
            Some(to) => self.go_to(to),
            None => self.say("every job that way has the same verdict"),
        }
    }

    /// The cycle to the job under the cursor; from the map, to the job that took the node.
    pub(super) fn select(&mut self) {
        let Some(shown) = &self.shown else { return };
        if self.focus == Pane::Map {
            return self.select_taker();
        }
        match shown.subject {
            Some(Row::Step(step)) => self.go_to(step.ix() + 1),
            Some(_) => self.say("this job was not considered, so the cycle has no step for it"),
            None => self.say("no job to go to"),
        }
    }

    fn select_taker(&mut self) {
        let Some(shown) = &self.shown else { return };
        let Some(bit) = shown.node() else { return self.say("no node under the cursor") };
        let takes = |step: &StepIx| {
            let outcome = &shown.run().steps[*step].outcome;
            outcome.placed.as_ref().is_some_and(|p| p.allocation.pieces.iter().any(|piece| piece.bit == bit))
        };
        let name = shown.run().plan.node_name(bit).clone();
        // The next one that takes it, going round, so that Enter goes through them all.
        let here = shown.debugger.position();
        let steps = || shown.run().steps.ids();
        let found = steps().skip(here).chain(steps().take(here)).find(takes);
        match found {
            Some(step) => self.go_to(step.ix() + 1),
            None => self.say(format!("no job of this cycle takes {name}")),
        }
    }

    /// Takes the cycle to where so many jobs have been considered, and looks at the last of them.
    pub(super) fn go_to(&mut self, done: usize) {
        self.freeze_for_stepping();
        if self.shown.as_ref().is_some_and(|shown| shown.debugger.position().abs_diff(done) > 1) {
            self.remember();
        }
        let Some(shown) = &mut self.shown else { return };
        if !shown.go_to(done) {
            let name = shown.subject_name().unwrap_or_default();
            self.say(format!("the filter hides {name}; Esc takes it away"));
        }
    }
}

impl Shown {
    /// Takes the cycle to where so many jobs have been considered; false when the filter hides the last of them.
    fn go_to(&mut self, done: usize) -> bool {
        self.debugger.seek(done);
        let row = match done.checked_sub(1) {
            Some(last) => Some(Row::Step(StepIx::at(last))),
            None => self.run().steps.ids().next().map(Row::Step),
        };
        if let Some(row) = row {
            self.look_at(row);
        }
        self.show_subject()
    }
}

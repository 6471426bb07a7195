//! Playing: the cycle steps by itself, at a pace, until it ends or a step meets the condition.

use std::time::Duration;

use super::Shell;
use crate::action::Action;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::StepIx;
use qscope_session::records::JobRecord;

/// Steps by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Play {
    /// Whether it plays now.
    pub(crate) on: bool,
    pace: usize,
}

/// The paces: milliseconds from step to step, and the same in words.
const PACES: [(u64, &str); 7] = [
    (4000, "a step in 4 s"),
    (2000, "a step in 2 s"),
    (1000, "1 step/s"),
    (500, "2 steps/s"),
    (250, "4 steps/s"),
    (125, "8 steps/s"),
    (62, "16 steps/s"),
];

impl Default for Play {
    fn default() -> Self {
        Self { on: false, pace: 2 }
    }
}

impl Play {
    /// From step to step.
    pub(super) fn every(self) -> Duration {
        Duration::from_millis(PACES.get(self.pace).map_or(1000, |(every, _)| *every))
    }

    /// The pace in words.
    pub(crate) fn words(self) -> &'static str {
        PACES.get(self.pace).map_or("", |(_, words)| words)
    }

    fn pace_by(&mut self, by: isize) {
        self.pace = self.pace.saturating_add_signed(by).min(PACES.len() - 1);
    }
}

impl Shell {
    /// Plays or pauses, faster or slower.
    pub(super) fn play(&mut self, action: Action) {
        match action {
            Action::Faster => self.play.pace_by(1),
            Action::Slower => self.play.pace_by(-1),
            _ => self.play.on = !self.play.on,
        }
        let Some(screen) = &self.screen else { return };
        if self.play.on && screen.debugger.position() == screen.debugger.len() {
            self.play.on = false;
            return self.set_status("the cycle ends here; 0 goes to its start");
        }
        match (self.play.on, action) {
            (true, _) => {
                self.set_status(format!("playing, {}; Space pauses, + and - change it", self.play.words()));
            }
            (false, Action::Play) => self.set_status("paused"),
            (false, _) => self.set_status(format!("{}; Space plays", self.play.words())),
        }
    }

    /// Any key but those that only look stops the play; whether this one did.
    pub(super) fn stop_playing(&mut self, action: Action) -> bool {
        use Action as A;
        let looks = action.view().is_some()
            || matches!(
                action,
                A::Play
                    | A::Faster
                    | A::Slower
                    | A::NextPane
                    | A::PreviousPane
                    | A::ToggleMap
                    | A::NextTheme
                    | A::Redraw
            );
        let stops = self.play.on && !looks;
        self.play.on &= looks;
        stops
    }

    /// The time for a step has come.
    pub(super) fn play_on(&mut self) {
        let Some(screen) = &self.screen else { return };
        let (at, len) = (screen.debugger.position(), screen.debugger.len());
        if at >= len {
            self.play.on = false;
            return;
        }
        self.status.clear();
        self.go_to(at + 1);
        let Some(screen) = &self.screen else { return };
        let made = screen.run().steps.checked(StepIx::at(at));
        let stops = !self.condition.is_empty()
            && made.is_some_and(|step| self.condition.fits(&JobRecord::of(screen.run(), &step.outcome)));
        if stops {
            self.play.on = false;
            self.set_status(format!("paused: {}", self.condition.text()));
        } else if at + 1 == len {
            self.play.on = false;
            self.set_status("the cycle ends here; 0 goes to its start");
        }
    }
}

//! Playing: the cycle steps by itself until it ends or a step meets a breakpoint.

use std::time::Duration;

use super::Shell;
use crate::action::Action;
use crate::views::{MomentPurpose, Update, ViewName};
use qscope_session::TapeTarget;

/// Whether the cycle steps by itself, and how fast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlayState {
    pub(crate) on: bool,
    pace: PlaySpeed,
}

/// Milliseconds per step, and steps per second as text.
type PlaySpeed = (u64, &'static str);

/// From slow to fast.
const PACES: [PlaySpeed; 7] =
    [(4000, "1/4"), (2000, "1/2"), (1000, "1"), (500, "2"), (250, "4"), (125, "8"), (62, "16")];

impl Default for PlayState {
    fn default() -> Self {
        Self { on: false, pace: PACES[2] }
    }
}

impl PlayState {
    /// Time from step to step.
    pub(super) fn step_interval(self) -> Duration {
        Duration::from_millis(self.pace.0)
    }

    /// Steps per second.
    pub(crate) fn speed(self) -> &'static str {
        self.pace.1
    }

    /// The speed in words: `1 step a second`, `2 steps a second`.
    fn words(self, unit: &str) -> String {
        let plural = if self.pace.0 < 1000 { "s" } else { "" };
        format!("{} {unit}{plural} a second", self.speed())
    }

    fn faster(&mut self) {
        self.pace = PACES.into_iter().find(|pace| pace.0 < self.pace.0).unwrap_or(self.pace);
    }

    fn slower(&mut self) {
        self.pace = PACES.into_iter().rev().find(|pace| pace.0 > self.pace.0).unwrap_or(self.pace);
    }
}

impl Shell {
    /// Plays or pauses, or changes the speed.
    pub(super) fn play(&mut self, action: Action) {
        match action {
            Action::More => self.play.faster(),
            Action::Less => self.play.slower(),
            _ => self.play.on = !self.play.on,
        }
        let Some(screen) = &self.screen else { return };
        if self.view() == ViewName::Time {
            return self.play_tape(action);
        }
        if self.play.on && screen.debugger.position() == screen.debugger.len() {
            self.play.on = false;
            return self.set_status("the cycle ends here; 0 goes to its start");
        }
        match (self.play.on, action) {
            (true, _) => {
                let pace = self.play.words("step");
                self.set_status(format!("{pace}; Space pauses, + and - change it"));
            }
            (false, Action::Play) => self.set_status("paused"),
            (false, _) => self.set_status(format!("{}; Space plays", self.play.words("step"))),
        }
    }

    /// Stops playing for any action that does more than look around; returns whether it was playing.
    pub(super) fn stop_playing(&mut self, action: Action) -> bool {
        use Action as A;
        let looks = action.view().is_some()
            || matches!(
                action,
                A::Play
                    | A::More
                    | A::Less
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

    /// Plays or pauses a recording or simulation.
    fn play_tape(&mut self, action: Action) {
        if !self.following.has_tape() {
            self.play.on = false;
            return self.set_status("there is one snapshot here: nothing to play");
        }
        let pace = self.play.words("snapshot");
        self.set_status(match (self.play.on, action) {
            (true, _) => format!("{pace}; Space pauses, + and - change it"),
            (false, Action::Play) => "paused".to_owned(),
            (false, _) => format!("{pace}; Space plays"),
        });
    }

    /// Makes the next step, or reads the next snapshot.
    pub(super) fn play_on(&mut self) -> Update {
        if self.view() != ViewName::Time {
            self.play_cycle();
        } else if !self.is_moving() {
            return self.read_moment(TapeTarget::Newer, MomentPurpose::ShowInView);
        }
        Update::changed()
    }

    fn play_cycle(&mut self) {
        let Some(screen) = &self.screen else { return };
        let (at, len) = (screen.debugger.position(), screen.debugger.len());
        if at >= len {
            self.play.on = false;
            return;
        }
        self.status.clear();
        self.go_to(at + 1);
        if let Some(text) = self.breakpoints.at(at + 1) {
            let text = format!("paused at breakpoint {text}");
            self.play.on = false;
            self.set_status(text);
        } else if at + 1 == len {
            self.play.on = false;
            self.set_status("the cycle ends here; 0 goes to its start");
        }
    }
}

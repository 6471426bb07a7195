//! The tour: ten keys on the built-in sample, each with a line on what it does and what it shows. The console shows the
//! next line when the key of the last one was pressed; the manual's page is generated from the same steps.

use crate::action::{Action, Context};
use crate::keymap::Keymap;

/// One step of the tour.
#[derive(Debug, Clone, Copy)]
pub struct TourStep {
    /// The action whose key is pressed.
    pub action: Action,
    /// What the key does, in the imperative.
    pub invites: &'static str,
    /// What is on the screen after it.
    pub seen: &'static str,
    /// A text on the screen at that time, with the built-in sample.
    pub shows: &'static str,
}

const fn step(action: Action, invites: &'static str, seen: &'static str, shows: &'static str) -> TourStep {
    TourStep { action, invites, seen, shows }
}

/// What is on the screen before the first key.
pub const BEGINNING: &str = "above why jobs wait, below the queue";

/// The steps in order.
pub const TOUR: [TourStep; 10] = [
    step(Action::StepForward, "consider the first job", "its decision above, its row below", "STEP 1/"),
    step(Action::StepInto, "step into the decision", "its checks, one by one, with the numbers", "1/"),
    step(Action::StepOut, "step out again", "the decision as a whole", "Decision"),
    step(Action::NextWaiting, "run to the next waiting job", "the first job that gets no nodes", "wait"),
    step(Action::AskWhy, "ask why it waits", "the cause, nodes lost, what would help", "Why "),
    step(Action::Back, "go back", "the cycle, where it stood", "Decision"),
    step(Action::View6, "open the calendar", "what ends and starts when, on which node", "Calendar"),
    step(Action::View2, "open the nodes", "free, part, full and out, by bucket", "Nodes by bucket"),
    step(Action::View8, "open the board", "what holds the whole queue up, by cause", "core-hours"),
    step(Action::Warnings, "open the problems", "what is wrong with the cluster or data", "Problems"),
];

/// The progress of a tour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tour {
    done: usize,
    /// Whether another key than the expected one was pressed.
    strayed: bool,
}

impl Tour {
    /// Goes on if the expected key was pressed; otherwise it shows which key it expects.
    pub(crate) fn pressed(&mut self, action: Action) {
        self.strayed = TOUR.get(self.done).is_some_and(|step| step.action != action);
        if !self.strayed && !self.is_over() {
            self.done += 1;
        }
    }

    /// Whether every key was pressed.
    pub(crate) fn is_over(self) -> bool {
        self.done >= TOUR.len()
    }

    /// Records that an unbound key was pressed.
    pub(crate) fn record_unbound_key(&mut self) {
        self.strayed = !self.is_over();
    }

    /// The number of keys pressed, and of all.
    pub(crate) fn progress(self) -> String {
        format!("{}/{}", self.done, TOUR.len())
    }

    /// Describes what is on the screen and the next key, as bound.
    pub(crate) fn line(self, keymap: &Keymap, context: Context) -> String {
        let seen =
            self.done.checked_sub(1).and_then(|last| TOUR.get(last)).map_or(BEGINNING, |step| step.seen);
        let key = |action: Action| {
            let mut keys = keymap.keys(action, context).map(|key| key.to_string());
            keys.next().or_else(|| action.entry().keys.first().map(|(_, key)| (*key).to_owned()))
        };
        match TOUR.get(self.done) {
            Some(step) if self.strayed => {
                format!("the tour goes on with {}: {}", key(step.action).unwrap_or_default(), step.invites)
            }
            Some(step) => {
                format!("{seen} · {}: {}", key(step.action).unwrap_or_default(), step.invites)
            }
            None => format!("{seen} · the end: ? lists keys, q leaves"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line fits in 80 columns beside its number.
    #[test]
    fn every_line_fits_and_names_its_key() {
        let keymap = Keymap::default();
        let mut tour = Tour::default();
        for step in TOUR {
            let line = tour.line(&keymap, Context::List);
            assert!(line.chars().count() <= 70, "{line}: {}", line.chars().count());
            assert!(line.contains(step.invites), "{line}");
            tour.pressed(Action::Redraw);
            let strayed = tour.line(&keymap, Context::List);
            assert!(strayed.contains("goes on with") && strayed.contains(step.invites), "{strayed}");
            assert!(strayed.chars().count() <= 70, "{strayed}");
            tour.pressed(step.action);
        }
        let last = tour.line(&keymap, Context::List);
        assert!(tour.progress() == "10/10" && last.contains("q leaves"), "{last}");
    }
}

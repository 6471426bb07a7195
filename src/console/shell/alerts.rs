//! Keys in the line of alerts: Tab enters it after the last pane, h and l move, Enter opens (console.md 6, Alerts).

use super::Shell;
use crate::action::Action;
use crate::chrome::banner::{self, AlertTarget};
use crate::views::problems::open_object;
use crate::views::{Effect, Object, Update, ViewName};

/// The alert that has the keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlertFocus {
    /// Its index.
    pub(super) at: usize,
    /// Whether the keys came from the last pane, going forward, rather than from the first one.
    forward: bool,
}

impl Shell {
    /// Handles an action while an alert has the keys, or one that moves them there; `None` if the action is for the
    /// view.
    pub(super) fn in_alerts(&mut self, action: Action) -> Option<Update> {
        let forward = action == Action::NextPane;
        let turns = forward || action == Action::PreviousPane;
        if self.alert.is_none() && !turns || !self.overlays.is_empty() {
            return None;
        }
        let Some(last) = self.last_alert() else {
            self.alert = None;
            return None;
        };
        let Some(focus) = self.alert else {
            let area = self.view_area();
            let is_end = self.with_view(|view, cx| view.is_last_pane(forward, area, cx));
            self.alert = is_end?.then_some(AlertFocus { at: 0, forward });
            return self.alert.map(|_| Update::changed());
        };
        let at = match action {
            Action::Left => focus.at.min(last).saturating_sub(1),
            Action::Right => last.min(focus.at + 1),
            _ => return self.leave_alerts(action, focus),
        };
        self.alert = Some(AlertFocus { at, ..focus });
        Some(Update::changed_if(at != focus.at))
    }

    /// Returns the keys to the view. The opposite pane key only leaves the alerts; other actions are passed on to the
    /// view.
    fn leave_alerts(&mut self, action: Action, focus: AlertFocus) -> Option<Update> {
        self.alert = None;
        match action {
            Action::Select => {
                let target = banner::target_of(&self.chrome(), focus.at);
                Some(self.open_alert(target))
            }
            Action::Close => Some(Update::changed()),
            Action::NextPane if !focus.forward => Some(Update::changed()),
            Action::PreviousPane if focus.forward => Some(Update::changed()),
            // Where there is one pane, that is the next.
            Action::NextPane | Action::PreviousPane if self.has_one_pane() => Some(Update::changed()),
            _ => None,
        }
    }

    /// Whether only one pane of the view can have the keys.
    pub(super) fn has_one_pane(&self) -> bool {
        self.open_view().is_some_and(|view| !view.has_more_panes())
    }

    /// The index of the last alert, if the line of alerts is shown.
    pub(super) fn last_alert(&self) -> Option<usize> {
        let is_shown = !self.parts().banners.is_empty();
        is_shown.then(|| banner::clauses(&self.chrome()).len().checked_sub(1)).flatten()
    }

    /// Opens what an alert names; the list of problems if it names several things.
    pub(super) fn open_alert(&mut self, target: Option<AlertTarget>) -> Update {
        let update = match target {
            Some(AlertTarget::Problem(problem)) => self.execute(open_object(&problem)),
            Some(AlertTarget::View(view)) => self.execute(Update::request(Effect::GoTo(Object::View(view)))),
            Some(AlertTarget::FirstOf(object)) => {
                self.execute(Update::request(Effect::GoToIn(ViewName::Problems, object)))
            }
            Some(AlertTarget::Files) => self.act(Action::Files),
            Some(AlertTarget::Problems) => self.act(Action::Warnings),
            None => Update::unchanged(),
        };
        update.and_changed()
    }
}

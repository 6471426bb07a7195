//! The inputs for drawing the parts around the view, and the actions without effect.

use super::{BOX_IDLE, FILES_IDLE, Shell};
use crate::action::Action;
use crate::app::App;
use crate::chrome::Chrome;
use crate::overlay::Overlay;
use crate::widgets::footer::{CycleEnd, ViewKeys};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;

/// Copies the cells that two buffers have in common.
pub(super) fn copy(from: &Buffer, to: &mut Buffer) {
    let common = from.area.intersection(to.area);
    for at in common.rows().flat_map(|row| row.columns().map(|cell| Position::new(cell.x, cell.y))) {
        if let (Some(from), Some(to)) = (from.cell(at), to.cell_mut(at)) {
            to.clone_from(from);
        }
    }
}

impl Shell {
    /// The inputs for drawing the parts around the view.
    pub(crate) fn chrome(&self) -> Chrome<'_> {
        Chrome {
            theme: &self.theme,
            keymap: &self.keymap,
            columns: self.area.width,
            source: &self.source,
            screen: self.screen.as_ref(),
            files: self.open_views.files.as_deref(),
            following: &self.following,
            alert: self.alert.map(|focus| focus.at),
            now: (self.clock)(),
            view: self.view(),
            breadcrumb: &self.breadcrumb,
            context: self.context(),
            keys: ViewKeys {
                idle: self.inactive_actions(),
                words: self.words(),
                without_steps: self.screen.as_ref().is_some_and(|screen| screen.run().steps.is_empty()),
                without_quick_filters: !self.has_quick_filters(),
                is_first: self.open_views.back_stack.is_empty(),
                in_alerts: self.alert.is_some(),
                is_one_pane: self.has_one_pane(),
                at_end: self.cycle_end(),
                // Another moment of a recording is left by following.
                is_frozen: (!self.is_moving()).then_some(self.following.freeze.is_some()),
            },
            prompt: self.prompt(),
            prompt_kind: self.prompt_kind,
            prompt_error: self.prompt_error.as_ref(),
            suggestions: &self.suggestions,
            prefix: self.prefix,
            breakpoints: &self.breakpoints,
            cycle_marks: &self.cycle_marks,
            status: &self.status,
            is_failure: self.status_until.is_none(),
            playing: self.play.on.then(|| self.play.speed()),
            overlays: &self.overlays,
            tour: self.tour,
        }
    }

    /// The end of the cycle that the steps have reached; inside a decision they move from line to line.
    fn cycle_end(&self) -> Option<CycleEnd> {
        let debugger = self.screen.as_ref().filter(|_| !self.view_takes_steps()).map(|one| &one.debugger)?;
        CycleEnd::of(debugger.position(), debugger.len())
    }

    /// Words for keys that at present differ from the usual ones; boxes have their own.
    fn words(&self) -> &'static [(Action, &'static str)] {
        if self.alert.is_some() {
            return &[];
        }
        match (self.overlays.last(), self.open_view(), self.cx()) {
            (None, Some(view), Some(cx)) => view.words(cx),
            (Some(Overlay::Palette(_)), ..) => &[(Action::Accept, "run")],
            (Some(Overlay::Columns(_)), ..) => &[(Action::Select, "show/hide")],
            (Some(Overlay::Breakpoints(list)), ..) if list.adds(self.breakpoints.list.len()) => {
                &[(Action::Select, "add")]
            }
            (Some(Overlay::Breakpoints(_)), ..) => &[(Action::Select, "edit"), (Action::Toggle, "on/off")],
            _ => &[],
        }
    }

    /// Actions without effect at present: a box of text has nothing to open, filter or copy, a box of rows has no text.
    pub(super) fn inactive_actions(&self) -> &'static [Action] {
        match self.overlays.last() {
            Some(Overlay::Files(_)) => FILES_IDLE,
            Some(Overlay::Text(_)) => BOX_IDLE,
            Some(Overlay::Help(_)) => &[Action::Copy, Action::Help, Action::Reload],
            Some(Overlay::Breakpoints(list)) if list.adds(self.breakpoints.list.len()) => {
                &[Action::Filter, Action::Copy, Action::Toggle, Action::Delete]
            }
            Some(Overlay::Breakpoints(_)) => &[Action::Filter, Action::Copy],
            // Columns are shown or hidden, but never deleted.
            Some(Overlay::Columns(_)) => &[Action::Filter, Action::Copy, Action::Delete],
            Some(Overlay::Palette(_)) => &[],
            None => match (self.open_view(), self.cx()) {
                (Some(view), Some(cx)) => view.inactive_actions(cx),
                _ => &[],
            },
        }
    }
}

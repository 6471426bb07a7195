//! The mouse over boxes: a click selects a row, one outside closes the box, the wheel moves through the rows; a click
//! outside the filter line applies the filter.

use ratatui::layout::Position;

use super::{Overlay, PromptKind, Shell};
use crate::action::Action;
use crate::chrome;
use crate::views::Update;

impl Shell {
    /// Handles a click while a box is open.
    pub(super) fn press_box(&mut self, at: Position) -> Update {
        self.last_click = None;
        let place = chrome::box_place(&self.chrome(), self.area);
        if place.is_some_and(|place| !place.contains(at)) {
            self.overlays.pop();
            return Update::changed();
        }
        let (area, listed) = (self.area, self.breakpoints.list.len());
        let chosen = match self.overlays.last_mut() {
            Some(Overlay::Palette(palette)) => palette.pick(at, area).then_some(Action::Accept),
            Some(Overlay::Breakpoints(list)) => list.pick(at, listed, area).then_some(Action::Select),
            Some(Overlay::Columns(columns)) => columns.pick(at, area).then_some(Action::Select),
            Some(Overlay::Help(help)) => help.pick(at, area, &self.keymap).then_some(Action::Select),
            Some(Overlay::Files(_) | Overlay::Text(_)) | None => None,
        };
        chosen.map_or_else(Update::unchanged, |action| self.act(action).and_changed())
    }

    /// Handles the wheel while a box is open, as [`Action::Up`] or [`Action::Down`].
    pub(super) fn wheel_box(&mut self, action: Action) -> Update {
        match self.overlays.last_mut() {
            // The up and down keys would also go through the history.
            Some(Overlay::Palette(palette)) => Update::changed_if(palette.wheel(action == Action::Down)),
            _ => self.act(action),
        }
    }

    /// Handles a click outside the line being typed: a filter is applied and the click is executed; another line is
    /// cancelled.
    pub(super) fn press_while_typing(&mut self, at: Position) -> Update {
        if self.parts().footer.contains(at) {
            return Update::unchanged();
        }
        match self.prompt_kind {
            PromptKind::Filter => {
                let update = self.act(Action::Accept);
                // A filter with an error cannot be applied.
                let update = if self.typing { update.followed_by(self.act(Action::Close)) } else { update };
                update.followed_by(self.press(at)).and_changed()
            }
            PromptKind::Line(_) => self.act(Action::Close).and_changed(),
        }
    }
}

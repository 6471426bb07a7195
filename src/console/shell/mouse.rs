//! The mouse: a click selects, the wheel scrolls what is under it.

use std::time::{Duration, Instant};

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::Shell;
use crate::action::Action;
use crate::views::effect::Update;

/// So many lines for a turn of the wheel.
const WHEEL: usize = 3;
/// Two clicks within this time are one double click.
const DOUBLE: Duration = Duration::from_millis(400);

impl Shell {
    /// Takes in a click or a turn of the wheel.
    pub(super) fn on_mouse(&mut self, event: MouseEvent) -> Update {
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.press(at),
            MouseEventKind::ScrollUp => self.wheel(Action::Up, at),
            MouseEventKind::ScrollDown => self.wheel(Action::Down, at),
            _ => Update::nothing(),
        }
    }

    fn wheel(&mut self, action: Action, at: Position) -> Update {
        if !self.overlays.is_empty() {
            let changed = (0..WHEEL).fold(false, |changed, _| self.in_overlay(action) || changed);
            return Update::changed_if(changed);
        }
        self.update_view(|view, area, world| {
            let turns = (0..WHEEL).map(|_| view.wheel(action, at, area, world));
            turns.fold(Update::nothing(), Update::and)
        })
    }

    /// One click selects, a second one soon after on the same place does what Enter does.
    fn press(&mut self, at: Position) -> Update {
        if !self.overlays.is_empty() || self.typing {
            return Update::nothing();
        }
        let again = self
            .last_click
            .replace((Instant::now(), at))
            .is_some_and(|(then, place)| then.elapsed() < DOUBLE && place == at);
        if again {
            self.last_click = None;
            return self.act(Action::Select).and_changed();
        }
        let on_files = self.update_files(|view, area| view.click(at, area));
        on_files.unwrap_or_else(|| self.update_view(|view, area, world| view.click(at, area, world)))
    }
}

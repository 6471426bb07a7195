//! The mouse: a click selects, a right click asks why, the wheel scrolls what is under it; tabs, alerts and the keys of
//! the footer can be clicked (console.md 6, Mouse).

use std::time::{Duration, Instant};

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::Shell;
use crate::action::{Action, TABLE};
use crate::app::App;
use crate::chrome::banner;
use crate::chrome::tabs::{ViewBreadcrumb, shown_way};
use crate::views::Update;
use crate::widgets::text::width;

/// Lines per turn of the wheel.
const WHEEL: usize = 3;
/// Maximum time between the clicks of a double click.
const DOUBLE: Duration = Duration::from_millis(400);

impl Shell {
    /// Handles a click or a turn of the wheel.
    pub(super) fn on_mouse(&mut self, event: MouseEvent) -> Update {
        let at = Position { x: event.column, y: event.row };
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.press(at),
            MouseEventKind::Down(MouseButton::Right) => self.press_right(at),
            MouseEventKind::Drag(MouseButton::Left) if self.overlays.is_empty() && !self.typing => {
                self.update_view(|view, area, cx| view.drag(at, area, cx))
            }
            MouseEventKind::ScrollUp if event.modifiers.contains(KeyModifiers::CONTROL) => {
                self.scale(Action::More)
            }
            MouseEventKind::ScrollDown if event.modifiers.contains(KeyModifiers::CONTROL) => {
                self.scale(Action::Less)
            }
            MouseEventKind::ScrollUp => self.wheel(Action::Up, at),
            MouseEventKind::ScrollDown => self.wheel(Action::Down, at),
            _ => Update::unchanged(),
        }
    }

    fn wheel(&mut self, action: Action, at: Position) -> Update {
        if !self.overlays.is_empty() {
            return (0..WHEEL).map(|_| self.wheel_box(action)).fold(Update::unchanged(), Update::followed_by);
        }
        self.update_view(|view, area, cx| {
            let turns = (0..WHEEL).map(|_| view.wheel(action, at, area, cx));
            turns.fold(Update::unchanged(), Update::followed_by)
        })
    }

    /// A click selects; a second one soon after on the same place acts like Enter.
    pub(super) fn press(&mut self, at: Position) -> Update {
        if !self.overlays.is_empty() {
            return self.press_box(at);
        }
        if self.typing {
            return self.press_while_typing(at);
        }
        let again = self
            .last_click
            .replace((Instant::now(), at))
            .is_some_and(|(then, place)| then.elapsed() < DOUBLE && place == at);
        let area = self.view_area();
        let on_heading = self.with_view(|view, cx| view.is_heading(at, area, cx)).unwrap_or(false);
        if again && !on_heading {
            self.last_click = None;
            return self.act(Action::Select).and_changed();
        }
        if let Some(update) = self.press_around(at) {
            self.last_click = None;
            return update;
        }
        let on_files = self.update_files(|view, area| view.click(at, area));
        let update = on_files.unwrap_or_else(|| self.update_view(|view, area, cx| view.click(at, area, cx)));
        if on_heading {
            self.remember_shown_table();
        }
        update
    }

    /// Selects what is under a right click and asks why.
    fn press_right(&mut self, at: Position) -> Update {
        if !self.overlays.is_empty() || self.typing || !self.parts().body.contains(at) {
            return Update::unchanged();
        }
        let clicked = self.update_view(|view, area, cx| view.click(at, area, cx));
        clicked.followed_by(self.act(Action::AskWhy)).and_changed()
    }

    /// Handles a click outside the view: on a tab, an alert, or a key of the footer.
    fn press_around(&mut self, at: Position) -> Option<Update> {
        let parts = self.parts();
        if parts.banners.contains(at) {
            return Some(self.open_alert(banner::target_at(&self.chrome(), at.x)));
        }
        if !parts.tabs.contains(at) && !parts.footer.contains(at) {
            return None;
        }
        let screen = self.screen_cells()?;
        let row: Vec<&str> =
            (0..screen.area.width).filter_map(|x| Some(screen.cell((x, at.y))?.symbol())).collect();
        let way = shown_way(&self.breadcrumb, screen.area.width);
        if let Some(back) = breadcrumb_at(&row, usize::from(at.x), &way).filter(|_| parts.tabs.contains(at)) {
            self.go_back_by(back);
            return Some(Update::changed());
        }
        let action = match parts.tabs.contains(at) {
            true => tab_at(&row, usize::from(at.x)),
            false => self.key_at(&row, usize::from(at.x)),
        };
        Some(action.map_or_else(Update::unchanged, |action| self.act(action).and_changed()))
    }

    /// The action whose key and word are at a column of the footer; hints are separated by two spaces.
    fn key_at(&self, row: &[&str], x: usize) -> Option<Action> {
        let is_blank = |at: usize| row.get(at).is_none_or(|symbol| *symbol == " ");
        let parted = |at: usize| is_blank(at) && is_blank(at + 1);
        if is_blank(x) && (is_blank(x + 1) || x == 0) {
            return None;
        }
        let start = (0..x).rev().find(|at| parted(*at)).map_or(0, |at| at + 2);
        // There is only one space before the first key.
        let start = (start..=x).find(|at| !is_blank(*at)).unwrap_or(x);
        let context = self.context();
        let bound_to = |key: &str| {
            let has_key =
                |action: Action| self.keymap.keys(action, context).any(|bound| bound.to_string() == key);
            TABLE.iter().map(|entry| entry.action).find(|action| has_key(*action))
        };
        let word = |from: usize| -> String {
            row.iter().skip(from).copied().take_while(|symbol| *symbol != " ").collect()
        };
        // If two keys share a word, the one that was clicked.
        let under = (start..=x).rev().find(|at| is_blank(*at)).map_or(start, |at| at + 1);
        let is_second = (start..under).filter(|at| is_blank(*at)).count() == 1;
        bound_to(&word(under)).filter(|_| is_second).or_else(|| bound_to(&word(start)))
    }
}

/// The number of steps back for the part of the breadcrumb at a column; `None` outside it.
fn breadcrumb_at(row: &[&str], x: usize, way: &[ViewBreadcrumb]) -> Option<usize> {
    let begins: Vec<usize> =
        row.iter().enumerate().filter(|(_, sign)| matches!(**sign, "›" | ">")).map(|(at, _)| at).collect();
    let (at, start) = begins.iter().enumerate().rfind(|(_, start)| **start <= x)?;
    let part = way.get(at)?;
    part.steps_back.filter(|_| x < start + 2 + width(&part.name))
}

/// The view whose tab is at a column: found by its number, which is surrounded by spaces, or by the key of problems or
/// help.
fn tab_at(row: &[&str], x: usize) -> Option<Action> {
    let is_blank = |at: Option<usize>| at.and_then(|at| row.get(at)).is_none_or(|symbol| *symbol == " ");
    let key = |at: &usize| {
        is_blank(at.checked_sub(1))
            && is_blank(Some(at + 1))
            && row.get(*at).is_some_and(|symbol| *symbol != " ")
    };
    let found = (0..=x).rev().filter(key).find_map(|at| {
        // The count of problems is surrounded by spaces too, after their sign.
        let is_count = at.checked_sub(2).and_then(|at| row.get(at)).is_some_and(|symbol| *symbol == "!");
        if is_count { Some("!") } else { row.get(at).copied() }
    })?;
    match found {
        "!" => Some(Action::Warnings),
        "?" => Some(Action::Help),
        number => {
            let number = number.parse().ok()?;
            TABLE.iter().map(|entry| entry.action).find(|action| action.view() == Some(number))
        }
    }
}

//! The mouse: a click gives a pane the focus and selects, the wheel scrolls what is under it.

use std::time::{Duration, Instant};

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::cursor::inside;
use super::{Descent, Shell, Work};
use crate::action::Action;
use crate::app::Update;
use crate::layout::Pane;
use crate::views::ViewName;
use crate::views::cycle::inside::parts as level_parts;
use crate::views::cycle::queue::QueueRows;
use crate::widgets::bitmap::Geometry;
use crate::widgets::table::Table;

/// So many lines for a turn of the wheel.
const WHEEL: usize = 3;
/// Two clicks within this time are one double click.
const DOUBLE: Duration = Duration::from_millis(400);

impl Shell {
    /// Takes in a click or a turn of the wheel.
    pub(super) fn on_mouse(&mut self, event: MouseEvent) -> Update<Work> {
        let (x, y) = (event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.press(x, y),
            MouseEventKind::ScrollUp => self.wheel(Action::Up, x, y),
            MouseEventKind::ScrollDown => self.wheel(Action::Down, x, y),
            _ => Update::nothing(),
        }
    }

    fn wheel(&mut self, action: Action, x: u16, y: u16) -> Update<Work> {
        if !self.overlays.is_empty() {
            let changed = (0..WHEEL).fold(false, |changed, _| self.in_overlay(action) || changed);
            return Update::changed_if(changed);
        }
        if self.view() != ViewName::Cycle {
            return (0..WHEEL).fold(Update::nothing(), |update, _| update.and(self.in_view(action)));
        }
        let Some(pane) = self.panes().at(x, y) else { return Update::nothing() };
        let focus = std::mem::replace(&mut self.focus, pane);
        let changed = (0..WHEEL).fold(false, |changed, _| self.move_cursor(action) || changed);
        self.focus = focus;
        Update::changed_if(changed)
    }

    /// One click selects, a second one soon after on the same place does what Enter does.
    fn press(&mut self, x: u16, y: u16) -> Update<Work> {
        let again = self
            .last_click
            .replace((Instant::now(), x, y))
            .is_some_and(|(at, was_x, was_y)| at.elapsed() < DOUBLE && (was_x, was_y) == (x, y));
        if again && self.overlays.is_empty() && !self.typing {
            self.last_click = None;
            let inside = self.focus == Pane::Detail && self.view() == ViewName::Cycle;
            let action = if inside { Action::StepInto } else { Action::Select };
            return self.act(action).and_changed();
        }
        if self.view() != ViewName::Cycle && self.overlays.is_empty() && !self.typing {
            return self.click_view(x, y);
        }
        Update::changed_if(self.click(x, y))
    }

    fn click(&mut self, x: u16, y: u16) -> bool {
        if !self.overlays.is_empty() || self.typing {
            return false;
        }
        let panes = self.panes();
        let Some((pane, rect)) = panes.at(x, y).and_then(|pane| Some((pane, panes.rect(pane)?))) else {
            return false;
        };
        let focused = std::mem::replace(&mut self.focus, pane) != pane;
        let selected = match pane {
            Pane::List => self.click_row(inside(rect), y),
            Pane::Map => self.click_node(x, y),
            Pane::Detail => self.click_level(rect, y),
            Pane::Side => false,
        };
        focused || selected
    }

    fn click_row(&mut self, area: Rect, y: u16) -> bool {
        let Some(shown) = &mut self.shown else { return false };
        let Some(row) = Table::<QueueRows<'_>>::row_at(shown.table, shown.rows.len(), area, y) else {
            return false;
        };
        let before = shown.table;
        let height = Table::<QueueRows<'_>>::height(area);
        shown.table.select(row, shown.rows.len(), height);
        shown.leave_gap(false, height);
        shown.look_at_cursor();
        shown.table != before
    }

    fn click_level(&mut self, pane: Rect, y: u16) -> bool {
        let area = level_parts(pane).0;
        let Some(shown) = &mut self.shown else { return false };
        let Some(depth) = shown.descent.as_ref().and_then(Descent::depth) else { return false };
        let row = Table::<QueueRows<'_>>::row_at(depth.table, depth.level.frames.len(), area, y);
        row.is_some_and(|row| shown.select_in_depth(row, Table::<QueueRows<'_>>::height(area)))
    }

    fn click_node(&mut self, x: u16, y: u16) -> bool {
        let area = self.map_area();
        let Some(shown) = &mut self.shown else { return false };
        let geometry = Geometry::new(shown.node_map(), area);
        let top = shown.map_state.top(&geometry);
        let Some((line, node)) = geometry.at(top, x, y) else { return false };
        shown.point_at(line, node, &geometry)
    }
}

//! The mouse: a click gives a pane the focus and selects, the wheel scrolls what is under it.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::CycleApp;
use super::cursor::inside;
use crate::console::action::Action;
use crate::console::layout::Pane;
use crate::console::views::cycle::queue::QueueRows;
use crate::console::widgets::bitmap::Geometry;
use crate::console::widgets::table::Table;

/// So many lines for a turn of the wheel.
const WHEEL: usize = 3;

impl CycleApp {
    /// Takes in a click or a turn of the wheel; whether something changed.
    pub(super) fn on_mouse(&mut self, event: MouseEvent) -> bool {
        let action = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => return self.click(event.column, event.row),
            MouseEventKind::ScrollUp => Action::Up,
            MouseEventKind::ScrollDown => Action::Down,
            _ => return false,
        };
        if !self.overlays.is_empty() {
            return (0..WHEEL).fold(false, |changed, _| self.in_overlay(action) || changed);
        }
        let Some(pane) = self.panes().at(event.column, event.row) else { return false };
        let focus = std::mem::replace(&mut self.focus, pane);
        let changed = (0..WHEEL).fold(false, |changed, _| self.move_cursor(action) || changed);
        self.focus = focus;
        changed
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
            Pane::Detail | Pane::Side => false,
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

    fn click_node(&mut self, x: u16, y: u16) -> bool {
        let area = self.map_area();
        let Some(shown) = &mut self.shown else { return false };
        let geometry = Geometry::new(shown.node_map(), area);
        let top = shown.map_state.top(&geometry);
        let Some((line, node)) = geometry.at(top, x, y) else { return false };
        shown.point_at(line, node, &geometry)
    }
}

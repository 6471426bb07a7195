//! The cursors: in the queue, in the story, in the map; and which pane has the focus.

use ratatui::layout::{Margin, Rect};

use super::{MapMode, NodeMap, Row, Shell, Shown, scroll};
use crate::action::Action;
use crate::layout::{Pane, SizeClass, cut_rows, cycle};
use crate::views::cycle::inside::parts as level_parts;
use crate::views::cycle::queue::QueueRows;
use crate::widgets::bitmap::Geometry;
use crate::widgets::table::Table;

/// Inside a pane's lines.
#[must_use]
pub(crate) fn inside(pane: Rect) -> Rect {
    pane.inner(Margin::new(1, 1))
}

/// The map's pane: a line about the node under the cursor, and the map, where there is room for both.
#[must_use]
pub(crate) fn map_parts(pane: Rect) -> (Rect, Rect) {
    let inner = inside(pane);
    cut_rows(inner, if inner.height >= 5 { 1 } else { 0 })
}

/// How many lines the map's pane needs on a screen of that width to show every node in a cell of its own.
#[must_use]
pub(super) fn map_wants(map: &NodeMap, columns: u16) -> u16 {
    let area = Rect::new(0, 0, columns.saturating_sub(2), u16::MAX);
    let geometry = Geometry::new(map, area);
    let around = geometry.legend().height.saturating_add(3);
    u16::try_from(geometry.rows()).unwrap_or(u16::MAX).saturating_add(around)
}

impl Shell {
    /// Moves something; whether anything changed.
    pub(super) fn move_cursor(&mut self, action: Action) -> bool {
        match action {
            Action::NextPane => self.turn_focus(1),
            Action::PreviousPane => self.turn_focus(-1),
            Action::ToggleMap => self.toggle_map(),
            Action::NextLine | Action::PreviousLine => return self.in_map(action),
            _ => {
                return self.move_times(action, 1);
            }
        }
        true
    }

    /// Moves the cursor of the pane that has the focus so often, or as far as it goes.
    pub(super) fn move_times(&mut self, action: Action, times: usize) -> bool {
        match self.focus {
            Pane::List => self.in_queue(action, times),
            Pane::Detail => (0..times).take_while(|_| self.in_story(action)).count() > 0,
            Pane::Map | Pane::Side => (0..times).take_while(|_| self.in_map(action)).count() > 0,
        }
    }

    fn turn_focus(&mut self, by: isize) {
        let panes = cycle(SizeClass::of(self.area));
        let here = panes.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let to = here.checked_add_signed(by).unwrap_or(panes.len() - 1) % panes.len().max(1);
        self.focus = panes.get(to).copied().unwrap_or(Pane::List);
    }

    fn toggle_map(&mut self) {
        // On small screens the map has no place of its own, and shows up first.
        if self.panes().rect(Pane::Map).is_none() {
            self.focus = Pane::Map;
            return;
        }
        self.mode = match self.mode {
            MapMode::Buckets => MapMode::Sets,
            MapMode::Sets => MapMode::Names,
            MapMode::Names => MapMode::Buckets,
        };
    }

    fn in_queue(&mut self, action: Action, times: usize) -> bool {
        let height =
            self.panes().rect(Pane::List).map_or(0, |pane| Table::<QueueRows<'_>>::height(inside(pane)));
        let Some(shown) = &mut self.shown else { return false };
        let before = shown.table;
        for _ in 0..times {
            let from = shown.table.selected;
            if !shown.table.go(action, shown.rows.len(), height) {
                break;
            }
            shown.leave_gap(shown.table.selected < from, height);
        }
        if shown.table == before {
            return false;
        }
        shown.look_at_cursor();
        true
    }

    /// Whether steps go through what is inside a decision.
    pub(super) fn is_inside(&self) -> bool {
        self.focus == Pane::Detail && self.shown.as_ref().is_some_and(|shown| shown.descent.is_some())
    }

    /// How many lines of a level are on the screen.
    pub(super) fn level_height(&self) -> usize {
        let pane = self.panes().rect(Pane::Detail).unwrap_or(self.area);
        Table::<QueueRows<'_>>::height(level_parts(pane).0)
    }

    /// Over what is under the cursor, to the next or the last at the same level.
    pub(super) fn step_over(&mut self, action: Action) {
        let height = self.level_height();
        let moved = self.shown.as_mut().and_then(|shown| shown.move_in_depth(action, height));
        if moved == Some(false) {
            self.say("this level ends here; o goes out");
        }
    }

    fn in_story(&mut self, action: Action) -> bool {
        let level = self.level_height();
        if let Some(moved) = self.shown.as_mut().and_then(|shown| shown.move_in_depth(action, level)) {
            return moved;
        }
        let height = self.panes().rect(Pane::Detail).map_or(0, |pane| usize::from(inside(pane).height));
        let Some(shown) = &mut self.shown else { return false };
        let lines = shown.told().lines().len();
        scroll(&mut shown.scroll, action, lines, height)
    }

    fn in_map(&mut self, action: Action) -> bool {
        let area = self.map_area();
        let Some(shown) = &mut self.shown else { return false };
        let geometry = Geometry::new(&shown.map, area);
        shown.map_state.go(action, &geometry)
    }

    /// Where the map stands, or would stand with the focus.
    pub(super) fn map_area(&self) -> Rect {
        let pane = self.panes().rect(Pane::Map).unwrap_or(self.area);
        map_parts(pane).1
    }
}

impl Shown {
    /// The cursor never stays between the considered jobs and the others.
    pub(super) fn leave_gap(&mut self, back: bool, height: usize) {
        if self.rows.get(self.table.selected) == Some(&Row::Gap) {
            let to = if back { self.table.selected.checked_sub(1) } else { None };
            self.table.select(to.unwrap_or(self.table.selected + 1), self.rows.len(), height);
        }
    }

    /// Looks at the job under the cursor.
    pub(super) fn look_at_cursor(&mut self) {
        if let Some(row) = self.rows.get(self.table.selected).copied().filter(|row| *row != Row::Gap) {
            self.look_at(row);
        }
    }

    /// Puts the map's cursor on a place.
    pub(super) fn point_at(&mut self, line: usize, node: usize, geometry: &Geometry) -> bool {
        let before = self.map_state;
        self.map_state.select(line, node, geometry);
        self.map_state != before
    }

    /// The map, for its geometry.
    #[must_use]
    pub fn node_map(&self) -> &NodeMap {
        &self.map
    }
}

//! The cursor in a map, and how it moves.

use ratatui::layout::Position;

use super::geometry::Geometry;
use crate::action::Action;

/// The node under the cursor, and the scroll position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MapState {
    pub line: usize,
    /// The node under the cursor, within its line.
    pub node: usize,
    /// The first visible row, unless the cursor requires another one.
    pub offset: usize,
}

impl MapState {
    /// Moves the cursor; returns whether anything changed. Other actions are ignored.
    pub fn move_cursor(&mut self, action: Action, geometry: &Geometry) -> bool {
        let before = *self;
        let (row, column) = geometry.place(self.line, self.node);
        let page = geometry.height().saturating_sub(1).max(1);
        match action {
            Action::Left => self.left(geometry),
            Action::Right => self.right(geometry),
            Action::Up => self.to(geometry, row.saturating_sub(1), column),
            Action::Down => self.to(geometry, row + 1, column),
            Action::PageUp => self.to(geometry, row.saturating_sub(page), column),
            Action::PageDown => self.to(geometry, row + page, column),
            Action::Home => (self.line, self.node) = (0, 0),
            Action::End => self.to(geometry, usize::MAX, usize::MAX),
            Action::NextLine if self.line + 1 < geometry.lines() => {
                (self.line, self.node) = (self.line + 1, 0);
            }
            Action::PreviousLine => (self.line, self.node) = (self.line.saturating_sub(1), 0),
            _ => return false,
        }
        self.offset = self.top(geometry);
        *self != before
    }

    /// Puts the cursor on a node and scrolls only as far as needed.
    pub fn select(&mut self, line: usize, node: usize, geometry: &Geometry) {
        self.line = line.min(geometry.lines().saturating_sub(1));
        self.node = node.min(geometry.nodes(self.line).saturating_sub(1));
        self.offset = self.top(geometry);
    }

    /// Puts the cursor on the clicked node; returns whether anything changed.
    pub fn click(&mut self, at: Position, geometry: &Geometry) -> bool {
        let before = *self;
        if let Some((line, node)) = geometry.at(self.top(geometry), at.x, at.y) {
            self.select(line, node, geometry);
        }
        *self != before
    }

    /// The first visible row, such that the cursor is visible.
    pub fn top(&self, geometry: &Geometry) -> usize {
        let height = geometry.height();
        let row = geometry.place(self.line, self.node).0.min(geometry.rows().saturating_sub(1));
        let least = (row + 1).saturating_sub(height);
        self.offset.clamp(least, row.max(least)).min(geometry.rows().saturating_sub(height))
    }

    fn to(&mut self, geometry: &Geometry, row: usize, column: usize) {
        let row = row.min(geometry.rows().saturating_sub(1));
        let column = column.min(usize::from(u16::MAX));
        (self.line, self.node) = geometry.node_at(row, column);
    }

    fn left(&mut self, geometry: &Geometry) {
        let per_cell = geometry.per_cell();
        match (self.node / per_cell, self.line) {
            (0, 0) => {}
            (0, line) => {
                self.line = line - 1;
                self.node = geometry.nodes(self.line).saturating_sub(1) / per_cell * per_cell;
            }
            (cell, _) => self.node = (cell - 1) * per_cell,
        }
    }

    fn right(&mut self, geometry: &Geometry) {
        let next = (self.node / geometry.per_cell() + 1) * geometry.per_cell();
        if next < geometry.nodes(self.line) {
            self.node = next;
        } else if self.line + 1 < geometry.lines() {
            (self.line, self.node) = (self.line + 1, 0);
        }
    }
}

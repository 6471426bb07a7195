//! The cursor in a map, and how it moves.

use ratatui::layout::Position;

use super::geometry::Geometry;
use crate::action::Action;

/// Which node is under the cursor, and which row is the first on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MapState {
    /// The line under the cursor.
    pub line: usize,
    /// The node under the cursor, within its line.
    pub node: usize,
    /// The first row on the screen, unless the cursor forces another.
    pub offset: usize,
}

impl MapState {
    /// Moves the cursor; whether something changed. Other actions do nothing.
    pub fn go(&mut self, action: Action, geometry: &Geometry) -> bool {
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

    /// Puts the cursor on a node and scrolls just as far as needed.
    pub fn select(&mut self, line: usize, node: usize, geometry: &Geometry) {
        self.line = line.min(geometry.lines().saturating_sub(1));
        self.node = node.min(geometry.nodes(self.line).saturating_sub(1));
        self.offset = self.top(geometry);
    }

    /// Puts the cursor on the node under a click; whether something changed.
    pub fn click(&mut self, at: Position, geometry: &Geometry) -> bool {
        let before = *self;
        if let Some((line, node)) = geometry.at(self.top(geometry), at.x, at.y) {
            self.select(line, node, geometry);
        }
        *self != before
    }

    /// The first row on the screen, such that the cursor is on it.
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

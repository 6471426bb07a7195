//! The cursor of the map: moved by keys and clicks.

use super::NodeGroupMap;
use crate::action::Action;
use crate::widgets::ramp::{RampIndex, RampRow, row_at};
use ratatui::layout::{Position, Rect};

impl NodeGroupMap {
    /// Moves the cursor; returns whether it moved.
    pub(crate) fn move_cursor(&mut self, action: Action, area: Rect) -> bool {
        let before = self.at;
        let size = self.nodes_a_cell();
        let (group, cell) = (self.at.0, self.at.1 / size);
        let row = self.row_of((group, cell));
        let page = usize::from(area.height).saturating_sub(1).max(1);
        let column = self.rows.get(row).map_or(0, |row| cell - row.first);
        let to = match action {
            Action::Left => Some((group, cell.saturating_sub(1))),
            Action::Right => Some((group, cell + 1)),
            Action::Up => self.in_row(row.saturating_sub(1), column),
            Action::Down => self.in_row(row + 1, column),
            Action::PageUp => self.in_row(row.saturating_sub(page), column),
            Action::PageDown => self.in_row((row + page).min(self.rows.len().saturating_sub(1)), column),
            Action::Home => Some((0, 0)),
            Action::End => self.in_row(self.rows.len().saturating_sub(1), usize::MAX),
            Action::NextLine => Some((group + 1, 0)),
            Action::PreviousLine => Some((group.saturating_sub(1), 0)),
            _ => None,
        };
        if let Some((group, cell)) = to {
            self.put_on_cell((group, cell));
        }
        self.scroll(area);
        self.at != before
    }

    pub(super) fn put_on_cell(&mut self, (group, cell): RampIndex) {
        let Some(nodes) = self.groups.list.get(group).map(|group| group.nodes.len()) else { return };
        let size = self.nodes_a_cell();
        let last = nodes.saturating_sub(1) / size;
        self.at = (group, cell.min(last) * size);
    }

    pub(super) fn in_row(&self, row: usize, column: usize) -> Option<RampIndex> {
        let row = self.rows.get(row)?;
        Some((row.group, row.first + column.min(row.cells.saturating_sub(1))))
    }

    pub(super) fn row_of(&self, (group, cell): RampIndex) -> usize {
        let holds =
            |row: &RampRow| row.group == group && (row.first..row.first + row.cells.max(1)).contains(&cell);
        self.rows.iter().position(holds).unwrap_or(0)
    }

    pub(super) fn cursor(&self) -> RampIndex {
        (self.at.0, self.at.1 / self.nodes_a_cell())
    }

    /// Scrolls to keep the cursor's row visible.
    pub(super) fn scroll(&mut self, area: Rect) {
        let (row, height) = (self.row_of(self.cursor()), usize::from(area.height).max(1));
        let last = self.rows.len().saturating_sub(height);
        self.offset = self.offset.clamp((row + 1).saturating_sub(height), row).min(last);
    }

    /// Puts the cursor on the clicked cell; returns whether it moved.
    pub(crate) fn click(&mut self, at: Position, area: Rect) -> bool {
        let row = row_at(&self.rows, self.offset, area, at);
        let place =
            row.zip(self.shape).and_then(|(row, shape)| shape.cell_at(row, area, at.x, Some(self.cursor())));
        let before = self.at;
        if let Some(place) = place {
            self.put_on_cell(place);
        }
        self.at != before
    }
}

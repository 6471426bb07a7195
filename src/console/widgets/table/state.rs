//! The cursor of a table and its scroll position.

use std::ops::Range;

use ratatui::layout::Rect;

use super::height;
use crate::action::Action;
use crate::layout::moved;

/// The selected row, and the first visible row. It outlives the rows: after a refresh the owner sets `selected` to the
/// new index of the same object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableState {
    pub selected: usize,
    /// The first visible row, unless the cursor requires another one.
    pub offset: usize,
}

/// Number of rows a page moves: all visible ones but one, for orientation.
fn page_of(height: usize) -> usize {
    height.saturating_sub(1).max(1)
}

/// The first visible row after moving by a page; unchanged for other actions.
pub(crate) fn paged(action: Action, first: usize, height: usize) -> usize {
    match action {
        Action::PageUp => first.saturating_sub(page_of(height)),
        Action::PageDown => first + page_of(height),
        _ => first,
    }
}

impl TableState {
    /// Moves the cursor, with `height` visible rows; returns whether anything changed. A page scrolls the rows with the
    /// cursor. Other actions are ignored.
    pub fn move_cursor(&mut self, action: Action, len: usize, height: usize) -> bool {
        let before = *self;
        let Some(to) = moved(action, self.selected, len.saturating_sub(1), page_of(height)) else {
            return false;
        };
        self.offset = paged(action, self.window(len, height).start, height);
        self.selected = to;
        self.offset = self.window(len, height).start;
        *self != before
    }

    /// Puts the cursor on a row and scrolls only as far as needed.
    pub fn select(&mut self, row: usize, len: usize, height: usize) {
        self.offset = self.window(len, height).start;
        self.selected = row.min(len.saturating_sub(1));
        self.offset = self.window(len, height).start;
    }

    /// The visible rows, which always include the one under the cursor.
    pub fn window(&self, len: usize, height: usize) -> Range<usize> {
        if height == 0 || len == 0 {
            return 0..0;
        }
        let selected = self.selected.min(len - 1);
        let start = self
            .offset
            .clamp((selected + 1).saturating_sub(height), selected)
            .min(len.saturating_sub(height));
        start..(start + height).min(len)
    }

    /// The row under a click.
    pub fn row_at(&self, len: usize, area: Rect, y: u16) -> Option<usize> {
        let line = usize::from(y.checked_sub(area.y + 1)?);
        let window = self.window(len, height(area));
        (line < window.len()).then(|| window.start + line)
    }

    /// Puts the cursor on the clicked row; returns whether anything changed.
    pub fn click(&mut self, len: usize, area: Rect, y: u16) -> bool {
        let before = *self;
        if let Some(row) = self.row_at(len, area, y) {
            self.select(row, len, height(area));
        }
        *self != before
    }

    /// The position of the cursor, such as `57/301`, for the pane's title.
    pub fn position(&self, len: usize) -> String {
        format!("{}/{len}", (self.selected + 1).min(len))
    }
}

//! The cursor of a table and what of it is on the screen.

use std::ops::Range;

use ratatui::layout::Rect;

use super::height;
use crate::action::Action;

/// Which row is under the cursor, and which is the first on the screen. It outlives the rows: after a refresh the
/// owner sets `selected` to where the same job is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableState {
    /// The row under the cursor.
    pub selected: usize,
    /// The first row on the screen, unless the cursor forces another.
    pub offset: usize,
}

/// How many rows a page moves: all on the screen but one, which shows where one was.
fn page_of(height: usize) -> usize {
    height.saturating_sub(1).max(1)
}

/// The first row on the screen after a page is turned, as far as there are rows; the same for other actions.
pub(crate) fn paged(action: Action, first: usize, height: usize) -> usize {
    match action {
        Action::PageUp => first.saturating_sub(page_of(height)),
        Action::PageDown => first + page_of(height),
        _ => first,
    }
}

impl TableState {
    /// Moves the cursor, with `height` rows on the screen; whether something changed. A page moves the rows on the screen
    /// with it. Other actions do nothing.
    pub fn go(&mut self, action: Action, len: usize, height: usize) -> bool {
        let before = *self;
        let (last, page) = (len.saturating_sub(1), page_of(height));
        let to = match action {
            Action::Up => self.selected.saturating_sub(1),
            Action::Down => self.selected + 1,
            Action::PageUp => self.selected.saturating_sub(page),
            Action::PageDown => self.selected + page,
            Action::Home => 0,
            Action::End => last,
            _ => return false,
        };
        self.offset = paged(action, self.window(len, height).start, height);
        self.selected = to.min(last);
        self.offset = self.window(len, height).start;
        *self != before
    }

    /// Puts the cursor on a row and scrolls just as far as needed from what is on the screen.
    pub fn select(&mut self, row: usize, len: usize, height: usize) {
        self.offset = self.window(len, height).start;
        self.selected = row.min(len.saturating_sub(1));
        self.offset = self.window(len, height).start;
    }

    /// The rows on the screen, the one under the cursor always among them.
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

    /// Puts the cursor on the row under a click; whether something changed.
    pub fn click(&mut self, len: usize, area: Rect, y: u16) -> bool {
        let before = *self;
        if let Some(row) = self.row_at(len, area, y) {
            self.select(row, len, height(area));
        }
        *self != before
    }

    /// `57/301`, for the pane's title.
    pub fn position(&self, len: usize) -> String {
        format!("{}/{len}", (self.selected + 1).min(len))
    }
}

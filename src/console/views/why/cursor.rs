//! The cursor in an answer: it stays on its line while other lines are added around it.

use ratatui::layout::Position;

use crate::action::Action;
use crate::widgets::table::{TableState, paged};

use super::arrangement::WhyColumn;
use super::rows::{Folds, WhyKey};

/// The cursor, and the scroll positions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WhyCursor {
    /// The section.
    pub(super) key: WhyKey,
    /// The line of the section, from 1; 0 is the title.
    pub(super) line: usize,
    /// The index of the selected link of the line.
    pub(super) choice: usize,
    /// The first visible row of each column.
    offsets: [usize; 3],
}

impl WhyCursor {
    /// The column of the cursor, and its stop there.
    pub(super) fn place(&self, columns: &[WhyColumn]) -> (usize, usize) {
        let here = (self.key, self.line);
        let at = |column: &WhyColumn| column.stops().iter().position(|stop| *stop == here);
        let found = columns.iter().enumerate().find_map(|(n, column)| Some((n, at(column)?)));
        // If the line is gone, the title of its section, or else the first row.
        let title = |column: &WhyColumn| column.stops().iter().position(|stop| *stop == (self.key, 0));
        let near = || columns.iter().enumerate().find_map(|(n, column)| Some((n, title(column)?)));
        found.or_else(near).unwrap_or((0, 0))
    }

    /// The visible rows of a column, including those under the cursor.
    pub(super) fn window(&self, columns: &[WhyColumn], at: usize) -> std::ops::Range<usize> {
        let Some(column) = columns.get(at) else { return 0..0 };
        let height = usize::from(column.area.height);
        let offset = self.offsets.get(at).copied().unwrap_or(0);
        let here = self.place(columns);
        let under = column.stops().get(here.1).filter(|_| here.0 == at).map(|stop| column.rows_of(*stop));
        let Some(under) = under else {
            let start = offset.min(column.rows.len().saturating_sub(height));
            return start..(start + height).min(column.rows.len());
        };
        // Show as much of a long line as there is room for, from its first row.
        let last = under.end.saturating_sub(1).min(under.start + height.saturating_sub(1));
        let through_last = TableState { selected: last, offset }.window(column.rows.len(), height);
        TableState { selected: under.start, offset: through_last.start }.window(column.rows.len(), height)
    }

    fn put(&mut self, columns: &[WhyColumn], at: usize, stop: usize) {
        let Some(column) = columns.get(at) else { return };
        let stops = column.stops();
        let Some((key, line)) = stops.get(stop.min(stops.len().saturating_sub(1))).copied() else { return };
        *self = Self { key, line, choice: 0, ..*self };
        self.offsets = [0, 1, 2].map(|column| self.window(columns, column).start);
    }

    /// Moves within a column, or on to the column above or below; returns whether anything changed.
    pub(super) fn move_cursor(&mut self, columns: &[WhyColumn], action: Action) -> bool {
        let (at, stop) = self.place(columns);
        let Some(column) = columns.get(at) else { return false };
        if matches!(action, Action::PageUp | Action::PageDown) {
            return self.scroll_page(columns, at, action);
        }
        let mut table = TableState { selected: stop, offset: stop };
        table.move_cursor(action, column.stops().len(), usize::from(column.area.height));
        let moved = table.selected != stop;
        let to = match stop_in_next_column(columns, at, action) {
            Some(to) if !moved || matches!(action, Action::Home | Action::End) => to,
            _ if moved => (at, table.selected),
            _ => return false,
        };
        self.put(columns, to.0, to.1);
        true
    }

    /// Scrolls all columns by a page; the cursor keeps its place on the screen.
    fn scroll_page(&mut self, columns: &[WhyColumn], at: usize, action: Action) -> bool {
        let before = (self.key, self.line, self.choice, self.offsets);
        let Some(column) = columns.get(at) else { return false };
        let (height, (_, stop)) = (usize::from(column.area.height), self.place(columns));
        let stops = column.stops();
        let Some(under) = stops.get(stop).map(|stop| column.rows_of(*stop).start) else { return false };
        let (from, start) = (self.window(columns, at).start, self.page_of(columns, at, action));
        // On the first or last page the cursor moves to the end of the rows.
        let to =
            if start == from { paged(action, under, height) } else { (under + start).saturating_sub(from) };
        self.offsets = [0, 1, 2].map(|column| self.page_of(columns, column, action));
        let reached = stops.iter().rposition(|stop| column.rows_of(*stop).start <= to);
        self.put(columns, at, reached.unwrap_or(0));
        before != (self.key, self.line, self.choice, self.offsets)
    }

    /// The first row of a column after scrolling by a page; the last page is always full.
    fn page_of(&self, columns: &[WhyColumn], at: usize, action: Action) -> usize {
        let Some(column) = columns.get(at) else { return 0 };
        let height = usize::from(column.area.height);
        let last = column.rows.len().saturating_sub(height);
        paged(action, self.window(columns, at).start, height).min(last)
    }

    /// Moves the cursor to the other column.
    pub(super) fn other_column(&mut self, columns: &[WhyColumn]) -> bool {
        let (at, _) = self.place(columns);
        let here = columns.get(at);
        let elsewhere = |column: &WhyColumn| here.is_some_and(|here| !column.is_in_line_with(here));
        let to = columns.iter().position(elsewhere).unwrap_or(at);
        let first = self.window(columns, to).start;
        let row = columns.get(to).and_then(|column| column.rows.get(first));
        let Some(stop) = row.map(|row| (row.key, row.line)).filter(|_| to != at) else { return false };
        let stop = columns.get(to).and_then(|column| column.stops().iter().position(|have| *have == stop));
        self.put(columns, to, stop.unwrap_or(0));
        true
    }

    /// On a line: selects the previous or next link; on a title: folds or unfolds the section.
    pub(super) fn sideways(&mut self, folds: &mut Folds, action: Action, links: usize) -> bool {
        let right = action == Action::Right;
        // A title that names several things has them chosen; z folds it.
        if self.line == 0 && links < 2 {
            let changes = folds.has(self.key) == right;
            if changes {
                folds.toggle(self.key);
            }
            return changes;
        }
        let to = if right {
            (self.choice + 1).min(links.saturating_sub(1))
        } else {
            self.choice.saturating_sub(1)
        };
        if !right && self.choice == 0 {
            self.line = 0;
            return true;
        }
        std::mem::replace(&mut self.choice, to) != to
    }

    /// The column and the row under a click.
    pub(super) fn row_at(&self, columns: &[WhyColumn], click: Position) -> Option<(usize, usize)> {
        let at = columns.iter().position(|column| column.area.contains(click))?;
        let window = self.window(columns, at);
        let column = columns.get(at)?;
        let row = window.start + usize::from(click.y.saturating_sub(column.area.y));
        (window.contains(&row) && row < column.rows.len()).then_some((at, row))
    }

    /// Puts the cursor on a row; returns whether it moved.
    pub(super) fn put_on(&mut self, columns: &[WhyColumn], (at, row): (usize, usize)) -> bool {
        let Some(column) = columns.get(at) else { return false };
        let Some(row) = column.rows.get(row) else { return false };
        let before = (self.key, self.line, self.choice);
        let stop = column.stops().iter().position(|stop| *stop == (row.key, row.line));
        self.put(columns, at, stop.unwrap_or(0));
        before != (self.key, self.line, self.choice)
    }
}

/// The stop that a key moves to in the column above or below, if they are stacked.
fn stop_in_next_column(columns: &[WhyColumn], at: usize, action: Action) -> Option<(usize, usize)> {
    let to = match action {
        Action::Down | Action::End => at + 1,
        Action::Up | Action::Home => at.checked_sub(1)?,
        _ => return None,
    };
    let (here, next) = columns.get(at).zip(columns.get(to))?;
    let is_first = matches!(action, Action::Down | Action::Home);
    let stop = if is_first { 0 } else { next.stops().len().saturating_sub(1) };
    next.is_in_line_with(here).then_some((to, stop))
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;
    use crate::views::why::rows::WhyRow;

    #[test]
    fn a_page_moves_the_rows_with_the_cursor() {
        let key = WhyKey::default();
        let row = |line| WhyRow {
            key,
            line,
            text: String::new(),
            is_first: true,
            is_success: None,
            bar: None,
            lead_letters: 0,
        };
        let column = WhyColumn { area: Rect::new(0, 0, 40, 5), rows: (0..12).map(row).collect() };
        let (columns, mut cursor) = ([column], WhyCursor { line: 1, ..WhyCursor::default() });
        let pressed = [Action::PageDown, Action::PageDown, Action::PageDown, Action::PageUp, Action::PageUp];
        let seen = pressed.map(|action| {
            cursor.move_cursor(&columns, action);
            (cursor.line, cursor.window(&columns, 0))
        });
        // The second page is the last one; the third press moves to its end.
        assert_eq!(seen, [(5, 4..9), (8, 7..12), (11, 7..12), (7, 3..8), (4, 0..5)]);
    }

    /// If one column is at its end, the other one continues to scroll.
    #[test]
    fn a_page_moves_both_columns() {
        let key = WhyKey::default();
        let row = |line| WhyRow {
            key,
            line,
            text: String::new(),
            is_first: true,
            is_success: None,
            bar: None,
            lead_letters: 0,
        };
        let column = |x, lines: std::ops::Range<usize>| WhyColumn {
            area: Rect::new(x, 0, 40, 5),
            rows: lines.map(row).collect(),
        };
        let columns = [column(0, 0..4), column(40, 10..24)];
        let mut cursor = WhyCursor { line: 1, ..WhyCursor::default() };
        let seen = [Action::PageDown, Action::PageDown, Action::PageDown, Action::PageUp].map(|action| {
            let changes = cursor.move_cursor(&columns, action);
            (cursor.place(&columns), cursor.window(&columns, 1), changes)
        });
        let expected =
            [((0, 3), 4..9, true), ((0, 3), 8..13, true), ((0, 3), 9..14, true), ((0, 0), 5..10, true)];
        assert_eq!(seen, expected);
    }
}

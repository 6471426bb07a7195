//! Rows with a cursor, filtered and put in an order.

use std::rc::Rc;

use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::layout::inner_area;
use crate::theme::Theme;
use crate::views::Update;
use crate::widgets::table::{Table, TableColumn, TableState, height};

/// All rows in the order of the model, the rows that match the filter, and the cursor among these.
#[derive(Debug)]
pub(crate) struct FilteredList<L> {
    all: Vec<Rc<L>>,
    kept: Vec<Rc<L>>,
    /// Number of rows filtered so far; a very long list is filtered in slices.
    seen: usize,
    /// The row under the cursor before the filter hid it. The cursor returns to it when it matches again, unless the
    /// cursor was moved.
    hidden: Option<Rc<L>>,
    /// Which rows are not counted, such as headings, and their indices in `matching_rows`.
    is_extra: fn(&L) -> bool,
    extras: Vec<usize>,
    /// The cursor, as an index into `matching_rows`.
    pub table: TableState,
}

impl<L> Default for FilteredList<L> {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            kept: Vec::new(),
            seen: 0,
            hidden: None,
            is_extra: |_| false,
            extras: Vec::new(),
            table: TableState::default(),
        }
    }
}

impl<L> FilteredList<L> {
    /// Sets which rows are not counted, such as headings; to be called before any rows are set.
    pub(crate) fn leave_out(&mut self, is_extra: fn(&L) -> bool) {
        self.is_extra = is_extra;
    }

    /// Replaces the rows; the cursor goes to the row that is the `same`, if it matches the filter.
    pub(crate) fn set(&mut self, all: Vec<Rc<L>>, keep: impl Fn(&L) -> bool, same: impl Fn(&L, &L) -> bool) {
        let before = self.selected_row();
        let is_still = |line: &L| before.as_deref().is_some_and(|before| same(line, before));
        self.set_some(all, usize::MAX, keep, is_still);
    }

    /// The same, but filters only the first `most` rows, and finds the row of the cursor by `is_still`.
    pub(crate) fn set_some(
        &mut self,
        all: Vec<Rc<L>>,
        most: usize,
        keep: impl Fn(&L) -> bool,
        is_still: impl Fn(&L) -> bool,
    ) {
        let had_row = self.selected_row().is_some();
        self.all = all;
        self.begin_keep();
        self.hidden = None;
        self.filter_some(most, keep);
        if had_row {
            self.put_on(is_still);
            self.hidden = self.selected_row().filter(|_| !self.is_whole());
        }
    }

    /// The row hidden by the filter that the cursor returns to.
    pub(crate) fn hidden_row(&self) -> Option<Rc<L>> {
        self.hidden.clone()
    }

    /// Searches for the hidden row among replaced rows.
    pub(crate) fn hide(&mut self, is_same: impl Fn(&L) -> bool) {
        let hidden = self.all.iter().find(|line| is_same(line)).cloned();
        if hidden.is_some() {
            self.hidden = hidden;
            self.go_to_hidden();
        }
    }

    /// Replaces the rows by the same rows in another order of the model; the kept rows, which must be all, stay in
    /// their order.
    pub(crate) fn reorder(&mut self, all: Vec<Rc<L>>) {
        self.seen = all.len();
        self.all = all;
    }

    /// Filters the rows, in the order of the model; the cursor stays on its row if it matches.
    pub(crate) fn filter_rows(&mut self, keep: impl Fn(&L) -> bool) {
        self.begin_keep();
        self.filter_some(usize::MAX, keep);
    }

    /// Starts filtering with no row; [`FilteredList::filter_some`] continues.
    pub(crate) fn begin_keep(&mut self) {
        self.hidden = self.hidden.take().or_else(|| self.selected_row());
        self.kept.clear();
        self.extras.clear();
        self.seen = 0;
    }

    /// Filters up to `most` further rows.
    pub(crate) fn filter_some(&mut self, most: usize, keep: impl Fn(&L) -> bool) {
        let to = self.seen.saturating_add(most).min(self.all.len());
        let part = self.all.get(self.seen..to).unwrap_or_default();
        for line in part.iter().filter(|line| keep(line)) {
            if (self.is_extra)(line) {
                self.extras.push(self.kept.len());
            }
            self.kept.push(line.clone());
        }
        self.seen = to;
        self.go_to_hidden();
    }

    fn go_to_hidden(&mut self) {
        let hidden = self.hidden.clone();
        // A long list gets further rows, and is sorted again each time.
        if self.stay_on(hidden.as_ref()) && self.is_whole() {
            self.hidden = None;
        }
    }

    /// Number of kept rows below the last one visible in a table in that area.
    pub(crate) fn rows_below(&self, table: Rect) -> usize {
        self.kept.len().saturating_sub(self.table.window(self.kept.len(), height(table)).end)
    }

    /// Whether all rows have been filtered.
    pub(crate) fn is_whole(&self) -> bool {
        self.seen >= self.all.len()
    }

    /// Reorders the kept rows by the indices `places`; the cursor stays on its row.
    pub(crate) fn arrange(&mut self, places: &[usize]) {
        let before = self.kept.get(self.table.selected).cloned();
        self.kept = places.iter().filter_map(|at| self.kept.get(*at).cloned()).collect();
        let rows = self.kept.iter().enumerate();
        self.extras = rows.filter(|(_, line)| (self.is_extra)(line)).map(|(at, _)| at).collect();
        self.stay_on(before.as_ref());
    }

    /// Puts the kept rows below headings, groups given by the indices of their rows; the cursor stays on its row.
    pub(crate) fn group(&mut self, groups: Vec<(Option<L>, Vec<usize>)>) {
        let before = self.kept.get(self.table.selected).cloned();
        let mut kept = Vec::with_capacity(self.kept.len() + groups.len());
        self.extras.clear();
        for (heading, rows) in groups {
            if let Some(heading) = heading {
                self.extras.push(kept.len());
                kept.push(Rc::new(heading));
            }
            kept.extend(rows.iter().filter_map(|at| self.kept.get(*at).cloned()));
        }
        self.kept = kept;
        self.stay_on(before.as_ref());
    }

    /// Puts the cursor on a row; false if it does not match the filter.
    fn stay_on(&mut self, line: Option<&Rc<L>>) -> bool {
        let at = line.and_then(|line| self.kept.iter().position(|kept| Rc::ptr_eq(kept, line)));
        self.table.selected = at.unwrap_or(self.table.selected).min(self.kept.len().saturating_sub(1));
        at.is_some()
    }

    /// Puts the cursor at an index, if there is one, and forgets the hidden row.
    fn put_at(&mut self, at: Option<usize>) -> bool {
        if let Some(at) = at {
            self.table.selected = at;
            self.hidden = None;
        }
        at.is_some()
    }

    /// All rows, in the order of the model.
    pub(crate) fn all(&self) -> &[Rc<L>] {
        &self.all
    }

    /// The rows that match the filter, in their order.
    pub(crate) fn matching_rows(&self) -> &[Rc<L>] {
        &self.kept
    }

    /// Number of kept rows that are counted.
    pub(crate) fn rows(&self) -> usize {
        self.kept.len().saturating_sub(self.extras.len())
    }

    /// Maximum number of rows to draw with any filter, headings of groups included.
    pub(crate) fn height(&self) -> usize {
        self.all.len().max(self.kept.len())
    }

    /// Number of all rows.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Puts the cursor on the next row that `meant` accepts, going round; false if there is none.
    pub(crate) fn next_match(&mut self, forward: bool, meant: impl Fn(&L) -> bool) -> bool {
        let (len, here) = (self.kept.len(), self.table.selected);
        let place = |by: usize| if forward { (here + by) % len } else { (here + len - by) % len };
        let found = (1..=len).map(place).find(|at| self.kept.get(*at).is_some_and(|line| meant(line)));
        self.put_at(found)
    }

    /// Puts the cursor on the first row of the next or previous group; false if there is none.
    pub(crate) fn next_group(&mut self, forward: bool, is_heading: impl Fn(&L) -> bool) -> bool {
        let here = self.table.selected;
        let starts = self.kept.windows(2).enumerate().filter_map(|(at, pair)| match pair {
            [heading, row] => (is_heading(heading) && !is_heading(row)).then_some(at + 1),
            _ => None,
        });
        let found = match forward {
            true => starts.filter(|at| *at > here).min(),
            false => starts.filter(|at| *at < here).max(),
        };
        self.put_at(found)
    }

    /// Whether no row matches the filter.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether there are no rows at all.
    pub(crate) fn has_nothing(&self) -> bool {
        self.all.is_empty()
    }

    /// The row under the cursor.
    pub(crate) fn selected_row(&self) -> Option<Rc<L>> {
        self.kept.get(self.table.selected).cloned()
    }

    /// The row under the cursor.
    pub(crate) fn selected(&self) -> Option<&L> {
        self.kept.get(self.table.selected).map(|line| &**line)
    }

    /// The cursor's position among the counted rows, such as `2/9`; empty without rows. On a heading it is that of the
    /// row below.
    pub(crate) fn position(&self) -> String {
        let rows = self.rows();
        let above = self.extras.partition_point(|at| *at < self.table.selected);
        match rows {
            0 => String::new(),
            _ => format!("{}/{rows}", (self.table.selected - above + 1).min(rows)),
        }
    }

    /// Puts the cursor on the first row that `meant` accepts; false if there is none.
    pub(crate) fn put_on(&mut self, meant: impl Fn(&L) -> bool) -> bool {
        let at = self.kept.iter().position(|line| meant(line));
        self.put_at(at)
    }

    /// Moves the cursor in a pane of that area.
    pub(crate) fn move_cursor(&mut self, action: Action, pane: Rect) -> Update {
        match action {
            // Nothing is beside a row.
            Action::Left | Action::Right => Update::unknown(),
            _ if action.moves() => {
                self.hidden = None;
                Update::changed_if(self.table.move_cursor(action, self.kept.len(), height(inner_area(pane))))
            }
            _ => Update::unknown(),
        }
    }

    /// Handles a click into a pane of that area.
    pub(crate) fn click(&mut self, at: Position, pane: Rect) -> Update {
        self.hidden = None;
        Update::changed_if(self.table.click(self.kept.len(), inner_area(pane), at.y))
    }

    /// The table of the kept rows.
    pub(crate) fn table<'t, 'a>(
        &'a self,
        columns: &'t [TableColumn<'a, Rc<L>>],
        theme: &'t Theme,
    ) -> Table<'t, 'a, Rc<L>> {
        Table::new(columns, &self.kept, self.table, theme)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Console.md 6: the selection follows its row, also through a filter that hides it.
    #[test]
    fn the_cursor_comes_back_to_the_row_that_a_filter_hid() {
        let rows = || ["a1", "b1", "a2", "b2"].map(Rc::new).to_vec();
        let mut list: FilteredList<&str> = FilteredList::default();
        list.set(rows(), |_| true, |a, b| a == b);
        assert!(list.put_on(|row| *row == "b2"));
        for hides in ["none", "a"] {
            list.filter_rows(|row| row.starts_with(hides));
            assert_ne!(list.selected(), Some(&"b2"));
            list.filter_rows(|_| true);
            assert_eq!(list.selected(), Some(&"b2"), "{hides}");
        }
        // The rows are replaced while it is hidden.
        list.filter_rows(|row| row.starts_with('a'));
        let hidden = list.hidden_row().map(|row| *row);
        list.set(rows(), |row| row.starts_with('a'), |a, b| a == b);
        list.hide(|row| Some(*row) == hidden);
        list.filter_rows(|_| true);
        assert_eq!((hidden, list.selected()), (Some("b2"), Some(&"b2")));
        // Once the cursor is moved, it stays there.
        list.filter_rows(|row| row.starts_with('a'));
        assert!(list.next_match(true, |_| true));
        let moved = list.selected().copied();
        list.filter_rows(|_| true);
        assert_eq!(list.selected().copied(), moved);
    }

    #[test]
    fn groups_stand_below_their_headings_and_the_cursor_on_its_row() {
        let mut list: FilteredList<&str> = FilteredList::default();
        list.leave_out(|row| row.starts_with('#'));
        list.set(["a1", "b1", "a2"].map(Rc::new).into(), |_| true, |a, b| a == b);
        assert!(list.put_on(|row| *row == "a2"));
        list.group(vec![(Some("#a"), vec![0, 2]), (Some("#b"), vec![1])]);
        let rows: Vec<&str> = list.matching_rows().iter().map(|row| **row).collect();
        assert_eq!(rows, ["#a", "a1", "a2", "#b", "b1"]);
        assert_eq!((list.selected(), list.rows(), &*list.position()), (Some(&"a2"), 3, "2/3"));
    }
}

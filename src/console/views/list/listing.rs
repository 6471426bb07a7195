//! Rows under a cursor, kept by a filter and put in an order.

use std::rc::Rc;

use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::layout::inside;
use crate::theme::Theme;
use crate::views::Update;
use crate::widgets::table::{Table, TableColumn, TableState, height};

/// Rows in the order of the model, those that the filter keeps, and the cursor among them.
#[derive(Debug)]
pub(crate) struct Listing<L> {
    all: Vec<Rc<L>>,
    kept: Vec<Rc<L>>,
    /// So many rows the filter has seen; of a very long list the rest is still to come.
    seen: usize,
    /// The row that the cursor was on before the filter hid it: it is that of the cursor again once it is kept, unless the
    /// cursor was moved.
    hidden: Option<Rc<L>>,
    /// Which rows are not counted, such as those that only name what follows, and their places among those kept.
    is_extra: fn(&L) -> bool,
    extras: Vec<usize>,
    /// The cursor.
    pub table: TableState,
}

impl<L> Default for Listing<L> {
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

impl<L> Listing<L> {
    /// Which of the rows that will be set are not counted, such as headings.
    pub(crate) fn leave_out(&mut self, is_extra: fn(&L) -> bool) {
        self.is_extra = is_extra;
    }

    /// Other rows; the cursor goes to the one that is the `same`, if it is kept.
    pub(crate) fn set(&mut self, all: Vec<Rc<L>>, keep: impl Fn(&L) -> bool, same: impl Fn(&L, &L) -> bool) {
        let before = self.selected_row();
        let is_still = |line: &L| before.as_deref().is_some_and(|before| same(line, before));
        self.set_some(all, usize::MAX, keep, is_still);
    }

    /// The same with the filter over so many rows only, where `is_still` finds the row that was under the cursor.
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
        self.keep_some(most, keep);
        if had_row {
            self.put_on(is_still);
            self.hidden = self.selected_row().filter(|_| !self.is_whole());
        }
    }

    /// The row that the filter hides and that the cursor goes back to.
    pub(crate) fn hidden_row(&self) -> Option<Rc<L>> {
        self.hidden.clone()
    }

    /// After other rows were set: the hidden row is the one that is the same, if it is still not kept.
    pub(crate) fn hide(&mut self, is_same: impl Fn(&L) -> bool) {
        let hidden = self.all.iter().find(|line| is_same(line)).cloned();
        if hidden.is_some() {
            self.hidden = hidden;
            self.go_to_hidden();
        }
    }

    /// The same rows in another order of the model; all are kept already, and stay where they stand.
    pub(crate) fn reorder(&mut self, all: Vec<Rc<L>>) {
        self.seen = all.len();
        self.all = all;
    }

    /// Keeps what fits, in the order of the model; the cursor stays on its row where that is kept.
    pub(crate) fn keep(&mut self, keep: impl Fn(&L) -> bool) {
        self.begin_keep();
        self.keep_some(usize::MAX, keep);
    }

    /// Keeps nothing yet; [`Listing::keep_some`] does.
    pub(crate) fn begin_keep(&mut self) {
        self.hidden = self.hidden.take().or_else(|| self.selected_row());
        self.kept.clear();
        self.extras.clear();
        self.seen = 0;
    }

    /// Keeps what fits of so many rows more.
    pub(crate) fn keep_some(&mut self, most: usize, keep: impl Fn(&L) -> bool) {
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
        // Of a long list more rows come, and each time they are put into their order anew.
        if self.stay_on(hidden.as_ref()) && self.is_whole() {
            self.hidden = None;
        }
    }

    /// How many of the rows kept stand below those that a table in the area shows.
    pub(crate) fn below(&self, table: Rect) -> usize {
        self.kept.len().saturating_sub(self.table.window(self.kept.len(), height(table)).end)
    }

    /// Whether the filter has seen all rows.
    pub(crate) fn is_whole(&self) -> bool {
        self.seen >= self.all.len()
    }

    /// Puts the rows kept into another order, given by their places; the cursor stays on its row.
    pub(crate) fn arrange(&mut self, places: &[usize]) {
        let before = self.kept.get(self.table.selected).cloned();
        self.kept = places.iter().filter_map(|at| self.kept.get(*at).cloned()).collect();
        let rows = self.kept.iter().enumerate();
        self.extras = rows.filter(|(_, line)| (self.is_extra)(line)).map(|(at, _)| at).collect();
        self.stay_on(before.as_ref());
    }

    /// Puts the rows kept below headings, groups given by the places of their rows; the cursor stays on its row.
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

    /// Puts the cursor on a row; false where it is not kept.
    fn stay_on(&mut self, line: Option<&Rc<L>>) -> bool {
        let at = line.and_then(|line| self.kept.iter().position(|kept| Rc::ptr_eq(kept, line)));
        self.table.selected = at.unwrap_or(self.table.selected).min(self.kept.len().saturating_sub(1));
        at.is_some()
    }

    /// Puts the cursor on a row at that place, if there is one, and leaves the hidden one.
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

    /// The rows kept, in their order.
    pub(crate) fn kept(&self) -> &[Rc<L>] {
        &self.kept
    }

    /// How many of them are counted.
    pub(crate) fn rows(&self) -> usize {
        self.kept.len().saturating_sub(self.extras.len())
    }

    /// How many rows there are to draw at most, whatever the filter: those of groups with their headings.
    pub(crate) fn height(&self) -> usize {
        self.all.len().max(self.kept.len())
    }

    /// How many rows there are, whatever the filter.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Puts the cursor on the next row that is meant, going round; false when there is none.
    pub(crate) fn next_match(&mut self, forward: bool, meant: impl Fn(&L) -> bool) -> bool {
        let (len, here) = (self.kept.len(), self.table.selected);
        let place = |by: usize| if forward { (here + by) % len } else { (here + len - by) % len };
        let found = (1..=len).map(place).find(|at| self.kept.get(*at).is_some_and(|line| meant(line)));
        self.put_at(found)
    }

    /// Puts the cursor on the first row of the next group, or of the one before; false where there is none.
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

    /// Whether none is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether there are none at all, whatever the filter.
    pub(crate) fn has_nothing(&self) -> bool {
        self.all.is_empty()
    }

    /// The row under the cursor, to keep.
    pub(crate) fn selected_row(&self) -> Option<Rc<L>> {
        self.kept.get(self.table.selected).cloned()
    }

    /// The row under the cursor.
    pub(crate) fn selected(&self) -> Option<&L> {
        self.kept.get(self.table.selected).map(|line| &**line)
    }

    /// The place of the cursor among the rows that are counted; nothing of no rows. On another row it is that of the row below.
    pub(crate) fn position(&self) -> String {
        let rows = self.rows();
        let above = self.extras.partition_point(|at| *at < self.table.selected);
        match rows {
            0 => String::new(),
            _ => format!("{}/{rows}", (self.table.selected - above + 1).min(rows)),
        }
    }

    /// Puts the cursor on the first row that is meant; false when none is kept.
    pub(crate) fn put_on(&mut self, meant: impl Fn(&L) -> bool) -> bool {
        let at = self.kept.iter().position(|line| meant(line));
        self.put_at(at)
    }

    /// Moves the cursor in a pane of that area.
    pub(crate) fn go(&mut self, action: Action, pane: Rect) -> Update {
        match action {
            Action::Left | Action::Right => Update::nothing(),
            _ if action.moves() => {
                self.hidden = None;
                Update::changed_if(self.table.go(action, self.kept.len(), height(inside(pane))))
            }
            _ => Update::unknown(),
        }
    }

    /// A click into a pane of that area.
    pub(crate) fn click(&mut self, at: Position, pane: Rect) -> Update {
        self.hidden = None;
        Update::changed_if(self.table.click(self.kept.len(), inside(pane), at.y))
    }

    /// The table of the rows.
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
        let mut list: Listing<&str> = Listing::default();
        list.set(rows(), |_| true, |a, b| a == b);
        assert!(list.put_on(|row| *row == "b2"));
        for hides in ["none", "a"] {
            list.keep(|row| row.starts_with(hides));
            assert_ne!(list.selected(), Some(&"b2"));
            list.keep(|_| true);
            assert_eq!(list.selected(), Some(&"b2"), "{hides}");
        }
        // Other rows while it is hidden.
        list.keep(|row| row.starts_with('a'));
        let hidden = list.hidden_row().map(|row| *row);
        list.set(rows(), |row| row.starts_with('a'), |a, b| a == b);
        list.hide(|row| Some(*row) == hidden);
        list.keep(|_| true);
        assert_eq!((hidden, list.selected()), (Some("b2"), Some(&"b2")));
        // Once the cursor is moved it stays where it was moved to.
        list.keep(|row| row.starts_with('a'));
        assert!(list.next_match(true, |_| true));
        let moved = list.selected().copied();
        list.keep(|_| true);
        assert_eq!(list.selected().copied(), moved);
    }

    #[test]
    fn groups_stand_below_their_headings_and_the_cursor_on_its_row() {
        let mut list: Listing<&str> = Listing::default();
        list.leave_out(|row| row.starts_with('#'));
        list.set(["a1", "b1", "a2"].map(Rc::new).into(), |_| true, |a, b| a == b);
        assert!(list.put_on(|row| *row == "a2"));
        list.group(vec![(Some("#a"), vec![0, 2]), (Some("#b"), vec![1])]);
        let rows: Vec<&str> = list.kept().iter().map(|row| **row).collect();
        assert_eq!(rows, ["#a", "a1", "a2", "#b", "b1"]);
        assert_eq!((list.selected(), list.rows(), &*list.position()), (Some(&"a2"), 3, "2/3"));
    }
}

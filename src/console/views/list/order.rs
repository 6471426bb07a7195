//! Filtering the rows, and sorting them by a column.

use std::rc::Rc;

use super::ListView;
use super::model::{ListModel, ListStamp};
use super::slices::{LARGE, PendingSlice};
use crate::action::Action;
use crate::views::table_choices::{places, places_with};
use crate::views::{Update, ViewContext};
use crate::widgets::table::{Sort, SortKey};

impl<M: ListModel> ListView<M> {
    /// Applies the filter; in a very long list to the first rows now, and to the others between key presses.
    pub(super) fn keep_matching(&mut self, cx: ViewContext<'_>) {
        let most = self.slices.first(self.list.len(), self.filter.is_empty());
        self.list.begin_keep();
        self.list.filter_some(most, |line| M::matches_filter(&self.filter, line, cx));
        self.slices.request_next(self.list.is_whole());
        self.arrange(cx);
    }

    /// Filters the next rows of a very long list.
    pub(super) fn filter_more(&mut self, cx: ViewContext<'_>) {
        self.list.filter_some(PendingSlice::NEXT, |line| M::matches_filter(&self.filter, line, cx));
        self.slices.request_next(self.list.is_whole());
        if self.list.is_whole() {
            self.arrange(cx);
        }
    }

    /// Sorts the rows as chosen, section by section; the sort is stable.
    pub(super) fn arrange(&mut self, cx: ViewContext<'_>) {
        self.stop_sorting();
        self.model.set_in_place(self.filter.is_empty() && self.chosen.sort.is_none());
        self.put_in_groups(cx);
        let Some(sort) = self.chosen.sort.clone() else { return };
        if !self.has_keys(&sort, cx) {
            return;
        }
        let columns = self.columns(cx.undrawn(), self.width);
        let Some(places) =
            places(self.list.matching_rows(), &columns, &sort, |line| M::heading(line).is_some())
        else {
            return;
        };
        drop(columns);
        self.list.arrange(&places);
    }

    /// After a step, very many rows stay in their order until their new sort keys are made: takes the lines for that,
    /// or returns them if they can be sorted at once.
    pub(super) fn sort_later(
        &mut self,
        lines: Vec<Rc<M::Line>>,
        before: Option<ListStamp>,
    ) -> Option<Vec<Rc<M::Line>>> {
        let is_step = self.made_of.zip(before).is_some_and(|(now, before)| now.has_lines_of(before));
        let is_whole =
            self.filter.is_empty() && self.group.is_none() && self.list.matching_rows().len() == lines.len();
        if !(is_step && is_whole && self.chosen.sort.is_some() && lines.len() >= LARGE) {
            return Some(lines);
        }
        self.list.reorder(lines);
        self.stop_sorting();
        self.is_to_sort = true;
        self.slices.request_next(false);
        None
    }

    /// One slice of sorting very many rows: makes some keys, and sorts the rows after the last slice. Until then they
    /// stay in their order.
    pub(super) fn sort_more(&mut self, cx: ViewContext<'_>) -> Update {
        let sort = self.chosen.sort.clone().filter(|_| self.filter.is_empty() && self.group.is_none());
        let Some(sort) = sort.filter(|sort| self.has_keys(sort, cx)) else {
            self.keep_matching(cx);
            return Update::changed();
        };
        if !self.make_keys(&sort, cx) {
            self.slices.request_next(false);
            return self.slices.request().map_or_else(Update::unchanged, Update::request);
        }
        let columns = self.columns(cx.undrawn(), self.width);
        let is_heading = |line: &Rc<M::Line>| M::heading(line).is_some();
        let places = places_with(self.list.all(), &columns, &sort, &self.keys, is_heading);
        drop(columns);
        self.list.filter_rows(|_| true);
        places.into_iter().for_each(|places| self.list.arrange(&places));
        self.stop_sorting();
        Update::changed()
    }

    /// Whether the keys of all columns of an order can be made now.
    fn has_keys(&mut self, sort: &Sort, cx: ViewContext<'_>) -> bool {
        sort.criteria().all(|one| self.model.has_keys(&one.column, self.list.len(), cx))
    }

    /// Makes the sort keys of the next rows; returns whether all are made.
    fn make_keys(&mut self, sort: &Sort, cx: ViewContext<'_>) -> bool {
        let columns = self.columns(cx.undrawn(), self.width);
        let column = columns.iter().find(|column| column.title == sort.column);
        let next = self.list.all().iter().skip(self.keys.len()).take(PendingSlice::KEYS);
        let key = |row| {
            column
                .map_or(SortKey::Nothing, |column| column.key_unless(row, |line| M::heading(line).is_some()))
        };
        let next: Vec<SortKey> = next.map(key).collect();
        drop(columns);
        self.keys.extend(next);
        self.keys.len() >= self.list.len()
    }

    fn stop_sorting(&mut self) {
        (self.is_to_sort, self.keys) = (false, Vec::new());
    }

    /// Sorts by another column, or restores the order of the model.
    pub(super) fn sort_by(&mut self, sort: Option<Sort>, cx: ViewContext<'_>) -> Update {
        self.stop_sorting();
        self.chosen.sort = sort;
        self.is_to_sort = self.list.len() >= LARGE;
        match self.is_to_sort {
            // With that many rows, the keys are made after the frame that names the new order is drawn.
            true => self.slices.request_next(false),
            false => self.keep_matching(cx),
        }
        Update::changed()
    }

    pub(super) fn titles(&self, cx: ViewContext<'_>) -> Vec<String> {
        let columns = self.columns(cx.undrawn(), self.width);
        columns.iter().map(|column| column.title.to_string()).collect()
    }

    pub(super) fn in_table(&mut self, action: Action, cx: ViewContext<'_>) -> Option<Update> {
        Some(match action {
            Action::Sort | Action::SortReverse => match self.chosen.sort_by_key(action, &self.titles(cx)) {
                Ok(sort) => self.sort_by(sort, cx),
                Err(update) => update,
            },
            Action::ToggleMap => return self.next_grouping(cx),
            _ => return None,
        })
    }
}

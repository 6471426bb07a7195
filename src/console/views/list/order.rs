//! The rows in the order of a column, and which of them the filter keeps.

use super::ListView;
use super::model::ListModel;
use super::slices::{LARGE, Slices};
use crate::action::Action;
use crate::views::chosen::{NOT_SORTED, places, plain_theme};
use crate::views::{Update, World};
use crate::widgets::table::Sort;

impl<M: ListModel> ListView<M> {
    /// Keeps what the filter fits; of a very long list the first rows now and the others between keys.
    pub(super) fn keep_matching(&mut self, world: World<'_>) {
        let most = self.slices.first(self.list.len(), self.filter.is_empty());
        self.list.begin_keep();
        self.list.keep_some(most, |line| M::keeps(&self.filter, line, world));
        self.slices.go_on(self.list.is_whole());
        self.arrange(world);
    }

    /// The next rows of a very long list.
    pub(super) fn keep_more(&mut self, world: World<'_>) {
        self.list.keep_some(Slices::NEXT, |line| M::keeps(&self.filter, line, world));
        self.slices.go_on(self.list.is_whole());
        if self.list.is_whole() {
            self.arrange(world);
        }
    }

    /// Puts the rows into the chosen order, section by section; rows that are equal in it stay as they were.
    pub(super) fn arrange(&mut self, world: World<'_>) {
        self.model.set_in_place(self.filter.is_empty() && self.chosen.sort.is_none());
        self.put_in_groups(world);
        let Some(sort) = &self.chosen.sort else { return };
        let columns = self.columns(world, plain_theme(), self.width);
        let Some(places) = places(self.list.kept(), &columns, sort, |line| M::heading(line).is_some()) else {
            return;
        };
        drop(columns);
        self.list.arrange(&places);
    }

    /// Sorts by another column, or in the order of the model.
    pub(super) fn sort_by(&mut self, sort: Option<Sort>, world: World<'_>) -> Update {
        self.chosen.sort = sort;
        self.is_to_sort = self.list.len() >= LARGE;
        match self.is_to_sort {
            // The keys of so many rows are made after the picture that names the order.
            true => self.slices.go_on(false),
            false => self.keep_matching(world),
        }
        Update::changed()
    }

    pub(super) fn titles(&self, world: World<'_>) -> Vec<String> {
        let columns = self.columns(world, plain_theme(), self.width);
        columns.iter().map(|column| column.title.to_string()).collect()
    }

    pub(super) fn in_table(&mut self, action: Action, world: World<'_>) -> Option<Update> {
        Some(match action {
            Action::Sort => {
                let next = self.chosen.next_sort(&self.titles(world));
                self.sort_by(next, world)
            }
            Action::SortReverse => match self.chosen.reversed() {
                Some(sort) => self.sort_by(Some(sort), world),
                None => Update::status(NOT_SORTED),
            },
            Action::ToggleMap => return self.next_grouping(world),
            _ => return None,
        })
    }
}

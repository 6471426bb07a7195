//! The order of the causes, or of the jobs of one, by a column.

use super::lines::{cause_columns, job_columns};
use super::{BAR, Board};
use crate::views::Update;
use crate::views::chosen::{NOT_SORTED, places, plain_theme};
use crate::widgets::table::Sort;

impl Board {
    fn titles(&self) -> Vec<String> {
        match &self.jobs {
            Some(_) => job_columns().iter().map(|column| column.title.to_string()).collect(),
            // The bar is sorted by its number.
            None => cause_columns(self.by, 1.0, BAR, plain_theme())
                .iter()
                .map(|column| column.title.to_string())
                .filter(|title| title != "core-hours")
                .collect(),
        }
    }

    /// Puts the rows into the chosen order; without one they stay as they come, those of the most core-hours first.
    pub(super) fn arrange(&mut self) {
        let Some(sort) = &self.chosen.sort else { return };
        if let Some((_, jobs)) = &mut self.jobs {
            let columns = job_columns();
            let found = places(jobs.kept(), &columns, sort, |_| false);
            drop(columns);
            found.into_iter().for_each(|places| jobs.arrange(&places));
            return;
        }
        let columns = cause_columns(self.by, 1.0, BAR, plain_theme());
        let found = places(self.causes.kept(), &columns, sort, |_| false);
        drop(columns);
        found.into_iter().for_each(|places| self.causes.arrange(&places));
    }

    pub(super) fn sort_by_next(&mut self) -> Update {
        let next = self.chosen.next_sort(&self.titles());
        self.sort_by(next)
    }

    pub(super) fn reverse(&mut self) -> Update {
        match self.chosen.reversed() {
            Some(sort) => self.sort_by(Some(sort)),
            None => Update::status(NOT_SORTED),
        }
    }

    fn sort_by(&mut self, sort: Option<Sort>) -> Update {
        self.chosen.sort = sort;
        self.refresh();
        Update::changed()
    }
}

//! The shown columns of the causes, or of the jobs of one cause, and the order of the rows.

use super::lines::{CauseColumn, JobLineColumn, cause_columns, job_columns};
use super::{BAR, BoardView};
use crate::action::Action;
use crate::theme::Theme;
use crate::views::Update;
use crate::views::table_choices::{TableShape, places, plain_theme};

impl BoardView {
    /// The columns of the causes that are not hidden.
    pub(super) fn shown_cause_columns<'a>(
        &self,
        most: f64,
        bar: u16,
        theme: &'a Theme,
    ) -> Vec<CauseColumn<'a>> {
        let mut columns = cause_columns(self.grouping, most, bar, theme);
        self.chosen.apply(&mut columns);
        columns
    }

    /// The columns of the jobs of a cause that are not hidden.
    pub(super) fn shown_job_columns<'a>(&self) -> Vec<JobLineColumn<'a>> {
        let mut columns = job_columns();
        self.chosen.apply(&mut columns);
        columns
    }

    /// The columns of the table on the screen, and the user's choices.
    pub(super) fn shape(&self) -> TableShape {
        match &self.jobs {
            Some(_) => self.chosen.shape(&job_columns()),
            None => self.chosen.shape(&cause_columns(self.grouping, 1.0, BAR, plain_theme())),
        }
    }

    fn titles(&self) -> Vec<String> {
        match &self.jobs {
            Some(_) => self.shown_job_columns().iter().map(|column| column.title.to_string()).collect(),
            // The bar is sorted by the column of its number.
            None => self
                .shown_cause_columns(1.0, BAR, plain_theme())
                .iter()
                .map(|column| column.title.to_string())
                .filter(|title| title != "core-hours")
                .collect(),
        }
    }

    /// Sorts the rows as chosen; without a choice they stay in the order of most core-hours first.
    pub(super) fn arrange(&mut self) {
        let Some(sort) = &self.chosen.sort else { return };
        if let Some((_, jobs)) = &mut self.jobs {
            let columns = job_columns();
            let found = places(jobs.matching_rows(), &columns, sort, |_| false);
            drop(columns);
            found.into_iter().for_each(|places| jobs.arrange(&places));
            return;
        }
        let columns = cause_columns(self.grouping, 1.0, BAR, plain_theme());
        let found = places(self.causes.matching_rows(), &columns, sort, |_| false);
        drop(columns);
        found.into_iter().for_each(|places| self.causes.arrange(&places));
    }

    /// Sorts by the next column, or reverses the order.
    pub(super) fn sort(&mut self, action: Action) -> Update {
        match self.chosen.sort_by_key(action, &self.titles()) {
            Ok(sort) => self.chosen.sort = sort,
            Err(update) => return update,
        }
        self.refresh();
        Update::changed()
    }
}

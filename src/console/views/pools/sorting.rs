//! The columns of the sets, and the chosen order within each pool.

use std::rc::Rc;

use super::cells::{self, PoolCells};
use super::job_trial::{JobSetTrial, sums};
use super::layout::ROOMY;
use super::tree::{PoolLine, heading};
use super::{PoolsView, is_sorted};
use crate::action::Action;
use crate::views::table_choices::places;
use crate::views::{Update, ViewContext};
use crate::widgets::table::{Sort, TableColumn, width_of};
use qscope_engine::cluster::ResourceId;

impl PoolsView {
    /// The shown columns of a table of that width.
    pub(super) fn columns<'a>(
        &'a self,
        cx: ViewContext<'a>,
        job: Option<&'a JobSetTrial<'a>>,
        width: u16,
    ) -> Vec<TableColumn<'a, Rc<PoolLine>>> {
        let mut fields = cells::fields(width, is_sorted(cx), job.is_some());
        // The column would contain nothing but dashes.
        let state = cx.state();
        if !state.sets.ids().any(|set| sums(state, set, ResourceId::mem()).is_some()) {
            fields.retain(|field| !field.is_mem());
        }
        let columns = |room| -> Vec<TableColumn<'a, Rc<PoolLine>>> {
            let cells = PoolCells { view: self, cx, theme: cx.theme, meeting: job, room };
            let mut columns =
                fields.iter().map(|field| field.column(self.sizes, width >= ROOMY, cells)).collect();
            self.chosen.apply(&mut columns);
            columns
        };
        // The resolution of the map depends on the width of its column.
        let room = width_of(&columns(0), cells::MAP, width);
        columns(room)
    }

    /// How many nodes the cells of the maps have, in words, in a table with these columns and that width.
    pub(super) fn scale(&self, columns: &[TableColumn<'_, Rc<PoolLine>>], width: u16) -> String {
        match width_of(columns, cells::MAP, width) {
            0 => String::new(),
            room => self.sizes.scale(room),
        }
    }

    /// Sorts the sets of each pool as chosen.
    pub(super) fn arrange(&mut self, cx: ViewContext<'_>) {
        let Some(sort) = &self.chosen.sort else { return };
        let job = JobSetTrial::of(cx);
        let columns = self.columns(cx.undrawn(), job.as_ref(), self.width);
        let found = places(self.list.matching_rows(), &columns, sort, |line| heading(line).is_some());
        drop(columns);
        if let Some(places) = found {
            self.list.arrange(&places);
        }
    }

    /// Sorts by the next column, restores the order tried, or reverses the order.
    pub(super) fn sort(&mut self, action: Action, cx: ViewContext<'_>) -> Update {
        let job = JobSetTrial::of(cx);
        let columns = self.columns(cx.undrawn(), job.as_ref(), self.width);
        let named = columns.iter().map(|column| column.title.to_string());
        let titles: Vec<String> = named.filter(|title| title != cells::MAP).collect();
        drop(columns);
        match self.chosen.sort_by_key(action, &titles) {
            Ok(sort) => self.sort_by(sort, cx),
            Err(update) => update,
        }
    }

    pub(super) fn sort_by(&mut self, sort: Option<Sort>, cx: ViewContext<'_>) -> Update {
        self.chosen.sort = sort;
        self.make_lines(cx);
        Update::changed()
    }
}

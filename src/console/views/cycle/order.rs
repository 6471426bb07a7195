//! The order of the queue's rows and its columns as chosen; the rows and columns as values for export.

use super::columns::{WHY, columns};
use super::draw_context::DrawContext;
use super::state::CycleView;
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::{CycleLine, CycleRow};
use crate::task::TaskNews;
use crate::views::table_choices::{TableShape, places};
use crate::views::{Effect, Grid, Pending, Update, ViewContext};
use crate::widgets::table::{Sort, TableColumn};

impl CycleView {
    /// The shown columns, as far as there is room.
    pub(super) fn shown_columns<'a>(context: DrawContext<'a>, room: u16) -> Vec<TableColumn<'a, CycleLine>> {
        let mut all = columns(context, room);
        context.view.chosen.apply(&mut all);
        all
    }

    fn plain<'a>(&'a self, cx: ViewContext<'a>) -> DrawContext<'a> {
        DrawContext::new(self, cx.undrawn())
    }

    /// All columns, and what was chosen.
    pub(super) fn shape(&self, cx: ViewContext<'_>) -> TableShape {
        let mut all = columns(self.plain(cx), self.columns);
        // The column of marks has no title to choose it by.
        all.retain(|column| !column.title.is_empty());
        self.chosen.shape(&all)
    }

    /// Puts the rows into the chosen order within each section; without a choice, the order of the scheduler.
    pub(super) fn arrange(&mut self, cx: ViewContext<'_>) {
        self.filtering = Pending::default();
        self.rows = match self.queue.is_large() && !self.filter.is_empty() {
            _ if self.filter.is_empty() => self.queue.every_line(),
            false => self.queue.matching(cx.run(), &cx.screen.known_reasons(), &self.filter),
            // The first matches at once; a worker finds all of them.
            true => {
                let (run, reasons) = (cx.run().clone(), cx.screen.known_reasons());
                let matching = self.queue.matching_task(run, reasons, self.filter.clone());
                self.requests.push(self.filtering.start(matching));
                self.queue.first_matching(cx.run(), &cx.screen.known_reasons(), &self.filter)
            }
        };
        self.sort_rows(cx);
    }

    /// Takes the rows that match from a worker; returns whether the news was for this.
    pub(super) fn on_filtered(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> bool {
        let Some(rows) = self.filtering.take(news) else { return false };
        self.rows.clone_from(&rows);
        self.sort_rows(cx);
        if !self.select_hidden() && !self.show_subject() {
            self.replace_subject();
        }
        true
    }

    pub(super) fn sort_rows(&mut self, cx: ViewContext<'_>) {
        self.sort_by_column(cx);
        self.departed_rows.clear();
        if !self.queue.left.is_empty() {
            let left = self.rows.iter().enumerate().filter(|(_, row)| matches!(row, CycleLine::Departed(..)));
            self.departed_rows.extend(left.map(|(at, _)| at));
        }
    }

    fn sort_by_column(&mut self, cx: ViewContext<'_>) {
        let Some(sort) = self.chosen.sort.clone() else { return };
        // Of very many jobs a worker writes where they run and start: rows stay as they are until then.
        if sort.criteria().any(|one| one.column == WHY) && !self.places.are_there(self.queue.jobs(), cx.run())
        {
            return;
        }
        let all = columns(self.plain(cx), self.columns);
        let is_heading = |line: &CycleLine| matches!(line, CycleLine::Heading(_));
        let Some(places) = places(&self.rows, &all, &sort, is_heading) else { return };
        let rows = places.iter().filter_map(|at| self.rows.get(*at).copied()).collect();
        drop(all);
        self.rows = rows;
    }

    /// Sorts by another column, or as considered; the cursor stays on its job.
    pub(super) fn sort_by(&mut self, sort: Option<Sort>, cx: ViewContext<'_>) -> Update {
        self.chosen.sort = sort;
        self.arrange(cx);
        self.show_subject();
        Update::changed()
    }

    /// Sorts by the next column, or reverses the order.
    pub(super) fn sort(&mut self, action: Action, cx: ViewContext<'_>) -> Update {
        let shown = Self::shown_columns(self.plain(cx), self.columns);
        let titles = shown.iter().map(|column| column.title.to_string());
        let titles: Vec<String> = titles.filter(|title| !title.is_empty()).collect();
        drop(shown);
        match self.chosen.sort_by_key(action, &titles) {
            Ok(sort) => self.sort_by(sort, cx),
            Err(update) => update,
        }
    }

    /// Selects the next or previous job that matches, going round; returns whether there is one.
    pub(super) fn next_match(&mut self, filter: &Filter, forward: bool, cx: ViewContext<'_>) -> bool {
        let (len, here) = (self.rows.len(), self.table.selected);
        let place = |by: usize| if forward { (here + by) % len } else { (here + len - by) % len };
        let reasons = cx.screen.known_reasons();
        let matches = |row: &CycleRow| {
            row.record_knowing(cx.run(), &reasons).is_some_and(|record| filter.matches(&record))
        };
        let found = (1..=len).map(place).find_map(|at| self.rows.get(at)?.row().filter(matches));
        self.requests.extend(found.map(Effect::SelectJob));
        found.is_some()
    }

    /// The rows and columns on the screen as values.
    pub(super) fn as_grid(&self, cx: ViewContext<'_>) -> Grid {
        let shown = Self::shown_columns(self.plain(cx), self.columns);
        let named = shown.iter().filter(|column| !column.title.is_empty());
        Grid::of(named, self.rows.iter().filter(|line| line.row().is_some()))
    }
}

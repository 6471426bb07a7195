//! The view of one list; a [`ListModel`] provides what differs. Rows have a cursor, a filter, a sorted column and
//! chosen columns.

mod click;
mod draw;
mod filtered_list;
mod grouping;
mod head;
mod lines;
mod lower_panes;
mod model;
mod order;
mod panes;
mod side_page;
mod slices;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::records::ValueCount;
use super::table_choices::{TableChoices, TableShape};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::inner_area;
use crate::task::TaskNews;
use crate::views::{Effect, Grid, Object, QuickFilter, Update, View, ViewContext};
use crate::widgets::table::{SortKey, TableColumn};
pub(crate) use filtered_list::FilteredList;
pub(crate) use head::ListHead;
pub(crate) use lower_panes::{LowerAreas, LowerPanes};
pub(crate) use model::{DetailLayout, DetailPlace, GroupNameFn, ListModel, ListStamp, RowPredicate};
use qscope_engine::cluster::Name;
use qscope_exits::ClipboardText;
use qscope_session::query::QueryFields;
pub(crate) use side_page::SidePage;
pub(crate) use side_page::split_for_page as cut_beside;
pub(crate) use slices::{LARGE, PendingSlice};

/// The moment of a position, for a title.
pub(crate) fn position_title(position: usize) -> String {
    match position {
        0 => "before the first step".to_owned(),
        n => format!("after step {n}"),
    }
}

/// What a title adds while the cycle is stepped through, if its counts are those of the finished cycle.
pub(crate) fn of_finished_cycle(position: usize) -> &'static str {
    if position == 0 { "" } else { " after this cycle" }
}

/// Text shown when the filter hides every row.
pub(crate) const NO_MATCH: &str = "No match. Esc clears, / edits the filter.";

/// Words for the keys in what is below or beside a list.
pub(crate) const IN_LOWER: &[(Action, &str)] = &[(Action::Select, "open")];

#[derive(Debug)]
pub(crate) struct ListView<M: ListModel> {
    model: M,
    list: FilteredList<M::Line>,
    filter: Filter,
    chosen: TableChoices,
    /// The criterion that rows are grouped by, if any.
    group: Option<Name>,
    /// The width of the table when last drawn.
    width: u16,
    slices: PendingSlice,
    /// What is below or beside the table.
    lower: LowerPanes,
    /// Whether the rows must be rebuilt before the list is drawn next.
    is_behind: bool,
    /// The object under the cursor, and the one whose row the filter hid.
    under: Option<Object>,
    hidden: Option<Object>,
    /// What the rows were made from, where that is known.
    made_of: Option<ListStamp>,
    /// Whether the next slices are for sorting, and the sort keys made so far.
    is_to_sort: bool,
    keys: Vec<SortKey>,
}

impl<M: ListModel> Default for ListView<M> {
    fn default() -> Self {
        let mut list = FilteredList::default();
        list.leave_out(|line: &M::Line| !M::is_live(line));
        let (filter, chosen, slices) = (Filter::default(), TableChoices::default(), PendingSlice::default());
        let lower = LowerPanes::default();
        Self {
            model: M::default(),
            list,
            filter,
            chosen,
            group: None,
            width: u16::MAX,
            slices,
            lower,
            is_behind: false,
            under: None,
            hidden: None,
            made_of: None,
            is_to_sort: false,
            keys: Vec::new(),
        }
    }
}

impl<M: ListModel> ListView<M> {
    /// The shown columns, as far as there is room.
    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<M::Line>>> {
        let mut columns = self.model.columns(cx, width);
        self.chosen.apply(&mut columns);
        columns
    }
}

impl<M: ListModel> View for ListView<M> {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        // Steps change no line of a list of jobs, and selecting a job changes none of a list of nodes.
        let made_of = M::made_of(cx);
        if made_of.is_none() || made_of != self.made_of {
            self.set_lines(cx);
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        let mut all = self.model.requests();
        all.extend(self.slices.request());
        all.extend(self.lower.side_page.requests());
        all
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        if let Some(update) = self.lower.act(action, self.lower_places(area, cx), cx) {
            return update;
        }
        let pane = self.pane_of_table(self.cut_foot(area).0, cx);
        if let Some(update) = self.in_table(action, cx) {
            return update;
        }
        match self.model.act(action, self.list.selected(), cx) {
            Some(update) => {
                if update.changed {
                    self.set_lines(cx);
                }
                update
            }
            None if matches!(action, Action::NextVerdict | Action::PreviousVerdict) => {
                let forward = action == Action::NextVerdict;
                Update::changed_if(self.list.next_group(forward, |line| M::heading(line).is_some()))
            }
            None => self.list.move_cursor(action, pane),
        }
    }

    fn fields(&self, cx: ViewContext<'_>) -> QueryFields {
        M::fields(cx)
    }

    fn values(&self, field: &str, cx: ViewContext<'_>) -> Vec<ValueCount> {
        M::values(field, cx)
    }

    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        if self.filter != *filter {
            self.filter = filter.clone();
            self.keep_matching(cx);
        }
    }

    fn find(&mut self, filter: &Filter, forward: bool, cx: ViewContext<'_>) -> Option<bool> {
        let is_meant = |line: &M::Line| M::is_live(line) && M::matches_filter(filter, line, cx);
        Some(self.list.next_match(forward, is_meant))
    }

    fn group_by(&mut self, by: &str, cx: ViewContext<'_>) -> bool {
        let by = M::groups(cx).into_iter().find(|known| **known == *by);
        let knows = by.is_some();
        if knows {
            self.set_group(by, cx);
        }
        knows
    }

    fn quick_filters(&self) -> &'static [QuickFilter] {
        M::quick_filters()
    }

    fn table(&self, cx: ViewContext<'_>) -> Option<TableShape> {
        let columns = self.model.columns(cx.undrawn(), self.width);
        Some(self.chosen.shape(&columns))
    }

    fn set_table(&mut self, choices: &TableChoices, cx: ViewContext<'_>) {
        self.chosen = choices.clone();
        self.sort_by(choices.sort.clone(), cx);
    }

    fn grid(&self, cx: ViewContext<'_>) -> Option<Grid> {
        // The same columns in any terminal.
        let columns = self.columns(cx.undrawn(), u16::MAX);
        Some(Grid::of(columns.iter(), self.list.matching_rows().iter().filter(|line| M::is_live(line))))
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        if self.is_behind {
            self.set_lines(cx);
        }
        let (table, beside) = self.split_area(self.cut_foot(area).0, cx);
        self.width = inner_area(table).width;
        self.follow_below(area, beside, cx);
        self.note_cursor(cx);
    }

    fn reset_focus(&mut self) {
        self.lower.release();
    }

    fn is_last_pane(&self, forward: bool, area: Rect, cx: ViewContext<'_>) -> bool {
        self.lower.is_end(forward, self.lower_places(area, cx).page)
    }

    fn has_more_panes(&self) -> bool {
        self.lower.can_have_keys()
    }

    fn wheel(&mut self, action: Action, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let places = self.lower_places(area, cx);
        let update = self.lower.wheel(action, at, places, cx);
        update.unwrap_or_else(|| self.act(action, area, cx))
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        if self.model.show_whole(object, cx) {
            self.set_lines(cx);
            return true;
        }
        let is_there = self.list.put_on(M::shown_by(object, cx));
        self.note_cursor(cx);
        is_there
    }

    fn inactive_actions(&self, cx: ViewContext<'_>) -> &'static [Action] {
        let is_empty = self.list.has_nothing();
        // Neither a heading nor a job that left has a page or an answer.
        if !self.lower.has_keys() && self.list.selected().is_some_and(|line| !M::is_live(line)) {
            return &[Action::Select, Action::AskWhy];
        }
        match (self.model.inactive_actions(is_empty), self.list.selected()) {
            ([], Some(line)) if self.lower.explained().is_none() && !M::has_why(line, cx) => {
                &[Action::AskWhy]
            }
            (idle, _) => idle,
        }
    }

    fn words(&self, _: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        if self.lower.has_keys() { IN_LOWER } else { self.model.words(self.list.selected()) }
    }

    fn object_to_explain(&self, cx: ViewContext<'_>) -> Option<Object> {
        let of_row = || self.list.selected().and_then(|line| M::object_to_explain(line, cx));
        self.lower.explained().or_else(of_row)
    }

    fn settings_here(&self, cx: ViewContext<'_>) -> Vec<String> {
        self.list.selected().map(|line| M::settings_here(line, cx)).unwrap_or_default()
    }

    fn object_at_cursor(&self, cx: ViewContext<'_>) -> Option<Object> {
        self.list.selected().and_then(|line| M::object(line, cx))
    }

    fn click(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        self.click_part(at, area, cx)
    }

    fn is_heading(&self, at: Position, area: Rect, cx: ViewContext<'_>) -> bool {
        self.has_headings_at(at, area, cx)
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if self.slices.is_next(news) {
            if self.is_to_sort {
                return self.sort_more(cx);
            }
            self.filter_more(cx);
            return Update::changed();
        }
        // News of forecasts is for both.
        let page = self.lower.on_news(news, cx);
        let update = self.model.on_news(news, cx);
        // The rows of a hidden list are made when it is shown.
        self.is_behind |= update.changed;
        page.followed_by(update)
    }

    fn copy(&self, cx: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        M::copy(self.list.selected()?, cx)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        self.draw_all(area, buf, cx);
    }
}

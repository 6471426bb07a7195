//! What differs from list to list: rows, columns, and what is above, below and beside them.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::head::ListHead;
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::RowSign;
use crate::story::StoryLink;
use crate::task::TaskNews;
use crate::theme::Theme;
use crate::views::records::ValueCount;
use crate::views::{CycleStamp, Effect, Object, QuickFilter, StepStamp, Update, ViewContext};
use crate::widgets::table::TableColumn;
use qscope_engine::cluster::Name;
use qscope_exits::ClipboardText;
use qscope_session::query::QueryFields;

/// The details of the selected row below a list: their height, and whether they have a frame of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DetailLayout {
    /// In rows; 0 for none.
    pub rows: u16,
    /// Whether they are drawn in their own pane.
    pub framed: bool,
}

/// Where details are drawn, and whether they have the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DetailPlace {
    pub(crate) area: Rect,
    /// Whether keys go there.
    pub(crate) has_keys: bool,
}

/// What lines were made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListStamp {
    /// The nodes at a step.
    Step(StepStamp),
    /// The jobs of a cycle, at any position.
    Cycle(CycleStamp),
}

impl ListStamp {
    /// Whether both are the nodes of one cycle, so that the lines are the same up to their order.
    pub(super) fn has_lines_of(self, before: Self) -> bool {
        match (self, before) {
            (Self::Step(now), Self::Step(before)) => now.is_of_same_cycle(before),
            _ => false,
        }
    }
}

/// Tests whether a row is the one searched for.
pub(crate) type RowPredicate<'a, L> = Box<dyn Fn(&L) -> bool + 'a>;

/// Returns the name of a row's group.
pub(crate) type GroupNameFn<'a, L> = Box<dyn Fn(&L) -> String + 'a>;

/// What differs from list to list.
pub(crate) trait ListModel: Debug + Default + Any {
    /// A row.
    type Line: Debug;

    /// Whether very wide screens show the page of the selected object beside the table.
    const HAS_PAGE: bool = false;

    /// Whether narrower screens show that page below the table, if there is room.
    const PAGE_BELOW: bool = false;

    /// Rows of details below a table that leaves them free, on screens too low for details otherwise; 0 for none.
    const SPARE: u16 = 0;

    /// Whether the details below a short table get all rows that it leaves.
    const DETAIL_GROWS: bool = false;

    /// All rows, in order.
    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<Self::Line>>;

    /// What the lines and their order depend on, apart from news; `None` to rebuild them on every change.
    fn made_of(_world: ViewContext<'_>) -> Option<ListStamp> {
        None
    }

    /// Whether two rows are about the same object, so that the cursor stays on it.
    fn is_same(a: &Self::Line, b: &Self::Line) -> bool;

    /// Finds the row that was under the cursor among the new rows; `object` is its object, for lines that do not
    /// contain its name.
    fn finds_row<'a>(
        before: &'a Self::Line,
        _object: Option<&'a Object>,
        _world: ViewContext<'a>,
    ) -> RowPredicate<'a, Self::Line> {
        Box::new(move |line| Self::is_same(line, before))
    }

    /// Whether a row matches the filter.
    fn matches_filter(filter: &Filter, line: &Self::Line, cx: ViewContext<'_>) -> bool;

    /// The fields of the filter line.
    fn fields(_world: ViewContext<'_>) -> QueryFields {
        QueryFields::default()
    }

    /// The values of a field, with the number of rows that have each.
    fn values(_field: &str, _world: ViewContext<'_>) -> Vec<ValueCount> {
        Vec::new()
    }

    /// The title of the pane.
    fn title(&self, cx: ViewContext<'_>) -> String;

    /// Reports to the model whether the rows are in its own order: neither filtered nor sorted.
    fn set_in_place(&mut self, _is_in_place: bool) {}

    /// Describes the order of the rows for the title, used while no column is sorted.
    fn order(&self) -> &'static str {
        ""
    }

    /// A text above the table.
    fn text_above_table(&self) -> Option<&str> {
        None
    }

    /// The pane above the table.
    fn head_pane(&self, _world: ViewContext<'_>) -> Option<ListHead> {
        None
    }

    /// The columns of a table of that width.
    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<Self::Line>>>;

    /// Whether the sort keys of a column are available for `rows` rows. If not, they are requested, and the list is
    /// sorted when they arrive.
    fn has_keys(&mut self, _column: &str, _rows: usize, _world: ViewContext<'_>) -> bool {
        true
    }

    /// Whether the rows still have to be put into the chosen order.
    fn awaits_keys(&self) -> bool {
        false
    }

    /// Filters that one key cycles through.
    fn quick_filters() -> &'static [QuickFilter] {
        &[]
    }

    /// The text of a row that is a heading.
    fn heading(_line: &Self::Line) -> Option<Cow<'_, str>> {
        None
    }

    /// The criteria that rows can be grouped by; one key cycles through them.
    fn groups(_world: ViewContext<'_>) -> Vec<Name> {
        Vec::new()
    }

    /// Returns the names of the rows' groups by one of the criteria.
    fn group_names<'a>(&'a self, _by: &'a str, _world: ViewContext<'a>) -> GroupNameFn<'a, Self::Line> {
        Box::new(|_| String::new())
    }

    /// The heading row of a group; `None` if the list is never grouped.
    fn group_heading(_name: &str, _rows: &[&Self::Line], _world: ViewContext<'_>) -> Option<Self::Line> {
        None
    }

    /// Whether a row stands for an existing object, unlike a heading or a job that left. Other rows are not counted,
    /// grouped or exported.
    fn is_live(line: &Self::Line) -> bool {
        Self::heading(line).is_none()
    }

    /// The mark before a row.
    fn mark(&self, _line: &Self::Line, _world: ViewContext<'_>) -> Option<RowSign> {
        None
    }

    /// Explains why there are no rows.
    fn why_empty(&self, cx: ViewContext<'_>) -> Vec<String>;

    /// The legend of the signs in these lines, for the lower border; may be empty.
    fn legend(_lines: &[Rc<Self::Line>], _theme: &Theme) -> String {
        String::new()
    }

    /// Handles an action on the selected row; `None` leaves it to the list.
    fn act(&mut self, action: Action, line: Option<&Self::Line>, cx: ViewContext<'_>) -> Option<Update>;

    fn object(line: &Self::Line, cx: ViewContext<'_>) -> Option<Object>;

    /// Actions without effect while there is no row, for the footer.
    fn inactive_actions(&self, is_empty: bool) -> &'static [Action] {
        if is_empty { &[Action::Select, Action::Copy, Action::Sort, Action::AskWhy] } else { &[] }
    }

    /// Whether `object_to_explain` has an answer for a row; called each time the footer is drawn.
    fn has_why(line: &Self::Line, cx: ViewContext<'_>) -> bool {
        matches!(Self::object(line, cx), Some(Object::Job(_) | Object::Node(_)))
    }

    /// Words for actions on a row that differ from the usual ones in the footer.
    fn words(&self, _line: Option<&Self::Line>) -> &'static [(Action, &'static str)] {
        &[]
    }

    /// The job or node to explain for a row.
    fn object_to_explain(line: &Self::Line, cx: ViewContext<'_>) -> Option<Object> {
        Self::object(line, cx)
    }

    /// The settings of a what-if that a row stands for.
    fn settings_here(_line: &Self::Line, _world: ViewContext<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether a row shows an object.
    fn shows(line: &Self::Line, object: &Object, cx: ViewContext<'_>) -> bool {
        Self::object(line, cx).as_ref() == Some(object)
    }

    /// Finds the rows that show an object; to be overridden where there are very many rows.
    fn shown_by<'a>(object: &'a Object, cx: ViewContext<'a>) -> RowPredicate<'a, Self::Line> {
        Box::new(move |line| Self::shows(line, object, cx))
    }

    /// Makes the list be about `object`, for lists that can be about different ones; false if it cannot.
    fn show_whole(&mut self, _object: &Object, _world: ViewContext<'_>) -> bool {
        false
    }

    /// The details below the table in an area.
    fn detail(_area: Rect) -> DetailLayout {
        DetailLayout { rows: 0, framed: false }
    }

    /// Draws the details, with their frame if they have one.
    fn draw_detail(&self, line: &Self::Line, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        let _ = (line, place, buf, cx);
    }

    /// The names in framed details, with their places.
    fn detail_links(&self, _line: &Self::Line, _area: Rect, _world: ViewContext<'_>) -> Vec<StoryLink> {
        Vec::new()
    }

    /// Number of rows of the foot, which is below everything else and does not depend on the selected row.
    fn foot(_area: Rect, _rows: usize) -> u16 {
        0
    }

    fn draw_foot(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let _ = (area, buf, cx);
    }

    /// Effects requested since the last call.
    fn requests(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Takes progress or the result of a computation; the list is rebuilt if that changes it.
    fn on_news(&mut self, _news: &TaskNews, _world: ViewContext<'_>) -> Update {
        Update::unchanged()
    }

    /// What to copy, and what it is.
    fn copy(line: &Self::Line, cx: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        Self::object(line, cx).map(|object| (object.kind(), ClipboardText::line(object.name())))
    }
}

//! What differs from list to list: its rows, columns, and what stands above, below and beside them.

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
use crate::task::News;
use crate::theme::Theme;
use crate::views::records::ValueCount;
use crate::views::{CycleStamp, Effect, Object, QuickFilter, StepStamp, Update, World};
use crate::widgets::table::TableColumn;
use qscope_engine::cluster::Name;
use qscope_exits::Clip;
use qscope_session::query::Fields;

/// What is below a list about the row under the cursor: its height, and whether it has a frame of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    /// In rows, 0 for none.
    pub rows: u16,
    /// Whether it stands in a pane of its own.
    pub framed: bool,
}

/// Where details are drawn, and whether they have the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DetailPlace {
    pub(crate) area: Rect,
    /// Whether keys go there.
    pub(crate) has_keys: bool,
}

/// What lines were made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeOf {
    /// The nodes at a step.
    Step(StepStamp),
    /// The jobs of a cycle, whatever its position.
    Cycle(CycleStamp),
}

impl MadeOf {
    /// Whether both are the nodes of one cycle: the same lines, at most in another order.
    pub(super) fn has_lines_of(self, before: Self) -> bool {
        match (self, before) {
            (Self::Step(now), Self::Step(before)) => now.is_of_same_cycle(before),
            _ => false,
        }
    }
}

/// Whether a row is the one that is looked for.
pub(crate) type FindsRow<'a, L> = Box<dyn Fn(&L) -> bool + 'a>;

/// Names the group of a row.
pub(crate) type GroupNames<'a, L> = Box<dyn Fn(&L) -> String + 'a>;

/// What differs from list to list.
pub(crate) trait ListModel: Debug + Default + Any {
    /// A row.
    type Line: Debug;

    /// Whether the page of what is under the cursor stands beside the table on very wide screens.
    const HAS_PAGE: bool = false;

    /// Whether it stands below a table that leaves room for it elsewhere.
    const PAGE_BELOW: bool = false;

    /// Rows of details that stand below a table too short for its area, where the area is too low for them otherwise; 0
    /// for none.
    const SPARE: u16 = 0;

    /// Whether the details below a short table have all rows that it leaves.
    const DETAIL_GROWS: bool = false;

    /// All rows, in order.
    fn lines(&mut self, world: World<'_>) -> Vec<Rc<Self::Line>>;

    /// What must be the same for the lines and their order to be the same, news apart; none where they are made again whenever
    /// anything changed.
    fn made_of(_world: World<'_>) -> Option<MadeOf> {
        None
    }

    /// Whether two rows are about the same thing, so that the cursor stays on it.
    fn is_same(a: &Self::Line, b: &Self::Line) -> bool;

    /// Finds the row that was under the cursor among those of now; `object` is what it was about, for lines that do not have
    /// its name.
    fn is_still<'a>(
        before: &'a Self::Line,
        _object: Option<&'a Object>,
        _world: World<'a>,
    ) -> FindsRow<'a, Self::Line> {
        Box::new(move |line| Self::is_same(line, before))
    }

    /// Whether a filter keeps a row.
    fn keeps(filter: &Filter, line: &Self::Line, world: World<'_>) -> bool;

    /// The fields of the filter line.
    fn fields(_world: World<'_>) -> Fields {
        Fields::default()
    }

    /// The values that rows have in a field, and how many rows each.
    fn values(_field: &str, _world: World<'_>) -> Vec<ValueCount> {
        Vec::new()
    }

    /// The title of the pane.
    fn title(&self, world: World<'_>) -> String;

    /// Takes in whether rows still stand among those of the model and in its order: neither filtered nor sorted.
    fn set_in_place(&mut self, _is_in_place: bool) {}

    /// The order of the rows in the words of the title, as long as they are sorted by no column.
    fn order(&self) -> &'static str {
        ""
    }

    /// A text above the table.
    fn above(&self) -> Option<&str> {
        None
    }

    /// A pane above the table: its title, a note at its right, and its lines.
    fn head(&self, _world: World<'_>) -> Option<ListHead> {
        None
    }

    /// The columns of a table so wide.
    fn columns<'a>(
        &'a self,
        world: World<'a>,
        theme: &'a Theme,
        width: u16,
    ) -> Vec<TableColumn<'a, Rc<Self::Line>>>;

    /// Whether what so many rows are sorted by in a column is at hand. Where it is not, it is requested, and its news change
    /// the list: rows are sorted by it then.
    fn has_keys(&mut self, _column: &str, _rows: usize, _world: World<'_>) -> bool {
        true
    }

    /// Whether the rows are still to be put into the order that was chosen.
    fn awaits_keys(&self) -> bool {
        false
    }

    /// Filters that one key goes through.
    fn quick_filters() -> &'static [QuickFilter] {
        &[]
    }

    /// The text of a row that is a heading.
    fn heading(_line: &Self::Line) -> Option<Cow<'_, str>> {
        None
    }

    /// What rows can have in common that stand in groups; one key goes to the next of them.
    fn groups(_world: World<'_>) -> Vec<Name> {
        Vec::new()
    }

    /// The names of the groups that rows are in, by one of the criteria.
    fn group_names<'a>(&'a self, _by: &'a str, _world: World<'a>) -> GroupNames<'a, Self::Line> {
        Box::new(|_| String::new())
    }

    /// The heading of a group of so many rows, which is a row of its own; none where rows stand in no groups.
    fn group_heading(_name: &str, _rows: usize) -> Option<Self::Line> {
        None
    }

    /// Whether a row is of something that is there: headings are not, nor are rows of what left. The others are not counted,
    /// stand in no group and are in no file.
    fn is_live(line: &Self::Line) -> bool {
        Self::heading(line).is_none()
    }

    /// What a row is marked with.
    fn mark(&self, _line: &Self::Line, _world: World<'_>) -> Option<RowSign> {
        None
    }

    /// Why there is no row at all.
    fn why_empty(&self, world: World<'_>) -> Vec<String>;

    /// What the signs of these lines mean, for the lower border; empty where their words show it.
    fn legend(_lines: &[Rc<Self::Line>], _theme: &Theme) -> String {
        String::new()
    }

    /// An action on the row under the cursor; none where it is left to the list.
    fn act(&mut self, action: Action, line: Option<&Self::Line>, world: World<'_>) -> Option<Update>;

    /// What a row is about.
    fn object(line: &Self::Line, world: World<'_>) -> Option<Object>;

    /// Actions that have nothing to act on where there is no row, as the footer has it.
    fn idle(&self, is_empty: bool) -> &'static [Action] {
        if is_empty { &[Action::Select, Action::Copy, Action::Sort, Action::AskWhy] } else { &[] }
    }

    /// Whether `why_object` has an answer for a row; asked each time the last line is drawn.
    fn has_why(line: &Self::Line, world: World<'_>) -> bool {
        matches!(Self::object(line, world), Some(Object::Job(_) | Object::Node(_)))
    }

    /// What actions do on a row, where that is something else than the last line has for the view.
    fn words(&self, _line: Option<&Self::Line>) -> &'static [(Action, &'static str)] {
        &[]
    }

    /// The job or node that is explained for a row.
    fn why_object(line: &Self::Line, world: World<'_>) -> Option<Object> {
        Self::object(line, world)
    }

    /// The settings of a what-if that a row stands for.
    fn settings_here(_line: &Self::Line, _world: World<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether a row shows an object.
    fn shows(line: &Self::Line, object: &Object, world: World<'_>) -> bool {
        Self::object(line, world).as_ref() == Some(object)
    }

    /// Finds the rows that show an object, for a list of very many.
    fn shown_by<'a>(object: &'a Object, world: World<'a>) -> FindsRow<'a, Self::Line> {
        Box::new(move |line| Self::shows(line, object, world))
    }

    /// Shows all rows of an object, where the list can be about different ones; false where it is no such object.
    fn show_whole(&mut self, _object: &Object, _world: World<'_>) -> bool {
        false
    }

    /// What stands below the table in an area.
    fn detail(_area: Rect) -> Detail {
        Detail { rows: 0, framed: false }
    }

    /// Draws what stands below the table; the title is that of its frame, where it has one.
    fn draw_detail(
        &self,
        line: &Self::Line,
        place: DetailPlace,
        buf: &mut Buffer,
        world: World<'_>,
        theme: &Theme,
    ) {
        let _ = (line, place, buf, world, theme);
    }

    /// The names in what stands below the table in a frame of its own, each where it is drawn.
    fn detail_links(&self, _line: &Self::Line, _area: Rect, _world: World<'_>) -> Vec<StoryLink> {
        Vec::new()
    }

    /// How many rows stand below all else in an area, whatever is under the cursor.
    fn foot(_area: Rect, _rows: usize) -> u16 {
        0
    }

    /// Draws what stands below all else.
    fn draw_foot(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let _ = (area, buf, world, theme);
    }

    /// Effects requested since the last call.
    fn requests(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Progress or result of a computation; the list is made again where it changes.
    fn on_news(&mut self, _ticket: u64, _news: &News, _world: World<'_>) -> Update {
        Update::nothing()
    }

    /// What a copy puts into the clipboard.
    fn copy(line: &Self::Line, world: World<'_>) -> Option<(&'static str, Clip)> {
        Self::object(line, world).map(|object| (object.kind(), Clip::line(object.name())))
    }
}

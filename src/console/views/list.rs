//! Lists under a cursor, kept by a filter; and the view of one such list, of which a model has what differs.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cut_rows, inside};
use crate::story::{Piece, Story};
use crate::task::News;
use crate::theme::Theme;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Column, Table, TableState, height};
use qscope_exits::Clip;
use qscope_session::query::Fields;

/// Rows in the order of the model, those that the filter keeps, and the cursor among them.
#[derive(Debug)]
pub(crate) struct Listing<L> {
    all: Vec<Rc<L>>,
    kept: Vec<Rc<L>>,
    /// The cursor.
    pub table: TableState,
}

impl<L> Default for Listing<L> {
    fn default() -> Self {
        Self { all: Vec::new(), kept: Vec::new(), table: TableState::default() }
    }
}

impl<L> Listing<L> {
    /// Other rows; the cursor goes to the one that is the `same`, if it is kept.
    pub(crate) fn set(&mut self, all: Vec<Rc<L>>, keep: impl Fn(&L) -> bool, same: impl Fn(&L, &L) -> bool) {
        let before = self.kept.get(self.table.selected).cloned();
        self.all = all;
        self.keep(keep);
        if let Some(before) = before {
            self.put_on(|line| same(line, &before));
        }
    }

    /// Keeps what fits.
    pub(crate) fn keep(&mut self, keep: impl Fn(&L) -> bool) {
        self.kept = self.all.iter().filter(|line| keep(line)).cloned().collect();
        self.table.selected = self.table.selected.min(self.kept.len().saturating_sub(1));
    }

    /// Whether none is kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether there are none at all, whatever the filter.
    pub(crate) fn has_nothing(&self) -> bool {
        self.all.is_empty()
    }

    /// The row under the cursor.
    pub(crate) fn selected(&self) -> Option<&L> {
        self.kept.get(self.table.selected).map(|line| &**line)
    }

    /// The place of the cursor among the rows.
    pub(crate) fn position(&self) -> String {
        self.table.position(self.kept.len())
    }

    /// Puts the cursor on the first row that is meant; false when none is kept.
    pub(crate) fn put_on(&mut self, meant: impl Fn(&L) -> bool) -> bool {
        let at = self.kept.iter().position(|line| meant(line));
        self.table.selected = at.unwrap_or(self.table.selected);
        at.is_some()
    }

    /// Moves the cursor in a pane of that area.
    pub(crate) fn go(&mut self, action: Action, pane: Rect) -> Update {
        match action {
            Action::Left | Action::Right => Update::nothing(),
            _ if action.moves() => {
                Update::changed_if(self.table.go(action, self.kept.len(), height(inside(pane))))
            }
            _ => Update::unknown(),
        }
    }

    /// A click into a pane of that area.
    pub(crate) fn click(&mut self, at: Position, pane: Rect) -> Update {
        Update::changed_if(self.table.click(self.kept.len(), inside(pane), at.y))
    }

    /// The table of the rows.
    pub(crate) fn table<'t, 'a>(
        &'a self,
        columns: &'t [Column<'a, Rc<L>>],
        theme: &'t Theme,
    ) -> Table<'t, 'a, Rc<L>> {
        Table::new(columns, &self.kept, self.table, theme)
    }
}

/// The moment that a view of the position shows, for its title.
pub(crate) fn when(position: usize) -> String {
    match position {
        0 => "before the first step".to_owned(),
        n => format!("after step {n}"),
    }
}

/// What a list shows where a filter hides everything.
pub(crate) const NO_MATCH: &str = "No match. Esc clears, / edits the filter.";

/// What is below a list about the row under the cursor: its height, and whether it has a frame of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    /// In rows, 0 for none.
    pub rows: u16,
    /// Whether it stands in a pane of its own.
    pub framed: bool,
}

/// What differs from list to list.
pub(crate) trait ListModel: Debug + Default + Any {
    /// A row.
    type Line: Debug;

    /// All rows, in order.
    fn lines(&mut self, world: World<'_>) -> Vec<Rc<Self::Line>>;

    /// Whether two rows are about the same thing, so that the cursor stays on it.
    fn is_same(a: &Self::Line, b: &Self::Line) -> bool;

    /// Whether a filter keeps a row.
    fn keeps(filter: &Filter, line: &Self::Line, world: World<'_>) -> bool;

    /// The fields of the filter line.
    fn fields(world: World<'_>) -> Fields {
        let _ = world;
        Fields::default()
    }

    /// The title of the pane.
    fn title(&self, world: World<'_>) -> String;

    /// A text above the table.
    fn above(&self) -> Option<&str> {
        None
    }

    /// The columns of a table so wide.
    fn columns<'a>(
        &'a self,
        world: World<'a>,
        theme: &'a Theme,
        width: u16,
    ) -> Vec<Column<'a, Rc<Self::Line>>>;

    /// The text of a row that is a heading.
    fn heading(line: &Self::Line) -> Option<Cow<'_, str>> {
        let _ = line;
        None
    }

    /// Why there is no row at all.
    fn why_empty(&self, world: World<'_>) -> Vec<String>;

    /// An action on the row under the cursor; none where it is left to the list.
    fn act(&mut self, action: Action, line: Option<&Self::Line>, world: World<'_>) -> Option<Update>;

    /// What a row is about.
    fn object(line: &Self::Line) -> Option<Object>;

    /// Whether a row shows an object.
    fn shows(line: &Self::Line, object: &Object) -> bool {
        Self::object(line).as_ref() == Some(object)
    }

    /// What stands below the table in an area.
    fn detail(area: Rect) -> Detail {
        let _ = area;
        Detail { rows: 0, framed: false }
    }

    /// Draws what stands below the table; the title is that of its frame, where it has one.
    fn draw_detail(&self, line: &Self::Line, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let _ = (line, area, buf, world, theme);
    }

    /// Effects requested since the last call.
    fn requests(&mut self) -> Vec<Effect> {
        Vec::new()
    }

    /// Progress or result of a computation; the list is made again where it changes.
    fn on_news(&mut self, ticket: u64, news: &News, world: World<'_>) -> Update {
        let _ = (ticket, news, world);
        Update::nothing()
    }

    /// What a copy puts into the clipboard.
    fn copy(line: &Self::Line) -> Option<(&'static str, Clip)> {
        Self::object(line).map(|object| (object.kind(), Clip::line(object.name())))
    }
}

#[derive(Debug)]
pub(crate) struct ListView<M: ListModel> {
    model: M,
    list: Listing<M::Line>,
    filter: Filter,
}

impl<M: ListModel> Default for ListView<M> {
    fn default() -> Self {
        Self { model: M::default(), list: Listing::default(), filter: Filter::default() }
    }
}

impl<M: ListModel> ListView<M> {
    fn set_lines(&mut self, world: World<'_>) {
        let lines = self.model.lines(world);
        let is_first = self.list.has_nothing();
        self.list.set(lines, |line| M::keeps(&self.filter, line, world), M::is_same);
        // A list that begins with a heading begins on the row below it.
        if is_first {
            self.list.put_on(|line| M::heading(line).is_none());
        }
    }

    /// The text above the table, wrapped.
    fn above(&self, area: Rect) -> Story {
        let mut story = Story::plain(self.model.above().map(Piece::plain));
        story.fit(usize::from(inside(area).width));
        story
    }

    /// The pane as it would be around the table alone.
    fn pane_of_table(&self, area: Rect) -> Rect {
        let above = rows_of(&self.above(area));
        let below = M::detail(area).rows;
        Rect { y: area.y + above, height: area.height.saturating_sub(above + below), ..area }
    }
}

/// At most four lines stand above a table.
fn rows_of(story: &Story) -> u16 {
    u16::try_from(story.lines().len()).map_or(4, |lines| lines.min(4))
}

impl<M: ListModel> View for ListView<M> {
    fn refresh(&mut self, world: World<'_>) {
        self.set_lines(world);
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.model.requests()
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update {
        let pane = self.pane_of_table(area);
        match self.model.act(action, self.list.selected(), world) {
            Some(update) => {
                if update.changed {
                    self.set_lines(world);
                }
                update
            }
            None => self.list.go(action, pane),
        }
    }

    fn fields(&self, world: World<'_>) -> Fields {
        M::fields(world)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|line| M::keeps(filter, line, world));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        self.list.put_on(|line| M::shows(line, object))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.list.selected().and_then(M::object)
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        self.list.click(at, self.pane_of_table(area))
    }

    fn on_news(&mut self, ticket: u64, news: &News, world: World<'_>) -> Update {
        let update = self.model.on_news(ticket, news, world);
        if update.changed {
            self.set_lines(world);
        }
        update
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, Clip)> {
        M::copy(self.list.selected()?)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let below = M::detail(area);
        let (pane, framed) =
            cut_rows(area, area.height.saturating_sub(if below.framed { below.rows } else { 0 }));
        let inner = frame::pane(pane, buf, theme, &self.model.title(world), &self.list.position(), true);
        if self.list.is_empty() {
            let why =
                if self.list.has_nothing() { self.model.why_empty(world) } else { vec![NO_MATCH.to_owned()] };
            let why: Vec<&str> = why.iter().map(String::as_str).collect();
            frame::empty(inner, buf, theme, &why);
            return;
        }
        let story = self.above(area);
        let (above, rest) = cut_rows(inner, rows_of(&story));
        story.draw(0, above, buf, theme);
        let within = if below.framed { 0 } else { below.rows };
        let (place, unframed) = cut_rows(rest, rest.height.saturating_sub(within));
        let columns = self.model.columns(world, theme, place.width);
        let table = self.list.table(&columns, theme);
        Table { heading: &|line: &'_ Rc<M::Line>| M::heading(line), ..table }.render(place, buf);
        if let Some(line) = self.list.selected().filter(|_| below.rows > 0) {
            let detail = if below.framed { framed } else { unframed };
            self.model.draw_detail(line, detail, buf, world, theme);
        }
    }
}

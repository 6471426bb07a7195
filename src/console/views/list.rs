//! The view of one list, of which a model has what differs: rows under a cursor, kept by a filter, sorted by a column,
//! in columns that can be chosen.

mod chosen;
mod listing;
mod slices;

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::records::ValueCount;
use super::view::{Grid, QuickFilter, TableShape};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cut_rows, inside};
use crate::story::{Paragraph, Piece, Story};
use crate::task::News;
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Column, Sort, SortKey, Table};
pub(crate) use chosen::{Chosen, plain_theme};
pub(crate) use listing::Listing;
use qscope_exits::Clip;
use qscope_session::query::Fields;
pub(crate) use slices::{LARGE, Slices};

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

/// A pane above a list, which states what the list is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub title: String,
    /// What stands at the right of the title.
    pub note: String,
    /// A name in each line, and the words after it.
    pub lines: Vec<(&'static str, String)>,
}

/// On screens so low the list has all rows.
const LOW: u16 = 14;

impl Head {
    /// How many rows it takes of so many.
    pub(crate) fn rows(head: Option<&Self>, all: u16) -> u16 {
        match head {
            Some(head) if all >= LOW => u16::try_from(head.lines.len()).unwrap_or(0).saturating_add(2),
            _ => 0,
        }
    }

    /// Draws it.
    pub(crate) fn draw(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let inner = frame::pane(area, buf, theme, &self.title, &self.note, false);
        let line = |(name, words): &(&str, String)| {
            Paragraph::Line(vec![Piece::dim(format!("{name:<7}")), Piece::plain(words)])
        };
        Story::new(self.lines.iter().map(line).collect()).render(inner, buf, theme);
    }
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

    /// The values that rows have in a field, and how many rows each.
    fn values(field: &str, world: World<'_>) -> Vec<ValueCount> {
        let _ = (field, world);
        Vec::new()
    }

    /// The title of the pane.
    fn title(&self, world: World<'_>) -> String;

    /// A text above the table.
    fn above(&self) -> Option<&str> {
        None
    }

    /// A pane above the table: its title, a note at its right, and its lines.
    fn head(&self, world: World<'_>) -> Option<Head> {
        let _ = world;
        None
    }

    /// The columns of a table so wide.
    fn columns<'a>(
        &'a self,
        world: World<'a>,
        theme: &'a Theme,
        width: u16,
    ) -> Vec<Column<'a, Rc<Self::Line>>>;

    /// Filters that one key goes through.
    fn quick_filters() -> &'static [QuickFilter] {
        &[]
    }

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

    /// Shows all rows of an object, where the list can be about different ones; false where it is no such object.
    fn show_whole(&mut self, object: &Object, world: World<'_>) -> bool {
        let _ = (object, world);
        false
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
    chosen: Chosen,
    /// The columns' room at the last change of the screen.
    width: u16,
    slices: Slices,
}

impl<M: ListModel> Default for ListView<M> {
    fn default() -> Self {
        let (model, list) = (M::default(), Listing::default());
        let (filter, chosen, slices) = (Filter::default(), Chosen::default(), Slices::default());
        Self { model, list, filter, chosen, width: u16::MAX, slices }
    }
}

impl<M: ListModel> ListView<M> {
    fn set_lines(&mut self, world: World<'_>) {
        let lines = self.model.lines(world);
        let is_first = self.list.has_nothing();
        let most = self.slices.first(lines.len(), self.filter.is_empty());
        self.list.set_some(lines, most, |line| M::keeps(&self.filter, line, world), M::is_same);
        self.slices.go_on(self.list.is_whole());
        self.arrange(world);
        // A list that begins with a heading begins on the row below it.
        if is_first {
            self.list.put_on(|line| M::heading(line).is_none());
        }
    }

    /// Keeps what the filter fits; of a very long list the first rows now and the others between keys.
    fn keep_matching(&mut self, world: World<'_>) {
        let most = self.slices.first(self.list.len(), self.filter.is_empty());
        self.list.begin_keep();
        self.list.keep_some(most, |line| M::keeps(&self.filter, line, world));
        self.slices.go_on(self.list.is_whole());
        self.arrange(world);
    }

    /// The next rows of a very long list.
    fn keep_more(&mut self, world: World<'_>) {
        self.list.keep_some(Slices::NEXT, |line| M::keeps(&self.filter, line, world));
        self.slices.go_on(self.list.is_whole());
        if self.list.is_whole() {
            self.arrange(world);
        }
    }

    /// The columns that are shown, as far as there is room.
    fn columns<'a>(&'a self, world: World<'a>, theme: &'a Theme, width: u16) -> Vec<Column<'a, Rc<M::Line>>> {
        let mut columns = self.model.columns(world, theme, width);
        self.chosen.apply(&mut columns);
        columns
    }

    /// Puts the rows into the chosen order, section by section; rows that are equal in it stay as they were.
    fn arrange(&mut self, world: World<'_>) {
        let Some(sort) = &self.chosen.sort else { return };
        let columns = self.columns(world, plain_theme(), self.width);
        let Some(column) = columns.iter().find(|column| column.title == sort.column) else { return };
        let mut section = 0;
        let mut keys: Vec<(usize, bool, SortKey, usize)> = Vec::with_capacity(self.list.kept().len());
        for (at, line) in self.list.kept().iter().enumerate() {
            let is_heading = M::heading(line).is_some();
            section += usize::from(is_heading);
            let key = if is_heading { SortKey::Nothing } else { column.key(line) };
            keys.push((section, !is_heading, key, at));
        }
        keys.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.compare(&b.2, sort.descending)));
        let places: Vec<usize> = keys.into_iter().map(|(.., at)| at).collect();
        drop(columns);
        self.list.arrange(&places);
    }

    /// Sorts by another column, or in the order of the model.
    fn sort_by(&mut self, sort: Option<Sort>, world: World<'_>) -> Update {
        self.chosen.sort = sort;
        self.keep_matching(world);
        Update::changed()
    }

    fn titles(&self, world: World<'_>) -> Vec<String> {
        let columns = self.columns(world, plain_theme(), self.width);
        columns.iter().map(|column| column.title.to_string()).collect()
    }

    fn in_table(&mut self, action: Action, world: World<'_>) -> Option<Update> {
        Some(match action {
            Action::Sort => {
                let next = self.chosen.next_sort(&self.titles(world));
                self.sort_by(next, world)
            }
            Action::SortReverse => match self.chosen.sort.clone() {
                Some(sort) => {
                    let reversed = Sort { descending: !sort.descending, ..sort };
                    self.sort_by(Some(reversed), world)
                }
                None => Update::status("not sorted by a column; s sorts"),
            },
            _ => return None,
        })
    }

    /// The place of the cursor, the filter and the order, for the frame.
    fn note(&self, theme: &Theme) -> String {
        let position = match self.filter.is_empty() {
            true => format!("{} {}", theme.glyph(Role::Cursor), self.list.position()),
            false if self.list.is_whole() => {
                format!("/{}  {} of {}", self.filter.text(), self.list.kept().len(), self.list.len())
            }
            false => format!("/{}  filtering ... {} so far", self.filter.text(), self.list.kept().len()),
        };
        match &self.chosen.sort {
            Some(sort) => {
                let mark = if sort.descending { theme.by_set("▾", "v") } else { theme.by_set("▴", "^") };
                format!("{position}{}sort {} {mark}", theme.dot(), sort.column)
            }
            None => position,
        }
    }

    /// The text above the table, wrapped.
    fn above(&self, area: Rect) -> Story {
        let mut story = Story::plain(self.model.above().map(Piece::plain));
        story.fit(usize::from(inside(area).width));
        story
    }

    /// The pane as it would be around the table alone.
    fn pane_of_table(&self, area: Rect, world: World<'_>) -> Rect {
        let above = rows_of(&self.above(area)) + Head::rows(self.model.head(world).as_ref(), area.height);
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
        let mut all = self.model.requests();
        all.extend(self.slices.request());
        all
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update {
        let pane = self.pane_of_table(area, world);
        if let Some(update) = self.in_table(action, world) {
            return update;
        }
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

    fn values(&self, field: &str, world: World<'_>) -> Vec<ValueCount> {
        M::values(field, world)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.keep_matching(world);
    }

    fn find(&mut self, filter: &Filter, forward: bool, world: World<'_>) -> Option<bool> {
        Some(self.list.next_match(forward, |line| M::keeps(filter, line, world)))
    }

    fn quick_filters(&self) -> &'static [QuickFilter] {
        M::quick_filters()
    }

    fn table(&self, world: World<'_>) -> Option<TableShape> {
        let columns = self.model.columns(world, plain_theme(), self.width);
        Some(self.chosen.shape(&columns))
    }

    fn set_table(&mut self, chosen: &Chosen, world: World<'_>) {
        self.chosen = chosen.clone();
        self.sort_by(chosen.sort.clone(), world);
    }

    fn grid(&self, world: World<'_>) -> Option<Grid> {
        let columns = self.columns(world, plain_theme(), self.width);
        let rows = self.list.kept().iter().filter(|line| M::heading(line).is_none());
        let row = |line| columns.iter().map(|column| column.text(line)).collect();
        let titles = columns.iter().map(|column| column.title.to_string()).collect();
        Some(Grid { titles, rows: rows.map(row).collect() })
    }

    fn prepare(&mut self, area: Rect, _: World<'_>) {
        self.width = inside(area).width;
    }

    fn show(&mut self, object: &Object, world: World<'_>) -> bool {
        if self.model.show_whole(object, world) {
            self.set_lines(world);
            return true;
        }
        self.list.put_on(|line| M::shows(line, object))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.list.selected().and_then(M::object)
    }

    fn click(&mut self, at: Position, area: Rect, world: World<'_>) -> Update {
        let pane = self.pane_of_table(area, world);
        let columns = self.columns(world, plain_theme(), inside(pane).width);
        let heading = self.list.table(&columns, plain_theme()).heading_at(inside(pane), at);
        drop(columns);
        match heading {
            Some(column) => {
                let sort = self.chosen.sort_by_click(column);
                self.sort_by(Some(sort), world)
            }
            None => self.list.click(at, pane),
        }
    }

    fn is_heading(&self, at: Position, area: Rect, world: World<'_>) -> bool {
        at.y == inside(self.pane_of_table(area, world)).y
    }

    fn on_news(&mut self, ticket: u64, news: &News, world: World<'_>) -> Update {
        if self.slices.is_next(ticket, news) {
            self.keep_more(world);
            return Update::changed();
        }
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
        let head = self.model.head(world);
        let (top, area) = cut_rows(area, Head::rows(head.as_ref(), area.height));
        if let Some(head) = head.filter(|_| top.height > 0) {
            head.draw(top, buf, theme);
        }
        let (pane, framed) =
            cut_rows(area, area.height.saturating_sub(if below.framed { below.rows } else { 0 }));
        let inner = frame::pane(pane, buf, theme, &self.model.title(world), &self.note(theme), true);
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
        let columns = self.columns(world, theme, place.width);
        let table = self.list.table(&columns, theme);
        let sort = self.chosen.sort.as_ref();
        Table { heading: &|line: &'_ Rc<M::Line>| M::heading(line), sort, ..table }.render(place, buf);
        if let Some(line) = self.list.selected().filter(|_| below.rows > 0) {
            let detail = if below.framed { framed } else { unframed };
            self.model.draw_detail(line, detail, buf, world, theme);
        }
    }
}

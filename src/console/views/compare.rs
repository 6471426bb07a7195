//! What differs between the generation on the screen and an earlier or later one of the history.
//!
//! ```text
//! ┏ Compare 4 (13:01:10) with 5 (13:02:11): jobs: 1 started, 1 new ━━━━━━ 2/9 ┓
//! ┃  what         change                                                      ┃
//! ┃  started: 1                                                               ┃
//! ┃▸ 812          on n[1-2]; before: waits: Not enough free nodes available   ┃
//! ┃──────────────────────────────────────────────────────────────────────────  ┃
//! ┃ 812: on n[1-2]; before: waits: Not enough free nodes available            ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line as TextLine, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};

use super::ViewName;
use super::listing::Listing;
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::inside;
use crate::task::{News, Task, Ticket};
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::widgets::text::clean;
use crate::wording;
use qscope_engine::cluster::JobState;
use qscope_exits::Clip;
use qscope_session::Generation;
use qscope_session::compare::Comparison;
use qscope_session::compare::changes::{self, About, Line};

/// Rows for the whole text of what is under the cursor, where there is room.
const TEXTS: u16 = 4;

/// A row: a heading with how many follow, or a change.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    Heading(String),
    Change(Line),
}

/// What was found between two generations, by their numbers.
#[derive(Debug, Default)]
struct Found {
    pair: (u64, u64),
    title: String,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Compare {
    /// The other generation, where somebody chose one; else the one before the one shown.
    chosen: Option<u64>,
    found: Option<Found>,
    /// What is being compared, and the ticket for it.
    asked: Option<((u64, u64), Ticket)>,
    request: Option<Effect>,
    list: Listing<Row>,
    filter: Filter,
}

const COLUMNS: [Column; 2] =
    [Column::words("what", Width::Between(8, 14), 100), Column::words("change", Width::Fill(20), 90)];

impl Rows for Compare {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        match (self.list.line(row), column) {
            (Some(Row::Change(line)), 0) => Cell::new(&*line.name),
            (Some(Row::Change(line)), _) => Cell::new(&*line.text),
            _ => Cell::new(""),
        }
    }

    fn heading(&self, row: usize) -> Option<Cow<'_, str>> {
        match self.list.line(row)? {
            Row::Heading(words) => Some((&**words).into()),
            Row::Change(_) => None,
        }
    }
}

fn is_same(a: &Row, b: &Row) -> bool {
    match (a, b) {
        (Row::Change(a), Row::Change(b)) => a.about == b.about,
        (a, b) => a == b,
    }
}

fn keeps(filter: &Filter, row: &Row) -> bool {
    match row {
        Row::Heading(_) => filter.is_empty(),
        Row::Change(line) => filter.is_empty() || filter.keeps_text(&line.words()),
    }
}

/// A generation by number and time, for titles.
fn named(generation: &Generation) -> String {
    let snap = &generation.snapshot;
    format!("{} ({})", generation.number, wording::clock(snap, snap.now))
}

impl Compare {
    /// The generation that the one on the screen is compared with; none while there is only one.
    fn other<'a>(&self, world: World<'a>) -> Option<&'a Arc<Generation>> {
        let shown = world.generation().number;
        let chosen = self.chosen.filter(|number| *number != shown);
        let chosen = chosen.and_then(|number| world.history.numbered(number));
        chosen.or_else(|| world.history.whole_before(shown)).or_else(|| world.history.after(shown))
    }

    /// The two generations, the earlier one first.
    fn pair<'a>(&self, world: World<'a>) -> Option<(&'a Arc<Generation>, &'a Arc<Generation>)> {
        let (shown, other) = (world.generation(), self.other(world)?);
        Some(if other.number < shown.number { (other, shown) } else { (shown, other) })
    }

    /// Has a worker compare, unless that is done or asked for.
    fn compare(&mut self, world: World<'_>) {
        let Some((before, after)) = self.pair(world) else {
            (self.found, self.asked) = (None, None);
            self.list.set(Vec::new(), |_| true, is_same);
            return;
        };
        let pair = (before.number, after.number);
        let is = |known: &(u64, u64)| *known == pair;
        if self.found.as_ref().is_some_and(|found| is(&found.pair)) {
            self.asked = None;
            return;
        }
        if self.asked.as_ref().is_some_and(|(asked, _)| is(asked)) {
            return;
        }
        let (before, after) = (before.clone(), after.clone());
        let what = format!("what changed from {} to {}", before.number, after.number);
        let (task, ticket) = Task::new(what, move |_| {
            let found = Comparison::of(&before.run, &after.run);
            Some((changes::summary(&found), changes::lines(&found, &after.snapshot)))
        });
        self.asked = Some((pair, ticket));
        self.request = Some(Effect::Compute(task));
    }

    /// Compares with the next older or newer generation than so far.
    fn choose(&mut self, world: World<'_>, older: bool) -> Update {
        let shown = world.generation().number;
        let now = self.other(world).map_or(shown, |other| other.number);
        let step = |from| if older { world.history.before(from) } else { world.history.after(from) };
        // The one on the screen is not compared with itself.
        let next = step(now).and_then(|one| if one.number == shown { step(shown) } else { Some(one) });
        let Some(next) = next else {
            let word = if older { "older" } else { "newer" };
            return Update::status(format!("there is no {word} snapshot to compare with"));
        };
        self.chosen = Some(next.number);
        self.compare(world);
        Update::changed()
    }

    fn line(&self) -> Option<&Line> {
        match self.list.selected()? {
            Row::Change(line) => Some(line),
            Row::Heading(_) => None,
        }
    }

    /// What the line under the cursor leads to.
    fn object(&self) -> Option<Object> {
        match &self.line()?.about {
            About::Job(name) => Some(Object::Job(name.clone())),
            About::Nodes(names) => names.first().cloned().map(Object::Node),
            About::Setting(object) => {
                object.strip_prefix("queue ").map(|queue| Object::Queue(queue.to_owned()))
            }
        }
    }

    fn go(&self, world: World<'_>) -> Update {
        let snap = world.snapshot();
        match self.object() {
            None if self.line().is_some() => Update::status("a setting has no view of its own"),
            None => Update::status("nothing under the cursor; it is a heading"),
            Some(Object::Job(name)) => match snap.job_named(&name).map(|id| snap.jobs[id].state) {
                None => Update::status(format!("job {name} is not in this snapshot; < > show others")),
                // What runs is not in the queue of the cycle.
                Some(JobState::Running | JobState::Exiting) => {
                    Update::request(Effect::GoToIn(ViewName::Calendar, Object::Job(name)))
                }
                Some(_) => Update::request(Effect::GoTo(Object::Job(name))),
            },
            Some(Object::Node(name)) if snap.node_named(&name).is_none() => {
                Update::status(format!("node {name} is not in this snapshot; < > show others"))
            }
            Some(object) => Update::request(Effect::GoTo(object)),
        }
    }

    /// The pane as it would be without the text below the table.
    fn pane_of_table(area: Rect) -> Rect {
        let [_, text] = Self::areas(inside(area));
        Rect { height: area.height.saturating_sub(text.height), ..area }
    }

    /// The table, and the text below it where there is room.
    fn areas(inner: Rect) -> [Rect; 2] {
        let texts = if inner.height >= 3 * TEXTS { TEXTS } else { 0 };
        Layout::vertical([Constraint::Min(0), Constraint::Length(texts)]).areas(inner)
    }

    fn render_text(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(line) = self.line() else { return };
        let text = TextLine::from(vec![
            Span::styled(clean(&line.name).into_owned(), theme.style(Role::Heading)),
            Span::styled(format!("  {}", clean(&line.text)), theme.style(Role::Text)),
        ]);
        Paragraph::new(text).wrap(Wrap { trim: false }).render(area.intersection(buf.area), buf);
    }

    /// Why there is no list, in lines.
    fn nothing(&self, world: World<'_>) -> Vec<String> {
        let mut told = Vec::new();
        if self.pair(world).is_none() {
            told.push("One snapshot so far; the next change of a file adds one.".to_owned());
            told.push("F follows, r reads again; the last 20 are kept.".to_owned());
        } else if self.asked.is_some() {
            told.push("comparing ...".to_owned());
        } else if self.list.has_nothing() {
            told.push("Nothing changed: no job, no node, no setting.".to_owned());
        } else {
            told.push("Nothing matches; Esc takes the filter away.".to_owned());
        }
        told
    }
}

impl View for Compare {
    fn refresh(&mut self, world: World<'_>) {
        self.compare(world);
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.request.take().into_iter().collect()
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update {
        match action {
            Action::CompareOlder => self.choose(world, true),
            Action::CompareNewer => self.choose(world, false),
            Action::Select => self.go(world),
            _ => self.list.go(action, Self::pane_of_table(area)),
        }
    }

    fn filter(&mut self, filter: &Filter, _: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|row| keeps(filter, row));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        self.list.put_on(|row| match (row, object) {
            (Row::Change(Line { about: About::Job(name), .. }), Object::Job(wanted)) => name == wanted,
            (Row::Change(Line { about: About::Nodes(names), .. }), Object::Node(wanted)) => {
                names.contains(wanted)
            }
            _ => false,
        })
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.object()
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        self.list.click(at, Self::pane_of_table(area))
    }

    fn on_news(&mut self, ticket: u64, news: &News, world: World<'_>) -> Update {
        let News::Answer(answer) = news else { return Update::nothing() };
        let Some((pair, _)) = self.asked.take_if(|(_, have)| have.is(ticket)) else {
            return Update::nothing();
        };
        if let Some((summary, lines)) = answer.downcast_ref::<(String, Vec<Line>)>() {
            let names = self.pair(world).map(|(before, after)| (named(before), named(after)));
            let (before, after) = names.unwrap_or_default();
            self.found = Some(Found { pair, title: format!("Compare {before} with {after}: {summary}") });
            let filter = &self.filter;
            let rows = changes::under_headings(lines, Row::Heading, |line| Row::Change(line.clone()));
            self.list.set(rows, |row| keeps(filter, row), is_same);
            if matches!(self.list.selected(), Some(Row::Heading(_))) {
                self.list.table.selected =
                    (self.list.table.selected + 1).min(self.list.len().saturating_sub(1));
            }
        }
        Update::changed()
    }

    fn copy(&self, _: World<'_>) -> Option<(&'static str, Clip)> {
        self.line()
            .map(|line| ("change", Clip::line(format_args!("{} {}: {}", line.group, line.name, line.text))))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let title = self.found.as_ref().map_or("Compare", |found| &found.title);
        let inner = frame::pane(area, buf, theme, title, &self.list.table.position(self.list.len()), true);
        if self.list.is_empty() {
            let told = self.nothing(world);
            let told: Vec<&str> = told.iter().map(String::as_str).collect();
            frame::empty(inner, buf, theme, &told);
            return;
        }
        let [place, text] = Self::areas(inner);
        let table = Table { columns: &COLUMNS, rows: self, state: self.list.table, theme, focused: true };
        table.render(place, buf);
        self.render_text(text, buf, theme);
    }
}

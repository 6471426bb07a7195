//! The page of one job, node, set, bucket, queue or reservation: its problems, its facts, the waiting jobs, then all
//! its attributes as in the file (console.md 3, Job page and Node page).
//!
//! ```text
//! ┏ Job 54 · top1 · alice ━━━━━━━━━━━━━━━━━━━ ◷ wait ┓┌ All attributes · 34 ── jobs-t.json, record 5 ┐
//! ┃ asks     16:ncpus=8 · place scatter:excl · 1h    ┃│ Priority              0                      │
//! ┃ reason   fragmented: 5 of 16 whole nodes         ┃│ Resource_List.ncpus   128                    │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────────────────┘
//! ```
//! Workers find the attributes and the order of the queue.

mod answers;
mod draw;
mod facts;
mod keys;
mod node;
mod nodes;
mod order;
mod queue;
mod reservation;
mod row_draw;
mod rows;
mod same_request;
mod siblings;
mod title;

use std::rc::Rc;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::Value;

use super::analysed::AnalysisRequests;
use super::list::FilteredList;
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::inner_area;
use crate::task::TaskNews;
use crate::views::names::with_text;
use crate::views::timeline::{PictureSubject, SmallPicture};
use crate::views::{Effect, Grid, Object, Pending, Update, View, ViewContext, ViewName};
use crate::widgets::text::width;
use qscope_exits::ClipboardText;
use qscope_session::Generation;

use answers::{MoveSearch, ObjectAnswer};
pub(crate) use rows::PageRow;
use rows::wrapped;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct PageView {
    subject: Option<Object>,
    generation: Option<Arc<Generation>>,
    answer: Option<Arc<ObjectAnswer>>,
    answering: Pending<ObjectAnswer>,
    moves: MoveSearch,
    analysed: AnalysisRequests,
    facts: FilteredList<PageRow>,
    /// The fact under the cursor in the snapshot before, until the answer for this one is there.
    fact_before: Option<Rc<PageRow>>,
    attributes: FilteredList<PageRow>,
    on_attributes: bool,
    /// The selected link of the line under the cursor.
    link: usize,
    filter: Filter,
    /// The columns of the facts when last drawn.
    columns: usize,
    /// The nodes over time below the facts of a job or node.
    picture: SmallPicture,
    /// Whether the page follows the cursor of a list; it then has a cursor of its own only while it has the keys.
    follows_cursor: bool,
    has_keys: bool,
}

impl PageView {
    /// Makes the page follow the cursor of a list from now on.
    pub(super) fn follow_list(&mut self) {
        self.follows_cursor = true;
    }

    fn make(&mut self, cx: ViewContext<'_>) {
        self.make_facts(cx);
        self.make_attributes(cx);
    }

    fn make_facts(&mut self, cx: ViewContext<'_>) {
        let Some(subject) = &self.subject else { return };
        let found = self.answer.as_ref().and_then(|found| found.node.as_ref());
        let facts = match subject {
            Object::Node(name) => node::of_node(cx, name, found),
            Object::Set(name) => nodes::of_set(cx, name),
            Object::Bucket(name) => nodes::of_bucket(cx, name),
            Object::Queue(name) => queue::of_queue(cx, name),
            Object::Reservation(name) => reservation::of_reservation(cx, name),
            other => facts::of_job(cx, other.name(), self.answer.as_deref(), &self.moves),
        };
        let named = |row: PageRow| {
            let known = row.links.iter().map(|link| link.object.clone());
            PageRow { links: with_text(known, &row.text, cx), ..row }
        };
        let facts = wrapped(facts.into_iter().map(named).collect(), self.columns);
        self.facts.set(facts.into_iter().map(Rc::new).collect(), |_| true, PageRow::is_same);
    }

    /// Makes the long list, which the filter searches; no analysis changes it.
    fn make_attributes(&mut self, cx: ViewContext<'_>) {
        let Some(subject) = &self.subject else { return };
        let members = nodes::members(cx, subject);
        let attributes = match self.answer.as_deref().map(|found| &found.attributes) {
            _ if members.is_some() => nodes::node_rows(cx, &members.unwrap_or_default()),
            // Those of the snapshot before stay until these are read.
            None if !self.attributes.has_nothing() => {
                return self.attributes.filter_rows(|row| keeps(&self.filter, row));
            }
            None => vec![PageRow::text("reading the file ...")],
            Some(Err(why)) => vec![PageRow::text(why)],
            Some(Ok(found)) => found.list.iter().map(PageRow::attribute).collect(),
        };
        let rows = attributes.into_iter().map(Rc::new).collect();
        self.attributes.set(rows, |row| keeps(&self.filter, row), PageRow::is_same);
    }

    /// Puts the cursor back on its fact: with the same links, or else with the same name.
    fn return_to_fact(&mut self) {
        let Some(before) = self.fact_before.take() else { return };
        let is_named = |row: &PageRow| !row.name.is_empty() && row.name == before.name;
        let _ = self.facts.put_on(|row| PageRow::is_same(row, &before)) || self.facts.put_on(is_named);
    }
}

impl View for PageView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        if !self.generation.as_ref().is_some_and(|about| Arc::ptr_eq(about, cx.generation())) {
            self.ask(cx);
        }
        self.analysed.take(cx);
        self.make(cx);
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.answering.request().into_iter().chain(self.analysed.requests()).collect()
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        let columns = usize::from(inner_area(self.parts(area).0).width);
        if std::mem::replace(&mut self.columns, columns) != columns {
            self.make_facts(cx);
        }
        let about = match &self.subject {
            Some(Object::Job(name)) => cx.job_named(name).map(PictureSubject::Job),
            Some(Object::Node(name)) => {
                cx.plan().bit_named.get(name.as_str()).copied().map(PictureSubject::Node)
            }
            _ => return,
        };
        self.picture.make(self.picture_place(area), about, None, cx);
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let (facts, attributes) = self.parts(area);
        let pane = if self.on_attributes { attributes } else { facts };
        match action {
            Action::NextPane | Action::PreviousPane => {
                self.on_attributes = !self.on_attributes;
                Update::changed()
            }
            Action::NextLine | Action::PreviousLine => match self.sibling(action == Action::NextLine, cx) {
                Some(object) => Update::request(Effect::GoToPage(object)),
                None => Update::status("no other that way"),
            },
            Action::Left | Action::Right if self.links() > 1 => {
                let last = self.links() - 1;
                let to = match action {
                    Action::Right => (self.link + 1).min(last),
                    _ => self.link.min(last).saturating_sub(1),
                };
                Update::changed_if(std::mem::replace(&mut self.link, to) != to)
            }
            Action::Select => match self.chosen_link() {
                Some(object @ (Object::Reservation(_) | Object::Queue(_)))
                    if self.subject.as_ref() == Some(&object) =>
                {
                    Update::request(Effect::GoToIn(ViewName::Cycle, object))
                }
                Some(object) if object.has_page() => Update::request(Effect::GoToPage(object)),
                Some(object) => Update::request(Effect::GoTo(object)),
                None => Update::status("nothing to open on this line"),
            },
            _ => {
                let update = self.listing().move_cursor(action, pane);
                if update.changed {
                    self.link = 0;
                    self.fact_before = None;
                }
                update
            }
        }
    }

    fn is_last_pane(&self, forward: bool, _: Rect, _: ViewContext<'_>) -> bool {
        self.on_attributes == forward
    }

    fn has_more_panes(&self) -> bool {
        true
    }

    fn inactive_actions(&self, cx: ViewContext<'_>) -> &'static [Action] {
        let has_why = self.object_to_explain(cx).is_some_and(|object| object.has_why());
        match (self.links(), has_why) {
            (0, true) => &[Action::Left, Action::Right, Action::Select],
            (0, false) => &[Action::Left, Action::Right, Action::Select, Action::AskWhy],
            (1, true) => &[Action::Left, Action::Right],
            (1, false) => &[Action::Left, Action::Right, Action::AskWhy],
            (_, true) => &[],
            (_, false) => &[Action::AskWhy],
        }
    }

    /// The subject, or the job or node under the cursor if only that can be explained.
    fn object_to_explain(&self, _: ViewContext<'_>) -> Option<Object> {
        let chosen = [self.subject.clone(), self.chosen_link()].into_iter().flatten().find(Object::has_why);
        chosen.or_else(|| self.subject.clone())
    }

    fn words(&self, _: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        match self.subject {
            _ if self.on_attributes => &[(Action::NextPane, "facts")],
            Some(Object::Set(_) | Object::Bucket(_)) => &[(Action::NextPane, "nodes")],
            _ => &[],
        }
    }

    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        self.filter = filter.clone();
        self.make_attributes(cx);
    }

    fn find(&mut self, filter: &Filter, forward: bool, _: ViewContext<'_>) -> Option<bool> {
        let is_meant = |row: &PageRow| filter.keeps_text(&row.words());
        if self.listing().next_match(forward, is_meant) {
            return Some(true);
        }
        self.on_attributes = !self.on_attributes;
        let is_in_other = self.listing().next_match(forward, is_meant);
        if !is_in_other {
            self.on_attributes = !self.on_attributes;
        }
        Some(is_in_other)
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let snap = cx.snapshot();
        // A subjob that is not in the dump is shown on the page of its array.
        let meant = match object {
            Object::Job(name) => snap.job_meant(name).map(|id| Object::of_job(id, snap)),
            _ => None,
        };
        let object = meant.as_ref().unwrap_or(object);
        let exists = match object {
            Object::Node(name) => cx.plan().node_named(name).is_some(),
            Object::Job(name) => snap.job_named(name).is_some(),
            Object::Queue(name) => snap.queue_named(name).is_some(),
            Object::Reservation(name) => snap.reservation_named(name).is_some(),
            Object::Set(_) | Object::Bucket(_) => nodes::members(cx, object).is_some(),
            Object::Cause(_) | Object::Entity(_) | Object::File(_) | Object::View(_) => false,
        };
        if exists && self.subject.as_ref() != Some(object) {
            self.subject = Some(object.clone());
            (self.facts, self.attributes) = (FilteredList::default(), FilteredList::default());
            (self.answer, self.fact_before) = (None, None);
            self.on_attributes = false;
            self.ask(cx);
            self.make(cx);
        }
        exists
    }

    fn object_at_cursor(&self, _: ViewContext<'_>) -> Option<Object> {
        self.subject.clone()
    }

    fn wheel(&mut self, action: Action, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let is_on_attributes = self.parts(area).1.contains(at);
        let focus = std::mem::replace(&mut self.on_attributes, is_on_attributes);
        let update = self.act(action, area, cx);
        self.on_attributes = focus;
        update
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        let (facts, attributes) = self.parts(area);
        self.on_attributes = attributes.contains(at);
        let pane = if self.on_attributes { attributes } else { facts };
        let update = self.listing().click(Position { y: at.y + 1, ..at }, pane).and_changed();
        self.fact_before = None;
        self.link = row_draw::link_at(self.focused_list(), pane, at).unwrap_or(0);
        update
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if let Some(update) = self.analysed.on_news(news, cx) {
            self.make_facts(cx);
            return update;
        }
        if let MoveSearch::Running(running) = &mut self.moves
            && let Some(found) = running.take(news)
        {
            self.moves = MoveSearch::Known(found);
            self.make_facts(cx);
            return Update::changed();
        }
        let Some(answer) = self.answering.take(news) else { return Update::unchanged() };
        self.answer = Some(answer);
        let moves = self.ask_moves();
        self.make(cx);
        self.return_to_fact();
        moves.map_or_else(Update::changed, |moves| Update::request(moves).and_changed())
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        let listing = if self.on_attributes { &self.attributes } else { &self.facts };
        let row = listing.selected()?;
        Some(("line", ClipboardText::line(row.words().trim())))
    }

    fn grid(&self, _: ViewContext<'_>) -> Option<Grid> {
        let row =
            |row: &Rc<PageRow>| [&row.name, &row.text, &row.place].map(|text| Value::from(&**text)).to_vec();
        let titles = ["attribute", "value", "place"].map(str::to_owned).to_vec();
        Some(Grid { titles, rows: self.attributes.matching_rows().iter().map(row).collect() })
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        self.draw(area, buf, cx);
    }
}

/// Whether the filter keeps an attribute; the facts stay: what is searched is the long list.
fn keeps(filter: &Filter, row: &PageRow) -> bool {
    filter.is_empty() || filter.keeps_text(&row.words())
}

/// The width of the longest name, which determines where the second column begins.
fn widest(listing: &FilteredList<PageRow>) -> usize {
    listing.matching_rows().iter().map(|row| width(&row.name)).max().unwrap_or(0)
}

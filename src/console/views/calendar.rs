//! What holds nodes over time: running jobs, jobs that start in this cycle, planned jobs and reservations, and where
//! the selected job fits.
//!
//! ```text
//! ┏ Calendar · after this cycle · 02:03 to 06:03 ━━━━━━━ selected 57: fits 05:33 ┓
//! ┃             02:03  ╷02:30  ╷03:00  ╷03:30  ╷04:00  ╷04:30  ╷05:00  ╷05:30    ┃
//! ┃ cn[001-008] 50▓     ·  ▏54░░░░░░░░░░░░░▏55░░░░░     ·       ·       ╎57┄┄┄┄╎ ┃
//! ┃ free nodes  ▁▂▂▄▄▄▄▄▄▄▄▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▁▁▁▁▁▁▁▁▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇ ┃
//! ┃ 57  first fit 05:33–06:03 on cn[001-019,026-031]                             ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! Nodes held alike share a row. `h` `l` scroll in time, `+` `-` zoom, `}` goes to the next event.

mod calendar_fit;
pub(in crate::views) mod events;
mod opening;

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustc_hash::FxHashSet;

use super::timeline::{RowGrouping, TimeRow, TimelineState, TimelineWidget, row_count, selecting};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cells, cut_rows, indented_inner_area};
use crate::task::TaskNews;
use crate::theme::Role;
use crate::views::{Effect, Object, Update, View, ViewContext};
use crate::widgets::frame;
use crate::widgets::table::TableState;
use crate::wording;
use qscope_engine::cluster::Epoch;
use qscope_engine::universe::{Bit, Occupant, State};
use qscope_session::query::QueryFields;
use qscope_session::records::{EventRecord, event_fields};

use calendar_fit::CalendarFit;

/// Rows below the picture: the selected job, and the next events.
const WORDS: u16 = 2;
/// In a high view the selected job and the events have a column each, of at least `COLUMNS` rows.
const COLUMNS: u16 = 9;
const HIGH: u16 = 44;
/// Minimum width for two columns of text.
const WIDE: u16 = 100;
/// Rows that hold all listed events with their heading and a blank row.
const MOST: u16 = 22;
/// Rows of the picture that are not nodes: times, free nodes and their numbers, a blank row, legend.
const AROUND_NODES: u16 = 10;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct CalendarView {
    timeline: TimelineState,
    /// The rows that match the filter.
    rows: Vec<TimeRow>,
    table: TableState,
    fit: CalendarFit,
    filter: Filter,
    /// Number of rows without the filter.
    all: usize,
    /// The row and the job of the bar that was clicked last.
    clicked: Option<(usize, String)>,
    /// The area of the picture when last drawn, and the number of node rows in it.
    picture: Rect,
    room: usize,
    /// Whether the rows have to be rebuilt.
    stale: bool,
}

/// The areas of the picture and of the text below it; rows that few nodes would leave blank go to the events.
fn parts(area: Rect, cx: ViewContext<'_>) -> (Rect, Rect) {
    let inner = indented_inner_area(area);
    let spare = inner.height.saturating_sub(cells(cx.plan().nodes.len()).saturating_add(AROUND_NODES));
    let words = match inner.height {
        HIGH.. => spare.clamp(COLUMNS, MOST),
        10.. if spare >= COLUMNS && inner.width >= WIDE => spare.min(MOST),
        10.. => WORDS,
        _ => 0,
    };
    cut_rows(inner, inner.height - words)
}

impl CalendarView {
    fn make_rows(&mut self, cx: ViewContext<'_>) {
        let before = self.row().and_then(|row| row.nodes.first().copied());
        let fit = self.fit.window();
        self.rows = self.timeline.rows(cx.plan(), self.room, fit);
        self.all = self.rows.len();
        if !self.filter.is_empty() {
            let kept = self.matching_occupants(cx.displayed_state());
            // A word is searched in the names of nodes, too, on which there may be no event; what keeps any text, such
            // as a negation, is about events only.
            let has_words = !self.filter.keeps_text("");
            let is_named = |bit: &Bit| self.filter.keeps_text(cx.plan().node_name(*bit));
            self.rows.retain(|row| {
                row.occupancies().iter().any(|held| kept.contains(&held.occupant))
                    || has_words && row.nodes.iter().any(is_named)
            });
        }
        let at = before.and_then(|bit| self.rows.iter().position(|row| row.nodes.contains(&bit)));
        self.table.select(at.unwrap_or(self.table.selected), self.rows.len(), self.room);
        self.stale = false;
    }

    /// The occupants that have an event matching the filter.
    fn matching_occupants(&self, state: &State) -> FxHashSet<Occupant> {
        let events = state.timeline.iter();
        let kept =
            events.filter(|(key, event)| self.filter.matches(&EventRecord::of(&state.plan, key, event)));
        kept.map(|(_, event)| event.occupant).collect()
    }

    fn row(&self) -> Option<&TimeRow> {
        self.rows.get(self.table.selected)
    }

    fn title(&self, cx: ViewContext<'_>) -> String {
        let snap = cx.snapshot();
        let time = |at| wording::time_of_day(snap, at);
        let from = self.timeline.from();
        let to = from + self.timeline.span(self.fit.window());
        let when = match cx.position() {
            0 => "after this cycle".to_owned(),
            n => format!("after step {n}"),
        };
        let by = match &self.timeline.grouping {
            RowGrouping::Use => String::new(),
            by => format!(" by {}", by.word()),
        };
        format!("Calendar{by} · {when} · {} to {}", time(from), time(to))
    }

    fn note(&self, cx: ViewContext<'_>) -> String {
        match self.filter.text() {
            "" => self.fit.note(cx),
            _ => self.filter.note(self.rows.len(), self.all),
        }
    }
}

impl View for CalendarView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        match cx.position() {
            0 => self.timeline.take_end(cx),
            _ => self.timeline.take_position(cx),
        }
        self.fit.take(cx);
        self.fit.ask_for_starts(cx);
        self.stale = true;
        self.make_rows(cx);
    }

    /// The axis does not begin before now.
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        if self.timeline.is_at_now() { &[Action::Left] } else { &[] }
    }

    fn due(&self, cx: ViewContext<'_>) -> Option<Instant> {
        self.fit.due(cx)
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.fit.requests()
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        self.picture = parts(area, cx).0;
        let room = row_count(self.picture.height);
        if self.stale || room != self.room {
            self.room = room;
            self.make_rows(cx);
        }
    }

    fn act(&mut self, action: Action, _: Rect, cx: ViewContext<'_>) -> Update {
        let fit = self.fit.window().cloned();
        let fit = fit.as_ref();
        let moved = match action {
            Action::Select => return self.open(cx),
            Action::Left | Action::Right => self.timeline.scroll(action == Action::Right, fit),
            Action::More | Action::Less => self.timeline.zoom(action == Action::More, fit),
            Action::NextVerdict | Action::PreviousVerdict => {
                self.timeline.go_to_event(action == Action::NextVerdict)
            }
            Action::ToggleMap => {
                self.timeline.grouping = self.timeline.grouping.next(cx.plan());
                self.make_rows(cx);
                true
            }
            Action::Home if self.timeline.go_to_now() => true,
            _ if action.moves() => self.table.move_cursor(action, self.rows.len(), self.room),
            _ => return Update::unknown(),
        };
        Update::changed_if(moved)
    }

    fn fields(&self, cx: ViewContext<'_>) -> QueryFields {
        event_fields().by_clock_of(cx.snapshot())
    }

    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        self.filter = filter.clone();
        self.make_rows(cx);
    }

    fn go_to_moment(&mut self, at: Epoch, _: ViewContext<'_>) -> bool {
        self.timeline.go_to(at)
    }

    fn group_by(&mut self, by: &str, cx: ViewContext<'_>) -> bool {
        let Some(by) = RowGrouping::named(by, &cx.snapshot().catalogue) else { return false };
        self.timeline.grouping = by;
        self.make_rows(cx);
        true
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let plan = cx.plan();
        let holds = |row: &TimeRow, name: &str| {
            row.occupancies().iter().any(|held| match held.occupant {
                Occupant::Job(job, _) => *plan.job(job).name == *name,
                Occupant::Reservation(_) => false,
            })
        };
        let at = self.rows.iter().position(|row| match object {
            Object::Job(name) => holds(row, name),
            Object::Node(name) => row.nodes.iter().any(|bit| **plan.node_name(*bit) == **name),
            _ => false,
        });
        if let Some(at) = at {
            self.table.select(at, self.rows.len(), self.room);
        }
        at.is_some()
    }

    /// The selected job, which the title names.
    fn object_to_explain(&self, cx: ViewContext<'_>) -> Option<Object> {
        cx.screen.subject_name().map(Object::Job).or_else(|| self.object_at_cursor(cx))
    }

    fn object_at_cursor(&self, cx: ViewContext<'_>) -> Option<Object> {
        let job = self.job(cx).map(Object::Job);
        job.or_else(|| self.node(cx.plan()).map(Object::Node))
    }

    fn click(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let (picture, _) = parts(area, cx);
        let hit = self.timeline_widget(cx.undrawn()).row_at(picture, at);
        let Some((row, job)) = hit else { return Update::unchanged() };
        self.table.selected = row;
        let update = selecting(job.as_deref(), cx);
        self.clicked = job.map(|job| (row, job));
        update
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        let changed = self.fit.on_news(news, cx);
        if changed {
            self.make_rows(cx);
        }
        Update::changed_if(changed || cx.screen.analysis.starts.is_answered_by(news))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        frame::pane(area, buf, theme, &self.title(cx), &self.note(cx), true);
        let (picture, words) = parts(area, cx);
        if self.rows.is_empty() {
            let why = match self.filter.is_empty() {
                true => "There are no nodes in the scheduler's partition.",
                false => super::list::NO_MATCH,
            };
            return frame::empty(picture, buf, theme, &[why]);
        }
        self.timeline_widget(cx).render(picture, buf);
        self.words(words, buf, cx);
    }
}

impl CalendarView {
    fn timeline_widget<'a>(&'a self, cx: ViewContext<'a>) -> TimelineWidget<'a> {
        TimelineWidget {
            timeline: &self.timeline,
            rows: &self.rows,
            top: self.top(),
            selected: Some(self.table.selected),
            plan: cx.plan(),
            fit: self.fit.window(),
            theme: cx.theme,
        }
    }

    fn top(&self) -> usize {
        self.table.window(self.rows.len(), self.room.max(1)).start
    }

    /// Draws the text about the selected job, and the next events.
    fn words(&self, at: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let about = self.fit.words(&self.timeline, cx);
        let events = events::lines(&self.timeline, cx);
        if at.height < COLUMNS {
            let next = events::next(&events, usize::from(at.width));
            let lines = [about.first().cloned().unwrap_or_default(), format!("next  {next}")];
            return frame::lines(at, buf, theme, lines.into_iter().map(|text| (Role::Text, text)));
        }
        let left = Rect { y: at.y + 1, height: at.height - 1, width: at.width / 2, ..at };
        let right = Rect { x: left.right() + 1, width: at.width.saturating_sub(left.width + 1), ..left };
        let head = |text: &str| (Role::Heading, text.to_owned());
        let rows = usize::from(left.height).saturating_sub(1);
        let columns = usize::from(left.width.saturating_sub(2));
        let listed = events::listed(&events, rows, columns, theme).into_iter();
        let listed = listed.map(|text| (Role::Text, text));
        frame::lines(left, buf, theme, std::iter::once(head("Events")).chain(listed));
        let named = about.into_iter().map(|text| (Role::Text, text));
        frame::lines(right, buf, theme, std::iter::once(head("Selected job")).chain(named));
    }
}

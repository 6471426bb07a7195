//! The cycle: which path each job took, where it was placed, and why the others wait.
//!
//! ```text
//! ┌ Why 8 jobs wait · 412.9 core-hours ┐┌ Nodes × time, after this cycle ──────┐
//! │ fragmented   ██████▎  1 job  128 c-h││ n[1-8] ▓50▓▓   ·  ▏54░░░░░░░░░       │
//! └────────────────────────────────────┘└──────────────────────────────────────┘
//! ┏ Queue, in the order considered ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/19 ┓
//! ┃▸   1 54       alice  ◷ wait   ◆02:43  fragmented            5 of 16 whole…  ┃
//! ┗━◷──◷──✓──✓──◷━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```
//! At rest the upper panes show what holds the queue up, and the nodes over time; while stepping, the decision on the
//! selected job, and the nodes by bucket.

mod answer_pane;
mod bits;
mod breadcrumb;
mod columns;
mod cursor;
mod decision;
mod decision_levels;
mod descent;
mod draw_context;
mod free_nodes;
mod keys;
mod map;
pub(crate) mod node;
mod objects;
mod order;
mod over_time;
pub(crate) mod overview;
mod paint;
mod panes;
mod pulse_target;
mod queue;
mod queue_below_answer;
pub(in crate::views) mod reasons;
mod rows;
mod running;
mod state;
mod step_into;
mod strip;
mod two_paths;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::records::{ValueCount, job_values};
use super::table_choices::{TableChoices, TableShape};
use crate::action::{Action, Context};
use crate::filter::Filter;
use crate::layout::{Pane, cycle};
use crate::task::TaskNews;
use crate::views::{Effect, Grid, Object, QuickFilter, Update, View, ViewContext};
use qscope_exits::ClipboardText;
use qscope_session::query::QueryFields;
use qscope_session::records::job_fields;

pub use state::CycleView;

impl CycleView {
    /// Whether the cycle is before its first step and no decision was opened.
    fn is_at_rest(&self, cx: ViewContext<'_>) -> bool {
        self.rests_at(Some(cx.position()))
    }

    /// Whether that held for the state last seen, which is what is on the screen.
    fn was_at_rest(&self) -> bool {
        self.rests_at(self.seen_position())
    }

    /// Stops the analysis of the queue; false where none is under way.
    pub(crate) fn stop_analysis(&self) -> bool {
        self.reasons.stop()
    }

    /// Has it go on; false where it was not stopped.
    pub(crate) fn resume_analysis(&self) -> bool {
        self.reasons.resume()
    }

    fn rests_at(&self, position: Option<usize>) -> bool {
        position == Some(0) && self.descent.is_none() && self.paths.is_none() && !self.is_decision_open
    }
}

impl View for CycleView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        self.take_world(cx);
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.requests.extend(self.places.request());
        std::mem::take(&mut self.requests)
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        self.columns = self.table_area(area, cx).map_or(u16::MAX, |table| table.width);
        self.make_map(cx);
        let picture = self.panes(area, cx).rect(Pane::Map);
        self.make_picture(picture, cx);
        self.make_after_step(area, cx);
        if let Some(pane) = self.panes(area, cx).rect(Pane::Detail) {
            self.fit_story(pane);
        }
        self.prepare_why(area, cx);
    }

    fn pane_context(&self) -> Option<Context> {
        Some(match self.focus {
            Pane::List => Context::List,
            // At rest its lines lead to jobs and views, like those of a list.
            Pane::Detail if self.was_at_rest() => Context::List,
            Pane::Detail | Pane::Side => Context::Detail,
            Pane::Map => Context::Map,
        })
    }

    fn inactive_actions(&self, cx: ViewContext<'_>) -> &'static [Action] {
        self.idle_keys(cx)
    }

    fn words(&self, cx: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        self.key_words(cx)
    }

    fn takes_steps(&self) -> bool {
        self.focus == Pane::Detail && self.descent.is_some()
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        match action {
            Action::StepForward | Action::StepBack => return self.step_over(action, area, cx),
            Action::StepInto => return self.step_into(cx),
            Action::StepOut if self.leave_depth() => {}
            Action::StepOut => {
                return Update::status("this is the outermost level; i steps into the decision");
            }
            Action::TwoPaths => return self.toggle_paths(cx),
            Action::Sort | Action::SortReverse => return self.sort(action, cx),
            Action::Select if self.focus == Pane::Detail && self.is_at_rest(cx) => {
                return self.open_pulse();
            }
            Action::Select if self.focus == Pane::Detail => return self.open_line(cx),
            Action::Select => return self.go_to_selected(cx),
            Action::NextPane => self.turn_focus(1, cx),
            Action::PreviousPane => self.turn_focus(-1, cx),
            Action::ToggleMap if self.is_at_rest(cx) => self.focus = Pane::Map,
            Action::ToggleMap => self.toggle_map(area, cx),
            Action::NextLine | Action::PreviousLine if self.is_at_rest(cx) => return Update::unknown(),
            Action::NextLine | Action::PreviousLine => {
                return Update::changed_if(self.move_in_map(action, area, cx));
            }
            _ if action.moves() => return self.move_times(action, 1, area, cx),
            _ => return Update::unknown(),
        }
        Update::changed()
    }

    fn repeat(&mut self, action: Action, times: usize, area: Rect, cx: ViewContext<'_>) -> Update {
        match action {
            _ if action.moves() => self.move_times(action, times, area, cx),
            Action::NextLine | Action::PreviousLine => {
                let moves = (0..times).take_while(|_| self.move_in_map(action, area, cx)).count();
                Update::changed_if(moves > 0)
            }
            _ => (0..times).fold(Update::unchanged(), |all, _| match all.effects.is_empty() {
                true => all.followed_by(self.act(action, area, cx)),
                false => all,
            }),
        }
    }

    fn wheel(&mut self, action: Action, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        if let Some(update) = self.wheel_why(action, at, area, cx) {
            return update;
        }
        let Some(pane) = self.panes(area, cx).at(at.x, at.y) else { return Update::unchanged() };
        // The wheel only scrolls: it does not move the cursor of a pane that cannot scroll, nor that of the picture.
        match (pane, self.is_at_rest(cx)) {
            (Pane::Detail, true) => return Update::unchanged(),
            (Pane::Map, true) => {
                let pane = self.panes(area, cx).rect(Pane::Map);
                return Update::changed_if(self.scroll_picture(action, pane));
            }
            _ => {}
        }
        let focus = std::mem::replace(&mut self.focus, pane);
        let update = self.move_times(action, 1, area, cx);
        self.focus = focus;
        update
    }

    fn stop(&mut self) -> bool {
        if !self.was_at_rest() {
            return false;
        }
        let stops_answer = self.why_view.stop();
        self.stop_analysis() || stops_answer
    }

    fn resume(&mut self) -> bool {
        if !self.was_at_rest() {
            return false;
        }
        let resumes_answer = self.why_view.resume();
        self.resume_analysis() || self.reasons.continue_past_limit() || resumes_answer
    }

    fn close(&mut self) -> bool {
        self.close_paths() || self.leave_depth() || std::mem::take(&mut self.is_decision_open)
    }

    /// The most useful filters of the queue.
    fn quick_filters(&self) -> &'static [QuickFilter] {
        &[
            ("placed by the node path", "path=node verdict=run"),
            ("placed by the bucket path", "path=bucket verdict=run"),
            ("waiting", "wait"),
        ]
    }

    fn is_last_pane(&self, forward: bool, _: Rect, cx: ViewContext<'_>) -> bool {
        let panes = cycle(cx.size_class);
        let last = if forward { panes.last() } else { panes.first() };
        last == Some(&self.focus)
    }

    fn has_more_panes(&self) -> bool {
        true
    }

    fn reset_focus(&mut self) {
        self.is_decision_open = false;
        self.focus = Pane::List;
    }

    fn fields(&self, cx: ViewContext<'_>) -> QueryFields {
        job_fields(&cx.snapshot().catalogue).by_clock_of(cx.snapshot())
    }

    fn values(&self, field: &str, cx: ViewContext<'_>) -> Vec<ValueCount> {
        job_values(cx, field)
    }

    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        self.keep_matching(filter, cx);
    }

    fn find(&mut self, filter: &Filter, forward: bool, cx: ViewContext<'_>) -> Option<bool> {
        Some(self.next_match(filter, forward, cx))
    }

    fn table(&self, cx: ViewContext<'_>) -> Option<TableShape> {
        Some(self.shape(cx))
    }

    fn set_table(&mut self, choices: &TableChoices, cx: ViewContext<'_>) {
        self.chosen = choices.clone();
        self.sort_by(choices.sort.clone(), cx);
    }

    fn grid(&self, cx: ViewContext<'_>) -> Option<Grid> {
        Some(self.as_grid(cx))
    }

    fn drag(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        self.scrub(at, area, cx)
    }

    fn is_heading(&self, at: Position, area: Rect, cx: ViewContext<'_>) -> bool {
        self.table_area(area, cx).is_some_and(|table| table.y == at.y)
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        self.show_object(object, cx)
    }

    fn return_to(&mut self, object: &Object, cx: ViewContext<'_>) {
        if let Object::Job(name) = object {
            self.select_again(name, cx);
            return;
        }
        let (focus, opened) = (self.focus, self.is_decision_open);
        self.show(object, cx);
        (self.focus, self.is_decision_open) = (focus, opened);
    }

    fn object_at_cursor(&self, cx: ViewContext<'_>) -> Option<Object> {
        cx.screen.subject_name().map(Object::Job)
    }

    fn object_to_explain(&self, cx: ViewContext<'_>) -> Option<Object> {
        match self.focus {
            Pane::Map if self.is_at_rest(cx) => self.selected_object(cx),
            Pane::Detail if self.is_at_rest(cx) => {
                self.job_of_reason(cx).or_else(|| self.object_at_cursor(cx))
            }
            Pane::Map | Pane::Side => self.node_name(cx.plan()).map(Object::Node),
            Pane::List | Pane::Detail => self.object_at_cursor(cx),
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        self.click_pane(at, area, cx)
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        let answered = self.why_view.on_news(news, cx);
        if answered.changed {
            return answered;
        }
        if self.on_filtered(news, cx) {
            return Update::changed();
        }
        if self.judged.on_news(news) {
            return Update::changed();
        }
        if self.places.on_news(news) {
            self.sort_rows(cx);
            self.show_subject();
            return Update::changed();
        }
        if cx.screen.analysis.starts.is_answered_by(news) {
            self.widen_starts(cx);
            return Update::changed();
        }
        match self.reasons.on_news(news) {
            Some(next) => next.map_or_else(Update::changed, |next| Update::changed().with(next)),
            None => self.on_rehearsal(news),
        }
    }

    fn copy(&self, cx: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        self.copied(cx)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        self.draw_panes(area, buf, cx);
    }
}

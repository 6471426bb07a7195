//! The queue below the answer, on screens high enough for both (console.md 3.1): its cursor is on the explained job,
//! and moving it explains another one.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::WhyView;
use super::page::WhyTarget;
use crate::action::Action;
use crate::layout::{cells, cut_rows, share};
use crate::task::TaskNews;
use crate::views::cycle::CycleView;
use crate::views::{Effect, Object, Update, View, ViewContext};
use qscope_engine::cluster::JobId;

/// Minimum height of the view: 56 screen rows minus four for header, tabs, alerts and footer.
const HIGH: u16 = 52;
/// Minimum rows of the queue, with its frame.
const LEAST: u16 = 12;

/// The queue below the answer.
#[derive(Debug, Default)]
pub(super) struct QueuePane {
    /// Created when it is first shown.
    queue: Option<Box<CycleView>>,
    focused: bool,
    /// The most rows that an answer of this cycle needed: the border never moves up from one answer to the next.
    highest: u16,
    /// Current rows of the answer.
    upper: u16,
    /// Whether the answer is shown beside a queue, and needs none below.
    left_out: bool,
}

impl QueuePane {
    /// Never shows the queue.
    pub(super) fn leave_out(&mut self) {
        self.left_out = true;
    }

    /// Whether the answer is beside a queue, which then is not below it.
    pub(super) fn is_left_out(&self) -> bool {
        self.left_out
    }

    /// Divides the area for an answer of `rows` rows, if these are known yet.
    pub(super) fn make_room(&mut self, area: Rect, rows: Option<usize>, cx: ViewContext<'_>) {
        if self.left_out || area.height < HIGH {
            self.focused = false;
            return;
        }
        let queue = self.queue.get_or_insert_default();
        queue.focus_queue(self.focused);
        queue.refresh(cx);
        self.highest = self.highest.max(cells(rows.unwrap_or(0))).max(share(area.height, 3, 5));
        let least = area.height.saturating_sub(cells(queue.queue_rows()));
        self.upper = self.highest.max(least).min(area.height.saturating_sub(LEAST));
        let pane = cut_rows(area, self.upper).1;
        queue.fit_queue(pane);
    }

    /// Updates the queue for this snapshot if it is shown, while there is no answer.
    pub(super) fn keep_current(&mut self, area: Rect, cx: ViewContext<'_>) {
        if self.queue.is_some() {
            self.make_room(area, None, cx);
        }
    }

    /// Splits the area into that of the answer and, where there is room, that of the queue.
    pub(super) fn parts(&self, area: Rect) -> (Rect, Option<Rect>) {
        if self.left_out || area.height < HIGH || self.queue.is_none() {
            return (area, None);
        }
        let (answer, queue) = cut_rows(area, self.upper.min(area.height.saturating_sub(LEAST)));
        (answer, Some(queue))
    }

    /// Forgets the heights of earlier answers, for another cycle.
    pub(super) fn forget_heights(&mut self) {
        self.highest = 0;
    }

    /// Whether keys go to the queue.
    pub(super) fn has_focus(&self) -> bool {
        self.focused
    }

    /// Gives the focus to the queue or takes it away; returns whether that changed anything.
    pub(super) fn focus(&mut self, focused: bool) -> bool {
        if let Some(queue) = &mut self.queue {
            queue.focus_queue(focused);
        }
        std::mem::replace(&mut self.focused, focused) != focused
    }

    fn point_at(&mut self, job: JobId, cx: ViewContext<'_>) {
        if let Some(queue) = &mut self.queue {
            queue.point_at(job, cx);
        }
    }

    /// Requests of the table: reasons and starts.
    pub(super) fn requests(&mut self) -> Vec<Effect> {
        self.queue.as_mut().map(|queue| queue.requests()).unwrap_or_default()
    }

    /// Passes an action to the table.
    pub(super) fn act(&mut self, action: Action, pane: Rect, cx: ViewContext<'_>) -> Update {
        self.queue.as_mut().map_or_else(Update::unchanged, |queue| queue.act_in_queue(action, pane, cx))
    }

    /// Passes a click to the table.
    pub(super) fn click(&mut self, at: Position, pane: Rect, cx: ViewContext<'_>) -> Update {
        let focused = self.focus(true);
        let update =
            self.queue.as_mut().map_or_else(Update::unchanged, |queue| queue.click_in_queue(at, pane, cx));
        if focused { update.and_changed() } else { update }
    }

    /// Stops the analysis of the queue that the table shows; false where none is under way.
    pub(super) fn stop(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.stop_analysis())
    }

    /// Has it go on; false where it was not stopped.
    pub(super) fn resume(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.resume_analysis())
    }

    pub(super) fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        self.queue.as_mut().map_or_else(Update::unchanged, |queue| queue.on_news(news, cx))
    }

    pub(super) fn draw(&self, pane: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        if let Some(queue) = &self.queue {
            queue.draw_queue(pane, buf, cx);
        }
    }
}

impl WhyView {
    /// Shows no queue below: the view around the answer has one.
    pub(crate) fn leave_out_queue(&mut self) {
        self.below.leave_out();
    }

    /// Keeps the cursor of the queue on the explained job.
    pub(super) fn follow_in_queue(&mut self, cx: ViewContext<'_>) {
        let named = self.target.as_ref().and_then(WhyTarget::job);
        if let Some(job) = named.and_then(|job| cx.job_meant(job)) {
            self.below.point_at(job, cx);
        }
    }

    /// Handles an action for the queue below the answer, or one that changes the pane; `None` if the action is for the
    /// answer.
    pub(super) fn act_below(
        &mut self,
        action: Action,
        answer: Rect,
        queue: Option<Rect>,
        cx: ViewContext<'_>,
    ) -> Option<Update> {
        let queue = queue?;
        match action {
            Action::NextPane | Action::PreviousPane => {
                Some(self.next_pane(action == Action::NextPane, answer))
            }
            _ if !self.below.has_focus() => None,
            Action::Sort | Action::SortReverse => Some(self.below.act(action, queue, cx)),
            _ if action.moves() && !matches!(action, Action::Left | Action::Right) => {
                Some(self.below.act(action, queue, cx))
            }
            Action::Select => Some(match self.target.as_ref().and_then(WhyTarget::job) {
                Some(job) => Update::request(Effect::GoToPage(Object::Job(job.clone()))),
                None => Update::status("no job under the cursor"),
            }),
            _ => None,
        }
    }

    /// Moves the focus through the non-empty columns of the answer, and the queue.
    fn next_pane(&mut self, forward: bool, answer: Rect) -> Update {
        let from_queue = self.below.focus(false);
        // From the queue forward to the first column, or back to the last one.
        let within = !self.is_at_edge(forward != from_queue, answer) && self.other_column(answer);
        if !from_queue && !within {
            self.below.focus(true);
        }
        Update::changed()
    }

    /// Whether the next pane is not a column of the answer: the cursor is in the last column, or, going back, in the
    /// first one.
    pub(super) fn is_at_edge(&self, forward: bool, area: Rect) -> bool {
        let Some(page) = self.pages.first() else { return true };
        let columns = self.arranged(page, area).columns;
        let (at, _) = page.cursor.place(&columns);
        let edge = if forward { columns.last() } else { columns.first() };
        columns.get(at).zip(edge).is_none_or(|(here, edge)| here.is_in_line_with(edge))
    }
}

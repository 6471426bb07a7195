//! The queue below the answer, where the screen is high enough for both (console.md 3.1): its cursor is on the job that
//! is explained, and moving it explains the next one.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::WhyView;
use super::page::Target;
use crate::action::Action;
use crate::layout::{cells, cut_rows, share};
use crate::task::News;
use crate::theme::Theme;
use crate::views::cycle::Cycle;
use crate::views::{Effect, Object, Update, View, World};
use qscope_engine::cluster::JobId;

/// The rows of the view on a screen of 56 rows: header, tabs, alerts and footer take four.
const HIGH: u16 = 52;
/// The least rows of the queue, with its frame.
const LEAST: u16 = 12;

/// The queue below the answer.
#[derive(Debug, Default)]
pub(super) struct Below {
    /// Made where it is seen first.
    queue: Option<Box<Cycle>>,
    focused: bool,
    /// The rows that the answers of this cycle took at most: the border never goes up from one to the next.
    highest: u16,
    /// The rows of the answer now.
    upper: u16,
    /// Whether the answer stands beside a queue, and needs none.
    left_out: bool,
}

impl Below {
    /// Never shows the queue.
    pub(super) fn leave_out(&mut self) {
        self.left_out = true;
    }

    /// Divides the place for an answer of so many rows, if that is known yet.
    pub(super) fn make_room(&mut self, area: Rect, rows: Option<usize>, world: World<'_>) {
        if self.left_out || area.height < HIGH {
            self.focused = false;
            return;
        }
        let queue = self.queue.get_or_insert_default();
        queue.focus_queue(self.focused);
        queue.refresh(world);
        self.highest = self.highest.max(cells(rows.unwrap_or(0))).max(share(area.height, 3, 5));
        let least = area.height.saturating_sub(cells(queue.queue_rows()));
        self.upper = self.highest.max(least).min(area.height.saturating_sub(LEAST));
        let pane = cut_rows(area, self.upper).1;
        queue.fit_queue(pane);
    }

    /// The place of the answer, and that of the queue where there is room.
    pub(super) fn parts(&self, area: Rect) -> (Rect, Option<Rect>) {
        if self.left_out || area.height < HIGH || self.queue.is_none() {
            return (area, None);
        }
        let (answer, queue) = cut_rows(area, self.upper.min(area.height.saturating_sub(LEAST)));
        (answer, Some(queue))
    }

    /// Begins with another cycle: what answers took before is forgotten.
    pub(super) fn forget_heights(&mut self) {
        self.highest = 0;
    }

    /// Whether keys go to the queue.
    pub(super) fn has_focus(&self) -> bool {
        self.focused
    }

    /// Gives the queue the focus, or takes it; whether that changed anything.
    pub(super) fn focus(&mut self, focused: bool) -> bool {
        if let Some(queue) = &mut self.queue {
            queue.focus_queue(focused);
        }
        std::mem::replace(&mut self.focused, focused) != focused
    }

    fn point_at(&mut self, job: JobId, world: World<'_>) {
        if let Some(queue) = &mut self.queue {
            queue.point_at(job, world);
        }
    }

    /// What the table has computed: reasons and starts.
    pub(super) fn requests(&mut self) -> Vec<Effect> {
        self.queue.as_mut().map(|queue| queue.requests()).unwrap_or_default()
    }

    /// An action for the table.
    pub(super) fn act(&mut self, action: Action, pane: Rect, world: World<'_>) -> Update {
        self.queue.as_mut().map_or_else(Update::nothing, |queue| queue.act_in_queue(action, pane, world))
    }

    /// A click into the table.
    pub(super) fn click(&mut self, at: Position, pane: Rect, world: World<'_>) -> Update {
        let focused = self.focus(true);
        let update =
            self.queue.as_mut().map_or_else(Update::nothing, |queue| queue.click_in_queue(at, pane, world));
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

    pub(super) fn on_news(&mut self, ticket: u64, news: &News, world: World<'_>) -> Update {
        self.queue.as_mut().map_or_else(Update::nothing, |queue| queue.on_news(ticket, news, world))
    }

    pub(super) fn draw(&self, pane: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        if let Some(queue) = &self.queue {
            queue.draw_queue(pane, buf, world, theme);
        }
    }
}

impl WhyView {
    /// Has no queue below: the view that it stands in shows one.
    pub(crate) fn stand_alone(&mut self) {
        self.below.leave_out();
    }

    /// Keeps the cursor of the queue on the job that is explained.
    pub(super) fn follow_in_queue(&mut self, world: World<'_>) {
        let named = self.target.as_ref().and_then(Target::job);
        if let Some(job) = named.and_then(|job| world.job_meant(job)) {
            self.below.point_at(job, world);
        }
    }

    /// An action while a queue stands below the answer: the next pane, or what the queue does with it; none where it is
    /// the answer's.
    pub(super) fn act_below(
        &mut self,
        action: Action,
        answer: Rect,
        queue: Option<Rect>,
        world: World<'_>,
    ) -> Option<Update> {
        let queue = queue?;
        match action {
            Action::NextPane | Action::PreviousPane => {
                Some(self.next_pane(action == Action::NextPane, answer))
            }
            _ if !self.below.has_focus() => None,
            Action::Sort | Action::SortReverse => Some(self.below.act(action, queue, world)),
            _ if action.moves() && !matches!(action, Action::Left | Action::Right) => {
                Some(self.below.act(action, queue, world))
            }
            Action::Select => Some(match self.target.as_ref().and_then(Target::job) {
                Some(job) => Update::request(Effect::GoToPage(Object::Job(job.clone()))),
                None => Update::status("no job under the cursor"),
            }),
            _ => None,
        }
    }

    /// The focus goes through the columns of the answer that have rows, and the queue.
    fn next_pane(&mut self, forward: bool, answer: Rect) -> Update {
        let from_queue = self.below.focus(false);
        // From the queue forward to the first column, back to the last one.
        let within = !self.is_at_edge(forward != from_queue, answer) && self.other_column(answer);
        if !from_queue && !within {
            self.below.focus(true);
        }
        Update::changed()
    }

    /// Whether the next pane is none of the answer's columns: the cursor is in the last of them, or the first one when
    /// going back.
    pub(super) fn is_at_edge(&self, forward: bool, area: Rect) -> bool {
        let Some(page) = self.pages.first() else { return true };
        let columns = self.arranged(page, area).columns;
        let (at, _) = page.cursor.place(&columns);
        let edge = if forward { columns.last() } else { columns.first() };
        columns.get(at).zip(edge).is_none_or(|(here, edge)| here.is_in_line_with(edge))
    }
}

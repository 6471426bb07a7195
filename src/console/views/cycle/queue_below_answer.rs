//! The queue below the answer to why a job waits: the same table; its cursor selects the job explained.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::draw_context::DrawContext;
use super::queue;
use super::state::CycleView;
use crate::action::Action;
use crate::layout::{Pane, inner_area};
use crate::views::{Update, ViewContext};
use crate::widgets::table::height;
use qscope_engine::cluster::JobId;

impl CycleView {
    /// Number of rows of the whole queue with frame and headings.
    pub(crate) fn queue_rows(&self) -> usize {
        self.queue.len() + 3
    }

    /// Puts the cursor of the queue on a job: on the selected row if it belongs to the job, else on the job's first
    /// row.
    pub(crate) fn point_at(&mut self, job: JobId, cx: ViewContext<'_>) {
        let run = cx.run();
        if cx.screen.subject.is_some_and(|row| row.job(run) == Some(job)) && self.show_subject() {
            return;
        }
        if let Some(at) =
            self.rows.iter().position(|line| line.row().and_then(|row| row.job(run)) == Some(job))
        {
            self.table.selected = at;
        }
    }

    /// Moves the cursor of the queue, or sorts its rows, for a queue drawn in `pane`.
    pub(crate) fn act_in_queue(&mut self, action: Action, pane: Rect, cx: ViewContext<'_>) -> Update {
        match action {
            Action::Sort | Action::SortReverse => self.sort(action, cx),
            _ if action.moves() => self.move_rows(action, 1, height(inner_area(pane))),
            _ => Update::unknown(),
        }
    }

    /// Handles a click into the queue drawn in `pane`.
    pub(crate) fn click_in_queue(&mut self, at: Position, pane: Rect, cx: ViewContext<'_>) -> Update {
        self.click_table(at, inner_area(pane), cx)
    }

    /// Draws the queue alone, without the strip.
    pub(crate) fn draw_queue(&self, pane: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        queue::draw_alone(DrawContext::new(self, cx), pane, buf);
    }

    /// Gives the focus to the queue, or to the other pane.
    pub(crate) fn focus_queue(&mut self, focused: bool) {
        self.focus = if focused { Pane::List } else { Pane::Detail };
    }

    /// Sets the width of the columns, which the choice of columns and the sorting depend on.
    pub(crate) fn fit_queue(&mut self, pane: Rect) {
        self.columns = inner_area(pane).width;
    }
}

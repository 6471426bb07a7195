//! The answer for the selected job, in a column beside the panes on very wide screens (console.md 3.1).

use ratatui::layout::{Position, Rect};

use super::state::CycleView;
use crate::action::Action;
use crate::layout::{VERY_WIDE, cut_columns, share};
use crate::views::{Update, View, ViewContext};

/// Splits the area into that of the panes and, on a very wide screen, that of the answer.
pub(super) fn split_for_answer(area: Rect) -> (Rect, Option<Rect>) {
    if area.width < VERY_WIDE {
        return (area, None);
    }
    let (panes, beside) = cut_columns(area, area.width - share(area.width, 7, 25));
    (panes, Some(beside))
}

impl CycleView {
    /// Updates the answer for the selected job, if it is on the screen.
    pub(super) fn prepare_why(&mut self, area: Rect, cx: ViewContext<'_>) {
        let Some(place) = split_for_answer(area).1 else { return };
        self.why_view.leave_out_queue();
        self.why_view.refresh(cx);
        self.why_view.prepare(place, cx);
        self.requests.extend(self.why_view.requests());
    }

    /// Scrolls the answer; `None` if the mouse is not over it.
    pub(super) fn wheel_why(
        &mut self,
        action: Action,
        at: Position,
        area: Rect,
        cx: ViewContext<'_>,
    ) -> Option<Update> {
        let place = split_for_answer(area).1.filter(|place| place.contains(at))?;
        Some(self.why_view.act(action, place, cx))
    }
}

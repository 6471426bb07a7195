//! The live answer of the selected job, in a column of its own on very wide screens (console.md 3.1).

use ratatui::layout::{Position, Rect};

use super::state::Cycle;
use crate::action::Action;
use crate::layout::{VERY_WIDE, cut_columns, share};
use crate::views::{Update, View, World};

/// The panes' place, and that of the answer beside them where there is room.
pub(super) fn cut(area: Rect) -> (Rect, Option<Rect>) {
    if area.width < VERY_WIDE {
        return (area, None);
    }
    let (panes, beside) = cut_columns(area, area.width - share(area.width, 7, 25));
    (panes, Some(beside))
}

impl Cycle {
    /// Follows the selected job, where its answer is seen.
    pub(super) fn prepare_why(&mut self, area: Rect, world: World<'_>) {
        let Some(place) = cut(area).1 else { return };
        self.why.stand_alone();
        self.why.refresh(world);
        self.why.prepare(place, world);
        self.requests.extend(self.why.requests());
    }

    /// A turn of the wheel over the answer; none where that is not under it.
    pub(super) fn wheel_why(
        &mut self,
        action: Action,
        at: Position,
        area: Rect,
        world: World<'_>,
    ) -> Option<Update> {
        let place = cut(area).1.filter(|place| place.contains(at))?;
        Some(self.why.act(action, place, world))
    }
}

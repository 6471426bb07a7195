//! The nodes over time at rest: what holds each when the cycle is over.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::Drawing;
use super::state::Cycle;
use crate::action::Action;
use crate::layout::{Pane, inside};
use crate::views::calendar::events;
use crate::views::timeline::{Drawn, room};
use crate::views::{ViewName, World};
use crate::widgets::frame;

impl Cycle {
    /// Makes the picture for the snapshot and a pane, unless it is there already.
    pub(super) fn make_picture(&mut self, pane: Option<Rect>, world: World<'_>) {
        let rows = pane.map_or(0, |pane| room(inside(pane).height));
        let key = (Arc::as_ptr(world.run()) as usize, rows);
        if self.picture == Some(key) {
            return;
        }
        let fresh = self.picture.is_none_or(|(run, _)| run != key.0);
        if fresh {
            self.timeline.take_end(world);
            self.usage = qscope_explain::usage(world.state());
            self.events = events::lines(&self.timeline, world);
        }
        self.time_rows = self.timeline.rows(world.plan(), rows, None);
        self.time_top = self.time_top.min(self.time_rows.len().saturating_sub(rows.max(1)));
        self.picture = Some(key);
    }

    /// Scrolls the rows of the picture; whether they moved.
    pub(super) fn scroll_picture(&mut self, action: Action, pane: Option<Rect>) -> bool {
        let rows = pane.map_or(0, |pane| room(inside(pane).height));
        match action {
            Action::Left | Action::Right => self.timeline.scroll(action == Action::Right, None),
            _ => crate::layout::scroll(&mut self.time_top, action, self.time_rows.len(), rows),
        }
    }
}

/// Draws the picture.
pub(super) fn draw(drawing: Drawing<'_>, area: Rect, buf: &mut Buffer) {
    let Drawing { view, theme, world } = drawing;
    let note = ViewName::Calendar.number().map_or_else(String::new, |key| format!("{key}: Calendar"));
    let title = "Nodes × time, after this cycle";
    let inner = frame::pane(area, buf, theme, title, &note, drawing.has_focus(Pane::Map));
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner };
    let drawn = Drawn {
        timeline: &view.timeline,
        rows: &view.time_rows,
        top: view.time_top,
        selected: None,
        plan: world.plan(),
        fit: None,
        theme,
    };
    drawn.render(inner, buf);
}

//! The nodes over time at rest: what holds each node after the cycle.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::draw_context::DrawContext;
use super::state::CycleView;
use crate::action::Action;
use crate::layout::{Pane, indented_inner_area, inner_area};
use crate::views::calendar::events;
use crate::views::timeline::{TimelineWidget, row_count, selecting};
use crate::views::{Effect, Object, Update, ViewContext, ViewName};
use crate::widgets::frame;
use crate::widgets::table::TableState;

impl CycleView {
    /// Makes the picture for the snapshot and the height of the pane, unless it is there already.
    pub(super) fn make_picture(&mut self, pane: Option<Rect>, cx: ViewContext<'_>) {
        let rows = pane.map_or(0, |pane| row_count(inner_area(pane).height));
        let key = (cx.screen.serial, rows);
        if self.picture == Some(key) {
            return;
        }
        let fresh = self.picture.is_none_or(|(run, _)| run != key.0);
        if fresh {
            self.timeline.take_end(cx);
            self.usage = qscope_explain::usage(cx.state());
            self.events = events::lines(&self.timeline, cx);
        }
        self.time_rows = self.timeline.rows(cx.plan(), rows, None);
        self.time_top = self.time_top.min(self.time_rows.len().saturating_sub(rows.max(1)));
        self.time_at = self.time_at.min(self.time_rows.len().saturating_sub(1));
        if fresh {
            self.time_job = None;
        }
        self.picture = Some(key);
    }

    /// Moves the cursor of the picture, or scrolls in time; returns whether anything moved.
    pub(super) fn move_in_picture(&mut self, action: Action, pane: Option<Rect>) -> bool {
        if matches!(action, Action::Left | Action::Right) {
            return self.scroll_picture(action, pane);
        }
        let rows = pane.map_or(0, |pane| row_count(inner_area(pane).height)).max(1);
        let mut table = TableState { selected: self.time_at, offset: self.time_top };
        let moved = table.move_cursor(action, self.time_rows.len(), rows);
        if moved {
            (self.time_at, self.time_job) = (table.selected, None);
            self.time_top = table.window(self.time_rows.len(), rows).start;
        }
        moved
    }

    /// Selects the clicked row of the picture; a click on a bar also selects its job in all panes.
    pub(super) fn click_picture(&mut self, at: Position, pane: Rect, cx: ViewContext<'_>) -> Update {
        let drawing = DrawContext::new(self, cx.undrawn());
        let hit = timeline_widget(drawing).row_at(indented_inner_area(pane), at);
        let Some((row, job)) = hit else { return Update::unchanged() };
        (self.time_at, self.time_job) = (row, job);
        selecting(self.time_job.as_deref(), cx)
    }

    /// The job whose bar was clicked, or the first node of the selected row.
    pub(super) fn selected_object(&self, cx: ViewContext<'_>) -> Option<Object> {
        if let Some(name) = &self.time_job {
            return Some(Object::Job(name.clone()));
        }
        let node = self.time_rows.get(self.time_at)?.nodes.first()?;
        Some(Object::Node(cx.plan().node_name(*node).to_string()))
    }

    /// Opens the same row in the calendar.
    pub(super) fn open_picture(&self, cx: ViewContext<'_>) -> Update {
        let node = self.time_rows.get(self.time_at).and_then(|row| row.nodes.first());
        let node = node.map(|bit| Object::Node(cx.plan().node_name(*bit).to_string()));
        Update::request(Effect::GoToIn(ViewName::Calendar, node.unwrap_or(Object::View(ViewName::Calendar))))
    }

    /// Scrolls the picture; returns whether it moved.
    pub(super) fn scroll_picture(&mut self, action: Action, pane: Option<Rect>) -> bool {
        let rows = pane.map_or(0, |pane| row_count(inner_area(pane).height));
        match action {
            Action::Left | Action::Right => self.timeline.scroll(action == Action::Right, None),
            _ => crate::layout::scroll(&mut self.time_top, action, self.time_rows.len(), rows),
        }
    }
}

/// Draws the picture.
pub(super) fn draw(drawing: DrawContext<'_>, area: Rect, buf: &mut Buffer) {
    let theme = drawing.theme;
    let note = ViewName::Calendar.number().map_or_else(String::new, |key| format!("{key}: Calendar"));
    let title = "Nodes × time, after this cycle";
    frame::pane(area, buf, theme, title, &note, drawing.has_focus(Pane::Map));
    timeline_widget(drawing).render(indented_inner_area(area), buf);
}

fn timeline_widget(context: DrawContext<'_>) -> TimelineWidget<'_> {
    let DrawContext { view, theme, cx } = context;
    TimelineWidget {
        timeline: &view.timeline,
        rows: &view.time_rows,
        top: view.time_top,
        selected: context.has_focus(Pane::Map).then_some(view.time_at),
        plan: cx.plan(),
        fit: None,
        theme,
    }
}

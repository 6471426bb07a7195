//! The panes on the screen, each drawn where it stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_context::DrawContext;
use super::{CycleView, answer_pane, breadcrumb, decision, map, node, over_time, overview, queue};
use crate::layout::Pane;
use crate::views::ViewContext;

impl CycleView {
    /// Draws all of them.
    pub(super) fn draw_panes(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let drawing = DrawContext::new(self, cx);
        let (rests, height) = (self.is_at_rest(cx), area.height);
        if let Some(beside) = answer_pane::split_for_answer(area).1 {
            self.why_view.draw_beside(beside, buf, cx);
        }
        if let Some((line, descent)) = self.breadcrumb_area(area, cx).zip(self.descent.as_ref()) {
            breadcrumb::draw(drawing, descent, line, buf);
        }
        for (pane, rect) in self.panes(area, cx).iter() {
            let area = rect.intersection(buf.area);
            match pane {
                Pane::List => queue::draw(drawing, area, height, buf),
                Pane::Detail if rests => overview::draw(drawing, area, buf),
                Pane::Map if rests => over_time::draw(drawing, area, buf),
                Pane::Detail => decision::draw(drawing, area, buf),
                Pane::Map => map::draw(drawing, area, buf),
                Pane::Side => node::draw(drawing, area, buf),
            }
        }
    }
}

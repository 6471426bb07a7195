//! Draws the map with what is beside and below it, or the table.

use super::super::list::{DetailPlace, NO_MATCH};
use super::NodesView;
use super::groups::NodeGrouping;
use crate::views::{View, ViewContext};
use crate::widgets::{frame, legend};
use crate::wording;
use qscope_engine::universe::Bit;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

impl NodesView {
    /// Draws everything.
    pub(super) fn draw_all(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        if self.shows_table {
            return self.table.render(area, buf, cx);
        }
        let (map, detail) = self.parts(area);
        let note = match self.filter.is_empty() {
            // The footer names the keys.
            true => String::new(),
            false if self.slices.are_coming() => format!("/{}  filtering ...", self.filter.text()),
            false => self.filter.note(self.map.nodes(), cx.plan().nodes.len()),
        };
        let inner = frame::pane(map, buf, theme, &self.title(cx), &note, !self.lower.has_keys());
        if self.map.nodes() == 0 {
            let why = match (self.grouping, self.filter.is_empty()) {
                (_, false) => NO_MATCH,
                (NodeGrouping::Set, _) => "No placement sets. b groups the nodes by host.",
                _ => "No nodes in the scheduler's partition.",
            };
            frame::empty(inner, buf, theme, &[why]);
        } else {
            let rows = self.map_area(area);
            self.map.render(rows, buf, theme);
            let (beside, below) = self.map.spare(rows);
            self.sums.render(self.map.rows(), beside, buf, theme);
            self.set_map.render(&self.map, below, buf, cx);
            frame::more_below(self.map.rows_below(rows), map, buf, theme);
            let last = Rect { y: inner.bottom().saturating_sub(1), height: 1, ..rows };
            let legend = self.map.legend(usize::from(last.width), theme);
            legend::draw(&legend, last, buf, theme);
        }
        match self.has_page(detail) {
            true => self.lower.side_page.draw(detail, buf, cx),
            false => {
                let place = DetailPlace { area: detail, has_keys: self.lower.has_text_focus() };
                super::about::render(&self.map, place, buf, cx);
                self.lower.draw_cursor(detail, buf, theme);
            }
        }
    }
}

/// The folded names of some nodes, in at most `columns` columns.
pub(super) fn names_within(cx: ViewContext<'_>, bits: &[Bit], columns: usize) -> String {
    let mut bits = bits.to_vec();
    bits.sort_unstable();
    wording::node_list_within(cx.plan(), &bits, columns)
}

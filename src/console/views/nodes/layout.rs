//! Layout of the view: the map is as high as its content, and the rest is for the selected node.

use super::super::list::LowerAreas;
use super::{NodesView, about};
use crate::layout::{cells, cut_rows, inner_area};
use crate::views::{Object, View, ViewContext};
use ratatui::layout::Rect;

/// Minimum rows for the selected node, with the frame.
const LEAST_DETAIL: u16 = 5;

/// Minimum rows for the page of the node.
const LEAST_PAGE: u16 = 14;

/// Rows of the map's pane that are not map rows: frame and legend.
const AROUND: u16 = 3;

impl NodesView {
    /// The room that the map may use: it is laid out for all of it.
    pub(super) fn map_room(&self, area: Rect) -> Rect {
        above_legend(cut_rows(area, self.most(area)).0)
    }

    /// The area of the map in its pane.
    pub(super) fn map_area(&self, area: Rect) -> Rect {
        above_legend(self.parts(area).0)
    }

    /// Maximum rows of the map's pane.
    fn most(&self, area: Rect) -> u16 {
        let half = (area.height / 2).min(11);
        let least = LEAST_DETAIL.min(half);
        let left = area.height.saturating_sub(cells(self.map.groups()).saturating_add(AROUND));
        // If there are more nodes than cells, more rows mean fewer nodes per cell.
        let is_dense = self.map.nodes() > usize::from(area.width) * usize::from(area.height - half);
        area.height.saturating_sub(if is_dense { least } else { left.clamp(least, half) })
    }

    /// Splits the area into the map's pane and that of the selected node; the groups of the map come first.
    pub(super) fn parts(&self, area: Rect) -> (Rect, Rect) {
        let most = self.most(area);
        let is_filled = self.map.layout().is_some() && self.filled_for == self.map.layout();
        let wanted = cells(self.map.rows().len()).saturating_add(self.set_map.wanted() + AROUND);
        cut_rows(area, if is_filled { wanted.min(most) } else { most })
    }

    /// Whether there is room for the page of the node.
    pub(super) fn has_page(&self, detail: Rect) -> bool {
        detail.height >= LEAST_PAGE && self.map.cell().len() == 1
    }

    /// Where keys can go below the map.
    pub(super) fn lower_places(&self, area: Rect) -> LowerAreas {
        let (_, detail) = self.parts(area);
        match self.has_page(detail) {
            true => LowerAreas { page: Some(detail), words: None },
            false => LowerAreas { page: None, words: Some(detail).filter(|words| words.height > 0) },
        }
    }

    /// Updates what is below the map for the selected node: its page if there is room.
    pub(super) fn follow_cursor(&mut self, area: Rect, cx: ViewContext<'_>) {
        let places = self.lower_places(area);
        match places.page {
            Some(page) => {
                let node = self.object_at_cursor(cx).filter(|object| matches!(object, Object::Node(_)));
                self.lower.side_page.follow(node, page, cx);
            }
            None => self.lower.side_page.hide(),
        }
        let words = places.words.map(|words| about::links(&self.map, words, cx));
        self.lower.set_names(words.unwrap_or_default());
    }
}

fn above_legend(pane: Rect) -> Rect {
    let inner = inner_area(pane);
    // The labels begin in the same column as the text of other panes.
    Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(1),
        height: inner.height.saturating_sub(1),
        ..inner
    }
}

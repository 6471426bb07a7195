//! How the view's place is divided: the map is as high as what it shows, and what it leaves is for the node under the
//! cursor.

use super::super::list::LowerPlaces;
use super::{Nodes, about};
use crate::layout::{cells, cut_rows, inside};
use crate::views::{Object, View, World};
use ratatui::layout::Rect;

/// So many rows show what is under the cursor at least, with their frame.
const LEAST_DETAIL: u16 = 5;

/// From so many rows on the page of the node has room.
const LEAST_PAGE: u16 = 14;

/// Rows of the map's pane that are no rows of the map: its frame and the legend.
const AROUND: u16 = 3;

impl Nodes {
    /// The room that the map may have in its pane: it is laid out for all of it.
    pub(super) fn map_room(&self, area: Rect) -> Rect {
        above_legend(cut_rows(area, self.most(area)).0)
    }

    /// Where the map stands in its pane.
    pub(super) fn map_area(&self, area: Rect) -> Rect {
        above_legend(self.parts(area).0)
    }

    /// The rows of the map's pane at most.
    fn most(&self, area: Rect) -> u16 {
        let half = (area.height / 2).min(11);
        let least = LEAST_DETAIL.min(half);
        let left = area.height.saturating_sub(cells(self.map.groups()).saturating_add(AROUND));
        // More nodes than cells: with more rows fewer of them share one.
        let is_dense = self.map.nodes() > usize::from(area.width) * usize::from(area.height - half);
        area.height.saturating_sub(if is_dense { least } else { left.clamp(least, half) })
    }

    /// The map's pane and that of what is under the cursor: the groups of the map come first.
    pub(super) fn parts(&self, area: Rect) -> (Rect, Rect) {
        let most = self.most(area);
        let is_filled = self.map.layout().is_some() && self.filled_for == self.map.layout();
        let wanted = cells(self.map.rows().len()).saturating_add(self.below.wanted() + AROUND);
        cut_rows(area, if is_filled { wanted.min(most) } else { most })
    }

    /// Whether the page of the node has room there.
    pub(super) fn has_page(&self, detail: Rect) -> bool {
        detail.height >= LEAST_PAGE && self.map.cell().len() == 1
    }

    /// Where keys can go below the map.
    pub(super) fn lower_places(&self, area: Rect) -> LowerPlaces {
        let (_, detail) = self.parts(area);
        match self.has_page(detail) {
            true => LowerPlaces { page: Some(detail), words: None },
            false => LowerPlaces { page: None, words: Some(detail).filter(|words| words.height > 0) },
        }
    }

    /// Has what stands below be about the node under the cursor: its page, where that has room.
    pub(super) fn follow_cursor(&mut self, area: Rect, world: World<'_>) {
        let places = self.lower_places(area);
        match places.page {
            Some(page) => {
                let node = self.here(world).filter(|object| matches!(object, Object::Node(_)));
                self.lower.beside.follow(node, page, world);
            }
            None => self.lower.beside.hide(),
        }
        let words = places.words.map(|words| about::links(&self.map, words, world));
        self.lower.set_names(words.unwrap_or_default());
    }
}

fn above_legend(pane: Rect) -> Rect {
    let inner = inside(pane);
    // Labels stand where the text of every other pane begins.
    Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(1),
        height: inner.height.saturating_sub(1),
        ..inner
    }
}

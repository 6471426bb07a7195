//! Where the parts of a list stand: the words above it, the table, what is below or beside.

use super::ListView;
use super::beside::cut as cut_beside;
use super::model::{Detail, ListHead, ListModel};
use crate::layout::{cells, cut_rows, inside};
use crate::story::{Piece, Story};
use crate::theme::Theme;
use crate::views::World;
use crate::widgets::frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Rows of a table that are no rows of its list: its frame and its headings.
const AROUND: u16 = 3;

/// A page with fewer rows shows too little.
const LEAST_PAGE: u16 = 14;

/// At most four lines stand above a table.
pub(super) fn rows_of(story: &Story) -> u16 {
    u16::try_from(story.lines().len()).map_or(4, |lines| lines.min(4))
}

impl<M: ListModel> ListView<M> {
    /// The text above the table, wrapped.
    pub(super) fn above(&self, area: Rect) -> Story {
        let mut story = Story::plain(self.model.above().map(Piece::plain));
        story.fit(usize::from(inside(area).width));
        story
    }

    /// The place of the list, and that below all of it.
    pub(super) fn cut_foot(&self, area: Rect) -> (Rect, Rect) {
        cut_rows(area, area.height.saturating_sub(M::foot(area, self.list.len())))
    }

    /// The place of the table with what stands above and below it, and that of a page: beside it on very wide screens, below
    /// a table that leaves enough rows elsewhere; none with no rows.
    pub(super) fn cut(&self, area: Rect, world: World<'_>) -> (Rect, Option<Rect>) {
        if !M::HAS_PAGE || self.list.has_nothing() {
            return (area, None);
        }
        match cut_beside(area) {
            (area, None) if M::PAGE_BELOW => self.cut_below(area, world),
            cut => cut,
        }
    }

    /// As many rows as the list needs, whatever the filter keeps of it, and the rest for a page.
    fn cut_below(&self, area: Rect, world: World<'_>) -> (Rect, Option<Rect>) {
        let head = ListHead::rows(self.model.head(world).as_ref(), area.height);
        let around = AROUND + head + rows_of(&self.above(area));
        let (list, page) = cut_rows(area, cells(self.list.len()).saturating_add(around));
        if page.height < LEAST_PAGE { (area, None) } else { (list, Some(page)) }
    }

    /// What stands below the table: nothing where it stands beside it, and where no row is under the cursor.
    pub(super) fn below(&self, area: Rect, world: World<'_>) -> Detail {
        let detail = M::detail(area);
        if self.cut(area, world).1.is_some() || self.list.is_empty() {
            return Detail { rows: 0, ..detail };
        }
        // A short list leaves room on low screens too: its frame and its headings take three rows, and what stands above it.
        let above = usize::from(rows_of(&self.above(area)));
        let spare = usize::from(area.height).saturating_sub(self.list.len() + above + 3);
        let least = if detail.rows == 0 && spare >= usize::from(M::SPARE) { M::SPARE } else { detail.rows };
        // What a short list leaves is for what is under its cursor, where that has more to show.
        let grows = M::DETAIL_GROWS && spare >= usize::from(M::SPARE);
        let rows = if grows { least.max(cells(spare)) } else { least };
        Detail { rows, ..detail }
    }

    /// Draws what is under the cursor beside the table: the details of the list, then the page.
    pub(super) fn draw_beside(&self, place: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let detail = M::detail(place);
        let (above, page) = match self.beside.is_shown() {
            true => super::beside::parts(place, detail),
            // The details of a line without a page have all the room.
            false => cut_rows(place, if detail.rows > 0 { place.height } else { 0 }),
        };
        if let Some(line) = self.list.selected().filter(|_| above.height > 0) {
            let above = match detail.framed {
                true => above,
                false => frame::pane(above, buf, theme, "Under the cursor", "", false),
            };
            self.model.draw_detail(line, above, buf, world, theme);
        }
        if page.height > 0 {
            self.beside.draw(page, buf, world, theme);
        }
    }

    /// The pane as it would be around the table alone.
    pub(super) fn pane_of_table(&self, area: Rect, world: World<'_>) -> Rect {
        let (whole, area) = (area, self.cut(area, world).0);
        let above =
            rows_of(&self.above(area)) + ListHead::rows(self.model.head(world).as_ref(), whole.height);
        let below = self.below(whole, world).rows;
        Rect { y: area.y + above, height: area.height.saturating_sub(above + below), ..area }
    }
}

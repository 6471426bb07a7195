//! Layout of a list: the text above it, the table, what is below or beside.

use super::ListView;
use super::head::ListHead;
use super::lower_panes::LowerAreas;
use super::model::{DetailLayout, DetailPlace, ListModel};
use super::side_page::split_for_page as cut_beside;
use crate::layout::{cells, cut_rows, indented_inner_area};
use crate::story::{Story, TextPiece};
use crate::views::ViewContext;
use crate::widgets::frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Rows of the pane that are not list rows: frame and headings.
const AROUND: u16 = 3;

/// Minimum rows of a page.
const LEAST_PAGE: u16 = 14;

/// Rows of the text above a table, at most four.
pub(super) fn rows_of(story: &Story) -> u16 {
    u16::try_from(story.lines().len()).map_or(4, |lines| lines.min(4))
}

impl<M: ListModel> ListView<M> {
    /// The text above the table, wrapped.
    pub(super) fn wrapped_text_above(&self, area: Rect) -> Story {
        let mut story = Story::plain(self.model.text_above_table().map(TextPiece::plain));
        story.fit(usize::from(indented_inner_area(area).width));
        story
    }

    /// Splits the area into that of the list and that of the foot.
    pub(super) fn cut_foot(&self, area: Rect) -> (Rect, Rect) {
        cut_rows(area, area.height.saturating_sub(M::foot(area, self.list.height())))
    }

    /// Splits the area into that of the table with what is above and below it, and that of a page: beside it on very
    /// wide screens, else below a table that leaves enough rows. There is no page without rows.
    pub(super) fn split_area(&self, area: Rect, cx: ViewContext<'_>) -> (Rect, Option<Rect>) {
        if !M::HAS_PAGE || self.list.has_nothing() {
            return (area, None);
        }
        match cut_beside(area) {
            (area, None) if M::PAGE_BELOW => self.cut_below(area, cx),
            cut => cut,
        }
    }

    /// Gives the list the rows it needs without a filter, and the rest to the page.
    fn cut_below(&self, area: Rect, cx: ViewContext<'_>) -> (Rect, Option<Rect>) {
        let head = ListHead::rows(self.model.head_pane(cx).as_ref(), area.height);
        let around = AROUND + head + rows_of(&self.wrapped_text_above(area));
        let (list, page) = cut_rows(area, cells(self.list.height()).saturating_add(around));
        if page.height < LEAST_PAGE { (area, None) } else { (list, Some(page)) }
    }

    /// The details below the table: none where a page is shown, or without a row.
    pub(super) fn detail_layout(&self, area: Rect, cx: ViewContext<'_>) -> DetailLayout {
        let detail = M::detail(area);
        if self.split_area(area, cx).1.is_some() || self.list.is_empty() {
            return DetailLayout { rows: 0, ..detail };
        }
        // On low screens a short list leaves rows for details too: 3 is for its frame and headings.
        let above = usize::from(rows_of(&self.wrapped_text_above(area)));
        let spare = usize::from(area.height).saturating_sub(self.list.height() + above + 3);
        let least = if detail.rows == 0 && spare >= usize::from(M::SPARE) { M::SPARE } else { detail.rows };
        // The details get all rows that a short list leaves, if they can use them.
        let grows = M::DETAIL_GROWS && spare >= usize::from(M::SPARE);
        let rows = if grows { least.max(cells(spare)) } else { least };
        DetailLayout { rows, ..detail }
    }

    /// Splits the place beside the table into that of the list's own details, which come first, and that of the page.
    fn parts_beside(&self, place: Rect) -> (Rect, Rect) {
        let detail = M::detail(place);
        match self.lower.side_page.is_shown() {
            true => super::side_page::parts(place, detail),
            // Without a page the details get all the room.
            false => cut_rows(place, if detail.rows > 0 { place.height } else { 0 }),
        }
    }

    /// Where keys can go below or beside the table.
    pub(super) fn lower_places(&self, area: Rect, cx: ViewContext<'_>) -> LowerAreas {
        let (area, _) = self.cut_foot(area);
        let (table, beside) = self.split_area(area, cx);
        let (words, page) = match beside {
            Some(place) => self.parts_beside(place),
            None => (self.place_below(table, self.detail_layout(area, cx)), Rect::default()),
        };
        let is_framed = M::detail(area).framed;
        LowerAreas {
            words: Some(words).filter(|words| is_framed && words.height > 0),
            page: Some(page).filter(|page| page.height > 0),
        }
    }

    /// The place of framed details below the table.
    fn place_below(&self, area: Rect, below: DetailLayout) -> Rect {
        let rows = if below.framed { below.rows } else { 0 };
        cut_rows(area, area.height.saturating_sub(rows)).1
    }

    /// Updates what is below or beside the table for the selected row.
    pub(super) fn follow_below(&mut self, area: Rect, beside: Option<Rect>, cx: ViewContext<'_>) {
        match beside {
            Some(place) => {
                let object = self.list.selected().and_then(|line| M::object(line, cx));
                let page = super::side_page::parts(place, M::detail(place)).1;
                self.lower.side_page.follow(object, page, cx);
            }
            None => self.lower.side_page.hide(),
        }
        let words = self.lower_places(area, cx).words;
        let names = words.zip(self.list.selected());
        let names = names.map(|(place, line)| self.model.detail_links(line, place, cx));
        self.lower.set_names(names.unwrap_or_default());
    }

    /// Draws the details of a row, with their cursor if they have the keys.
    pub(super) fn draw_words(&self, line: &M::Line, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let place = DetailPlace { area, has_keys: self.lower.has_text_focus() };
        self.model.draw_detail(line, place, buf, cx);
        self.lower.draw_cursor(area, buf, cx.theme);
    }

    /// Draws the details of the list beside the table, then the page.
    pub(super) fn draw_beside(&self, place: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let detail = M::detail(place);
        let (above, page) = self.parts_beside(place);
        if let Some(line) = self.list.selected().filter(|_| above.height > 0) {
            let above = match detail.framed {
                true => above,
                false => {
                    frame::pane(above, buf, cx.theme, "Under the cursor", "", false);
                    indented_inner_area(above)
                }
            };
            self.draw_words(line, above, buf, cx);
        }
        if page.height > 0 {
            self.lower.side_page.draw(page, buf, cx);
        }
    }

    /// The area of a pane that would hold the table alone.
    pub(super) fn pane_of_table(&self, area: Rect, cx: ViewContext<'_>) -> Rect {
        let (whole, area) = (area, self.split_area(area, cx).0);
        let above = rows_of(&self.wrapped_text_above(area))
            + ListHead::rows(self.model.head_pane(cx).as_ref(), whole.height);
        let below = self.detail_layout(whole, cx).rows;
        Rect { y: area.y + above, height: area.height.saturating_sub(above + below), ..area }
    }
}

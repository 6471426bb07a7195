//! For tests: a buffer that shows whether something was drawn outside an area.

use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

/// Columns and rows around the area.
const MARGIN: u16 = 2;
/// The content of the margin; no widget draws it.
const UNTOUCHED: &str = "\u{16a0}";

/// A buffer with a margin around the area to draw in.
pub(crate) struct MarginBuffer {
    pub buf: Buffer,
    /// The area to draw in.
    pub area: Rect,
}

impl MarginBuffer {
    /// Creates a buffer around an area of this size.
    pub(crate) fn around(width: u16, height: u16) -> Self {
        let whole = Rect::new(0, 0, width + 2 * MARGIN, height + 2 * MARGIN);
        let mut buf = Buffer::filled(whole, Cell::new(UNTOUCHED));
        let area = Rect::new(MARGIN, MARGIN, width, height);
        for position in area.positions() {
            buf[position].reset();
        }
        Self { buf, area }
    }

    /// Fails if a cell of the margin was drawn.
    pub(crate) fn assert_margin_is_untouched(&self) {
        let inside = |range: Range<u16>, at: u16| range.contains(&at);
        let (columns, rows) = (self.area.left()..self.area.right(), self.area.top()..self.area.bottom());
        for position in self.buf.area.positions() {
            let is_inside = inside(columns.clone(), position.x) && inside(rows.clone(), position.y);
            assert!(is_inside || self.buf[position].symbol() == UNTOUCHED, "{position} beside {}", self.area);
        }
    }
}

//! A pane above a list, which states what the list is about.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::layout::indented_inner_area;
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Theme;
use crate::widgets::frame;

/// Below this height of the screen the list gets all rows.
const LOW: u16 = 14;

/// The pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListHead {
    pub title: String,
    /// Text at the right of the title.
    pub note: String,
    /// A name and a text for each line.
    pub lines: Vec<(&'static str, String)>,
}

impl ListHead {
    /// Number of rows it takes out of `all`.
    pub(crate) fn rows(head: Option<&Self>, all: u16) -> u16 {
        match head {
            Some(head) if all >= LOW => u16::try_from(head.lines.len()).unwrap_or(0).saturating_add(2),
            _ => 0,
        }
    }

    /// Draws it.
    pub(crate) fn draw(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        frame::pane(area, buf, theme, &self.title, &self.note, false);
        let inner = indented_inner_area(area);
        let line = |(name, words): &(&str, String)| {
            Paragraph::Line(vec![TextPiece::dim(format!("{name:<7}")), TextPiece::plain(words)])
        };
        Story::new(self.lines.iter().map(line).collect()).render(inner, buf, theme);
    }
}

//! Lines around things: panes, and boxes over panes.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::text::{clean, truncate};
use crate::console::theme::{GlyphSet, Role, Theme};

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The focus shows in the lines themselves, not only in their colour.
fn lines(theme: &Theme, focused: bool) -> border::Set<'static> {
    match (theme.taste().glyphs, focused) {
        (GlyphSet::Unicode, false) => border::PLAIN,
        (GlyphSet::Unicode, true) => border::THICK,
        (GlyphSet::Ascii, false) => ASCII,
        (GlyphSet::Ascii, true) => border::Set { horizontal_top: "=", horizontal_bottom: "=", ..ASCII },
    }
}

/// Draws the lines around a pane, with a title at the left and a note at the right, and returns what is inside.
pub fn pane(area: Rect, buf: &mut Buffer, theme: &Theme, title: &str, note: &str, focused: bool) -> Rect {
    let role = if focused { Role::BorderFocus } else { Role::Border };
    let room = usize::from(area.width.saturating_sub(4));
    let (title, note) = (clean(title), clean(note));
    let title = truncate(&title, room, theme.ellipsis());
    let note =
        if super::text::width(&title) + super::text::width(&note) + 3 <= room { note } else { "".into() };
    let mut block = Block::bordered()
        .border_set(lines(theme, focused))
        .border_style(theme.style(role))
        .style(theme.style(Role::Text))
        .title(padded(&title, theme.style(Role::Heading)));
    if !note.is_empty() {
        block = block.title(padded(&note, theme.style(Role::TextDim)).right_aligned());
    }
    let inner = block.inner(area);
    block.render(area, buf);
    inner
}

fn padded(text: &str, style: ratatui::style::Style) -> Line<'static> {
    if text.is_empty() { Line::default() } else { Line::from(Span::styled(format!(" {text} "), style)) }
}

/// Clears a box in the middle of the area, at most so large, draws its lines and returns what is inside.
pub fn overlay(area: Rect, buf: &mut Buffer, theme: &Theme, title: &str, width: u16, height: u16) -> Rect {
    let middle =
        area.centered(Constraint::Length(width.min(area.width)), Constraint::Length(height.min(area.height)));
    let place = middle.intersection(area);
    Clear.render(place, buf);
    pane(place, buf, theme, title, "Esc closes", true)
}

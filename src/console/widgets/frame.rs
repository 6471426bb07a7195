//! Frames: panes, and boxes over panes.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Margin, Position, Rect};
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::cell_text::put;
use super::text::{clean, in_set, truncate, width};
use crate::theme::{GlyphSet, Role, Theme};

const ASCII: border::Set<'static> = border::Set {
    top_left: ".",
    top_right: ".",
    bottom_left: "'",
    bottom_right: "'",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The border; the focus is visible in its glyphs, not only in the colour.
fn border_set(theme: &Theme, focused: bool) -> border::Set<'static> {
    match (theme.theme_options().glyphs, focused) {
        (GlyphSet::Unicode, false) => border::PLAIN,
        (GlyphSet::Unicode, true) => border::THICK,
        (GlyphSet::Ascii, false) => ASCII,
        (GlyphSet::Ascii, true) => border::Set { horizontal_top: "=", horizontal_bottom: "=", ..ASCII },
    }
}

/// Minimum columns that a title keeps when it is cut to make room for a note.
const LEAST_TITLE: usize = 20;

/// Minimum columns of a note that is cut; if there are fewer, the note is dropped instead.
const LEAST_NOTE: usize = 30;

/// Draws the frame of a pane with a title at the left and a note at the right, and returns the area inside.
pub(crate) fn pane(
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    title: &str,
    note: &str,
    focused: bool,
) -> Rect {
    let role = if focused { Role::BorderFocus } else { Role::Border };
    let room = usize::from(area.width.saturating_sub(4));
    let glyphs = theme.theme_options().glyphs;
    let (title, note) = (clean(title), clean(note));
    let (title, note) = (in_set(&title, glyphs), in_set(&note, glyphs));
    // The note with the filter and its counts is worth more than a long title. As filters may be long too, the note
    // begins with the counts.
    let most = room.saturating_sub(LEAST_TITLE + 3);
    let note = truncate(&note, if most >= LEAST_NOTE { most } else { usize::MAX }, theme.ellipsis());
    let beside = room.saturating_sub(super::text::width(&note) + 3);
    let title = truncate(
        &title,
        if !note.is_empty() && beside >= LEAST_TITLE { beside } else { room },
        theme.ellipsis(),
    );
    let note = if fit_side_by_side(area, &title, &note) { note } else { "".into() };
    let mut block = Block::bordered()
        .border_set(border_set(theme, focused))
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

/// Whether title and note both fit in full into the frame of a pane.
pub(crate) fn fit_side_by_side(area: Rect, title: &str, note: &str) -> bool {
    let room = usize::from(area.width.saturating_sub(4));
    super::text::width(title) + super::text::width(note) + 3 <= room
}

fn padded(text: &str, style: ratatui::style::Style) -> Line<'static> {
    if text.is_empty() { Line::default() } else { Line::from(Span::styled(format!(" {text} "), style)) }
}

/// Draws why a pane is empty, and what to press; the lines are wrapped.
pub(crate) fn empty(area: Rect, buf: &mut Buffer, theme: &Theme, lines: &[&str]) {
    let (columns, rows) = (usize::from(area.width).max(1), usize::from(area.height));
    let mut wrapped: Vec<_> = lines.iter().flat_map(|text| textwrap::wrap(text, columns)).collect();
    // What does not fit is appended to the last line, which is then cut with a mark.
    if let Some(last) = rows.checked_sub(1).filter(|last| wrapped.len() > last + 1) {
        let rest = wrapped.drain(last..).collect::<Vec<_>>().join(" ");
        wrapped.push(rest.into());
    }
    self::lines(area, buf, theme, wrapped.into_iter().map(|text| (Role::TextDim, text)));
}

/// Draws lines of text, with control characters replaced, and cut to the area.
pub(crate) fn lines<S: AsRef<str>>(
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    lines: impl IntoIterator<Item = (Role, S)>,
) {
    for ((role, text), at) in lines.into_iter().zip(area.intersection(buf.area).rows()) {
        let (columns, text) = (usize::from(at.width), clean(text.as_ref()));
        let text = in_set(&text, theme.theme_options().glyphs);
        put(buf, (at.x, at.y), &truncate(&text, columns, theme.ellipsis()), columns, theme.style(role));
    }
}

/// The same inside a frame: the number of lines that do not fit is shown on the lower border.
pub(crate) fn lines_inside<S: AsRef<str>>(
    inner: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    lines: impl IntoIterator<Item = (Role, S)>,
) {
    let lines: Vec<(Role, S)> = lines.into_iter().collect();
    let more = lines.len().saturating_sub(usize::from(inner.height));
    self::lines(inner, buf, theme, lines);
    left_out(more, inner, buf, theme);
}

/// Draws the message for a screen that is too small.
pub(crate) fn too_small(area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (times, dot) = (theme.by_set("×", "x"), theme.dot());
    let now = format!("(now {}{times}{})", area.width, area.height);
    let texts = [
        format!("qscope needs 40{times}10 {now}{dot}q quits"),
        format!("needs 40{times}10 {now}{dot}q quits"),
        format!("needs 40{times}10{dot}q quits"),
    ];
    buf.set_style(area, theme.style(Role::Text));
    let room = usize::from(area.width);
    // The longest text that fits; each has the way to quit.
    let [.., shortest] = &texts;
    let text = texts.iter().find(|text| width(text) <= room).unwrap_or(shortest);
    let cut = truncate(text, room, theme.ellipsis());
    Line::from(Span::styled(cut, theme.style(Role::Warning))).render(area.intersection(buf.area), buf);
}

/// The row at a place inside a box, counted from 0 below its first line; `None` elsewhere.
pub(crate) fn row_below_first(inner: Rect, at: Position) -> Option<usize> {
    at.y.checked_sub(inner.y + 1).filter(|_| inner.contains(at)).map(usize::from)
}

/// The area of a box of at most that size with its frame, in the middle of `area`.
pub(crate) fn overlay_place(area: Rect, width: u16, height: u16) -> Rect {
    let middle =
        area.centered(Constraint::Length(width.min(area.width)), Constraint::Length(height.min(area.height)));
    middle.intersection(area)
}

/// Clears and frames a box of at most that size in the middle of `area`, and returns the area inside.
pub(crate) fn overlay(
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
    title: &str,
    width: u16,
    height: u16,
) -> Rect {
    let place = overlay_place(area, width, height);
    Clear.render(place, buf);
    pane(place, buf, theme, title, "Esc closes", true)
}

/// Draws on its lower border how many lines of a pane that does not scroll are left out (console.md 1.5).
pub(crate) fn left_out(lines: usize, inside: Rect, buf: &mut Buffer, theme: &Theme) {
    if lines == 0 || inside.is_empty() {
        return;
    }
    let text = format!(" +{} ", crate::wording::count(lines, "line"));
    let columns = u16::try_from(text.len()).unwrap_or(0);
    let x = inside.right().saturating_sub(columns).max(inside.x);
    on_border(Rect { x, y: inside.bottom(), width: columns, height: 1 }, &text, buf, theme);
}

/// Writes a text at the left of a border.
pub(crate) fn at_left_of_border(text: &str, border: Rect, buf: &mut Buffer, theme: &Theme) {
    let room = usize::from(border.width.saturating_sub(4));
    if room == 0 || border.height == 0 {
        return;
    }
    let text = in_set(&clean(text), theme.theme_options().glyphs).into_owned();
    let text = format!(" {} ", truncate(&text, room, theme.ellipsis()));
    buf.set_stringn(border.x + 2, border.y, text, room + 2, theme.style(Role::TextDim));
}

/// Writes a text on the visible part of a border.
fn on_border(place: Rect, text: &str, buf: &mut Buffer, theme: &Theme) {
    for row in place.intersection(buf.area).rows() {
        put(buf, (row.x, row.y), text, usize::from(row.width), theme.style(Role::TextDim));
    }
}

/// Draws on the lower border how many lines are below the visible ones (console.md 1.5); returns the rest of the
/// border.
pub(crate) fn more_below(below: usize, area: Rect, buf: &mut Buffer, theme: &Theme) -> Rect {
    let border = Rect { y: area.bottom().saturating_sub(1), height: area.height.min(1), ..area };
    if below == 0 || area.height == 0 {
        return border;
    }
    let text = format!(" PgDn: {} ", crate::wording::count(below, "more line"));
    let columns = u16::try_from(text.len()).unwrap_or(0);
    let x = area.right().saturating_sub(columns + 1).max(area.x);
    on_border(Rect { x, width: columns, ..border }.intersection(border), &text, buf, theme);
    Rect { width: x.saturating_sub(border.x), ..border }
}

/// The same for the area inside the border.
pub(crate) fn more_below_inside(below: usize, inner: Rect, buf: &mut Buffer, theme: &Theme) {
    more_below(below, inner.outer(Margin::new(1, 1)), buf, theme);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::margin::MarginBuffer;

    fn row(buf: &Buffer, y: u16) -> String {
        (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect()
    }

    #[test]
    fn a_pane_larger_than_the_screen_does_not_panic() {
        let theme = Theme::mono(GlyphSet::Ascii);
        for (width, height) in [(3, 0), (0, 3), (3, 1), (8, 2)] {
            let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
            more_below(7, Rect::new(0, 0, 12, 4), &mut buf, &theme);
            left_out(7, Rect::new(1, 1, 10, 2), &mut buf, &theme);
        }
    }

    #[test]
    fn the_focus_shows_without_colour_and_names_stay_harmless() {
        let theme = Theme::mono(GlyphSet::Ascii);
        let area = Rect::new(0, 0, 24, 3);
        let mut buf = Buffer::empty(area);
        assert_eq!(pane(area, &mut buf, &theme, "Queue\u{1b}", "57/301", true), Rect::new(1, 1, 22, 1));
        assert_eq!(row(&buf, 0), ". Queue? ====== 57/301 .");
        pane(area, &mut buf, &theme, "Queue", "a note too long for it", false);
        assert_eq!(row(&buf, 0), ". Queue ---------------.");
    }

    #[test]
    fn no_size_is_too_small_for_the_message() {
        let theme = Theme::mono(GlyphSet::Ascii);
        for width in 0..50 {
            for height in 0..4 {
                let mut screen = MarginBuffer::around(width, height);
                too_small(screen.area, &mut screen.buf, &theme);
                pane(screen.area, &mut screen.buf, &theme, "Queue", "1/2", false);
                overlay(screen.area, &mut screen.buf, &theme, "Keys", 70, 20);
                screen.assert_margin_is_untouched();
            }
        }
        let text = |width| {
            let mut buf = Buffer::empty(Rect::new(0, 0, width, 1));
            too_small(buf.area, &mut buf, &theme);
            row(&buf, 0).trim().to_owned()
        };
        assert_eq!(text(39), "qscope needs 40x10 (now 39x1) | q quits");
        assert_eq!(text(34), "needs 40x10 (now 34x1) | q quits");
        assert_eq!(text(24), "needs 40x10 | q quits");
    }
}

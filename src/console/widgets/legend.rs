//! Legends: what the signs of a picture mean; each sign has the same role as in the picture.
//!
//! ```text
//! █ free  ▁…▇ part  · full  ! out
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::cell_text::put;
use super::text::{clean, truncate, width};
use crate::theme::{Role, Theme};

/// Consecutive texts of one line with their roles.
pub(crate) type LegendParts = Vec<(Role, String)>;

/// Signs with their words, two spaces apart.
pub(crate) fn signs<'a>(named: impl IntoIterator<Item = (Role, &'a str, &'a str)>) -> LegendParts {
    let mut parts = Vec::new();
    for (role, sign, word) in named {
        let gap = if parts.is_empty() { "" } else { "  " };
        parts.extend([(Role::TextDim, gap.to_owned()), (role, sign.to_owned())]);
        parts.push((Role::TextDim, format!("{}{word}", joint(sign))));
    }
    parts
}

/// The same in rows of `room` columns, at most `most` rows; what does not fit is left in the last row, which is cut
/// when drawn.
pub(crate) fn in_rows(named: &[(Role, &str, &str)], room: usize, most: u16) -> Vec<LegendParts> {
    let mut rows: Vec<Vec<(Role, &str, &str)>> = vec![Vec::new()];
    for one in named {
        let may_begin = rows.len() < usize::from(most);
        let Some(last) = rows.last_mut() else { break };
        let fits = columns(&signs(last.iter().chain([one]).copied())) <= room;
        match fits || last.is_empty() || !may_begin {
            true => last.push(*one),
            false => rows.push(vec![*one]),
        }
    }
    rows.into_iter().map(signs).collect()
}

/// The text between a sign and its word: a digit before a space would be read as a number of what the word names.
pub(crate) fn joint(sign: &str) -> &'static str {
    if sign.ends_with(|last: char| last.is_ascii_digit()) { "=" } else { " " }
}

/// Legends side by side; empty ones are left out.
pub(crate) fn side_by_side(legends: impl IntoIterator<Item = LegendParts>) -> LegendParts {
    let mut all = Vec::new();
    for legend in legends.into_iter().filter(|legend| columns(legend) > 0) {
        all.extend((!all.is_empty()).then(|| (Role::TextDim, "   ".to_owned())));
        all.extend(legend);
    }
    all
}

/// A text without signs.
pub(crate) fn words(text: String) -> LegendParts {
    vec![(Role::TextDim, text)]
}

pub(crate) fn columns(parts: &LegendParts) -> usize {
    parts.iter().map(|(_, text)| width(text)).sum()
}

/// Draws the parts; if they do not fit, the line ends in an ellipsis.
pub(crate) fn draw(parts: &LegendParts, at: Rect, buf: &mut Buffer, theme: &Theme) {
    let at = at.intersection(buf.area);
    if at.is_empty() {
        return;
    }
    let is_cut = columns(parts) > usize::from(at.width);
    let mark = if is_cut { theme.ellipsis() } else { "" };
    let end = at.right().saturating_sub(u16::try_from(width(mark)).unwrap_or(0));
    let mut x = at.x;
    for (role, text) in parts {
        let room = usize::from(end.saturating_sub(x));
        let text = clean(text);
        let text = truncate(&text, room, "");
        put(buf, (x, at.y), &text, room, theme.style(*role));
        x = x.saturating_add(u16::try_from(width(&text)).unwrap_or(0));
    }
    put(buf, (x, at.y), mark, usize::from(at.right().saturating_sub(x)), theme.style(Role::TextDim));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{ColorDepth, GlyphSet, ThemeOptions};

    fn drawn(parts: &LegendParts, columns: u16, theme: &Theme) -> (String, Buffer) {
        let area = Rect::new(0, 0, columns, 1);
        let mut buf = Buffer::empty(area);
        draw(parts, area, &mut buf, theme);
        (buf.content().iter().map(ratatui::buffer::Cell::symbol).collect(), buf)
    }

    #[test]
    fn signs_go_on_in_a_further_row_as_far_as_there_is_one() {
        let named = [(Role::Text, "a", "one"), (Role::Text, "b", "two"), (Role::Text, "c", "three")];
        let text = |parts: &LegendParts| parts.iter().map(|(_, text)| text.as_str()).collect::<String>();
        let rows = |room, most| in_rows(&named, room, most).iter().map(text).collect::<Vec<_>>();
        assert_eq!(rows(30, 2), ["a one  b two  c three"]);
        assert_eq!(rows(12, 2), ["a one  b two", "c three"]);
        assert_eq!(rows(6, 2), ["a one", "b two  c three"]);
        assert_eq!(rows(12, 1), ["a one  b two  c three"]);
    }

    #[test]
    fn a_digit_is_no_number_of_what_it_stands_for() {
        let parts = signs([
            (Role::NodeFree, "8", "free"),
            (Role::NodeFree, "1-7", "part"),
            (Role::NodeBusy, ".", "full"),
        ]);
        let text: String = parts.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text, "8=free  1-7=part  . full");
    }

    #[test]
    fn signs_have_their_looks_and_a_cut_has_its_mark() {
        let theme_options = ThemeOptions { depth: ColorDepth::True, glyphs: GlyphSet::Unicode };
        let theme = Theme::built_in("default-dark", theme_options).0;
        let parts = signs([(Role::NodeFree, "█", "free"), (Role::NodeDown, "!", "out")]);
        let parts = side_by_side([words(String::new()), words("all: a".to_owned()), parts]);
        assert_eq!(columns(&parts), 22);
        let (text, buf) = drawn(&parts, 24, &theme);
        assert_eq!(text.trim_end(), "all: a   █ free  ! out");
        let style = |x: u16| buf.cell((x, 0)).map(ratatui::buffer::Cell::style).and_then(|style| style.fg);
        let fg = |role| theme.style(role).fg;
        assert_eq!((style(9), style(17)), (fg(Role::NodeFree), fg(Role::NodeDown)));
        assert_ne!(fg(Role::NodeFree), fg(Role::NodeDown));
        let cuts = [21, 16, 10, 1].map(|columns| drawn(&parts, columns, &theme).0);
        assert_eq!(cuts, ["all: a   █ free  ! o…", "all: a   █ free…", "all: a   …", "…"]);
    }
}

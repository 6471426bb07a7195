//! Text on its way to the screen: made visible, measured in columns, cut to fit.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub use qscope_exits::visible as clean;

/// How many columns the text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `columns` columns; what was cut is marked by `mark` (the theme's `…` or `~`).
pub fn truncate<'a>(text: &'a str, columns: usize, mark: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let room = columns.saturating_sub(width(mark));
    let mut kept = prefix(text, room).to_owned();
    if width(mark) <= columns {
        kept.push_str(mark);
    }
    Cow::Owned(kept)
}

/// The longest beginning that fits; a wide character is never halved.
fn prefix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        used += c.width().unwrap_or(0);
        (used > columns).then_some(at)
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Where a text stands in a space wider than itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At the left, as words.
    Left,
    /// At the right, as numbers.
    Right,
}

/// The text cut or filled to exactly `columns` columns.
pub fn fit(text: &str, columns: usize, align: Align, mark: &str) -> String {
    let cut = truncate(text, columns, mark);
    let gap = " ".repeat(columns.saturating_sub(width(&cut)));
    match align {
        Align::Left => format!("{cut}{gap}"),
        Align::Right => format!("{gap}{cut}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_is_marked_and_never_halves_a_wide_character() {
        assert_eq!(truncate("abcdef", 6, "…"), "abcdef");
        assert_eq!(truncate("abcdef", 4, "…"), "abc…");
        assert_eq!(truncate("語語語", 4, "~"), "語~");
        assert_eq!(truncate("abc", 0, "…"), "");
        assert_eq!(fit("64", 4, Align::Right, "~"), "  64");
        assert_eq!(fit("語", 3, Align::Left, "~"), "語 ");
    }

    proptest! {
        #[test]
        fn fitted_text_has_the_width_asked_for(text in any::<String>(), columns in 0usize..40) {
            prop_assert_eq!(width(&fit(&clean(&text), columns, Align::Left, "…")), columns);
        }
    }
}

//! Text for the screen: made visible, measured in columns, cut to fit.

use std::borrow::Cow;

use unicode_truncate::{Alignment, UnicodeTruncateStr};
use unicode_width::UnicodeWidthStr;

use crate::theme::GlyphSet;

pub use qscope_exits::visible as clean;

/// Whether a letter can be part of the name of a job, node or set.
pub(crate) fn is_in_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-')
}

/// Number of columns of the text.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Cuts the text to at most `columns` columns; `mark` (the theme's `…` or `~`) shows where.
pub fn truncate<'a>(text: &'a str, columns: usize, mark: &str) -> Cow<'a, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let (kept, _) = text.unicode_truncate(columns.saturating_sub(width(mark)));
    Cow::Owned(if width(mark) <= columns { format!("{kept}{mark}") } else { kept.to_owned() })
}

pub(crate) fn in_set(text: &str, glyphs: GlyphSet) -> Cow<'_, str> {
    match glyphs {
        // A dot of a picture differs from one between words in ASCII only.
        GlyphSet::Unicode if text.contains('∙') => Cow::Owned(text.replace('∙', "·")),
        GlyphSet::Unicode => Cow::Borrowed(text),
        GlyphSet::Ascii => qscope_exits::in_ascii(text),
    }
}

/// Where a text is placed in a wider space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At the left, for words.
    Left,
    /// At the right, for numbers.
    Right,
}

/// The text cut or padded to exactly `columns` columns.
pub fn fit(text: &str, columns: usize, align: Align, mark: &str) -> String {
    let cut = truncate(text, columns, mark);
    let align = match align {
        Align::Left => Alignment::Left,
        Align::Right => Alignment::Right,
    };
    cut.unicode_pad(columns, align, false).into_owned()
}

/// A label in `columns` columns. If `is_of_several` returns true for its uncut beginning, as other labels would be cut
/// to the same text, it ends in `by` instead, which distinguishes it.
pub(crate) fn distinguish_label<'t>(
    label: &'t str,
    by: &str,
    (columns, mark): (usize, &str),
    is_of_several: impl FnOnce(&str) -> bool,
) -> Cow<'t, str> {
    let room = columns.saturating_sub(width(by) + 1);
    if width(label) <= columns || by.is_empty() || room < LEAST_LABEL {
        return Cow::Borrowed(label);
    }
    let (kept, _) = label.unicode_truncate(columns.saturating_sub(width(mark)));
    if is_of_several(kept) {
        Cow::Owned(format!("{} {by}", truncate(label, room, mark)))
    } else {
        Cow::Borrowed(label)
    }
}

/// Minimum columns of a label that ends that way.
const LEAST_LABEL: usize = 8;

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
        let apart = |columns, others: &[&str]| {
            let is_of_several = |kept: &str| others.iter().any(|other| other.starts_with(kept));
            distinguish_label("color=green mem=4gb", "n003", (columns, "…"), is_of_several).into_owned()
        };
        let same = "color=green mem=4gb";
        assert_eq!(apart(19, &["color=green mem=8gb"]), same, "there is room for it");
        assert_eq!(apart(16, &["color=green mem=8gb"]), "color=gree… n003");
        assert_eq!(apart(16, &["color=blue mem=8gb"]), same, "no other begins like it");
        assert_eq!(apart(10, &["color=green mem=8gb"]), same, "what would be left shows nothing");
    }

    #[test]
    fn signs_have_ascii_forms() {
        assert_eq!(in_set("2 × ncpus=4 · 2→0 ◆◇", GlyphSet::Ascii), "2 x ncpus=4 | 2>0 @o");
        assert_eq!(in_set("█ passes all", GlyphSet::Ascii), "* passes all");
        assert_eq!(in_set("ncpus ≥ 8 left", GlyphSet::Ascii), "ncpus >=8 left");
        assert_eq!(in_set("2 × 4", GlyphSet::Unicode), "2 × 4");
    }

    proptest! {
        #[test]
        fn fitted_text_has_the_width_asked_for(text in any::<String>(), columns in 0usize..40) {
            prop_assert_eq!(width(&fit(&clean(&text), columns, Align::Left, "…")), columns);
        }
    }
}

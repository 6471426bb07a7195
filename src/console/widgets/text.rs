//! Text on its way to the terminal: made harmless, measured in columns, cut to fit.
//!
//! Names come from dumps that users can write to (a job's name, a comment), so nothing that a terminal would obey,
//! or that would change the order or the look of what stands beside it, may pass.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The same for a text of several lines: its own line breaks stay.
#[must_use]
pub fn clean_lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => format!("{}\n", clean(line)),
            None => clean(line).into_owned(),
        })
        .collect()
}

/// The text with every character that acts instead of showing written out: `^[` for escape, `\u{202e}` for a bidi
/// override. A text without such characters is returned as it is.
///
/// ```
/// # use qscope::console::widgets::text::clean;
/// assert_eq!(clean("\u{1b}[2J"), "^[[2J");
/// ```
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|c| escape(c, &mut out));
    Cow::Owned(out)
}

fn escape(c: char, out: &mut String) {
    match c {
        '\0'..='\x1f' => {
            out.push('^');
            out.push(char::from(c as u8 + b'@'));
        }
        '\x7f' => out.push_str("^?"),
        // Writing to a String cannot fail.
        _ if acts(c) => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
        _ => out.push(c),
    }
}

/// Whether a character does something rather than show something: C0, C1, zero-width, bidi and line controls, tags.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// How many columns the text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `columns` columns; what was cut is marked by `mark` (the theme's `…` or `~`).
#[must_use]
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
#[must_use]
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
    fn what_a_terminal_would_obey_is_shown() {
        for (raw, shown) in [
            ("plain n[1-3] ü 語", "plain n[1-3] ü 語"),
            ("\x1b]52;c;aGk=\x07", "^[]52;c;aGk=^G"),
            ("a\r\nb\tc\x7f", "a^M^Jb^Ic^?"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("job\u{202e}exe.txt", "job\\u{202e}exe.txt"),
            ("ze\u{200b}ro\u{feff}", "ze\\u{200b}ro\\u{feff}"),
        ] {
            assert_eq!(clean(raw), shown);
        }
    }

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
        fn cleaned_text_holds_nothing_that_acts(text in any::<String>()) {
            prop_assert!(!clean(&text).chars().any(acts));
        }

        #[test]
        fn fitted_text_has_the_width_asked_for(text in any::<String>(), columns in 0usize..40) {
            prop_assert_eq!(width(&fit(&clean(&text), columns, Align::Left, "…")), columns);
        }
    }
}

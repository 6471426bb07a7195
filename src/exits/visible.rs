//! Makes a value visible: characters that act are written out, and the result is one line.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

/// Maximum number of marks over one character: more than any script needs, too few to cover the lines beside it.
const MAX_MARKS: usize = 3;
/// Maximum number of characters in one cell: a letter with its marks, a syllable, a flag.
const MAX_IN_CELL: usize = 8;

/// Writes out every character that acts instead of showing something: `␛` for escape, `␊` for a line feed, `\u{202e}`
/// for a bidi override, `\u{301}x297` for 297 marks too many. A text without such characters is returned unchanged.
/// The result has no line break.
///
/// ```
/// # use qscope_exits::visible;
/// assert_eq!(visible("\u{1b}[2J\n"), "␛[2J␊");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) || is_harmless(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut left = text.chars().peekable();
    let mut marks = MarkCounter::default();
    while let Some(c) = left.next() {
        if !marks.is_too_many(c) {
            escape(c, &mut out);
        } else {
            let mut more = 1_usize;
            while left.next_if(|next| is_mark(*next)).is_some() {
                more += 1;
            }
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            if more > 1 {
                let _ = write!(out, "x{more}");
            }
        }
    }
    Cow::Owned(out)
}

/// Whether a text is all printable ASCII. Most are, and bytes are checked faster than characters.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn is_harmless(text: &str) -> bool {
    let mut marks = MarkCounter::default();
    text.chars().all(|c| !marks.is_too_many(c) && !is_control_or_format(c))
}

/// Counts the marks over one character.
pub(super) struct MarkCounter(usize);

impl Default for MarkCounter {
    /// A mark at the start has nothing to stand on: it would fall on what is beside the value.
    fn default() -> Self {
        Self(MAX_MARKS)
    }
}

impl MarkCounter {
    /// Counts the next character; returns whether it is a mark beyond the maximum.
    pub(super) fn is_too_many(&mut self, c: char) -> bool {
        if !is_mark(c) {
            self.0 = if is_control_or_format(c) { MAX_MARKS } else { 0 };
            return false;
        }
        self.0 += 1;
        self.0 > MAX_MARKS
    }
}

/// Whether a character takes no column of its own but is drawn over the one before.
fn is_mark(c: char) -> bool {
    !c.is_ascii() && !is_control_or_format(c) && c.width() == Some(0)
}

fn escape(c: char, out: &mut String) {
    match c {
        '\0'..='\x1f' => out.extend(char::from_u32(0x2400 + u32::from(c))),
        '\x7f' => out.push('\u{2421}'),
        // Writing to a String cannot fail.
        _ if is_control_or_format(c) => drop(write!(out, "\\u{{{:x}}}", u32::from(c))),
        _ => out.push(c),
    }
}

/// Whether a character does something rather than show something: C0, DEL, C1, line and paragraph separators, all
/// format characters (bidi, joiners, tags, annotations), variation selectors, and other characters that are ignored
/// by default.
pub fn is_control_or_format(c: char) -> bool {
    c.is_control() || !c.is_ascii() && is_format(c)
}

/// Whether a character is of Unicode's categories Cf, Zl or Zp, or has its property `Default_Ignorable_Code_Point`.
fn is_format(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}'
        | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the replacement of a screen cell that must not be drawn; `None` if it may be. This is the last check
/// before drawing, for text that no call of [`visible`] has passed.
pub fn drawable(cell: &str) -> Option<&'static str> {
    let bad = |text: &str| text.chars().any(is_control_or_format) || text.chars().count() > MAX_IN_CELL;
    (!matches!(cell.as_bytes(), [b' '..=b'~']) && bad(cell)).then_some("\u{fffd}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (raw, shown) in [
            ("plain n[1-3] ü 語 e\u{301}", "plain n[1-3] ü 語 e\u{301}"),
            ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
            ("a\r\nb\tc\x7f", "a␍␊b␉c␡"),
            ("\u{9b}31m\u{85}", "\\u{9b}31m\\u{85}"),
            ("job\u{202e}exe.txt", "job\\u{202e}exe.txt"),
            ("ze\u{200b}ro\u{feff}", "ze\\u{200b}ro\\u{feff}"),
            ("a\u{fe0f}\u{e0041}\u{2066}", "a\\u{fe0f}\\u{e0041}\\u{2066}"),
            ("\u{301}a", "\\u{301}a"),
        ] {
            assert_eq!(visible(raw), shown);
        }
    }

    #[test]
    fn marks_are_bounded_and_counted() {
        let flood = format!("a{}b", "\u{301}".repeat(300));
        assert_eq!(visible(&flood), "a\u{301}\u{301}\u{301}\\u{301}x297b");
        assert!(visible(&flood).width() < 16);
    }

    #[test]
    fn a_cell_holds_one_letter_and_nothing_that_acts() {
        for good in [" ", "a", "語", "e\u{301}\u{302}\u{303}", "🇩🇪"] {
            assert_eq!(drawable(good), None, "{good:?}");
        }
        for bad in ["\u{1b}", "a\u{200d}", "👩\u{200d}👧", "\u{1100}".repeat(9).as_str()] {
            assert_eq!(drawable(bad), Some("\u{fffd}"), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn visible_text_holds_nothing_that_acts(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert!(!shown.chars().any(is_control_or_format));
            prop_assert_eq!(visible(&shown), shown.clone());
        }
    }
}

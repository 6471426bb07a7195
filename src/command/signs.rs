//! Signs beyond ASCII in the text of answers, for places that cannot show them.

use std::borrow::Cow;

/// The signs that answers are written with, and what stands for each.
const SIGNS: [(char, &str); 23] = [
    ('…', "..."),
    ('·', "|"),
    ('−', "-"),
    ('–', "-"),
    ('×', "x"),
    ('≥', ">="),
    ('≤', "<="),
    ('≠', "!="),
    ('±', "+/-"),
    ('→', "->"),
    ('◆', "*"),
    ('✓', "+"),
    ('✗', "x"),
    ('━', "="),
    ('┄', "."),
    ('▁', "."),
    ('▂', "."),
    ('▃', ":"),
    ('▄', ":"),
    ('▅', "+"),
    ('▆', "*"),
    ('▇', "#"),
    ('█', "#"),
];

/// A text as this process's locale can show it. Without a locale, as where the output goes to a mail or a file, it stays.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| std::env::var(name).ok().filter(is_set));
    match locale {
        Some(locale) if !is_utf8(&locale) => in_ascii(text),
        _ => Cow::Borrowed(text),
    }
}

fn is_set(value: &String) -> bool {
    !value.is_empty()
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// The text with its signs in ASCII. Names that others wrote stay as they are; where a sign grows, blanks before the next
/// column make room for it.
fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut grown = 0;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match SIGNS.iter().find(|(sign, _)| *sign == letter) {
            Some((_, ascii)) => {
                shown.push_str(ascii);
                grown += ascii.len() - 1;
            }
            // A blank before another blank lies between columns.
            None if letter == ' ' && grown > 0 && letters.peek() == Some(&' ') => grown -= 1,
            None => {
                grown = if letter == '\n' { 0 } else { grown };
                shown.push(letter);
            }
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_become_ascii_and_columns_stay() {
        assert_eq!(
            in_ascii("  −28 2 ncpus ≥ 64 left  0 left · 4\n2 × mem   1"),
            "  -28 2 ncpus >= 64 left 0 left | 4\n2 x mem   1"
        );
        assert_eq!(in_ascii("jobs 2 6…   Zoë\nn… x  y"), "jobs 2 6... Zoë\nn... x y");
        assert!(matches!(in_ascii("plain"), Cow::Borrowed(_)));
        assert!(is_utf8("de_DE.UTF-8") && is_utf8("C.utf8") && !is_utf8("C"));
    }
}

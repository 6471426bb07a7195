//! ASCII forms of the program's symbols, for a terminal, a file or a mail that shows no others.

use std::borrow::Cow;

/// The symbols and their ASCII forms.
const SIGNS: [(char, &str); 33] = [
    ('·', "|"),
    // In pictures a dot stays a dot.
    ('∙', "."),
    ('…', "~"),
    ('×', "x"),
    ('→', ">"),
    ('—', "-"),
    ('–', "-"),
    ('≈', "~"),
    ('◆', "@"),
    ('◇', "o"),
    ('▸', ">"),
    ('›', ">"),
    // Occurs among words, where a digit would be read as a number.
    ('█', "*"),
    ('▒', "p"),
    ('▲', "^"),
    ('Δ', "^"),
    ('−', "-"),
    ('±', "~"),
    ('≥', ">="),
    ('≤', "<="),
    ('≠', "!="),
    ('✓', "+"),
    ('✗', "X"),
    ('◷', "~"),
    ('━', "="),
    ('┄', "."),
    // Curves, by height.
    ('▁', "."),
    ('▂', "."),
    ('▃', ":"),
    ('▄', ":"),
    ('▅', "+"),
    ('▆', "+"),
    ('▇', "#"),
];

/// Replaces the program's symbols by ASCII; other letters, such as those of names, stay as they are.
pub fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match SIGNS.iter().find(|(sign, _)| *sign == letter) {
            Some((_, ascii)) => {
                plain.push_str(ascii);
                // A longer form takes the blank after it, so that columns stay aligned.
                if ascii.len() > 1 {
                    letters.next_if_eq(&' ');
                }
            }
            // Control characters are shown as pictures, which are not ASCII either.
            None if ('\u{2400}'..='\u{243f}').contains(&letter) => plain.push('?'),
            None => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_have_ascii_forms_of_their_width() {
        assert_eq!(in_ascii("2 × ncpus=4 · 2→0 ◆◇"), "2 x ncpus=4 | 2>0 @o");
        assert_eq!(in_ascii("  −28 2 ncpus ≥ 64 left  0\nx…  Zoë"), "  -28 2 ncpus >=64 left  0\nx~  Zoë");
        assert_eq!(in_ascii("a␊b"), "a?b");
        assert!(matches!(in_ascii("plain"), Cow::Borrowed(_)));
    }
}

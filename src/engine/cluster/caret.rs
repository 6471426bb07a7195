//! Marking a position in a text.

use std::ops::Range;

/// Number of characters of a long text that are shown around the position.
const SHOWN: usize = 200;
/// Number of these that are shown before the position.
const BEFORE: usize = 60;

/// Maximum length of a value or name repeated in a message, in characters.
const REPEATED: usize = 60;

/// Returns the text and a line below it that marks a span of bytes: `     ^^^ there is no field "usr"`. A long text
/// is cut to the part around the span, with `…` where it is cut.
pub fn caret_lines(text: &str, span: Range<usize>, what: &str) -> [String; 2] {
    let before = text.get(..span.start).unwrap_or(text).chars().count();
    let under = text.get(span).map_or(1, |part| part.chars().count().max(1));
    let all = text.chars().count();
    if all <= SHOWN {
        return [text.to_owned(), under_line(before, under, what)];
    }
    let from = before.saturating_sub(BEFORE).min(all - SHOWN);
    let mark = if from > 0 { "…" } else { "" };
    let shown: String = text.chars().skip(from).take(SHOWN).collect();
    let rest = if from + SHOWN < all { "…" } else { "" };
    let column = before - from + mark.chars().count();
    [format!("{mark}{shown}{rest}"), under_line(column, under.min(SHOWN + from - before), what)]
}

fn under_line(before: usize, under: usize, what: &str) -> String {
    format!("{}{} {what}", " ".repeat(before), "^".repeat(under.max(1)))
}

/// Cuts a text to at most `most` characters, the last of which is `…` if it was cut.
pub fn truncated(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Returns a value or name as messages repeat it: trimmed, and cut if long.
pub fn message_excerpt(text: &str) -> String {
    truncated(text.trim(), REPEATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_the_part_around_the_place_is_shown() {
        assert_eq!(caret_lines("a=ü b", 4..5, "no"), ["a=ü b".to_owned(), "   ^ no".to_owned()]);
        let long = "ab".repeat(3000);
        for (span, column, dots) in [(0..3, 0, 1), (3001..3004, 61, 2), (5999..6000, 200, 1), (0..6000, 0, 1)]
        {
            let [text, mark] = caret_lines(&long, span.clone(), "no");
            assert_eq!(text.chars().filter(|sign| *sign == '…').count(), dots, "{span:?}");
            assert!(text.chars().count() <= SHOWN + 2 && mark.len() <= SHOWN + 5, "{span:?}");
            assert_eq!(mark.find('^'), Some(column), "{span:?}");
        }
        let [text, mark] = caret_lines(&long, 6000..6000, "more");
        assert_eq!((text.chars().count(), mark.trim_start()), (SHOWN + 1, "^ more"));
        assert_eq!((truncated("abcd", 4).as_str(), truncated("abcde", 4).as_str()), ("abcd", "abc…"));
    }
}

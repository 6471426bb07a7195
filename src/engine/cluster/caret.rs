//! Pointing at a place in a text.

use std::ops::Range;

/// A line that points at bytes of a text from below it: `     ^^^ there is no field "usr"`.
pub fn caret(text: &str, span: Range<usize>, what: &str) -> String {
    let before = text.get(..span.start).unwrap_or(text).chars().count();
    let under = text.get(span).map_or(1, |part| part.chars().count().max(1));
    format!("{}{} {what}", " ".repeat(before), "^".repeat(under))
}

//! Iterates over the characters of a script outside quotes.

/// Calls `each` for the characters outside quotes, until it returns false. A quote that never closes is a plain
/// character.
pub(super) fn unquoted(text: &str, mut each: impl FnMut(usize, char) -> bool) {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if matches!(c, '"' | '\'')
            && let Some(length) = text.get(at + 1..).and_then(|rest| rest.find(c))
        {
            let behind = at + 1 + length;
            while chars.next().is_some_and(|(at, _)| at < behind) {}
            continue;
        }
        if !each(at, c) {
            return;
        }
    }
}

//! The characters of a script outside quotes.

/// Goes through the characters outside quotes, as long as wanted. A quote that never closes is a character.
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

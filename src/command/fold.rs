//! Lines that are longer than anything worth reading: cut, and how much of them is left out.

use std::borrow::Cow;

/// The most bytes of one line of an answer in text; the JSON form has what is left out here.
const MAX_BYTES: usize = 64 * 1024;

/// The text with its long lines cut.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_BYTES || text.lines().all(|line| line.len() <= MAX_BYTES) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').map(cut).collect())
}

fn cut(line: &str) -> Cow<'_, str> {
    let end = (0..=MAX_BYTES.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let (shown, rest) = line.split_at(end);
    let left_out = rest.trim_end_matches('\n').len();
    if left_out == 0 {
        return Cow::Borrowed(line);
    }
    let newline = if rest.ends_with('\n') { "\n" } else { "" };
    Cow::Owned(format!("{shown}… and {left_out} bytes more{newline}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_counted() {
        assert!(matches!(folded("short\nlines"), Cow::Borrowed(_)));
        let text = format!("first\n{}\nlast\n", "ü".repeat(500_000));
        let shown = folded(&text);
        let ends: Vec<&str> = shown.lines().map(|line| line.trim_start_matches('ü')).collect();
        assert_eq!(ends, ["first", "… and 934464 bytes more", "last"]);
        assert!(shown.ends_with("last\n") && shown.len() < MAX_BYTES + 100);
        assert_eq!(folded(&"x".repeat(MAX_BYTES)).len(), MAX_BYTES);
    }
}

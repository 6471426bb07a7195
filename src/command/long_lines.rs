//! Lines that are too long to read are cut, with a note of how much was left out.

use std::borrow::Cow;

/// Maximum number of bytes of one line of a text answer; the JSON form has what is left out here.
const MAX_BYTES: usize = 64 * 1024;

/// Returns the text with its long lines cut.
pub(super) fn cut_long_lines(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_BYTES || text.lines().all(|line| line.len() <= MAX_BYTES) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').map(cut_line).collect())
}

/// Maximum number of characters of a word in a message: host names have at most 255.
const MAX_WORD: usize = 255;

/// Returns a message with its long words cut and marked, such as a name into which a file was pasted; paths stay
/// whole.
pub(super) fn words_cut(text: &str) -> Cow<'_, str> {
    let is_long = |word: &str| word.len() > MAX_WORD && !word.contains('/');
    if !text.split_whitespace().any(is_long) {
        return cut_long_lines(text);
    }
    let cut = |word: &str| if is_long(word) { cut_word(word) } else { word.to_owned() };
    Cow::Owned(text.split_inclusive(char::is_whitespace).map(cut).collect())
}

/// Cuts a word with the space after it: keeps its beginning, and its last characters, which may be a quotation mark
/// of ours.
fn cut_word(word: &str) -> String {
    let end = word.len() - word.trim_end_matches(|letter: char| !letter.is_alphanumeric()).len();
    let (body, end) = word.split_at_checked(word.len() - end.min(4)).unwrap_or((word, ""));
    body.chars().take(MAX_WORD / 3).chain(['…']).chain(end.chars()).collect()
}

fn cut_line(line: &str) -> Cow<'_, str> {
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
        assert!(matches!(cut_long_lines("short\nlines"), Cow::Borrowed(_)));
        let text = format!("first\n{}\nlast\n", "ü".repeat(500_000));
        let shown = cut_long_lines(&text);
        let ends: Vec<&str> = shown.lines().map(|line| line.trim_start_matches('ü')).collect();
        assert_eq!(ends, ["first", "… and 934464 bytes more", "last"]);
        assert!(shown.ends_with("last\n") && shown.len() < MAX_BYTES + 100);
        assert_eq!(cut_long_lines(&"x".repeat(MAX_BYTES)).len(), MAX_BYTES);
    }

    #[test]
    fn a_long_word_of_a_message_is_cut_and_a_path_is_not() {
        let (name, path) = ("x".repeat(5000), "/a".repeat(300));
        let shown = words_cut(&format!("no job `{name}` among 3 in {path}\n")).into_owned();
        assert_eq!(shown, format!("no job `{}…` among 3 in {path}\n", "x".repeat(84)));
        assert_eq!(words_cut("short `name`\n"), "short `name`\n");
        assert!(words_cut(&"ü".repeat(900)).chars().count() < 100);
    }
}

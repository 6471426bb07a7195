//! Text for a Markdown page: untrusted words are not markup.

use std::borrow::Cow;

/// Puts a backslash before what would begin HTML, code, a link or a picture. Brackets, stars and underscores alone
/// stay, because names are full of them.
pub fn markdown(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '`', '<']) && !text.contains("](") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '<') || c == '(' && out.ends_with(']') {
            out.push('\\');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

/// Returns a code fence that none of these lines ends: longer than the longest run of backticks in them.
pub fn fence<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let longest = |text: &str| text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(lines.map(longest).max().unwrap_or(0).saturating_add(1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_others_is_text() {
        assert_eq!(markdown("plain_name n[1-3] (a)"), "plain_name n[1-3] (a)");
        assert_eq!(markdown("<img> ![x](y) `z`"), "\\<img> ![x]\\(y) \\`z\\`");
        assert_eq!(fence(["a", "````"].into_iter()), "`````");
        assert_eq!(fence(["a"].into_iter()), "```");
    }
}

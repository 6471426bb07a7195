//! Answers in the character set of the locale.

use std::borrow::Cow;

use qscope_exits::in_ascii;

/// A text as this process's locale can show it. Without a locale, as where the output goes to a mail or a file, it stays.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    match locale {
        Some(locale) if !is_utf8(&locale) => in_ascii(text),
        _ => Cow::Borrowed(text),
    }
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_its_character_set() {
        assert!(is_utf8("de_DE.UTF-8") && is_utf8("C.utf8") && !is_utf8("C") && !is_utf8("de_DE"));
    }
}

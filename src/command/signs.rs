//! Answers in the character set of the locale.

use std::borrow::Cow;

use qscope_exits::in_ascii;
use qscope_system::locale;

/// Returns a text as this process's locale can show it.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    if locale::is_utf8_here() { Cow::Borrowed(text) } else { in_ascii(text) }
}

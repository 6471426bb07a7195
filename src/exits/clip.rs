//! Text for the clipboard: visible characters, in lines made by the program.

use std::fmt::{self, Display};

use super::Lines;

/// Text that can be pasted anywhere, even into a shell: it has no control characters except line breaks between lines
/// made by the program, and none at the end. A copied name is one line, so pasting it runs nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ClipboardText(String);

impl ClipboardText {
    pub fn line(text: impl Display) -> Self {
        std::iter::once(text).collect::<Lines>().into()
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to copy.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Display for ClipboardText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Lines> for ClipboardText {
    fn from(lines: Lines) -> Self {
        Self(lines.as_str().trim_end_matches('\n').to_owned())
    }
}

impl<T: Display> FromIterator<T> for ClipboardText {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        all.into_iter().collect::<Lines>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_value_is_one_line_and_ends_no_paste() {
        let clip = ClipboardText::line("ok\u{1b}[201~\nrm -rf ~\n");
        assert_eq!(clip.as_str(), "ok␛[201~␊rm -rf ~␊");
        assert_eq!(["a", "b\nc"].into_iter().collect::<ClipboardText>().as_str(), "a\nb␊c");
    }
}

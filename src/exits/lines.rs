//! Plain text made of whole lines.

use std::fmt::{Display, Write};

use super::visible;

/// Text for a terminal, a pipe or the error stream. It grows by whole lines: untrusted text is made visible, so no
/// value adds a line or changes how another begins.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lines(String);

impl Lines {
    /// Creates an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line, without the blanks at its end. `format_args!` combines values without a copy.
    pub fn line(&mut self, text: impl Display) {
        let mut raw = String::new();
        // Writing to a String cannot fail.
        let _ = write!(raw, "{text}");
        self.0.push_str(visible(&raw).trim_end());
        self.0.push('\n');
    }

    /// Adds a line between two of the program's escape sequences that style it.
    pub fn styled(&mut self, before: &'static str, text: impl Display, after: &'static str) {
        let mut line = Self::default();
        line.line(text);
        let text = line.0.trim_end();
        self.0.extend([before, text, after, "\n"]);
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.0.push('\n');
    }

    /// Adds all lines of another text.
    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Returns the whole text; every line ends with a line break.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it contains nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl<T: Display> FromIterator<T> for Lines {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut lines = Self::default();
        all.into_iter().for_each(|text| lines.line(text));
        lines
    }
}

impl<T: Display> Extend<T> for Lines {
    fn extend<I: IntoIterator<Item = T>>(&mut self, all: I) {
        all.into_iter().for_each(|text| self.line(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_whatever_is_in_it() {
        let mut lines = Lines::new();
        lines.line(format_args!("{:>3}  {}", 7, "a\n! all nodes are down\r\u{2028}\u{85}b "));
        lines.styled("\u{1b}[1m", "x\u{1b}[0m", "\u{1b}[0m");
        lines.blank();
        assert_eq!(
            lines.as_str(),
            "  7  a␊! all nodes are down␍\\u{2028}\\u{85}b\n\u{1b}[1mx␛[0m\u{1b}[0m\n\n"
        );
    }
}

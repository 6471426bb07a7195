//! Text for a terminal, with colours set by the program.

use std::fmt::Write as _;

use super::visible;

/// Lines with terminal styles: every escape sequence is made from numbers, and the text between two of them is made
/// visible.
///
/// A sequence given as text does not compile:
///
/// ```compile_fail
/// qscope_exits::Ansi::new().look("\u{1b}[31m");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ansi(String);

impl Ansi {
    /// Creates an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the style of the following text: the numbers of an SGR sequence, which begins with `0`.
    pub fn set_style(&mut self, codes: &[u8]) {
        self.0.push_str("\u{1b}[0");
        for code in codes {
            // Writing to a String cannot fail.
            let _ = write!(self.0, ";{code}");
        }
        self.0.push('m');
    }

    /// Adds a part of a line.
    pub fn text(&mut self, piece: &str) {
        self.0.push_str(&visible(piece));
    }

    /// Ends the line and its style.
    pub fn end_line(&mut self) {
        self.set_style(&[]);
        self.0.push('\n');
    }

    /// Returns the lines.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_sequences_act() {
        let mut page = Ansi::new();
        page.set_style(&[1, 38, 2, 9, 9, 9]);
        page.text("a\u{1b}[2Jb\nc");
        page.end_line();
        assert!(page.as_str().starts_with("\u{1b}[0;1;38;2;9;9;9ma"));
        assert!(page.as_str().ends_with("c\u{1b}[0m\n"));
        assert_eq!(page.as_str().matches('\u{1b}').count(), 2);
        assert_eq!(page.as_str().matches('\n').count(), 1);
    }
}

//! Text for a terminal, with colours of ours.

use std::fmt::Write as _;

use super::visible;

/// Lines with the looks of a terminal: every sequence is made of numbers, and what stands between two of them is visible.
///
/// A sequence that is a text is none:
///
/// ```compile_fail
/// qscope_exits::Ansi::new().look("\u{1b}[31m");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ansi(String);

impl Ansi {
    /// No lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// What follows looks like this: the numbers of a sequence for looks, `0` first.
    pub fn look(&mut self, codes: &[u8]) {
        self.0.push_str("\u{1b}[0");
        for code in codes {
            // Writing to a String cannot fail.
            let _ = write!(self.0, ";{code}");
        }
        self.0.push('m');
    }

    /// Adds a piece of a line.
    pub fn text(&mut self, piece: &str) {
        self.0.push_str(&visible(piece));
    }

    /// Ends the line, and its looks.
    pub fn end_line(&mut self) {
        self.look(&[]);
        self.0.push('\n');
    }

    /// The lines.
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
        page.look(&[1, 38, 2, 9, 9, 9]);
        page.text("a\u{1b}[2Jb\nc");
        page.end_line();
        assert!(page.as_str().starts_with("\u{1b}[0;1;38;2;9;9;9ma"));
        assert!(page.as_str().ends_with("c\u{1b}[0m\n"));
        assert_eq!(page.as_str().matches('\u{1b}').count(), 2);
        assert_eq!(page.as_str().matches('\n').count(), 1);
    }
}

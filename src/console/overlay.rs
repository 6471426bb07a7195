//! Boxes over the panes: a stack, of which one key closes the topmost.

use super::breakpoint_box::BreakpointBox;
use super::column_box::ColumnBox;
use super::help::Help;
use super::palette::Palette;
use super::story::{Paragraph, Story, TextPiece};
use super::theme::Role;

/// A box over the panes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Overlay {
    /// The keys.
    Help(Help),
    /// The files and the clients that make them, and the first visible line.
    Files(usize),
    Palette(Palette),
    Breakpoints(BreakpointBox),
    /// The columns of a table, to choose from.
    Columns(ColumnBox),
    /// A requested text.
    Text(TextBox),
}

impl Overlay {
    /// The name of the box.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Help(_) => "the help",
            Self::Files(_) => "Files",
            Self::Palette(_) => "the command line",
            Self::Breakpoints(_) => "Breakpoints",
            Self::Columns(_) => "Columns",
            Self::Text(_) => "this text",
        }
    }
}

/// A text in a box, line by line, one of them marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextBox {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
    /// The marked line, which the box is about.
    pub(crate) marked: Option<usize>,
    /// The first visible line.
    pub(crate) top: usize,
}

impl TextBox {
    /// The text as the box draws it.
    pub(crate) fn story(&self) -> Story {
        let line = |(at, text): (usize, &String)| {
            let role = if self.marked == Some(at) { Role::Heading } else { Role::Text };
            Paragraph::Line(vec![TextPiece::of(role, text)])
        };
        Story::new(self.lines.iter().enumerate().map(line).collect())
    }
}

/// Boxes over the panes, the topmost last.
#[derive(Debug, Clone)]
pub(crate) struct Overlays<T> {
    stack: Vec<T>,
}

impl<T> Default for Overlays<T> {
    fn default() -> Self {
        Self { stack: Vec::new() }
    }
}

impl<T> Overlays<T> {
    /// Puts one on top.
    pub(crate) fn push(&mut self, overlay: T) {
        self.stack.push(overlay);
    }

    /// Removes the topmost; `None` if there is none.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.stack.pop()
    }

    /// The topmost, which gets the keys.
    pub(crate) fn top(&self) -> Option<&T> {
        self.stack.last()
    }

    /// The topmost, mutable.
    pub(crate) fn top_mut(&mut self) -> Option<&mut T> {
        self.stack.last_mut()
    }

    /// All boxes from the lowest to the topmost, the order of drawing.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.stack.iter()
    }

    /// Whether there are no boxes.
    pub(crate) fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_key_takes_one_away() {
        let mut overlays = Overlays::default();
        overlays.push("help");
        overlays.push("definition");
        assert_eq!(overlays.iter().copied().collect::<Vec<_>>(), ["help", "definition"]);
        assert_eq!((overlays.pop(), overlays.top()), (Some("definition"), Some(&"help")));
        overlays.pop();
        assert!(overlays.pop().is_none() && overlays.is_empty());
    }
}

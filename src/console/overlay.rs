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

/// Boxes over the panes, the topmost last; it gets the keys, and the others are drawn before it.
pub(crate) type Overlays = Vec<Overlay>;

//! The rows of a comparison: headings and changes, with the signs of their nodes.

use super::pair::NodeSigns;
use qscope_session::compare::changes::{self, ChangeLine};

/// A heading or a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ComparisonRow {
    /// Kind and number of the changes that follow.
    Heading(String),
    Change(ChangeLine, NodeSigns),
}

impl ComparisonRow {
    pub(super) fn change(&self) -> Option<&ChangeLine> {
        match self {
            Self::Change(line, _) => Some(line),
            Self::Heading(_) => None,
        }
    }

    pub(super) fn signs(&self) -> NodeSigns {
        match self {
            Self::Change(_, signs) => *signs,
            Self::Heading(_) => [None; 2],
        }
    }
}

/// The answer of a worker: the changes, and how their nodes are drawn.
#[derive(Debug)]
pub(super) struct ChangesAnswer {
    pub(super) title: String,
    pub(super) lines: Vec<ChangeLine>,
    pub(super) signs: Vec<NodeSigns>,
}

impl ChangesAnswer {
    /// All rows, with a heading above each kind of changes.
    pub(super) fn rows(&self) -> Vec<ComparisonRow> {
        let mut rows = changes::under_headings(&self.lines, ComparisonRow::Heading, |line| {
            ComparisonRow::Change(line.clone(), [None; 2])
        });
        let changed = rows.iter_mut().filter_map(|row| match row {
            ComparisonRow::Change(_, signs) => Some(signs),
            ComparisonRow::Heading(_) => None,
        });
        changed.zip(&self.signs).for_each(|(row, signs)| *row = *signs);
        rows
    }
}

//! The rows of a comparison: changes below headings, nodes with their signs.

use super::pair::NodeSigns;
use qscope_session::compare::changes::{self, ChangeLine};

/// A row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ComparisonRow {
    /// How many changes of a kind follow.
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

/// What a worker found: the changes, and how the nodes of each look.
pub(super) struct FoundChanges {
    pub(super) title: String,
    pub(super) lines: Vec<ChangeLine>,
    pub(super) signs: Vec<NodeSigns>,
}

impl FoundChanges {
    /// All rows: above the changes of a kind a heading.
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

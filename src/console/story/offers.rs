//! What the buckets offered to one chunk of a select, laid out as a table.

use crate::theme::Role;
use crate::wording;
use qscope_explain::decision::{Frame, Level, What};

use super::{Paragraph, Piece};

/// Wide enough for 100,000 nodes.
const NUMBER: usize = 6;
/// The columns that have room here; stepping in shows the others.
const COLUMNS: [&str; 6] = ["fits", "nodes", "free", "later", "busy", "taken"];
/// So many buckets that do not match are named.
const MAX_MISMATCHES: usize = 12;

/// The table, and notes about the buckets.
pub(super) fn table(level: &Level) -> Vec<Paragraph> {
    let (others, matching): (Vec<&Frame>, Vec<&Frame>) =
        level.frames.iter().partition(|frame| frame.what == What::Fact);
    let mut lines = Vec::new();
    if matching.is_empty() {
        lines.push(words(vec![Piece::dim("    no bucket matches")]));
    } else {
        let heads = COLUMNS.map(|head| (Piece::of(Role::Heading, head), NUMBER)).into();
        lines.push(Paragraph::Cells { name: Piece::of(Role::Heading, "    bucket"), numbers: heads });
        let names: Vec<String> = matching.iter().map(|frame| frame.label.clone()).collect();
        let (common, names) = wording::without_common(&names);
        lines.extend(matching.iter().zip(&names).map(|(frame, name)| row(level, frame, name)));
        if !common.is_empty() {
            lines.push(words(vec![Piece::dim(format!("    in all of them: {common}"))]));
        }
    }
    for frame in others.iter().take(MAX_MISMATCHES) {
        lines.push(words(vec![Piece::dim(format!("    {} {}", frame.label, frame.text))]));
    }
    if others.len() > MAX_MISMATCHES {
        let more = format!("    and {} more do not match", others.len() - MAX_MISMATCHES);
        lines.push(words(vec![Piece::dim(more)]));
    }
    lines
}

fn words(pieces: Vec<Piece>) -> Paragraph {
    Paragraph::words(6, pieces)
}

fn row(level: &Level, frame: &Frame, name: &str) -> Paragraph {
    let cell = |column: &str| {
        let at = level.heads.iter().position(|head| *head == column);
        let number = at.and_then(|at| frame.numbers.get(at)).map_or("", |number| &**number);
        let role = match (number, column) {
            ("0" | "-", _) => Role::TextDim,
            (_, "taken") => Role::NodeTaken,
            _ => Role::Text,
        };
        (Piece::of(role, number), NUMBER)
    };
    Paragraph::Cells { name: Piece::plain(format!("    {name}")), numbers: COLUMNS.map(cell).into() }
}

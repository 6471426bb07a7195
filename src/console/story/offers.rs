//! What the buckets offered to one part of a select, laid out as a table.

use crate::theme::Role;
use crate::wording;
use qscope_explain::decision::{Frame, Level, What};

use super::{Paragraph, Piece};

/// Wide enough for 100,000 nodes.
const NUMBER: usize = 6;
/// The columns that have room here; stepping in shows the others.
const COLUMNS: [&str; 6] = ["fits", "nodes", "free", "later", "busy", "taken"];
/// So many buckets that do not match are named.
const MISMATCHES_MOST: usize = 12;

/// The table, and what else there is to say about the buckets.
pub(super) fn table(level: &Level) -> Vec<Paragraph> {
    let (others, matching): (Vec<&Frame>, Vec<&Frame>) =
        level.frames.iter().partition(|frame| frame.what == What::Fact);
    let mut told = Vec::new();
    if matching.is_empty() {
        told.push(words(vec![Piece::dim("    no bucket matches")]));
    } else {
        let heads = COLUMNS.map(|head| (Piece::of(Role::Heading, head), NUMBER)).into();
        told.push(Paragraph::Cells { name: Piece::of(Role::Heading, "    bucket"), numbers: heads });
        let names: Vec<String> = matching.iter().map(|frame| frame.label.clone()).collect();
        let (common, names) = wording::without_common(&names);
        told.extend(matching.iter().zip(&names).map(|(frame, name)| row(level, frame, name)));
        if !common.is_empty() {
            told.push(words(vec![Piece::dim(format!("    and in all of them {common}"))]));
        }
    }
    for frame in others.iter().take(MISMATCHES_MOST) {
        told.push(words(vec![Piece::dim(format!("    {} {}", frame.label, frame.text))]));
    }
    if others.len() > MISMATCHES_MOST {
        let more = format!("    and {} more do not match", others.len() - MISMATCHES_MOST);
        told.push(words(vec![Piece::dim(more)]));
    }
    told
}

fn words(pieces: Vec<Piece>) -> Paragraph {
    Paragraph::Words { hang: 6, pieces }
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

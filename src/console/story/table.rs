//! Rows of buckets in a story: the name gets the width that the numbers leave.

use super::TextPiece;
use super::wrap::{CUT, cells, room_of_name};
use crate::bucket_names::cut_apart;
use crate::widgets::text::width;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BucketRow {
    /// The sign before the name.
    pub sign: &'static str,
    /// The name without the parts common to all.
    pub name: TextPiece,
    /// The name of the bucket's first node.
    pub first: String,
    pub numbers: Vec<(TextPiece, usize)>,
}

/// Lays out the rows; names that would be cut to the same text end in what distinguishes them.
pub(super) fn lines(rows: &[BucketRow], columns: usize) -> impl Iterator<Item = Vec<TextPiece>> {
    let room = |row: &BucketRow| room_of_name(&row.numbers, columns).saturating_sub(width(row.sign));
    let room = rows.iter().map(room).min().unwrap_or(0);
    let names: Vec<String> = rows.iter().map(|row| row.name.text.clone()).collect();
    let first = |at: usize| rows.get(at).map_or("", |row| &row.first);
    let names = cut_apart(&names, first, (room, CUT));
    rows.iter().zip(names).map(move |(row, name)| {
        let name = TextPiece { text: format!("{}{name}", row.sign), ..row.name.clone() };
        cells(&name, &row.numbers, columns)
    })
}

//! What the buckets offered to one chunk of a select, as a table: how many nodes are in each bitmap, before and after
//! the step if it moved some, and the nodes themselves.
//!
//! ```text
//! bucket                nodes  free  later   busy  bits
//! ncpus=16                 11     0    2→0   9→11  ·········◆◆
//! ```

use crate::bucket_names::BucketNames;
use crate::theme::Role;
use crate::widgets::text::{Align, fit, width};
use qscope_engine::universe::Availability;
use qscope_explain::BucketBits;
use qscope_explain::decision::{DecisionLevel, DecisionPoint, DecisionRow};

use super::{BucketRow, Paragraph, TextPiece};

/// Wide enough for 1,000 nodes.
const NUMBER: usize = 5;
/// Wide enough for two small numbers.
const CHANGE: usize = 7;
/// Maximum number of nodes for which the bits of a bucket are drawn; in larger ones only the moved nodes are counted.
const MAX_BITS: usize = 18;
/// Maximum number of buckets without a match that are named.
const MAX_MISMATCHES: usize = 12;

/// Returns the table, and notes about the buckets; `moved` has all buckets around the step.
pub(super) fn table(level: &DecisionLevel, moved: &[BucketBits], order: &BucketNames) -> Vec<Paragraph> {
    let (others, matching): (Vec<&DecisionRow>, Vec<&DecisionRow>) =
        level.frames.iter().partition(|frame| frame.point == DecisionPoint::Fact);
    // What all have in common is left out of all names, also of those that do not match.
    let names: Vec<String> = matching.iter().chain(&others).map(|frame| frame.label.clone()).collect();
    let (common, names) = order.split_common(&names);
    let (matched, unmatched) = names.split_at_checked(matching.len()).unwrap_or_default();
    let mut lines = Vec::new();
    if matching.is_empty() {
        lines.push(words(vec![TextPiece::dim("    no bucket matches")]));
    } else {
        let bucket_of = |frame: &DecisionRow| moved.iter().find(|bucket| bucket.name == frame.label);
        let mut rows = vec![heading_row()];
        rows.extend(matching.iter().zip(matched).map(|(frame, name)| {
            let first = order.first_node(&frame.label).to_owned();
            BucketRow { first, ..row(level, frame, name, bucket_of(frame)) }
        }));
        widen(&mut rows);
        lines.push(Paragraph::Buckets(rows));
    }
    for (frame, name) in others.iter().zip(unmatched).take(MAX_MISMATCHES) {
        lines.push(words(vec![TextPiece::dim(format!("  {name}: {}", frame.text))]));
    }
    if others.len() > MAX_MISMATCHES {
        let more = format!("  and {} more do not match", others.len() - MAX_MISMATCHES);
        lines.push(words(vec![TextPiece::dim(more)]));
    }
    if !common.is_empty() {
        lines.push(words(vec![TextPiece::dim(format!("  all: {common}"))]));
    }
    lines
}

/// The nodes of a bucket: free, planned later, busy; those that the step took or gave back. For a bucket too large to
/// draw, the number of moved nodes.
fn bits(bucket: &BucketBits) -> TextPiece {
    let moved = bucket.moved();
    if bucket.bits.len() > MAX_BITS {
        return match moved {
            0 => TextPiece::dim(""),
            moved => TextPiece::of(Role::NodeTaken, format!("◆×{moved}")),
        };
    }
    let sign = |one: &qscope_explain::BitMove| match one.after {
        Availability::Busy if one.moved() => '◆',
        _ if one.moved() => '◇',
        Availability::Free => '█',
        Availability::Later => '▒',
        Availability::Busy | Availability::Out => '∙',
    };
    let text: String = bucket.bits.iter().map(sign).collect();
    if moved > 0 { TextPiece::of(Role::NodeTaken, text) } else { TextPiece::dim(text) }
}

fn heading_row() -> BucketRow {
    let head = |text: &str, width| (TextPiece::of(Role::Heading, text), width);
    let numbers = vec![
        head("nodes", NUMBER),
        head("free", NUMBER),
        head("later", CHANGE),
        head("busy", CHANGE),
        head("bits", 0),
    ];
    BucketRow { sign: "  ", name: TextPiece::of(Role::Heading, "bucket"), first: String::new(), numbers }
}

/// Gives each column the width of its longest number, as two large ones and an arrow can exceed the usual width. The
/// bits are padded to the longest, so that they are left-aligned.
fn widen(rows: &mut [BucketRow]) {
    let bits = rows.iter().filter_map(|row| row.numbers.last());
    let longest = bits.map(|(bits, _)| width(&bits.text)).max().unwrap_or(0);
    for (bits, _) in rows.iter_mut().filter_map(|row| row.numbers.last_mut()) {
        // A blank keeps them apart from the border.
        bits.text = fit(&bits.text, longest + 1, Align::Left, "");
    }
    let columns = rows.iter().map(|row| row.numbers.len()).max().unwrap_or(0);
    for at in 0..columns {
        let column = || rows.iter().filter_map(|row| row.numbers.get(at));
        let wide = column().map(|(piece, wide)| (width(&piece.text) + 1).max(*wide)).max().unwrap_or(0);
        rows.iter_mut().filter_map(|row| row.numbers.get_mut(at)).for_each(|cell| cell.1 = wide);
    }
}

fn words(pieces: Vec<TextPiece>) -> Paragraph {
    Paragraph::words(6, pieces)
}

fn row(level: &DecisionLevel, row: &DecisionRow, name: &str, bucket: Option<&BucketBits>) -> BucketRow {
    let number = |column: &str, width| {
        let at = level.headings.iter().position(|head| *head == column);
        let number = at.and_then(|at| row.numbers.get(at)).map_or("", |number| &**number);
        let role = if matches!(number, "0" | "-") { Role::TextDim } else { Role::Text };
        (TextPiece::of(role, number), width)
    };
    // For the step that is shown, the counts come from the bitmaps before and after it.
    let change = |column: &str, at: Availability, width| match bucket {
        Some(bucket) if bucket.before(at) != bucket.after(at) => {
            let text = format!("{}→{}", bucket.before(at), bucket.after(at));
            (TextPiece::of(Role::NodeTaken, text), width)
        }
        _ => number(column, width),
    };
    let numbers = vec![
        number("nodes", NUMBER),
        change("free", Availability::Free, NUMBER),
        change("later", Availability::Later, CHANGE),
        change("busy", Availability::Busy, CHANGE),
        (bucket.map_or_else(|| TextPiece::dim(""), bits), 0),
    ];
    let sign = if bucket.is_some_and(|bucket| bucket.moved() > 0) { "▸ " } else { "  " };
    BucketRow { sign, name: TextPiece::plain(name), first: String::new(), numbers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Id;
    use qscope_engine::universe::Bit;
    use qscope_explain::BitMove;

    #[test]
    fn columns_are_as_wide_as_their_longest_number() {
        let row = |number: &str| BucketRow {
            sign: "  ",
            name: TextPiece::plain("b"),
            first: String::new(),
            numbers: vec![(TextPiece::plain(number), NUMBER)],
        };
        let mut rows = [row("free"), row("2254→2253")];
        widen(&mut rows);
        assert_eq!(rows.map(|row| row.numbers[0].1), [11, 11]);
    }

    #[test]
    fn bits_that_moved_are_marked_and_large_buckets_counted() {
        use Availability as A;
        let bucket = |moves: &[(A, A)]| {
            let one = |(at, (before, after)): (usize, &(A, A))| BitMove {
                bit: Bit::at(at),
                before: Some(*before),
                after: *after,
            };
            BucketBits { name: "b".to_owned(), bits: moves.iter().enumerate().map(one).collect() }
        };
        let small =
            bucket(&[(A::Busy, A::Busy), (A::Later, A::Busy), (A::Busy, A::Free), (A::Free, A::Free)]);
        assert_eq!(bits(&small).text.trim_end(), "∙◆◇█");
        assert_eq!(bits(&bucket(&[(A::Free, A::Busy); 30])).text, "◆×30");
        assert_eq!(bits(&bucket(&[(A::Free, A::Free); 30])).text, "");
    }
}

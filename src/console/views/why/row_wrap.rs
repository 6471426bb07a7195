//! Wraps a table row that is too long: it is broken between cells, and continued below a cell.
//!
//! ```text
//! 39  carol  2 nodes  until 02:05, in 5m
//!                     cn[012-013]
//! ```

use unicode_truncate::UnicodeTruncateStr;

use crate::widgets::text::width;
use qscope_explain::words::may_break_at;

/// Minimum space between two cells.
const GAP: &str = "  ";

/// Indent of a continued line that does not fit below any cell.
const HANG: usize = 4;

/// Minimum columns in which a cell is broken.
const LEAST: usize = 20;

/// The row in lines of at most `columns` columns.
pub(super) fn wrapped(row: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let anchors: Vec<usize> = cells(row).iter().map(|at| column(row, *at)).collect();
    let mut left = row.to_owned();
    // Each line takes at least one letter.
    while width(&left) > columns && columns > LEAST {
        let (line, rest) = broken(&left, &anchors, columns);
        if width(&rest) >= width(&left) {
            break;
        }
        lines.push(line);
        left = rest;
    }
    lines.push(left);
    lines
}

/// The column of a byte offset.
fn column(row: &str, at: usize) -> usize {
    width(row.get(..at).unwrap_or_default())
}

/// The first line, and the rest with its indent; `anchors` are the columns of the cells of the whole row.
fn broken(row: &str, anchors: &[usize], columns: usize) -> (String, String) {
    let cells = cells(row);
    let fits = |at: &&usize| column(row, **at) + 1 < columns;
    let Some(last) = cells.iter().skip(1).rfind(fits) else {
        return break_between_words(row, 0, column(row, cells.first().copied().unwrap_or(0)) + HANG, columns);
    };
    let (head, rest) = row.split_at_checked(*last).unwrap_or((row, ""));
    let here = column(row, *last);
    let room = columns.saturating_sub(here);
    let is_name = rest.split(' ').next().is_none_or(|word| width(word) > room);
    // A cell of words is continued below itself.
    if (room >= LEAST && !is_name) || here <= HANG + 2 {
        return break_between_words(row, *last, here, columns);
    }
    let below = anchors.iter().filter(|at| **at < here && *at + width(rest) <= columns);
    let below = below.max().copied().unwrap_or(HANG);
    (head.trim_end().to_owned(), format!("{}{rest}", " ".repeat(below)))
}

/// Breaks the row between words after `from` bytes, or else within a word.
fn break_between_words(row: &str, from: usize, hang: usize, columns: usize) -> (String, String) {
    let hang = if hang + LEAST > columns { HANG } else { hang };
    let (kept, _) = row.unicode_truncate(columns + 1);
    let has_words = |at: &usize| kept.get(from..*at).is_some_and(|part| !part.trim().is_empty());
    let is_blank = |at: &usize| has_words(at) && column(row, *at) > hang;
    let blanks = || kept.rmatch_indices(' ').map(|(at, _)| at).filter(is_blank);
    let blank = blanks().find(|at| may_break_at(row, *at)).or_else(|| blanks().next());
    let at = blank.unwrap_or_else(|| row.unicode_truncate(columns).0.len());
    let (line, rest) = row.split_at_checked(at).unwrap_or((row, ""));
    (line.trim_end().to_owned(), format!("{}{}", " ".repeat(hang), rest.trim_start()))
}

/// Byte offsets at which the cells begin.
fn cells(row: &str) -> Vec<usize> {
    let starts = |(at, letter): (usize, char)| {
        let before = row.get(..at).unwrap_or_default();
        (letter != ' ' && (before.ends_with(GAP) || before.trim().is_empty())).then_some(at)
    };
    row.char_indices().filter_map(starts).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_go_below_the_cell_before_them() {
        let row = "  39  carol  2 nodes  until 02:05, in 5m  cn[012-013]";
        let below = ["  39  carol  2 nodes  until 02:05, in 5m", "                      cn[012-013]"];
        assert_eq!(wrapped(row, 50), below);
        assert_eq!(wrapped(row, 53), [row]);
    }

    #[test]
    fn words_go_below_themselves() {
        let row = "  eligible  it waits, and its queue is started by hand";
        assert_eq!(
            wrapped(row, 40),
            ["  eligible  it waits, and its queue is", "            started by hand"]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_is_lost_and_no_line_too_long(row in "[a-z,\\[ ]{0,90}", columns in 21usize..80) {
            let lines = wrapped(&row, columns);
            prop_assert!(lines.iter().all(|line| width(line.trim_end()) <= columns), "{lines:?}");
            let letters = |text: &str| text.replace(' ', "");
            prop_assert_eq!(letters(&lines.concat()), letters(&row));
        }
    }
}

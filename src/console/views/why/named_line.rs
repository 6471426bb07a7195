//! The line under the cursor with the names in it: finds a name in the rows that the line was wrapped into.

use std::ops::Range;

use super::rows::WhyRow;
use crate::views::names::{self, NameLink};
use crate::views::{Object, ViewContext};
use crate::widgets::text::clean;

/// A line and its links.
#[derive(Debug, Default)]
pub(super) struct NamedLine {
    pub(super) links: Vec<NameLink>,
    text: String,
}

impl NamedLine {
    /// A line that is about the things named in `about`.
    pub(super) fn new(about: &[String], text: &str, cx: ViewContext<'_>) -> Self {
        // Cleaned like the rows.
        let text = clean(text).into_owned();
        Self { links: names::of(about, &text, cx), text }
    }

    /// The object of a link.
    pub(super) fn object(&self, choice: usize) -> Option<&Object> {
        self.links.get(choice).map(|link| &link.object)
    }

    /// The row and the byte range of a link's name. Rows have the same letters as the line in the same order; only the
    /// whitespace differs.
    pub(super) fn in_rows(&self, choice: usize, rows: &[WhyRow]) -> Option<(usize, Range<usize>)> {
        let name = self.links.get(choice)?.at.clone()?;
        let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).count();
        let mut before = letters(self.text.get(..name.start)?);
        let wide = letters(self.text.get(name)?);
        for (at, row) in rows.iter().enumerate() {
            let found: Vec<(usize, char)> = row.letters().skip(before).take(wide).collect();
            if let Some(((first, _), (last, letter))) = found.first().zip(found.last()) {
                return Some((at, *first..last + letter.len_utf8()));
            }
            before = before.saturating_sub(row.letters().count());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::why::rows::WhyKey;

    #[test]
    fn a_name_is_found_in_the_row_that_it_was_broken_into() {
        let row = |text: &str, bar, lead_letters| WhyRow {
            key: WhyKey::default(),
            line: 1,
            text: text.to_owned(),
            is_first: true,
            is_success: None,
            bar,
            lead_letters,
        };
        let text = "5 of 16 nodes: jobs 5 16".to_owned();
        let objects = ["5.s", "16.s"].map(|name| Object::Job(name.to_owned()));
        let line = NamedLine { links: names::in_text(objects, &text), text };
        let rows = [row("  - 5 of 16 nodes:", None, 1), row("    jobs 5", None, 0), row("    16", None, 0)];
        assert_eq!((line.in_rows(0, &rows), line.in_rows(1, &rows)), (Some((1, 9..10)), Some((2, 4..6))));
        let drawn = [row("  ##. 5 of 16 nodes: jobs 5 16", Some(2..5), 0)];
        assert_eq!(line.in_rows(1, &drawn), Some((0, 28..30)));
        let cut = [row("  5 of 16 nod…", None, 0)];
        assert_eq!(line.in_rows(0, &cut), None);
    }
}

//! Plain text tables: a heading, and one line for each row, from the row model or from cells.

use unicode_width::UnicodeWidthStr;

use qscope_exits::{Lines, visible};
use qscope_session::query::{FieldKind, QueryField, QueryFields, QueryRecord};

/// Formats the chosen columns of rows. Texts are left-aligned and everything else is right-aligned, each at least as
/// wide as its column; the last text is not padded, and a value that a row does not have is a dash.
pub(super) fn table<R: QueryRecord>(
    fields: &QueryFields,
    chosen: &[&str],
    rows: impl Iterator<Item = R>,
) -> Lines {
    let columns: Vec<&QueryField> = chosen.iter().filter_map(|name| fields.named(name)).collect();
    debug_assert_eq!(columns.len(), chosen.len(), "a column of {chosen:?} is none");
    let mut text = Lines::new();
    text.line(line(&columns, |column| column.name.to_string()));
    for row in rows {
        let value =
            |column: &QueryField| row.fact(&column.name).map_or("-".to_owned(), |fact| fact.to_string());
        text.line(line(&columns, value));
    }
    text
}

fn line(columns: &[&QueryField], value: impl Fn(&QueryField) -> String) -> String {
    let mut line = String::new();
    for (at, column) in columns.iter().enumerate() {
        let (value, width) = (value(column), usize::from(column.width));
        let is_text = column.kind == FieldKind::Text;
        let gap = if at == 0 {
            ""
        } else if is_text {
            "  "
        } else {
            " "
        };
        line += gap;
        line += &match (is_text, at + 1 == columns.len()) {
            (true, true) => value,
            (true, false) => format!("{value:<width$}"),
            (false, _) => format!("{value:>width$}"),
        };
    }
    line
}

/// Formats cells under a heading, each column as wide as its widest cell; the columns in `right` are right-aligned.
/// Lines are indented by two spaces.
pub(super) fn grid(heading: &[&str], rows: &[Vec<String>], right: &[usize]) -> Lines {
    let head: Vec<String> = heading.iter().map(|cell| (*cell).to_owned()).collect();
    let shown = |cell: &str| visible(cell).width();
    let width = |at: usize| {
        std::iter::once(&head)
            .chain(rows)
            .filter_map(|row| row.get(at))
            .map(|cell| shown(cell))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = Lines::new();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(shown(cell)));
            line += "  ";
            line += &if right.contains(&at) { format!("{gap}{cell}") } else { format!("{cell}{gap}") };
        }
        text.line(line);
    }
    text
}

/// Width of text answers, in columns, whatever the output is.
pub(super) const COLUMNS: usize = 80;

/// Wraps a text into lines of at most [`COLUMNS`] columns; the first begins with `first`, the others with as many
/// spaces.
pub(super) fn paragraph(first: &str, body: &str) -> Lines {
    paragraph_within(first, body, Some(COLUMNS))
}

/// The same in lines of so many columns, or in one line without a limit.
pub(super) fn paragraph_within(first: &str, body: &str, columns: Option<usize>) -> Lines {
    let Some(columns) = columns else { return Lines::from_iter([format_args!("{first}{body}")]) };
    let indent = " ".repeat(first.width());
    let options = textwrap::Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(&indent)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    textwrap::wrap(&visible(body), options).into_iter().collect()
}

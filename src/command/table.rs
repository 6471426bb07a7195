//! Plain text tables from the row model: a heading, and one line a row.

use qscope_exits::Lines;
use qscope_session::query::{Field, FieldKind, Fields, Record};

/// The chosen columns of rows. Texts stand to the left, everything else to the right, each at least as wide as its
/// column; the last text is not padded, and a value that a row does not have is a dash.
pub(super) fn table<R: Record>(fields: &Fields, chosen: &[&str], rows: impl Iterator<Item = R>) -> Lines {
    let columns: Vec<&Field> = chosen.iter().filter_map(|name| fields.named(name)).collect();
    debug_assert_eq!(columns.len(), chosen.len(), "a column of {chosen:?} is none");
    let mut text = Lines::new();
    text.line(line(&columns, |column| column.name.to_string()));
    for row in rows {
        let value = |column: &Field| row.fact(&column.name).map_or("-".to_owned(), |fact| fact.to_string());
        text.line(line(&columns, value));
    }
    text
}

fn line(columns: &[&Field], value: impl Fn(&Field) -> String) -> String {
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

//! A screen, a table or a packing policy as a file: text, ANSI, SVG; CSV, JSON; TOML (console.md 6, Export).

mod picture;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use serde_json::Value;

use super::theme::rgb_of;
use crate::views::Grid;
pub(crate) use picture::svg;
use qscope_exits::{Ansi, Csv, Json, Lines, json};

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportForm {
    Text,
    Ansi,
    Svg,
    Csv,
    Json,
    /// The packing policy that a view shows.
    Policy,
}

impl ExportForm {
    /// Every format, with its word and what it contains.
    pub(crate) const ALL: [(Self, &str, &str); 6] = [
        (Self::Csv, "csv", "the table, with its filter and order"),
        (Self::Json, "json", "the table, with its filter and order"),
        (Self::Svg, "svg", "the screen as a picture"),
        (Self::Text, "text", "the screen as plain text"),
        (Self::Ansi, "ansi", "the screen with its colours, for a terminal"),
        (Self::Policy, "policy", "the packing policy, for elim and esub"),
    ];

    /// Returns the format with this word.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name, _)| *name == word).map(|(form, ..)| *form)
    }

    /// The word that names it.
    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|(form, ..)| *form == self).map_or("text", |(_, word, _)| word)
    }

    /// Whether it exports a table rather than the screen.
    pub(crate) fn is_of_a_table(self) -> bool {
        matches!(self, Self::Csv | Self::Json)
    }

    /// The extension of the file.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Ansi => "ans",
            Self::Policy => "toml",
            other => other.word(),
        }
    }
}

/// Returns a table as CSV (RFC 4180), with the values of [`as_json`].
pub(crate) fn csv(grid: &Grid) -> Csv {
    let mut table = Csv::new();
    table.row(&grid.titles);
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    for row in &grid.rows {
        table.row(row.iter().map(text).collect::<Vec<_>>());
    }
    table
}

/// Returns a table as a list of objects, keyed by the titles of its columns.
pub(crate) fn as_json(grid: &Grid) -> Result<Json, String> {
    let row = |cells: &Vec<Value>| {
        let pairs = grid.titles.iter().cloned().zip(cells.iter().cloned());
        json::OrderedObject(pairs.collect::<Vec<(String, Value)>>())
    };
    Json::of(&grid.rows.iter().map(row).collect::<Vec<_>>()).map_err(|error| error.to_string())
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width.max(1)))
}

/// Returns the screen as plain text, without trailing blanks.
pub(crate) fn text(buffer: &Buffer) -> Lines {
    let line = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>().trim_end().to_owned();
    rows(buffer).map(line).collect()
}

/// Returns the screen with colours as ANSI escape sequences, one for each change of style.
pub(crate) fn ansi(buffer: &Buffer) -> Ansi {
    let mut page = Ansi::new();
    for row in rows(buffer) {
        let mut last = None;
        for cell in row {
            let look = (cell.fg, cell.bg, cell.modifier);
            if last != Some(look) {
                page.set_style(&codes(cell));
                last = Some(look);
            }
            page.text(cell.symbol());
        }
        page.end_line();
    }
    page
}

fn codes(cell: &Cell) -> Vec<u8> {
    let modifiers =
        [(Modifier::BOLD, 1), (Modifier::DIM, 2), (Modifier::UNDERLINED, 4), (Modifier::REVERSED, 7)];
    let set = modifiers.into_iter().filter(|(modifier, _)| cell.modifier.contains(*modifier));
    let mut codes: Vec<u8> = set.map(|(_, code)| code).collect();
    for (paint, base) in [(rgb_of(cell.fg), 38), (rgb_of(cell.bg), 48)] {
        codes.extend(paint.into_iter().flat_map(|[r, g, b]| [base, 2, r, g, b]));
    }
    codes
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    fn screen() -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        buffer.set_string(0, 0, "a<b", Style::new().bold());
        buffer.set_string(2, 1, "█", Style::new().reversed());
        buffer
    }

    #[test]
    fn a_screen_becomes_text_ansi_and_a_picture() {
        assert_eq!(text(&screen()).as_str(), "a<b\n  █\n");
        assert!(ansi(&screen()).as_str().contains("\u{1b}[0;1ma<b\u{1b}[0m"));
        let picture = svg(&screen());
        let picture = picture.as_str();
        assert!(picture.contains(">a&lt;b</text>") && picture.contains("font-weight=\"bold\""), "{picture}");
        assert!(picture.contains("width=\"64\" height=\"32\""), "{picture}");
        assert!(picture.contains("x=\"16\" y=\"16\" width=\"8\" height=\"16\""), "{picture}");
    }

    #[test]
    fn a_table_becomes_csv_and_json() {
        let grid = Grid {
            titles: ["job", "why", "start", "end"].map(str::to_owned).to_vec(),
            rows: vec![vec!["1".into(), "a, \"b\"".into(), 1_763_700_000.into(), Value::Null]],
        };
        let rows = "job,why,start,end\r\n1,\"a, \"\"b\"\"\",1763700000,\r\n";
        assert_eq!(csv(&grid).as_str(), rows);
        let json = as_json(&grid).unwrap();
        let json = json.as_str();
        assert!(json.contains("\"start\": 1763700000") && json.contains("\"end\": null"), "{json}");
        assert!(json.contains("\"job\": \"1\"") && json.contains("a, \\\"b\\\""), "{json}");
    }
}

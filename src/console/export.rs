//! A screen or a table as a file: text, ANSI, SVG; CSV, JSON (console.md 6, Export).

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use serde_json::Value;

use super::theme::rgb_of;
use crate::views::Grid;
use qscope_exits::{Ansi, Csv, Html, Json, Lines, json};

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportForm {
    Text,
    Ansi,
    Svg,
    Csv,
    Json,
}

impl ExportForm {
    /// Every form, with its word and what it holds.
    pub(crate) const ALL: [(Self, &str, &str); 5] = [
        (Self::Csv, "csv", "the table, with its filter and order"),
        (Self::Json, "json", "the table, with its filter and order"),
        (Self::Svg, "svg", "the screen as a picture"),
        (Self::Text, "text", "the screen as plain text"),
        (Self::Ansi, "ansi", "the screen with its colours, for a terminal"),
    ];

    /// The form of a word.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name, _)| *name == word).map(|(form, ..)| *form)
    }

    /// Its word.
    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|(form, ..)| *form == self).map_or("text", |(_, word, _)| word)
    }

    /// Whether it is of a table, not of the screen.
    pub(crate) fn is_of_a_table(self) -> bool {
        matches!(self, Self::Csv | Self::Json)
    }

    /// What the file's name ends with.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Ansi => "ans",
            other => other.word(),
        }
    }
}

/// A table as RFC 4180 has it, with the values of [`as_json`].
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

/// A table as a list of objects, by the titles of its columns.
pub(crate) fn as_json(grid: &Grid) -> Result<Json, String> {
    let row = |cells: &Vec<Value>| {
        let pairs = grid.titles.iter().cloned().zip(cells.iter().cloned());
        json::Keyed(pairs.collect::<Vec<(String, Value)>>())
    };
    Json::of(&grid.rows.iter().map(row).collect::<Vec<_>>()).map_err(|error| error.to_string())
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width.max(1)))
}

/// The screen as plain text, blanks at the ends of lines left out.
pub(crate) fn text(buffer: &Buffer) -> Lines {
    let line = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>().trim_end().to_owned();
    rows(buffer).map(line).collect()
}

/// The screen with colours as a terminal writes them, a sequence for each change.
pub(crate) fn ansi(buffer: &Buffer) -> Ansi {
    let mut page = Ansi::new();
    for row in rows(buffer) {
        let mut last = None;
        for cell in row {
            let look = (cell.fg, cell.bg, cell.modifier);
            if last != Some(look) {
                page.look(&codes(cell));
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

/// A cell's size in the picture, in pixels.
const CELL: (usize, usize) = (8, 16);

/// The screen as a picture: a rectangle for each run of one ground, a text for each run of one style.
pub(crate) fn svg(buffer: &Buffer) -> Html {
    let (columns, lines) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (wide, high) = (columns * CELL.0, lines * CELL.1);
    let mut out = Html::new();
    let base = main_ground(buffer);
    out.put(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" \
         font-family=\"DejaVu Sans Mono, monospace\" font-size=\"13.29\" xml:space=\"preserve\">\n\
         <rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
        &[&wide, &high, &wide, &high, &wide, &high, &hex(base)],
    );
    for (y, row) in rows(buffer).enumerate() {
        let mut from = 0;
        while let Some(first) = row.get(from) {
            let style = style_of(first);
            let run: Vec<&Cell> = row.iter().skip(from).take_while(|cell| style_of(cell) == style).collect();
            let text: String = run.iter().map(|cell| cell.symbol()).collect();
            if style.1 != base {
                let place = [from * CELL.0, y * CELL.1, run.len() * CELL.0, CELL.1];
                rect_svg(&mut out, place, style.1, 100);
            }
            run_svg(&mut out, (from, y), &text, style);
            from += run.len();
        }
    }
    out.raw("</svg>\n");
    out
}

const INK: [u8; 3] = [0xd7, 0xdc, 0xe5];
const GROUND: [u8; 3] = [0x10, 0x14, 0x1c];

/// Ink, ground, bold, underlined.
type CellStyle = ([u8; 3], [u8; 3], bool, bool);

fn style_of(cell: &Cell) -> CellStyle {
    let ink = rgb_of(cell.fg).unwrap_or(INK);
    let ground = rgb_of(cell.bg).unwrap_or(GROUND);
    let (ink, ground) =
        if cell.modifier.contains(Modifier::REVERSED) { (ground, ink) } else { (ink, ground) };
    (ink, ground, cell.modifier.contains(Modifier::BOLD), cell.modifier.contains(Modifier::UNDERLINED))
}

/// The ground that most cells have: that of the theme. Below a light screen a dark one would show between its cells.
fn main_ground(buffer: &Buffer) -> [u8; 3] {
    let mut counts: Vec<([u8; 3], usize)> = Vec::new();
    for cell in rows(buffer).flatten() {
        let ground = style_of(cell).1;
        match counts.iter_mut().find(|(known, _)| *known == ground) {
            Some((_, count)) => *count += 1,
            None => counts.push((ground, 1)),
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(GROUND, |(ground, _)| ground)
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn run_svg(out: &mut Html, (from, y): (usize, usize), text: &str, (ink, _, bold, line): CellStyle) {
    let mut rest = text;
    let mut at = from;
    while let Some(first) = rest.chars().next() {
        let is_block = block(first).is_some();
        let same = |letter: &char| if is_block { *letter == first } else { block(*letter).is_none() };
        let piece: String = rest.chars().take_while(same).collect();
        let columns = piece.chars().count();
        match block(first) {
            Some(part) => block_svg(out, (at, y), columns, part, ink),
            None if piece.trim().is_empty() => {}
            None => text_svg(out, (at, y), &piece, (ink, bold, line)),
        }
        (rest, at) = (rest.get(piece.len()..).unwrap_or_default(), at + columns);
    }
}

/// A rectangle: left, top, width, height, and how dense it is in percent.
fn rect_svg(out: &mut Html, [x, y, wide, high]: [usize; 4], fill: [u8; 3], dense: usize) {
    out.put(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
        &[&x, &y, &wide, &high, &hex(fill)],
    );
    if dense < 100 {
        out.put(" fill-opacity=\"0.{}\"", &[&dense]);
    }
    out.raw("/>\n");
}

/// A text at a column, as wide as its cells.
fn text_svg(out: &mut Html, (from, y): (usize, usize), text: &str, (ink, bold, line): ([u8; 3], bool, bool)) {
    out.put(
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{}\"",
        &[&(from * CELL.0), &(y * CELL.1 + CELL.1 - 4), &(text.chars().count() * CELL.0), &hex(ink)],
    );
    if bold {
        out.raw(" font-weight=\"bold\"");
    }
    if line {
        out.raw(" text-decoration=\"underline\"");
    }
    out.put(">{}</text>\n", &[&text]);
}

/// What of a cell a block fills, in eighths from its left, its top, its right and its bottom, and how densely, in percent.
/// Drawn and not written: letters of a font leave gaps between lines.
fn block(letter: char) -> Option<([usize; 4], usize)> {
    const LOWER: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const LEFT: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if let Some(at) = LOWER.iter().position(|block| *block == letter) {
        return Some(([0, 7 - at, 8, 8], 100));
    }
    if let Some(at) = LEFT.iter().position(|block| *block == letter) {
        return Some(([0, 0, at + 1, 8], 100));
    }
    match letter {
        '▓' => Some(([0, 0, 8, 8], 75)),
        '▒' => Some(([0, 0, 8, 8], 50)),
        '░' => Some(([0, 0, 8, 8], 25)),
        '│' => Some(([3, 0, 4, 8], 100)),
        '┃' => Some(([3, 0, 5, 8], 100)),
        _ => None,
    }
}

/// So many cells of one block, side by side: one rectangle where they touch.
fn block_svg(
    out: &mut Html,
    (from, y): (usize, usize),
    cells: usize,
    (part, dense): ([usize; 4], usize),
    ink: [u8; 3],
) {
    let [left, top, right, bottom] = part;
    let mut rect = |cell: usize, wide: usize| {
        let (x, above) = (cell * CELL.0 + left * CELL.0 / 8, y * CELL.1 + top * CELL.1 / 8);
        rect_svg(out, [x, above, wide, (bottom - top) * CELL.1 / 8], ink, dense);
    };
    match right - left {
        8 => rect(from, cells * CELL.0),
        part => (from..from + cells).for_each(|cell| rect(cell, part * CELL.0 / 8)),
    }
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

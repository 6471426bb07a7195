//! A screen or a table as a file: text, ANSI, SVG; CSV, JSON (console.md 6, Export).

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;

use super::theme::rgb_of;
use super::views::view::Grid;
use qscope_exits::{Csv, json};

/// In which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Ansi,
    Svg,
    Csv,
    Json,
}

impl Form {
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

/// A table as RFC 4180 has it.
pub(crate) fn csv(grid: &Grid) -> String {
    let mut table = Csv::new();
    std::iter::once(&grid.titles).chain(&grid.rows).for_each(|row| table.row(row));
    table.as_str().to_owned()
}

/// A table as a list of objects, by the titles of its columns.
pub(crate) fn as_json(grid: &Grid) -> String {
    let row = |cells: &Vec<String>| {
        let pairs = grid.titles.iter().cloned().zip(cells.iter().cloned());
        json::Keyed(pairs.collect::<Vec<(String, String)>>())
    };
    json::pretty(&grid.rows.iter().map(row).collect::<Vec<_>>()).unwrap_or_default()
}

fn rows(buffer: &Buffer) -> impl Iterator<Item = &[Cell]> {
    buffer.content.chunks(usize::from(buffer.area.width.max(1)))
}

/// The screen as plain text, blanks at the ends of lines left out.
pub(crate) fn text(buffer: &Buffer) -> String {
    let line = |row: &[Cell]| row.iter().map(Cell::symbol).collect::<String>().trim_end().to_owned() + "\n";
    rows(buffer).map(line).collect()
}

/// The screen with colours as a terminal writes them, a sequence for each change.
pub(crate) fn ansi(buffer: &Buffer) -> String {
    let mut out = String::new();
    for row in rows(buffer) {
        let mut last = None;
        for cell in row {
            let look = (cell.fg, cell.bg, cell.modifier);
            if last != Some(look) {
                out.push_str(&sequence(cell));
                last = Some(look);
            }
            out.push_str(cell.symbol());
        }
        out.push_str("\u{1b}[0m\n");
    }
    out
}

fn sequence(cell: &Cell) -> String {
    let mut codes = vec!["0".to_owned()];
    for (modifier, code) in
        [(Modifier::BOLD, "1"), (Modifier::DIM, "2"), (Modifier::UNDERLINED, "4"), (Modifier::REVERSED, "7")]
    {
        if cell.modifier.contains(modifier) {
            codes.push(code.to_owned());
        }
    }
    for (paint, base) in [(rgb_of(cell.fg), 38), (rgb_of(cell.bg), 48)] {
        codes.extend(paint.map(|[r, g, b]| format!("{base};2;{r};{g};{b}")));
    }
    format!("\u{1b}[{}m", codes.join(";"))
}

/// A cell's size in the picture, in pixels.
const CELL: (usize, usize) = (8, 16);

/// The screen as a picture: a rectangle for each run of one ground, a text for each run of one style.
pub(crate) fn svg(buffer: &Buffer) -> String {
    let (columns, lines) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (wide, high) = (columns * CELL.0, lines * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"DejaVu Sans Mono, monospace\" font-size=\"13.29\" xml:space=\"preserve\">\n\
         <rect width=\"{wide}\" height=\"{high}\" fill=\"{}\"/>\n",
        hex(GROUND)
    );
    for (y, row) in rows(buffer).enumerate() {
        let mut from = 0;
        while let Some(first) = row.get(from) {
            let style = style_of(first);
            let run: Vec<&Cell> = row.iter().skip(from).take_while(|cell| style_of(cell) == style).collect();
            let text: String = run.iter().map(|cell| cell.symbol()).collect();
            out.push_str(&run_svg(from, y, run.len(), &text, style));
            from += run.len();
        }
    }
    out.push_str("</svg>\n");
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

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn run_svg(from: usize, y: usize, cells: usize, text: &str, (ink, ground, bold, line): CellStyle) -> String {
    let (x, top, wide) = (from * CELL.0, y * CELL.1, cells * CELL.0);
    let mut out = String::new();
    if ground != GROUND {
        out = format!(
            "<rect x=\"{x}\" y=\"{top}\" width=\"{wide}\" height=\"{}\" fill=\"{}\"/>\n",
            CELL.1,
            hex(ground)
        );
    }
    let mut rest = text;
    let mut at = from;
    while let Some(first) = rest.chars().next() {
        let is_block = block(first).is_some();
        let same = |letter: &char| if is_block { *letter == first } else { block(*letter).is_none() };
        let piece: String = rest.chars().take_while(same).collect();
        let columns = piece.chars().count();
        match block(first) {
            Some(part) => out.push_str(&block_svg(at, y, columns, part, ink)),
            None if piece.trim().is_empty() => {}
            None => out.push_str(&text_svg(at, y, &piece, (ink, bold, line))),
        }
        (rest, at) = (rest.get(piece.len()..).unwrap_or_default(), at + columns);
    }
    out
}

/// A text at a column, as wide as its cells.
fn text_svg(from: usize, y: usize, text: &str, (ink, bold, line): ([u8; 3], bool, bool)) -> String {
    let (x, wide) = (from * CELL.0, text.chars().count() * CELL.0);
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let under = if line { " text-decoration=\"underline\"" } else { "" };
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<text x=\"{x}\" y=\"{}\" textLength=\"{wide}\" fill=\"{}\"{weight}{under}>{escaped}</text>\n",
        y * CELL.1 + CELL.1 - 4,
        hex(ink)
    )
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
    from: usize,
    y: usize,
    cells: usize,
    (part, dense): ([usize; 4], usize),
    ink: [u8; 3],
) -> String {
    let [left, top, right, bottom] = part;
    let opacity = if dense < 100 { format!(" fill-opacity=\"0.{dense}\"") } else { String::new() };
    let rect = |cell: usize, wide: usize| {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{wide}\" height=\"{}\" fill=\"{}\"{opacity}/>\n",
            cell * CELL.0 + left * CELL.0 / 8,
            y * CELL.1 + top * CELL.1 / 8,
            (bottom - top) * CELL.1 / 8,
            hex(ink)
        )
    };
    match right - left {
        8 => rect(from, cells * CELL.0),
        part => (from..from + cells).map(|cell| rect(cell, part * CELL.0 / 8)).collect(),
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
        assert_eq!(text(&screen()), "a<b\n  █\n");
        assert!(ansi(&screen()).contains("\u{1b}[0;1ma<b\u{1b}[0m"));
        let picture = svg(&screen());
        assert!(picture.contains(">a&lt;b</text>") && picture.contains("font-weight=\"bold\""), "{picture}");
        assert!(picture.contains("width=\"64\" height=\"32\""), "{picture}");
        assert!(picture.contains("x=\"16\" y=\"16\" width=\"8\" height=\"16\""), "{picture}");
    }

    #[test]
    fn a_table_becomes_csv_and_json() {
        let grid = Grid {
            titles: vec!["job".to_owned(), "why".to_owned()],
            rows: vec![vec!["1".to_owned(), "a, \"b\"".to_owned()]],
        };
        assert_eq!(csv(&grid), "job,why\r\n1,\"a, \"\"b\"\"\"\r\n");
        let json = as_json(&grid);
        assert!(json.contains("\"job\": \"1\"") && json.contains("a, \\\"b\\\""), "{json}");
    }
}

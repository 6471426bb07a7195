//! The screen as a picture: a rectangle per run of one background, a text per run of one style, block glyphs as shapes.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;

use super::rows;
use crate::theme::rgb_of;
use qscope_exits::Html;

/// The size of a cell in the picture, in pixels: width, height.
const CELL: (usize, usize) = (8, 16);

/// Returns the screen as SVG: a rectangle per run of one background, a text per run of one style.
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
            if style.background != base {
                let place = [from * CELL.0, y * CELL.1, run.len() * CELL.0, CELL.1];
                rect_svg(&mut out, place, style.background, 100);
            }
            run_svg(&mut out, (from, y), &text, style);
            from += run.len();
        }
    }
    out.raw("</svg>\n");
    out
}

const INK: Rgb = [0xd7, 0xdc, 0xe5];
const GROUND: Rgb = [0x10, 0x14, 0x1c];

/// A colour: red, green, blue.
type Rgb = [u8; 3];

/// How a cell looks in the picture.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    foreground: Rgb,
    background: Rgb,
    bold: bool,
    underlined: bool,
}

fn style_of(cell: &Cell) -> CellStyle {
    let ink = rgb_of(cell.fg).unwrap_or(INK);
    let ground = rgb_of(cell.bg).unwrap_or(GROUND);
    let (ink, ground) =
        if cell.modifier.contains(Modifier::REVERSED) { (ground, ink) } else { (ink, ground) };
    let bold = cell.modifier.contains(Modifier::BOLD);
    CellStyle {
        foreground: ink,
        background: ground,
        bold,
        underlined: cell.modifier.contains(Modifier::UNDERLINED),
    }
}

/// The most frequent background colour, which is that of the theme. Without it, dark gaps would show between the cells
/// of a light screen.
fn main_ground(buffer: &Buffer) -> Rgb {
    let mut counts: Vec<(Rgb, usize)> = Vec::new();
    for cell in rows(buffer).flatten() {
        let ground = style_of(cell).background;
        match counts.iter_mut().find(|(known, _)| *known == ground) {
            Some((_, count)) => *count += 1,
            None => counts.push((ground, 1)),
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(GROUND, |(ground, _)| ground)
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn run_svg(out: &mut Html, (from, y): (usize, usize), text: &str, style: CellStyle) {
    let mut rest = text;
    let mut at = from;
    while let Some(first) = rest.chars().next() {
        let is_block = block(first).is_some();
        let same = |letter: &char| if is_block { *letter == first } else { block(*letter).is_none() };
        let piece: String = rest.chars().take_while(same).collect();
        let columns = piece.chars().count();
        match block(first) {
            Some(part) => block_svg(out, (at, y), columns, part, style.foreground),
            None if piece.trim().is_empty() => {}
            None => text_svg(out, (at, y), &piece, style),
        }
        (rest, at) = (rest.get(piece.len()..).unwrap_or_default(), at + columns);
    }
}

/// Writes a rectangle: left, top, width, height in pixels, and its opacity in percent.
fn rect_svg(out: &mut Html, [x, y, wide, high]: [usize; 4], fill: Rgb, dense: usize) {
    out.put(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
        &[&x, &y, &wide, &high, &hex(fill)],
    );
    if dense < 100 {
        out.put(" fill-opacity=\"0.{}\"", &[&dense]);
    }
    out.raw("/>\n");
}

/// Writes a text at a cell, stretched to the width of its cells.
fn text_svg(out: &mut Html, (from, y): (usize, usize), text: &str, style: CellStyle) {
    out.put(
        "<text x=\"{}\" y=\"{}\" textLength=\"{}\" fill=\"{}\"",
        &[
            &(from * CELL.0),
            &(y * CELL.1 + CELL.1 - 4),
            &(text.chars().count() * CELL.0),
            &hex(style.foreground),
        ],
    );
    if style.bold {
        out.raw(" font-weight=\"bold\"");
    }
    if style.underlined {
        out.raw(" text-decoration=\"underline\"");
    }
    out.put(">{}</text>\n", &[&text]);
}

/// Returns the part of a cell that a block glyph fills (left, top, right and bottom edge in eighths) and its opacity
/// in percent. These are drawn as shapes, because fonts leave gaps between lines.
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

/// Draws equal block glyphs side by side, as one rectangle where they touch.
fn block_svg(
    out: &mut Html,
    (from, y): (usize, usize),
    cells: usize,
    (part, dense): ([usize; 4], usize),
    ink: Rgb,
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

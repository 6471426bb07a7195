//! The cells of a frame as runs of one style, and the text that draws them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use ratatui::buffer::Cell;
use ratatui::layout::Position;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use super::erasing::{EraseBackground, erased};
use super::pen::Pen;

/// Adjacent cells of a row that are written in one style.
#[derive(Debug)]
struct CellRun {
    at: Position,
    /// The place after it; `None` after characters whose width differs between terminals.
    end: Option<Position>,
    /// The range of its text in [`CellRuns`]' text.
    letters: Range<usize>,
    pen: Pen,
    /// Whether it is blank and shows no foreground colour.
    is_blank: bool,
}

/// The changes on the screen.
#[derive(Debug, Default)]
pub(super) struct CellRuns {
    letters: String,
    list: Vec<CellRun>,
}

/// Bytes that a terminal reads at once, so that a frame of this size appears as a whole. Longer ones are drawn row by
/// row, as they are read.
const AT_ONCE: usize = 4096;

impl CellRuns {
    /// Collects the cells, which come from left to right in each row.
    pub(super) fn new<'a>(cells: impl Iterator<Item = (u16, u16, &'a Cell)>) -> Self {
        let mut all = Self::default();
        for (x, y, cell) in cells {
            all.add(Position { x, y }, cell);
        }
        all
    }

    fn add(&mut self, at: Position, cell: &Cell) {
        let (symbol, pen) = (cell.symbol(), Pen::of(cell));
        let is_blank = symbol == " " && pen.hides_blanks();
        let from = self.letters.len();
        self.letters.push_str(symbol);
        let letters = from..self.letters.len();
        let end = (symbol.width() == 1).then(|| Position { x: at.x.saturating_add(1), y: at.y });
        match self.list.last_mut() {
            Some(last) if last.end == Some(at) && last.takes(pen, is_blank) => {
                if last.is_blank {
                    last.pen = pen;
                }
                last.is_blank &= is_blank;
                last.letters.end = letters.end;
                last.end = end;
            }
            _ => self.list.push(CellRun { at, end, letters, pen, is_blank }),
        }
    }

    /// Returns the text that draws them, in the shortest of three orders: as on the screen, grouped by style in each
    /// row, or grouped by style on the whole screen. Grouping needs more cursor moves and fewer changes of colour.
    pub(super) fn text(&self, erasing: EraseBackground) -> String {
        let by_place = self.escape_text(self.list.iter(), erasing);
        // A character drawn wider than expected covers its neighbour, unless that is written after it.
        if self.list.iter().any(|run| run.end.is_none()) {
            return by_place;
        }
        if self.letters.len() < AT_ONCE {
            let by_style = self.escape_text(self.by_style(|_| 0).into_iter(), erasing);
            if by_style.len() <= AT_ONCE {
                return shorter(by_style, by_place);
            }
        }
        shorter(self.escape_text(self.by_style(|at| at.y).into_iter(), erasing), by_place)
    }

    fn escape_text<'a>(
        &'a self,
        order: impl Iterator<Item = &'a CellRun>,
        erasing: EraseBackground,
    ) -> String {
        let mut text = String::with_capacity(2 * self.letters.len());
        let (mut pen, mut here) = (Pen::default(), None);
        for run in order {
            write_cursor_move(&mut text, here, run.at);
            pen.change_to(&mut text, run.written_after(pen));
            let letters = self.letters.get(run.letters.clone()).unwrap_or_default();
            let is_erasable = pen.hides_blanks() && erasing.paints(pen.bg);
            let left = if is_erasable { erased(&mut text, letters) } else { written(&mut text, letters) };
            here = run.end.map(|end| Position { x: end.x.saturating_sub(left), ..end });
        }
        pen.reset(&mut text);
        text
    }

    /// Sorts the runs by part of the screen, then by background, then by style.
    fn by_style(&self, part: impl Fn(Position) -> u16) -> Vec<&CellRun> {
        let (mut grounds, mut pens) = (HashMap::<Color, usize>::new(), HashMap::<Pen, usize>::new());
        let mut ranked: Vec<_> = self
            .list
            .iter()
            .map(|run| {
                let next = grounds.len();
                let ground = *grounds.entry(run.pen.bg).or_insert(next);
                // Blanks come last: they are written in whatever foreground is current on their background.
                let next = pens.len();
                let pen = if run.is_blank { usize::MAX } else { *pens.entry(run.pen).or_insert(next) };
                ((part(run.at), ground, pen), run)
            })
            .collect();
        // Stable: within a style they keep the order of the screen.
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, run)| run).collect()
    }
}

impl CellRun {
    /// Whether a cell can be written as part of it.
    fn takes(&self, pen: Pen, is_blank: bool) -> bool {
        let one_ground = self.pen.bg == pen.bg && self.pen.hides_blanks() && pen.hides_blanks();
        self.pen == pen || one_ground && (self.is_blank || is_blank)
    }

    /// The style it is written in after another one: blanks keep the current foreground colour.
    fn written_after(&self, before: Pen) -> Pen {
        if self.is_blank && before.hides_blanks() { Pen { bg: self.pen.bg, ..before } } else { self.pen }
    }
}

fn written(text: &mut String, letters: &str) -> u16 {
    text.push_str(letters);
    0
}

fn shorter(one: String, other: String) -> String {
    if one.len() < other.len() { one } else { other }
}

/// Moves the cursor, from the place after the last output if that is known.
fn write_cursor_move(text: &mut String, from: Option<Position>, to: Position) {
    // Writing to a string cannot fail.
    let _ = match from {
        Some(from) if from == to => Ok(()),
        Some(from) if from.y == to.y && from.x.checked_add(1) == Some(to.x) => text.write_str("\x1b[C"),
        Some(from) if from.y == to.y && from.x < to.x => write!(text, "\x1b[{}C", to.x - from.x),
        Some(from) if from.y == to.y => write!(text, "\x1b[{}G", to.x.saturating_add(1)),
        _ if to.x == 0 => write!(text, "\x1b[{}H", to.y.saturating_add(1)),
        _ => write!(text, "\x1b[{};{}H", to.y.saturating_add(1), to.x.saturating_add(1)),
    };
}

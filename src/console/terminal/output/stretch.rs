//! The cells of a frame as stretches of one style, and the text that draws them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use ratatui::buffer::Cell;
use ratatui::layout::Position;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use super::pen::Pen;

/// Cells in a row, one behind the other, that are written with one style.
#[derive(Debug)]
struct Stretch {
    at: Position,
    /// The place behind it; unknown behind signs of which terminals disagree how wide they are.
    end: Option<Position>,
    /// Its letters among those of all.
    letters: Range<usize>,
    pen: Pen,
    /// Whether it is blank and no colour of letters shows in it.
    is_blank: bool,
}

/// What changes on the screen.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    letters: String,
    list: Vec<Stretch>,
}

impl Stretches {
    /// The cells, from left to right in each row.
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
            _ => self.list.push(Stretch { at, end, letters, pen, is_blank }),
        }
    }

    /// The text that draws them, in the shorter of two orders: as they stand on the screen, or all of one style together,
    /// which takes more moves of the cursor and fewer changes of colour.
    pub(super) fn text(&self) -> String {
        let by_place = self.drawn(self.list.iter());
        let by_style = self.drawn(self.by_style().into_iter());
        if by_style.len() < by_place.len() { by_style } else { by_place }
    }

    fn drawn<'a>(&'a self, order: impl Iterator<Item = &'a Stretch>) -> String {
        let (mut text, mut pen, mut here) = (String::new(), Pen::default(), None);
        for stretch in order {
            go(&mut text, here, stretch.at);
            pen.turn(&mut text, stretch.written_after(pen));
            text.push_str(self.letters.get(stretch.letters.clone()).unwrap_or_default());
            here = stretch.end;
        }
        pen.put_down(&mut text);
        text
    }

    /// Those with the same background one after the other, and of these those with the same letters.
    fn by_style(&self) -> Vec<&Stretch> {
        let (mut grounds, mut pens) = (HashMap::<Color, usize>::new(), HashMap::<Pen, usize>::new());
        let mut ranked: Vec<_> = self
            .list
            .iter()
            .map(|stretch| {
                let next = grounds.len();
                let ground = *grounds.entry(stretch.pen.bg).or_insert(next);
                // Blanks come last: with whatever was written on their background before.
                let next = pens.len();
                let pen =
                    if stretch.is_blank { usize::MAX } else { *pens.entry(stretch.pen).or_insert(next) };
                ((ground, pen), stretch)
            })
            .collect();
        // Stable: within a style they stay in the order of the screen.
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, stretch)| stretch).collect()
    }
}

impl Stretch {
    /// Whether a cell can be written with it.
    fn takes(&self, pen: Pen, is_blank: bool) -> bool {
        let one_ground = self.pen.bg == pen.bg && self.pen.hides_blanks() && pen.hides_blanks();
        self.pen == pen || one_ground && (self.is_blank || is_blank)
    }

    /// The style it is written with after something else: blanks leave the colour of letters as it is.
    fn written_after(&self, before: Pen) -> Pen {
        if self.is_blank && before.hides_blanks() { Pen { bg: self.pen.bg, ..before } } else { self.pen }
    }
}

/// The way of the cursor from the place behind what was written last, where that is known.
fn go(text: &mut String, from: Option<Position>, to: Position) {
    // To a string nothing fails to be written.
    let _ = match from {
        Some(from) if from == to => Ok(()),
        Some(from) if from.y == to.y && from.x.checked_add(1) == Some(to.x) => text.write_str("\x1b[C"),
        Some(from) if from.y == to.y && from.x < to.x => write!(text, "\x1b[{}C", to.x - from.x),
        Some(from) if from.y == to.y => write!(text, "\x1b[{}G", to.x.saturating_add(1)),
        _ if to.x == 0 => write!(text, "\x1b[{}H", to.y.saturating_add(1)),
        _ => write!(text, "\x1b[{};{}H", to.y.saturating_add(1), to.x.saturating_add(1)),
    };
}

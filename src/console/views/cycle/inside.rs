//! Inside a decision: the way in as a line of names, the lines of this level, and what the one under the cursor says.
//!
//! ```text
//! ┏ 12 > sets > switch=sw2 > part 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 2/5 ┓
//! ┃      bucket                  fits nodes  free later  busy  left taken soon┃
//! ┃  ✓  ncpus=8:mem=16gb           x1    16     9     3     4    12     4    0┃
//! ┃▸    ncpus=8:mem=8gb            x1    16     9     3     4    12     -    -┃
//! ┃ not asked: the part had all it wants                                      ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::descent::{Depth, Descent};
use super::draw::Drawing;
use crate::layout::{Pane, cut_rows, inside};
use crate::story::{Paragraph, Piece, Story};
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::widgets::text::width;
use crate::wording;

use super::decision::styled;

struct LevelRows<'a> {
    depth: &'a Depth,
    /// Names without what all of them have in common, where there are numbers to make room for.
    names: Vec<String>,
}

impl<'a> LevelRows<'a> {
    fn of(depth: &'a Depth) -> Self {
        let names: Vec<String> = depth.level.frames.iter().map(|frame| frame.label.clone()).collect();
        let names = if has_table(depth) { wording::without_common(&names).1 } else { names };
        Self { depth, names }
    }
}

/// Whether there are so many numbers that words have no place beside them.
fn has_table(depth: &Depth) -> bool {
    depth.level.heads.len() > 2
}

impl Rows for LevelRows<'_> {
    fn len(&self) -> usize {
        self.depth.level.frames.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(frame) = self.depth.level.frames.get(row) else { return Cell::new("") };
        let numbers = self.depth.level.heads.len();
        match column {
            0 => match frame.passed {
                Some(true) => Cell::signed(Role::VerdictRun, ""),
                Some(false) => Cell::signed(Role::VerdictNever, ""),
                None => Cell::new(""),
            },
            1 => Cell::new(self.names.get(row).map_or("", |name| &**name)),
            at if at < numbers + 2 => {
                let number = frame.numbers.get(at - 2).map_or("", |number| &**number);
                let role = if matches!(number, "0" | "-" | "no") { Role::TextDim } else { Role::Text };
                Cell::of(role, number)
            }
            _ => Cell::of(Role::TextDim, &*frame.text),
        }
    }
}

/// The columns of a level: a sign, the name, its numbers, and the words where numbers leave room for them.
fn columns(depth: &Depth, names: &[String], room: u16) -> Vec<Column> {
    let heads = depth.level.heads;
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let longest = u16::try_from(longest).unwrap_or(u16::MAX);
    let most = if has_table(depth) { room } else { room / 2 };
    let name = match has_table(depth) {
        true => Width::Fill(12),
        false => Width::Between(12, longest.clamp(12, most.max(12))),
    };
    let title = if has_table(depth) { "bucket" } else { "what" };
    let mut columns = vec![Column::words("", Width::Fixed(1), 100), Column::words(title, name, 100)];
    let wide = if has_table(depth) { 5 } else { 6 };
    let number = |title: &&'static str| Column::numbers(title, wide, 90);
    columns.extend(heads.iter().map(number));
    if !has_table(depth) {
        let title = "what was compared, and what came of it";
        columns.push(Column::words(title, Width::Fill(12), 50));
    }
    columns
}

/// The lines of the table, and those of what the line under the cursor says.
pub(crate) fn parts(pane: Rect) -> (Rect, Rect) {
    let inner = inside(pane);
    let words = (inner.height / 4).clamp(1, 6);
    cut_rows(inner, inner.height.saturating_sub(words))
}

/// Draws the level.
pub(super) fn draw(drawing: Drawing<'_>, descent: &Descent, area: Rect, buf: &mut Buffer) {
    let focused = drawing.has_focus(Pane::Detail);
    let title = descent.titles().collect::<Vec<_>>().join(" > ");
    let Some(depth) = descent.depth() else { return };
    let note = match descent.is_waiting() {
        true => "working".to_owned(),
        false => depth.table.position(depth.level.frames.len()),
    };
    frame::pane(area, buf, drawing.theme, &title, &note, focused);
    let (table, words) = parts(area);
    let rows = LevelRows::of(depth);
    let columns = columns(depth, &rows.names, table.width);
    Table { columns: &columns, rows: &rows, state: depth.table, theme: drawing.theme, focused }
        .render(table, buf);
    if let Some(frame) = depth.frame() {
        text(&frame.text, words, buf, drawing.theme);
    }
}

fn text(words: &str, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let mut story = Story::new(vec![Paragraph::Words { hang: 0, pieces: vec![Piece::plain(words)] }]);
    story.fit(usize::from(area.width.saturating_sub(2)));
    for (line, at) in story.lines().iter().zip(area.rows()) {
        styled(line, theme).render(Rect { x: at.x + 1, width: at.width.saturating_sub(2), ..at }, buf);
    }
}

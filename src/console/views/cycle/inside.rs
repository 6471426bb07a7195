//! Inside a decision: the way in as a line of names, the lines of this level, and the text of the one under the cursor.
//!
//! ```text
//! ┏ 12 › sets › switch=sw2 › part 1 ━━━━━━━━━━━━━━━━━━━━━━━━━━━ level 4 · 2/5 ┓
//! ┃      bucket                  fits nodes  free later  busy  left taken soon┃
//! ┃  ✓  ncpus=8:mem=16gb           x1    16     9     3     4    12     4    0┃
//! ┃▸    ncpus=8:mem=8gb            x1    16     9     3     4    12     -    -┃
//! ┃ not reached: the chunks had all their nodes                                ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::descent::{Depth, Descent};
use super::draw::Drawing;
use crate::layout::{Pane, cells, cut_rows, inside};
use crate::story::{Piece, Story};
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Table, Width};
use crate::widgets::text::width;
use crate::wording;
use qscope_explain::decision::Frame;

/// Whether there are so many numbers that words have no place beside them.
fn has_table(depth: &Depth) -> bool {
    depth.level.heads.len() > 2
}

/// A line of a level, and its name.
struct LevelRow<'a> {
    frame: &'a Frame,
    /// Without what all names have in common, where there are numbers to make room for.
    name: String,
}

fn rows(depth: &Depth) -> Vec<LevelRow<'_>> {
    let frames = &depth.level.frames;
    let names: Vec<String> = frames.iter().map(|frame| frame.label.clone()).collect();
    let names = if has_table(depth) { wording::without_common(&names).1 } else { names };
    frames.iter().zip(names).map(|(frame, name)| LevelRow { frame, name }).collect()
}

impl LevelRow<'_> {
    fn sign(&self) -> Cell<'_> {
        match self.frame.passed {
            Some(true) => Cell::signed(Role::VerdictRun, ""),
            Some(false) => Cell::signed(Role::VerdictNever, ""),
            None => Cell::new(""),
        }
    }

    /// A number; lines without a table of their own have none.
    fn number(&self, at: usize) -> Cell<'_> {
        let number = self.frame.numbers.get(at).map_or("", |number| &**number);
        let role = if matches!(number, "0" | "-" | "no") { Role::TextDim } else { Role::Text };
        Cell::of(role, number)
    }
}

type LevelColumn<'a> = Column<'a, LevelRow<'a>>;

/// The columns of a level: a sign, the name, its numbers, and the words where numbers leave room for them.
fn columns<'a>(depth: &Depth, rows: &[LevelRow<'_>], room: u16) -> Vec<LevelColumn<'a>> {
    let longest = cells(rows.iter().map(|row| width(&row.name)).max().unwrap_or(0));
    let (title, name, wide) = match has_table(depth) {
        true => ("bucket", Width::Fill(12), 5),
        false => ("what", Width::Between(12, longest.clamp(12, (room / 2).max(12))), 6),
    };
    let mut columns = vec![
        LevelColumn::words("", Width::Fixed(1), 100, |row| row.sign()),
        LevelColumn::words(title, name, 100, |row| Cell::new(&*row.name)),
    ];
    for (at, head) in depth.level.heads.iter().enumerate() {
        columns.push(LevelColumn::numbers(*head, wide, 90, move |row| row.number(at)));
    }
    if !has_table(depth) {
        let title = "what was compared, and the result";
        columns.push(LevelColumn::words(title, Width::Fill(12), 50, |row| {
            Cell::of(Role::TextDim, &*row.frame.text)
        }));
    }
    columns
}

/// The lines of the table, and those of the text of the one under the cursor.
pub(super) fn parts(pane: Rect) -> (Rect, Rect) {
    let inner = inside(pane);
    let words = (inner.height / 4).clamp(1, 6);
    cut_rows(inner, inner.height.saturating_sub(words))
}

/// The way in, its middle left out where it is too long.
fn breadcrumb(parts: &[String], room: usize, theme: &Theme) -> String {
    let between = theme.by_set(" › ", " > ");
    let whole = parts.join(between);
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return whole };
    if width(&whole) <= room || parts.len() < 3 {
        return whole;
    }
    // As much of the end as there is room for.
    let kept = (1..parts.len() - 1)
        .map(|from| parts.iter().skip(from + 1).cloned().collect::<Vec<_>>().join(between));
    let mut short = kept.map(|end| [first, theme.ellipsis(), &end].join(between));
    short.find(|text| width(text) <= room).unwrap_or_else(|| [first, theme.ellipsis(), last].join(between))
}

/// Draws the level.
pub(super) fn draw(drawing: Drawing<'_>, descent: &Descent, area: Rect, buf: &mut Buffer) {
    let focused = drawing.has_focus(Pane::Detail);
    let Some(depth) = descent.depth() else { return };
    let note = match descent.is_waiting() {
        true => "working".to_owned(),
        false => {
            let at = depth.table.position(depth.level.frames.len());
            format!("level {}{}{at}", descent.depths.len(), drawing.theme.dot())
        }
    };
    let way: Vec<String> = descent.titles().map(str::to_owned).collect();
    let room = usize::from(area.width).saturating_sub(width(&note) + 8);
    let title = breadcrumb(&way, room, drawing.theme);
    frame::pane(area, buf, drawing.theme, &title, &note, focused);
    let (table, words) = parts(area);
    let rows = rows(depth);
    let columns = columns(depth, &rows, table.width);
    Table { focused, ..Table::new(&columns, &rows, depth.table, drawing.theme) }.render(table, buf);
    if let Some(frame) = depth.frame() {
        let words = Rect { x: words.x + 1, width: words.width.saturating_sub(2), ..words };
        Story::plain([Piece::plain(&frame.text)]).render(words, buf, drawing.theme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{Depth as Colours, GlyphSet, ThemeOptions};

    /// Console.md 4, breadcrumb: too long, its middle is left out.
    #[test]
    fn the_way_in_keeps_its_ends() {
        let theme_options = ThemeOptions { depth: Colours::None, glyphs: GlyphSet::Unicode };
        let theme = Theme::built_in("mono", theme_options).0;
        let parts = ["60", "placement", "chunk 1", "ncpus=32"].map(str::to_owned);
        assert_eq!(breadcrumb(&parts, 60, &theme), "60 › placement › chunk 1 › ncpus=32");
        assert_eq!(breadcrumb(&parts, 30, &theme), "60 › … › chunk 1 › ncpus=32");
        assert_eq!(breadcrumb(&parts, 20, &theme), "60 › … › ncpus=32");
        assert_eq!(breadcrumb(&parts[..1], 2, &theme), "60");
    }
}

//! The one table: of jobs, nodes, sets, events. Rows are asked for by number and only when they are on the screen,
//! so a hundred thousand of them cost what twenty cost.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::text::{Align, clean, fit};
use crate::action::Action;
use crate::theme::{Role, Theme};

/// How wide a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// Always so wide.
    Fixed(u16),
    /// At least the first, at most the second.
    Between(u16, u16),
    /// At least so wide, and a share of what the others leave.
    Fill(u16),
}

impl Width {
    fn least(self) -> u16 {
        match self {
            Self::Fixed(n) | Self::Between(n, _) | Self::Fill(n) => n,
        }
    }
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: &'static str,
    /// How wide it is.
    pub width: Width,
    /// Words left, numbers right.
    pub align: Align,
    /// How long it stays when there is little room: the lowest goes first.
    pub keep: u8,
}

impl Column {
    /// A column of words.
    pub const fn words(title: &'static str, width: Width, keep: u8) -> Self {
        Self { title, width, align: Align::Left, keep }
    }

    /// A column of numbers, so many cells wide.
    pub const fn numbers(title: &'static str, width: u16, keep: u8) -> Self {
        Self { title, width: Width::Fixed(width), align: Align::Right, keep }
    }
}

/// What stands in a row and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The text; control characters in it are shown, not sent.
    pub text: Cow<'a, str>,
    /// How it looks; its sign, if it has one, stands before the text when `signed`.
    pub role: Role,
    /// Whether the role's sign is shown.
    pub signed: bool,
}

impl<'a> Cell<'a> {
    /// Plain text.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role: Role::Text, signed: false }
    }

    /// Text in a role.
    pub fn of(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: false }
    }

    /// Text in a role, after the role's sign.
    pub fn signed(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: true }
    }
}

/// Where the rows come from.
pub trait Rows {
    /// How many there are.
    fn len(&self) -> usize;

    /// One cell; asked for visible rows only. `column` counts as in the list of columns.
    fn cell(&self, row: usize, column: usize) -> Cell<'_>;

    /// A row that is no row of cells but a heading over those that follow.
    fn heading(&self, row: usize) -> Option<Cow<'_, str>> {
        let _ = row;
        None
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which row is under the cursor, and which is the first on the screen. It outlives the rows: after a refresh the
/// owner sets `selected` to where the same job is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableState {
    /// The row under the cursor.
    pub selected: usize,
    /// The first row on the screen, unless the cursor forces another.
    pub offset: usize,
}

impl TableState {
    /// Moves the cursor, with `height` rows on the screen; whether something changed. Other actions do nothing.
    pub fn go(&mut self, action: Action, len: usize, height: usize) -> bool {
        let before = *self;
        let (last, page) = (len.saturating_sub(1), height.saturating_sub(1).max(1));
        let to = match action {
            Action::Up => self.selected.saturating_sub(1),
            Action::Down => self.selected + 1,
            Action::PageUp => self.selected.saturating_sub(page),
            Action::PageDown => self.selected + page,
            Action::Home => 0,
            Action::End => last,
            _ => return false,
        };
        self.select(to.min(last), len, height);
        *self != before
    }

    /// Puts the cursor on a row and scrolls just as far as needed from what is on the screen.
    pub fn select(&mut self, row: usize, len: usize, height: usize) {
        self.offset = self.window(len, height).start;
        self.selected = row.min(len.saturating_sub(1));
        self.offset = self.window(len, height).start;
    }

    /// The rows on the screen, the one under the cursor always among them.
    pub fn window(&self, len: usize, height: usize) -> Range<usize> {
        if height == 0 || len == 0 {
            return 0..0;
        }
        let selected = self.selected.min(len - 1);
        let start = self
            .offset
            .clamp((selected + 1).saturating_sub(height), selected)
            .min(len.saturating_sub(height));
        start..(start + height).min(len)
    }

    /// `57/301`, for the pane's title.
    pub fn position(&self, len: usize) -> String {
        format!("{}/{len}", (self.selected + 1).min(len))
    }
}

/// A table, ready to draw.
#[derive(Debug)]
pub struct Table<'a, R> {
    /// The columns.
    pub columns: &'a [Column],
    /// The rows.
    pub rows: &'a R,
    /// Cursor and scroll.
    pub state: TableState,
    /// How it looks.
    pub theme: &'a Theme,
    /// Whether it has the focus.
    pub focused: bool,
}

/// The mark of the row under the cursor and a gap, before the first column.
const MARGIN: u16 = 2;
const GAP: u16 = 1;

impl<R: Rows> Table<'_, R> {
    /// How many rows fit below the headings.
    pub fn height(area: Rect) -> usize {
        usize::from(area.height.saturating_sub(1))
    }

    /// The row under a click.
    pub fn row_at(state: TableState, len: usize, area: Rect, y: u16) -> Option<usize> {
        let line = usize::from(y.checked_sub(area.y + 1)?);
        let window = state.window(len, Self::height(area));
        (line < window.len()).then(|| window.start + line)
    }

    fn line(&self, at: Rect, buf: &mut Buffer, row: usize, widths: &[(usize, u16)]) {
        let selected = row == self.state.selected.min(self.rows.len().saturating_sub(1));
        let over = match (selected, self.focused) {
            (false, _) => Style::new(),
            (true, true) => self.theme.style(Role::Cursor),
            (true, false) => self.theme.style(Role::CursorOther),
        };
        if selected {
            buf.set_stringn(at.x, at.y, self.theme.glyph(Role::Cursor), usize::from(at.width), Style::new());
        }
        if let Some(heading) = self.rows.heading(row) {
            let room = usize::from(at.width.saturating_sub(MARGIN));
            let text = fit(&clean(&heading), room, Align::Left, self.theme.ellipsis());
            buf.set_stringn(at.x.saturating_add(MARGIN), at.y, text, room, self.theme.style(Role::Heading));
            return;
        }
        for ((column, width), x) in widths.iter().zip(starts(at, widths)) {
            let Some(shape) = self.columns.get(*column) else { continue };
            let cell = self.rows.cell(row, *column);
            let text = fit(&self.shown(&cell), usize::from(*width), shape.align, self.theme.ellipsis());
            buf.set_stringn(x, at.y, text, usize::from(*width), self.theme.style(cell.role));
        }
        buf.set_style(at, over);
    }

    fn shown<'c>(&self, cell: &'c Cell<'_>) -> Cow<'c, str> {
        let text = clean(&cell.text);
        match self.theme.glyph(cell.role) {
            sign if cell.signed && text.is_empty() => Cow::Owned(sign.to_owned()),
            sign if cell.signed && !sign.is_empty() => Cow::Owned(format!("{sign} {text}")),
            _ => text,
        }
    }

    fn titles(&self, area: Rect, buf: &mut Buffer, widths: &[(usize, u16)]) {
        for ((column, width), x) in widths.iter().zip(starts(area, widths)) {
            let Some(shape) = self.columns.get(*column) else { continue };
            let text = fit(shape.title, usize::from(*width), shape.align, self.theme.ellipsis());
            buf.set_stringn(x, area.y, text, usize::from(*width), self.theme.style(Role::Heading));
        }
    }
}

impl<R: Rows> Widget for &Table<'_, R> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        buf.set_style(area, self.theme.style(Role::Text));
        let widths = widths(self.columns, area.width);
        self.titles(area, buf, &widths);
        let window = self.state.window(self.rows.len(), Table::<R>::height(area));
        for (row, at) in window.zip(area.rows().skip(1)) {
            self.line(at, buf, row, &widths);
        }
    }
}

fn starts(area: Rect, widths: &[(usize, u16)]) -> impl Iterator<Item = u16> {
    widths.iter().scan(area.x.saturating_add(MARGIN), |x, (_, width)| {
        let start = *x;
        *x = x.saturating_add(width + GAP);
        Some(start)
    })
}

/// How wide each column is in a table so wide; 0 for those that are left out.
pub fn column_widths(columns: &[Column], total: u16) -> Vec<usize> {
    let mut all = vec![0; columns.len()];
    for (at, width) in widths(columns, total) {
        if let Some(slot) = all.get_mut(at) {
            *slot = usize::from(width);
        }
    }
    all
}

/// Which columns fit, and how wide each is.
fn widths(columns: &[Column], total: u16) -> Vec<(usize, u16)> {
    let room = total.saturating_sub(MARGIN);
    let mut kept: Vec<(usize, &Column)> = columns.iter().enumerate().collect();
    while needed(&kept) > room && kept.len() > 1 {
        let least = kept.iter().map(|(_, column)| column.keep).min();
        let Some(at) = kept.iter().rposition(|(_, column)| Some(column.keep) == least) else { break };
        kept.remove(at);
    }
    let mut spare = room.saturating_sub(needed(&kept));
    let mut widths: Vec<(usize, u16)> =
        kept.iter().map(|(at, column)| (*at, column.width.least().min(room))).collect();
    for ((_, width), (_, column)) in widths.iter_mut().zip(&kept) {
        if let Width::Between(least, most) = column.width {
            let more = most.saturating_sub(least).min(spare);
            *width += more;
            spare -= more;
        }
    }
    let mut fills = kept.iter().filter(|(_, column)| matches!(column.width, Width::Fill(_))).count();
    for ((_, width), (_, column)) in widths.iter_mut().zip(&kept) {
        if let (Width::Fill(_), Ok(shares)) = (column.width, u16::try_from(fills)) {
            let share = spare / shares.max(1);
            *width += share;
            spare -= share;
            fills -= 1;
        }
    }
    widths
}

fn needed(kept: &[(usize, &Column)]) -> u16 {
    kept.iter().map(|(_, column)| column.width.least() + GAP).sum::<u16>().saturating_sub(GAP)
}

#[cfg(test)]
mod tests;

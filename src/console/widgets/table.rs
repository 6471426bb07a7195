//! The one table: of jobs, nodes, sets, events. Cells are made only of rows that are on the screen, so a hundred
//! thousand rows cost what twenty cost.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::text::{Align, clean, fit};
use crate::action::Action;
use crate::theme::{Role, Theme};

/// How wide a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
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

/// A column: its shape, and what it shows of a row.
pub(crate) struct Column<'a, T> {
    /// Its heading.
    pub title: Cow<'static, str>,
    /// How wide it is.
    pub width: Width,
    /// Words left, numbers right.
    pub align: Align,
    /// How long it stays when there is little room: the lowest goes first.
    pub keep: u8,
    cell: Box<dyn Fn(&'a T) -> Cell<'a> + 'a>,
}

impl<'a, T> Column<'a, T> {
    /// A column of words.
    pub(crate) fn words(
        title: impl Into<Cow<'static, str>>,
        width: Width,
        keep: u8,
        cell: impl Fn(&'a T) -> Cell<'a> + 'a,
    ) -> Self {
        Self { title: title.into(), width, align: Align::Left, keep, cell: Box::new(cell) }
    }

    /// The same with its cells at the right.
    #[must_use]
    pub(crate) fn at_right(self) -> Self {
        Self { align: Align::Right, ..self }
    }

    /// A column of numbers, so many cells wide.
    pub(crate) fn numbers(
        title: impl Into<Cow<'static, str>>,
        width: u16,
        keep: u8,
        cell: impl Fn(&'a T) -> Cell<'a> + 'a,
    ) -> Self {
        Self::words(title, Width::Fixed(width), keep, cell).at_right()
    }
}

impl<T> fmt::Debug for Column<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column")
            .field("title", &self.title)
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}

/// What stands in a row and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    /// The text; control characters in it are shown, not sent.
    pub text: Cow<'a, str>,
    /// How it looks; its sign, if it has one, stands before the text when `signed`.
    pub role: Role,
    /// Whether the role's sign is shown.
    pub signed: bool,
}

impl<'a> Cell<'a> {
    /// Plain text.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role: Role::Text, signed: false }
    }

    /// Text in a role.
    pub(crate) fn of(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: false }
    }

    /// Text in a role, after the role's sign.
    pub(crate) fn signed(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: true }
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

    /// The row under a click.
    pub fn row_at(&self, len: usize, area: Rect, y: u16) -> Option<usize> {
        let line = usize::from(y.checked_sub(area.y + 1)?);
        let window = self.window(len, height(area));
        (line < window.len()).then(|| window.start + line)
    }

    /// Puts the cursor on the row under a click; whether something changed.
    pub fn click(&mut self, len: usize, area: Rect, y: u16) -> bool {
        let before = *self;
        if let Some(row) = self.row_at(len, area, y) {
            self.select(row, len, height(area));
        }
        *self != before
    }

    /// `57/301`, for the pane's title.
    pub fn position(&self, len: usize) -> String {
        format!("{}/{len}", (self.selected + 1).min(len))
    }
}

/// How many rows fit below the headings.
pub(crate) fn height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(1))
}

/// A table, ready to draw.
pub(crate) struct Table<'t, 'a, T> {
    pub columns: &'t [Column<'a, T>],
    /// All rows; cells are made for those on the screen only.
    pub rows: &'a [T],
    /// The text of a row that is a heading over those that follow, and has no cells.
    pub heading: &'t dyn Fn(&'a T) -> Option<Cow<'a, str>>,
    /// Cursor and scroll.
    pub state: TableState,
    /// How it looks.
    pub theme: &'t Theme,
    /// Whether it has the focus.
    pub focused: bool,
}

/// The mark of the row under the cursor and a gap, before the first column.
const MARGIN: u16 = 2;
const GAP: u16 = 1;

/// A column on the screen, and how wide it is there.
type Placed<'t, 'a, T> = (&'t Column<'a, T>, u16);

impl<'t, 'a, T> Table<'t, 'a, T> {
    /// A table in which every row has cells.
    pub(crate) fn new(
        columns: &'t [Column<'a, T>],
        rows: &'a [T],
        state: TableState,
        theme: &'t Theme,
    ) -> Self {
        Self { columns, rows, heading: &|_| None, state, theme, focused: true }
    }

    /// Draws it.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        buf.set_style(area, self.theme.style(Role::Text));
        let placed = place(self.columns, area.width);
        self.titles(area, buf, &placed);
        let window = self.state.window(self.rows.len(), height(area));
        let selected = self.state.selected.min(self.rows.len().saturating_sub(1));
        let rows = self.rows.iter().enumerate().skip(window.start).take(window.len());
        for ((at, row), place) in rows.zip(area.rows().skip(1)) {
            self.line(place, buf, row, at == selected, &placed);
        }
    }

    fn line(&self, at: Rect, buf: &mut Buffer, row: &'a T, selected: bool, placed: &[Placed<'_, 'a, T>]) {
        if selected {
            buf.set_stringn(at.x, at.y, self.theme.glyph(Role::Cursor), usize::from(at.width), Style::new());
        }
        if let Some(heading) = (self.heading)(row) {
            let room = usize::from(at.width.saturating_sub(MARGIN));
            let text = fit(&clean(&heading), room, Align::Left, self.theme.ellipsis());
            buf.set_stringn(at.x.saturating_add(MARGIN), at.y, text, room, self.theme.style(Role::Heading));
            return;
        }
        for ((column, width), x) in placed.iter().zip(starts(at, placed)) {
            let cell = (column.cell)(row);
            let text = fit(&self.shown(&cell), usize::from(*width), column.align, self.theme.ellipsis());
            buf.set_stringn(x, at.y, text, usize::from(*width), self.theme.style(cell.role));
        }
        if selected {
            let role = if self.focused { Role::Cursor } else { Role::CursorOther };
            buf.set_style(at, self.theme.style(role));
        }
    }

    fn shown<'c>(&self, cell: &'c Cell<'_>) -> Cow<'c, str> {
        let text = clean(&cell.text);
        match self.theme.glyph(cell.role) {
            sign if cell.signed && text.is_empty() => Cow::Owned(sign.to_owned()),
            sign if cell.signed && !sign.is_empty() => Cow::Owned(format!("{sign} {text}")),
            _ => text,
        }
    }

    fn titles(&self, area: Rect, buf: &mut Buffer, placed: &[Placed<'_, 'a, T>]) {
        for ((column, width), x) in placed.iter().zip(starts(area, placed)) {
            let text = fit(&column.title, usize::from(*width), column.align, self.theme.ellipsis());
            buf.set_stringn(x, area.y, text, usize::from(*width), self.theme.style(Role::Heading));
        }
    }
}

fn starts<T>(area: Rect, placed: &[Placed<'_, '_, T>]) -> impl Iterator<Item = u16> {
    placed.iter().scan(area.x.saturating_add(MARGIN), |x, (_, width)| {
        let start = *x;
        *x = x.saturating_add(width + GAP);
        Some(start)
    })
}

/// How wide the column of that title is in a table so wide; 0 when it is left out.
pub(crate) fn width_of<T>(columns: &[Column<'_, T>], title: &str, total: u16) -> usize {
    let placed = place(columns, total);
    placed.iter().find(|(column, _)| column.title == title).map_or(0, |(_, width)| usize::from(*width))
}

/// Which columns fit, and how wide each is.
fn place<'t, 'a, T>(columns: &'t [Column<'a, T>], total: u16) -> Vec<Placed<'t, 'a, T>> {
    let room = total.saturating_sub(MARGIN);
    let mut kept: Vec<&Column<'a, T>> = columns.iter().collect();
    while needed(&kept) > room && kept.len() > 1 {
        let least = kept.iter().map(|column| column.keep).min();
        let Some(at) = kept.iter().rposition(|column| Some(column.keep) == least) else { break };
        kept.remove(at);
    }
    let mut spare = room.saturating_sub(needed(&kept));
    let mut fills = kept.iter().filter(|column| matches!(column.width, Width::Fill(_))).count();
    let mut placed: Vec<Placed<'t, 'a, T>> =
        kept.into_iter().map(|column| (column, column.width.least().min(room))).collect();
    for (column, width) in &mut placed {
        if let Width::Between(least, most) = column.width {
            let more = most.saturating_sub(least).min(spare);
            *width += more;
            spare -= more;
        }
    }
    for (column, width) in &mut placed {
        if let (Width::Fill(_), Ok(shares)) = (column.width, u16::try_from(fills)) {
            let share = spare / shares.max(1);
            *width += share;
            spare -= share;
            fills -= 1;
        }
    }
    placed
}

fn needed<T>(kept: &[&Column<'_, T>]) -> u16 {
    kept.iter().map(|column| column.width.least() + GAP).sum::<u16>().saturating_sub(GAP)
}

#[cfg(test)]
mod tests;

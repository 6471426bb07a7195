//! The table of jobs, nodes, sets, events. Cells are only made for visible rows, so a hundred thousand rows cost as
//! much as twenty.

mod column;
mod layout;
mod order;
mod state;

use crate::layout::cells;
use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

pub(crate) use column::{Cell, ColumnPart, TableColumn, Width, as_value, number, number_or_text};
pub(crate) use layout::width_of;
pub(crate) use order::{Sort, SortKey, sorted_indices};
pub(crate) use state::{TableState, paged};

use layout::{GAP, MARGIN, PlacedColumn, place, starts, with_blank_cells};

use super::cell_text::{put, put_sign};
use super::text::{Align, clean, fit, in_set, width as columns_of};
use crate::theme::{GlyphSet, Role, Theme};

/// Number of rows that fit below the headings.
pub(crate) fn height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(1))
}

/// The inputs for drawing a table.
pub(crate) struct Table<'t, 'a, T> {
    pub columns: &'t [TableColumn<'a, T>],
    /// All rows; cells are only made for the visible ones.
    pub rows: &'a [T],
    /// The text of a row that is a heading, and has no cells.
    pub heading: &'t dyn Fn(&'a T) -> Option<Cow<'a, str>>,
    /// The mark before the first column of a row.
    pub mark: &'t dyn Fn(&'a T) -> Option<Cell<'a>>,
    /// Cursor and scroll position.
    pub state: TableState,
    pub theme: &'t Theme,
    /// Whether the table has the focus.
    pub focused: bool,
    /// Whether a row is under the cursor; false for a list that is only read.
    pub has_cursor: bool,
    /// The sort order, for the mark in the heading.
    pub sort: Option<&'t Sort>,
}

impl<'t, 'a, T> Table<'t, 'a, T> {
    /// A table in which every row has cells.
    pub(crate) fn new(
        columns: &'t [TableColumn<'a, T>],
        rows: &'a [T],
        state: TableState,
        theme: &'t Theme,
    ) -> Self {
        Self {
            columns,
            rows,
            heading: &|_| None,
            mark: &|_| None,
            state,
            theme,
            focused: true,
            has_cursor: true,
            sort: None,
        }
    }

    /// Draws the table.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        buf.set_style(area, self.theme.style(Role::Text));
        let placed = self.placed(area);
        self.titles(area, buf, &placed);
        let window = self.state.window(self.rows.len(), height(area));
        let selected = self.state.selected.min(self.rows.len().saturating_sub(1));
        let rows = self.rows.iter().enumerate().skip(window.start).take(window.len());
        for ((at, row), place) in rows.zip(area.rows().skip(1)) {
            self.line(place, buf, row, self.has_cursor && at == selected, &placed);
        }
    }

    /// The columns on the screen; those of variable width are as wide as their visible content.
    fn placed(&self, area: Rect) -> Vec<PlacedColumn<'t, 'a, T>> {
        let window = self.state.window(self.rows.len(), height(area));
        let rows = || self.rows.iter().skip(window.start).take(window.len());
        place(self.columns, area.width, &|column| {
            let without_headings = rows().filter(|row| (self.heading)(row).is_none());
            let widest =
                without_headings.map(|row| columns_of(&self.shown(&(column.cell)(row)))).max().unwrap_or(0);
            cells(widest.max(columns_of(&column.title) + 1))
        })
    }

    /// The width of the column with that title, if it is on the screen.
    pub(crate) fn room_of(&self, title: &str, area: Rect) -> Option<u16> {
        self.placed(area).iter().find(|(column, _)| column.title == title).map(|(_, width)| *width)
    }

    /// The title of the column whose heading is at a place.
    pub(crate) fn heading_at(&self, area: Rect, at: Position) -> Option<String> {
        if at.y != area.y || !area.contains(at) {
            return None;
        }
        let placed = self.placed(area);
        let starts: Vec<u16> = starts(area, &placed).collect();
        let (x, (column, width)) = starts.iter().zip(&placed).rev().find(|(x, _)| **x <= at.x)?;
        (at.x < x.saturating_add(width + GAP)).then(|| column.title.to_string())
    }

    fn line(
        &self,
        at: Rect,
        buf: &mut Buffer,
        row: &'a T,
        selected: bool,
        placed: &[PlacedColumn<'_, 'a, T>],
    ) {
        // A mark takes precedence over the cursor sign, since the whole row is highlighted.
        if let Some(mark) = (self.mark)(row).filter(|_| at.width > 0) {
            put_sign(buf, (at.x, at.y), &self.shown(&mark), self.theme.style(mark.role));
        } else if selected && at.width > 0 {
            put_sign(buf, (at.x, at.y), self.theme.glyph(Role::Cursor), Style::new());
        }
        if let Some(heading) = (self.heading)(row) {
            let room = usize::from(at.width.saturating_sub(MARGIN));
            let heading = clean(&heading);
            let heading = in_set(&heading, self.theme.theme_options().glyphs);
            let text = fit(&heading, room, Align::Left, self.theme.ellipsis());
            put(buf, (at.x.saturating_add(MARGIN), at.y), &text, room, self.theme.style(Role::Heading));
            return;
        }
        let cells: Vec<(Cell<'_>, u16)> =
            placed.iter().map(|(column, width)| ((column.cell)(row), *width)).collect();
        let mut free_from = at.x;
        for (ix, ((column, _), x)) in placed.iter().zip(starts(at, placed)).enumerate() {
            let Some(((cell, width), after)) = cells.get(ix..).and_then(<[_]>::split_first) else { break };
            let text = self.shown(cell);
            // The longer text of an earlier cell continues here.
            if x < free_from && text.is_empty() {
                continue;
            }
            let width = match column.align {
                Align::Left => with_blank_cells(columns_of(&text), *width, after),
                Align::Right => *width,
            };
            free_from = x.saturating_add(width);
            let text = fit(&text, usize::from(width), column.align, self.theme.ellipsis());
            put(buf, (x, at.y), &text, usize::from(width), self.theme.style(cell.role));
            for &(role, from, columns) in &cell.parts {
                let columns = columns.min(width.saturating_sub(from));
                let part = Rect { x: x.saturating_add(from), y: at.y, width: columns, height: 1 };
                buf.set_style(part.intersection(at), self.theme.style(role));
            }
        }
        if selected {
            let role = if self.focused { Role::Cursor } else { Role::CursorOther };
            buf.set_style(at, self.theme.style(role));
        }
    }

    fn shown<'c>(&self, cell: &'c Cell<'_>) -> Cow<'c, str> {
        let glyphs = self.theme.theme_options().glyphs;
        let text = match clean(&cell.text) {
            text if glyphs == GlyphSet::Unicode => text,
            text => Cow::Owned(in_set(&text, glyphs).into_owned()),
        };
        match self.theme.glyph(cell.role) {
            sign if cell.signed && text.is_empty() => Cow::Owned(sign.to_owned()),
            sign if cell.signed && !sign.is_empty() => Cow::Owned(format!("{sign} {text}")),
            _ => text,
        }
    }

    fn titles(&self, area: Rect, buf: &mut Buffer, placed: &[PlacedColumn<'_, 'a, T>]) {
        for ((column, width), x) in placed.iter().zip(starts(area, placed)) {
            let title = match self.mark(column) {
                Some(mark) => Cow::Owned(format!("{}{mark}", column.title)),
                None => Cow::Borrowed(&*column.title),
            };
            // A mark for which the column has no room stands in the gap after it.
            let gap = GAP.min(area.right().saturating_sub(x.saturating_add(*width)));
            let is_cut = columns_of(&title) > usize::from(*width);
            let wide = usize::from(if is_cut { width.saturating_add(gap) } else { *width });
            let text = fit(&title, wide, column.align, self.theme.ellipsis());
            put(buf, (x, area.y), &text, wide, self.theme.style(Role::Heading));
        }
        self.left_out(area, buf, placed);
    }

    /// The mark after the title of the sorted column.
    fn mark(&self, column: &TableColumn<'a, T>) -> Option<&'static str> {
        let sort = self.sort?.criteria().find(|sort| sort.column == column.title)?;
        Some(if sort.descending { self.theme.by_set("▾", "v") } else { self.theme.by_set("▴", "^") })
    }

    /// Writes the number of columns without room at the end of the headings, or else in the last gap that is wide
    /// enough.
    fn left_out(&self, area: Rect, buf: &mut Buffer, placed: &[PlacedColumn<'_, 'a, T>]) {
        let missing = self.columns.len().saturating_sub(placed.len());
        let text = format!("+{missing}");
        let wide = cells(columns_of(&text));
        if missing == 0 || area.width <= wide {
            return;
        }
        let is_blank = |x| buf.cell((x, area.y)).is_none_or(|cell| cell.symbol() == " ");
        let fits = |x: &u16| {
            let end = if x + wide < area.right() { x + wide + 1 } else { x + wide };
            (x.saturating_sub(1)..end).all(is_blank)
        };
        if let Some(x) = (area.x + 1..=area.right() - wide).rev().find(fits) {
            put(buf, (x, area.y), &text, usize::from(wide), self.theme.style(Role::TextDim));
        }
    }
}

#[cfg(test)]
mod tests;

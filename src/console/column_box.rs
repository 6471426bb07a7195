//! The box for choosing the columns of a table.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::action::Action;
use super::layout::{cells, inner_area, moved};
use super::theme::{Role, Theme};
use super::views::table_choices::{TableChoices, TableShape};
use super::widgets::frame;
use super::widgets::text::{clean, truncate};
use qscope_session::query::QueryFields;

/// The box's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnBox {
    shape: TableShape,
    /// What each column shows; empty for a column without a field.
    docs: Vec<String>,
    selected: usize,
}

const WIDTH: u16 = 52;

impl ColumnBox {
    /// Creates it for a table; columns named after a field are described as that field is.
    pub(crate) fn new(shape: TableShape, fields: &QueryFields) -> Self {
        let doc = |title: &str| fields.named(title).map_or_else(String::new, |field| field.doc.to_string());
        let docs = shape.columns.iter().map(|(title, ..)| doc(title)).collect();
        Self { shape, docs, selected: 0 }
    }

    /// Handles an action; returns whether anything changed, and the new choice if that changed.
    pub(crate) fn take(&mut self, action: Action, rows: usize) -> (bool, Option<TableChoices>) {
        let last = self.shape.columns.len().saturating_sub(1);
        if matches!(action, Action::Select | Action::Toggle) {
            return (true, self.toggle_column());
        }
        let to = moved(action, self.selected, last, rows.saturating_sub(6).max(1));
        (to.is_some_and(|to| std::mem::replace(&mut self.selected, to) != to), None)
    }

    /// Shows or hides the selected column.
    fn toggle_column(&mut self) -> Option<TableChoices> {
        let (title, shown, on_request) = self.shape.columns.get_mut(self.selected)?;
        *shown = !*shown;
        self.shape.chosen.show(title, *on_request, *shown);
        Some(self.shape.chosen.clone())
    }

    fn height(&self, area: Rect) -> u16 {
        cells(self.shape.columns.len() + 3).min(area.height.saturating_sub(2)).max(4)
    }

    pub(crate) fn place(&self, area: Rect) -> Rect {
        frame::overlay_place(area, WIDTH, self.height(area))
    }

    /// The index of the first visible column, and the number of visible ones, below the line of keys.
    fn page(&self, inner: Rect) -> (usize, usize) {
        let page = usize::from(inner.height.saturating_sub(1)).max(1);
        ((self.selected + 1).saturating_sub(page), page)
    }

    /// Puts the cursor on the column at a place; false if there is none.
    pub(crate) fn pick(&mut self, at: Position, area: Rect) -> bool {
        let inner = inner_area(self.place(area));
        let (top, page) = self.page(inner);
        let row = frame::row_below_first(inner, at).filter(|row| *row < page).map(|row| top + row);
        let row = row.filter(|row| *row < self.shape.columns.len());
        self.selected = row.unwrap_or(self.selected);
        row.is_some()
    }

    /// Draws the box over the area.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let all = self.shape.columns.len();
        let inner = frame::overlay(area, buf, theme, "Columns", WIDTH, self.height(area));
        let mut rows = inner.rows();
        if let Some(first) = rows.next() {
            let doc = self.docs.get(self.selected).filter(|doc| !doc.is_empty());
            let text = doc.map_or("t or Enter shows or hides the column", String::as_str);
            let text = truncate(text, usize::from(first.width), theme.ellipsis());
            Line::styled(text, theme.style(Role::TextDim)).render(first, buf);
        }
        let (top, page) = self.page(inner);
        frame::more_below_inside(all.saturating_sub(top + page), inner, buf, theme);
        let columns = self.shape.columns.iter().enumerate().skip(top);
        for ((at, (title, shown, _)), row) in columns.zip(rows) {
            let here = at == self.selected;
            let mark = if here { theme.glyph(Role::Cursor) } else { " " };
            let on = if *shown { theme.by_set("●", "*") } else { theme.by_set("○", "o") };
            let text = format!("{mark}{on} {}", clean(title));
            let text = truncate(&text, usize::from(inner.width), theme.ellipsis()).into_owned();
            let role = match (here, shown) {
                (true, _) => Role::Cursor,
                (false, true) => Role::Text,
                (false, false) => Role::TextDim,
            };
            Line::styled(text, theme.style(role)).render(row, buf);
        }
    }
}

//! A column: its shape, its cells, and its sort keys.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::order::SortKey;
use crate::theme::Role;
use crate::widgets::text::Align;
use qscope_session::query::FieldValue;

/// The width of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Always that wide.
    Fixed(u16),
    /// At least the first, at most the second.
    Between(u16, u16),
    /// At least that wide, plus a share of what the others leave.
    Fill(u16),
}

impl Width {
    pub(super) fn least(self) -> u16 {
        match self {
            Self::Fixed(n) | Self::Between(n, _) | Self::Fill(n) => n,
        }
    }
}

/// A column: its shape, and what it shows of a row.
pub(crate) struct TableColumn<'a, T> {
    /// Its heading.
    pub title: Cow<'static, str>,
    /// How wide it is.
    pub width: Width,
    /// Words left, numbers right.
    pub align: Align,
    /// Its importance: columns with the lowest value are dropped first if there is little room.
    pub keep: u8,
    /// Whether it is only shown if chosen.
    pub on_request: bool,
    pub(super) cell: Box<dyn Fn(&'a T) -> Cell<'a> + 'a>,
    key: Option<SortKeyFn<'a, T>>,
    value: Option<ExportValueFn<'a, T>>,
    parts: Vec<ColumnPart<'a, T>>,
}

/// The name of one of several values of a column, and the function that returns it; for export.
pub(crate) type ColumnPart<'a, T> = (&'static str, ExportValueFn<'a, T>);

/// Returns the exported value of a row, if it is not the text of the cell.
type ExportValueFn<'a, T> = Box<dyn Fn(&'a T) -> Value + 'a>;

/// The name of a value, and the function that returns it.
pub(crate) type NamedValue<'c, 'a, T> = (&'c str, Box<dyn Fn(&'a T) -> Value + 'c>);

/// Returns the sort key of a row, if it is not the text of the cell.
type SortKeyFn<'a, T> = Box<dyn Fn(&'a T) -> SortKey + 'a>;

impl<'a, T> TableColumn<'a, T> {
    pub(crate) fn words(
        title: impl Into<Cow<'static, str>>,
        width: Width,
        keep: u8,
        cell: impl Fn(&'a T) -> Cell<'a> + 'a,
    ) -> Self {
        Self {
            title: title.into(),
            width,
            align: Align::Left,
            keep,
            on_request: false,
            cell: Box::new(cell),
            key: None,
            value: None,
            parts: Vec::new(),
        }
    }

    /// Sorts by a key other than the text of the cells.
    #[must_use]
    pub(crate) fn sorted_by(self, key: impl Fn(&'a T) -> SortKey + 'a) -> Self {
        Self { key: Some(Box::new(key)), ..self }
    }

    /// Sorts by a key, which is also the exported value: a number or null.
    #[must_use]
    pub(crate) fn valued_by(self, key: impl Fn(&'a T) -> SortKey + Copy + 'a) -> Self {
        let value = move |row: &'a T| match key(row) {
            SortKey::Number(found) => number(Some(found)),
            SortKey::Words(_) | SortKey::Nothing => Value::Null,
        };
        Self { value: Some(Box::new(value)), ..self.sorted_by(key) }
    }

    /// Sets a separate value for export.
    #[must_use]
    pub(crate) fn valued(self, value: impl Fn(&'a T) -> Value + 'a) -> Self {
        Self { value: Some(Box::new(value)), ..self }
    }

    /// Sets several values for export, which the cells combine in one text.
    #[must_use]
    pub(crate) fn in_parts(self, parts: Vec<ColumnPart<'a, T>>) -> Self {
        Self { parts, ..self }
    }

    /// The values for export, each with its name.
    pub(crate) fn for_programs(&self) -> Vec<NamedValue<'_, 'a, T>> {
        if self.parts.is_empty() {
            return vec![(&self.title, Box::new(|row| self.value(row)))];
        }
        let mut all: Vec<NamedValue<'_, 'a, T>> = Vec::with_capacity(self.parts.len());
        for (name, value) in &self.parts {
            all.push((name, Box::new(value)));
        }
        all
    }

    /// Makes the column shown only if chosen.
    #[must_use]
    pub(crate) fn on_request(self) -> Self {
        Self { on_request: true, ..self }
    }

    pub(crate) fn key(&self, row: &'a T) -> SortKey {
        match &self.key {
            Some(key) => key(row),
            None => SortKey::of_text(&(self.cell)(row).text),
        }
    }

    /// The sort key of a row; `Nothing` for a heading, which has no cells.
    pub(crate) fn key_unless(&self, row: &'a T, is_heading: impl Fn(&T) -> bool) -> SortKey {
        if is_heading(row) { SortKey::Nothing } else { self.key(row) }
    }

    /// Whether it takes a share of what the others leave.
    pub(super) fn fills(&self) -> bool {
        matches!(self.width, Width::Fill(_))
    }

    /// The exported value of a row: by default the text of the cell, or a number if the column is aligned right.
    pub(crate) fn value(&self, row: &'a T) -> Value {
        if let Some(value) = &self.value {
            return value(row);
        }
        let text = (self.cell)(row).text;
        match number_or_text(&text) {
            Value::Number(_) if self.align != Align::Right => Value::from(text.trim()),
            value => value,
        }
    }

    /// Aligns the cells at the right.
    #[must_use]
    pub(crate) fn at_right(self) -> Self {
        Self { align: Align::Right, ..self }
    }

    pub(crate) fn numbers(
        title: impl Into<Cow<'static, str>>,
        width: u16,
        keep: u8,
        cell: impl Fn(&'a T) -> Cell<'a> + 'a,
    ) -> Self {
        Self::words(title, Width::Fixed(width), keep, cell).at_right()
    }
}

/// A text as a JSON value: a number if it is one, null for a dash.
pub(crate) fn number_or_text(text: &str) -> Value {
    match SortKey::of_text(text) {
        SortKey::Nothing => Value::Null,
        SortKey::Number(found) => number(Some(found)),
        SortKey::Words(_) => Value::from(text.trim()),
    }
}

/// A number as a JSON value, or null.
pub(crate) fn number(number: Option<f64>) -> Value {
    number.map_or(Value::Null, |number| as_value(&FieldValue::Number(number)))
}

/// A fact as a JSON value; whole numbers have no fraction.
pub(crate) fn as_value(fact: &FieldValue<'_>) -> Value {
    serde_json::to_value(fact).unwrap_or_default()
}

impl<T> fmt::Debug for TableColumn<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column")
            .field("title", &self.title)
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    /// The text; control characters in it are made visible.
    pub text: Cow<'a, str>,
    /// Its role, whose sign, if it has one, is put before the text if `signed`.
    pub role: Role,
    /// Whether the role's sign is shown.
    pub signed: bool,
    /// Different roles for signs and bars within the text: role, first column, number of columns.
    pub parts: Vec<(Role, u16, u16)>,
}

impl<'a> Cell<'a> {
    /// A plain text.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role: Role::Text, signed: false, parts: Vec::new() }
    }

    pub(crate) fn of(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: false, parts: Vec::new() }
    }

    /// Sets another role for the first columns.
    pub(crate) fn with_leading_role(self, role: Role, columns: u16) -> Self {
        self.with_part(role, 0, columns)
    }

    /// Sets another role for some columns.
    pub(crate) fn with_part(mut self, role: Role, from: u16, columns: u16) -> Self {
        self.parts.push((role, from, columns));
        self
    }

    /// A text in a role, after the role's sign.
    pub(crate) fn signed(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: true, parts: Vec::new() }
    }
}

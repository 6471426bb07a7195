//! A column: its shape, what it shows of a row, and what rows are sorted by.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use super::order::SortKey;
use crate::theme::Role;
use crate::widgets::text::Align;
use qscope_session::query::Fact;

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
    /// How long it stays when there is little room: the lowest goes first.
    pub keep: u8,
    /// Whether it is shown only where it was chosen.
    pub on_request: bool,
    pub(super) cell: Box<dyn Fn(&'a T) -> Cell<'a> + 'a>,
    key: Option<KeyOf<'a, T>>,
    value: Option<ValueOf<'a, T>>,
    parts: Vec<ColumnPart<'a, T>>,
}

/// One of several values that a row has in a column for programs, and its name.
pub(crate) type ColumnPart<'a, T> = (&'static str, ValueOf<'a, T>);

/// What a row has in a column for programs, where that is not the text of the cell.
type ValueOf<'a, T> = Box<dyn Fn(&'a T) -> Value + 'a>;

/// The name of a value, and what finds it in a row.
pub(crate) type NamedValue<'c, 'a, T> = (&'c str, Box<dyn Fn(&'a T) -> Value + 'c>);

/// What rows are sorted by, where that is not the text of the cell.
type KeyOf<'a, T> = Box<dyn Fn(&'a T) -> SortKey + 'a>;

impl<'a, T> TableColumn<'a, T> {
    /// A column of words.
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

    /// The same, sorted by something else than the text of its cells.
    #[must_use]
    pub(crate) fn sorted_by(self, key: impl Fn(&'a T) -> SortKey + 'a) -> Self {
        Self { key: Some(Box::new(key)), ..self }
    }

    /// The same with what it is sorted by as its value: a number, or nothing.
    #[must_use]
    pub(crate) fn valued_by(self, key: impl Fn(&'a T) -> SortKey + Copy + 'a) -> Self {
        let value = move |row: &'a T| match key(row) {
            SortKey::Number(number) => as_value(&Fact::Number(number)),
            SortKey::Words(_) | SortKey::Nothing => Value::Null,
        };
        Self { value: Some(Box::new(value)), ..self.sorted_by(key) }
    }

    /// The same with a value of its own for programs.
    #[must_use]
    pub(crate) fn valued(self, value: impl Fn(&'a T) -> Value + 'a) -> Self {
        Self { value: Some(Box::new(value)), ..self }
    }

    /// The same with several values for programs, which its cells have in one text.
    #[must_use]
    pub(crate) fn in_parts(self, parts: Vec<ColumnPart<'a, T>>) -> Self {
        Self { parts, ..self }
    }

    /// Its values for programs, each with its name.
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

    /// The same, shown only where it was chosen.
    #[must_use]
    pub(crate) fn on_request(self) -> Self {
        Self { on_request: true, ..self }
    }

    /// What a row is sorted by in this column.
    pub(crate) fn key(&self, row: &'a T) -> SortKey {
        match &self.key {
            Some(key) => key(row),
            None => SortKey::of_text(&(self.cell)(row).text),
        }
    }

    /// The same; nothing of a heading, which has no cells.
    pub(crate) fn key_unless(&self, row: &'a T, is_heading: impl Fn(&T) -> bool) -> SortKey {
        if is_heading(row) { SortKey::Nothing } else { self.key(row) }
    }

    /// Whether it takes a share of what the others leave.
    pub(super) fn fills(&self) -> bool {
        matches!(self.width, Width::Fill(_))
    }

    /// What a row has in this column, for a file: the text of the cell where the column has no values of its own, as a number
    /// where it is a column of numbers.
    pub(crate) fn value(&self, row: &'a T) -> Value {
        if let Some(value) = &self.value {
            return value(row);
        }
        let text = (self.cell)(row).text;
        match SortKey::of_text(&text) {
            SortKey::Nothing => Value::Null,
            SortKey::Number(number) if self.align == Align::Right => as_value(&Fact::Number(number)),
            SortKey::Number(_) | SortKey::Words(_) => Value::from(text.trim()),
        }
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

/// What a field states, as programs read it: a number without a fraction where it has none.
pub(crate) fn as_value(fact: &Fact<'_>) -> Value {
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

/// What stands in a row and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell<'a> {
    /// The text; control characters in it are shown, not sent.
    pub text: Cow<'a, str>,
    /// How it looks; its sign, if it has one, stands before the text when `signed`.
    pub role: Role,
    /// Whether the role's sign is shown.
    pub signed: bool,
    /// The look of a sign or bar within it, where that begins and how many columns it takes: words beside it are read as text.
    pub part: Option<(Role, u16, u16)>,
}

impl<'a> Cell<'a> {
    /// Plain text.
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role: Role::Text, signed: false, part: None }
    }

    /// Text in a role.
    pub(crate) fn of(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: false, part: None }
    }

    /// The same with another look of the first columns.
    pub(crate) fn led_by(self, role: Role, columns: u16) -> Self {
        self.with_part(role, 0, columns)
    }

    /// The same with another look of some columns from one on.
    pub(crate) fn with_part(self, role: Role, from: u16, columns: u16) -> Self {
        Self { part: Some((role, from, columns)), ..self }
    }

    /// Text in a role, after the role's sign.
    pub(crate) fn signed(role: Role, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), role, signed: true, part: None }
    }
}

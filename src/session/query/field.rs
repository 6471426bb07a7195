//! The row model: the columns of a list, and records with a value in each.

use std::borrow::Cow;
use std::fmt;

use jiff::Zoned;
use serde::{Serialize, Serializer};

use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{Amount, Catalogue, Epoch, ResourceType, Seconds, Snapshot};

/// Kind of the values of a field, which determines how it is compared and printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    /// A number; a time written with colons is converted to seconds.
    Number,
    /// A size in kilobytes, as `16gb`.
    Size,
    /// A duration: `02:00:00`, `90m`, `2h`, `3d`, or seconds.
    Span,
    /// A moment: a time of day such as `02:43`, epoch seconds, or `+2h` and `-30m` from the snapshot's now.
    Moment,
    /// Yes or no.
    Flag,
}

/// A column of a list, without its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryField {
    /// Name in queries and above the column.
    pub name: Cow<'static, str>,
    /// Kind of its values, including the unit.
    pub kind: FieldKind,
    /// Usual width of a value in characters; the width of its column in plain text.
    pub width: u16,
    /// Columns of priority 1 are shown first; 9 only on request. Narrow tables drop the highest numbers.
    pub priority: u8,
    /// Description in one line.
    pub doc: Cow<'static, str>,
    /// The possible values, if there are few.
    pub values: &'static [&'static str],
    /// Other words for some of the values, as used in tables, each with the value it stands for.
    pub also: &'static [(&'static str, &'static str)],
}

impl QueryField {
    /// Returns the word for a value that tables use.
    pub fn display_value<'v>(&self, value: &'v str) -> &'v str {
        self.also.iter().find(|(_, meant)| *meant == value).map_or(value, |(word, _)| word)
    }
}

/// A column whose value is read by `F`, a function from the row to its fact. Columns are defined only here: filters,
/// tables and JSON all use this definition.
#[derive(Debug, Clone, Copy)]
pub struct FieldColumn<F> {
    name: &'static str,
    kind: FieldKind,
    width: u16,
    priority: u8,
    doc: &'static str,
    values: &'static [&'static str],
    value_aliases: &'static [(&'static str, &'static str)],
    /// Reads the value of a row; returns `None` if it has none.
    pub value: F,
}

impl<F> FieldColumn<F> {
    /// Creates a column from name, kind, width in characters, priority (1 first), description and value.
    pub const fn new(
        name: &'static str,
        kind: FieldKind,
        (width, priority): (u16, u8),
        doc: &'static str,
        value: F,
    ) -> Self {
        Self { name, kind, width, priority, doc, values: &[], value_aliases: &[], value }
    }

    /// Sets the possible values.
    pub const fn one_of(self, values: &'static [&'static str]) -> Self
    where
        F: Copy,
    {
        Self { values, ..self }
    }

    /// Sets other words for some of the values.
    pub const fn with_value_aliases(self, value_aliases: &'static [(&'static str, &'static str)]) -> Self
    where
        F: Copy,
    {
        Self { value_aliases, ..self }
    }

    /// Returns the column with this name, ignoring case.
    pub fn named<'c>(columns: &'c [Self], name: &str) -> Option<&'c Self> {
        columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// The fields of one kind of record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryFields {
    list: Vec<QueryField>,
    /// The moment of the snapshot on its own clock, by which times of day are read; none where only epochs are.
    moment: Option<Zoned>,
}

impl QueryFields {
    pub fn of<F>(columns: &[FieldColumn<F>]) -> Self {
        let field = |column: &FieldColumn<F>| QueryField {
            name: column.name.into(),
            kind: column.kind,
            width: column.width,
            priority: column.priority,
            doc: column.doc.into(),
            values: column.values,
            also: column.value_aliases,
        };
        Self { list: columns.iter().map(field).collect(), moment: None }
    }

    /// The same, reading times of day such as `02:43` by the clock of a snapshot, on its day.
    #[must_use]
    pub fn by_clock_of(self, snap: &Snapshot) -> Self {
        Self { moment: snap.date(snap.now), ..self }
    }

    /// The moment of the snapshot, if times of day are read.
    pub(super) fn now(&self) -> Option<&Zoned> {
        self.moment.as_ref()
    }

    /// Adds a field for every resource of the catalogue whose name is not taken, with `suffix` appended.
    pub fn with_resources(mut self, catalogue: &Catalogue, suffix: &str, what: &str) -> Self {
        for (id, _) in catalogue.iter() {
            let name = format!("{}{suffix}", catalogue.name(id));
            if self.at(&name).is_none() {
                let kind = match catalogue.kind(id) {
                    ResourceType::Long | ResourceType::Float => FieldKind::Number,
                    ResourceType::Size => FieldKind::Size,
                    ResourceType::Boolean => FieldKind::Flag,
                    ResourceType::Text | ResourceType::TextArray => FieldKind::Text,
                };
                let doc = format!("{what} {}", catalogue.name(id)).into();
                let name = name.into();
                self.list.push(QueryField { name, kind, width: 6, priority: 9, doc, values: &[], also: &[] });
            }
        }
        self
    }

    /// Returns all fields.
    pub fn all(&self) -> &[QueryField] {
        &self.list
    }

    pub fn named(&self, name: &str) -> Option<&QueryField> {
        self.at(name)
    }

    fn at(&self, name: &str) -> Option<&QueryField> {
        let named = |name: &str| self.list.iter().find(|field| field.name.eq_ignore_ascii_case(name));
        let id = || self.list.iter().find(|field| field.kind == FieldKind::Text && field.priority == 1);
        // `name` is the id of the listed objects, unless a field has that name.
        named(name).or_else(|| id().filter(|_| name.eq_ignore_ascii_case("name")))
    }

    /// Returns the message about an unknown field.
    pub(super) fn unknown(&self, name: &str) -> String {
        let known = self.list.iter().map(|field| &*field.name);
        let guess = did_you_mean::question(name, known);
        if !guess.is_empty() {
            return format!("there is no field {name}{guess}");
        }
        let some: Vec<&str> = self.list.iter().take(8).map(|field| &*field.name).collect();
        if some.is_empty() {
            return "only words can be searched here".to_owned();
        }
        format!("there is no field {name}; some are {}", some.join(", "))
    }
}

/// The value of a field of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue<'a> {
    Text(Cow<'a, str>),
    /// Words joined by commas, as the batch system prints them: the whole text or one word may fit.
    Joined(Cow<'a, str>),
    /// Several texts, one of which has to fit.
    Texts(Vec<Cow<'a, str>>),
    Number(f64),
    /// A size in kilobytes.
    Size(f64),
    /// A duration.
    Span(Seconds),
    /// A time, and the now that `+2h` is relative to.
    Moment(Epoch, Epoch),
    /// Yes or no.
    Flag(bool),
}

impl<'a> FieldValue<'a> {
    /// Creates a text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// Creates a count.
    pub fn count(n: usize) -> Self {
        Self::Number(n as f64)
    }

    /// Creates several texts.
    pub fn texts<T: Into<Cow<'a, str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(Into::into).collect())
    }
}

/// A row of a list.
pub trait QueryRecord {
    /// Returns the value of a field; `None` if there is none, and then no comparison is true.
    fn fact(&self, field: &str) -> Option<FieldValue<'_>>;

    /// Whether `holds` is true for any of the texts that bare words are searched in; expensive ones are tried last.
    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool;
}

/// Prints as in a table: whole numbers without a point, sizes as PBS writes them, times in epoch seconds.
impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Joined(text) => f.pad(text),
            Self::Texts(texts) => f.pad(&texts.join(",")),
            Self::Number(number) if number.fract() == 0.0 => f.pad(&format!("{number:.0}")),
            Self::Number(number) => f.pad(&number.to_string()),
            Self::Size(kilobytes) => f.pad(&Amount(*kilobytes).show(ResourceType::Size)),
            Self::Span(length) => f.pad(&length.to_string()),
            Self::Moment(at, _) => f.pad(&at.0.to_string()),
            Self::Flag(yes) => f.pad(if *yes { "yes" } else { "no" }),
        }
    }
}

/// Writes values as defined for the JSON output: whole numbers without a point, sizes in kilobytes, times in seconds.
impl Serialize for FieldValue<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) | Self::Joined(text) => text.serialize(to),
            Self::Texts(texts) => texts.serialize(to),
            Self::Number(number) | Self::Size(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                (*number as i64).serialize(to)
            }
            Self::Number(number) | Self::Size(number) => number.serialize(to),
            Self::Span(length) => length.0.serialize(to),
            Self::Moment(at, _) => at.0.serialize(to),
            Self::Flag(yes) => yes.serialize(to),
        }
    }
}

/// A record that consists of a single text.
impl QueryRecord for &str {
    fn fact(&self, _: &str) -> Option<FieldValue<'_>> {
        None
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        holds(self)
    }
}

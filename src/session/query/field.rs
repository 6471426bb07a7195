//! The row model: the columns of a listed thing, and records that have a value in each.

use std::borrow::Cow;
use std::fmt;

use jiff::Zoned;
use serde::{Serialize, Serializer};

use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{Amount, Catalogue, Epoch, Kind, Seconds, Snapshot};

/// What values a field takes, and so what it may be compared with and how it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Words.
    Text,
    /// A number; also a time written with colons, in seconds.
    Number,
    /// Bytes, as `16gb`.
    Size,
    /// A length of time: `02:00:00`, `90m`, `2h`, `3d`, or seconds.
    Span,
    /// A moment: a time of day such as `02:43`, epoch seconds, or `+2h` and `-30m` from the snapshot's now.
    Moment,
    /// Yes or no.
    Flag,
}

/// One column of a listed thing: everything about it but its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, in queries and over the column.
    pub name: Cow<'static, str>,
    /// What it takes, and with it the unit.
    pub kind: FieldKind,
    /// The usual number of letters of a value; the width of its column in plain text.
    pub width: u16,
    /// The columns of priority 1 are shown first; 9 only on request. Narrow tables drop the highest numbers.
    pub priority: u8,
    /// What it is, in one line.
    pub doc: Cow<'static, str>,
    /// The only values there are, where there are few.
    pub values: &'static [&'static str],
    /// Other words for some of them, as tables have them, each with the value that it means.
    pub also: &'static [(&'static str, &'static str)],
}

impl Field {
    /// The word that tables have for a value.
    pub fn shown<'v>(&self, value: &'v str) -> &'v str {
        self.also.iter().find(|(_, meant)| *meant == value).map_or(value, |(word, _)| word)
    }
}

/// A column whose value is read by `F`, a function from the row to its fact: the one place where a column of a
/// listed thing is defined. Filters, tables and JSON read it from here.
#[derive(Debug, Clone, Copy)]
pub struct FieldColumn<F> {
    name: &'static str,
    kind: FieldKind,
    width: u16,
    priority: u8,
    doc: &'static str,
    values: &'static [&'static str],
    also: &'static [(&'static str, &'static str)],
    /// Reads the value of a row; none where it has nothing there.
    pub value: F,
}

impl<F> FieldColumn<F> {
    /// A column by name, kind, width in letters, priority (1 first), explanation and value.
    pub const fn new(
        name: &'static str,
        kind: FieldKind,
        (width, priority): (u16, u8),
        doc: &'static str,
        value: F,
    ) -> Self {
        Self { name, kind, width, priority, doc, values: &[], also: &[], value }
    }

    /// The same with the only values there are.
    pub const fn one_of(self, values: &'static [&'static str]) -> Self
    where
        F: Copy,
    {
        Self { values, ..self }
    }

    /// The same with other words for some of the values.
    pub const fn also_called(self, also: &'static [(&'static str, &'static str)]) -> Self
    where
        F: Copy,
    {
        Self { also, ..self }
    }

    /// The column of that name, in any case.
    pub fn named<'c>(columns: &'c [Self], name: &str) -> Option<&'c Self> {
        columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// The fields of one sort of record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    list: Vec<Field>,
    /// The moment of the snapshot on its own clock, by which times of day are read; none where only epochs are.
    now: Option<Zoned>,
}

impl Fields {
    pub fn of<F>(columns: &[FieldColumn<F>]) -> Self {
        let field = |column: &FieldColumn<F>| Field {
            name: column.name.into(),
            kind: column.kind,
            width: column.width,
            priority: column.priority,
            doc: column.doc.into(),
            values: column.values,
            also: column.also,
        };
        Self { list: columns.iter().map(field).collect(), now: None }
    }

    /// The same, reading times of day such as `02:43` by the clock of a snapshot, on its day.
    #[must_use]
    pub fn by_clock_of(self, snap: &Snapshot) -> Self {
        Self { now: snap.date(snap.now), ..self }
    }

    /// The moment of the snapshot, if times of day are read.
    pub(super) fn now(&self) -> Option<&Zoned> {
        self.now.as_ref()
    }

    /// The same and one for every resource of the catalogue whose name is not taken, with `suffix` after it.
    pub fn with_resources(mut self, catalogue: &Catalogue, suffix: &str, what: &str) -> Self {
        for (id, _) in catalogue.iter() {
            let name = format!("{}{suffix}", catalogue.name(id));
            if self.at(&name).is_none() {
                let kind = match catalogue.kind(id) {
                    Kind::Long | Kind::Float => FieldKind::Number,
                    Kind::Size => FieldKind::Size,
                    Kind::Boolean => FieldKind::Flag,
                    Kind::Text | Kind::TextArray => FieldKind::Text,
                };
                let doc = format!("{what} {}", catalogue.name(id)).into();
                let name = name.into();
                self.list.push(Field { name, kind, width: 6, priority: 9, doc, values: &[], also: &[] });
            }
        }
        self
    }

    /// All of them.
    pub fn all(&self) -> &[Field] {
        &self.list
    }

    pub fn named(&self, name: &str) -> Option<&Field> {
        self.at(name)
    }

    fn at(&self, name: &str) -> Option<&Field> {
        let named = |name: &str| self.list.iter().find(|field| field.name.eq_ignore_ascii_case(name));
        let id = || self.list.iter().find(|field| field.kind == FieldKind::Text && field.priority == 1);
        // `name` is the id of what is listed, where nothing else is called so.
        named(name).or_else(|| id().filter(|_| name.eq_ignore_ascii_case("name")))
    }

    /// The message about an unknown field.
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

/// What a record has in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact<'a> {
    /// Words.
    Text(Cow<'a, str>),
    /// Words joined by commas, as the batch system prints them: all of them fit, or one.
    Joined(Cow<'a, str>),
    /// Several words; one that fits is enough.
    Texts(Vec<Cow<'a, str>>),
    Number(f64),
    /// Kilobytes.
    Size(f64),
    /// A length of time.
    Span(Seconds),
    /// A moment, and the now that `+2h` counts from.
    Moment(Epoch, Epoch),
    /// Yes or no.
    Flag(bool),
}

impl<'a> Fact<'a> {
    /// Words.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// A number of things.
    pub fn count(n: usize) -> Self {
        Self::Number(n as f64)
    }

    /// Several words.
    pub fn texts<T: Into<Cow<'a, str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(Into::into).collect())
    }
}

/// A row of a listed thing.
pub trait Record {
    /// What it has in a field; none where it has nothing there, and then no comparison holds.
    fn fact(&self, field: &str) -> Option<Fact<'_>>;

    /// Whether any of the texts that bare words are looked for in is one that `holds`; what takes longer to make comes last.
    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool;
}

/// As in a table: amounts without a point where they are whole, sizes as PBS writes them, moments in epoch seconds.
impl fmt::Display for Fact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) | Self::Joined(text) => f.pad(text),
            Self::Texts(texts) => f.pad(&texts.join(",")),
            Self::Number(number) if number.fract() == 0.0 => f.pad(&format!("{number:.0}")),
            Self::Number(number) => f.pad(&number.to_string()),
            Self::Size(kilobytes) => f.pad(&Amount(*kilobytes).show(Kind::Size)),
            Self::Span(length) => f.pad(&length.to_string()),
            Self::Moment(at, _) => f.pad(&at.0.to_string()),
            Self::Flag(yes) => f.pad(if *yes { "yes" } else { "no" }),
        }
    }
}

/// As the contract writes values: whole numbers without a point, sizes in kilobytes, times in seconds.
impl Serialize for Fact<'_> {
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

/// A record that is nothing but a text.
impl Record for &str {
    fn fact(&self, _: &str) -> Option<Fact<'_>> {
        None
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        holds(self)
    }
}

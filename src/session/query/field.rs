//! What can be asked about: fields with their kinds, and records that have them.

use std::borrow::Cow;

use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{Catalogue, Epoch, Kind, Seconds};

/// What values a field takes, and so what it may be compared with.
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
    /// A moment: epoch seconds, or `+2h` and `-30m` from the snapshot's now.
    Moment,
    /// Yes or no.
    Flag,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it takes.
    pub kind: FieldKind,
    /// What it is, in one line.
    pub doc: Cow<'static, str>,
}

/// The fields of one sort of record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields {
    list: Vec<Field>,
}

impl Fields {
    /// Fields by name, kind and explanation.
    #[must_use]
    pub fn new(list: &[(&'static str, FieldKind, &'static str)]) -> Self {
        let field = |(name, kind, doc): &(&'static str, FieldKind, &'static str)| Field {
            name: (*name).into(),
            kind: *kind,
            doc: (*doc).into(),
        };
        Self { list: list.iter().map(field).collect() }
    }

    /// The same and one for every resource of the catalogue whose name is not taken, with `suffix` after it.
    #[must_use]
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
                self.list.push(Field { name: name.into(), kind, doc });
            }
        }
        self
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Field] {
        &self.list
    }

    /// The field of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Field> {
        self.at(name)
    }

    fn at(&self, name: &str) -> Option<&Field> {
        self.list.iter().find(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// What to say about a field that is none.
    pub(super) fn unknown(&self, name: &str) -> String {
        let known = self.list.iter().map(|field| &*field.name);
        let guess = did_you_mean::question(name, known);
        if !guess.is_empty() {
            return format!("there is no field {name}{guess}");
        }
        let some: Vec<&str> = self.list.iter().take(8).map(|field| &*field.name).collect();
        if some.is_empty() {
            return "only words can be looked for here".to_owned();
        }
        format!("there is no field {name}; some are {}", some.join(", "))
    }
}

/// What a record has in a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact<'a> {
    /// Words.
    Text(Cow<'a, str>),
    /// Several words; one that fits is enough.
    Texts(Vec<Cow<'a, str>>),
    /// A number.
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

    /// Several words.
    pub fn texts<T: Into<Cow<'a, str>>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(Into::into).collect())
    }
}

/// Something that can be asked about.
pub trait Record {
    /// What it has in a field; none where it has nothing there, and then no comparison holds.
    fn fact(&self, field: &str) -> Option<Fact<'_>>;

    /// All its words, for bare words.
    fn words(&self) -> Cow<'_, str>;
}

/// A record that is nothing but a text.
impl Record for &str {
    fn fact(&self, _: &str) -> Option<Fact<'_>> {
        None
    }

    fn words(&self) -> Cow<'_, str> {
        (*self).into()
    }
}

//! A TOML table that knows its place and the keys that were read, so that all other keys can be reported as unknown.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{Name, Seconds, Severity, parse_duration};

use super::report::TomlFile;

/// A table in a file.
pub(crate) struct TomlTable<'a> {
    file: TomlFile<'a>,
    entries: &'a DeTable<'a>,
    at: usize,
    record: Option<Name>,
    asked: Vec<&'static str>,
}

/// The value of a key.
#[derive(Clone)]
pub(crate) struct TomlItem<'a> {
    pub(crate) value: &'a DeValue<'a>,
    span: Range<usize>,
}

impl TomlItem<'_> {
    /// Returns the value as PBS would write it: True and False, lists with commas. Returns `None` for a table.
    pub(crate) fn text(&self) -> Option<String> {
        flat(self.value)
    }

    /// Returns the elements of a list, or the value itself.
    pub(crate) fn texts(&self) -> Option<Vec<String>> {
        match self.value {
            DeValue::Array(array) => array.iter().map(|item| flat(item.get_ref())).collect(),
            other => flat(other).map(|text| vec![text]),
        }
    }
}

fn flat(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(true) => Some("True".to_owned()),
        DeValue::Boolean(false) => Some("False".to_owned()),
        DeValue::Datetime(moment) => Some(moment.to_string()),
        DeValue::Array(array) => {
            let items: Option<Vec<String>> = array.iter().map(|item| flat(item.get_ref())).collect();
            items.map(|items| items.join(","))
        }
        DeValue::Table(_) => None,
    }
}

impl<'a> TomlTable<'a> {
    /// Returns the top-level table of a parsed file.
    pub(crate) fn root(file: TomlFile<'a>, parsed: &'a Spanned<DeTable<'a>>) -> Self {
        Self::new(file, parsed.get_ref(), 0)
    }

    fn new(file: TomlFile<'a>, entries: &'a DeTable<'a>, at: usize) -> Self {
        Self { file, entries, at, record: None, asked: Vec::new() }
    }

    /// Sets the name of the record that messages are about.
    pub(crate) fn call(&mut self, record: &str) {
        self.record = Some(record.into());
    }

    /// Returns the value of a key.
    pub(crate) fn item(&mut self, key: &'static str) -> Option<TomlItem<'a>> {
        self.asked.push(key);
        let item = self.entries.get(key)?;
        Some(TomlItem { value: item.get_ref(), span: item.span() })
    }

    /// Returns every key with its value, in the order of the file; does not report unknown keys.
    pub(crate) fn all(&self) -> Vec<(&'a str, TomlItem<'a>)> {
        let mut all: Vec<_> = self
            .entries
            .iter()
            .map(|(key, item)| (&**key.get_ref(), TomlItem { value: item.get_ref(), span: item.span() }))
            .collect();
        all.sort_by_key(|(_, item)| item.span.start);
        all
    }

    /// Parses a value from its text.
    pub(crate) fn parse<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let item = self.item(key)?;
        let text = item.text();
        let found = text.as_deref().and_then(read);
        if found.is_none() {
            let shown = text.unwrap_or_else(|| "a table".to_owned());
            self.report_at_value(&item, format!("`{key}` is `{shown}`; expected {expected}"));
        }
        found
    }

    /// Returns a text; numbers count as texts.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<Name> {
        self.parse(key, "a text", |text| Some(text.into()))
    }

    /// Returns a text as an owned string, for texts that rarely repeat.
    pub(crate) fn string(&mut self, key: &'static str) -> Option<String> {
        self.text(key).map(|text| text.to_string())
    }

    /// Returns a text that is required.
    pub(crate) fn required(&mut self, key: &'static str, message: &str) -> Option<Name> {
        if self.entries.get(key).is_none() {
            self.report_at_key(key, message.to_owned());
        }
        self.text(key)
    }

    /// Returns texts: a list, or one text with commas.
    pub(crate) fn names(&mut self, key: &'static str) -> Option<Vec<Name>> {
        self.parse(key, "a list of texts", |text| {
            Some(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Name::from).collect())
        })
    }

    /// Returns true or false.
    pub(crate) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        self.parse(key, "true or false", |text| match text.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
    }

    /// Returns a whole number.
    pub(crate) fn integer(&mut self, key: &'static str) -> Option<i64> {
        self.parse(key, "a whole number", |text| text.parse().ok())
    }

    /// Returns a whole number that is not negative.
    pub(crate) fn count(&mut self, key: &'static str) -> Option<u32> {
        self.parse(key, "a whole number that is not negative", |text| text.parse().ok())
    }

    pub(crate) fn number(&mut self, key: &'static str) -> Option<f64> {
        self.parse(key, "a number", |text| text.parse().ok().filter(|n: &f64| n.is_finite()))
    }

    /// Returns a duration such as `01:30:00` or `1h30m`.
    pub(crate) fn seconds(&mut self, key: &'static str) -> Option<Seconds> {
        self.parse(key, "a duration such as \"01:30:00\" or \"1h30m\"", |text| {
            Seconds::parse(text).or_else(|| parse_duration(text).map(|seconds| Seconds(seconds as i64)))
        })
    }

    /// Returns a table within this one.
    pub(crate) fn table(&mut self, key: &'static str) -> Option<Self> {
        let item = self.item(key)?;
        let inner = self.as_table(&item);
        if inner.is_none() {
            self.report_at_value(
                &item,
                format!("`{key}` is no table; expected `[{key}]` with keys below it"),
            );
        }
        inner
    }

    /// Returns a value as a table, if it is one.
    pub(crate) fn as_table(&self, item: &TomlItem<'a>) -> Option<Self> {
        match item.value {
            DeValue::Table(entries) => {
                let mut inner = Self::new(self.file, entries, item.span.start);
                inner.record.clone_from(&self.record);
                Some(inner)
            }
            _ => None,
        }
    }

    /// Returns the tables of an array of tables.
    pub(crate) fn tables(&mut self, key: &'static str) -> Vec<Self> {
        let Some(item) = self.item(key) else { return Vec::new() };
        let DeValue::Array(array) = item.value else {
            self.report_at_value(&item, format!("`{key}` is no list of tables; expected `[[{key}]]`"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for element in array {
            let element = TomlItem { value: element.get_ref(), span: element.span() };
            match self.as_table(&element) {
                Some(table) => tables.push(table),
                None => self.report_at_value(&element, format!("an element of `{key}` is no table")),
            }
        }
        tables
    }

    /// Reports an error at a value.
    pub(crate) fn report_at_value(&self, item: &TomlItem<'_>, message: String) {
        self.report(Severity::Error, "toml-value", Some(item.span.start), message);
    }

    /// Reports something at a value.
    pub(crate) fn report_at(
        &self,
        item: &TomlItem<'_>,
        severity: Severity,
        code: &'static str,
        message: String,
    ) {
        self.report(severity, code, Some(item.span.start), message);
    }

    /// Reports an error at the value of a key, or at the table if the key is missing.
    pub(crate) fn report_at_key(&self, key: &str, message: String) {
        self.report(Severity::Error, "toml-value", self.place_of(key), message);
    }

    /// Reports something at the value of a key, or at the table if the key is missing.
    pub(crate) fn remark_at(&self, key: &str, severity: Severity, code: &'static str, message: String) {
        self.report(severity, code, self.place_of(key), message);
    }

    fn place_of(&self, key: &str) -> Option<usize> {
        Some(self.entries.get(key).map_or(self.at, |item| item.span().start))
    }

    fn report(&self, severity: Severity, code: &'static str, at: Option<usize>, message: String) {
        self.file.report(severity, code, at, self.record.clone(), message);
    }

    /// Reports every key that was not read.
    pub(crate) fn finish(self) {
        for key in self.entries.keys() {
            let name = key.get_ref();
            if !self.asked.iter().any(|asked| asked == name) {
                let asked = did_you_mean::question(name, self.asked.iter().copied());
                let message = format!("`{name}` is not a key that is known here{asked}");
                self.report(Severity::Error, "unknown-key", Some(key.span().start), message);
            }
        }
    }
}

/// Replaces a value by the one in the file, if any.
pub(super) fn put<T>(slot: &mut T, found: Option<T>) {
    if let Some(found) = found {
        *slot = found;
    }
}

/// The same for an optional value.
pub(super) fn put_some<T>(slot: &mut Option<T>, found: Option<T>) {
    if found.is_some() {
        *slot = found;
    }
}

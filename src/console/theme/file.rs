//! The content of a theme file, with a warning for every line that could not be used.
//!
//! ```toml
//! inherits = "default-dark"
//! [palette]
//! amber = "#E69F00"
//! [roles]
//! "node.busy" = { fg = "amber", mods = ["bold"], glyph = "▓", ascii = "#" }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::color::ThemeColor;
use super::role::Role;
use qscope_engine::cluster::did_you_mean::nearest;

/// A part of a theme file that could not be used; the rest of the file was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThemeWarning {
    /// The file, or the name of a built-in theme.
    pub file: String,
    /// The line, from 1; 0 if it is about the whole file.
    pub line: usize,
    /// What was found, what was expected.
    pub text: String,
}

impl fmt::Display for ThemeWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.text),
            line => write!(f, "{}:{line}: {}", self.file, self.text),
        }
    }
}

/// One role in a file; `None` is inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StyleSpec {
    pub(crate) fg: Option<LocatedName>,
    pub(crate) bg: Option<LocatedName>,
    pub(crate) mods: Option<Modifier>,
    pub(crate) glyph: Option<String>,
    pub(crate) ascii: Option<String>,
}

/// A colour as written, with its place, because the palette is only known when all files are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedName {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// The content of a theme file.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThemeFile {
    pub(crate) inherits: Option<LocatedName>,
    pub(crate) palette: BTreeMap<String, ThemeColor>,
    pub(crate) roles: BTreeMap<Role, StyleSpec>,
    pub(crate) warnings: Vec<ThemeWarning>,
}

/// Reads a file; `path` names it in warnings.
pub(crate) fn read(path: &str, text: &str) -> ThemeFile {
    let mut reader = ThemeReader { path, text, out: ThemeFile::default() };
    match DeTable::parse(text) {
        Ok(table) => reader.top(table.get_ref()),
        Err(error) => reader.warn(error.span().unwrap_or(0..0), error.message().to_owned()),
    }
    reader.out.warnings.sort();
    reader.out
}

struct ThemeReader<'a> {
    path: &'a str,
    text: &'a str,
    out: ThemeFile,
}

const TOP: [&str; 3] = ["inherits", "palette", "roles"];
const FIELDS: [&str; 5] = ["fg", "bg", "mods", "glyph", "ascii"];
const MODS: [(&str, Modifier); 5] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
];

impl ThemeReader<'_> {
    fn warn(&mut self, at: Range<usize>, text: String) {
        let line = self.line(at);
        self.out.warnings.push(ThemeWarning { file: self.path.to_owned(), line, text });
    }

    fn line(&self, at: Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..at.start).unwrap_or_default();
        1 + before.iter().filter(|b| **b == b'\n').count()
    }

    fn unknown<'n>(
        &mut self,
        kind: &str,
        name: &str,
        at: Range<usize>,
        known: impl IntoIterator<Item = &'n str>,
    ) {
        let hint =
            nearest(name, known).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        self.warn(at, format!("unknown {kind} \"{name}\"{hint}"));
    }

    fn top(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "inherits" => self.out.inherits = self.named(value),
                "palette" => self.for_each_entry(value, Self::color),
                "roles" => self.for_each_entry(value, Self::role),
                other => self.unknown("key", other, key.span(), TOP),
            }
        }
    }

    fn for_each_entry(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        take: fn(&mut Self, &str, Range<usize>, &Spanned<DeValue<'_>>),
    ) {
        match value.get_ref().as_table() {
            Some(table) => table.iter().for_each(|(key, value)| take(self, key.get_ref(), key.span(), value)),
            None => self.mismatch(value, "a table"),
        }
    }

    fn mismatch(&mut self, value: &Spanned<DeValue<'_>>, expected: &str) {
        let found = value.get_ref().type_str();
        self.warn(value.span(), format!("found {found} where {expected} is expected"));
    }

    fn string(&mut self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        if text.is_none() {
            self.mismatch(value, "a string");
        }
        text
    }

    fn named(&mut self, value: &Spanned<DeValue<'_>>) -> Option<LocatedName> {
        let (file, line) = (self.path.to_owned(), self.line(value.span()));
        self.string(value).map(|name| LocatedName { name, file, line })
    }

    fn color(&mut self, name: &str, _: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let Some(text) = self.string(value) else { return };
        match ThemeColor::parse(&text) {
            Some(paint) => drop(self.out.palette.insert(name.to_owned(), paint)),
            None => self.warn(
                value.span(),
                format!("\"{text}\" is no colour; write #rrggbb or a name such as \"bright-blue\""),
            ),
        }
    }

    fn role(&mut self, name: &str, at: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let Some(role) = Role::named(name) else {
            return self.unknown("role", name, at, Role::ALL.iter().map(|role| role.name()));
        };
        let Some(table) = value.get_ref().as_table() else {
            return self.mismatch(value, "a table with fg, bg, mods, glyph, ascii");
        };
        let mut spec = StyleSpec::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "fg" => spec.fg = self.named(value),
                "bg" => spec.bg = self.named(value),
                "mods" => spec.mods = self.mods(value),
                "glyph" => spec.glyph = self.glyph(value, |_| true),
                "ascii" => spec.ascii = self.glyph(value, |c| c.is_ascii_graphic() || c == ' '),
                other => self.unknown("key", other, key.span(), FIELDS),
            }
        }
        self.out.roles.insert(role, spec);
    }

    fn mods(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Modifier> {
        let Some(list) = value.get_ref().as_array() else {
            self.mismatch(value, "a list of modifiers");
            return None;
        };
        let mut all = Modifier::empty();
        for item in list {
            let Some(word) = self.string(item) else { continue };
            match MODS.iter().find(|(name, _)| *name == word) {
                Some((_, modifier)) => all |= *modifier,
                None => self.unknown("modifier", &word, item.span(), MODS.iter().map(|(name, _)| *name)),
            }
        }
        Some(all)
    }

    /// A glyph must take one column, or the map would not line up.
    fn glyph(&mut self, value: &Spanned<DeValue<'_>>, allowed: fn(char) -> bool) -> Option<String> {
        let text = self.string(value)?;
        if crate::widgets::text::width(&text) == 1 && text.chars().all(|c| !c.is_control() && allowed(c)) {
            return Some(text);
        }
        self.warn(value.span(), format!("\"{}\" is no sign of one column", text.escape_debug()));
        None
    }
}

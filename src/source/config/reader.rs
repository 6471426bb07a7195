//! Reads a configuration file: TOML, key by key.

use std::ops::Range;
use std::path::Path;

use qscope_engine::cluster::did_you_mean::question;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{ConfigValueKind, KEYS};
use super::{Config, ConfigProblem, ConfigSource};

/// Reads the text of one file.
pub(super) struct ConfigReader<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
    pub(super) config: &'a mut Config,
}

impl ConfigReader<'_> {
    fn line(&self, at: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..at.start).unwrap_or_default();
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    pub(super) fn problem(&mut self, key: &str, at: Range<usize>, message: String) {
        let location = format!("{}:{}", self.file.display(), self.line(&at));
        self.config.problems.push(ConfigProblem { key: key.to_owned(), location, message });
    }

    pub(super) fn top(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            let name: &str = key.get_ref();
            match KEYS.iter().find(|known| known.name == name).map(|known| known.takes) {
                None => {
                    let asked = question(name, KEYS.iter().map(|known| known.name));
                    self.problem(name, key.span(), format!("unknown key {name}{asked}"));
                }
                Some(takes @ (ConfigValueKind::TableOfText | ConfigValueKind::TableOfTexts)) => {
                    self.table(name, takes, value);
                }
                Some(takes) => self.value(name, takes, value),
            }
        }
    }

    fn table(&mut self, name: &str, takes: ConfigValueKind, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            return self.problem(name, value.span(), format!("{name} takes a table: [{name}]"));
        };
        let each = if takes == ConfigValueKind::TableOfText {
            ConfigValueKind::Text
        } else {
            ConfigValueKind::Texts
        };
        for (key, value) in table {
            self.value(&format!("{name}.{}", key.get_ref()), each, value);
        }
    }

    fn value(&mut self, key: &str, kind: ConfigValueKind, value: &Spanned<DeValue<'_>>) {
        let text = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
        let found = match (kind, value.get_ref()) {
            (ConfigValueKind::Flag, DeValue::Boolean(on)) => Some(vec![on.to_string()]),
            (ConfigValueKind::Flag, _) => None,
            (ConfigValueKind::Texts, DeValue::Array(list)) => {
                list.iter().map(|one| text(one.get_ref())).collect()
            }
            (_, other) => text(other).map(|text| vec![text]),
        };
        match found {
            Some(values) if values.iter().all(|text| kind.allows(text)) => {
                let source = ConfigSource::File(self.file.to_owned(), self.line(&value.span()));
                self.config.set(key, values, source);
            }
            _ => {
                let expected = kind.expected();
                let written = self.text.get(value.span()).unwrap_or_default();
                self.problem(key, value.span(), format!("{key} = {written}; expected {expected}"));
            }
        }
    }
}

//! The state that the console keeps from one session to the next, per cluster: columns and order of tables, named
//! filters, breakpoints (console.md 4 and 6). It is a file in the user's state folder; without such a folder nothing is
//! kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::views::ViewName;
use super::views::table_choices::TableChoices;
use super::widgets::table::Sort;
use qscope_exits::file_name;
use qscope_source::config::Config;
use qscope_system::folder::Folder;
use qscope_system::input::{self, SizeLimit};

/// Maximum size of the file.
const LARGEST: SizeLimit = SizeLimit { limit: "state-size", bytes: 1 << 20 };

/// The kept state.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionState {
    /// Choices about tables, by the word of the view. In the file: as far as they differ from the configuration.
    pub(crate) tables: BTreeMap<String, TableChoices>,
    /// Filters by name.
    pub(crate) filters: BTreeMap<String, String>,
    /// The settings of what-ifs, by name.
    pub(crate) what_ifs: BTreeMap<String, Vec<String>>,
    /// Condition of each breakpoint, and whether it is on.
    pub(crate) breakpoints: Vec<(String, bool)>,
}

/// The path of a cluster's state: under `$XDG_STATE_HOME/qscope`, else `~/.local/state/qscope`; `None` without a home.
pub(crate) fn path(cluster: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("qscope").join(format!("{}.toml", file_name(cluster))))
}

/// Reads the kept state; an unreadable file counts as empty.
pub(crate) fn read(path: &Path) -> SessionState {
    input::read_text(path, LARGEST).map(|text| SessionState::parse(&text)).unwrap_or_default()
}

/// Writes the file so that only its owner can read it.
///
/// # Errors
/// The folder cannot be created or written; the message is for the user.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(format!("{} is no file", path.display()));
    };
    let folder = Folder::shared(folder).map_err(|error| error.to_string())?;
    folder.put(name, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}

impl SessionState {
    /// Returns what a configuration sets: columns and order of tables, filters and breakpoints.
    pub(crate) fn configured(config: &Config) -> Self {
        let mut state = Self::default();
        for view in ViewName::ALL.iter().map(|view| view.word()) {
            let columns = config.get(&format!("columns.{view}"));
            let sort = config.text(&format!("sort.{view}"));
            if columns.is_none() && sort.is_none() {
                continue;
            }
            let mut chosen = TableChoices { sort: sort.map(Sort::parse), ..TableChoices::default() };
            for word in columns.iter().flat_map(|entry| &entry.values) {
                match word.strip_prefix('-') {
                    Some(off) => chosen.off.insert(off.to_owned()),
                    None => chosen.on.insert(word.trim_start_matches('+').to_owned()),
                };
            }
            state.tables.insert(view.to_owned(), chosen);
        }
        let filters = config.table("filters").map(|(name, entry)| (name.to_owned(), entry.values.concat()));
        state.filters = filters.collect();
        let texts = config.get("breakpoints").into_iter().flat_map(|entry| &entry.values);
        state.breakpoints = texts.map(|text| (text.clone(), true)).collect();
        state
    }

    /// Parses the text of the file; parts that are not understood are skipped.
    pub(crate) fn parse(text: &str) -> Self {
        let Ok(root) = text.parse::<toml::Table>() else { return Self::default() };
        let table = |name: &str| root.get(name).and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let texts = |value: Option<&toml::Value>| {
            let list = value.and_then(toml::Value::as_array).cloned().unwrap_or_default();
            list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        let chosen = |value: &toml::Value| TableChoices {
            sort: value.get("sort").and_then(toml::Value::as_str).map(Sort::parse),
            on: texts(value.get("on")).into_iter().collect(),
            off: texts(value.get("off")).into_iter().collect(),
        };
        let breakpoints =
            root.get("breakpoints").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let breakpoint = |value: &toml::Value| {
            let on = value.get("on").and_then(toml::Value::as_bool).unwrap_or(true);
            Some((value.get("text")?.as_str()?.to_owned(), on))
        };
        Self {
            tables: table("tables").iter().map(|(view, value)| (view.clone(), chosen(value))).collect(),
            filters: table("filters")
                .iter()
                .filter_map(|(name, text)| Some((name.clone(), text.as_str()?.to_owned())))
                .collect(),
            what_ifs: table("what-ifs")
                .iter()
                .map(|(name, list)| (name.clone(), texts(Some(list))))
                .collect(),
            breakpoints: breakpoints.iter().filter_map(breakpoint).collect(),
        }
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> String {
        let list = |names: &std::collections::BTreeSet<String>| {
            toml::Value::Array(names.iter().cloned().map(toml::Value::String).collect())
        };
        let mut root = toml::Table::new();
        let table = |choices: &TableChoices| {
            let mut table = toml::Table::new();
            if let Some(sort) = &choices.sort {
                table.insert("sort".to_owned(), sort.text().into());
            }
            table.insert("on".to_owned(), list(&choices.on));
            table.insert("off".to_owned(), list(&choices.off));
            toml::Value::Table(table)
        };
        let tables = self.tables.iter().map(|(view, chosen)| (view.clone(), table(chosen))).collect();
        root.insert("tables".to_owned(), toml::Value::Table(tables));
        let filters = self.filters.iter().map(|(name, text)| (name.clone(), text.clone().into())).collect();
        root.insert("filters".to_owned(), toml::Value::Table(filters));
        let settings = |(name, list): (&String, &Vec<String>)| {
            let list = list.iter().cloned().map(toml::Value::String).collect();
            (name.clone(), toml::Value::Array(list))
        };
        let what_ifs = self.what_ifs.iter().map(settings).collect();
        root.insert("what-ifs".to_owned(), toml::Value::Table(what_ifs));
        let breakpoint = |(text, on): &(String, bool)| {
            let mut table = toml::Table::new();
            table.insert("text".to_owned(), text.clone().into());
            table.insert("on".to_owned(), (*on).into());
            toml::Value::Table(table)
        };
        let breakpoints = self.breakpoints.iter().map(breakpoint).collect();
        root.insert("breakpoints".to_owned(), toml::Value::Array(breakpoints));
        root.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back() {
        let mut stored = SessionState::default();
        let chosen = TableChoices {
            sort: Some(Sort::parse("-ncpus")),
            on: ["mem".to_owned()].into(),
            off: ["user".to_owned()].into(),
        };
        stored.tables.insert("jobs".to_owned(), chosen);
        stored.filters.insert("big".to_owned(), "ncpus>=64".to_owned());
        stored.what_ifs.insert("loose order".to_owned(), vec!["strict_ordering=False".to_owned()]);
        stored.breakpoints.push(("node=\"cn 1\" taken".to_owned(), false));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qscope").join("pbs01.toml");
        write(&path, &stored.text()).unwrap();
        assert_eq!(read(&path), stored);
        assert_eq!(read(&folder.path().join("none")), SessionState::default());
        assert_eq!(SessionState::parse("tables = 3\nfilters = [1]"), SessionState::default());
    }
}

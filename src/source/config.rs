//! The configuration, read strictly in one place: `config.toml` of the site and of the user, then the environment,
//! then flags. Every key is optional. A misspelt key or a value of the wrong kind is reported with file and line, and
//! only that key is ignored.
//!
//! ```toml
//! theme = "high-contrast"
//! poll = "5s"
//! breakpoints = ["verdict=never"]
//! [keys]
//! step-forward = ["ctrl-n", "."]
//! [columns]
//! jobs = ["+project", "-user"]
//! [sort]
//! nodes = "-ncpus"
//! [filters]
//! big = "ncpus>=64"
//! ```

mod environment;
mod key;
mod reader;

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use qscope_system::input::{self, SizeLimit};
use toml::de::DeTable;

pub use key::POLL;
use reader::ConfigReader;

/// Default folder of the site's configuration.
const ETC: &str = "/etc/qscope";
/// The end of a problem that concerns a whole file; any other problem concerns one key.
pub const FILE_LEFT_OUT: &str = "nothing of the file counts";
/// Maximum size of a file.
const LARGEST: SizeLimit = SizeLimit { limit: "configuration-size", bytes: 1 << 20 };

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigSource {
    /// Set nowhere.
    Default,
    /// A file, and the line from 1.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(&'static str),
    /// A command-line flag.
    Flag(&'static str),
}

impl fmt::Display for ConfigSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and its source. A single text is a list of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigEntry {
    pub values: Vec<String>,
    pub source: ConfigSource,
}

/// An unusable part of a file or the environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigProblem {
    /// The key, if known; empty for the whole file.
    pub key: String,
    /// File and line, or the variable.
    pub location: String,
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// All configured values, by dotted key: `theme`, `keys.step-forward`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    entries: BTreeMap<String, ConfigEntry>,
    pub problems: Vec<ConfigProblem>,
}

/// Returns the folder of the site's configuration: `QSCOPE_ETC`, else `/etc/qscope`.
pub fn etc() -> PathBuf {
    variable("QSCOPE_ETC").map_or_else(|| ETC.into(), PathBuf::from)
}

/// Returns the files in order of increasing precedence: the site's, then the user's.
pub fn files() -> Vec<PathBuf> {
    let user = variable("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")));
    let user = user.map(|folder| folder.join("qscope").join("config.toml"));
    [Some(etc().join("config.toml")), user].into_iter().flatten().collect()
}

fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl Config {
    /// Reads the files in order of increasing precedence, then the environment. A missing file is no problem.
    pub fn read(files: &[PathBuf]) -> Self {
        let mut config = Self::default();
        for file in files {
            config.add_file(file);
        }
        let variables = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        config.add_environment(variables);
        config
    }

    /// Reads one file, overriding the values so far.
    pub fn add_file(&mut self, file: &Path) {
        match input::read_text(file, LARGEST) {
            Ok(text) => self.add_text(file, &text),
            Err(why) if why.io_kind() == ErrorKind::NotFound => {}
            Err(why) => {
                let (key, location) = (String::new(), file.display().to_string());
                self.problems.push(ConfigProblem {
                    key,
                    location,
                    message: format!("{why}; {FILE_LEFT_OUT}"),
                });
            }
        }
    }

    /// Reads the text of a file.
    pub fn add_text(&mut self, file: &Path, text: &str) {
        let mut reader = ConfigReader { file, text, config: self };
        match DeTable::parse(text) {
            Ok(table) => reader.top(table.get_ref()),
            Err(error) => {
                let what = format!("{}; {FILE_LEFT_OUT}", error.message());
                reader.problem("", error.span().unwrap_or(0..0), what);
            }
        }
    }

    /// Sets a value, overriding the one so far.
    pub fn set(&mut self, key: &str, values: Vec<String>, source: ConfigSource) {
        self.entries.insert(key.to_owned(), ConfigEntry { values, source });
    }

    pub fn get(&self, key: &str) -> Option<&ConfigEntry> {
        self.entries.get(key)
    }

    /// Returns the first value of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.values.first().map(String::as_str)
    }

    /// Returns the value of a flag, if it is configured.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.text(key).map(|value| value == "true")
    }

    /// Returns all entries by key.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &ConfigEntry)> {
        self.entries.iter().map(|(key, entry)| (key.as_str(), entry))
    }

    pub fn table<'c>(&'c self, name: &str) -> impl Iterator<Item = (&'c str, &'c ConfigEntry)> {
        let prefix = format!("{name}.");
        self.entries().filter_map(move |(key, entry)| Some((key.strip_prefix(&prefix)?, entry)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_files_count_more_and_every_value_has_its_place() {
        let mut config = Config::default();
        config.add_text(Path::new("/etc/c"), "theme = \"mono\"\npublished = \"/a\"\n[keys]\nquit = \"Q\"\n");
        config.add_text(Path::new("/home/c"), "\ntheme = \"high-contrast\"\n[keys]\nsort = [\"o\", \"O\"]\n");
        assert_eq!(config.problems, []);
        assert_eq!(config.text("theme"), Some("high-contrast"));
        assert_eq!(config.get("theme").unwrap().source.to_string(), "/home/c:2");
        assert_eq!(config.get("published").unwrap().source.to_string(), "/etc/c:2");
        let keys: Vec<String> =
            config.table("keys").map(|(name, entry)| format!("{name}={}", entry.values.join("+"))).collect();
        assert_eq!(keys, ["quit=Q", "sort=o+O"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_costs_only_that() {
        let mut config = Config::default();
        let text =
            "them = \"mono\"\npublished = \"relative\"\nascii = \"yes\"\nmouse = false\n[keys]\nquit = 3\n";
        config.add_text(Path::new("c"), text);
        let problems: Vec<String> = config.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "c:3: ascii = \"yes\"; expected true or false",
                "c:6: keys.quit = 3; expected a text in quotes, or a list of them",
                "c:2: published = \"relative\"; expected an absolute path in quotes",
                "c:1: unknown key them, did you mean `theme`?",
            ]
        );
        assert_eq!(config.flag("mouse"), Some(false));
        config.add_text(Path::new("d"), "theme = \"mono\"\na = [");
        let last = config.problems.last().unwrap();
        assert!(last.location.starts_with("d:2") && last.message.ends_with(FILE_LEFT_OUT), "{last}");
        assert!(config.get("theme").is_none());
    }
}

//! The published file: a redacted cluster together with the answers about its jobs, which any user may read.
//!
//! It is an archive (tar, compressed in two parts). The first part holds only the answers, so that reading one job's
//! answer needs neither the cluster nor a cycle; the second part holds the dumps, so that any reader of archives
//! opens the cluster. The gzip header of the first part states the format and the length of the file.

mod advice;
mod answers;
mod reading;
mod text;
mod writing;

pub use advice::{Advice, AdviceError};
pub use answers::{PublishedAnswer, PublishedEffort, answers};
pub use qscope_source::config::etc;
pub use reading::{PublishedError, PublishedFile};
pub use text::{as_lines, header_line};
pub(crate) use writing::tar_file;
pub use writing::{place, write};

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use qscope_source::config::Config;
use qscope_system::input::SizeLimit;

/// The version of the format that is written and read.
pub(crate) const FORMAT: u32 = 1;
/// The beginning of the comment in the file's gzip header.
pub(crate) const MAGIC: &str = "qscope-published";
/// The archive's first file.
pub(crate) const ANSWERS: &str = "published/answers.jsonl";

/// The head of the answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PublishedHeader {
    /// `qscope-published 1`.
    pub format: String,
    /// The program that wrote it.
    pub written_by: String,
    /// The moment of the dumps, in seconds since 1970.
    pub now: i64,
    /// The same moment on the clock of the site.
    pub clock: String,
    /// When it was published, in seconds since 1970.
    pub published: i64,
    /// The server's name.
    pub server: String,
    /// How many jobs have an answer.
    pub jobs: usize,
    /// Whether users have their own names.
    pub users: bool,
    /// What applies to every job, for example that scheduling is off.
    pub banners: Vec<String>,
    /// The options under which the answers were computed, such as `--semantics fixed`; empty for the behaviour that is
    /// modelled by default, and in a file that was written without them.
    #[serde(default)]
    pub options: String,
}

/// Returns the value of [`PublishedHeader::format`].
pub fn format_name() -> String {
    format!("{MAGIC} {FORMAT}")
}

/// The path used if none is stated.
const DEFAULT: &str = "/var/spool/qscope/published";
/// Maximum size of a configuration file.
const LARGEST: SizeLimit = SizeLimit { limit: "configuration-size", bytes: 1 << 20 };

/// A path and its source, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfiguredPath {
    pub path: PathBuf,
    pub source: &'static str,
}

/// Returns the path of the published file: from the option, the environment, the site's configuration, or a default.
///
/// # Errors
/// If the configuration cannot be read, or its value is not a path.
pub fn published_path(option: Option<&Path>, etc: &Path) -> Result<ConfiguredPath, String> {
    if let Some(path) = option {
        return Ok(ConfiguredPath { path: path.to_owned(), source: "--published" });
    }
    if let Some(path) = std::env::var_os("QSCOPE_PUBLISHED").filter(|value| !value.is_empty()) {
        return Ok(ConfiguredPath { path: path.into(), source: "QSCOPE_PUBLISHED" });
    }
    Ok(match configured(&etc.join("config.toml"))? {
        Some(path) => ConfiguredPath { path, source: "config.toml" },
        None => ConfiguredPath { path: DEFAULT.into(), source: "the default" },
    })
}

/// Returns `published` of `config.toml`; a mistake in another key is not reported here.
fn configured(file: &Path) -> Result<Option<PathBuf>, String> {
    let mut config = Config::default();
    config.add_file(file);
    match config.problems.iter().find(|problem| matches!(&*problem.key, "" | "published")) {
        Some(problem) => Err(problem.to_string()),
        None => Ok(config.text("published").map(PathBuf::from)),
    }
}

//! The path of the published file: from the option, the environment, the site's configuration, or a default.

use std::path::{Path, PathBuf};

use qscope_source::config::Config;
pub use qscope_source::config::etc;
use qscope_system::input::Most;

/// The path used if none is stated.
const DEFAULT: &str = "/var/spool/qscope/published";
/// Maximum size of a configuration file.
pub(super) const LARGEST: Most = Most { limit: "configuration-size", bytes: 1 << 20 };

/// A path and its source, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configured {
    pub path: PathBuf,
    pub source: &'static str,
}

/// Returns the path of the published file.
///
/// # Errors
/// If the configuration cannot be read, or its value is not a path.
pub fn published_path(option: Option<&Path>, etc: &Path) -> Result<Configured, String> {
    if let Some(path) = option {
        return Ok(Configured { path: path.to_owned(), source: "--published" });
    }
    if let Some(path) = std::env::var_os("QSCOPE_PUBLISHED").filter(|value| !value.is_empty()) {
        return Ok(Configured { path: path.into(), source: "QSCOPE_PUBLISHED" });
    }
    Ok(match configured(&etc.join("config.toml"))? {
        Some(path) => Configured { path, source: "config.toml" },
        None => Configured { path: DEFAULT.into(), source: "the default" },
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

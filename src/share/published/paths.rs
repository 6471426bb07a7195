//! Where the published file lies: the option, the environment, the site's configuration, or a default.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use qscope_system::input::{self, Most};

/// The file that is read without any statement.
const DEFAULT: &str = "/var/spool/qscope/published";
/// The folder of the site's configuration.
const ETC: &str = "/etc/qscope";
/// The largest file of a configuration.
pub(super) const LARGEST: Most = Most { limit: "configuration-size", bytes: 1 << 20 };

/// A path and where it was taken from, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Configured {
    pub path: PathBuf,
    pub source: &'static str,
}

/// The folder of the site's configuration: of `QSCOPE_ETC`, else `/etc/qscope`.
pub fn etc() -> PathBuf {
    std::env::var_os("QSCOPE_ETC").filter(|value| !value.is_empty()).map_or_else(|| ETC.into(), PathBuf::from)
}

/// Where the published file lies.
///
/// # Errors
/// The configuration cannot be read, or states no path there.
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

/// `published` of `config.toml`; the other keys are other commands'.
fn configured(file: &Path) -> Result<Option<PathBuf>, String> {
    let text = match input::read_text(file, LARGEST) {
        Ok(text) => text,
        Err(why) if why.io_kind() == ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(format!("{}: {why}", file.display())),
    };
    let table: toml::Table =
        text.parse().map_err(|why: toml::de::Error| format!("{}: {}", file.display(), why.message()))?;
    match table.get("published") {
        None => Ok(None),
        Some(toml::Value::String(path)) if Path::new(path).is_absolute() => Ok(Some(path.into())),
        Some(other) => {
            Err(format!("{}: published = {other}; expected an absolute path in quotes", file.display()))
        }
    }
}

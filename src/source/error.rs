//! Errors of loading a cluster.

use qscope_engine::cluster::{Diagnostic, FilePosition, Name};

/// Why no snapshot could be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The folder itself cannot be read.
    #[error("{folder}: {cause}; expected a folder of dumps")]
    Folder {
        folder: String,
        /// The error of the file system.
        cause: std::io::Error,
    },
    /// There is no file with vnodes.
    #[error(
        "{folder}: no nodes file; expected nodes.json or nodes.txt (what `pbsnodes -av` prints) or nodes.toml"
    )]
    NoNodes { folder: Name },
    /// There are files, but neither nodes nor jobs.
    #[error("{folder}: neither nodes nor jobs; expected what `pbsnodes -av -F json` or `qstat -f -t -F json` prints{}{}", listed(.found), hint(.found))]
    Nothing {
        /// The folder, file or archive.
        folder: Name,
        /// Descriptions of what was found in it.
        found: Vec<String>,
    },
    /// The tree of a collector that ran while the server did not answer.
    #[error(
        "{folder}: taken while the server was down: no dump of nodes or jobs in it, only copies of files and logs"
    )]
    ServerDown { folder: Name },
    /// There are several clusters in one folder or archive.
    #[error("{folder}: found {} clusters; expected one: name one of {}", .roots.len(), .roots.join(", "))]
    Several {
        /// The folder or archive.
        folder: Name,
        /// Their paths.
        roots: Vec<String>,
    },
    /// Several paths were named, each with its own cluster.
    #[error("{}: found {} clusters; expected one: name one of them{}", .paths.join(", "), .paths.len(), compared(.paths))]
    Clusters { paths: Vec<String> },
    /// A required file exists but cannot be read.
    #[error("{file}: cannot be read: {why}")]
    CannotRead {
        /// The file's name within the folder.
        file: Name,
        /// The error of the file system, or what was found instead of a regular file.
        why: String,
    },
    /// A recording, or a snapshot in it, cannot be opened.
    #[error("{0}")]
    Recording(String),
    /// A recording or simulation has no further snapshot in that direction.
    #[error("no other moment in this direction")]
    NoMoment,
    /// A required file has unusable content.
    #[error("{file}{position}: found {found}; expected {expected}")]
    Unreadable {
        /// The file's name within the folder.
        file: Name,
        /// The place in the file.
        position: FilePosition,
        found: String,
        /// What was expected instead.
        expected: String,
    },
    /// The requested scheduler does not exist in this folder.
    #[error("no scheduler `{wanted}`; known are {}", .known.join(", "))]
    NoScheduler {
        /// The requested name.
        wanted: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// There is too little memory.
    #[error("{what} need about {need} MB of memory, and {left} MB are left ({bound})")]
    Memory {
        /// What would need it.
        what: String,
        /// The estimate, in MB.
        need: u64,
        /// The available memory, in MB.
        left: u64,
        /// What sets that bound.
        bound: &'static str,
    },
    /// The hand-written form has errors.
    #[error("{}", lines(.0))]
    HandWritten(Vec<Diagnostic>),
}

impl SourceError {
    pub(crate) fn no_scheduler(wanted: &str, known: &[Name]) -> Self {
        Self::NoScheduler {
            wanted: wanted.to_owned(),
            known: known.iter().map(ToString::to_string).collect(),
        }
    }

    /// Replaces the file's name by the one users know.
    pub(crate) fn renamed(mut self, files: &super::Files) -> Self {
        if let Self::CannotRead { file, .. } | Self::Unreadable { file, .. } = &mut self {
            *file = files.display_name(file).into();
        }
        self
    }
}

/// Returns how two clusters can be compared.
fn compared(paths: &[String]) -> String {
    match paths {
        [one, other] => format!(", or set both side by side: qscope compare {one} {other}"),
        _ => ", or set two of them side by side: qscope compare ONE OTHER".to_owned(),
    }
}

/// Returns at most three findings.
fn listed(found: &[String]) -> String {
    found.iter().take(3).map(|found| format!("; {found}")).collect()
}

/// Other commands read TOML files that do not describe a cluster.
fn hint(found: &[String]) -> &'static str {
    let has_toml = found.iter().any(|found| found.contains(".toml"));
    if has_toml { "; `qscope farm FILE --view` and `qscope capacity` read files of their own" } else { "" }
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

//! Why a folder is no cluster.

use qscope_engine::cluster::{Diagnostic, Name, Spot};

/// Why no snapshot could be made at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The folder itself.
    #[error("{folder}: {cause}; expected a folder of dumps")]
    Folder {
        folder: String,
        /// What the file system reported.
        cause: std::io::Error,
    },
    /// No file with vnodes.
    #[error(
        "{folder}: no nodes file; expected nodes.json or nodes.txt (what `pbsnodes -av` prints) or nodes.toml"
    )]
    NoNodes { folder: Name },
    /// Files, and neither nodes nor jobs among them.
    #[error("{folder}: neither nodes nor jobs; expected what `pbsnodes -av -F json` or `qstat -f -t -F json` prints{}{}", listed(.found), hint(.found))]
    Nothing {
        /// The folder, file or archive.
        folder: Name,
        /// What was found in it.
        found: Vec<String>,
    },
    /// Several clusters in one folder or archive.
    #[error("{folder}: found {} clusters; expected one: name one of {}", .roots.len(), .roots.join(", "))]
    Several {
        /// The folder or archive.
        folder: Name,
        /// Where they lie.
        roots: Vec<String>,
    },
    /// Several paths that were named, each with a cluster of its own.
    #[error("{}: found {} clusters; expected one: name one of them{}", .paths.join(", "), .paths.len(), compared(.paths))]
    Clusters { paths: Vec<String> },
    /// A file without which nothing can be reported is there, and cannot be read.
    #[error("{file}: cannot be read: {why}")]
    CannotRead {
        /// The file's name within the folder.
        file: Name,
        /// What the file system reported, or what stands there instead of a regular file.
        why: String,
    },
    /// A recording, or a snapshot of it, cannot be opened.
    #[error("{0}")]
    Recording(String),
    /// A recording or simulation has no snapshot there.
    #[error("no other moment in this direction")]
    NoMoment,
    /// A file without which there is no cluster.
    #[error("{file}{}: found {found}; expected {expected}", place(.spot))]
    Unreadable {
        /// The file's name within the folder.
        file: Name,
        /// Where in it.
        spot: Spot,
        /// What was found there.
        found: String,
        /// What was expected instead.
        expected: String,
    },
    /// The scheduler asked for is none of this folder.
    #[error("no scheduler `{wanted}`; known are {}", .known.join(", "))]
    NoScheduler {
        /// The name asked for.
        wanted: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// There is too little memory for it.
    #[error("{what} need about {need} MB of memory, and {left} MB are left ({bound})")]
    Memory {
        /// What would take it.
        what: String,
        /// The estimate, in MB.
        need: u64,
        /// What may be taken, in MB.
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

    /// The same with files named as people know them.
    pub(crate) fn renamed(mut self, files: &super::Files) -> Self {
        if let Self::CannotRead { file, .. } | Self::Unreadable { file, .. } = &mut self {
            *file = files.shown(file).into();
        }
        self
    }
}

/// How two clusters are set side by side.
fn compared(paths: &[String]) -> String {
    match paths {
        [one, other] => format!(", or set both side by side: qscope compare {one} {other}"),
        _ => ", or set two of them side by side: qscope compare ONE OTHER".to_owned(),
    }
}

/// At most three things that were found.
fn listed(found: &[String]) -> String {
    found.iter().take(3).map(|found| format!("; {found}")).collect()
}

/// Tables by hand that are no cluster belong to other commands.
fn hint(found: &[String]) -> &'static str {
    let has_toml = found.iter().any(|found| found.contains(".toml"));
    if has_toml { "; `qscope farm FILE --view` and `qscope capacity` read files of their own" } else { "" }
}

fn place(spot: &Spot) -> String {
    match spot {
        Spot::File => String::new(),
        Spot::Line(line) => format!(":{line}"),
        Spot::Place { line, column } => format!(":{line}:{column}"),
        Spot::Byte(byte) => format!("@{byte}"),
    }
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

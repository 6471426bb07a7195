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
    /// A file without which nothing can be reported is there, and cannot be read.
    #[error("{file}: cannot be read: {why}")]
    CannotRead {
        /// The file's name within the folder.
        file: Name,
        /// What the file system reported, or what stands there instead of a regular file.
        why: String,
    },
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
    /// The hand-written form has errors.
    #[error("{}", lines(.0))]
    HandWritten(Vec<Diagnostic>),
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

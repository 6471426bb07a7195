//! Errors of starting a simulation.

use qscope_source::SourceError;
use qscope_system::folder::FolderError;
use qscope_system::input::InputError;

/// Why a simulation cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The start state cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file of the folder exists but cannot be opened.
    #[error("{file}: {cause}")]
    File {
        file: String,
        /// Error of the file system, or what is there instead of a regular file.
        cause: InputError,
    },
    /// Files that were to be logs or traces have no record of either.
    #[error("{0}: no record of an accounting log, and no job of a trace")]
    NoRecords(String),
    /// A folder is not written to.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file does not have the required format.
    #[error("{file}: {path}: {what}")]
    Form {
        file: String,
        /// Position in it, as a path of keys.
        path: String,
        /// What was found and what was expected.
        what: String,
    },
}

impl SimulateError {
    /// Creates a format error at a path of keys.
    pub(crate) fn form(file: &str, path: &str, what: impl Into<String>) -> Self {
        Self::Form { file: file.to_owned(), path: path.to_owned(), what: what.into() }
    }
}

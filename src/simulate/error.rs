//! Why a simulation cannot begin.

use qscope_source::SourceError;
use qscope_system::input::InputError;

/// What is wrong with the input of a simulation.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The start state cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file of the folder is there and cannot be opened.
    #[error("{file}: {cause}")]
    File {
        file: String,
        /// What the file system reported, or what stands there instead of a regular file.
        cause: InputError,
    },
    /// A file does not have the form that it must have.
    #[error("{file}: {path}: {what}")]
    Form {
        file: String,
        /// Where in it, as a path of keys.
        path: String,
        /// What was found and what was expected.
        what: String,
    },
}

impl SimulateError {
    /// A fault of form at a path of keys.
    pub(crate) fn form(file: &str, path: &str, what: impl Into<String>) -> Self {
        Self::Form { file: file.to_owned(), path: path.to_owned(), what: what.into() }
    }
}

//! Why nothing is written into a folder.

use std::io;
use std::path::PathBuf;

use crate::input::Distrust;

/// A folder that is not written to, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .folder.display())]
pub struct FolderError {
    /// The folder as named.
    pub folder: PathBuf,
    /// What is wrong with it.
    pub why: Refusal,
}

/// What is wrong with a folder.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be made, opened or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another user owns it, who could take what is put in it and put something else in its place.
    #[error("refused: it belongs to another user ({user}); expected a folder of your own")]
    Owner {
        /// The user's number.
        user: u32,
    },
    /// Others can write it.
    #[error(
        "refused: others can write it (mode {mode:04o}); expected a folder that only you can write (chmod go-w)"
    )]
    Writable {
        /// Its permissions.
        mode: u32,
    },
    /// A link leads to it that others could have made.
    #[error("refused: `{}` is a link that is not followed: {why}", .link.display())]
    Link {
        link: PathBuf,
        /// Why it is not followed.
        why: Distrust,
    },
}

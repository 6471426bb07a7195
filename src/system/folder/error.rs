//! The reasons why nothing is written into a folder.

use std::io;
use std::path::PathBuf;

use crate::input::Distrust;

/// A folder that is not written to, and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .folder.display())]
pub struct FolderError {
    /// The folder as named.
    pub folder: PathBuf,
    pub why: Refusal,
}

/// The reason why a folder is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be created, opened or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another user owns it, who could take what is put in it and replace it.
    #[error("refused: it belongs to another user ({user}); expected a folder of your own")]
    Owner {
        /// The id of the user.
        user: u32,
    },
    /// Others can write to it.
    #[error(
        "refused: others can write it (mode {mode:04o}); expected a folder that only you can write (chmod go-w)"
    )]
    Writable {
        /// Its permissions.
        mode: u32,
    },
    /// A link that others could have made leads to it.
    #[error("refused: `{}` is a link that is not followed: {why}", .link.display())]
    Link {
        link: PathBuf,
        /// Why it is not followed.
        why: Distrust,
    },
}

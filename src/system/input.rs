//! Opening and reading an input file: never waiting, never a device, never through a link that others could have
//! made, never without end.

mod kind;
mod link;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use kind::InputKind;
pub use link::Distrust;

pub(super) use link::distrust;

use link::LinkPlace;

/// Why an input file is not read. What stands in a file is in none of the messages.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file system refused: it is not there, permission lost, a stale handle.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no regular file.
    #[error("found {0}; expected a regular file")]
    Kind(InputKind),
    /// It is a link that is not followed.
    #[error("found a link that is not followed: {0}")]
    Link(Distrust),
    /// It is larger than the limit of this name.
    #[error("refused: {found} bytes; the limit `{limit}` is {most}")]
    TooLong {
        /// How many bytes it has, or how many were read of one that grows.
        found: u64,
        /// The limit's name.
        limit: &'static str,
        /// The limit.
        most: u64,
    },
    #[error("found bytes that are not UTF-8 from byte {0}; expected a text")]
    NotText(usize),
}

impl InputError {
    /// What the file system reported; refusals of ours have no kind of their own.
    pub fn io_kind(&self) -> io::ErrorKind {
        match self {
            Self::Io(error) => error.kind(),
            _ => io::ErrorKind::Other,
        }
    }
}

impl From<InputError> for io::Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Io(error) => error,
            other => Self::other(other.to_string()),
        }
    }
}

/// How much of a file is read at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Most {
    /// The limit's name in a refusal.
    pub limit: &'static str,
    pub bytes: u64,
}

impl Most {
    /// Why so many bytes are refused, if they are.
    ///
    /// # Errors
    /// [`InputError::TooLong`].
    pub fn allow(self, found: u64) -> Result<(), InputError> {
        let Self { limit, bytes: most } = self;
        if found > most { Err(InputError::TooLong { found, limit, most }) } else { Ok(()) }
    }
}

/// The files that a path stands for: itself, or those of a folder by their names.
///
/// # Errors
/// The folder cannot be listed.
pub fn listed(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries: Vec<_> = std::fs::read_dir(path)?.collect::<io::Result<_>>()?;
    let mut files: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}

/// Opens a regular file for reading. A link is followed where its owner is the user or root and others cannot write
/// the folder that holds it.
///
/// # Errors
/// The file system refuses; it is no regular file, or one of the kernel's own making; a link is not followed.
pub fn open(path: &Path) -> Result<File, InputError> {
    let mut place = LinkPlace::of(path)?;
    for _ in 0..link::MAX_LINKS {
        match place.next()? {
            Some(target) => place = target,
            None => return place.open(),
        }
    }
    Err(io::Error::from(rustix::io::Errno::LOOP).into())
}

/// Reads a file whole, through `read`: a mapped file that shrinks would end the program.
///
/// # Errors
/// As [`open`]; or it is larger than allowed, or grows beyond that while it is read.
pub fn read(path: &Path, most: Most) -> Result<Vec<u8>, InputError> {
    read_from(&mut open(path)?, most)
}

/// Reads an opened file whole.
///
/// # Errors
/// It cannot be read, is larger than allowed, or grows beyond that while it is read.
pub fn read_from(file: &mut File, most: Most) -> Result<Vec<u8>, InputError> {
    let length = file.metadata()?.len();
    read_all(file, length, most)
}

/// Reads to the end what should be so many bytes.
pub fn read_all(from: impl Read, length: u64, most: Most) -> Result<Vec<u8>, InputError> {
    most.allow(length)?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    from.take(most.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    most.allow(bytes.len() as u64)?;
    Ok(bytes)
}

/// Reads a file that holds text.
///
/// # Errors
/// As [`read`]; or it is not UTF-8.
pub fn read_text(path: &Path, most: Most) -> Result<String, InputError> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|error| InputError::NotText(error.utf8_error().valid_up_to()))
}

#[cfg(test)]
mod tests;

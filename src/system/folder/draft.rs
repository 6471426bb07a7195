//! A file that is written completely or not at all; no other user can reach it before it is complete.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use super::DRAFT;

/// Maximum number of random names tried: if all exist, others have created them on purpose.
const TRIES: usize = 16;

/// An unfinished file. It has no name, so that a killed run leaves nothing; if the file system does not support that,
/// it has a name that cannot be guessed, which is removed when the draft is dropped.
#[derive(Debug)]
pub struct DraftFile {
    file: File,
    folder: Arc<OwnedFd>,
    /// The temporary name, if it has one.
    hidden: Option<String>,
    target: String,
}

impl DraftFile {
    pub(super) fn new(folder: Arc<OwnedFd>, target: &str) -> io::Result<Self> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(&*folder, ".", flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => Ok(Self { file: file.into(), folder, hidden: None, target: target.to_owned() }),
            // Errors of file systems and kernels that do not support it.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => {
                Self::named(folder, target)
            }
            Err(why) => Err(why.into()),
        }
    }

    /// Creates a draft with a temporary name: an existing file of that name is neither opened nor followed.
    pub(super) fn named(folder: Arc<OwnedFd>, target: &str) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (file, name) = with_new_name(|name| openat(&*folder, name, flags, Mode::RUSR | Mode::WUSR))?;
        Ok(Self { file: file.into(), folder, hidden: Some(name), target: target.to_owned() })
    }

    /// Lets every user of the system read the file, once it is in its place.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn make_readable(&self) -> io::Result<()> {
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        Ok(fchmod(&self.file, mode)?)
    }

    /// Flushes what was written to the disk.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub fn finish(mut self) -> io::Result<CompleteFile> {
        self.file.flush()?;
        self.file.sync_all()?;
        let bytes = self.file.metadata()?.len();
        Ok(CompleteFile { draft: self, bytes })
    }

    /// Links the file to a temporary name, since only renaming replaces an older file.
    fn give_name(&self) -> io::Result<String> {
        let here = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let link = |name: &str| linkat(CWD, &here, &*self.folder, name, AtFlags::SYMLINK_FOLLOW);
        with_new_name(link).map(|((), name)| name)
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            // Nothing can be done about a draft that cannot be removed; the next run removes it.
            let _gone = unlinkat(&*self.folder, hidden, AtFlags::empty());
        }
    }
}

/// A complete file that is not in its place yet; it is removed if it is dropped.
#[derive(Debug)]
pub struct CompleteFile {
    draft: DraftFile,
    bytes: u64,
}

impl CompleteFile {
    /// Returns its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Moves it to its name, replacing what has that name. If that is a link, the link is replaced, and its target
    /// stays.
    ///
    /// # Errors
    /// If a folder has that name, or the file system refuses.
    pub fn place(mut self) -> io::Result<u64> {
        if self.draft.hidden.is_none() {
            self.draft.hidden = Some(self.draft.give_name()?);
        }
        if let Some(hidden) = &self.draft.hidden {
            renameat(&*self.draft.folder, hidden, &*self.draft.folder, &self.draft.target)?;
            self.draft.hidden = None;
        }
        // Not every file system supports this; the file itself is on the disk already.
        let _synced = rustix::fs::fsync(&*self.draft.folder);
        Ok(self.bytes)
    }
}

/// Tries something with names that cannot be guessed, until one does not exist.
fn with_new_name<T>(make: impl Fn(&str) -> rustix::io::Result<T>) -> io::Result<(T, String)> {
    for _ in 0..TRIES {
        let name = new_name()?;
        match make(&name) {
            Ok(made) => return Ok((made, name)),
            Err(Errno::EXIST) => {}
            Err(why) => return Err(why.into()),
        }
    }
    Err(io::Error::other("no free name for a temporary file"))
}

/// Returns a name with 128 random bits of the system.
fn new_name() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    let filled = getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    if filled != bytes.len() {
        return Err(io::Error::other("the system has no random bytes"));
    }
    Ok(format!("{DRAFT}{:032x}", u128::from_ne_bytes(bytes)))
}

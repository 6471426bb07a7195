//! A file that is there whole or not at all, written where no other user can reach it before.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fchmod, linkat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use super::DRAFT;

/// Names that were all taken would be others' doing: this many are tried.
const TRIES: usize = 16;

/// A file in the making. It has no name, so that a killed run leaves nothing; where the file system cannot do that, one
/// that cannot be guessed, and that goes with it.
#[derive(Debug)]
pub struct Draft {
    file: File,
    folder: Arc<OwnedFd>,
    /// The name that it has for now.
    hidden: Option<String>,
    target: String,
}

impl Draft {
    pub(super) fn new(folder: Arc<OwnedFd>, target: &str) -> io::Result<Self> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(&*folder, ".", flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => Ok(Self { file: file.into(), folder, hidden: None, target: target.to_owned() }),
            // What file systems and kernels state that cannot do it.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => {
                Self::named(folder, target)
            }
            Err(why) => Err(why.into()),
        }
    }

    /// A draft with a name of its own, made new: what others put there is neither opened nor followed.
    pub(super) fn named(folder: Arc<OwnedFd>, target: &str) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let (file, name) = with_new_name(|name| openat(&*folder, name, flags, Mode::RUSR | Mode::WUSR))?;
        Ok(Self { file: file.into(), folder, hidden: Some(name), target: target.to_owned() })
    }

    /// Lets every user of the system read the file, once it is in its place.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn let_all_read(&self) -> io::Result<()> {
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        Ok(fchmod(&self.file, mode)?)
    }

    /// Makes what was written safe on the disk.
    ///
    /// # Errors
    /// The disk is full or broken.
    pub fn finish(mut self) -> io::Result<Ready> {
        self.file.flush()?;
        self.file.sync_all()?;
        let bytes = self.file.metadata()?.len();
        Ok(Ready { draft: self, bytes })
    }

    /// A name for a moment, since only renaming replaces an older file.
    fn give_name(&self) -> io::Result<String> {
        let here = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let link = |name: &str| linkat(CWD, &here, &*self.folder, name, AtFlags::SYMLINK_FOLLOW);
        with_new_name(link).map(|((), name)| name)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            // Nothing can be done about a draft that cannot be removed; the next run clears it away.
            let _gone = unlinkat(&*self.folder, hidden, AtFlags::empty());
        }
    }
}

/// A whole file that is not in its place yet; it goes when it is dropped.
#[derive(Debug)]
pub struct Ready {
    draft: Draft,
    bytes: u64,
}

impl Ready {
    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Puts it in the place of what has its name, be that a link: the link goes, and what it leads to stays.
    ///
    /// # Errors
    /// A folder has that name, or the file system refuses.
    pub fn place(mut self) -> io::Result<u64> {
        if self.draft.hidden.is_none() {
            self.draft.hidden = Some(self.draft.give_name()?);
        }
        if let Some(hidden) = &self.draft.hidden {
            renameat(&*self.draft.folder, hidden, &*self.draft.folder, &self.draft.target)?;
            self.draft.hidden = None;
        }
        // Not every file system can; the file itself is safe already.
        let _synced = rustix::fs::fsync(&*self.draft.folder);
        Ok(self.bytes)
    }
}

/// Does something with a name that cannot be guessed, until one is free.
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

/// A name with 128 bits of the system's random.
fn new_name() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    let filled = getrandom(&mut bytes[..], GetRandomFlags::empty())?;
    if filled != bytes.len() {
        return Err(io::Error::other("the system has no random bytes"));
    }
    Ok(format!("{DRAFT}{:032x}", u128::from_ne_bytes(bytes)))
}

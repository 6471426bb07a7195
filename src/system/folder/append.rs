//! A file that grows at its end, and that only its owner can read.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, openat};

/// A new file of a folder that is only appended to.
#[derive(Debug)]
pub struct Appending(File);

impl Appending {
    /// Creates the file: an existing one of that name is neither opened nor followed.
    pub(super) fn new(folder: &OwnedFd, name: &str) -> io::Result<Self> {
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC;
        Ok(Self(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into()))
    }

    /// Flushes what was written to the disk.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

impl Write for Appending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

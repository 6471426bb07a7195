//! How the bytes of a file come in: from the disk, or from one that fails.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What stands between a reader and the files: a simulated world cuts a read short, refuses one, or puts another file in
/// the place of one between two reads.
pub trait Disk {
    /// Called before a file is opened.
    ///
    /// # Errors
    /// The file cannot be opened.
    fn before(&mut self, path: &Path) -> io::Result<()> {
        let _ = path;
        Ok(())
    }

    /// One read of an open file; nothing at its end.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&mut self, file: &mut File, into: &mut [u8]) -> io::Result<usize> {
        file.read(into)
    }

    /// Whether a file is read as it is, all at once.
    fn is_plain(&self) -> bool {
        false
    }
}

/// The disk as it is.
#[derive(Clone, Copy, Debug)]
pub struct TheDisk;

impl Disk for TheDisk {
    fn is_plain(&self) -> bool {
        true
    }
}

/// An open file on a disk.
pub(super) struct OnDisk<'d> {
    pub(super) disk: &'d mut dyn Disk,
    pub(super) file: &'d mut File,
}

impl Read for OnDisk<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.disk.read(self.file, into)
    }
}

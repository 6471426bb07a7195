//! Reads the bytes of a file from the disk, or from a simulated one that fails.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A layer between readers and files: in tests it truncates or refuses a read, or replaces a file between two reads.
pub trait Disk {
    /// Called before a file is opened.
    ///
    /// # Errors
    /// If the file cannot be opened.
    fn before(&mut self, path: &Path) -> io::Result<()> {
        let _ = path;
        Ok(())
    }

    /// Reads once from an open file; returns 0 at its end.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self, file: &mut File, into: &mut [u8]) -> io::Result<usize> {
        file.read(into)
    }

    /// Whether files are read unchanged, all at once.
    fn is_plain(&self) -> bool {
        false
    }
}

/// The real disk.
#[derive(Clone, Copy, Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn is_plain(&self) -> bool {
        true
    }
}

/// An open file on a disk.
pub(super) struct DiskFile<'d> {
    pub(super) disk: &'d mut dyn Disk,
    pub(super) file: &'d mut File,
}

impl Read for DiskFile<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.disk.read(self.file, into)
    }
}

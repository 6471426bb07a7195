//! One text put in its place at once: by another name first, so that a reader sees the old one or the new one.

use std::io::{self, Write};

use super::Folder;

impl Folder {
    /// Writes a file of this name, for its owner only; one that is there is replaced.
    ///
    /// # Errors
    /// The folder cannot be written, or the disk is full.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut draft = self.draft(name)?;
        draft.write_all(bytes)?;
        draft.finish()?.place().map(drop)
    }
}

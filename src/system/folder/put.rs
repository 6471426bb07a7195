//! Puts one text in its place at once: under another name first, so that a reader sees either the old or the new one.

use std::io::{self, Write};

use super::Folder;

impl Folder {
    /// Writes a file of this name, readable by its owner only; an existing one is replaced.
    ///
    /// # Errors
    /// If the folder cannot be written, or the disk is full.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut draft = self.draft(name)?;
        draft.write_all(bytes)?;
        draft.finish()?.place().map(drop)
    }
}

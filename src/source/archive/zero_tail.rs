//! Counts the zeros at the end of a stream, which show that an archive is whole.

use std::io::Read;

/// Length of a block of a tar archive, in bytes.
const TAR_BLOCK: usize = 512;

/// A stream that counts the zeros at the end of what was read.
pub(super) struct ZeroTail<R> {
    inner: R,
    zeros: usize,
}

impl<R> ZeroTail<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, zeros: 0 }
    }

    /// Whether what was read ends with a block of zeros, as an archive does.
    pub(super) fn ends_archive(&self) -> bool {
        self.zeros >= TAR_BLOCK
    }
}

impl<R: Read> Read for ZeroTail<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let length = self.inner.read(into)?;
        let read = into.get(..length).unwrap_or_default();
        let zeros = read.iter().rev().take_while(|byte| **byte == 0).count();
        self.zeros = if zeros == length { self.zeros.saturating_add(zeros) } else { zeros };
        Ok(length)
    }
}

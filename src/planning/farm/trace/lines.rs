//! Lines of a file, plain or compressed, one at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use qscope_system::input;

/// A line longer than this is no record.
const LONGEST: u64 = 16 << 20;

/// The lines of one file.
pub(super) struct Lines {
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    /// The line last read, from 1.
    pub(super) number: u64,
}

/// A line, or why it is none.
pub(super) enum TraceLine<'a> {
    Text(std::borrow::Cow<'a, str>),
    TooLong,
}

impl Lines {
    /// Opens a file, compressed with gzip or not; `read` counts bytes of the file itself.
    pub(super) fn open(path: &Path, read: Arc<AtomicU64>) -> io::Result<Self> {
        let file = Counted { file: input::open(path)?, read };
        let mut raw = BufReader::with_capacity(1 << 16, file);
        let packed = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn BufRead> = if packed {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(raw)))
        } else {
            Box::new(raw)
        };
        Ok(Self { reader, buffer: Vec::new(), number: 0 })
    }

    /// The next line without its line break.
    pub(super) fn next(&mut self) -> io::Result<Option<TraceLine<'_>>> {
        self.buffer.clear();
        let length = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.buffer)?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length as u64 == LONGEST && self.buffer.last() != Some(&b'\n') {
            self.reader.skip_until(b'\n')?;
            return Ok(Some(TraceLine::TooLong));
        }
        while matches!(self.buffer.last(), Some(b'\n' | b'\r')) {
            self.buffer.pop();
        }
        Ok(Some(TraceLine::Text(String::from_utf8_lossy(&self.buffer))))
    }
}

/// A file with a count of the bytes read.
struct Counted {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

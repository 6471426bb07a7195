//! Reads lines of a log or a trace, plain or compressed, one at a time. From a damaged or truncated file, the
//! complete lines before the damage are read.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use qscope_system::input::{self, InputError};

/// Maximum length of a line in bytes; a longer one is no record.
const LONGEST: u64 = 16 << 20;

pub struct FileLines {
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    /// Number of the line last read, from 1.
    pub number: u64,
}

/// A line, or an error in its place.
pub enum FileLine<'a> {
    /// The line without its line break; invalid UTF-8 is replaced.
    Text(Cow<'a, str>),
    /// It is longer than 16 MB.
    TooLong,
}

/// Returns the message that the rest of a file cannot be read.
pub fn rest_unread(why: &io::Error) -> String {
    format!("the rest cannot be read: {why}")
}

impl FileLines {
    /// Opens a file, compressed with gzip or not; `read` counts the bytes read from the file itself.
    ///
    /// # Errors
    /// If it cannot be opened, or its first bytes cannot be read.
    pub fn open(path: &Path, read: Arc<AtomicU64>) -> Result<Self, InputError> {
        let file = CountedFile { file: input::open(path)?, read };
        let mut raw = BufReader::with_capacity(1 << 16, file);
        let packed = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let reader: Box<dyn BufRead> = if packed {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(raw)))
        } else {
            Box::new(raw)
        };
        Ok(Self { reader, buffer: Vec::new(), number: 0 })
    }

    /// Passes on all lines of a file that are not blank. Returns why the rest could not be read, and after which
    /// line.
    ///
    /// # Errors
    /// If it cannot be opened, or no line of it can be read.
    pub fn for_each_line(
        path: &Path,
        take: &mut dyn FnMut(&FileLine<'_>),
    ) -> Result<Option<String>, InputError> {
        let mut lines = Self::open(path, Arc::default())?;
        loop {
            let number = lines.number;
            match lines.next_line() {
                Ok(None) => return Ok(None),
                Ok(Some(FileLine::Text(text))) if text.trim().is_empty() => {}
                Ok(Some(line)) => take(&line),
                Err(why) if number == 0 => return Err(why.into()),
                Err(why) => return Ok(Some(format!("after line {number} {}", rest_unread(&why)))),
            }
        }
    }

    /// Returns the next line.
    ///
    /// # Errors
    /// If the file cannot be read any further.
    pub fn next_line(&mut self) -> io::Result<Option<FileLine<'_>>> {
        self.buffer.clear();
        let length = (&mut self.reader).take(LONGEST).read_until(b'\n', &mut self.buffer)?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        if length as u64 == LONGEST && self.buffer.last() != Some(&b'\n') {
            self.reader.skip_until(b'\n')?;
            return Ok(Some(FileLine::TooLong));
        }
        while matches!(self.buffer.last(), Some(b'\n' | b'\r')) {
            self.buffer.pop();
        }
        Ok(Some(FileLine::Text(String::from_utf8_lossy(&self.buffer))))
    }
}

/// A file that counts the bytes read.
struct CountedFile {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for CountedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn of_a_damaged_file_the_whole_lines_before_the_damage_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("log.gz");
        let text: String = (0..5000u64).map(|n| format!("line {n} {}\n", n.wrapping_mul(n) % 9973)).collect();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        let read = |bytes: &[u8]| {
            std::fs::write(&at, bytes).unwrap();
            let mut seen = Vec::new();
            let damage = FileLines::for_each_line(&at, &mut |line| {
                if let FileLine::Text(text) = line {
                    seen.push(text.to_string());
                }
            });
            (seen, damage)
        };
        let (all, damage) = read(&packed);
        assert_eq!((all.len(), damage.unwrap()), (5000, None));
        let (some, damage) = read(&packed[..packed.len() * 2 / 3]);
        assert!(some.len() > 100 && some.len() < 5000 && all.starts_with(&some), "{}", some.len());
        let after = format!("after line {} the rest cannot be read: ", some.len());
        assert!(damage.unwrap().unwrap().starts_with(&after));
        assert!(read(&packed[..20]).1.is_err(), "not one line");
        assert_eq!(read(b"a\n\nb").0, ["a", "b"]);
    }
}

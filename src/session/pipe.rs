//! Standard input, which can be read only once but may be requested repeatedly.

use std::io::{self, Cursor, Read};
use std::sync::OnceLock;

/// The bytes that were read, or the error.
static CAME: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();

/// A reader of standard input from its beginning; the input is read on first use.
pub(super) struct StdinReader {
    max_bytes: u64,
    at: Option<Cursor<&'static [u8]>>,
}

impl StdinReader {
    /// Reads at most `max_bytes` bytes, and one more, which shows that the input is longer.
    pub(super) fn new(max_bytes: u64) -> Self {
        Self { max_bytes, at: None }
    }

    fn whole_input(&self) -> io::Result<&'static [u8]> {
        let whole = CAME.get_or_init(|| {
            let mut bytes = Vec::new();
            let stdin = io::stdin().lock();
            let read = stdin.take(self.max_bytes.saturating_add(1)).read_to_end(&mut bytes);
            read.map(|_| bytes).map_err(|why| why.to_string())
        });
        whole.as_deref().map_err(|why| io::Error::other(why.as_str()))
    }
}

impl Read for StdinReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut at = match self.at.take() {
            Some(at) => at,
            None => Cursor::new(self.whole_input()?),
        };
        let read = at.read(into);
        self.at = Some(at);
        read
    }
}

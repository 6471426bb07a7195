//! Standard input, which comes once and can be asked for more than once.

use std::io::{self, Cursor, Read};
use std::sync::OnceLock;

/// What came, or why nothing could be read.
static CAME: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();

/// Standard input from its beginning; it is read when it is first asked for.
pub(super) struct Pipe {
    most: u64,
    at: Option<Cursor<&'static [u8]>>,
}

impl Pipe {
    /// At most so many bytes of it, and one more, which shows that there are more.
    pub(super) fn new(most: u64) -> Self {
        Self { most, at: None }
    }

    fn came(&self) -> io::Result<&'static [u8]> {
        let whole = CAME.get_or_init(|| {
            let mut bytes = Vec::new();
            let stdin = io::stdin().lock();
            let read = stdin.take(self.most.saturating_add(1)).read_to_end(&mut bytes);
            read.map(|_| bytes).map_err(|why| why.to_string())
        });
        whole.as_deref().map_err(|why| io::Error::other(why.as_str()))
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut at = match self.at.take() {
            Some(at) => at,
            None => Cursor::new(self.came()?),
        };
        let read = at.read(into);
        self.at = Some(at);
        read
    }
}

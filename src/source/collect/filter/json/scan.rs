//! Scans JSON piece by piece, strictly enough that nothing else is taken for a string.

use std::ops::Range;

/// Maximum nesting depth.
const DEEPEST: usize = 64;

/// Input that is not as expected, from this byte on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScanError {
    pub(super) at: usize,
}

/// A position in a dump.
pub(super) struct JsonScanner<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// Number of open objects and arrays.
    pub(super) depth: usize,
}

/// Takes a member after its key was read; its value comes next.
type MemberCallback<'m, 'a> = &'m mut dyn FnMut(&mut JsonScanner<'a>, Range<usize>) -> Result<(), ScanError>;

impl<'a> JsonScanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 0 }
    }

    /// Returns the bytes of a range.
    pub(super) fn slice(&self, range: &Range<usize>) -> &'a [u8] {
        self.bytes.get(range.clone()).unwrap_or_default()
    }

    /// Returns the text between the quotes of a string.
    pub(super) fn text(&self, string: &Range<usize>) -> &'a [u8] {
        self.slice(&(string.start + 1..string.end.saturating_sub(1).max(string.start + 1)))
    }

    /// Whether an object comes next.
    pub(super) fn is_object(&mut self) -> bool {
        self.blanks();
        self.peek() == Some(b'{')
    }

    /// Takes an object member by member. If its first member begins a line, all of them must.
    pub(super) fn object(&mut self, member: MemberCallback<'_, 'a>) -> Result<Range<usize>, ScanError> {
        let start = self.enter(b'{')?;
        let in_lines = self.blanks();
        loop {
            if self.peek() == Some(b'}') {
                return Ok(self.leave(start));
            }
            let key = self.string()?;
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            member(self, key)?;
            self.blanks();
            if self.peek() == Some(b',') {
                self.at += 1;
                if self.blanks() != in_lines && self.peek() != Some(b'}') {
                    return Err(self.broken());
                }
            } else if self.peek() != Some(b'}') {
                return Err(self.broken());
            }
        }
    }

    fn array(&mut self) -> Result<Range<usize>, ScanError> {
        let start = self.enter(b'[')?;
        loop {
            self.blanks();
            if self.peek() == Some(b']') {
                return Ok(self.leave(start));
            }
            self.value()?;
            self.blanks();
            if self.peek() == Some(b',') {
                self.at += 1;
            } else if self.peek() != Some(b']') {
                return Err(self.broken());
            }
        }
    }

    pub(super) fn value(&mut self) -> Result<Range<usize>, ScanError> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(&mut |scan, _| scan.value().map(drop)),
            Some(b'[') => self.array(),
            _ => self.scalar(),
        }
    }

    /// Takes a string, a number or a word.
    pub(super) fn scalar(&mut self) -> Result<Range<usize>, ScanError> {
        self.blanks();
        if self.peek() == Some(b'"') {
            return self.string();
        }
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)) {
            self.at += 1;
        }
        if self.at == start { Err(self.broken()) } else { Ok(start..self.at) }
    }

    /// Takes a string, which never spans several lines.
    fn string(&mut self) -> Result<Range<usize>, ScanError> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') if self.bytes.get(self.at + 1).is_some_and(|byte| *byte != b'\n') => self.at += 2,
                None | Some(b'\n' | b'\\') => return Err(self.broken()),
                Some(_) => self.at += 1,
            }
        }
    }

    /// Checks that nothing follows.
    pub(super) fn end(&mut self) -> Result<(), ScanError> {
        self.blanks();
        if self.peek().is_none() { Ok(()) } else { Err(self.broken()) }
    }

    /// Finds the end of a record by its layout, if its key is alone at the beginning of its line: the record ends at
    /// the first line, from `start`, that closes at the same margin. Returns its end, and the position after it.
    pub(super) fn end_by_layout(&self, key: &Range<usize>, start: usize) -> Option<(usize, usize)> {
        let line = self.bytes.get(..key.start)?.iter().rposition(|byte| *byte == b'\n')? + 1;
        let margin = self.slice(&(line..key.start));
        if !margin.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let mut at = start;
        loop {
            at += self.bytes.get(at..)?.iter().position(|byte| *byte == b'\n')? + 1;
            let rest = self.bytes.get(at..)?.strip_prefix(margin);
            if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(b"}"))
                && matches!(rest.first(), None | Some(b',' | b'\n' | b'\r'))
            {
                return Some((at, at + margin.len() + 1));
            }
        }
    }

    fn enter(&mut self, bracket: u8) -> Result<usize, ScanError> {
        self.blanks();
        let start = self.at;
        self.expect(bracket)?;
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.broken()) } else { Ok(start) }
    }

    fn leave(&mut self, start: usize) -> Range<usize> {
        self.depth = self.depth.saturating_sub(1);
        self.at += 1;
        start..self.at
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), ScanError> {
        if self.peek() != Some(byte) {
            return Err(self.broken());
        }
        self.at += 1;
        Ok(())
    }

    /// Skips blanks, and returns whether a line ended among them.
    fn blanks(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.slice(&(start..self.at)).contains(&b'\n')
    }

    fn broken(&self) -> ScanError {
        ScanError { at: self.at }
    }
}

//! Finds the starts of objects and records.

use memchr::memmem::Finder;

use super::string::skip_blanks;
use crate::intake::behind_escape;
use crate::record::DumpKind;

/// Returns where the first object starts: a brace at the start of a line, followed by a name or the end.
pub(super) fn object_start(bytes: &[u8]) -> Option<usize> {
    let mut line = bytes.len() - bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).len();
    loop {
        let at = skip_blanks_and_escapes(bytes, line);
        if *bytes.get(at)? == b'{'
            && matches!(bytes.get(skip_blanks(bytes, at + 1)), None | Some(b'"' | b'}' | b','))
        {
            return Some(at);
        }
        line = at + memchr::memchr(b'\n', bytes.get(at..)?)? + 1;
    }
}

/// Skips blanks, and the sequences that a shell prints for the terminal, such as `ESC[?1034h`.
fn skip_blanks_and_escapes(bytes: &[u8], from: usize) -> usize {
    let mut at = skip_blanks(bytes, from);
    while let Some(after) = bytes.get(at..).and_then(|rest| rest.strip_prefix(b"\x1b")) {
        at = skip_blanks(bytes, bytes.len() - behind_escape(after).len());
    }
    at
}

/// Finds the headers of records: a name, a brace, and the first attribute of every record.
pub(super) struct HeaderFinder<'a> {
    bytes: &'a [u8],
    /// Name of the first attribute, in quotes.
    first_key: Vec<u8>,
    /// The last search: its start, and its result.
    seen: Option<(usize, Option<usize>)>,
}

impl<'a> HeaderFinder<'a> {
    /// Assumes that records begin with the usual first attribute, or else with that of the first record.
    pub(super) fn learn(bytes: &'a [u8], kind: DumpKind) -> Self {
        let first_key = format!("\"{}\"", kind.first_attribute()).into_bytes();
        let mut headers = Self { bytes, first_key, seen: None };
        if headers.next(0).is_none()
            && let Some(key) = first_key_of_section(bytes, kind)
        {
            headers.first_key = key.to_vec();
            headers.seen = None;
        }
        headers
    }

    /// Returns the name of the first attribute, in quotes.
    pub(super) fn first_key(&self) -> &[u8] {
        &self.first_key
    }

    /// Returns where the name of the next record is, from a byte on.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        if let Some((since, found)) = self.seen
            && since <= from
            && found.is_none_or(|at| at >= from)
        {
            return found;
        }
        let bytes = self.bytes;
        let finder = Finder::new(&self.first_key);
        let found = finder
            .find_iter(bytes.get(from..).unwrap_or_default())
            .find_map(|at| name_before(bytes, from + at).filter(|start| *start >= from));
        self.seen = Some((from, found));
        found
    }
}

/// Returns the first name in the first record of the section.
fn first_key_of_section(bytes: &[u8], kind: DumpKind) -> Option<&[u8]> {
    let section = format!("\"{}\"", kind.section());
    let start = Finder::new(&section).find(bytes)? + section.len();
    let mut braces = memchr::memchr_iter(b'{', bytes.get(start..)?);
    let body = skip_blanks(bytes, start + braces.nth(1)? + 1);
    let rest = bytes.get(body..).filter(|rest| rest.first() == Some(&b'"'))?;
    let length = memchr::memchr(b'"', rest.get(1..)?)?;
    rest.get(..length + 2)
}

/// Returns the start of the name before `: {` and this position.
fn name_before(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes.get(..at)?.trim_ascii_end().strip_suffix(b"{")?.trim_ascii_end();
    let before = before.strip_suffix(b":")?.trim_ascii_end().strip_suffix(b"\"")?;
    memchr::memrchr(b'"', before)
}

//! The fast path for the common case: an attribute on one whole line.

use super::line::{TextSpan, is_word};
use crate::record::{DumpKind, is_private};
use crate::scan::first_of;

/// A plain attribute.
pub(super) struct PlainAttribute<'a> {
    pub(super) name: &'a str,
    pub(super) resource: Option<&'a str>,
    pub(super) value: &'a str,
    /// Range of the value.
    pub(super) span: TextSpan,
    /// Byte offset of the next line.
    pub(super) next: usize,
}

/// Returns the indentation of attributes in a dump; `None` if any line could be a header.
pub(super) fn indent(kind: DumpKind) -> Option<usize> {
    match kind {
        DumpKind::Reservations => None,
        DumpKind::Nodes => Some(5),
        _ => Some(4),
    }
}

/// Returns the attribute on the line that starts at `start` within a record, if it is plain: indented as by its
/// client, not private, ended by a newline alone, and not before a line that could be a record's second one. All
/// other lines are classified one by one.
#[inline]
pub(super) fn attribute(text: &str, start: usize, indent: usize, first: u8) -> Option<PlainAttribute<'_>> {
    let bytes = text.as_bytes();
    let from = start + indent;
    if !b"     ".starts_with(bytes.get(start..from)?) || !bytes.get(from)?.is_ascii_alphabetic() {
        return None;
    }
    let mut at = from + 1;
    while is_word(*bytes.get(at)?) {
        at += 1;
    }
    let name = (from, at);
    let mut resource = None;
    if bytes.get(at) == Some(&b'.') {
        let end = first_of(bytes, at + 1, b' ', b'\n')?;
        resource = Some((at + 1, end));
        at = end;
    }
    if bytes.get(at..at + 3)? != b" = " {
        return None;
    }
    let end = first_of(bytes, at + 3, b'\n', b'\n')?;
    if bytes.get(end - 1) == Some(&b'\r') || bytes.get(end + 1 + indent) == Some(&first) {
        return None;
    }
    let name = text.get(name.0..name.1).filter(|name| !is_private(name))?;
    let resource = match resource {
        Some((from, end)) => Some(text.get(from..end)?),
        None => None,
    };
    let span = (at + 3, end);
    Some(PlainAttribute { name, resource, value: text.get(at + 3..end)?, span, next: end + 1 })
}

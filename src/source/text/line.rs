//! Classifies the lines of a text dump.

use crate::record::DumpKind;
use crate::scan::first_of;

/// Start and end of a range of bytes in the dump, the end exclusive.
pub(crate) type TextSpan = (usize, usize);

/// A classified line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextLine<'a> {
    /// An empty line.
    Blank,
    /// Starts the record with this name.
    Header(&'a [u8]),
    /// `name.resource = value`.
    Attribute {
        name: TextSpan,
        /// The resource after the dot.
        resource: Option<TextSpan>,
        /// The value up to the line's end.
        value: TextSpan,
    },
    /// Starts a record, according to the next line, though its header cannot be read.
    Damaged(&'a [u8]),
    /// Continues the previous value, folded by the client.
    Fold(&'a [u8]),
    /// Anything else; within a record, it continues a value with newlines of its own.
    Other(&'a [u8]),
}

/// The lines of a dump with their numbers, from 1.
pub(crate) struct TextLines<'a> {
    kind: DumpKind,
    bytes: &'a [u8],
    /// Byte offset of the next line.
    pub(crate) at: usize,
    number: usize,
    after_blank: bool,
    inside: bool,
    /// Whether the current line is the last one and has no line end.
    is_cut: bool,
}

impl<'a> TextLines<'a> {
    pub(crate) fn new(kind: DumpKind, bytes: &'a [u8]) -> Self {
        Self { kind, bytes, at: 0, number: 0, after_blank: true, inside: false, is_cut: false }
    }

    /// Skips an attribute's line that was already read.
    #[inline]
    pub(crate) fn pass(&mut self, next: usize) {
        self.at = next;
        self.number += 1;
        self.after_blank = false;
    }

    /// Returns the number of the line read last.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Returns the range of the line at a byte, without its line end, and where the next one starts.
    #[inline]
    fn line_at(&self, start: usize) -> (TextSpan, usize) {
        let end = first_of(self.bytes, start, b'\n', b'\n').unwrap_or(self.bytes.len());
        let cr = end > start && self.bytes.get(end - 1) == Some(&b'\r');
        ((start, end - usize::from(cr)), (end + 1).min(self.bytes.len()))
    }

    fn bytes(&self, (from, end): TextSpan) -> &'a [u8] {
        self.bytes.get(from..end).unwrap_or_default()
    }

    #[inline]
    fn classify(&self, span: TextSpan) -> TextLine<'a> {
        let line = self.bytes(span);
        if line.is_empty() {
            return TextLine::Blank;
        }
        if let Some(name) = self.header(line) {
            return TextLine::Header(name);
        }
        if self.inside && self.first_attribute_follows() && !line.trim_ascii().is_empty() {
            return TextLine::Damaged(line);
        }
        if self.inside
            && self.kind.folds()
            && let Some(rest) = line.strip_prefix(b"\t").or_else(|| line.strip_prefix(b"        "))
        {
            return TextLine::Fold(rest);
        }
        if let Some(attribute) = attribute(line, span.0, self.kind) {
            return attribute;
        }
        if line.trim_ascii().is_empty() || self.inside && self.is_cut && self.after_blank {
            return TextLine::Blank;
        }
        match line.strip_prefix(b"    ") {
            Some(rest) if self.inside && self.kind.folds() => TextLine::Fold(rest),
            _ => TextLine::Other(line),
        }
    }

    /// Returns the record's name, if this line starts one.
    fn header(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        if matches!(line.first(), Some(b' ' | b'\t')) {
            return None;
        }
        if let Some(rest) = line.strip_prefix(self.kind.header().as_bytes()) {
            let colon = rest.strip_prefix(b":");
            let name = colon.or_else(|| rest.strip_prefix(b" ")).map(<[u8]>::trim_ascii).unwrap_or_default();
            let certain = (colon.is_some() && self.after_blank) || self.attribute_follows();
            if !name.is_empty() && certain {
                return Some(name);
            }
        }
        // Records may follow one another without an empty line.
        let is_bare = self.kind == DumpKind::Nodes && !line.trim_ascii().contains(&b' ');
        let is_first =
            || if self.after_blank { self.attribute_follows() } else { self.first_attribute_follows() };
        (is_bare && is_first()).then(|| line.trim_ascii())
    }

    /// Whether the next line is the first attribute of every record.
    #[inline]
    fn first_attribute_follows(&self) -> bool {
        let first = self.kind.first_attribute().as_bytes();
        let mut at = self.at;
        while matches!(self.bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        if self.bytes.get(at) != first.first() {
            return false;
        }
        let (next, _) = self.line_at(self.at);
        matches!(attribute(self.bytes(next), next.0, self.kind),
            Some(TextLine::Attribute { name, .. }) if self.bytes(name) == first)
    }

    /// Whether the next line that is not blank is an attribute, as it must be after a header; a header with nothing
    /// after it is valid too.
    fn attribute_follows(&self) -> bool {
        let mut start = self.at;
        loop {
            let (span, after) = self.line_at(start);
            let line = self.bytes(span);
            let is_last = after >= self.bytes.len();
            if line.trim_ascii().is_empty() && !is_last {
                start = after;
                continue;
            }
            let is_cut = is_last && !self.bytes.ends_with(b"\n");
            return line.trim_ascii().is_empty()
                || is_cut
                || attribute(line, span.0, self.kind).is_some()
                || self.kind != DumpKind::Nodes && line.starts_with(self.kind.header().as_bytes());
        }
    }
}

impl<'a> Iterator for TextLines<'a> {
    type Item = (usize, TextLine<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let (span, after) = self.line_at(self.at);
        self.is_cut = after >= self.bytes.len() && !self.bytes.ends_with(b"\n");
        self.at = after;
        self.number += 1;
        let class = self.classify(span);
        self.after_blank = class == TextLine::Blank;
        self.inside |= matches!(class, TextLine::Header(_));
        Some((self.number, class))
    }
}

impl DumpKind {
    /// Whether the client folds long values; `pbsnodes` and `pbs_rstat` never do.
    fn folds(self) -> bool {
        !matches!(self, Self::Nodes | Self::Reservations)
    }
}

/// Whether a line within a record is an attribute, or continues the one before as clients fold it.
pub(super) fn is_complete(kind: DumpKind, line: &[u8]) -> bool {
    let is_fold = || kind.folds() && (line.starts_with(b"\t") || line.starts_with(b"        "));
    attribute(line, 0, kind).is_some() || is_fold()
}

/// Bytes allowed in names of attributes, as bits: those below 64, and those from 64 on.
const WORD: (u64, u64) = {
    let mut bits = (0, 0);
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
            if byte < 64 {
                bits.0 |= 1 << byte;
            } else {
                bits.1 |= 1 << (byte - 64);
            }
        }
        byte += 1;
    }
    bits
};

/// Whether names of attributes may contain this byte.
#[inline]
pub(crate) fn is_word(byte: u8) -> bool {
    let bits = if byte & 64 == 0 { WORD.0 } else { WORD.1 };
    byte < 128 && bits >> (byte & 63) & 1 == 1
}

/// Parses `    name.resource = value` on the line that starts at `start`; reservations have no indentation, all
/// others some.
#[inline]
fn attribute(line: &[u8], start: usize, kind: DumpKind) -> Option<TextLine<'_>> {
    let body = line.trim_ascii_start();
    let indent = line.len() - body.len();
    if (indent == 0) != (kind == DumpKind::Reservations) || line.first() == Some(&b'\t') {
        return None;
    }
    let name_end = body.iter().position(|byte| !is_word(*byte))?;
    if !body.first()?.is_ascii_alphabetic() {
        return None;
    }
    let mut at = name_end;
    let mut resource = None;
    if body.get(at) == Some(&b'.') {
        let end = first_of(body, at + 1, b' ', b' ')?;
        resource = Some((at + 1, end));
        at = end;
    }
    if body.get(at..at + 2) != Some(b" =") {
        return None;
    }
    let value = match body.get(at + 2) {
        None => at + 2,
        Some(b' ') => at + 3,
        Some(_) => return None,
    };
    let placed = |(from, end): TextSpan| (start + indent + from, start + indent + end);
    let (name, value) = (placed((0, name_end)), placed((value, body.len())));
    Some(TextLine::Attribute { name, resource: resource.map(placed), value })
}

//! What a line of a text dump is.

use memchr::memchr;

use super::super::record::DumpKind;

/// One line, by what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line<'a> {
    /// Nothing on it.
    Blank,
    /// Starts the record of this name.
    Header(&'a [u8]),
    /// `name.resource = value`.
    Attribute {
        /// The name.
        name: &'a [u8],
        /// The resource behind the dot.
        resource: Option<&'a [u8]>,
        /// The value up to the line's end.
        value: &'a [u8],
    },
    /// Where a record starts, by what follows, though its header cannot be read.
    Damaged(&'a [u8]),
    /// More of the value before, split by the client.
    Fold(&'a [u8]),
    /// Anything else: within a record, more of a value that has newlines of its own.
    Other(&'a [u8]),
}

/// The lines of a dump with their numbers, from 1.
pub(super) struct Lines<'a> {
    kind: DumpKind,
    rest: &'a [u8],
    number: usize,
    after_blank: bool,
    inside: bool,
    /// Whether the current line is the last and has no end.
    cut: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(kind: DumpKind, bytes: &'a [u8]) -> Self {
        Self { kind, rest: bytes, number: 0, after_blank: true, inside: false, cut: false }
    }

    fn classify(&self, line: &'a [u8]) -> Line<'a> {
        if line.is_empty() {
            return Line::Blank;
        }
        if let Some(name) = self.header(line) {
            return Line::Header(name);
        }
        if self.inside && self.first_attribute_follows() && !line.trim_ascii().is_empty() {
            return Line::Damaged(line);
        }
        if self.inside
            && self.kind.folds()
            && let Some(rest) = line.strip_prefix(b"\t").or_else(|| line.strip_prefix(b"        "))
        {
            return Line::Fold(rest);
        }
        if let Some(attribute) = attribute(line, self.kind) {
            return attribute;
        }
        if line.trim_ascii().is_empty() || self.cut && self.after_blank {
            return Line::Blank;
        }
        match line.strip_prefix(b"    ") {
            Some(rest) if self.inside && self.kind.folds() => Line::Fold(rest),
            _ => Line::Other(line),
        }
    }

    /// The record's name, if this line starts one.
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
        let bare = self.kind == DumpKind::Nodes && self.after_blank && !line.trim_ascii().contains(&b' ');
        (bare && self.attribute_follows()).then(|| line.trim_ascii())
    }

    /// Whether the next line is the attribute that every record has first.
    fn first_attribute_follows(&self) -> bool {
        let first = self.kind.first_attribute().as_bytes();
        let (next, _) = split_line(self.rest);
        next.trim_ascii_start().starts_with(first)
            && matches!(attribute(next, self.kind), Some(Line::Attribute { name, .. }) if name == first)
    }

    /// Whether the next line that is not blank is an attribute, as it must be behind a header; a header
    /// with nothing behind it is one too.
    fn attribute_follows(&self) -> bool {
        let mut rest = self.rest;
        loop {
            let (line, after) = split_line(rest);
            if line.trim_ascii().is_empty() && !after.is_empty() {
                rest = after;
                continue;
            }
            let is_cut = after.is_empty() && !rest.ends_with(b"\n");
            return line.trim_ascii().is_empty()
                || is_cut
                || attribute(line, self.kind).is_some()
                || self.kind != DumpKind::Nodes && line.starts_with(self.kind.header().as_bytes());
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, Line<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, after) = split_line(self.rest);
        self.cut = after.is_empty() && !self.rest.ends_with(b"\n");
        self.rest = after;
        self.number += 1;
        let class = self.classify(line);
        self.after_blank = class == Line::Blank;
        self.inside |= matches!(class, Line::Header(_));
        Some((self.number, class))
    }
}

impl DumpKind {
    /// Whether the client folds long values; `pbsnodes` and `pbs_rstat` never do.
    fn folds(self) -> bool {
        !matches!(self, Self::Nodes | Self::Reservations)
    }
}

/// The first line without its end, and the rest.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr(b'\n', bytes).unwrap_or(bytes.len());
    let line = bytes.get(..end).unwrap_or_default();
    (line.strip_suffix(b"\r").unwrap_or(line), bytes.get(end + 1..).unwrap_or_default())
}

/// Reads `    name.resource = value`; reservations have no indentation, all others some.
fn attribute(line: &[u8], kind: DumpKind) -> Option<Line<'_>> {
    let body = line.trim_ascii_start();
    if (body.len() == line.len()) != (kind == DumpKind::Reservations) || line.first() == Some(&b'\t') {
        return None;
    }
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let name_end = body.iter().position(|b| !is_word(b))?;
    let (name, mut rest) = body.split_at_checked(name_end)?;
    if !name.first()?.is_ascii_alphabetic() {
        return None;
    }
    let mut resource = None;
    if let Some(dotted) = rest.strip_prefix(b".") {
        let end = memchr(b' ', dotted)?;
        let (found, behind) = dotted.split_at_checked(end)?;
        resource = Some(found);
        rest = behind;
    }
    let rest = rest.strip_prefix(b" =")?;
    let value = match rest.split_first() {
        None => rest,
        Some((b' ', value)) => value,
        Some(_) => return None,
    };
    Some(Line::Attribute { name, resource, value })
}

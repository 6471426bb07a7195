//! Reads dumps in the default form of the clients.
//!
//! A record starts only at its header line, never at an empty one: a fold can end a value exactly, which leaves an
//! empty line within a record, and values with raw newlines are printed unchanged. Pieces of a folded value are
//! joined as bytes before they become text, since a fold may split a character.

pub(crate) mod ending;
mod faked_attributes;
mod fast_path;
mod foreign;
pub(crate) mod line;

use std::borrow::Cow;
use std::ops::ControlFlow;

use self::ending::RecordEnds;
use self::faked_attributes::FakedAttributeFilter;
use self::fast_path::indent;
use self::line::{TextLine, TextLines, TextSpan};
use super::log::DiagnosticLog;
use super::record::{
    Attribute, DumpHeader, DumpKind, RawDump, Record, RecordCallback, is_private, text_of_bytes,
};
use qscope_engine::cluster::FilePosition;

/// Reads a dump; unreadable parts are reported in the log.
pub(crate) fn read<'a>(
    dump: RawDump<'a>,
    log: &mut DiagnosticLog,
    sink: RecordCallback<'_, 'a>,
) -> DumpHeader {
    let RawDump { kind, bytes, bounds } = dump;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = TextReader {
        kind,
        bytes,
        text: std::str::from_utf8(bytes).ok(),
        record: None,
        starts: 0,
        spare: Vec::new(),
        faked_filter: FakedAttributeFilter::default(),
        open: OpenAttribute::None,
        value: (0, 0),
        joined: None,
        skipped: 0,
        foreign: None,
        ends: RecordEnds::default(),
        header: DumpHeader::default(),
        record_size: bounds.record,
        log,
        sink,
    };
    let mut lines = TextLines::new(kind, bytes);
    loop {
        reader.plain_attributes(&mut lines);
        let start = lines.at;
        let Some((number, line)) = lines.next() else { break };
        if reader.take(number, start, line) == ControlFlow::Break(()) {
            return reader.header;
        }
    }
    reader.judge_end();
    let _ = reader.finish_record(bytes.len());
    reader.log.in_record("");
    reader.judge_skipped(bytes.trim_ascii().is_empty());
    reader.header
}

/// The attribute whose value may continue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenAttribute {
    /// None yet in this record.
    None,
    /// An attribute that is not kept.
    Skipped,
    /// The attribute at this index in the record.
    Kept(usize),
}

struct TextReader<'a, 'r> {
    kind: DumpKind,
    bytes: &'a [u8],
    /// All bytes as text, if they are valid UTF-8, so that values need not be checked again.
    text: Option<&'a str>,
    record: Option<Record<'a>>,
    /// Byte offset where the record starts.
    starts: usize,
    spare: Vec<Attribute<'a>>,
    faked_filter: FakedAttributeFilter,
    open: OpenAttribute,
    /// First line of the open attribute's value.
    value: TextSpan,
    /// The value so far, once it has several lines.
    joined: Option<Vec<u8>>,
    /// Number of lines outside any record.
    skipped: usize,
    /// The kind of other content that they show.
    foreign: Option<&'static str>,
    ends: RecordEnds,
    header: DumpHeader,
    record_size: usize,
    log: &'r mut DiagnosticLog,
    sink: RecordCallback<'r, 'a>,
}

impl<'a> TextReader<'a, '_> {
    /// Adds plain attributes to the record as long as they follow.
    fn plain_attributes(&mut self, lines: &mut TextLines<'a>) {
        let (Some(text), Some(indent), Some(first), false) = (
            self.text,
            indent(self.kind),
            self.kind.first_attribute().bytes().next(),
            self.faked_filter.is_on(),
        ) else {
            return;
        };
        let Some(record) = self.record.as_mut().filter(|_| self.joined.is_none()) else { return };
        let most = self.starts.saturating_add(self.record_size);
        while lines.at <= most
            && let Some(plain) = fast_path::attribute(text, lines.at, indent, first)
        {
            lines.pass(plain.next);
            self.open = OpenAttribute::Kept(record.attributes.len());
            self.value = plain.span;
            let (name, value) = (Cow::Borrowed(plain.name), Cow::Borrowed(plain.value));
            // Separate calls, so that each attribute is written field by field.
            record.attributes.push(match plain.resource {
                Some(resource) => {
                    Attribute::on_line(name, Some(Cow::Borrowed(resource)), value, lines.number())
                }
                None => Attribute::on_line(name, None, value, lines.number()),
            });
        }
    }

    fn take(&mut self, number: usize, start: usize, line: TextLine<'a>) -> ControlFlow<()> {
        match line {
            TextLine::Header(name) => {
                self.finish_record(start)?;
                let name = text_of_bytes(name);
                self.log.in_record(&name);
                let attributes = std::mem::take(&mut self.spare);
                self.record = Some(Record { name, position: FilePosition::Line(number), attributes });
                self.starts = start;
            }
            TextLine::Damaged(text) => {
                self.finish_record(start)?;
                self.log.in_record("");
                let expected = self.kind.header();
                self.log.error("record-damaged", FilePosition::Line(number), || {
                    format!(
                        "left out the record that starts here: found `{}`; expected `{expected}`",
                        text_of_bytes(text)
                    )
                });
            }
            // Nothing more is assembled for a record that will be refused.
            _ if self.record.is_some() && start - self.starts > self.record_size => {}
            _ if self.record.is_some() => self.line(number, line),
            TextLine::Blank | TextLine::Other([b'#', ..]) => {}
            TextLine::Other(text) => {
                self.foreign = self.foreign.or_else(|| foreign::named(text));
                self.skipped += 1;
            }
            _ => self.skipped += 1,
        }
        ControlFlow::Continue(())
    }

    /// Leaves out the last record if the file ends within it.
    fn judge_end(&mut self) {
        let Some(record) = &self.record else { return };
        let is_within = ending::is_within_attribute(self.kind, self.bytes);
        if !self.ends.is_whole(self.kind, record, (self.bytes, is_within), self.log) {
            self.record = None;
        }
    }

    /// Reports the number of lines outside any record.
    fn judge_skipped(&mut self, is_blank: bool) {
        let (kind, skipped) = (self.kind, self.skipped);
        if self.header.records == 0 && !is_blank && skipped > 0 {
            self.log.error("no-records", FilePosition::File, || {
                // Not quoted: a file without a record may be any file.
                let found = self.foreign.unwrap_or("other text");
                format!("found {found} and no record; expected what `{}` prints", kind.command())
            });
        } else if skipped > 0 {
            self.log.note("text-skipped", FilePosition::Line(1), || {
                format!("skipped {skipped} lines outside any record")
            });
        }
    }

    fn line(&mut self, number: usize, line: TextLine<'a>) {
        match line {
            TextLine::Attribute { name, resource, value } => self.attribute(number, name, resource, value),
            TextLine::Fold(rest) => self.join(b"", rest),
            TextLine::Other(rest) => {
                if self.open == OpenAttribute::None {
                    self.log.warn("text-line", FilePosition::Line(number), || {
                        format!("expected an attribute; skipped `{}`", text_of_bytes(rest))
                    });
                }
                self.join(b"\n", rest);
            }
            TextLine::Blank | TextLine::Header(_) | TextLine::Damaged(_) => {}
        }
    }

    /// Adds an attribute to the record; its value may continue.
    fn attribute(&mut self, number: usize, name: TextSpan, resource: Option<TextSpan>, value: TextSpan) {
        self.complete_attribute();
        self.value = value;
        let Some(record) = &mut self.record else { return };
        let piece = |(from, end): TextSpan| text_of_bytes(self.bytes.get(from..end).unwrap_or_default());
        let attribute = Attribute::on_line(piece(name), resource.map(piece), piece(value), number);
        self.open = OpenAttribute::Skipped;
        if is_private(&*attribute.name) {
            if self.kind == DumpKind::Jobs {
                self.faked_filter.start(record);
            }
        } else if self.faked_filter.is_on() {
            if let Some(at) = self.faked_filter.push(record, attribute, self.log) {
                self.open = OpenAttribute::Kept(at);
            }
        } else {
            self.open = OpenAttribute::Kept(record.attributes.len());
            record.attributes.push(attribute);
        }
    }

    /// Adds a piece to the open value.
    fn join(&mut self, between: &[u8], rest: &[u8]) {
        if !matches!(self.open, OpenAttribute::Kept(_)) {
            return;
        }
        let first = self.bytes.get(self.value.0..self.value.1).unwrap_or_default();
        let joined = self.joined.get_or_insert_with(|| first.to_vec());
        joined.extend_from_slice(between);
        joined.extend_from_slice(rest);
    }

    /// Sets the complete value of the open attribute, if it has several lines.
    fn complete_attribute(&mut self) {
        let (Some(joined), Some(record), OpenAttribute::Kept(at)) =
            (self.joined.take(), &mut self.record, self.open)
        else {
            return;
        };
        let value =
            String::from_utf8(joined).unwrap_or_else(|error| text_of_bytes(error.as_bytes()).into_owned());
        if let Some(attribute) = record.attributes.get_mut(at) {
            attribute.value = Cow::Owned(value);
        }
    }

    /// Passes on the record that ends at this byte.
    fn finish_record(&mut self, end: usize) -> ControlFlow<()> {
        self.complete_attribute();
        self.open = OpenAttribute::None;
        self.faked_filter.stop();
        let Some(mut record) = self.record.take() else { return ControlFlow::Continue(()) };
        let length = end - self.starts;
        let flow = if length > self.record_size {
            self.log.refuse_size(record.position, length, self.record_size);
            ControlFlow::Continue(())
        } else {
            self.ends.note(self.kind, &record);
            self.header.records += 1;
            (self.sink)(&record, self.log)
        };
        record.attributes.clear();
        self.spare = record.attributes;
        flow
    }
}

#[cfg(test)]
mod tests;

//! Records, the common form of all dumps.

use std::borrow::Cow;
use std::ops::ControlFlow;

use qscope_engine::cluster::{Epoch, FilePosition};

use super::bounds::ReadLimits;
pub(crate) use super::dump_kind::DumpKind;
use super::log::DiagnosticLog;

/// A text in a dump, owned only if it had to be assembled.
pub(crate) type Text<'a> = Cow<'a, str>;

/// One attribute of a record.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute<'a> {
    pub(crate) name: Text<'a>,
    /// The resource after the dot; in JSON, the inner key.
    pub(crate) resource: Option<Text<'a>>,
    /// Text of the value: escapes and folds undone, numbers as written.
    pub(crate) value: Text<'a>,
    /// Line number or else byte offset; two plain fields, since there are hundreds of thousands of them.
    at: usize,
    by_line: bool,
}

impl<'a> Attribute<'a> {
    /// Creates an attribute found at a byte offset.
    #[inline]
    pub(crate) fn at_byte(name: Text<'a>, resource: Option<Text<'a>>, value: Text<'a>, at: usize) -> Self {
        Self { name, resource, value, at, by_line: false }
    }

    /// Creates an attribute found on a line.
    #[inline]
    pub(crate) fn on_line(name: Text<'a>, resource: Option<Text<'a>>, value: Text<'a>, at: usize) -> Self {
        Self { name, resource, value, at, by_line: true }
    }

    /// Returns the name including the resource, as `Resource_List.ncpus`.
    pub(crate) fn full_name(&self) -> String {
        match &self.resource {
            Some(resource) => format!("{}.{resource}", self.name),
            None => self.name.to_string(),
        }
    }

    /// Returns its place.
    pub(crate) fn spot(&self) -> FilePosition {
        if self.by_line { FilePosition::Line(self.at) } else { FilePosition::Byte(self.at) }
    }
}

/// A node, job, queue, …: a name and attributes in order, including repeated ones.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) name: Text<'a>,
    /// The place where it starts.
    pub(crate) position: FilePosition,
    pub(crate) attributes: Vec<Attribute<'a>>,
}

impl Record<'_> {
    /// Returns the last value of an attribute without resource.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .rev()
            .find(|attribute| attribute.name == name && attribute.resource.is_none())
            .map(|attribute| &*attribute.value)
    }

    /// Returns the full name and the value of every attribute, for tests.
    #[cfg(test)]
    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        self.attributes.iter().map(|one| (one.full_name(), one.value.to_string())).collect()
    }
}

/// Facts that a dump states about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct DumpHeader {
    /// Time at which it was made.
    pub(crate) timestamp: Option<Epoch>,
    /// Name of the server it came from.
    pub(crate) server: Option<String>,
    /// Version of the server.
    pub(crate) version: Option<String>,
    /// Number of records passed on.
    pub(crate) records: usize,
}

/// Takes the records one by one; can stop.
pub(crate) type RecordCallback<'s, 'a> =
    &'s mut dyn FnMut(&Record<'a>, &mut DiagnosticLog) -> ControlFlow<()>;

/// The bytes of a record after its name, and the first attribute of every record of its dump, by which the end of the
/// record is recognized.
#[derive(Clone, Copy)]
pub(crate) struct RecordBody<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) first_key: &'b [u8],
    /// Byte offset of the first byte in the file.
    pub(crate) at: usize,
    /// Byte offset of the record's name, if the record is among others in the dump's section.
    pub(crate) from: Option<usize>,
}

/// Takes the records of a dump, some of which may be known from an earlier dump.
pub(crate) trait RecordSink<'a> {
    /// Takes a record, with its body if it was read without any repair.
    fn take(
        &mut self,
        record: &Record<'a>,
        body: Option<RecordBody<'_>>,
        log: &mut DiagnosticLog,
    ) -> ControlFlow<()>;

    /// Takes a record without its attributes, if one of this name and followed by these bytes was taken before;
    /// returns the length of its body in bytes.
    fn take_unchanged(
        &mut self,
        _name: &str,
        _position: FilePosition,
        _body: RecordBody<'_>,
        _log: &mut DiagnosticLog,
    ) -> Option<usize> {
        None
    }

    /// Takes several records of the section, if the next bytes, from a record's name on, are those of consecutive
    /// records taken before; returns the number of bytes and of records.
    fn again_run(&mut self, _rest: RecordBody<'_>, _log: &mut DiagnosticLog) -> Option<(usize, usize)> {
        None
    }

    /// Returns the byte offset from which the next piece of the dump is to be read, if it is read in pieces.
    fn next_piece(&mut self) -> Option<usize> {
        None
    }

    /// Whether most records are likely to be known.
    fn knows_most(&self) -> bool {
        false
    }
}

/// Takes every record as it is read.
pub(crate) struct CallbackSink<'s, 'a>(pub(crate) RecordCallback<'s, 'a>);

impl<'a> RecordSink<'a> for CallbackSink<'_, 'a> {
    fn take(
        &mut self,
        record: &Record<'a>,
        _: Option<RecordBody<'_>>,
        log: &mut DiagnosticLog,
    ) -> ControlFlow<()> {
        (self.0)(record, log)
    }
}

/// A dump that is not yet read.
#[derive(Clone, Copy)]
pub(crate) struct RawDump<'a> {
    pub(crate) kind: DumpKind,
    pub(crate) bytes: &'a [u8],
    /// Limits on what is read.
    pub(crate) bounds: ReadLimits,
}

impl<'a> RawDump<'a> {
    /// Creates a dump with the default limits.
    pub(crate) fn new(kind: DumpKind, bytes: &'a [u8]) -> Self {
        Self { kind, bytes, bounds: ReadLimits::default() }
    }
}

/// Attributes that are never kept: environments of users, long and private.
#[inline]
pub(crate) fn is_private(name: impl AsRef<[u8]>) -> bool {
    name.as_ref() == b"Variable_List"
}

/// Attributes whose values are stored by resource.
pub(crate) fn has_resources(name: &str) -> bool {
    matches!(name, "Resource_List" | "default_chunk" | "estimated" | "Variable_List")
        || name.starts_with("resources_")
        || name.starts_with("resource_")
        || name.contains("_res") && (name.starts_with("max_") || name.starts_with("queued_jobs_threshold"))
        || name == "resources"
}

/// Returns bytes as text; bytes that are not UTF-8 are shown as `\xNN`.
pub(crate) fn text_of_bytes(bytes: &[u8]) -> Text<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(escaped(bytes)),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_text_are_shown() {
        assert_eq!(text_of_bytes(b"caf\xe9!"), "caf\\xe9!");
        assert_eq!(text_of_bytes("é".as_bytes()), "é");
    }

    #[test]
    fn resources_hang_on_known_attributes() {
        assert!(has_resources("resources_available"));
        assert!(has_resources("max_run_res_soft"));
        assert!(!has_resources("max_run"));
        assert!(!has_resources("comment"));
    }
}

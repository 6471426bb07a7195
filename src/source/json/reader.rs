//! Reads the objects of a dump and passes on its records.

use std::ops::ControlFlow;

use super::cursor::{Cursor, JsonError, JsonRepair};
use super::header::{HeaderFinder, object_start};
use super::moment;
use super::record::{RecordEnd, members};
use super::string::StringRole;
use crate::log::DiagnosticLog;
use crate::record::{
    Attribute, DumpHeader, DumpKind, RawDump, Record, RecordBody, RecordSink, Text, has_resources,
};
use qscope_engine::cluster::{FilePosition, deduplicated, message_excerpt};

/// Reads one dump.
pub(super) struct JsonReader<'a, 'r> {
    pub(super) kind: DumpKind,
    pub(super) cursor: Cursor<'a>,
    pub(super) headers: HeaderFinder<'a>,
    pub(super) log: &'r mut DiagnosticLog,
    sink: &'r mut dyn RecordSink<'a>,
    pub(super) header: DumpHeader,
    spare: Vec<Attribute<'a>>,
    /// Names of objects other than the section.
    other_objects: Vec<String>,
    had_section: bool,
    is_stopped: bool,
    pub(super) is_cut: bool,
    /// Whether a damaged record was abandoned for the next one's header.
    pub(super) resynchronised: bool,
    record_size: usize,
}

/// The object whose members are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonLevel {
    /// The outermost object: what the dump states about itself, and the section.
    Root,
    /// The section: records.
    Section,
}

impl<'a, 'r> JsonReader<'a, 'r> {
    pub(super) fn new(
        dump: RawDump<'a>,
        log: &'r mut DiagnosticLog,
        sink: &'r mut dyn RecordSink<'a>,
    ) -> Self {
        let RawDump { kind, bytes, bounds } = dump;
        let cursor = match sink.knows_most() {
            true => Cursor::without_utf8_check(bytes, bounds.nesting),
            false => Cursor::new(bytes, bounds.nesting),
        };
        Self {
            kind,
            cursor,
            headers: HeaderFinder::learn(bytes, kind),
            log,
            sink,
            header: DumpHeader::default(),
            spare: Vec::new(),
            other_objects: Vec::new(),
            had_section: false,
            is_stopped: false,
            is_cut: false,
            resynchronised: false,
            record_size: bounds.record,
        }
    }

    /// Reads the whole file.
    pub(super) fn file(&mut self) {
        let bytes = self.cursor.all_bytes();
        let Some(start) = object_start(bytes) else {
            self.log.error("json-no-object", FilePosition::Byte(0), || {
                "expected `{`; found no JSON object".to_owned()
            });
            return;
        };
        let before = bytes.get(..start).unwrap_or_default();
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        if !before.trim_ascii().is_empty() {
            self.log.warn("json-text-before", FilePosition::Byte(0), || {
                format!("skipped {} bytes of other text before the first `{{`", before.len())
            });
        }
        self.cursor.at = start + 1;
        self.object(JsonLevel::Root);
        while !self.is_stopped && self.continue_after_root() {}
        self.judge_section();
    }

    /// Reads records from the first one after each place that the taker asks for, as long as it takes them.
    pub(super) fn pieces(&mut self) {
        while let Some(from) = self.sink.next_piece() {
            let Some(start) = self.headers.next(from) else { continue };
            self.cursor.unfence();
            self.cursor.repairs.clear();
            self.cursor.at = start;
            self.is_stopped = false;
            self.object(JsonLevel::Section);
        }
    }

    /// Continues after an outermost object: with another one, records cut off by a stray brace, or other text.
    fn continue_after_root(&mut self) -> bool {
        self.cursor.blanks();
        let spot = FilePosition::Byte(self.cursor.at);
        match self.cursor.peek() {
            None => return false,
            Some(b'{') => {
                self.cursor.at += 1;
                self.log.note("json-several", spot, || "another JSON object follows".to_owned());
                self.object(JsonLevel::Root);
            }
            Some(_) if self.headers.next(self.cursor.at).is_some() => {
                self.resync(&self.cursor.broken("the end of the file"));
                self.object(JsonLevel::Section);
            }
            Some(b'}') => {
                self.cursor.at += 1;
                self.log.warn("json-brace", spot, || "a `}` too many; skipped".to_owned());
            }
            Some(_) => {
                self.log.warn("json-text-after", spot, || {
                    "expected the end of the file; left the text behind the object aside".to_owned()
                });
                return false;
            }
        }
        true
    }

    fn judge_section(&mut self) {
        let known = ["nodes", "Jobs", "Queue", "Server", "Sched", "Resource", "Reservation"];
        let others = self.other_objects.iter().map(String::as_str).filter(|key| known.contains(key));
        let others: Vec<&str> = deduplicated(others);
        let Some(first) = others.first() else { return };
        let (section, command) = (self.kind.section(), self.kind.command());
        let names = || others.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        self.log.error("wrong-dump", FilePosition::File, || match self.had_section {
            false => format!("found `{first}`; expected `{section}`, what `{command} -F json` prints"),
            true => {
                format!("{} besides `{section}` not read; expected a file for each kind of dump", names())
            }
        });
    }

    /// Reads the members of an object, after its opening brace.
    fn object(&mut self, level: JsonLevel) {
        let mut first = true;
        while !self.is_stopped {
            self.cursor.separators(first);
            first = false;
            match self.cursor.peek() {
                None => return self.report_truncation(),
                Some(b'}') => {
                    self.cursor.at += 1;
                    break;
                }
                Some(_) => {
                    let outcome = match level {
                        JsonLevel::Root => self.root_member(),
                        JsonLevel::Section => self.section_member(),
                    };
                    if let Err(broken) = outcome {
                        self.resync(&broken);
                        // Records follow, whatever object contains them.
                        match level {
                            JsonLevel::Root => self.object(JsonLevel::Section),
                            JsonLevel::Section => first = true,
                        }
                    }
                }
            }
            self.flush_repairs();
            first |= std::mem::take(&mut self.resynchronised);
        }
        self.log.in_record("");
    }

    fn root_member(&mut self) -> Result<(), JsonError> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.broken("a name in quotes"));
        }
        let start = self.cursor.at;
        let key = self.cursor.key()?;
        if self.cursor.peek() == Some(b'{') {
            self.cursor.at += 1;
            if key == self.kind.section() {
                self.had_section = true;
                self.object(JsonLevel::Section);
                return Ok(());
            }
            if self.cursor.next_is(self.headers.first_key()) {
                self.record(key, start, JsonLevel::Root);
                return Ok(());
            }
            self.cursor.at -= 1;
            self.other_objects.push(key.into_owned());
            return self.cursor.nested().map(drop);
        }
        let value = match self.cursor.peek() {
            Some(b'[') => self.cursor.array()?,
            _ => self.cursor.scalar(StringRole::Member)?,
        };
        match &*key {
            "timestamp" => {
                self.header.timestamp = moment(&value);
                if self.header.timestamp.is_none() {
                    self.log.warn("timestamp", FilePosition::Byte(start), || {
                        format!("timestamp: found `{}`; expected seconds since 1970", message_excerpt(&value))
                    });
                }
            }
            "pbs_server" => self.header.server = Some(value.into_owned()),
            "pbs_version" => self.header.version = Some(value.into_owned()),
            _ => {}
        }
        Ok(())
    }

    fn section_member(&mut self) -> Result<(), JsonError> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.broken("a record's name in quotes"));
        }
        let start = self.cursor.at;
        // Repairs made before a record belong to that record, not to a run of records.
        if self.cursor.repairs.is_empty() && self.skip_known_run(start) {
            return Ok(());
        }
        let key = self.cursor.key()?;
        if self.cursor.peek() != Some(b'{') {
            return Err(self.cursor.broken("a record's `{`"));
        }
        if has_resources(&key) {
            return Err(JsonError { at: start, ..self.cursor.broken("a record's name") });
        }
        self.cursor.at += 1;
        if key != self.kind.section() {
            self.record(key, start, JsonLevel::Section);
        }
        Ok(())
    }

    /// Reads one record, after its opening brace, and passes it on.
    fn record(&mut self, name: Text<'a>, start: usize, level: JsonLevel) {
        self.log.in_record(&name);
        let attributes = std::mem::take(&mut self.spare);
        let mut record = Record { name, position: FilePosition::Byte(start), attributes };
        let body = self.cursor.at;
        let from = (level == JsonLevel::Section).then_some(start);
        if self.skip_known(&record, body, from) {
            self.spare = record.attributes;
            return;
        }
        let repaired = self.cursor.repairs.len();
        let mut is_clean = repaired == 0;
        let whole = match members(&mut self.cursor, &mut record, self.headers.first_key()) {
            Ok(RecordEnd::Closed) => true,
            Ok(RecordEnd::NextRecord) => {
                is_clean = false;
                self.cursor.repair(self.cursor.at, JsonRepair::MissingBrace);
                true
            }
            Err(broken) => {
                self.cursor.repairs.truncate(repaired);
                record.attributes.clear();
                is_clean = false;
                self.reread(&mut record, body, &broken)
            }
        };
        is_clean &= self.cursor.repairs.is_empty();
        self.flush_repairs();
        let length = self.cursor.at - start;
        if length > self.record_size {
            self.log.refuse_size(record.position, length, self.record_size);
        } else if whole {
            self.header.records += 1;
            let bytes = self.cursor.all_bytes().get(body..self.cursor.at).filter(|_| is_clean);
            let first_key = self.headers.first_key();
            let body = bytes.map(|bytes| RecordBody { bytes, first_key, at: body, from });
            self.is_stopped |= self.sink.take(&record, body, self.log) == ControlFlow::Break(());
        }
        record.attributes.clear();
        self.spare = record.attributes;
    }

    /// Skips the body of a record that is already known; returns whether it is.
    fn skip_known(&mut self, record: &Record<'a>, body: usize, from: Option<usize>) -> bool {
        let bytes = self.cursor.all_bytes().get(body..).unwrap_or_default();
        let rest = RecordBody { bytes, first_key: self.headers.first_key(), at: body, from };
        let Some(length) = self.sink.take_unchanged(&record.name, record.position, rest, self.log) else {
            return false;
        };
        self.cursor.at = body + length;
        self.header.records += 1;
        true
    }

    /// Skips consecutive records that are already known, from the first one's name on; returns whether they are.
    fn skip_known_run(&mut self, from: usize) -> bool {
        let bytes = self.cursor.all_bytes().get(from..).unwrap_or_default();
        let rest = RecordBody { bytes, first_key: self.headers.first_key(), at: from, from: Some(from) };
        let Some((length, records)) = self.sink.again_run(rest, self.log) else { return false };
        self.cursor.at = from + length;
        self.header.records += records;
        true
    }
}

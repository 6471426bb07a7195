//! Reads dumps that were printed with `-F json`.
//!
//! `{"timestamp":…, "pbs_server":…, "Jobs": {"12.svr": {attributes}, …}}`. Records are handed on one by one.
//! A record whose structure is doubtful is read a second time behind a fence at the next record's header,
//! so that it cannot cost another one.

mod cursor;
mod header;
mod record;
mod string;

use std::ops::ControlFlow;

use memchr::memmem::Finder;

use self::cursor::{Broken, Cursor, Repair};
use self::header::{Headers, object_start};
use self::record::{End, members};
use self::string::Role;
use super::log::Log;
use super::record::{Attribute, DumpKind, Head, Record, Sink, has_resources};
use crate::cluster::{Epoch, Spot};

/// Longer records are left out.
const LARGEST_RECORD: usize = 64 << 20;

/// Whether these bytes look like JSON: an object starts before anything that starts a text record.
pub(crate) fn looks_like(bytes: &[u8], kind: DumpKind) -> bool {
    let Some(at) = object_start(bytes) else { return false };
    let before = bytes.get(..at).unwrap_or_default();
    let text_sign = match kind {
        DumpKind::Nodes => "\n     ".to_owned(),
        _ => format!("{}:", kind.header()),
    };
    Finder::new(&text_sign).find(before).is_none()
}

/// When a JSON dump says it was made, from its first kilobytes.
pub(crate) fn timestamp(bytes: &[u8]) -> Option<Epoch> {
    let start = bytes.get(..bytes.len().min(8192))?;
    let at = Finder::new(b"\"timestamp\"").find(start)?;
    let rest = start.get(at + 11..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = rest.split(|b| !b.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok().map(Epoch)
}

/// Reads a dump; whatever cannot be read is said in the log.
pub(crate) fn read<'a>(kind: DumpKind, bytes: &'a [u8], log: &mut Log, sink: Sink<'_, 'a>) -> Head {
    let mut reader = Reader {
        kind,
        cursor: Cursor::new(bytes),
        headers: Headers::learn(bytes, kind),
        log,
        sink,
        head: Head::default(),
        spare: Vec::new(),
        others: Vec::new(),
        had_section: false,
        stopped: false,
        was_cut: false,
        jumped: false,
    };
    reader.file();
    reader.head
}

struct Reader<'a, 'r> {
    kind: DumpKind,
    cursor: Cursor<'a>,
    headers: Headers<'a>,
    log: &'r mut Log,
    sink: Sink<'r, 'a>,
    head: Head,
    spare: Vec<Attribute<'a>>,
    others: Vec<String>,
    had_section: bool,
    stopped: bool,
    was_cut: bool,
    /// Whether a damaged record was left for the next one's header.
    jumped: bool,
}

impl<'a> Reader<'a, '_> {
    fn file(&mut self) {
        let bytes = self.cursor.whole();
        let Some(start) = object_start(bytes) else {
            self.log
                .error("json-no-object", Spot::Byte(0), || "expected `{`; found no JSON object".to_owned());
            return;
        };
        let before = bytes.get(..start).unwrap_or_default();
        let before = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        if !before.trim_ascii().is_empty() {
            self.log.warn("json-text-before", Spot::Byte(0), || {
                format!("skipped {} bytes of other text before the first `{{`", before.len())
            });
        }
        self.cursor.at = start + 1;
        self.root();
        while !self.stopped && self.behind_root() {}
        self.judge_section();
    }

    /// Looks behind an outermost object: another one, records that a stray brace cut off, or other text.
    fn behind_root(&mut self) -> bool {
        self.cursor.blanks();
        let spot = Spot::Byte(self.cursor.at);
        match self.cursor.peek() {
            None => return false,
            Some(b'{') => {
                self.cursor.at += 1;
                self.log.note("json-several", spot, || "another JSON object follows; read too".to_owned());
                self.root();
            }
            Some(_) if self.headers.next(self.cursor.at).is_some() => {
                let broken = Broken { at: self.cursor.at, expected: "the end of the file", cut: false };
                self.resync(&broken);
                self.section();
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
        let other = self.others.iter().find(|key| known.contains(&key.as_str()));
        if let (false, Some(other)) = (self.had_section, other) {
            let expected = (self.kind.section(), self.kind.command());
            self.log.error("wrong-dump", Spot::File, || {
                format!("found `{other}`; expected `{}`, what `{} -F json` prints", expected.0, expected.1)
            });
        }
    }

    /// Reads the outermost object, behind its brace.
    fn root(&mut self) {
        let mut first = true;
        while !self.stopped {
            self.cursor.separators(first);
            first = false;
            match self.cursor.peek() {
                None => return self.cut(),
                Some(b'}') => {
                    self.cursor.at += 1;
                    break;
                }
                Some(_) => {
                    if let Err(broken) = self.root_member() {
                        self.resync(&broken);
                        self.section();
                    }
                }
            }
        }
        self.flush_repairs();
    }

    fn root_member(&mut self) -> Result<(), Broken> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.broken("a name in quotes"));
        }
        let start = self.cursor.at;
        let key = self.cursor.key()?;
        if self.cursor.peek() == Some(b'{') {
            self.cursor.at += 1;
            if key == self.kind.section() {
                self.had_section = true;
                self.section();
                return Ok(());
            }
            if self.cursor.next_is(self.headers.first_key()) {
                self.record(key, start);
                return Ok(());
            }
            self.cursor.at -= 1;
            self.others.push(key.into_owned());
            return self.cursor.nested().map(drop);
        }
        let value = match self.cursor.peek() {
            Some(b'[') => self.cursor.array()?,
            _ => self.cursor.scalar(Role::Member)?,
        };
        match &*key {
            "timestamp" => self.head.timestamp = value.parse::<f64>().ok().map(|s| Epoch(s as i64)),
            "pbs_server" => self.head.server = Some(value.into_owned()),
            "pbs_version" => self.head.version = Some(value.into_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Reads the records of a section, behind its brace.
    fn section(&mut self) {
        let mut first = true;
        while !self.stopped {
            self.cursor.separators(first);
            first = false;
            match self.cursor.peek() {
                None => return self.cut(),
                Some(b'}') => {
                    self.cursor.at += 1;
                    break;
                }
                Some(_) => {
                    if let Err(broken) = self.section_member() {
                        self.resync(&broken);
                        first = true;
                    }
                }
            }
            self.flush_repairs();
            first |= std::mem::take(&mut self.jumped);
        }
        self.log.in_record("");
    }

    fn section_member(&mut self) -> Result<(), Broken> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.broken("a record's name in quotes"));
        }
        let start = self.cursor.at;
        let key = self.cursor.key()?;
        if self.cursor.peek() != Some(b'{') {
            return Err(self.cursor.broken("a record's `{`"));
        }
        if has_resources(&key) {
            return Err(Broken { at: start, expected: "a record's name", cut: false });
        }
        self.cursor.at += 1;
        if key != self.kind.section() {
            self.record(key, start);
        }
        Ok(())
    }

    /// Reads one record, behind its brace, and hands it on.
    fn record(&mut self, name: super::record::Text<'a>, start: usize) {
        self.log.in_record(&name);
        let attributes = std::mem::take(&mut self.spare);
        let mut record = Record { name, spot: Spot::Byte(start), attributes };
        let body = self.cursor.at;
        let repaired = self.cursor.repairs.len();
        let whole = match members(&mut self.cursor, &mut record, self.headers.first_key()) {
            Ok(End::Closed) => true,
            Ok(End::NextRecord) => {
                self.cursor.repair(self.cursor.at, Repair::MissingBrace);
                true
            }
            Err(broken) => {
                self.cursor.repairs.truncate(repaired);
                record.attributes.clear();
                self.reread(&mut record, body, &broken)
            }
        };
        self.flush_repairs();
        let length = self.cursor.at - start;
        if length > LARGEST_RECORD {
            self.log.error("record-too-long", record.spot, || format!("left out: {length} bytes long"));
        } else if whole {
            self.head.records += 1;
            self.stopped |= (self.sink)(&record, self.log) == ControlFlow::Break(());
        }
        record.attributes.clear();
        self.spare = record.attributes;
    }

    /// Reads a doubtful record again, up to the next record's header; whether anything of it is worth
    /// keeping. One that the end of the file cuts off is not.
    fn reread(&mut self, record: &mut Record<'a>, body: usize, first: &Broken) -> bool {
        let next = self.headers.next(body);
        let end = next.unwrap_or(self.cursor.whole().len());
        self.cursor.fence(body, end);
        let outcome = members(&mut self.cursor, record, self.headers.first_key());
        self.cursor.unfence();
        let Err(broken) = outcome else { return true };
        if broken.cut && next.is_none() {
            self.cursor.repairs.clear();
            self.log.error("record-cut", Spot::Byte(broken.at), || {
                format!("left out: the file ends within it, expected {}", broken.expected)
            });
            return false;
        }
        let kept = record.attributes.len();
        self.log.error("record-damaged", Spot::Byte(first.at), || {
            format!("expected {}; kept the {kept} values before", first.expected)
        });
        self.cursor.at = end;
        self.jumped = true;
        true
    }

    /// Goes on at the next record's header after something that cannot be one.
    fn resync(&mut self, broken: &Broken) {
        let from = broken.at.max(self.cursor.at.min(broken.at + 1));
        let next = self.headers.next(from);
        self.log.in_record("");
        self.log.error("json-damaged", Spot::Byte(broken.at), || match next {
            Some(next) => format!("expected {}; went on at byte {next}", broken.expected),
            None => format!("expected {}; found no further record", broken.expected),
        });
        self.cursor.at = next.unwrap_or(self.cursor.whole().len());
    }

    /// Says, once, that the bytes end too soon.
    fn cut(&mut self) {
        self.flush_repairs();
        if std::mem::replace(&mut self.was_cut, true) {
            return;
        }
        self.log.in_record("");
        let spot = Spot::Byte(self.cursor.at);
        self.log.error("json-cut", spot, || "the file ends before its last `}`".to_owned());
    }

    fn flush_repairs(&mut self) {
        for (at, repair) in std::mem::take(&mut self.cursor.repairs) {
            let (code, message) = match repair {
                Repair::Escape => ("json-escape", "a backslash that starts no escape; kept as it stands"),
                Repair::BareWord => ("json-bare-word", "a value that is no JSON; taken as text"),
                Repair::Quote => ("json-quote", "a quote within a string; taken as part of the text"),
                Repair::MissingComma => ("json-comma", "expected a comma; read on without"),
                Repair::ExtraComma => ("json-comma", "a comma too many; skipped"),
                Repair::NoValue => ("json-value", "expected a value; taken as empty"),
                Repair::MissingBrace => {
                    ("json-brace", "expected `}` before the next record; read on without")
                }
            };
            self.log.warn(code, Spot::Byte(at), || message.to_owned());
        }
    }
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;

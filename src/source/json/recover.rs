//! Recovers from damaged structure, and reports it.

use super::cursor::{JsonError, JsonRepair};
use super::reader::JsonReader;
use super::record::members;
use crate::record::Record;
use qscope_engine::cluster::FilePosition;

impl<'a> JsonReader<'a, '_> {
    /// Reads a doubtful record again, up to the next record's header; returns whether to keep it. A record that is
    /// cut off by the end of the file is not kept.
    pub(super) fn reread(&mut self, record: &mut Record<'a>, body: usize, first: &JsonError) -> bool {
        let next = self.headers.next(body);
        let end = next.unwrap_or(self.cursor.all_bytes().len());
        self.cursor.fence(body, end);
        let outcome = members(&mut self.cursor, record, self.headers.first_key());
        self.cursor.unfence();
        let Err(broken) = outcome else { return true };
        if broken.is_at_end && next.is_none() {
            self.cursor.repairs.clear();
            self.log.error("record-cut", FilePosition::Byte(broken.at), || {
                format!("left out: the file ends within it, expected {}", broken.expected)
            });
            return false;
        }
        let kept = record.attributes.len();
        let code = if first.is_too_deep { "limit-nesting" } else { "record-damaged" };
        self.log.error(code, FilePosition::Byte(first.at), || {
            format!("expected {}; kept the {kept} values before", self.cursor.reported(first))
        });
        self.cursor.at = end;
        self.resynchronised = true;
        true
    }

    /// Continues at the next record's header after something that cannot be a record.
    pub(super) fn resync(&mut self, broken: &JsonError) {
        let from = broken.at.max(self.cursor.at.min(broken.at + 1));
        let next = self.headers.next(from);
        self.log.in_record("");
        let code = if broken.is_too_deep { "limit-nesting" } else { "json-damaged" };
        let expected = self.cursor.reported(broken);
        self.log.error(code, FilePosition::Byte(broken.at), || match next {
            Some(next) => format!("expected {expected}; went on at byte {next}"),
            None => format!("expected {expected}; found no further record"),
        });
        self.cursor.at = next.unwrap_or(self.cursor.all_bytes().len());
    }

    /// Reports, once, that the file is truncated.
    pub(super) fn report_truncation(&mut self) {
        self.flush_repairs();
        if std::mem::replace(&mut self.is_cut, true) {
            return;
        }
        self.log.in_record("");
        let spot = FilePosition::Byte(self.cursor.at);
        self.log.error("json-cut", spot, || "the file ends before its last `}`".to_owned());
    }

    /// Reports the repairs.
    pub(super) fn flush_repairs(&mut self) {
        for (at, repair) in self.cursor.repairs.drain(..) {
            let (code, message) = match repair {
                JsonRepair::Escape => ("json-escape", "a backslash that starts no escape; kept unchanged"),
                JsonRepair::BareWord => ("json-bare-word", "a value that is no JSON; taken as text"),
                JsonRepair::Quote => ("json-quote", "a quote within a string; taken as part of the text"),
                JsonRepair::MissingComma => ("json-comma", "expected a comma; read on without"),
                JsonRepair::ExtraComma => ("json-comma", "a comma too many; skipped"),
                JsonRepair::NoValue => ("json-value", "expected a value; taken as empty"),
                JsonRepair::MissingBrace => {
                    ("json-brace", "expected `}` before the next record; read on without")
                }
            };
            self.log.warn(code, FilePosition::Byte(at), || message.to_owned());
        }
    }
}

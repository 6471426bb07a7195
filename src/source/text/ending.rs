//! Decides whether a text dump ends in the middle of its last record, which is then left out as from JSON.

use rustc_hash::{FxHashMap, FxHashSet};

use super::line;
use crate::log::DiagnosticLog;
use crate::record::{Attribute, DumpKind, Record};
use qscope_engine::cluster::FilePosition;

/// Code of a dump that ends within a record.
const CUT_TEXT: &str = "text-cut";
/// Number of records that show where those of a dump end.
const EXAMPLES: usize = 100;

/// Number of records that suffice to doubt one that ends otherwise; of a dump with fewer, all others.
const COMPARABLE: usize = 3;

/// Attribute that clients print near the end of every reservation. A single record has no other to be compared with.
const RESERVATION_END: &str = "mtime";

/// How a dump ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TextEnd {
    Whole,
    /// Without a line's end, which copying may have removed.
    Doubtful,
    /// With an attribute that others follow in every other record, and without the empty line after a record.
    Unfinished,
    /// Of a single record: before an attribute that every record has, and without the empty line after a record.
    UnfinishedAlone,
    Cut,
    /// Within the header of a record that is not there.
    WithinHeader,
}

/// What the first records of a dump show about where records end.
#[derive(Default)]
pub(crate) struct RecordEnds {
    records: usize,
    /// Whether the first record has the attribute that stands near the end of every record.
    is_first_complete: bool,
    /// Attributes that end a record.
    last: FxHashSet<String>,
    /// Attributes that others follow, with the number of records in which that is so.
    followed: FxHashMap<String, usize>,
}

impl RecordEnds {
    /// Notes where a whole record ends.
    pub(crate) fn note(&mut self, kind: DumpKind, record: &Record<'_>) {
        if self.records >= EXAMPLES {
            return;
        }
        self.is_first_complete |= self.records == 0 && late_attribute(kind, record) == Some(true);
        self.records += 1;
        if let Some((last, others)) = record.attributes.split_last() {
            self.last.insert(key(last));
            for other in others {
                *self.followed.entry(key(other)).or_default() += 1;
            }
        }
    }

    /// Reports a dump that ends within this record, its last one; returns whether the record is whole.
    pub(crate) fn is_whole(
        &self,
        kind: DumpKind,
        record: &Record<'_>,
        (bytes, is_within_attribute): (&[u8], bool),
        log: &mut DiagnosticLog,
    ) -> bool {
        let end = match is_within_attribute {
            // Left by a crash; reported as what it is where there is no object.
            _ if record.name.contains('\0') => TextEnd::Doubtful,
            true => TextEnd::Cut,
            false => self.judge(kind, record, bytes),
        };
        match end {
            TextEnd::Whole => {}
            TextEnd::Doubtful => log.warn(CUT_TEXT, FilePosition::File, || {
                "the file ends without a line's end; this record may be cut off".to_owned()
            }),
            TextEnd::Unfinished => log.warn(CUT_TEXT, FilePosition::File, || {
                "the file ends where every other record goes on; this record may be cut off".to_owned()
            }),
            TextEnd::UnfinishedAlone => log.warn(CUT_TEXT, FilePosition::File, || {
                format!("the file ends without `{RESERVATION_END}`, which follows in every record; this record may be cut off")
            }),
            TextEnd::WithinHeader => log.error(CUT_TEXT, FilePosition::File, || {
                "the file ends within the next record, which is left out".to_owned()
            }),
            TextEnd::Cut => log.error(CUT_TEXT, FilePosition::File, || {
                "left out this record: the file ends within it".to_owned()
            }),
        }
        end != TextEnd::Cut
    }

    fn judge(&self, kind: DumpKind, record: &Record<'_>, bytes: &[u8]) -> TextEnd {
        let ends_in_line = !bytes.ends_with(b"\n");
        let Some(last) = record.attributes.last() else {
            return if ends_in_line { TextEnd::Cut } else { TextEnd::Whole };
        };
        let (before, line) = last_line(bytes);
        if ends_in_blank_line(before) {
            return if line.trim_ascii().is_empty() { TextEnd::Whole } else { TextEnd::WithinHeader };
        }
        let late = late_attribute(kind, record);
        let may_lack_more = match kind {
            DumpKind::Jobs | DumpKind::Reservations => ends_in_line,
            DumpKind::Nodes | DumpKind::Queues => ends_in_line && late != Some(true),
            _ => false,
        };
        let last = key(last);
        let times_followed = self.followed.get(&last).copied().unwrap_or(0);
        let is_followed = |times: usize| times_followed >= times && !self.last.contains(&last);
        if self.is_first_complete && late == Some(false) || may_lack_more && is_followed(1) {
            TextEnd::Cut
        } else if ends_in_line {
            TextEnd::Doubtful
        } else if matches!(kind, DumpKind::Jobs | DumpKind::Reservations | DumpKind::Queues)
            && is_followed(COMPARABLE.min(self.records).max(1))
        {
            TextEnd::Unfinished
        } else if kind == DumpKind::Reservations && self.records == 0 && !has(record, RESERVATION_END) {
            TextEnd::UnfinishedAlone
        } else {
            TextEnd::Whole
        }
    }
}

/// Whether the last line of a dump is the beginning of an attribute.
pub(super) fn is_within_attribute(kind: DumpKind, bytes: &[u8]) -> bool {
    let (before, line) = last_line(bytes);
    !line.trim_ascii().is_empty() && !ends_in_blank_line(before) && !line::is_complete(kind, line)
}

fn ends_in_blank_line(bytes: &[u8]) -> bool {
    bytes.ends_with(b"\n\n") || bytes.ends_with(b"\n\r\n")
}

/// Splits off what follows the last line's end.
fn last_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let start = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    bytes.split_at_checked(start).unwrap_or_default()
}

/// Whether a record has the attribute that clients print for every object of its kind after most others; `None` if
/// there is no such attribute.
fn late_attribute(kind: DumpKind, record: &Record<'_>) -> Option<bool> {
    let late = match kind {
        DumpKind::Nodes => "sharing",
        DumpKind::Jobs => "Resource_List",
        DumpKind::Queues => "started",
        _ => return None,
    };
    Some(has(record, late))
}

fn has(record: &Record<'_>, name: &str) -> bool {
    record.attributes.iter().any(|attribute| attribute.name == name)
}

fn key(attribute: &Attribute<'_>) -> String {
    let resource = attribute.resource.as_deref().unwrap_or_default();
    format!("{}.{resource}", attribute.name)
}

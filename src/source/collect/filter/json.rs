//! Filters a dump in JSON: the requested section, its records, and of each the attributes that are kept.
//!
//! Text between values is not copied: the object is written anew around the values that are kept. Some versions print
//! quotes within strings unescaped, so strings cannot be distinguished from the text between them. Such a record is
//! kept up to the first unexpected byte, and the next one is found by the client's own layout.

mod scan;

use std::ops::Range;

use scan::{JsonScanner, ScanError};

use super::{FilteredDump, KeptAttributes, description};
use crate::record::DumpKind;

/// Sections of all dumps.
const SECTIONS: [&[u8]; 4] = [b"nodes", b"Jobs", b"Queue", b"Server"];
/// Keys under which a dump describes itself.
const HEAD: [&[u8]; 3] = [b"timestamp", b"pbs_version", b"pbs_server"];

pub(super) fn filter(
    kind: DumpKind,
    bytes: &[u8],
    attributes: KeptAttributes<'_>,
) -> Result<FilteredDump, String> {
    let mut filter = JsonFilter {
        kind,
        attributes,
        output: JsonOutput::default(),
        records: 0,
        unparsed_pieces: 0,
        has_section: false,
        has_head: false,
        mismatch: None,
    };
    let mut scan = JsonScanner::new(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let read = scan.object(&mut |scan, key| filter.top(scan, key)).and_then(|_| scan.end());
    if let Some(wrong) = filter.mismatch {
        return Err(wrong);
    }
    if let Err(ScanError { at }) = read {
        return Err(format!("printed what cannot be understood from byte {at}"));
    }
    // Without jobs there is no such section.
    let is_without = kind == DumpKind::Jobs && filter.has_head;
    if !(filter.has_section || is_without) {
        return Err(format!("printed something else than {}", description(super::RequestedDump::Json(kind))));
    }
    filter.output.close(0);
    filter.output.bytes.push(b'\n');
    Ok(FilteredDump {
        bytes: filter.output.bytes,
        records: filter.records,
        unparsed_pieces: filter.unparsed_pieces,
    })
}

struct JsonFilter<'k> {
    kind: DumpKind,
    attributes: KeptAttributes<'k>,
    output: JsonOutput,
    records: usize,
    unparsed_pieces: usize,
    /// Whether the requested section was found.
    has_section: bool,
    has_head: bool,
    /// Why it is not the requested dump.
    mismatch: Option<String>,
}

impl JsonFilter<'_> {
    /// Filters a member of the outermost object.
    fn top(&mut self, scan: &mut JsonScanner<'_>, key: Range<usize>) -> Result<(), ScanError> {
        let name = scan.text(&key);
        if name == self.kind.section().as_bytes() {
            self.has_section = true;
            self.output.open(0, name);
            scan.object(&mut |scan, key| self.record(scan, key))?;
            self.output.close(1);
        } else if HEAD.contains(&name) {
            let value = scan.scalar()?;
            self.has_head = true;
            self.output.member(0, name, scan.slice(&value));
        } else {
            if name == b"error" {
                self.mismatch = Some("printed an error instead of a dump".to_owned());
            } else if SECTIONS.contains(&name) {
                self.mismatch = Some(format!(
                    "printed the dump of another command, not {}",
                    description(super::RequestedDump::Json(self.kind))
                ));
            }
            scan.value()?;
        }
        Ok(())
    }

    /// Filters a record: a job, a node, …
    fn record(&mut self, scan: &mut JsonScanner<'_>, key: Range<usize>) -> Result<(), ScanError> {
        let name = scan.text(&key);
        if !scan.is_object() {
            scan.value()?;
            self.unparsed_pieces += 1;
            return Ok(());
        }
        let (start, depth) = (scan.at, scan.depth);
        let mut kept: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let (keep, mut last) = (self.attributes, 0);
        let read = scan.object(&mut |scan, key| {
            last = key.start;
            let value = scan.value()?;
            if keep.attribute(scan.text(&key)) {
                kept.push((key, value));
            }
            Ok(())
        });
        if let Err(broken) = read {
            self.unparsed_pieces += 1;
            let (end, after) = scan.end_by_layout(&key, start).ok_or(broken)?;
            // The last value before the break may be truncated.
            kept.retain(|(key, value)| value.end <= end && key.start != last);
            (scan.at, scan.depth) = (after, depth);
        }
        self.records += 1;
        self.output.open(1, name);
        for (key, value) in kept {
            self.output.member(2, scan.text(&key), scan.slice(&value));
        }
        self.output.close(2);
        Ok(())
    }
}

/// The object written anew, in the layout of the clients.
struct JsonOutput {
    bytes: Vec<u8>,
    /// Whether the open object has no member yet.
    is_empty: bool,
}

impl Default for JsonOutput {
    fn default() -> Self {
        Self { bytes: b"{".to_vec(), is_empty: true }
    }
}

impl JsonOutput {
    fn key(&mut self, level: usize, key: &[u8]) {
        if !self.is_empty {
            self.bytes.push(b',');
        }
        self.line(level + 1);
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(b"\":\t");
        self.is_empty = false;
    }

    fn member(&mut self, level: usize, key: &[u8], value: &[u8]) {
        self.key(level, key);
        self.bytes.extend_from_slice(value);
    }

    fn open(&mut self, level: usize, key: &[u8]) {
        self.key(level, key);
        self.bytes.push(b'{');
        self.is_empty = true;
    }

    fn close(&mut self, level: usize) {
        self.line(level);
        self.bytes.push(b'}');
        self.is_empty = false;
    }

    fn line(&mut self, level: usize) {
        self.bytes.push(b'\n');
        self.bytes.extend(std::iter::repeat_n(b'\t', level));
    }
}

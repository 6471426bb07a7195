//! Reads dumps printed with `-F json`.
//!
//! `{"timestamp":…, "pbs_server":…, "Jobs": {"12.svr": {attributes}, …}}`. Records are passed on one by one. A record
//! with doubtful structure is read again up to a fence at the next record's header, so that it cannot damage another
//! one.

mod cursor;
mod end;
mod fast_path;
mod header;
mod nested;
mod reader;
mod record;
mod recover;
mod string;

use memchr::memmem::Finder;

pub use self::end::has_json_end;

use self::header::object_start;
use self::reader::JsonReader;
use super::log::DiagnosticLog;
use super::record::{DumpHeader, DumpKind, RawDump, RecordSink};
use super::whole_number::whole_number;
use qscope_engine::cluster::{Epoch, has_date};

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

/// Returns the time at which a JSON dump was made, from its first kilobytes.
pub(crate) fn timestamp(bytes: &[u8]) -> Option<Epoch> {
    let start = bytes.get(..bytes.len().min(8192))?;
    let at = Finder::new(b"\"timestamp\"").find(start)?;
    let rest = start.get(at + 11..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let number = rest.split(|b| !b.is_ascii_alphanumeric() && !b"+-.".contains(b)).next()?;
    moment(std::str::from_utf8(number).ok()?)
}

/// Parses the seconds of a timestamp, in any form of a number; `None` if no calendar has them, as milliseconds.
fn moment(text: &str) -> Option<Epoch> {
    whole_number(text).filter(|second| *second >= 0).map(Epoch).filter(|at| has_date(*at))
}

/// Reads a dump, some records of which may be known; unreadable parts are reported in the log.
pub(crate) fn read<'a>(
    dump: RawDump<'a>,
    log: &mut DiagnosticLog,
    taker: &mut dyn RecordSink<'a>,
) -> DumpHeader {
    let mut reader = JsonReader::new(dump, log, taker);
    reader.file();
    reader.header
}

/// Reads the records of a dump from each place that the taker asks for.
pub(crate) fn read_pieces<'a>(dump: RawDump<'a>, log: &mut DiagnosticLog, taker: &mut dyn RecordSink<'a>) {
    JsonReader::new(dump, log, taker).pieces();
}

/// Reads a dump without known records.
#[cfg(test)]
pub(crate) fn read_afresh<'a>(
    dump: RawDump<'a>,
    log: &mut DiagnosticLog,
    sink: super::record::RecordCallback<'_, 'a>,
) -> DumpHeader {
    read(dump, log, &mut super::record::CallbackSink(sink))
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;

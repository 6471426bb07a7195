//! Reads dumps that were printed with `-F json`.
//!
//! `{"timestamp":…, "pbs_server":…, "Jobs": {"12.svr": {attributes}, …}}`. Records are handed on one by one.
//! A record whose structure is doubtful is read a second time behind a fence at the next record's header,
//! so that it cannot cost another one.

mod cursor;
mod header;
mod nested;
mod quick;
mod reader;
mod record;
mod recover;
mod string;

use memchr::memmem::Finder;

use self::header::object_start;
use self::reader::JsonReader;
use super::log::Log;
use super::record::{DumpKind, Head, RawDump, Take};
use qscope_engine::cluster::Epoch;

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

/// When a JSON dump states it was made, from its first kilobytes.
pub(crate) fn timestamp(bytes: &[u8]) -> Option<Epoch> {
    let start = bytes.get(..bytes.len().min(8192))?;
    let at = Finder::new(b"\"timestamp\"").find(start)?;
    let rest = start.get(at + 11..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = rest.split(|b| !b.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok().map(Epoch)
}

/// Reads a dump, of which some records may be known; whatever cannot be read is reported in the log.
pub(crate) fn read<'a>(dump: RawDump<'a>, log: &mut Log, taker: &mut dyn Take<'a>) -> Head {
    let mut reader = JsonReader::new(dump, log, taker);
    reader.file();
    reader.head
}

/// Reads the records of a dump from the places on that the taker asks for.
pub(crate) fn read_pieces<'a>(dump: RawDump<'a>, log: &mut Log, taker: &mut dyn Take<'a>) {
    JsonReader::new(dump, log, taker).pieces();
}

/// Reads a dump of which no record is known.
#[cfg(test)]
pub(crate) fn read_afresh<'a>(dump: RawDump<'a>, log: &mut Log, sink: super::record::Sink<'_, 'a>) -> Head {
    read(dump, log, &mut super::record::Afresh(sink))
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;

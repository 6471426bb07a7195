//! Checks that a client printed the requested dump, and removes what is not kept.
//!
//! The filter fails closed: whatever cannot be parsed is left out and counted, since its content is unknown.

mod json;
mod text;

use super::kept_attributes::KeptAttributes;
use crate::record::DumpKind;
use crate::shares::is_printed_line;

/// A requested dump, and its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RequestedDump {
    /// One JSON object.
    Json(DumpKind),
    /// Lines of text; none if there is nothing to list.
    Text(DumpKind),
    /// The table of `pbsfs`.
    Shares,
}

/// A filtered dump.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FilteredDump {
    /// The bytes that may be written to disk.
    pub(super) bytes: Vec<u8>,
    /// Number of records: jobs, nodes, …
    pub(super) records: usize,
    /// Number of pieces that could not be parsed and were left out.
    pub(super) unparsed_pieces: usize,
}

/// Removes from a dump whatever is not kept.
///
/// # Errors
/// If it is not the requested dump or cannot be parsed at all; the text is the end of a sentence about the client and
/// does not quote its output.
pub(super) fn filter(dump: RequestedDump, bytes: &[u8], asked: &[String]) -> Result<FilteredDump, String> {
    let filtered = match dump {
        RequestedDump::Json(kind) => json::filter(kind, bytes, KeptAttributes::new(kind, asked))?,
        RequestedDump::Text(kind) => text::filter(kind, bytes, KeptAttributes::new(kind, asked)),
        RequestedDump::Shares => shares(bytes),
    };
    if filtered.records == 0 && filtered.unparsed_pieces > 0 {
        return Err(format!("printed something else than {}", description(dump)));
    }
    Ok(filtered)
}

fn description(dump: RequestedDump) -> &'static str {
    match dump {
        RequestedDump::Shares => "the fair-share tree",
        RequestedDump::Json(kind) | RequestedDump::Text(kind) => kind.object_words(),
    }
}

/// Filters the table of `pbsfs`: only its lines and its title are kept.
fn shares(bytes: &[u8]) -> FilteredDump {
    let mut filtered = FilteredDump::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let is_entity = is_printed_line(&text);
        if is_entity || text.starts_with("Fairshare usage units are in:") {
            filtered.bytes.extend_from_slice(line);
            filtered.records += usize::from(is_entity);
        } else if !text.trim().is_empty() {
            filtered.unparsed_pieces += 1;
        }
    }
    filtered
}

#[cfg(test)]
mod tests;

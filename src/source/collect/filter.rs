//! What a client printed, checked to be the dump that was asked for, and without what is not kept of it.
//!
//! All of it fails closed: what cannot be understood is left out and counted, since it is unknown what it holds.

mod json;
mod text;

use super::keep::Keep;
use crate::record::DumpKind;
use crate::shares::is_printed_line;

/// What a client is asked for, and in which form it answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dump {
    /// One JSON object.
    Json(DumpKind),
    /// Lines of text; none at all where nothing is to be listed.
    Text(DumpKind),
    /// The table of `pbsfs`.
    Shares,
}

/// What is left of a dump.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Filtered {
    /// What may be written to the disk.
    pub(super) bytes: Vec<u8>,
    /// How many jobs, nodes, … are in it.
    pub(super) records: usize,
    /// How many pieces could not be understood and were left out.
    pub(super) odd: usize,
}

/// Leaves out of a dump whatever is not kept.
///
/// # Errors
/// It is not the dump that was asked for, or cannot be understood at all; the end of a sentence about the client. What
/// it printed is not quoted there.
pub(super) fn filter(dump: Dump, bytes: &[u8], asked: &[String]) -> Result<Filtered, String> {
    let filtered = match dump {
        Dump::Json(kind) => json::filter(kind, bytes, Keep::new(kind, asked))?,
        Dump::Text(kind) => text::filter(kind, bytes, Keep::new(kind, asked)),
        Dump::Shares => shares(bytes),
    };
    if filtered.records == 0 && filtered.odd > 0 {
        return Err(format!("printed something else than {}", what(dump)));
    }
    Ok(filtered)
}

fn what(dump: Dump) -> &'static str {
    match dump {
        Dump::Shares => "the fair-share tree",
        Dump::Json(kind) | Dump::Text(kind) => kind.things(),
    }
}

/// The table of `pbsfs`: its lines and its title, and nothing else.
fn shares(bytes: &[u8]) -> Filtered {
    let mut filtered = Filtered::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let is_entity = is_printed_line(&text);
        if is_entity || text.starts_with("Fairshare usage units are in:") {
            filtered.bytes.extend_from_slice(line);
            filtered.records += usize::from(is_entity);
        } else if !text.trim().is_empty() {
            filtered.odd += 1;
        }
    }
    filtered
}

#[cfg(test)]
mod tests;

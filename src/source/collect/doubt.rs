//! Decides whether a dump that has become much smaller is accepted.
//!
//! A server that is starting, or a client that reached the wrong server, may answer correctly with almost nothing.
//! Such a dump has to be confirmed by the server's own count in this round, or by a second round with about the same.

use std::io::Write;

use serde_json::Value;

use super::filter::{RequestedDump, filter};
use super::plan::{COUNTED, Client};
use crate::server::unfinished;
use qscope_system::folder::{CompleteFile, Folder};
use qscope_system::input::SizeLimit;

/// Prefix of the name of the note that a doubted dump leaves for the next round or the next program.
const NOTE: &str = ".doubt-";
/// Maximum size of a note, which is a number.
const NOTE_SIZE: SizeLimit = SizeLimit { limit: "note-size", bytes: 64 };

/// A finished dump, and whether it is doubted.
#[derive(Debug)]
pub(super) struct JudgedDump {
    pub(super) ready: CompleteFile,
    records: usize,
    /// Number of records of the last one, if that is more than twice as many.
    previous_records: Option<usize>,
}

impl JudgedDump {
    /// Compares a dump with the file that it is to replace.
    pub(super) fn new(
        client: &Client,
        ready: CompleteFile,
        records: usize,
        folder: &Folder,
        most: u64,
    ) -> Self {
        let was = last(client.dump, client.file, folder, most);
        Self { ready, records, previous_records: was.filter(|was| records.saturating_mul(2) < *was) }
    }

    /// Whether there is no doubt about it.
    pub(super) fn is_sure(&self) -> bool {
        self.previous_records.is_none()
    }

    /// Puts the dump in place, if it is accepted; `counted` is the number of jobs that the server counts in this
    /// round.
    ///
    /// # Errors
    /// The reason why the last good file stays.
    pub(super) fn accept(self, file: &str, counted: Option<u64>, folder: &Folder) -> Result<u64, String> {
        let note = format!("{NOTE}{file}");
        if let Some(was) = self.previous_records {
            let counted = counted.filter(|_| COUNTED.contains(&file));
            let agrees = counted.is_some_and(|counted| self.records as u64 * 2 >= counted);
            if !agrees && !agrees_with_note(folder, &note, self.records) {
                write_note(folder, &note, self.records).map_err(|why| why.to_string())?;
                let counted =
                    counted.map_or(String::new(), |counted| format!(" and the server counts {counted}"));
                return Err(format!(
                    "{} records where the last one has {was}{counted}: believed once a second round has the same",
                    self.records
                ));
            }
        }
        folder.remove(&note).map_err(|why| why.to_string())?;
        self.ready.place().map_err(|why| why.to_string())
    }
}

/// Returns the number of records of the file in place.
fn last(dump: RequestedDump, file: &str, folder: &Folder, most: u64) -> Option<usize> {
    let bytes = folder.read(file, SizeLimit { limit: "file-size", bytes: most }).ok()?;
    filter(dump, &bytes, &[]).ok().map(|filtered| filtered.records)
}

/// Whether the previous round had about the same number, within a factor of two.
fn agrees_with_note(folder: &Folder, note: &str, records: usize) -> bool {
    let reported = folder.read(note, NOTE_SIZE).ok();
    let reported = reported.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse::<usize>().ok());
    reported.is_some_and(|reported| {
        records <= reported.saturating_mul(2) && reported <= records.saturating_mul(2)
    })
}

fn write_note(folder: &Folder, note: &str, records: usize) -> std::io::Result<()> {
    let mut draft = folder.draft(note)?;
    writeln!(draft, "{records}")?;
    draft.finish()?.place().map(drop)
}

/// Returns the number of unfinished jobs that the servers of a dump count.
pub(super) fn counted(dump: &[u8]) -> Option<u64> {
    let dump: Value = serde_json::from_slice(dump).ok()?;
    let mut sum = 0;
    for server in dump.get("Server")?.as_object()?.values() {
        let total = server.get("total_jobs").and_then(|total| match total {
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_u64(),
        });
        let states = server.get("state_count").and_then(Value::as_str).map(unfinished);
        sum += total.into_iter().chain(states).min()?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_count_is_of_jobs_that_are_not_over() {
        let server = |inner: &str| counted(format!(r#"{{"Server": {{"s": {{{inner}}}}}}}"#).as_bytes());
        assert_eq!(server(r#""total_jobs": 29, "state_count": "Queued:24 Held:1 Finished:4 ""#), Some(25));
        assert_eq!(server(r#""total_jobs": "3""#), Some(3));
        assert_eq!(server(""), None);
        assert_eq!(counted(b"{}"), None);
    }
}

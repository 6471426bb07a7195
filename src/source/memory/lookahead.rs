//! Compares runs of records with a file in parallel with the reader, from the file's end towards its start.
//!
//! The reader goes through its file from the start, one run after another. An idle thread starts from the other end:
//! the last run is expected at the same distance from the file's end as before, and each earlier one at the same
//! distance from the run after it. The result is only a position; the reader looks it up when it gets there.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::run_hash::hash;
use qscope_engine::cluster::Name;

/// Distance in bytes, before and after its expected position, within which a run is searched.
const NEAR: usize = 16 << 10;

/// Positions of the runs in the last file, and where they were found in the next one.
#[derive(Default)]
pub(crate) struct RunLookahead {
    /// First attribute of every record of the file, in quotes.
    pub(super) first_key: Vec<u8>,
    /// Length of the last file in bytes.
    pub(super) length: usize,
    pub(super) runs: Vec<Option<ExpectedRun>>,
    /// Number of runs that the reader has passed.
    pub(super) passed_runs: AtomicUsize,
}

/// A run of the last reading.
pub(super) struct ExpectedRun {
    /// Name of the first record, which begins the run in quotes.
    pub(super) name: Name,
    /// Byte offset where it began.
    pub(super) old_offset: usize,
    /// Its length in bytes.
    pub(super) length: usize,
    pub(super) hash: u64,
    /// One more than the byte offset where it begins now; 0 if unknown.
    pub(super) current_offset: AtomicUsize,
}

impl ExpectedRun {
    /// Whether the run begins at byte offset `at`.
    fn is_at(&self, at: usize, bytes: &[u8], first_key: &[u8]) -> bool {
        let piece = at.checked_add(self.length).and_then(|end| bytes.get(at..end));
        piece.is_some_and(|piece| hash(piece, first_key) == self.hash)
    }

    /// Returns the position of its header: at this byte offset, or else the first one near it.
    fn named_near(&self, at: usize, bytes: &[u8]) -> Option<usize> {
        let quoted = format!("\"{}\"", self.name);
        if bytes.get(at..).is_some_and(|rest| rest.starts_with(quoted.as_bytes())) {
            return Some(at);
        }
        let start = at.saturating_sub(NEAR).min(bytes.len());
        let near = bytes.get(start..at.saturating_add(NEAR).min(bytes.len()))?;
        // A name may also occur within records, as that of a vnode does.
        let is_header = |found: &usize| {
            let behind = bytes.get(found + quoted.len()..).unwrap_or_default().trim_ascii_start();
            behind.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
        };
        memchr::memmem::find_iter(near, quoted.as_bytes()).map(|found| start + found).find(is_header)
    }
}

impl RunLookahead {
    /// Compares runs with the bytes of the next file, the last one first, until the reader is met.
    pub(crate) fn compare(&self, bytes: &[u8]) {
        // Offset of the next run from its old position.
        let mut moved = bytes.len().wrapping_sub(self.length);
        for (nth, run) in self.runs.iter().enumerate().rev() {
            if self.passed_runs.load(Relaxed) > nth {
                return;
            }
            let Some(run) = run else { continue };
            let Some(at) = run.named_near(run.old_offset.wrapping_add(moved), bytes) else { continue };
            moved = at.wrapping_sub(run.old_offset);
            if run.is_at(at, bytes, &self.first_key) {
                run.current_offset.store(at + 1, Relaxed);
            }
        }
    }

    /// Notes that a run was found at a byte offset.
    pub(super) fn note(&self, nth: usize, at: usize) {
        if let Some(Some(run)) = self.runs.get(nth) {
            run.current_offset.store(at + 1, Relaxed);
        }
    }

    /// Whether a run with this hash was found at a byte offset, for records with this first attribute. Called when
    /// the reader has reached it.
    pub(super) fn knows(&self, nth: usize, (at, first_key): (usize, &[u8]), hash: u64) -> bool {
        self.passed_runs.store(nth + 1, Relaxed);
        let is_found = |run: &ExpectedRun| run.current_offset.load(Relaxed) == at + 1 && run.hash == hash;
        self.runs.get(nth).and_then(Option::as_ref).is_some_and(is_found) && *self.first_key == *first_key
    }

    /// Ends the search.
    pub(super) fn stop(&self) {
        self.passed_runs.store(usize::MAX, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a dump with runs of one record each.
    fn dump(records: &[(&str, &str)]) -> (Vec<u8>, RunLookahead) {
        let (mut bytes, mut runs) = (b"{\"nodes\":{".to_vec(), Vec::new());
        for (name, body) in records {
            let (old_offset, run) = (bytes.len(), format!("\"{name}\":{{\"Mom\":\"{body}\"}}"));
            bytes.extend(run.as_bytes());
            let (length, hash) = (run.len(), hash(run.as_bytes(), b"\"Mom\""));
            runs.push(Some(ExpectedRun {
                name: (*name).into(),
                old_offset,
                length,
                hash,
                current_offset: AtomicUsize::new(0),
            }));
            bytes.push(b',');
        }
        let length = bytes.len();
        (
            bytes,
            RunLookahead { first_key: b"\"Mom\"".to_vec(), length, runs, passed_runs: AtomicUsize::new(0) },
        )
    }

    fn found(ahead: &RunLookahead) -> Vec<usize> {
        ahead.runs.iter().flatten().map(|run| run.current_offset.load(Relaxed)).collect()
    }

    #[test]
    fn runs_are_found_wherever_others_changed_their_length() {
        let (_, ahead) = dump(&[("n1", "a"), ("n2", "b"), ("n3", "n4"), ("n4", "d"), ("n5", "e")]);
        let (bytes, moved) =
            dump(&[("n1", "a"), ("n2", "longer"), ("n3", "n4"), ("new", "n5"), ("n4", "d"), ("n5", "e")]);
        ahead.compare(&bytes);
        let inside_run = |nth: usize| moved.runs[nth].as_ref().unwrap().old_offset + 1;
        assert_eq!(found(&ahead), [inside_run(0), 0, inside_run(2), inside_run(4), inside_run(5)]);
        let hash = ahead.runs[0].as_ref().unwrap().hash;
        assert!(ahead.knows(0, (inside_run(0) - 1, b"\"Mom\""), hash));
        assert!(
            !ahead.knows(0, (inside_run(0), b"\"Mom\""), hash)
                && !ahead.knows(0, (inside_run(0) - 1, b"\"x\""), hash)
        );
        assert!(!ahead.knows(0, (inside_run(0) - 1, b"\"Mom\""), hash + 1));
    }

    #[test]
    fn it_ends_where_the_reading_has_come_to() {
        let (bytes, ahead) = dump(&[("n1", "a"), ("n2", "b"), ("n3", "c")]);
        ahead.knows(1, (0, b""), 0);
        ahead.compare(&bytes);
        assert_eq!(found(&ahead).iter().filter(|at| **at > 0).count(), 1);
        ahead.compare(b"");
        ahead.stop();
        ahead.compare(&bytes);
    }
}

//! Opens snapshots of a recording.

use std::path::Path;

use qscope_record::{RecordError, Recording, SnapshotEntry, SnapshotSelector};
use qscope_source::{Files, SourceError};

/// A snapshot of a recording.
pub(super) struct RecordedSnapshot {
    pub(super) number: u64,
    /// Its place in the order of time, counted from 1, and the number of snapshots.
    pub(super) position: (usize, usize),
    pub(super) files: Files,
}

/// Reads a snapshot of a recording.
pub(super) fn recorded(folder: &Path, at: SnapshotSelector) -> Result<RecordedSnapshot, SourceError> {
    let read = || {
        let recording = Recording::open(folder)?;
        let (found, files) = recording.files_at(at)?;
        let key = |entry: &SnapshotEntry| (entry.at, entry.number);
        let before = recording.moments().iter().filter(|moment| key(moment) < key(&found)).count();
        Ok(RecordedSnapshot {
            number: found.number,
            position: (before + 1, recording.moments().len()),
            files,
        })
    };
    read().map_err(|error| not_opened(&error))
}

/// Returns the error for a recording that cannot be opened; its errors name it.
pub(super) fn not_opened(error: &RecordError) -> SourceError {
    SourceError::Recording(error.to_string())
}

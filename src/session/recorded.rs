//! Opens snapshots of a recording.

use std::path::Path;

use qscope_record::{Point, RecordError, Recording};
use qscope_source::{Files, SourceError};

/// Returns the files of a snapshot of a recording, and its number.
pub(super) fn recorded(folder: &Path, at: Point) -> Result<(u64, Files), SourceError> {
    let found = Recording::open(folder).and_then(|recording| recording.files_at(at));
    found.map(|(moment, files)| (moment.number, files)).map_err(|error| not_opened(&error))
}

/// Returns the error for a recording that cannot be opened; its errors name it.
pub(super) fn not_opened(error: &RecordError) -> SourceError {
    SourceError::Recording(error.to_string())
}

//! Files of a recording, for whoever opens a moment of it.

use std::path::Path;

use qscope_record::{Point, RecordError, Recording};
use qscope_source::{Files, SourceError};

/// The files of a moment of a recording, and its number.
pub(super) fn recorded(folder: &Path, at: Point) -> Result<(u64, Files), SourceError> {
    let found = Recording::open(folder).and_then(|recording| recording.files_at(at));
    found.map(|(moment, files)| (moment.number, files)).map_err(|error| not_opened(&error))
}

/// How it is reported that a recording cannot be opened; its errors name it.
pub(super) fn not_opened(error: &RecordError) -> SourceError {
    SourceError::Recording(error.to_string())
}

//! Recording while a folder is followed: the files of each snapshot that was read, as they were read.

use std::time::{SystemTime, UNIX_EPOCH};

use super::SessionEvent;
use qscope_engine::cluster::Epoch;
use qscope_record::{Recorder, Shot};

/// A recorder behind a session.
#[derive(Debug)]
pub(super) struct Recording {
    recorder: Recorder,
}

impl Recording {
    /// Nothing is appended yet.
    pub(super) fn new(recorder: Recorder) -> Self {
        Self { recorder }
    }

    /// Appends the files of a snapshot, of the moment at which they were read.
    pub(super) fn append(&mut self, shot: Shot, at: SystemTime) -> SessionEvent {
        let since = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let at = Epoch(i64::try_from(since).unwrap_or(i64::MAX));
        let written = self.recorder.append(at, shot).map(|written| written.number);
        SessionEvent::Recorded(written.map_err(|error| error.to_string()))
    }
}

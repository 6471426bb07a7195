//! Records while a folder is followed: the files of each snapshot, as they were read.

use std::time::SystemTime;

use super::SessionEvent;
use super::engine::SessionInterfaces;
use qscope_record::{RecordingWriter, SnapshotFiles};

/// A recorder of a session's snapshots.
#[derive(Debug)]
pub(super) struct SessionRecorder {
    recorder: RecordingWriter,
    engine: SessionInterfaces,
}

impl SessionRecorder {
    /// Creates a recording; nothing is appended yet.
    pub(super) fn new(recorder: RecordingWriter, interfaces: SessionInterfaces) -> Self {
        Self { recorder, engine: interfaces }
    }

    /// Appends the files of a snapshot, with the time at which they were read.
    pub(super) fn append(&mut self, shot: SnapshotFiles, at: SystemTime) -> SessionEvent {
        let written = (self.engine.append)(&mut self.recorder, at.into(), shot).map(|written| written.number);
        SessionEvent::Recorded(written.map_err(|error| error.to_string()))
    }
}

//! The components that a session works with: the disk, the readers, the scheduler's rules and the clock.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_engine::cycle::{CycleStart, Universe};
use qscope_engine::universe::Quirks;
use qscope_record::{AppendedSnapshot, RecordError, RecordingWriter, SnapshotFiles};
use qscope_source::watch::WatchClock;
use qscope_source::watch::reading::{self, FolderContents};
use qscope_source::{Files, LoadOptions, ReadCache, SourceError, load_again};

/// The external interfaces of a session. By default they are those of the machine; a simulated world provides its
/// own.
#[derive(Clone, Copy)]
pub struct SessionInterfaces {
    pub read_folder: fn(&Path) -> io::Result<FolderContents>,
    /// Makes a snapshot from the files that were read.
    pub load: fn(&Files, &LoadOptions, &mut ReadCache) -> Result<Snapshot, SourceError>,
    /// Builds a universe, based on that of the last generation.
    pub build: fn(Option<&Universe>, Arc<Snapshot>, Quirks) -> CycleStart,
    pub append: fn(&mut RecordingWriter, Epoch, SnapshotFiles) -> Result<AppendedSnapshot, RecordError>,
    /// The clock used for the time that files are given.
    pub clock: WatchClock,
}

impl fmt::Debug for SessionInterfaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Default for SessionInterfaces {
    fn default() -> Self {
        let build =
            |before: Option<&Universe>, snapshot, quirks| CycleStart::after(before, snapshot, quirks, None);
        Self {
            read_folder: reading::read,
            load: load_again,
            build,
            append: RecordingWriter::append,
            clock: WatchClock::default(),
        }
    }
}

//! Events that a session reports while it reads and follows.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::generation::Generation;
use qscope_source::DecodedTally;
use qscope_source::collect::CollectedFile;
use qscope_source::watch::WatchMode;

/// Progress of a reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoadProgress {
    /// Within a file.
    File {
        /// Name of the file.
        name: String,
        /// How much of it was read, in percent.
        percent: u8,
        /// The records decoded so far.
        so_far: DecodedTally,
    },
    /// Everything was read, and the cycle runs.
    Cycle {
        /// Number of nodes.
        nodes: usize,
        /// Number of jobs.
        jobs: usize,
    },
}

/// Progress of the collector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CollectEvent {
    /// The client for this file runs.
    ClientStarted(String),
    /// A client ended, or a file was copied.
    FileCollected(CollectedFile),
    /// A round is complete.
    RoundComplete {
        /// Duration of the round.
        took: Duration,
        rest: Duration,
    },
}

#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// Files are being read; one of the following four events comes next.
    Reading,
    /// Progress of the reading, if it takes time.
    ReadingAt(LoadProgress),
    /// A new generation is available or, after a failure, the last good one is valid again.
    Loaded(Arc<Generation>),
    /// Everything that can be read so far, before there is a generation and while a file is being written. It has
    /// number 0, and is shown only until there is a generation.
    Preview {
        /// What could be read.
        generation: Arc<Generation>,
        /// The file that is waited for, and why.
        why: String,
    },
    /// A file is being written; the last good generation is kept, and the file is checked again soon.
    Waiting {
        /// The file, and why it is not yet accepted.
        reason: String,
        /// Time since when.
        at: SystemTime,
    },
    /// Reading failed; the last good generation is kept.
    Failed {
        /// The error, with file and place.
        message: String,
        /// The file that was read and does not exist any more, if that is the reason.
        missing_file: Option<String>,
        /// Time of the failure.
        at: SystemTime,
    },
    /// The files were checked and have not changed.
    Unchanged,
    /// How changes are noticed.
    Watching(WatchMode),
    /// Progress of the collector, if one fills the folder.
    Collecting(CollectEvent),
    /// The number of the snapshot that was appended to the recording, or the error.
    Recorded(Result<u64, String>),
}

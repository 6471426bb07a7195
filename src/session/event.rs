//! What a session reports while it reads and follows.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::generation::Generation;
use qscope_source::SoFar;
use qscope_source::collect::Collected;

/// How far a reading has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadingAt {
    /// Within a file.
    File {
        /// Which file.
        name: String,
        /// How much of it was read.
        percent: u8,
        /// What the records show that were decoded.
        so_far: SoFar,
    },
    /// All was read, and the cycle is run over it.
    Cycle {
        /// How many nodes were read.
        nodes: usize,
        /// How many jobs.
        jobs: usize,
    },
}

/// What the collector does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CollectEvent {
    /// The client that fills this file runs.
    Begins(String),
    /// A client ended, or a file was copied.
    Ended(Collected),
    /// A round is over.
    Rests {
        /// How long it took.
        took: Duration,
        /// How long it rests.
        rest: Duration,
    },
}

/// What a session reports.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// Files are being read; one of the next four follows.
    Reading,
    /// How far the reading has come, where that takes its time.
    ReadingAt(ReadingAt),
    /// A new generation is there, or, after a failure, the last good one counts again.
    Loaded(Arc<Generation>),
    /// What can be read so far, before there is a generation and while a file is being written: number 0, and shown
    /// only until there is one.
    Preview {
        /// What can be read.
        generation: Arc<Generation>,
        /// Which file is waited for, and why.
        why: String,
    },
    /// A file is being written; the last good generation stands, and it is checked again soon.
    Waiting {
        /// Which file, and why it is not taken as it is.
        why: String,
        /// Since when.
        at: SystemTime,
    },
    /// Reading failed; the last good generation stands.
    Failed {
        /// What is wrong, with file and place.
        message: String,
        /// When.
        at: SystemTime,
    },
    /// The files were checked and have not changed.
    Unchanged,
    /// How changes are noticed, in words for the header.
    Watching(String),
    /// What the collector does, if one fills the folder.
    Collecting(CollectEvent),
    /// A snapshot was appended to the recording, as which number; or why it was not.
    Recorded(Result<u64, String>),
}

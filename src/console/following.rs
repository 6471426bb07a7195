//! How the screen keeps up with the files: live or frozen, the kept snapshots, the last failure.

mod age;
mod collecting;

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Seconds};
use qscope_session::history::History;
use qscope_session::{Generation, LoadProgress, LogHistory, Opening};

pub(crate) use age::{AGED, OldData, OldDataReason, is_given, is_simulated, moment, moment_of};
pub(crate) use collecting::{ClientState, CollectorState};

/// A failed reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FollowFailure {
    /// The error, with file and place.
    pub message: String,
    /// The file that was read and does not exist any more, if that is the reason.
    pub missing_file: Option<String>,
    /// When it occurred.
    pub at: Epoch,
}

/// Why the screen is frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FreezeReason {
    /// The cycle is being stepped.
    Stepping,
    /// A key froze it.
    OnRequest,
    /// An older snapshot is shown.
    OlderSnapshot,
}

/// How the screen keeps up with the files.
#[derive(Debug, Default)]
pub(crate) struct FollowState {
    /// Why the screen is frozen; `None` while it is live.
    pub(crate) freeze: Option<FreezeReason>,
    /// Whether the analysis of snapshots is limited in how often it runs.
    pub(crate) keeps_pace: bool,
    /// The kept snapshots, including those that arrived while the screen was frozen.
    pub(crate) history: History,
    /// The live snapshot, while a what-if is shown.
    pub(crate) live: Option<Arc<Generation>>,
    /// The file being waited for, because it is just being written.
    pub(crate) waiting: Option<String>,
    /// Unusable parts of the configuration, each with its file and line.
    pub(crate) config_wrong: Vec<String>,
    /// The readable part of files that are just being written, if there was no complete reading yet and the screen was
    /// frozen.
    pub(crate) preview: Option<Arc<Generation>>,
    /// When the files were last read successfully.
    pub(crate) read_at: Option<Epoch>,
    /// The error of the last reading, if it failed.
    pub(crate) failure: Option<FollowFailure>,
    /// How changes are noticed, if not as usual.
    pub(crate) watching: Option<String>,
    /// Whether a key requested the reading under way.
    pub(crate) requested: bool,
    /// Whether files are being read.
    pub(crate) reading: bool,
    /// Progress of a long reading: the last report of each file, and of the cycle.
    pub(crate) reading_at: Vec<LoadProgress>,
    /// The collector that fills the folder, if there is one.
    pub(crate) collection: Option<CollectorState>,
    /// What is being read, needed for reading another moment of it.
    pub(crate) opening: Option<Opening>,
    /// The logs of the past, if some were given.
    pub(crate) past: Option<Arc<LogHistory>>,
    /// The number of the snapshot chosen for the left side of a comparison.
    pub(crate) left: Option<u64>,
    /// The number of the last recorded snapshot, or why recording it failed.
    pub(crate) recorded: Option<Result<u64, String>>,
}

impl FollowState {
    /// Whether a recording or a simulation is read: there, later snapshots are not news.
    pub(crate) fn has_tape(&self) -> bool {
        self.opening.as_ref().is_some_and(Opening::has_tape)
    }

    /// Takes a progress report, which replaces the previous one of the same file.
    pub(crate) fn record_progress(&mut self, at: LoadProgress) {
        fn file(progress: &LoadProgress) -> Option<&str> {
            match progress {
                LoadProgress::File { name, .. } => Some(name),
                LoadProgress::Cycle { .. } => None,
            }
        }
        match self.reading_at.iter_mut().find(|known| file(known) == file(&at)) {
            Some(known) => *known = at,
            None => self.reading_at.push(at),
        }
    }

    /// Returns how many snapshots came after this one.
    pub(crate) fn newer_than(&self, generation: &Generation) -> u64 {
        if self.has_tape() {
            return 0;
        }
        let newest = self.history.newest().map_or(0, |newest| newest.number);
        newest.saturating_sub(generation.number).max(u64::from(self.preview.is_some()))
    }

    /// Returns the time since the last good reading while readings fail.
    pub(crate) fn failing_for(&self, now: Epoch) -> Option<Seconds> {
        let failure = self.failure.as_ref()?;
        Some(now - self.read_at.unwrap_or(failure.at))
    }
}

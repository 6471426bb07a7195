//! How the screen keeps up with the files: live or frozen, the snapshots that are kept, the last failure.

mod age;
mod collecting;

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Seconds};
use qscope_session::history::History;
use qscope_session::{Generation, Opening, Past, ReadingAt};

pub(crate) use age::{AGED, OldBecause, OldData, is_given, is_simulated, moment, moment_of};
pub(crate) use collecting::{ClientState, Collection};

/// Reading failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FollowFailure {
    /// What is wrong, with file and place.
    pub message: String,
    /// When.
    pub at: Epoch,
}

/// Why the screen stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freeze {
    /// The cycle is being stepped.
    Stepping,
    /// A key froze it.
    OnRequest,
    /// An older snapshot is shown.
    Back,
}

/// How the screen keeps up with the files.
#[derive(Debug, Default)]
pub(crate) struct Following {
    /// Whether it stands still, and why.
    pub(crate) freeze: Option<Freeze>,
    /// Whether what is found out about snapshots keeps a pace of its own.
    pub(crate) keeps_pace: bool,
    /// The snapshots that are kept, those that came while the screen stood still among them.
    pub(crate) history: History,
    /// The live snapshot, while a what-if is shown.
    pub(crate) live: Option<Arc<Generation>>,
    /// What is being waited for: a file in the middle of being written.
    pub(crate) waiting: Option<String>,
    /// What of the configuration cannot be used, each with its file and line.
    pub(crate) config_wrong: Vec<String>,
    /// What could be read of files in the middle of being written, before the first whole reading, while the screen
    /// stood still.
    pub(crate) preview: Option<Arc<Generation>>,
    /// When the files were last read well.
    pub(crate) read_at: Option<Epoch>,
    /// The last reading, if it failed.
    pub(crate) failure: Option<FollowFailure>,
    /// How changes are noticed.
    pub(crate) watching: Option<String>,
    /// Whether a key requested the reading under way.
    pub(crate) requested: bool,
    /// Whether files are being read.
    pub(crate) reading: bool,
    /// How far that has come, where it takes its time: the last report of each file, and of the cycle.
    pub(crate) reading_at: Vec<ReadingAt>,
    /// The collector behind the screen, if there is one.
    pub(crate) collection: Option<Collection>,
    /// What is being read, to read another moment of it.
    pub(crate) opening: Option<Opening>,
    /// The logs of the past, where some were given.
    pub(crate) past: Option<Arc<Past>>,
    /// The snapshot that was chosen for the left side of a difference, by its number.
    pub(crate) left: Option<u64>,
    /// The number of the last snapshot that was recorded, or why the last one was not.
    pub(crate) recorded: Option<Result<u64, String>>,
}

impl Following {
    /// Whether what is read is a recording or a simulation, on which later snapshots are a way on, not news.
    pub(crate) fn has_tape(&self) -> bool {
        self.opening.as_ref().is_some_and(Opening::has_tape)
    }

    /// Takes in how far the reading has come, in the place of what was known of that file.
    pub(crate) fn reach(&mut self, at: ReadingAt) {
        fn file(at: &ReadingAt) -> Option<&str> {
            match at {
                ReadingAt::File { name, .. } => Some(name),
                ReadingAt::Cycle { .. } => None,
            }
        }
        match self.reading_at.iter_mut().find(|known| file(known) == file(&at)) {
            Some(known) => *known = at,
            None => self.reading_at.push(at),
        }
    }

    /// How many snapshots came after this one.
    pub(crate) fn newer_than(&self, generation: &Generation) -> u64 {
        if self.has_tape() {
            return 0;
        }
        let newest = self.history.newest().map_or(0, |newest| newest.number);
        newest.saturating_sub(generation.number).max(u64::from(self.preview.is_some()))
    }

    /// How old the last good reading is, while later ones fail.
    pub(crate) fn failing_for(&self, now: Epoch) -> Option<Seconds> {
        let failure = self.failure.as_ref()?;
        Some(now - self.read_at.unwrap_or(failure.at))
    }
}

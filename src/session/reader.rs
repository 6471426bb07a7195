//! Checks the files once: what is new, what has to wait, what is wrong.

mod guard;
mod others;
mod outcome;
mod recheck;

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::doubt::{self, DoubtfulFile, FileDoubt};
use super::engine::SessionInterfaces;
use super::stability::{CheckTime, StabilityTracker};
use super::{Generation, LoadProgress, Opening, OpeningOrigin, SchedLogLocation};
use guard::guard;
use outcome::ContentHashes;
use qscope_engine::cluster::Snapshot;
use qscope_record::SnapshotFiles;
use qscope_source::watch::reading::{self, FolderContents};
use qscope_source::watch::{FOLDER, Fingerprints, WatchClock};
use qscope_source::{Files, ReadCache, SourceError};

/// Number of nodes and jobs from which on the cycle takes noticeable time.
const MANY: usize = 2000;

/// Callback for the progress of a reading.
pub(super) type LoadProgressCallback = Arc<dyn Fn(LoadProgress) + Send + Sync>;

/// Result of a check.
#[derive(Debug)]
pub(super) enum ReadOutcome {
    /// The files are those of the last generation.
    Unchanged,
    Loaded(Arc<Generation>),
    /// There is no generation, with the reason.
    Failed(ReadFailure),
    /// A file may still be being written: check again after a pause.
    Retry(Duration, String),
    /// The same before the first generation, with what the other files show so far.
    Preview(Arc<Generation>, Duration, String),
    /// The session has ended.
    Stopped,
}

/// Reads one opening repeatedly, and remembers the last state.
pub(super) struct SnapshotReader {
    opening: Opening,
    engine: SessionInterfaces,
    alive: Receiver<Infallible>,
    patience: StabilityTracker,
    /// The records of the last reading.
    memory: ReadCache,
    /// Callback for the progress of a reading.
    progress: Option<LoadProgressCallback>,
    last: Option<LastGeneration>,
    failed: Option<FailedRead>,
    /// Hash of the content that was previewed before the first generation.
    previewed: Option<u64>,
    /// Where the next generation is in a recording, if it is from one.
    recording_position: Option<RecordingPosition>,
    /// The files of the last snapshot, if they are kept until they are taken.
    files: FileRetention,
}

/// Where a snapshot is in a recording.
struct RecordingPosition {
    number: u64,
    /// Its place in the order of time, counted from 1, and the number of snapshots.
    position: (usize, usize),
    origin: OpeningOrigin,
}

/// Whether the files of a snapshot are kept for a recording.
#[derive(Debug)]
enum FileRetention {
    Discarded,
    Kept(Option<SnapshotFiles>),
}

/// The last good generation.
struct LastGeneration {
    hash: u64,
    /// Whether "now" is the modification time of a file, which is then part of the content.
    by_time: bool,
    generation: Arc<Generation>,
    /// The last one with consistent dumps; its predictions are compared with the next such generation.
    consistent: Arc<Generation>,
}

/// A failure since the last good generation.
struct FailedRead {
    /// Hash of the content, if it could be read at all.
    hash: Option<u64>,
    failure: ReadFailure,
}

/// Why there is no generation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ReadFailure {
    pub(super) message: String,
    /// The file that was read and does not exist any more, if that is the reason.
    pub(super) missing_file: Option<String>,
}

impl From<String> for ReadFailure {
    fn from(message: String) -> Self {
        Self { message, missing_file: None }
    }
}

impl SnapshotReader {
    /// Creates a reader that has read nothing yet. Closing `alive` stops a check between reading and running.
    pub(super) fn new(opening: Opening, interfaces: SessionInterfaces, alive: Receiver<Infallible>) -> Self {
        Self {
            opening,
            engine: interfaces,
            alive,
            patience: StabilityTracker::default(),
            memory: ReadCache::default(),
            progress: None,
            last: None,
            failed: None,
            previewed: None,
            recording_position: None,
            files: FileRetention::Discarded,
        }
    }

    /// Keeps the files of each snapshot loaded from a folder from now on, until they are taken.
    pub(super) fn keep_files(&mut self) {
        self.files = FileRetention::Kept(None);
    }

    /// Takes the files of the snapshot that the last check loaded, if they are kept.
    pub(super) fn take_files(&mut self) -> Option<SnapshotFiles> {
        match &mut self.files {
            FileRetention::Kept(files) => files.take(),
            FileRetention::Discarded => None,
        }
    }

    /// Returns the clock that is used.
    pub(super) fn clock(&self) -> WatchClock {
        self.engine.clock
    }

    /// Whether there is a generation.
    pub(super) fn has_loaded(&self) -> bool {
        self.last.is_some()
    }

    /// Sets a callback for the progress of readings.
    pub(super) fn reporting(mut self, progress: LoadProgressCallback) -> Self {
        self.progress = Some(progress);
        self.memory = self.fresh_memory();
        self
    }

    /// Creates an empty memory.
    fn fresh_memory(&self) -> ReadCache {
        let Some(progress) = self.progress.clone() else { return ReadCache::default() };
        ReadCache::default().reporting(Arc::new(move |name, percent, so_far| {
            progress(LoadProgress::File { name: name.to_owned(), percent, so_far: so_far.clone() });
        }))
    }

    /// Checks the files.
    pub(super) fn check(&mut self) -> ReadOutcome {
        let outcome = match self.opening.origin.clone() {
            OpeningOrigin::Folder(folder) => self.folder(&folder),
            OpeningOrigin::Files(_) => self.files(None),
            OpeningOrigin::Recording { folder, at } => self.files(Some((&folder, at))),
            OpeningOrigin::Simulation { .. } => self.simulated(),
            OpeningOrigin::BuiltIn => self.built_in(),
        };
        if !matches!(outcome, ReadOutcome::Retry(..) | ReadOutcome::Preview(..)) {
            self.patience.note_decision();
        }
        outcome
    }

    fn folder(&mut self, folder: &Path) -> ReadOutcome {
        let started = Instant::now();
        let reading = match (self.engine.read_folder)(folder) {
            Ok(reading) => reading,
            Err(cause) => return self.no_folder(folder, cause),
        };
        self.observe(folder, &reading.prints);
        if let Some(name) = reading.changed_file
            && let Some(pause) = self.patience.retry_delay()
        {
            return ReadOutcome::Retry(pause, format!("{name} is being written"));
        }
        let was_by_time = self.last.as_ref().is_some_and(|last| last.by_time);
        let hash = reading.hash(was_by_time);
        if let Some(outcome) = self.known_outcome(hash) {
            return outcome;
        }
        if let Some(wait) = self.wait_for(&doubt::in_bytes(&reading, self.snapshot())) {
            return self.preview(hash, &reading.files, wait);
        }
        let loaded = guard(|| (self.engine.load)(&reading.files, &self.opening.load, &mut self.memory));
        let snapshot = match loaded {
            Ok(Ok(snapshot)) => snapshot,
            Ok(Err(error)) => {
                let wait = self.wait_for(&doubt::doubts_from_error(&error));
                return wait.unwrap_or_else(|| self.fail(of_content(hash, &error), error.to_string()));
            }
            Err(panicked) => return self.panicked(panicked),
        };
        let lost = self
            .lost_file_report(&snapshot)
            .map(ReadFailure::from)
            .or_else(|| self.missing_file_report(&snapshot));
        if let Some(why) = lost.or_else(|| self.opening.no_verdicts(&snapshot).map(ReadFailure::from)) {
            return self.fail(Some(hash), why);
        }
        if let Some(wait) = self.doubt_snapshot(&snapshot) {
            return wait;
        }
        if let Some(why) = self.replaced(&snapshot).or_else(|| doubt::cut_since(&snapshot, self.snapshot()?))
        {
            return self.fail(Some(hash), why);
        }
        let by_time = is_by_time(&snapshot);
        let kept = if by_time == was_by_time { hash } else { reading.hash(by_time) };
        let hash = ContentHashes { current: hash, kept, by_time };
        let log = SchedLogLocation::of(&self.opening.origin, &reading.files);
        let shot = matches!(self.files, FileRetention::Kept(_)).then(|| SnapshotFiles::of(&reading.files));
        drop::<FolderContents>(reading);
        let outcome = self.run(snapshot, log, &hash, started.elapsed());
        if shot.is_some() && matches!(outcome, ReadOutcome::Loaded(_)) {
            self.files = FileRetention::Kept(shot);
        }
        outcome
    }

    /// Before the first generation, an unfinished file does not delay the others: what they show is previewed.
    fn preview(&mut self, hash: u64, files: &Files, wait: ReadOutcome) -> ReadOutcome {
        let ReadOutcome::Retry(pause, why) = wait else { return wait };
        if self.last.is_some() || self.previewed.replace(hash) == Some(hash) {
            return ReadOutcome::Retry(pause, why);
        }
        let (started, build) = (Instant::now(), self.engine.build);
        let quirks = self.opening.quirks;
        let shown = guard(|| {
            let snapshot = (self.engine.load)(files, &self.opening.load, &mut self.memory).ok()?;
            if snapshot.nodes.is_empty() || self.opening.no_verdicts(&snapshot).is_some() {
                return None;
            }
            let snapshot = Arc::new(self.opening.with_adapted_title(snapshot));
            let mut shown =
                Generation::run(0, snapshot, started.elapsed(), |snapshot| build(None, snapshot, quirks));
            shown.opened_as(&self.opening);
            Some(Arc::new(shown))
        });
        match shown {
            Ok(Some(shown)) => ReadOutcome::Preview(shown, pause, why),
            Ok(None) | Err(_) => ReadOutcome::Retry(pause, why),
        }
    }

    fn observe(&mut self, folder: &Path, prints: &Fingerprints) {
        let clock = self.clock();
        let at = CheckTime { monotonic: (clock.now)(), clock: (clock.date)(), first: self.last.is_none() };
        self.patience.observe(prints, at, |name| reading::is_lastingly_empty(folder, name));
    }

    /// A folder that existed may be about to be replaced; one that never existed is reported at once.
    fn no_folder(&mut self, folder: &Path, cause: io::Error) -> ReadOutcome {
        self.observe(folder, &Fingerprints::default());
        let gone = DoubtfulFile { file: FOLDER.into(), doubt: FileDoubt::Missing };
        self.wait_for(&[gone]).unwrap_or_else(|| {
            let error = SourceError::Folder { folder: folder.display().to_string(), cause };
            self.fail(None, error.to_string())
        })
    }
}

/// Returns the content that a failure is a property of, if any: a lack of memory may end although no file has
/// changed.
fn of_content(hash: u64, error: &SourceError) -> Option<u64> {
    (!matches!(error, SourceError::Memory { .. })).then_some(hash)
}

fn is_by_time(snapshot: &Snapshot) -> bool {
    snapshot.reported("now-by-mtime").next().is_some()
}

#[cfg(test)]
mod tests;

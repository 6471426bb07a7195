//! One check of the files: what is new, what has to wait, what is wrong.

mod guard;
mod known;
mod others;
mod outcome;

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::doubt::{self, Doubt, Trouble};
use super::engine::Engine;
use super::patience::{Moment, Patience};
use super::{Generation, Opening, OpeningOrigin, ReadingAt, SchedLogAt};
use guard::guard;
use outcome::HashOf;
use qscope_engine::cluster::Snapshot;
use qscope_record::Shot;
use qscope_source::watch::reading::{self, FolderContents};
use qscope_source::watch::{Clock, FOLDER, Prints};
use qscope_source::{Files, Memory, SourceError};

/// From so many nodes and jobs on the cycle over them takes its time.
const MANY: usize = 2000;

/// Called with how far a reading has come.
pub(super) type OnProgress = Arc<dyn Fn(ReadingAt) + Send + Sync>;

/// The result of a check.
#[derive(Debug)]
pub(super) enum ReadOutcome {
    /// The files are those of the last generation.
    Unchanged,
    Loaded(Arc<Generation>),
    /// There is none, and why.
    Failed(String),
    /// A file may still be written: check again after a pause.
    Wait(Duration, String),
    /// The same before the first generation, with what the other files show so far.
    Preview(Arc<Generation>, Duration, String),
    /// The session has ended.
    Stopped,
}

/// Reads one opening again and again, and remembers what it was.
pub(super) struct SnapshotReader {
    opening: Opening,
    engine: Engine,
    alive: Receiver<Infallible>,
    patience: Patience,
    /// The records of the files as they were last read.
    memory: Memory,
    /// What is to know how far a reading has come.
    progress: Option<OnProgress>,
    last: Option<Last>,
    failed: Option<Failed>,
    /// The content that was shown before the first generation.
    previewed: Option<u64>,
    /// The number and origin that the next generation has by its place in a recording.
    place: Option<(u64, OpeningOrigin)>,
    /// The files of the last snapshot, where they are to be kept until they are taken.
    files: Keep,
}

/// Whether the files of a snapshot are kept for a recording.
#[derive(Debug)]
enum Keep {
    No,
    Yes(Option<Shot>),
}

/// The last good generation.
struct Last {
    hash: u64,
    /// Whether "now" is the time a file was written, which then is part of the content.
    by_time: bool,
    generation: Arc<Generation>,
    /// The last one whose dumps belong together; what it predicts is held against the next such.
    whole: Arc<Generation>,
}

/// A failure since.
struct Failed {
    /// Of which content, if it could be read at all.
    hash: Option<u64>,
    message: String,
}

impl SnapshotReader {
    /// Reads nothing yet. The end of `alive` stops a check between reading and running.
    pub(super) fn new(opening: Opening, engine: Engine, alive: Receiver<Infallible>) -> Self {
        Self {
            opening,
            engine,
            alive,
            patience: Patience::default(),
            memory: Memory::default(),
            progress: None,
            last: None,
            failed: None,
            previewed: None,
            place: None,
            files: Keep::No,
        }
    }

    /// Keeps the files of each snapshot that it loads from a folder from now on, until they are taken.
    pub(super) fn keep_files(&mut self) {
        self.files = Keep::Yes(None);
    }

    /// Takes the files of the snapshot that the last check loaded, where they are kept.
    pub(super) fn take_files(&mut self) -> Option<Shot> {
        match &mut self.files {
            Keep::Yes(files) => files.take(),
            Keep::No => None,
        }
    }

    /// The clock that it goes by.
    pub(super) fn clock(&self) -> Clock {
        self.engine.clock
    }

    /// Whether there is a generation.
    pub(super) fn has_loaded(&self) -> bool {
        self.last.is_some()
    }

    /// The same, with how far a reading has come reported.
    pub(super) fn reporting(mut self, progress: OnProgress) -> Self {
        self.progress = Some(progress);
        self.memory = self.fresh_memory();
        self
    }

    /// A memory of nothing.
    fn fresh_memory(&self) -> Memory {
        let Some(progress) = self.progress.clone() else { return Memory::default() };
        Memory::default().reporting(Arc::new(move |name, percent, so_far| {
            progress(ReadingAt::File { name: name.to_owned(), percent, so_far: so_far.clone() });
        }))
    }

    /// Checks the files.
    pub(super) fn check(&mut self) -> ReadOutcome {
        let outcome = match self.opening.origin.clone() {
            OpeningOrigin::Folder(folder) => self.folder(&folder),
            OpeningOrigin::Files(_) => self.files(None),
            OpeningOrigin::Recording { folder, at } => self.files(Some((folder, at))),
            OpeningOrigin::Simulation { .. } => self.simulated(),
            OpeningOrigin::BuiltIn => self.built_in(),
        };
        if !matches!(outcome, ReadOutcome::Wait(..) | ReadOutcome::Preview(..)) {
            self.patience.settle();
        }
        outcome
    }

    fn folder(&mut self, folder: &Path) -> ReadOutcome {
        let started = Instant::now();
        let reading = match (self.engine.read)(folder) {
            Ok(reading) => reading,
            Err(cause) => return self.no_folder(folder, cause),
        };
        self.observe(folder, &reading.prints);
        if let Some(name) = reading.restless
            && let Some(pause) = self.patience.back_off()
        {
            return ReadOutcome::Wait(pause, format!("{name} is being written"));
        }
        let was_by_time = self.last.as_ref().is_some_and(|last| last.by_time);
        let hash = reading.hash(was_by_time);
        if let Some(outcome) = self.recall(hash) {
            return outcome;
        }
        if let Some(wait) = self.wait(&doubt::in_bytes(&reading, self.snapshot())) {
            return self.preview(hash, &reading.files, wait);
        }
        let loaded = guard(|| (self.engine.load)(&reading.files, &self.opening.load, &mut self.memory));
        let snapshot = match loaded {
            Ok(Ok(snapshot)) => snapshot,
            Ok(Err(error)) => {
                let wait = self.wait(&doubt::in_error(&error));
                return wait.unwrap_or_else(|| self.fail(of_content(hash, &error), error.to_string()));
            }
            Err(panicked) => return self.panicked(panicked),
        };
        let missing = || self.lost(&snapshot).or_else(|| self.missing(&snapshot));
        if let Some(why) = missing().or_else(|| self.opening.no_verdicts(&snapshot)) {
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
        let hash = HashOf { found: hash, kept, by_time };
        let log = SchedLogAt::of(&self.opening.origin, &reading.files);
        let shot = matches!(self.files, Keep::Yes(_)).then(|| Shot::of(&reading.files));
        drop::<FolderContents>(reading);
        let outcome = self.run(snapshot, log, &hash, started.elapsed());
        if shot.is_some() && matches!(outcome, ReadOutcome::Loaded(_)) {
            self.files = Keep::Yes(shot);
        }
        outcome
    }

    /// Before the first generation a file that is not finished does not hold up the others: what they show is shown.
    fn preview(&mut self, hash: u64, files: &Files, wait: ReadOutcome) -> ReadOutcome {
        let ReadOutcome::Wait(pause, why) = wait else { return wait };
        if self.last.is_some() || self.previewed.replace(hash) == Some(hash) {
            return ReadOutcome::Wait(pause, why);
        }
        let (started, build) = (Instant::now(), self.engine.build);
        let quirks = self.opening.quirks;
        let shown = guard(|| {
            let snapshot = (self.engine.load)(files, &self.opening.load, &mut self.memory).ok()?;
            if snapshot.nodes.is_empty() || self.opening.no_verdicts(&snapshot).is_some() {
                return None;
            }
            let snapshot = Arc::new(self.opening.entitled(snapshot));
            let mut shown =
                Generation::run(0, snapshot, started.elapsed(), |snapshot| build(None, snapshot, quirks));
            shown.opened_as(&self.opening);
            Some(Arc::new(shown))
        });
        match shown {
            Ok(Some(shown)) => ReadOutcome::Preview(shown, pause, why),
            Ok(None) | Err(_) => ReadOutcome::Wait(pause, why),
        }
    }

    fn observe(&mut self, folder: &Path, prints: &Prints) {
        let clock = self.clock();
        let at = Moment { now: (clock.now)(), clock: (clock.date)(), first: self.last.is_none() };
        self.patience.observe(prints, at, |name| reading::stays_empty(folder, name));
    }

    /// A folder that was there may be about to be replaced; one that never was is reported at once.
    fn no_folder(&mut self, folder: &Path, cause: io::Error) -> ReadOutcome {
        self.observe(folder, &Prints::default());
        let gone = Doubt { file: FOLDER.into(), trouble: Trouble::Gone };
        self.wait(&[gone]).unwrap_or_else(|| {
            let error = SourceError::Folder { folder: folder.display().to_string(), cause };
            self.fail(None, error.to_string())
        })
    }
}

/// The content that a failure is a property of: memory may be free again though no file has changed.
fn of_content(hash: u64, error: &SourceError) -> Option<u64> {
    (!matches!(error, SourceError::Memory { .. })).then_some(hash)
}

fn is_by_time(snapshot: &Snapshot) -> bool {
    snapshot.reported("now-by-mtime").next().is_some()
}

#[cfg(test)]
mod tests;

//! One check of the files: what is new, what has to wait, what is wrong.

use std::any::Any;
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};

use super::agreement::Agreement;
use super::doubt::{self, Doubt, Trouble};
use super::engine::Engine;
use super::moments::Moments;
use super::patience::{Moment, Patience};
use super::tape::recorded;
use super::{Generation, Opening, Origin, ReadingAt, SchedLogAt, load_generation, read_files};
use qscope_engine::cluster::{Diagnostic, Snapshot};
use qscope_record::{Point, Shot};
use qscope_source::watch::reading::{self, FolderContents};
use qscope_source::watch::{Clock, FOLDER, Prints};
use qscope_source::{Files, Memory, SourceError};

/// Of a log, so many turns are decided anew to compare their lines.
const LOG_TURNS: usize = 300;

/// From so many nodes and jobs on the cycle over them takes its time.
const MANY: usize = 2000;

/// Called with how far a reading has come.
pub(super) type OnProgress = Arc<dyn Fn(ReadingAt) + Send + Sync>;

/// The result of a check.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The files are those of the last generation.
    Unchanged,
    /// A generation.
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
pub(super) struct Reader {
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
    place: Option<(u64, Origin)>,
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

impl Reader {
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

    /// The same, with how far a reading has come reported.
    pub(super) fn reporting(mut self, progress: OnProgress) -> Self {
        self.progress = Some(progress);
        self.memory = self.fresh_memory();
        self
    }

    /// A memory of nothing.
    fn fresh_memory(&self) -> Memory {
        let Some(progress) = self.progress.clone() else { return Memory::default() };
        Memory::default().reporting(Arc::new(move |name, percent| {
            progress(ReadingAt::File { name: name.to_owned(), percent });
        }))
    }

    /// Checks the files.
    pub(super) fn check(&mut self) -> Outcome {
        let outcome = match self.opening.origin.clone() {
            Origin::Folder(folder) => self.folder(&folder),
            Origin::Files(_) => self.files(None),
            Origin::Recording { folder, at } => self.files(Some((folder, at))),
            Origin::Simulation { .. } => self.simulated(),
            Origin::BuiltIn => self.built_in(),
        };
        if !matches!(outcome, Outcome::Wait(..) | Outcome::Preview(..)) {
            self.patience.settle();
        }
        outcome
    }

    fn folder(&mut self, folder: &Path) -> Outcome {
        let started = Instant::now();
        let reading = match (self.engine.read)(folder) {
            Ok(reading) => reading,
            Err(cause) => return self.no_folder(folder, cause),
        };
        self.observe(folder, &reading.prints);
        if let Some(name) = reading.restless
            && let Some(pause) = self.patience.back_off()
        {
            return Outcome::Wait(pause, format!("{name} is being written"));
        }
        let hash = reading.hash(self.last.as_ref().is_some_and(|last| last.by_time));
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
        if let Some(why) = self.lost(&snapshot).or_else(|| self.opening.no_verdicts(&snapshot)) {
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
        let hash = HashOf { found: hash, kept: reading.hash(by_time), by_time };
        let log = SchedLogAt::of(&self.opening.origin, &reading.files);
        let shot = matches!(self.files, Keep::Yes(_)).then(|| Shot::of(&reading.files));
        drop::<FolderContents>(reading);
        let outcome = self.run(snapshot, log, &hash, started.elapsed());
        if shot.is_some() && matches!(outcome, Outcome::Loaded(_)) {
            self.files = Keep::Yes(shot);
        }
        outcome
    }

    /// Before the first generation a file that is not finished does not hold up the others: what they show is shown.
    fn preview(&mut self, hash: u64, files: &Files, wait: Outcome) -> Outcome {
        let Outcome::Wait(pause, why) = wait else { return wait };
        if self.last.is_some() || self.previewed.replace(hash) == Some(hash) {
            return Outcome::Wait(pause, why);
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
            Ok(Some(shown)) => Outcome::Preview(shown, pause, why),
            Ok(None) | Err(_) => Outcome::Wait(pause, why),
        }
    }

    /// Files that are not followed, or a moment of a recording: they are read again on request.
    fn files(&mut self, moment: Option<(PathBuf, Point)>) -> Outcome {
        let started = Instant::now();
        let read = || match &moment {
            Some((folder, at)) => recorded(folder, *at).map(|(number, files)| (Some(number), files)),
            None => Ok((None, read_files(&self.opening.origin)?)),
        };
        let (number, files) = match guard(read) {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return self.fail(None, error.to_string()),
            Err(panicked) => return self.panicked(panicked),
        };
        let found = files.hash(true);
        if let Some(outcome) = self.recall(found) {
            return outcome;
        }
        let snapshot = match guard(|| (self.engine.load)(&files, &self.opening.load, &mut self.memory)) {
            Ok(Ok(snapshot)) => snapshot,
            Ok(Err(error)) => return self.fail(of_content(found, &error), error.to_string()),
            Err(panicked) => return self.panicked(panicked),
        };
        if let Some(why) = self.lost(&snapshot).or_else(|| self.opening.no_verdicts(&snapshot)) {
            return self.fail(Some(found), why);
        }
        let log = SchedLogAt::of(&self.opening.origin, &files);
        self.place = number
            .zip(moment)
            .map(|(number, (folder, _))| (number, Origin::Recording { folder, at: Point::Number(number) }));
        self.run(snapshot, log, &HashOf { found, kept: found, by_time: true }, started.elapsed())
    }

    /// A cycle of a simulation, which never changes.
    fn simulated(&mut self) -> Outcome {
        if let Some(outcome) = self.recall(0) {
            return outcome;
        }
        match guard(|| load_generation(&self.opening, 1)) {
            Ok(Ok(generation)) => {
                let generation = Arc::new(generation);
                let whole = generation.clone();
                self.last = Some(Last { hash: 0, by_time: false, generation: generation.clone(), whole });
                Outcome::Loaded(generation)
            }
            Ok(Err(error)) => self.fail(Some(0), error.to_string()),
            Err(panicked) => self.panicked(panicked),
        }
    }

    /// The sample never changes.
    fn built_in(&mut self) -> Outcome {
        let (started, hash) = (Instant::now(), HashOf { found: 0, kept: 0, by_time: false });
        if let Some(outcome) = self.recall(hash.found) {
            return outcome;
        }
        match guard(|| (self.engine.load)(&Files::built_in(), &self.opening.load, &mut self.memory)) {
            Ok(Ok(snapshot)) => self.run(snapshot, SchedLogAt::BuiltIn, &hash, started.elapsed()),
            Ok(Err(error)) => self.fail(Some(hash.found), error.to_string()),
            Err(panicked) => self.panicked(panicked),
        }
    }

    fn observe(&mut self, folder: &Path, prints: &Prints) {
        let at = {
            let clock = self.clock();
            Moment { now: (clock.now)(), clock: (clock.date)(), first: self.last.is_none() }
        };
        self.patience.observe(prints, at, |name| reading::stays_empty(folder, name));
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.last.as_ref().map(|last| &*last.generation.snapshot)
    }

    /// A folder that was there may be about to be replaced; one that never was is reported at once.
    fn no_folder(&mut self, folder: &Path, cause: io::Error) -> Outcome {
        self.observe(folder, &Prints::default());
        let gone = Doubt { file: FOLDER.into(), trouble: Trouble::Gone };
        self.wait(&[gone]).unwrap_or_else(|| {
            let error = SourceError::Folder { folder: folder.display().to_string(), cause };
            self.fail(None, error.to_string())
        })
    }

    /// What is known about this content already.
    fn recall(&mut self, hash: u64) -> Option<Outcome> {
        if let Some(last) = self.last.as_ref().filter(|last| last.hash == hash) {
            let was_failed = self.failed.take().is_some();
            let generation = || Outcome::Loaded(last.generation.clone());
            return Some(if was_failed { generation() } else { Outcome::Unchanged });
        }
        let failed = self.failed.as_ref().filter(|failed| failed.hash == Some(hash))?;
        Some(Outcome::Failed(failed.message.clone()))
    }

    /// A file that the last generation was made of, and that is there but cannot be read now: without it, what is on the
    /// cluster would look as if it had gone.
    fn lost(&self, snapshot: &Snapshot) -> Option<String> {
        snapshot.unreadable().find(|found| self.was_used(found)).map(ToString::to_string)
    }

    /// The same of a file that holds something else now, such as the error of a client.
    fn replaced(&self, snapshot: &Snapshot) -> Option<String> {
        let last = self.snapshot()?;
        let is_new = |found: &&Diagnostic| {
            !last.diagnostics.iter().any(|old| old.code == found.code && old.file == found.file)
        };
        let mut none = snapshot.diagnostics.iter().filter(|found| doubt::NO_DUMP.contains(&found.code));
        none.find(|found| is_new(found) && self.was_used(found)).map(ToString::to_string)
    }

    /// Whether the last generation was made of the file of a remark.
    fn was_used(&self, found: &Diagnostic) -> bool {
        let files = self.snapshot().map(|last| last.files.as_slice()).unwrap_or_default();
        files.iter().any(|file| file.is_used() && file.name == found.file)
    }

    /// Whether these doubts ask for more time.
    fn wait(&self, doubts: &[Doubt]) -> Option<Outcome> {
        let (left, doubt) = self.patience.longest(doubts, (self.clock().now)())?;
        Some(Outcome::Wait(left, doubt.to_string()))
    }

    fn doubt_snapshot(&self, snapshot: &Snapshot) -> Option<Outcome> {
        let last = self.snapshot();
        if let Some(wait) = self.wait(&doubt::in_snapshot(snapshot, last)) {
            return Some(wait);
        }
        let left = self.patience.for_others((self.clock().now)())?;
        let waits = || Outcome::Wait(left, "one dump is new, the other may follow".to_owned());
        self.came_apart(snapshot).then(waits)
    }

    fn run(&mut self, snapshot: Snapshot, log: SchedLogAt, hash: &HashOf, read_took: Duration) -> Outcome {
        if self.alive.try_recv() == Err(TryRecvError::Disconnected) {
            return Outcome::Stopped;
        }
        let (nodes, jobs) = (snapshot.nodes.len(), snapshot.jobs.len());
        if let Some(progress) = self.progress.as_ref().filter(|_| nodes + jobs >= MANY) {
            progress(ReadingAt::Cycle { nodes, jobs });
        }
        let number = self.last.as_ref().map_or(0, |last| last.generation.number) + 1;
        let (number, origin) = self.place.take().map_or((number, None), |(number, at)| (number, Some(at)));
        let half = self.half(&snapshot);
        // After a failure nothing is taken from before it.
        let last = self.last.as_ref().filter(|_| self.failed.is_none());
        let before = last.map(|last| last.generation.run.universe());
        let build = |snapshot| (self.engine.build)(before.as_ref(), snapshot, self.opening.quirks);
        let agreed = |mut generation: Generation| {
            generation.half = half;
            generation.take_log(log);
            generation.agreement = Some(Arc::new(self.agreement(&generation)));
            generation.opened_as(&self.opening);
            generation.origin = origin.or(generation.origin);
            generation
        };
        match guard(|| {
            agreed(Generation::run(number, Arc::new(self.opening.entitled(snapshot)), read_took, build))
        }) {
            Ok(generation) => {
                let generation = Arc::new(generation);
                let (hash, by_time) = (hash.kept, hash.by_time);
                let before = self.last.take().map(|last| last.whole).filter(|_| generation.half.is_some());
                let whole = before.unwrap_or_else(|| generation.clone());
                self.last = Some(Last { hash, by_time, generation: generation.clone(), whole });
                self.failed = None;
                Outcome::Loaded(generation)
            }
            Err(panicked) => self.panicked(panicked),
        }
    }

    /// How a generation agrees with the live scheduler, the last one's prediction included.
    fn agreement(&self, generation: &Generation) -> Agreement {
        let agreement = Agreement::new(&generation.run, &generation.sched_log, LOG_TURNS);
        let Some(last) = &self.last else { return agreement };
        agreement.after(&last.whole.run, last.generation.agreement.as_deref(), &generation.run)
    }

    /// Why the dumps of a snapshot do not belong together: one is new, and the other did not come in time.
    fn half(&self, snapshot: &Snapshot) -> Option<String> {
        Moments::of(snapshot).skew().filter(|_| self.came_apart(snapshot))
    }

    fn came_apart(&self, snapshot: &Snapshot) -> bool {
        self.last.as_ref().is_some_and(|last| {
            let [before, whole] = [&last.generation, &last.whole].map(|one| Moments::of(&one.snapshot));
            Moments::of(snapshot).came_apart(before, whole)
        })
    }

    /// A panic within the program: what was remembered may be half-changed, and is read anew. So it is no property of the
    /// content, and the next check tries again.
    fn panicked(&mut self, message: String) -> Outcome {
        self.memory = self.fresh_memory();
        self.fail(None, message)
    }

    fn fail(&mut self, hash: Option<u64>, message: String) -> Outcome {
        self.failed = Some(Failed { hash, message: message.clone() });
        Outcome::Failed(message)
    }
}

/// The content that a failure is a property of: memory may be free again though no file has changed.
fn of_content(hash: u64, error: &SourceError) -> Option<u64> {
    (!matches!(error, SourceError::Memory { .. })).then_some(hash)
}

/// The hash of a content as the last generation would have it, and as its own generation does.
struct HashOf {
    found: u64,
    kept: u64,
    by_time: bool,
}

fn is_by_time(snapshot: &Snapshot) -> bool {
    snapshot.diagnostics.iter().any(|found| found.code == "now-by-mtime")
}

/// Does a piece of work; a panic in it is a message.
fn guard<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What the work was given is thrown away after a panic, never read half-changed.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        format!("an error within qscope: {}; please report it with these files", words(&*payload))
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests;

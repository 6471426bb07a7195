//! The session's thread: checks the files when there is reason to, and reports the result.

use std::convert::Infallible;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, at, never, select};

use super::SessionEvent;
use super::reader::{Outcome, Reader};
use super::recording::Recording;
use qscope_source::watch::{WatchMode, Watcher};

/// Reads for one session. While it does, what happens meanwhile becomes one more check, never two.
pub(super) struct Worker<T> {
    reader: Reader,
    /// Ends with the worker.
    watcher: Option<Watcher>,
    dirty: Receiver<()>,
    mode: Receiver<WatchMode>,
    reloads: Receiver<()>,
    alive: Receiver<Infallible>,
    report: T,
    /// What keeps the snapshots, if they are recorded.
    recording: Option<Recording>,
    /// Whether the first check was requested.
    begun: bool,
    /// When to check without a request.
    next: Option<Instant>,
    /// What is being waited for, if the last check came to that.
    waiting: Option<String>,
}

/// Why the worker wakes up.
/// So long after a failure the files are tried again, though nothing is seen to change.
const TRY_AGAIN: Duration = Duration::from_secs(10);

enum Wake {
    Check,
    WatchMode(WatchMode),
    Stop,
}

impl<T: Fn(SessionEvent) -> bool> Worker<T> {
    /// A worker that checks as soon as its watcher reports, or, without one, at once and then on request.
    pub(super) fn new(
        reader: Reader,
        watcher: Option<Watcher>,
        reloads: Receiver<()>,
        alive: Receiver<Infallible>,
        report: T,
    ) -> Self {
        let dirty = watcher.as_ref().map_or_else(never, |watcher| watcher.dirty().clone());
        let mode = watcher.as_ref().map_or_else(never, |watcher| watcher.mode().clone());
        let next = if watcher.is_none() { Some(Instant::now()) } else { None };
        let (recording, waiting) = (None, None);
        Self { reader, watcher, dirty, mode, reloads, alive, report, recording, begun: false, next, waiting }
    }

    /// The same, with what keeps the snapshots.
    pub(super) fn recording(self, recording: Option<Recording>) -> Self {
        Self { recording, ..self }
    }

    /// Works until the session is closed.
    pub(super) fn run(mut self) {
        loop {
            let goes_on = match self.wait() {
                Wake::Check => self.check(),
                Wake::WatchMode(mode) => (self.report)(SessionEvent::Watching(mode.to_string())),
                Wake::Stop => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    fn wait(&mut self) -> Wake {
        loop {
            let timer = self.next.map_or_else(never, at);
            select! {
                recv(self.alive) -> _ => return Wake::Stop,
                recv(self.reloads) -> request => return if request.is_ok() { Wake::Check } else { Wake::Stop },
                recv(self.mode) -> mode => match mode {
                    Ok(mode) => {
                        self.watcher_sees();
                        return Wake::WatchMode(mode);
                    }
                    Err(_) => {
                        self.watcher_sees();
                        self.mode = never();
                    }
                },
                recv(self.dirty) -> dirty => match dirty {
                    Ok(()) => return Wake::Check,
                    // The watcher is gone; asking for a reload still works.
                    Err(_) => self.dirty = never(),
                },
                recv(timer) -> _ => return Wake::Check,
            }
        }
    }

    /// The first check waits for this: what is read before may change unseen.
    fn watcher_sees(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.next = Some(Instant::now());
        }
    }

    /// Checks once and reports; false when the session is closed.
    fn check(&mut self) -> bool {
        let waited = self.waiting.take();
        if waited.is_none() && !(self.report)(SessionEvent::Reading) {
            return false;
        }
        let outcome = self.reader.check();
        self.next = None;
        let at = SystemTime::now();
        let event = match outcome {
            Outcome::Stopped => return false,
            Outcome::Unchanged => SessionEvent::Unchanged { at },
            Outcome::Loaded(generation) => SessionEvent::Loaded(generation),
            Outcome::Failed(message) => {
                // A disk or a server that fails and works again changes no file: only trying shows it.
                self.next = self.watcher.is_some().then(|| Instant::now() + TRY_AGAIN);
                SessionEvent::Failed { message, at }
            }
            Outcome::Preview(generation, pause, why) => {
                self.next = Some(Instant::now() + pause);
                self.waiting = Some(why.clone());
                SessionEvent::Preview { generation, why }
            }
            Outcome::Wait(pause, why) => {
                self.next = Some(Instant::now() + pause);
                self.waiting = Some(why.clone());
                if waited.as_ref() == Some(&why) {
                    return true;
                }
                SessionEvent::Waiting { why, at }
            }
        };
        (self.report)(event) && self.record(at)
    }

    /// Appends what the last check loaded, behind what is shown; false when the session is closed.
    fn record(&mut self, at: SystemTime) -> bool {
        let taken = self.recording.as_mut().zip(self.reader.take_files());
        taken.is_none_or(|(recording, files)| (self.report)(recording.append(files, at)))
    }
}

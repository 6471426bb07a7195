//! The session's thread: checks the files when there is reason to, and reports the result.

use std::convert::Infallible;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, never, select};

use super::SessionEvent;
use super::reader::{ReadFailure, ReadOutcome, SnapshotReader};
use super::recording::SessionRecorder;
use qscope_source::watch::{WatchMode, Watcher};
use qscope_system::kernel;

/// Reads for one session. Requests that arrive during a check result in a single further check.
pub(super) struct Worker<T> {
    reader: SnapshotReader,
    /// Dropped with the worker.
    watcher: Option<Watcher>,
    dirty: Receiver<()>,
    mode: Receiver<WatchMode>,
    reloads: Receiver<()>,
    alive: Receiver<Infallible>,
    report: T,
    /// Appends the snapshots to a recording, if requested.
    recording: Option<SessionRecorder>,
    /// Whether the first check was requested.
    begun: bool,
    /// When to check without a request.
    next_check: Option<Instant>,
    /// Time until which changes alone do not cause a check: the last snapshot used its share of the processor.
    pause_until: Option<Instant>,
    /// What is being waited for, if the last check resulted in that.
    waiting: Option<String>,
}

/// Time after a failure until the files are tried again even without a change.
const TRY_AGAIN: Duration = Duration::from_secs(10);
/// Rest after a snapshot, as a multiple of its duration, so that a folder that changes continuously uses a fifth of
/// one core; of several changes meanwhile only the last counts.
const REST: u32 = 4;
/// Maximum rest.
const LONGEST_REST: Duration = Duration::from_secs(2);
/// Maximum time between wake-ups if nothing is due and nothing happens.
const SELDOM: Duration = Duration::from_secs(3600);
/// Time without work after which the working thread ends: files that change more often reuse its memory, and when it
/// ends, the allocator returns the memory that was freed before.
pub(super) const IDLE: Duration = Duration::from_millis(500);

/// Why the worker wakes up.
enum WakeReason {
    Check,
    WatchMode(WatchMode),
    Stop,
}

/// Result of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WorkerTurn {
    /// There was nothing to do.
    Idle,
    /// Something was done.
    Done,
    /// The session was closed.
    Ended,
}

impl WorkerTurn {
    fn continues(self) -> bool {
        self != Self::Ended
    }
}

impl<T: Fn(SessionEvent) -> bool + Send> Worker<T> {
    /// Works until the session is closed; while there is nothing to do, only the waiting thread exists.
    ///
    /// Reading, building and the cycle leave a thread's allocator with several times the memory of the snapshot,
    /// which it would keep until the files change again. It returns that memory when the thread ends.
    pub(super) fn run(mut self) {
        loop {
            let Some(wake) = self.wait(SELDOM) else { continue };
            let mut wake = Some(wake);
            let worked = thread::scope(|scope| {
                let work = || self.run_pending(wake.take());
                let thread = thread::Builder::new().name("reading".to_owned()).spawn_scoped(scope, work);
                thread.ok().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            });
            // If no thread can be started, the waiting thread does the work.
            if !worked.unwrap_or_else(|| self.run_pending(wake)).continues() {
                return;
            }
        }
    }

    /// Works until nothing has happened for a while. Users wait for the first picture; for later ones, input takes
    /// precedence.
    fn run_pending(&mut self, wake: Option<WakeReason>) -> WorkerTurn {
        let (mut wake, mut turn, mut goes_first) = (wake, WorkerTurn::Done, true);
        while turn == WorkerTurn::Done {
            if goes_first && self.reader.has_loaded() {
                kernel::lower_priority();
                goes_first = false;
            }
            turn = match wake.take() {
                Some(wake) => self.act(wake),
                None => self.wait_and_work(IDLE),
            };
        }
        turn
    }
}

impl<T: Fn(SessionEvent) -> bool> Worker<T> {
    /// Creates a worker that checks as soon as its watcher reports, or, without one, at once and then on request.
    pub(super) fn new(
        reader: SnapshotReader,
        watcher: Option<Watcher>,
        reloads: Receiver<()>,
        alive: Receiver<Infallible>,
        report: T,
    ) -> Self {
        let dirty = watcher.as_ref().map_or_else(never, |watcher| watcher.dirty().clone());
        let mode = watcher.as_ref().map_or_else(never, |watcher| watcher.mode().clone());
        let next_check = watcher.is_none().then(reader.clock().now);
        let (begun, pause_until, recording, waiting) = (false, None, None, None);
        Self {
            reader,
            watcher,
            dirty,
            mode,
            reloads,
            alive,
            report,
            recording,
            begun,
            next_check,
            pause_until,
            waiting,
        }
    }

    /// Sets the recording.
    pub(super) fn recording(self, recording: Option<SessionRecorder>) -> Self {
        Self { recording, ..self }
    }

    /// Returns when to check without a request.
    pub(super) fn due(&self) -> Option<Instant> {
        self.next_check
    }

    /// Waits for at most `longest`, and does what there is to do.
    pub(super) fn wait_and_work(&mut self, longest: Duration) -> WorkerTurn {
        self.wait(longest).map_or(WorkerTurn::Idle, |wake| self.act(wake))
    }

    fn act(&mut self, wake: WakeReason) -> WorkerTurn {
        let goes_on = match wake {
            WakeReason::Check => self.check(),
            WakeReason::WatchMode(mode) => (self.report)(SessionEvent::Watching(mode)),
            WakeReason::Stop => false,
        };
        if goes_on { WorkerTurn::Done } else { WorkerTurn::Ended }
    }

    fn now(&self) -> Instant {
        (self.reader.clock().now)()
    }

    fn wait(&mut self, longest: Duration) -> Option<WakeReason> {
        loop {
            let due = self.next_check.map(|at| at.saturating_duration_since(self.now()));
            let pause = due.unwrap_or(longest).min(longest);
            select! {
                recv(self.alive) -> _ => return Some(WakeReason::Stop),
                recv(self.reloads) -> request => {
                    return Some(if request.is_ok() { WakeReason::Check } else { WakeReason::Stop });
                }
                recv(self.mode) -> mode => match mode {
                    Ok(mode) => {
                        self.watcher_sees();
                        return Some(WakeReason::WatchMode(mode));
                    }
                    Err(_) => {
                        self.watcher_sees();
                        self.mode = never();
                    }
                },
                recv(self.dirty) -> dirty => match dirty {
                    Ok(()) => match self.pause_until.filter(|until| *until > self.now()) {
                        None => return Some(WakeReason::Check),
                        Some(until) => self.next_check = Some(self.next_check.map_or(until, |next| next.min(until))),
                    },
                    // The watcher is gone; requesting a reload still works.
                    Err(_) => self.dirty = never(),
                },
                default(pause) => {
                    let is_due = self.next_check.is_some_and(|at| at <= self.now());
                    return is_due.then_some(WakeReason::Check);
                }
            }
        }
    }

    /// Allows the first check, which waits for this: files read earlier might change unnoticed.
    fn watcher_sees(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.next_check = Some(self.now());
        }
    }

    /// Checks once and reports; returns false when the session is closed.
    fn check(&mut self) -> bool {
        let waited = self.waiting.take();
        if waited.is_none() && !(self.report)(SessionEvent::Reading) {
            return false;
        }
        let began = self.now();
        let outcome = self.reader.check();
        self.next_check = None;
        if matches!(outcome, ReadOutcome::Loaded(_)) {
            let took = self.now().saturating_duration_since(began);
            self.pause_until = Some(self.now() + (took * REST).min(LONGEST_REST));
        }
        let at = (self.reader.clock().date)();
        let event = match outcome {
            ReadOutcome::Stopped => return false,
            ReadOutcome::Unchanged => SessionEvent::Unchanged,
            ReadOutcome::Loaded(generation) => SessionEvent::Loaded(generation),
            ReadOutcome::Failed(ReadFailure { message, missing_file }) => {
                // A disk or server that recovers changes no file, so only another try shows it.
                self.next_check = self.watcher.is_some().then(|| self.now() + TRY_AGAIN);
                SessionEvent::Failed { message, missing_file, at }
            }
            ReadOutcome::Preview(generation, pause, why) => {
                self.next_check = Some(self.now() + pause);
                self.waiting = Some(why.clone());
                SessionEvent::Preview { generation, why }
            }
            ReadOutcome::Retry(pause, why) => {
                self.next_check = Some(self.now() + pause);
                self.waiting = Some(why.clone());
                if waited.as_ref() == Some(&why) {
                    return true;
                }
                SessionEvent::Waiting { reason: why, at }
            }
        };
        (self.report)(event) && self.record(at)
    }

    /// Appends what the last check loaded, after it was reported; returns false when the session is closed.
    fn record(&mut self, at: SystemTime) -> bool {
        let taken = self.recording.as_mut().zip(self.reader.take_files());
        taken.is_none_or(|(recording, files)| (self.report)(recording.append(files, at)))
    }
}

//! A session driven one turn at a time.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

use super::engine::SessionInterfaces;
use super::reader::SnapshotReader;
use super::recording::SessionRecorder;
use super::worker::{Worker, WorkerTurn};
use super::{Opening, OpeningOrigin, SessionEvent};
use qscope_record::RecordingWriter;
use qscope_source::watch::{FolderEvent, WatchOptions, WatcherLoop};

/// The session of a followed folder without its threads: the caller lets the watcher and the worker take turns, with
/// its own disk and clock. This makes runs with simulated faults reproducible from a seed.
pub struct SteppedSession<T> {
    steps: WatcherLoop,
    worker: Worker<T>,
    reload: Sender<()>,
    /// Nothing is ever sent: dropping it closes the channel, which stops the session.
    _alive: Sender<Infallible>,
}

impl<T> fmt::Debug for SteppedSession<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionSteps").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<T: Fn(SessionEvent) -> bool> SteppedSession<T> {
    /// Opens a folder as [`open_recording`](super::open_recording) does, without reading anything yet.
    pub fn open(
        folder: &Path,
        opening: Opening,
        interfaces: SessionInterfaces,
        recorder: Option<RecordingWriter>,
        report: T,
    ) -> Self {
        let opening = Opening { origin: OpeningOrigin::Folder(folder.to_owned()), ..opening };
        let (steps, watcher) =
            WatcherLoop::begin(folder.to_owned(), WatchOptions::default(), interfaces.clock);
        let (reload, reloads) = bounded(1);
        let (keep_alive, alive) = bounded(0);
        let mut reader = SnapshotReader::new(opening, interfaces, alive.clone());
        if recorder.is_some() {
            reader.keep_files();
        }
        let worker = Worker::new(reader, Some(watcher), reloads, alive, report);
        let worker = worker.recording(recorder.map(|recorder| SessionRecorder::new(recorder, interfaces)));
        Self { steps, worker, reload, _alive: keep_alive }
    }

    /// Returns when there is something to do, if no event is reported before.
    pub fn due(&self) -> Instant {
        self.worker.due().map_or(self.steps.due(), |due| due.min(self.steps.due()))
    }

    /// Handles the kernel's events, and everything that is due; returns false once the session has ended.
    pub fn handle_events(&mut self, news: &[FolderEvent]) -> bool {
        if !self.steps.handle_events(news) {
            return false;
        }
        loop {
            match self.worker.wait_and_work(Duration::ZERO) {
                WorkerTurn::Idle => return true,
                WorkerTurn::Done => {}
                WorkerTurn::Ended => return false,
            }
        }
    }

    /// Requests that the files are read again in the next turn, changed or not.
    pub fn reload(&self) {
        let _ = self.reload.try_send(());
    }
}

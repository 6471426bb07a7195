//! Opens a cluster and follows it.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Sender, bounded};

use super::engine::SessionInterfaces;
use super::reader::SnapshotReader;
use super::recording::SessionRecorder;
use super::worker::Worker;
use super::{Opening, OpeningOrigin, SessionEvent};
use qscope_record::RecordingWriter;
use qscope_source::watch::{WatchOptions, Watcher};
use qscope_system::background::lower_priority;

/// An open cluster that is followed. Dropping it ends its threads; one that is running a cycle ends after it, and
/// reports nothing more.
#[derive(Debug)]
pub struct Session {
    reload: Sender<()>,
    /// Nothing is ever sent: dropping it closes the channel, which stops the threads.
    _alive: Sender<Infallible>,
}

impl Session {
    /// Requests that the files are read again, changed or not. Another request while one is pending has no effect.
    pub fn reload(&self) {
        // Full: a request is already pending. Closed: the worker has ended.
        let _ = self.reload.try_send(());
    }
}

/// Opens a cluster: reads it, runs the cycle, and repeats that whenever its files change. `report` is called on
/// threads of the session, one at a time; the session ends if it returns false.
///
/// # Errors
/// If a thread cannot be started. Problems of the files are reported as events.
pub fn open(opening: Opening, report: impl Fn(SessionEvent) -> bool + Send + 'static) -> io::Result<Session> {
    open_recording(opening, WatchOptions::default(), None, report)
}

/// Like [`open`], with options for how the folder is watched. With a recorder, every snapshot read from a folder is
/// also appended to a recording, after it was reported; errors of that are reported too.
pub fn open_recording(
    opening: Opening,
    watch: WatchOptions,
    recorder: Option<RecordingWriter>,
    report: impl Fn(SessionEvent) -> bool + Send + 'static,
) -> io::Result<Session> {
    let watcher = match &opening.origin {
        OpeningOrigin::Folder(folder) => Some(Watcher::start(folder.clone(), watch)?),
        OpeningOrigin::Files(_)
        | OpeningOrigin::Recording { .. }
        | OpeningOrigin::Simulation { .. }
        | OpeningOrigin::BuiltIn => None,
    };
    let (reload, reloads) = bounded(1);
    let (keep_alive, alive) = bounded(0);
    // The files of a large cluster are read by two threads.
    let report = Arc::new(Mutex::new(report));
    let reports = move |event| report.lock().unwrap_or_else(PoisonError::into_inner)(event);
    let progress = {
        let reports = reports.clone();
        // A closed session ends with the next event.
        Arc::new(move |at| {
            reports(SessionEvent::ReadingAt(at));
        })
    };
    let engine = SessionInterfaces::default();
    let mut reader = SnapshotReader::new(opening, engine, alive.clone()).reporting(progress);
    if recorder.is_some() {
        reader.keep_files();
    }
    let worker = Worker::new(reader, watcher, reloads, alive, reports);
    let worker = worker.recording(recorder.map(|recorder| SessionRecorder::new(recorder, engine)));
    thread::Builder::new().name("session".to_owned()).spawn(move || {
        lower_priority();
        worker.run();
    })?;
    Ok(Session { reload, _alive: keep_alive })
}

#[cfg(test)]
mod tests {
    use std::thread::ThreadId;
    use std::time::Duration;

    use crossbeam_channel::unbounded;

    use super::*;
    use crate::worker::IDLE;

    #[test]
    fn what_a_reading_leaves_to_its_thread_goes_with_it_once_there_is_nothing_to_do() {
        let opening = Opening::of(OpeningOrigin::BuiltIn);
        let (sender, threads) = unbounded::<ThreadId>();
        let session = open(opening, move |event| match event {
            SessionEvent::Loaded(_) | SessionEvent::Unchanged => sender.send(thread::current().id()).is_ok(),
            _ => true,
        });
        let session = session.unwrap();
        let first = threads.recv().unwrap();
        thread::sleep(IDLE + Duration::from_millis(300));
        session.reload();
        assert_ne!(threads.recv().unwrap(), first);
    }
}

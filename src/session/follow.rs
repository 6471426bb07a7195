//! Opens a cluster and follows it.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Sender, bounded};

use super::engine::Engine;
use super::reader::SnapshotReader;
use super::recording::Recording;
use super::worker::Worker;
use super::{Opening, OpeningOrigin, SessionEvent};
use qscope_record::Recorder;
use qscope_source::watch::{WatchOptions, Watcher};
use qscope_system::background::give_way;

/// An open cluster that is followed. Dropping it ends its threads; one that is in the middle of a cycle ends
/// after it, and reports nothing more.
#[derive(Debug)]
pub struct Session {
    reload: Sender<()>,
    /// Nothing is ever sent: its end is the sign to stop.
    _alive: Sender<Infallible>,
}

impl Session {
    /// Has the files read again, changed or not. One more while that waits to be done changes nothing.
    pub fn reload(&self) {
        // Full: it is going to be read anyway. Closed: the worker has ended.
        let _ = self.reload.try_send(());
    }
}

/// Opens a cluster: reads it, runs the cycle, and does so again whenever its files change. `report` is called
/// on threads of the session, one at a time; false from it ends the session.
///
/// # Errors
/// A thread cannot be started. What is wrong with the files is reported.
pub fn open(opening: Opening, report: impl Fn(SessionEvent) -> bool + Send + 'static) -> io::Result<Session> {
    open_recording(opening, WatchOptions::default(), None, report)
}

/// As [`open`], with options for how the folder is watched. With a recorder every snapshot that is read from a folder is
/// appended to a recording too, after it was reported; what goes wrong there is reported as well.
pub fn open_recording(
    opening: Opening,
    watch: WatchOptions,
    recorder: Option<Recorder>,
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
        // A session that was closed ends with the next event.
        Arc::new(move |at| {
            reports(SessionEvent::ReadingAt(at));
        })
    };
    let engine = Engine::default();
    let mut reader = SnapshotReader::new(opening, engine, alive.clone()).reporting(progress);
    if recorder.is_some() {
        reader.keep_files();
    }
    let worker = Worker::new(reader, watcher, reloads, alive, reports);
    let worker = worker.recording(recorder.map(|recorder| Recording::new(recorder, engine)));
    thread::Builder::new().name("session".to_owned()).spawn(move || {
        give_way();
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

//! Collects while a folder is followed: the batch system's clients run on a separate thread.

use std::convert::Infallible;
use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};

use super::event::{CollectEvent, SessionEvent};
use qscope_source::collect::{CollectStep, Collector};

/// A running collector. Dropping it ends the running client, removes unfinished files, and waits for that.
#[derive(Debug)]
pub struct CollectorHandle {
    alive: Option<crossbeam_channel::Sender<Infallible>>,
    ended: Receiver<Infallible>,
}

/// Maximum time to wait for a collector to end: ending a client is quick, unless the kernel blocks it.
const FAREWELL: Duration = Duration::from_secs(3);

/// Starts to collect, round after round; `report` receives each event, and ends the collector by returning false.
///
/// # Errors
/// If the thread cannot be started.
pub fn collect(
    mut collector: Collector,
    report: impl Fn(SessionEvent) -> bool + Send + 'static,
) -> io::Result<CollectorHandle> {
    let (keep_alive, alive) = bounded::<Infallible>(0);
    let (ending, ended) = bounded::<Infallible>(0);
    let work = move || {
        let _ending = ending;
        while round(&mut collector, &alive, &report) {}
    };
    thread::Builder::new().name("collector".to_owned()).spawn(work)?;
    Ok(CollectorHandle { alive: Some(keep_alive), ended })
}

/// Runs one round and rests after it; returns false when it is time to end.
fn round(
    collector: &mut Collector,
    alive: &Receiver<Infallible>,
    report: &dyn Fn(SessionEvent) -> bool,
) -> bool {
    let stop = || alive.try_recv() == Err(TryRecvError::Disconnected);
    let round = collector.round_with(&stop, &mut |step| {
        let event = match step {
            CollectStep::ClientStarted(file) => CollectEvent::ClientStarted(file.to_owned()),
            CollectStep::FileCollected(collected) => CollectEvent::FileCollected(collected.clone()),
        };
        // A receiver that is gone is about to drop the collector.
        report(SessionEvent::Collecting(event));
    });
    if stop() {
        return false;
    }
    let rest = collector.rest(&round);
    let goes_on =
        report(SessionEvent::Collecting(CollectEvent::RoundComplete { took: round.duration, rest }));
    goes_on && alive.recv_timeout(rest) == Err(RecvTimeoutError::Timeout)
}

impl Drop for CollectorHandle {
    fn drop(&mut self) {
        drop(self.alive.take());
        // Disconnected when the thread has ended; after the timeout the thread is left alone.
        let _ended = self.ended.recv_timeout(FAREWELL);
    }
}

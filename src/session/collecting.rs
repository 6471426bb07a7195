//! Collecting while a folder is followed: the batch system's clients run on a thread of their own.

use std::convert::Infallible;
use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError, bounded};

use super::event::{CollectEvent, SessionEvent};
use qscope_source::collect::{Collector, Step};

/// A collector at work. Dropping it ends the client that runs, clears what is half done, and waits for that.
#[derive(Debug)]
pub struct Collecting {
    alive: Option<crossbeam_channel::Sender<Infallible>>,
    ended: Receiver<Infallible>,
}

/// So long an ending collector is waited for: ending a client takes a moment, unless the kernel holds it.
const FAREWELL: Duration = Duration::from_secs(3);

/// Begins to collect, round after round; `report` gets each event, and ends it with false.
///
/// # Errors
/// The thread cannot be started.
pub fn collect(
    mut collector: Collector,
    report: impl Fn(SessionEvent) -> bool + Send + 'static,
) -> io::Result<Collecting> {
    let (keep_alive, alive) = bounded::<Infallible>(0);
    let (ending, ended) = bounded::<Infallible>(0);
    let work = move || {
        let _ending = ending;
        while round(&mut collector, &alive, &report) {}
    };
    thread::Builder::new().name("collector".to_owned()).spawn(work)?;
    Ok(Collecting { alive: Some(keep_alive), ended })
}

/// One round and the rest after it; false when it is time to end.
fn round(
    collector: &mut Collector,
    alive: &Receiver<Infallible>,
    report: &dyn Fn(SessionEvent) -> bool,
) -> bool {
    let stop = || alive.try_recv() == Err(TryRecvError::Disconnected);
    let round = collector.round_with(&stop, &mut |step| {
        let event = match step {
            Step::Begins(file) => CollectEvent::Begins(file.to_owned()),
            Step::Ended(collected) => CollectEvent::Ended(collected.clone()),
        };
        // Whoever does not listen any more is about to drop us.
        report(SessionEvent::Collecting(event));
    });
    if stop() {
        return false;
    }
    let rest = collector.rest(&round);
    let goes_on = report(SessionEvent::Collecting(CollectEvent::Rests { took: round.took, rest }));
    goes_on && alive.recv_timeout(rest) == Err(RecvTimeoutError::Timeout)
}

impl Drop for Collecting {
    fn drop(&mut self) {
        drop(self.alive.take());
        // Disconnected when the thread is over; after the farewell it is left to itself.
        let _ended = self.ended.recv_timeout(FAREWELL);
    }
}

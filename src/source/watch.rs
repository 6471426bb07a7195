//! Notices that a watched folder of dumps has changed.
//!
//! Two methods are combined: the kernel's events on the folder itself (never on a file: the first atomic rename would
//! silence them for good), and a poll of the known files, which also detects writes of another machine over the
//! network. Both only trigger another look; `reading` finds out what is there.

mod arm;
mod debounce;
mod filter;
mod fingerprint;
mod follower;
mod mode;
mod network;
mod prints;
pub mod reading;

use std::convert::Infallible;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use std::{fmt, io};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use self::follower::Follower;

pub use filter::FolderEvent;
pub use fingerprint::Fingerprint;
pub use mode::WatchMode;
pub use prints::{FOLDER, Fingerprints};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchOptions {
    /// Whether to use the kernel's events too; polling is always on.
    pub events: bool,
    /// Time between two polls, at least 10 ms.
    pub poll: Duration,
    /// The same on a network file system, where events only report this machine's own writes.
    pub network_poll: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { events: true, poll: Duration::from_secs(2), network_poll: Duration::from_secs(1) }
    }
}

/// Watches a folder, which may appear, disappear and be replaced. Dropping it ends its thread.
#[derive(Debug)]
pub struct Watcher {
    dirty: Receiver<()>,
    mode: Receiver<WatchMode>,
    /// Nothing is ever sent: dropping it closes the channel, which stops the thread.
    _alive: Sender<Infallible>,
}

impl Watcher {
    /// Starts to watch.
    ///
    /// # Errors
    /// If the thread cannot be started. A missing folder is not an error: it may appear.
    pub fn start(folder: PathBuf, options: WatchOptions) -> io::Result<Self> {
        let (watcher, follower) = Self::with_follower(folder, options, WatchClock::default());
        thread::Builder::new().name("watcher".to_owned()).spawn(move || follower.run())?;
        Ok(watcher)
    }

    /// Creates the watcher, and the follower that finds changes for it.
    fn with_follower(folder: PathBuf, options: WatchOptions, clock: WatchClock) -> (Self, Follower) {
        let (report_change, dirty) = bounded(1);
        let (report_mode, mode) = unbounded();
        let (keep_alive, alive) = bounded(0);
        let follower = Follower::new(folder, options, clock, report_change, report_mode, alive);
        (Self { dirty, mode, _alive: keep_alive }, follower)
    }

    /// Receives a message when something changed and settled; several changes before it is received are one message.
    pub fn dirty(&self) -> &Receiver<()> {
        &self.dirty
    }

    /// Receives how changes are noticed, first and whenever that changes. After the first message no change is
    /// missed; changes before it may be.
    pub fn mode(&self) -> &Receiver<WatchMode> {
        &self.mode
    }
}

/// The time for those who follow a folder; a simulated world provides its own.
#[derive(Clone, Copy, Debug)]
pub struct WatchClock {
    /// Time of the monotonic clock.
    pub now: fn() -> Instant,
    /// Time of the clock used for files, which can be set.
    pub date: fn() -> SystemTime,
}

impl Default for WatchClock {
    fn default() -> Self {
        Self { now: Instant::now, date: SystemTime::now }
    }
}

/// The work of a watcher's thread, one turn at a time. The caller provides the clock and the kernel's events, so that
/// a simulated world can lose, repeat or delay an event.
pub struct WatcherLoop {
    follower: Follower,
}

impl fmt::Debug for WatcherLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

impl WatcherLoop {
    /// Begins to watch; also returns the watcher that receives the results. The kernel's own events are not used.
    pub fn begin(folder: PathBuf, options: WatchOptions, clock: WatchClock) -> (Self, Watcher) {
        let options = WatchOptions { events: false, ..options };
        let (watcher, mut follower) = Watcher::with_follower(folder, options, clock);
        follower.begin();
        (Self { follower }, watcher)
    }

    /// Returns when the next turn is due, if no event is reported before.
    pub fn due(&self) -> Instant {
        self.follower.deadline()
    }

    /// Handles reported events and everything that is due; returns false when the watcher is gone.
    pub fn handle_events(&mut self, news: &[FolderEvent]) -> bool {
        self.follower.handle_events(news)
    }
}

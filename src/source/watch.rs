//! Notices that a watched folder of dumps has changed.
//!
//! Two means at once: the kernel's events on the folder itself (never on a file: the first atomic rename
//! would silence that for ever), and a poll of the known files, which also sees what another machine writes
//! over the network. Both only ask for another look; finding out what is there is the work of `reading`.

mod arm;
mod clock;
mod debounce;
mod filter;
mod fingerprint;
mod follow;
mod mode;
mod network;
mod prints;
pub mod reading;
mod steps;

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

pub use clock::Clock;
pub use filter::WatchNews;
pub use fingerprint::Fingerprint;
pub use mode::WatchMode;
pub use prints::{FOLDER, Prints};
pub use steps::Steps;

use self::follow::Follower;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchOptions {
    /// Whether to listen to the kernel's events too; the poll is always on.
    pub events: bool,
    /// The time between two polls, at least 10 ms.
    pub poll: Duration,
    /// The same on a network file system, where events report only this machine's own writes.
    pub network_poll: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { events: true, poll: Duration::from_secs(2), network_poll: Duration::from_secs(1) }
    }
}

/// Watches a folder, which may come, go and be replaced. Dropping it ends its thread.
#[derive(Debug)]
pub struct Watcher {
    dirty: Receiver<()>,
    mode: Receiver<WatchMode>,
    /// Nothing is ever sent: its end is the sign to stop.
    _alive: Sender<Infallible>,
}

impl Watcher {
    /// Starts to watch.
    ///
    /// # Errors
    /// The thread cannot be started. A folder that is not there is none: it may come.
    pub fn start(folder: PathBuf, options: WatchOptions) -> io::Result<Self> {
        let (watcher, follower) = Self::with_follower(folder, options, Clock::default());
        thread::Builder::new().name("watcher".to_owned()).spawn(move || follower.run())?;
        Ok(watcher)
    }

    /// The watcher, and what finds the changes for it.
    fn with_follower(folder: PathBuf, options: WatchOptions, clock: Clock) -> (Self, Follower) {
        let (report_change, dirty) = bounded(1);
        let (report_mode, mode) = unbounded();
        let (keep_alive, alive) = bounded(0);
        let follower = Follower::new(folder, options, clock, report_change, report_mode, alive);
        (Self { dirty, mode, _alive: keep_alive }, follower)
    }

    /// States that something has changed and come to rest; what is not picked up yet is sent once.
    pub fn dirty(&self) -> &Receiver<()> {
        &self.dirty
    }

    /// States how changes are noticed, first and whenever that changes. From the first time on no change is
    /// missed; what is read before may change unseen.
    pub fn mode(&self) -> &Receiver<WatchMode> {
        &self.mode
    }
}

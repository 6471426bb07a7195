//! A watcher driven one turn at a time.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use super::follow::Follower;
use super::{Clock, WatchNews, WatchOptions, Watcher};

/// The work of a watcher's thread, one turn at a time. The caller provides the clock and the kernel's events, so that
/// a simulated world can lose, repeat or delay an event.
pub struct Steps {
    follower: Follower,
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

impl Steps {
    /// Begins to watch; also returns the watcher that receives the results. The kernel's own events are not used.
    pub fn begin(folder: PathBuf, options: WatchOptions, clock: Clock) -> (Self, Watcher) {
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
    pub fn turn(&mut self, news: &[WatchNews]) -> bool {
        self.follower.turn(news)
    }
}

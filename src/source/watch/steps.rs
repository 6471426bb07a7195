//! A watcher that goes one turn at a time.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use super::follow::Follower;
use super::{Clock, WatchNews, WatchOptions, Watcher};

/// What a watcher's thread does, one turn at a time: the caller brings the clock and what the kernel reports, so that a
/// simulated world can lose an event, repeat it, or bring it late.
pub struct Steps {
    follower: Follower,
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

impl Steps {
    /// Begins to watch, and the watcher that reports what is found. Nothing comes from the kernel itself.
    pub fn begin(folder: PathBuf, options: WatchOptions, clock: Clock) -> (Self, Watcher) {
        let options = WatchOptions { events: false, ..options };
        let (watcher, mut follower) = Watcher::with_follower(folder, options, clock);
        follower.begin();
        (Self { follower }, watcher)
    }

    /// When the next turn is due, if nothing is reported before.
    pub fn due(&self) -> Instant {
        self.follower.deadline()
    }

    /// Takes in what is reported, and does what is due; false when the watcher is gone.
    pub fn turn(&mut self, news: &[WatchNews]) -> bool {
        self.follower.turn(news)
    }
}

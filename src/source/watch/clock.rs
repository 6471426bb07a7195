//! The two clocks needed to follow a folder.

use std::time::{Instant, SystemTime};

/// The time for those who follow a folder; a simulated world provides its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Time of the monotonic clock.
    pub now: fn() -> Instant,
    /// Time of the clock used for files, which can be set.
    pub date: fn() -> SystemTime,
}

impl Default for Clock {
    fn default() -> Self {
        Self { now: Instant::now, date: SystemTime::now }
    }
}

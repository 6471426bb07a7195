//! The two clocks that following needs.

use std::time::{Instant, SystemTime};

/// Which time it is, as whoever follows a folder has it: a simulated world brings its own.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// By the clock that only goes forward.
    pub now: fn() -> Instant,
    /// By the clock that files are dated with, which someone may set.
    pub date: fn() -> SystemTime,
}

impl Default for Clock {
    fn default() -> Self {
        Self { now: Instant::now, date: SystemTime::now }
    }
}

//! The clocks of the world: one only goes forward; the date of the other can be set.

use std::cell::Cell;
use std::time::{Duration, Instant, SystemTime};

use qscope::cluster::Epoch;
use qscope::source::watch::WatchClock;

pub(super) const CLOCK: WatchClock = WatchClock { now, date };

thread_local! {
    static BEGAN: Cell<Option<(Instant, SystemTime)>> = const { Cell::new(None) };
    static GONE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    /// Milliseconds by which the date was changed.
    static SET: Cell<i64> = const { Cell::new(0) };
}

pub(super) fn begin() {
    BEGAN.set(Some((Instant::now(), SystemTime::now())));
    GONE.set(Duration::ZERO);
    SET.set(0);
}

/// Returns the time that has passed in the world.
pub(super) fn gone() -> Duration {
    GONE.get()
}

pub(super) fn now() -> Instant {
    BEGAN.get().unwrap().0 + GONE.get()
}

pub(super) fn date() -> SystemTime {
    let date = BEGAN.get().unwrap().1 + GONE.get();
    let by = Duration::from_millis(SET.get().unsigned_abs());
    if SET.get() < 0 { date - by } else { date + by }
}

pub(super) fn epoch() -> Epoch {
    let span = date().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Epoch(i64::try_from(span.as_secs()).unwrap())
}

/// Advances to a time, never back.
pub(super) fn go_to(at: Instant) {
    GONE.set(at.saturating_duration_since(BEGAN.get().unwrap().0).max(GONE.get()));
}

/// Changes the date.
pub(super) fn set_date(by: i64) {
    SET.set(SET.get() + by);
}

//! Prime time, from the file `holidays` (rule 6.7).

mod day_times;
mod known_changes;

use jiff::tz::TimeZone;

use crate::cluster::{Epoch, Holidays, Period};
use day_times::DayTimes;
use known_changes::PeriodChangeCache;

/// Distinguishes prime from non-prime time in one time zone.
///
/// Prime time lasts forever without `holidays`, without `YEAR` in it, and with `YEAR 0`.
#[derive(Clone, Debug)]
pub struct PrimeClock {
    times: DayTimes,
    known: PeriodChangeCache,
}

impl PrimeClock {
    /// Creates the clock of a `holidays` file, for dates in this time zone.
    pub fn new(holidays: Option<&Holidays>, zone: TimeZone) -> Self {
        Self { times: DayTimes::new(holidays, zone), known: PeriodChangeCache::default() }
    }

    /// Reuses the computed changes of another clock, if it has the same times.
    #[must_use]
    pub(crate) fn reusing(mut self, other: Option<&Self>) -> Self {
        if let Some(other) = other.filter(|other| other.times == self.times) {
            self.known = other.known.clone();
        }
        self
    }

    /// Returns the period at a moment.
    pub fn period_at(&self, at: Epoch) -> Period {
        self.known.period_at(at, &self.times).unwrap_or_else(|| self.times.period_at(at))
    }

    /// Like [`period_at`](Self::period_at), but without caching, for a single query.
    pub(crate) fn period_at_once(&self, at: Epoch) -> Period {
        self.times.period_at(at)
    }

    /// Returns the day of the week (0 = Sunday) and of the year (1 = January 1st) at a moment; `None` if it is always
    /// prime time.
    pub(super) fn day_numbers(&self, at: Epoch) -> Option<(u8, u32)> {
        self.times.day_numbers(at)
    }

    /// Returns when the period at `at` ends; `None` if it never does.
    pub fn next_change(&self, at: Epoch) -> Option<Epoch> {
        self.known.change_after(at, &self.times).or_else(|| self.times.next_change(at))
    }
}

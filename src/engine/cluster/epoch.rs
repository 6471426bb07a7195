//! Times and durations in whole seconds, as PBS counts them.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// A time: seconds since 1970-01-01 UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct Epoch(pub i64);

/// A duration in seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct Seconds(pub i64);

impl Seconds {
    /// Length that the scheduler assumes for a job without any walltime: five years (rule 0, constants).
    pub const UNLIMITED: Self = Self(157_680_000);
    /// Time until the end of an exiting or overdue job: one second (rule 0, constants).
    pub const EXITING: Self = Self(1);

    /// Parses `HH:MM:SS`, `MM:SS`, `SS` or `D:HH:MM:SS`; an optional fraction is dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let whole = text.trim().split('.').next()?;
        let mut total: i64 = 0;
        for (count, part) in whole.split(':').enumerate() {
            let part: i64 = part.parse().ok()?;
            let scale = if count == 0 { 1 } else { 60 };
            total = total.checked_mul(scale)?.checked_add(part)?;
        }
        Some(Self(total))
    }
}

impl fmt::Display for Seconds {
    /// Writes `HH:MM:SS` with as many digits of hours as needed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let s = self.0.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }
}

impl From<SystemTime> for Epoch {
    /// Converts to whole seconds; times before 1970 become 0.
    fn from(at: SystemTime) -> Self {
        let since = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self(since.try_into().unwrap_or(i64::MAX))
    }
}

impl Add<Seconds> for Epoch {
    type Output = Self;
    fn add(self, span: Seconds) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Seconds> for Epoch {
    type Output = Self;
    fn sub(self, span: Seconds) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Sub for Epoch {
    type Output = Seconds;
    fn sub(self, other: Self) -> Seconds {
        Seconds(self.0.saturating_sub(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_layout() {
        assert_eq!(Seconds::parse("01:00:00"), Some(Seconds(3600)));
        assert_eq!(Seconds::parse("10:30"), Some(Seconds(630)));
        assert_eq!(Seconds::parse("90"), Some(Seconds(90)));
        assert_eq!(Seconds::parse("x"), None);
        assert_eq!(Seconds(90_061).to_string(), "25:01:01");
    }
}

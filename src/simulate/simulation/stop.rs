//! Where a simulation pauses.

use qscope_engine::cluster::Epoch;

/// The cycle to stop before; only cycles that decide something count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The first cycle at or after this time.
    At(Epoch),
    /// The cycle with this number, counted from 1.
    Cycle(u64),
}

impl Stop {
    /// Converts a number: from `from` on it is a time, below that the number of a cycle.
    pub fn of(number: i64, from: i64) -> Self {
        match u64::try_from(number) {
            Ok(cycle) if number < from => Self::Cycle(cycle),
            _ => Self::At(Epoch(number)),
        }
    }

    /// Whether the cycle after `cycles` others is the one to stop at.
    pub(super) fn is_reached(self, now: Epoch, cycles: u64) -> bool {
        match self {
            Self::At(at) => now >= at,
            Self::Cycle(number) => cycles + 1 >= number,
        }
    }
}

//! When a simulation pauses.

use qscope_engine::cluster::Epoch;

/// Where to stop: before a cycle that decides something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Before the first at or after this moment.
    At(Epoch),
    /// Before the one of this number, counted from 1.
    Cycle(u64),
}

impl Stop {
    /// A number that is no smaller than the first second is a moment, else the number of a cycle.
    pub fn of(number: i64, from: i64) -> Self {
        match u64::try_from(number) {
            Ok(cycle) if number < from => Self::Cycle(cycle),
            _ => Self::At(Epoch(number)),
        }
    }

    /// Whether the cycle after so many is it.
    pub(super) fn is_reached(self, now: Epoch, cycles: u64) -> bool {
        match self {
            Self::At(at) => now >= at,
            Self::Cycle(number) => cycles + 1 >= number,
        }
    }
}

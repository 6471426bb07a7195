//! The files `holidays` and `dedicated_time` (rules 1.11, 6.7).

use super::Epoch;

/// A span that only dedicated queues may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DedicatedSlot {
    /// First second.
    pub from: Epoch,
    /// End.
    pub to: Epoch,
}

/// One side of a day's line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimeSpan {
    /// Starts at this minute of the day.
    At(u32),
    /// The whole day.
    All,
    /// Never that day.
    None,
}

/// Which days a line of `holidays` is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DayKind {
    /// `weekday`: Monday to Friday.
    Weekday,
    /// One day of the week, 0 = Sunday.
    Day(u8),
}

/// When prime time starts and ends on some days.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DaySchedule {
    /// Which days.
    pub days: DayKind,
    /// When prime time starts.
    pub prime: PrimeSpan,
    /// When non-prime time starts.
    pub non_prime: PrimeSpan,
}

/// The whole file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Holidays {
    /// `YEAR`, if given.
    pub year: Option<i32>,
    /// The days in the order of the file; later ones win.
    pub days: Vec<DaySchedule>,
    /// Holidays as days of the year, 1 = January 1st.
    pub holidays: Vec<u32>,
}

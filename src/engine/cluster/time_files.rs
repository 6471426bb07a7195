//! The files `holidays` and `dedicated_time` (rules 1.11, 6.7).

use super::Epoch;

/// A period of dedicated time, which only dedicated queues may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DedicatedSlot {
    /// First second.
    pub from: Epoch,
    /// End, exclusive.
    pub to: Epoch,
}

/// Start of a period in one line of `holidays`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrimeSpan {
    /// At this minute of the day.
    At(u32),
    /// All day.
    All,
    /// Never on that day.
    None,
}

/// Days that a line of `holidays` applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DayKind {
    /// `weekday`: Monday to Friday.
    Weekday,
    /// One day of the week, 0 = Sunday.
    Day(u8),
}

/// Start of prime and non-prime time on some days.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DaySchedule {
    pub days: DayKind,
    pub prime: PrimeSpan,
    /// Start of non-prime time.
    pub non_prime: PrimeSpan,
}

/// The contents of `holidays`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Holidays {
    /// `YEAR`, if given.
    pub year: Option<i32>,
    /// Schedules in the order of the file; later ones win.
    pub days: Vec<DaySchedule>,
    /// Holidays as days of the year, 1 = January 1st.
    pub holidays: Vec<u32>,
}

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

impl DedicatedSlot {
    /// Whether a moment is in it.
    pub fn contains(self, at: Epoch) -> bool {
        self.from <= at && at < self.to
    }
}

/// Start of a period in one line of `holidays`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeriodStart {
    /// At this minute of the day.
    At(u32),
    /// All day.
    All,
    /// Never on that day.
    None,
}

impl PeriodStart {
    /// Returns it as in `holidays`, with `between` hours and minutes: `0600`, `all`, `none`.
    pub fn words(self, between: &str) -> String {
        match self {
            Self::At(minute) => format!("{:02}{between}{:02}", minute / 60, minute % 60),
            Self::All => "all".to_owned(),
            Self::None => "none".to_owned(),
        }
    }
}

/// Days that a line of `holidays` applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DayKind {
    /// `weekday`: Monday to Friday.
    Weekday,
    /// One day of the week, 0 = Sunday.
    Day(u8),
}

impl DayKind {
    /// Every kind with its name in `holidays`.
    pub const NAMED: [(&str, Self); 8] = [
        ("weekday", Self::Weekday),
        ("sunday", Self::Day(0)),
        ("monday", Self::Day(1)),
        ("tuesday", Self::Day(2)),
        ("wednesday", Self::Day(3)),
        ("thursday", Self::Day(4)),
        ("friday", Self::Day(5)),
        ("saturday", Self::Day(6)),
    ];

    /// Returns its name in `holidays`.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, kind)| *kind == self).map_or("weekday", |(name, _)| name)
    }

    /// Returns the kind of a name in `holidays`, in upper or lower case.
    pub fn named(word: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, kind)| *kind)
    }

    /// Whether it includes a day of the week, 0 = Sunday.
    pub fn includes(self, weekday: u8) -> bool {
        match self {
            Self::Weekday => (1..=5).contains(&weekday),
            Self::Day(day) => day == weekday,
        }
    }
}

/// Start of prime and non-prime time on some days.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DaySchedule {
    pub days: DayKind,
    pub prime: PeriodStart,
    /// Start of non-prime time.
    pub non_prime: PeriodStart,
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

/// Numbers of the lines of both files, from 1; empty for what was not read from such a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimeFileLines {
    /// The line of each period of dedicated time.
    pub dedicated: Vec<usize>,
    /// The line of each schedule of days.
    pub days: Vec<usize>,
    /// The line of each holiday.
    pub holidays: Vec<usize>,
}

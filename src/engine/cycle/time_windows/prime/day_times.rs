//! The periods of every day, from the file `holidays` (rule 6.7).

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::cluster::{DaySchedule, Epoch, Holidays, Period, PeriodStart};
use crate::cycle::time_windows::other;

/// Number of days to search for the end of a period: every holiday recurs within a year, and every weekday after it
/// within a week.
const HORIZON_DAYS: usize = 366 + 8;

/// The periods of one day, in minutes since midnight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DayPeriods {
    /// One period for the whole day.
    All(Period),
    /// `inside` from minute `from` to minute `to` (exclusive), the other period before and after.
    Split { inside: Period, from: u32, to: u32 },
}

/// The periods of every day in one time zone.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct DayTimes {
    zone: TimeZone,
    week: Option<[DayPeriods; 7]>,
    holidays: Vec<u32>,
}

impl DayTimes {
    /// Reads a `holidays` file, for dates in this time zone.
    pub(super) fn new(holidays: Option<&Holidays>, zone: TimeZone) -> Self {
        let dated = holidays.filter(|file| file.year.is_some_and(|year| year != 0));
        Self {
            zone,
            week: dated.map(|file| week(&file.days)),
            holidays: dated.map(|file| file.holidays.clone()).unwrap_or_default(),
        }
    }

    /// Whether it is always prime time.
    pub(super) fn is_always_prime(&self) -> bool {
        self.week.is_none()
    }

    /// Returns the period at a moment.
    pub(super) fn period_at(&self, at: Epoch) -> Period {
        self.date_of(at).map_or(Period::Prime, |date| {
            let segments = self.segments(date);
            let begun = segments.iter().rev().find(|(from, _)| self.moment(date, *from) <= at);
            begun.or(segments.first()).map_or(Period::Prime, |(_, period)| *period)
        })
    }

    /// Returns when the period at `at` ends; `None` if it never does.
    pub(super) fn next_change(&self, at: Epoch) -> Option<Epoch> {
        self.week?;
        let current = self.period_at(at);
        let first = self.date_of(at)?;
        first.series(jiff::Span::new().days(1)).take(HORIZON_DAYS).find_map(|date| {
            let changes = self.segments(date).into_iter().filter(|(_, period)| *period != current);
            changes.map(|(from, _)| self.moment(date, from)).find(|moment| *moment > at)
        })
    }

    /// Returns the starts of periods on all days from the day before `from` to the day after `to`.
    pub(super) fn begins(&self, from: Epoch, to: Epoch) -> Vec<(Epoch, Period)> {
        let (Some(first), Some(last)) = (self.date_of(from), self.date_of(to)) else { return Vec::new() };
        let day = jiff::Span::new().days(1);
        let days = first.saturating_sub(day).series(day).take_while(|date| *date <= last.saturating_add(day));
        let begins = days.flat_map(|date| {
            self.segments(date).into_iter().map(move |(minute, period)| (self.moment(date, minute), period))
        });
        begins.collect()
    }

    /// Returns the local date, or `None` if it does not matter because it is always prime time.
    fn date_of(&self, at: Epoch) -> Option<Date> {
        let stamp = Timestamp::from_second(at.0).ok()?;
        self.week.map(|_| self.zone.to_datetime(stamp).date())
    }

    /// Returns the day of the week (0 = Sunday) and of the year (1 = January 1st) at a moment; `None` if it does not
    /// matter because it is always prime time.
    pub(super) fn day_numbers(&self, at: Epoch) -> Option<(u8, u32)> {
        let date = self.date_of(at)?;
        let weekday = u8::try_from(date.weekday().to_sunday_zero_offset()).ok()?;
        Some((weekday, u32::try_from(date.day_of_year()).ok()?))
    }

    /// Returns the periods of a day in order, each with its first minute.
    fn segments(&self, date: Date) -> Vec<(u32, Period)> {
        match self.day(date) {
            DayPeriods::All(period) => vec![(0, period)],
            // A period that would begin and end at midnight is empty.
            DayPeriods::Split { inside, from: 0, to } => vec![(0, inside), (to, other(inside))],
            DayPeriods::Split { inside, from, to } => {
                vec![(0, other(inside)), (from, inside), (to, other(inside))]
            }
        }
    }

    /// Returns the periods of a date; a holiday is non-prime all day.
    fn day(&self, date: Date) -> DayPeriods {
        let is_holiday = u32::try_from(date.day_of_year()).is_ok_and(|day| self.holidays.contains(&day));
        let weekday = usize::try_from(date.weekday().to_sunday_zero_offset()).unwrap_or_default();
        match self.week.as_ref().and_then(|week| week.get(weekday)) {
            Some(_) if is_holiday => DayPeriods::All(Period::NonPrime),
            Some(day) => *day,
            None => DayPeriods::All(Period::Prime),
        }
    }

    /// Returns the moment of a minute of a day; within an hour skipped by a clock change, the moment after it.
    fn moment(&self, date: Date, minute: u32) -> Epoch {
        let local = date.at(0, 0, 0, 0).saturating_add(jiff::Span::new().minutes(i64::from(minute)));
        self.zone
            .to_ambiguous_zoned(local)
            .compatible()
            .map_or(Epoch(i64::MAX), |zoned| Epoch(zoned.timestamp().as_second()))
    }
}

/// Builds the seven days from Sunday on, each from all its lines; days without a line are prime.
fn week(lines: &[DaySchedule]) -> [DayPeriods; 7] {
    std::array::from_fn(|weekday| {
        let is_for =
            |line: &&DaySchedule| u8::try_from(weekday).is_ok_and(|weekday| line.days.includes(weekday));
        lines
            .iter()
            .filter(is_for)
            .copied()
            .reduce(combined)
            .as_ref()
            .map_or(DayPeriods::All(Period::Prime), day_of)
    })
}

/// Combines two lines for one day: the later one wins, except that a time does not override an earlier `all` or
/// `none`. After `weekday all none`, the line `friday 0700 1200` leaves Friday prime all day.
fn combined(earlier: DaySchedule, later: DaySchedule) -> DaySchedule {
    let side = |earlier, later| match (earlier, later) {
        (PeriodStart::All | PeriodStart::None, PeriodStart::At(_)) => earlier,
        _ => later,
    };
    DaySchedule {
        days: later.days,
        prime: side(earlier.prime, later.prime),
        non_prime: side(earlier.non_prime, later.non_prime),
    }
}

/// Prime time lasts from its start to the start of non-prime time. If non-prime time starts first, it lasts until the
/// start of prime time; equal starts mean no prime time.
fn day_of(line: &DaySchedule) -> DayPeriods {
    match (line.prime, line.non_prime) {
        (PeriodStart::All, _) => DayPeriods::All(Period::Prime),
        (_, PeriodStart::All) | (PeriodStart::None, _) => DayPeriods::All(Period::NonPrime),
        (_, PeriodStart::None) => DayPeriods::All(Period::Prime),
        (PeriodStart::At(prime), PeriodStart::At(non_prime)) => match prime.cmp(&non_prime) {
            std::cmp::Ordering::Less => {
                DayPeriods::Split { inside: Period::Prime, from: prime, to: non_prime }
            }
            std::cmp::Ordering::Equal => DayPeriods::All(Period::NonPrime),
            std::cmp::Ordering::Greater => {
                DayPeriods::Split { inside: Period::NonPrime, from: non_prime, to: prime }
            }
        },
    }
}

//! Prime and dedicated time (rules 6.7, 8.7).

use jiff::civil::Weekday;
use qscope_engine::cluster::{DayKind, DaySchedule, Epoch, Period, PeriodStart, Snapshot};

/// Returns the period at a time, and when it ends; none if it does not end within nine days.
pub(crate) fn period_at(snap: &Snapshot, at: i64) -> (Period, Option<i64>) {
    let now = period(snap, at);
    let midnights = (0..10).filter_map(|day| moments(snap, at, day)).flatten();
    let next = midnights.filter(|moment| *moment > at).find(|moment| period(snap, *moment) != now);
    (now, next)
}

/// Returns the times of a day at which the period may change.
fn moments(snap: &Snapshot, at: i64, day: i64) -> Option<Vec<i64>> {
    let date = snap.date(Epoch(at))?.start_of_day().ok()?.timestamp().as_second() + day * 86_400;
    let mut found = vec![date];
    if let Some(Some(schedule)) = schedule(snap, date) {
        for span in [schedule.prime, schedule.non_prime] {
            if let PeriodStart::At(minute) = span {
                found.push(date + i64::from(minute) * 60);
            }
        }
    }
    found.sort_unstable();
    Some(found)
}

/// Returns the line of the day; none without a year, and an empty line for a holiday.
fn schedule(snap: &Snapshot, at: i64) -> Option<Option<DaySchedule>> {
    let file = snap.holidays.as_ref()?;
    if file.year.unwrap_or(0) == 0 {
        return None;
    }
    let date = snap.date(Epoch(at))?;
    if file.holidays.contains(&u32::try_from(date.day_of_year()).ok()?) {
        return Some(None);
    }
    let weekday = date.weekday();
    let of_day = |line: &&DaySchedule| match line.days {
        DayKind::Weekday => !matches!(weekday, Weekday::Saturday | Weekday::Sunday),
        DayKind::Day(day) => i64::from(day) == i64::from(weekday.to_sunday_zero_offset()),
    };
    file.days.iter().rev().find(of_day).map(|line| Some(*line))
}

fn period(snap: &Snapshot, at: i64) -> Period {
    let Some(line) = schedule(snap, at) else { return Period::Prime };
    let Some(line) = line else { return Period::NonPrime };
    let Some(date) = snap.date(Epoch(at)) else { return Period::Prime };
    let minute = i64::from(date.hour()) * 60 + i64::from(date.minute());
    let is_prime = match (line.prime, line.non_prime) {
        (PeriodStart::All, _) => true,
        (_, PeriodStart::All) => false,
        (PeriodStart::None, _) => false,
        (PeriodStart::At(_), PeriodStart::None) => true,
        (PeriodStart::At(prime), PeriodStart::At(non_prime)) => {
            let (prime, non_prime) = (i64::from(prime), i64::from(non_prime));
            if non_prime > prime {
                (prime..non_prime).contains(&minute)
            } else {
                !(non_prime..prime).contains(&minute) && prime != non_prime
            }
        }
    };
    if is_prime { Period::Prime } else { Period::NonPrime }
}

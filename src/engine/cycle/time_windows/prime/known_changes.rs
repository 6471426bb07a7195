//! A cache of prime time changes.
//!
//! The calendar passes over years of changes for one job, and again in every simulated cycle, and each change needs
//! dates in a time zone. They are stored by span, each computed on first use, and shared by clones of a clock.

use std::sync::{Arc, OnceLock};

use super::day_times::DayTimes;
use crate::cluster::{Epoch, Period};

/// Length of a span in seconds: 24 days.
const SPAN: i64 = 1 << 21;
/// Number of cached spans, from 1970 until 2051.
const SPANS: usize = 1224;
/// Number of following spans to search for the next change.
const AHEAD: i64 = 3;

/// The changes within one span of time.
#[derive(Debug)]
struct SpanChanges {
    /// The period at its first second.
    first: Period,
    /// Later changes of period within the span, in order.
    changes: Vec<(Epoch, Period)>,
}

/// A span once computed; `None` if its period starts are not in chronological order.
type CachedSpan = OnceLock<Option<SpanChanges>>;

/// The spans, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct PeriodChangeCache(Arc<OnceLock<Box<[CachedSpan]>>>);

impl PeriodChangeCache {
    /// Returns the period at a moment; `None` if its span is not cached.
    pub(super) fn period_at(&self, at: Epoch, times: &DayTimes) -> Option<Period> {
        let span = self.span(number_of(at), times)?;
        let last = span.begun(at).checked_sub(1).and_then(|last| span.changes.get(last));
        Some(last.map_or(span.first, |(_, period)| *period))
    }

    /// Returns the first change after a moment; `None` if it is not cached or too far ahead.
    pub(super) fn change_after(&self, at: Epoch, times: &DayTimes) -> Option<Epoch> {
        let number = number_of(at);
        let span = self.span(number, times)?;
        if let Some((change, _)) = span.changes.get(span.begun(at)) {
            return Some(*change);
        }
        let current = self.period_at(at, times)?;
        for later in number + 1..=number + AHEAD {
            let span = self.span(later, times)?;
            if span.first != current {
                return Some(Epoch(later * SPAN));
            }
            if let Some((change, _)) = span.changes.first() {
                return Some(*change);
            }
        }
        None
    }

    fn span(&self, number: i64, times: &DayTimes) -> Option<&SpanChanges> {
        if times.is_always_prime() {
            return None;
        }
        let spans = self.0.get_or_init(|| (0..SPANS).map(|_| OnceLock::new()).collect());
        let span = spans.get(usize::try_from(number).ok()?)?;
        span.get_or_init(|| SpanChanges::of(number, times)).as_ref()
    }
}

impl SpanChanges {
    /// Returns `None` if period starts are not in chronological order: one in an hour skipped by the clock is moved
    /// after it.
    fn of(number: i64, times: &DayTimes) -> Option<Self> {
        let (from, to) = (Epoch(number * SPAN), Epoch((number + 1) * SPAN));
        let first = times.period_at(from);
        let mut changes = times.begins(from, to);
        if !changes.is_sorted_by_key(|(at, _)| *at) {
            return None;
        }
        let mut current = first;
        changes.retain(|(at, period)| {
            *at > from && *at < to && std::mem::replace(&mut current, *period) != *period
        });
        Some(Self { first, changes })
    }

    /// Returns the number of its changes at or before a moment.
    fn begun(&self, at: Epoch) -> usize {
        self.changes.partition_point(|(change, _)| *change <= at)
    }
}

fn number_of(at: Epoch) -> i64 {
    at.0.div_euclid(SPAN)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;
    use crate::cluster::{DayKind, DaySchedule, Holidays, PeriodStart};

    fn span_of_day() -> impl Strategy<Value = PeriodStart> {
        prop_oneof![
            Just(PeriodStart::All),
            Just(PeriodStart::None),
            (0_u32..=1440).prop_map(PeriodStart::At),
            (0_u32..24).prop_map(|hour| PeriodStart::At(hour * 60)),
        ]
    }

    fn line() -> impl Strategy<Value = DaySchedule> {
        let days = prop_oneof![Just(DayKind::Weekday), (0_u8..7).prop_map(DayKind::Day)];
        (days, span_of_day(), span_of_day()).prop_map(|(days, prime, non_prime)| DaySchedule {
            days,
            prime,
            non_prime,
        })
    }

    proptest! {
        #[test]
        fn what_is_known_is_what_the_file_has(
            days in proptest::collection::vec(line(), 0..4),
            holidays in proptest::collection::vec(1_u32..=366, 0..5),
            zone in prop_oneof![Just("UTC0"), Just("CET-1CEST,M3.5.0,M10.5.0/3"), Just("EST5EDT,M3.2.0,M11.1.0")],
            moments in proptest::collection::vec(-9_999_999_i64..2_600_000_000, 1..8),
        ) {
            let file = Holidays { year: Some(2025), days, holidays };
            let times = DayTimes::new(Some(&file), TimeZone::posix(zone).unwrap());
            let known = PeriodChangeCache::default();
            for at in moments {
                let mut at = Epoch(at);
                for _ in 0..12 {
                    if let Some(period) = known.period_at(at, &times) {
                        prop_assert_eq!(period, times.period_at(at));
                    }
                    let next = times.next_change(at);
                    if let Some(change) = known.change_after(at, &times) {
                        prop_assert_eq!(Some(change), next);
                    }
                    let Some(next) = next else { break };
                    at = next;
                }
            }
        }
    }
}

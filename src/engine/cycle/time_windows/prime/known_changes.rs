//! Changes of prime time that were computed once.
//!
//! The calendar goes over years of them for one job, again in every cycle of a simulation, and each asks for dates in a time
//! zone. They are kept by span, each computed when it is asked for first, and shared by the copies of a clock.

use std::sync::{Arc, OnceLock};

use super::day_times::DayTimes;
use crate::cluster::{Epoch, Period};

/// How long a span is, in seconds: 24 days.
const SPAN: i64 = 1 << 21;
/// How many are kept, from 1970 on: into the year 2051.
const SPANS: usize = 1224;
/// How many are looked through for the next change.
const AHEAD: i64 = 3;

/// The changes of one span of time.
#[derive(Debug)]
struct Span {
    /// The period at its first second.
    first: Period,
    /// When another one begins later in it, in order.
    changes: Vec<(Epoch, Period)>,
}

/// A span once it is computed; none where its periods do not begin in their order.
type KnownSpan = OnceLock<Option<Span>>;

/// The spans, by their number.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownChanges(Arc<OnceLock<Box<[KnownSpan]>>>);

impl KnownChanges {
    /// The period at a moment; none where that is not kept.
    pub(super) fn period_at(&self, at: Epoch, times: &DayTimes) -> Option<Period> {
        let span = self.span(number_of(at), times)?;
        let last = span.begun(at).checked_sub(1).and_then(|last| span.changes.get(last));
        Some(last.map_or(span.first, |(_, period)| *period))
    }

    /// The first change after a moment; none where that is not kept or lies far ahead.
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

    fn span(&self, number: i64, times: &DayTimes) -> Option<&Span> {
        if times.is_always_prime() {
            return None;
        }
        let spans = self.0.get_or_init(|| (0..SPANS).map(|_| OnceLock::new()).collect());
        let span = spans.get(usize::try_from(number).ok()?)?;
        span.get_or_init(|| Span::of(number, times)).as_ref()
    }
}

impl Span {
    /// None where periods do not begin in their order: one that begins in an hour which the clock skips begins after it.
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

    /// How many of its changes lie at or before a moment.
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
    use crate::cluster::{DayKind, DaySchedule, Holidays, PrimeSpan};

    fn span_of_day() -> impl Strategy<Value = PrimeSpan> {
        prop_oneof![
            Just(PrimeSpan::All),
            Just(PrimeSpan::None),
            (0_u32..=1440).prop_map(PrimeSpan::At),
            (0_u32..24).prop_map(|hour| PrimeSpan::At(hour * 60)),
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
            let known = KnownChanges::default();
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

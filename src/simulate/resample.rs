//! Future arrivals: whole days of the past, drawn with replacement (days rule 14).

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use qscope_engine::cluster::{Epoch, Name, Seconds};

use crate::arrivals::Arrival;
use crate::runtimes::{SplitMix, fnv1a};

/// One day in seconds.
const DAY: i64 = 86_400;

/// Days of the past to draw from.
#[derive(Clone, Debug)]
pub struct PastDays<'a> {
    /// Offset of the cluster's midnight from midnight UTC, in seconds.
    shift: i64,
    first: i64,
    /// Number of days; a wrong time among the arrivals can make it large.
    count: usize,
    /// Arrivals by day; days without arrivals are not stored.
    days: BTreeMap<i64, Vec<&'a Arrival>>,
}

impl<'a> PastDays<'a> {
    /// Splits a past into days, including days without arrivals. The first and last days may be incomplete and are
    /// dropped if there are others.
    pub fn of(past: impl IntoIterator<Item = &'a Arrival>, zone: &TimeZone) -> Self {
        let mut all: Vec<&Arrival> = past.into_iter().collect();
        all.sort_by_key(|one| one.at);
        let shift = all.first().map_or(0, |one| offset(one.at, zone));
        let number = |one: &Arrival| one.at.0.saturating_sub(shift).div_euclid(DAY);
        let (mut first, mut last) =
            (all.first().map_or(0, |one| number(one)), all.last().map_or(-1, |one| number(one)));
        let mut days: BTreeMap<i64, Vec<&Arrival>> = BTreeMap::new();
        for one in all {
            days.entry(number(one)).or_default().push(one);
        }
        if last - first > 1 {
            days.remove(&first);
            days.remove(&last);
            (first, last) = (first + 1, last - 1);
        }
        Self { shift, first, count: usize::try_from(last - first + 1).unwrap_or(0), days }
    }

    /// Returns the number of days.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no days.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Draws the arrivals of `days` days after `from`, the first of which is the rest of today. The stream of random
    /// numbers is separate, so a day gets the same draw under every setting.
    pub fn draw_arrivals(&self, from: Epoch, days: u32, seed: u64, replication: u64) -> Vec<Arrival> {
        let today = (from.0 - self.shift).div_euclid(DAY);
        let mut stream = SplitMix::of_job(seed, replication, "arrivals");
        let mut all = Vec::new();
        for day in 0..=i64::from(days) {
            let Some(drawn) = self.pick(&mut stream) else { break };
            let begins = (today + day) * DAY + self.shift;
            for one in drawn {
                let at = begins + one.at.0.saturating_sub(self.shift).rem_euclid(DAY);
                if at > from.0 && at <= from.0 + i64::from(days) * DAY {
                    all.push(shifted_copy(one, Epoch(at), day));
                }
            }
        }
        all.sort_by_key(|one| one.at);
        all
    }

    fn pick(&self, stream: &mut SplitMix) -> Option<&[&'a Arrival]> {
        let at = (stream.unit() * self.count as f64) as i64;
        let day = self.days.get(&(self.first + at)).map_or(&[][..], Vec::as_slice);
        (!self.is_empty()).then_some(day)
    }
}

/// Returns the same job on another day, with all its times moved.
fn shifted_copy(one: &Arrival, at: Epoch, day: i64) -> Arrival {
    let mut next = one.clone();
    let by = Seconds((at - one.at).0);
    let name = renamed(&one.name, day);
    next.name = name.clone();
    next.at = at;
    next.real_start = None;
    next.fate.release = one.fate.release.map(|at| at + by);
    next.fate.cancel = one.fate.cancel.map(|at| at + by);
    if let Some(job) = next.job.as_deref_mut() {
        job.name = name;
        (job.created, job.queued) = (Some(at), Some(at));
        job.eligible = job.eligible.map(|_| at);
        job.queue_rank = None;
        // Jobs that it depends on belong to another day.
        job.depend = None;
        job.execution_time = job.execution_time.map(|until| until + by);
    }
    next
}

/// Returns the name of a job drawn for a day: `12-d3.srv` for `12.srv` on day 3.
fn renamed(name: &str, day: i64) -> Name {
    let at = name.find(['[', '.']).unwrap_or(name.len());
    let (head, tail) = name.split_at(at);
    format!("{head}-d{day}{tail}").into()
}

fn offset(at: Epoch, zone: &TimeZone) -> i64 {
    let stamp = jiff::Timestamp::from_second(at.0).unwrap_or_default();
    -i64::from(zone.to_offset(stamp).seconds())
}

/// Returns a reproducible pseudo-random number for a text, to select a sample.
pub fn rank(seed: u64, text: &str) -> u64 {
    SplitMix(seed ^ fnv1a(text)).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobBehaviour;

    fn at(at: i64) -> Arrival {
        Arrival {
            name: format!("{at}.svr").into(),
            at: Epoch(at),
            fate: JobBehaviour::default(),
            real_start: None,
            job: None,
        }
    }

    #[test]
    fn a_time_far_off_costs_no_memory() {
        let past: Vec<Arrival> = [10, DAY + 100, i64::MAX].map(at).into();
        let days = PastDays::of(&past, &TimeZone::UTC);
        assert_eq!(days.len() as i64, i64::MAX / DAY - 1);
        assert!(days.draw_arrivals(Epoch(9 * DAY), 30, 1, 0).len() <= 30);
        assert!(PastDays::of(&Vec::<Arrival>::new(), &TimeZone::UTC).is_empty());
    }

    #[test]
    fn days_are_drawn_whole_and_shifted_to_the_days_ahead() {
        let past: Vec<Arrival> = [10, DAY + 100, DAY + 200, 2 * DAY + 300, 3 * DAY + 400].map(at).into();
        let days = PastDays::of(&past, &TimeZone::UTC);
        assert_eq!(days.len(), 2, "the first and the last day may be parts");
        let drawn = days.draw_arrivals(Epoch(9 * DAY + 150), 3, 1, 0);
        assert!(drawn.iter().all(|one| one.at.0 > 9 * DAY + 150 && one.at.0 <= 12 * DAY + 150), "{drawn:?}");
        assert!(drawn.iter().all(|one| [100, 200, 300].contains(&one.at.0.rem_euclid(DAY))));
        assert_eq!(drawn, days.draw_arrivals(Epoch(9 * DAY + 150), 3, 1, 0));
        assert_ne!(days.draw_arrivals(Epoch(0), 30, 1, 0), days.draw_arrivals(Epoch(0), 30, 1, 1));
        let names: std::collections::BTreeSet<_> = drawn.iter().map(|one| one.name.clone()).collect();
        assert_eq!(names.len(), drawn.len());
        assert_eq!(&*renamed("7[].svr", 2), "7-d2[].svr");
    }
}

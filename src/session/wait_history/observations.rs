//! Combines observations of jobs into the time that each waited, by reason.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name, array_numbered, short_id};

use super::track::WaitTrack;
use super::{OvertakingJob, ReasonPeriod, WaitHistory};

/// Observations of jobs, added in the order of time.
#[derive(Clone, Debug)]
pub struct Observations {
    pub(super) jobs: BTreeMap<Name, WaitTrack>,
    /// Orders of jobs, each with the time of its cycle.
    pub(super) orders: Vec<(Epoch, Vec<Name>)>,
    pub(super) last: Option<Epoch>,
    pub(super) first_reason: &'static str,
}

impl Observations {
    /// Creates an empty set of observations; `first_reason` is the reason for the time before the first observation
    /// of a job.
    pub(super) fn new(first_reason: &'static str) -> Self {
        Self { jobs: BTreeMap::new(), orders: Vec::new(), last: None, first_reason }
    }

    pub(super) fn track(&mut self, job: &Name) -> &mut WaitTrack {
        self.jobs.entry(job.clone()).or_default()
    }

    pub(super) fn mark(&mut self, job: &Name, at: Epoch, reason: impl Into<Name>) {
        self.track(job).mark(at, reason);
    }

    /// Replaces a reason everywhere.
    pub(super) fn rename_reason(&mut self, old: &str, new: &'static str) {
        self.first_reason = if self.first_reason == old { new } else { self.first_reason };
        let marks = self.jobs.values_mut().flat_map(|track| &mut track.marks);
        marks.filter(|(_, reason)| **reason == *old).for_each(|(_, reason)| *reason = new.into());
    }

    /// Notes that a job was observed at a time.
    pub(super) fn seen(&mut self, job: &Name, at: Epoch) {
        let seen = &mut self.track(job).first_seen;
        *seen = Some(seen.map_or(at, |first| first.min(at)));
    }

    pub(super) fn promise(&mut self, job: &Name, made: Epoch, start: Epoch) {
        self.track(job).promise(made, start);
    }

    pub(super) fn see(&mut self, at: Epoch) {
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
    }

    /// Returns the time of the last observation.
    pub fn last(&self) -> Option<Epoch> {
        self.last
    }

    /// Returns the time in the queue of every job with a known arrival, in order of arrival; subjobs are counted with
    /// their arrays.
    #[must_use]
    pub fn waited(&self) -> Vec<WaitHistory> {
        let all = self.jobs.iter().filter(|(_, track)| !track.is_subjob);
        let mut all: Vec<WaitHistory> = all.filter_map(|(job, track)| self.one(job, track, false)).collect();
        all.sort_by(|a, b| (a.queued, &a.job).cmp(&(b.queued, &b.job)));
        all
    }

    fn one(&self, job: &Name, track: &WaitTrack, counts_seen: bool) -> Option<WaitHistory> {
        let last = self.last?;
        let marked = track.marks.first().map(|(at, _)| *at);
        let queued = track.queued.or(if counts_seen { track.first_seen.or(marked) } else { marked })?;
        let last_waiting = track.exit.as_ref().map_or(last, |left| left.last_seen);
        let periods = track.periods(queued, last_waiting);
        let until = periods.waits.last().map_or(queued, |(_, to)| *to);
        let demand = track.demand.clone();
        let before = |(from, _): &&(Epoch, u64)| *from <= until;
        let cores = demand.iter().rev().find(before).or(demand.first()).map_or(0, |(_, cores)| *cores);
        Some(WaitHistory {
            job: job.clone(),
            user: track.user.clone().unwrap_or_else(|| "-".into()),
            queue: track.queue.clone().unwrap_or_else(|| "-".into()),
            cores,
            demand,
            starting_cores: track.starting_cores.clone(),
            subjob_cores: track.subjob_cores,
            queued,
            is_arrival_known: track.queued.is_some(),
            until,
            is_started: periods.is_started,
            exit: track.exit.clone().filter(|_| !periods.is_started),
            spans: spans(track, &periods.waits, self.first_reason),
            runs: periods.runs,
            promises: track.promises.iter().filter(|promise| promise.planned_at <= until).copied().collect(),
            overtaking_jobs: Vec::new(),
        })
    }

    /// Returns the time in the queue of one job, with the jobs that passed it. The name may lack the server part, and
    /// the brackets of an array.
    pub fn of(&self, name: &str) -> Option<WaitHistory> {
        let find = |name: &str| self.jobs.keys().find(|job| ***job == *name || short_id(job) == name);
        let job = find(name).or_else(|| find(&array_numbered(name)))?;
        let track = self.jobs.get(job)?;
        let mut waited = self.one(job, track, true)?;
        let waits = track.periods(waited.queued, waited.until).waits;
        let inside = |at: &Epoch| waits.iter().any(|(from, to)| from < at && at < to);
        let mut passed: Vec<OvertakingJob> = Vec::new();
        for (other, track) in &self.jobs {
            if track.queued.is_some_and(|queued| queued > waited.queued)
                && let Some(at) = track.starts().find(inside)
            {
                passed.push(OvertakingJob {
                    job: other.clone(),
                    at,
                    is_ahead: self.is_ahead(other, job, at),
                });
            }
        }
        passed.sort_by(|a, b| (a.at, &a.job).cmp(&(b.at, &b.job)));
        waited.overtaking_jobs = passed;
        Some(waited)
    }

    /// Whether one job was ahead of another in the last order before a time. A snapshot of that very second may show that
    /// it runs, and is no longer in the order.
    fn is_ahead(&self, one: &Name, other: &Name, at: Epoch) -> Option<bool> {
        let mut before = self.orders.iter().rev().skip_while(|(made, _)| *made > at).take(2);
        before.find_map(|(_, order)| {
            let place = |job: &Name| order.iter().position(|have| have == job);
            Some(place(one)? < place(other)?)
        })
    }
}

/// Returns the reasons of a job in the periods in which it waited, without gaps within a period.
fn spans(track: &WaitTrack, waits: &[(Epoch, Epoch)], first_reason: &'static str) -> Vec<ReasonPeriod> {
    let mut marks = track.marks.clone();
    marks.sort_by_key(|(at, _)| *at);
    let mut spans: Vec<ReasonPeriod> = Vec::new();
    for (from, to) in waits {
        let mut open: (Epoch, Name) = (*from, first_reason.into());
        let mut close = |(since, reason): (Epoch, Name), until: Epoch| {
            if until <= since {
                return;
            }
            match spans.last_mut() {
                Some(last) if last.reason == reason && last.to == since => last.to = until,
                _ => spans.push(ReasonPeriod { from: since, to: until, reason }),
            }
        };
        for (at, reason) in marks.iter().filter(|(at, _)| at <= to) {
            let at = *at.max(from);
            let before = std::mem::replace(&mut open, (at, reason.clone()));
            close(before, at);
        }
        close(open, *to);
    }
    // A reason observed at the very end has no duration yet, but is all that is known.
    if spans.is_empty()
        && let Some((from, to)) = waits.last()
        && let Some((at, reason)) = marks.iter().rfind(|(at, _)| at <= to)
    {
        spans.push(ReasonPeriod { from: *at.max(from), to: *to, reason: reason.clone() });
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::{NOT_LOOKED_AT, WaitTotals};
    use super::*;

    #[test]
    fn the_order_is_that_of_the_cycle_which_started_the_job() {
        let mut all = Observations::new(NOT_LOOKED_AT);
        let [one, other]: [Name; 2] = ["1.svr".into(), "2.svr".into()];
        all.orders = vec![(Epoch(10), vec![one.clone(), other.clone()]), (Epoch(10), vec![other.clone()])];
        assert_eq!(all.is_ahead(&one, &other, Epoch(10)), Some(true));
        all.orders.push((Epoch(10), vec![other.clone()]));
        assert_eq!(all.is_ahead(&one, &other, Epoch(10)), None, "older orders are not asked");
    }

    #[test]
    fn spans_sum_to_the_time_in_the_queue() {
        let mut all = Observations::new(NOT_LOOKED_AT);
        let job: Name = "1.svr".into();
        all.track(&job).queued = Some(Epoch(100));
        all.track(&job).starts.insert(Epoch(500));
        for (at, reason) in [(160, "a"), (220, "a"), (280, "b"), (340, "a"), (900, "late")] {
            all.mark(&job, Epoch(at), reason);
        }
        all.see(Epoch(900));
        let waited = all.of("1").unwrap();
        assert_eq!(waited.seconds(), 400);
        assert_eq!(waited.until, Epoch(500));
        let reasons: Vec<&str> = waited.spans.iter().map(|span| &*span.reason).collect();
        assert_eq!(reasons, [NOT_LOOKED_AT, "a", "b", "a"]);
        let sums = WaitTotals::of(std::slice::from_ref(&waited), |_| true);
        assert_eq!(sums.0["a"], (120 + 160, 280));
        let late = waited.clone().part_since(Epoch(250)).unwrap();
        assert_eq!(late.seconds(), 250);
        assert_eq!(WaitTotals::of(&[late], |_| true).0["a"], (30 + 160, 190));
        assert_eq!(waited.clone().part_since(Epoch(0)), Some(waited.clone()));
        assert_eq!(waited.part_since(Epoch(500)), None, "it had started by then");
    }
}

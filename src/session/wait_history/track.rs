//! What is known about one job: when it started, and when it waited again.

use std::collections::{BTreeMap, BTreeSet};

use qscope_engine::cluster::{Epoch, Name, Seconds};

use super::{InterruptedRun, PlannedStart, QueueExit};

/// What is known about a job so far.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitTrack {
    pub(super) user: Option<Name>,
    pub(super) queue: Option<Name>,
    /// Number of cores that it waits for, each from a time on; for an array, those of the subjobs still to start.
    pub(super) demand: Vec<(Epoch, u64)>,
    /// For an array, the cores of the subjobs that the next cycle starts, each from a time on.
    pub(super) starting_cores: Vec<(Epoch, u64)>,
    /// Number of cores of one subjob of an array; 0 for other jobs.
    pub(super) subjob_cores: u64,
    pub(super) queued: Option<Epoch>,
    /// Time of the first observation.
    pub(super) first_seen: Option<Epoch>,
    pub(super) starts: BTreeSet<Epoch>,
    /// Start according to the scheduler's log, which is used if no other is known.
    pub(super) logged_start: Option<Epoch>,
    /// When it waited again after a start, and how its run ended.
    pub(super) requeues: BTreeMap<Epoch, &'static str>,
    /// When it was last observed waiting, unless it has been observed to run since.
    pub(super) waiting_since: Option<Epoch>,
    /// Seconds that it had run when it was last observed suspended.
    pub(super) used: Option<i64>,
    pub(super) exit: Option<QueueExit>,
    /// Whether it is a subjob, which is counted with its array.
    pub(super) is_subjob: bool,
    pub(super) marks: Vec<(Epoch, Name)>,
    pub(super) promises: Vec<PlannedStart>,
}

/// The periods in which a job waited, and its runs in between.
#[derive(Debug, Default)]
pub(super) struct Periods {
    pub(super) waits: Vec<(Epoch, Epoch)>,
    pub(super) runs: Vec<InterruptedRun>,
    /// Whether the last period ended with a start.
    pub(super) is_started: bool,
}

impl WaitTrack {
    /// Whether it waits for its first start, or for the next one.
    fn is_open(&self) -> bool {
        self.starts.last().is_none_or(|start| self.waits_since().is_some_and(|at| at > *start))
    }

    /// Returns when it waited again the last time; `None` before its first start.
    pub(super) fn waits_since(&self) -> Option<Epoch> {
        self.requeues.last_key_value().map(|(at, _)| *at)
    }

    /// Returns when a suspended job was resumed, if it runs at `now` and has run for so many seconds: after it was last
    /// observed suspended, since the dump may state an older time.
    pub(super) fn resumed(&self, used: Option<i64>, now: Epoch) -> Option<Epoch> {
        let (last, ran) = (self.waiting_since?, used? - self.used?);
        Some((now - Seconds(ran)).max(last).min(now))
    }

    /// Notes that it runs at `now`, with its start as the dump states it: after a requeue, that may be the old one.
    pub(super) fn runs(&mut self, stated: Option<Epoch>, now: Epoch) {
        self.waiting_since = None;
        if self.is_open() {
            let again = self.waits_since();
            let start = stated.filter(|start| again.is_none_or(|again| *start > again));
            self.starts.insert(start.unwrap_or(now));
        }
    }

    /// Notes that it waits at `now`; if it ran before, `end` states how that ended.
    pub(super) fn waits_at(&mut self, now: Epoch, end: &'static str) {
        self.waiting_since = Some(now);
        if !self.is_open() {
            self.requeues.insert(now, end);
        }
    }

    /// Sets the reason for which it waits from a time on.
    pub(super) fn mark(&mut self, at: Epoch, reason: impl Into<Name>) {
        let reason = reason.into();
        if self.marks.last().is_none_or(|(_, last)| *last != reason) {
            self.marks.push((at, reason));
        }
    }

    /// Notes a start that the scheduler planned at a time.
    pub(super) fn promise(&mut self, planned_at: Epoch, start: Epoch) {
        if self.promises.last().is_none_or(|last| last.start != start) {
            self.promises.push(PlannedStart { planned_at, start });
        }
    }

    /// Sets the number of cores that it waits for from a time on.
    pub(super) fn demands(&mut self, from: Epoch, cores: u64) {
        if self.demand.last().is_none_or(|(_, last)| *last != cores) {
            self.demand.push((from, cores));
        }
    }

    /// Sets the number of cores of its subjobs that the next cycle starts, from a time on.
    pub(super) fn starting_at(&mut self, from: Epoch, cores: u64) {
        if self.starting_cores.last().map_or(0, |(_, last)| *last) != cores {
            self.starting_cores.push((from, cores));
        }
    }

    /// Returns the times at which it started, in order.
    pub(super) fn starts(&self) -> impl Iterator<Item = Epoch> {
        let logged = self.logged_start.filter(|_| self.starts.is_empty());
        self.starts.iter().copied().chain(logged)
    }

    /// Returns the periods from its arrival on; a job that still waits does so until `end`.
    pub(super) fn periods(&self, queued: Epoch, end: Epoch) -> Periods {
        let mut found = Periods::default();
        let mut from = queued;
        let mut starts = self.starts().peekable();
        loop {
            let Some(start) = starts.next() else {
                found.waits.push((from, end.max(from)));
                return found;
            };
            let start = start.max(from);
            found.waits.push((from, start));
            let Some((again, ended)) = self.requeues.range(start..).find(|(at, _)| **at > start) else {
                found.is_started = true;
                return found;
            };
            found.runs.push(InterruptedRun { from: start, to: *again, ended });
            from = *again;
            while starts.next_if(|start| *start < from).is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requeued_job_waits_again_until_its_next_start() {
        let mut track = WaitTrack::default();
        track.waits_at(Epoch(60), "requeued");
        track.runs(Some(Epoch(100)), Epoch(120));
        track.runs(Some(Epoch(100)), Epoch(180));
        track.waits_at(Epoch(240), "requeued");
        let waits = |track: &WaitTrack| track.periods(Epoch(0), Epoch(300)).waits;
        assert_eq!(waits(&track), [(Epoch(0), Epoch(100)), (Epoch(240), Epoch(300))]);
        assert!(!track.periods(Epoch(0), Epoch(300)).is_started);
        // The dump still states the first start.
        track.runs(Some(Epoch(100)), Epoch(300));
        let found = track.periods(Epoch(0), Epoch(360));
        assert_eq!(found.waits, [(Epoch(0), Epoch(100)), (Epoch(240), Epoch(300))]);
        assert_eq!(found.runs, [InterruptedRun { from: Epoch(100), to: Epoch(240), ended: "requeued" }]);
        assert!(found.is_started);
    }
}

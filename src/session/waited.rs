//! What jobs waited for, and how long: from snapshots in the order of time, or from what logs state about them.
//!
//! What was observed of a job holds until the next observation of it; so the spans of a job sum to its time in the queue,
//! and what was not observed is a span of its own.

mod from_logs;
mod from_snapshots;

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name};

pub use from_logs::LogLines;

/// The reason of the time before anything was observed, in logs: between arrival and the first cycle.
pub const NOT_LOOKED_AT: &str = "not yet looked at";

/// The same in a recording that begins later.
pub const BEFORE_RECORDING: &str = "before the recording";

/// The reason of a time of which there is no snapshot.
pub const NOT_RECORDED: &str = "not recorded";

/// One reason and how long it held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// Since when.
    pub from: Epoch,
    /// Until when.
    pub to: Epoch,
    /// The reason, in the scheduler's words without amounts.
    pub reason: Name,
}

/// A start that was promised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promise {
    /// When.
    pub made: Epoch,
    /// For when.
    pub start: Epoch,
}

/// A job that arrived later and started sooner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// Its id.
    pub job: Name,
    /// When it started.
    pub at: Epoch,
    /// Whether the order of that cycle had it ahead; else it fitted where this one did not. None where no order is known.
    pub is_ahead: Option<bool>,
}

/// The time of one job in the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waited {
    /// Its id.
    pub job: Name,
    /// Who submitted it.
    pub user: Name,
    /// The queue it was in.
    pub queue: Name,
    /// Cores that it requests.
    pub cores: u64,
    /// When it was queued.
    pub queued: Epoch,
    /// When it started, or left the queue, or the observation ended.
    pub until: Epoch,
    /// Whether it started then.
    pub is_started: bool,
    /// Its reasons; they sum to the time between.
    pub spans: Vec<Span>,
    /// The starts that it was promised, as they moved.
    pub promises: Vec<Promise>,
    /// Jobs that arrived later and started sooner, in order.
    pub passed: Vec<Passed>,
}

impl Waited {
    /// Seconds in the queue.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        (self.until - self.queued).0
    }

    /// What of it lies at or after a moment; none of it where the job was out of the queue by then. Its arrival is then
    /// that moment, so that its reasons still sum to the time between.
    #[must_use]
    pub fn since(mut self, from: Epoch) -> Option<Self> {
        if self.until < from || (self.until == from && self.queued < from) {
            return None;
        }
        self.spans.retain(|span| span.to > from);
        for span in &mut self.spans {
            span.from = span.from.max(from);
        }
        self.queued = self.queued.max(from);
        Some(self)
    }
}

/// What is known of a job so far.
#[derive(Clone, Debug, Default)]
struct Track {
    user: Option<Name>,
    queue: Option<Name>,
    cores: Option<u64>,
    queued: Option<Epoch>,
    started: Option<Epoch>,
    /// When it left the queue without a start.
    left: Option<Epoch>,
    marks: Vec<(Epoch, Name)>,
    promises: Vec<Promise>,
}

/// Observations of jobs, taken in any order of jobs and in the order of time.
#[derive(Clone, Debug)]
pub struct Observations {
    jobs: BTreeMap<Name, Track>,
    /// Jobs in the order of the last cycle before each start: by the start's moment.
    orders: Vec<(Epoch, Vec<Name>)>,
    last: Option<Epoch>,
    first_reason: &'static str,
}

impl Observations {
    /// Nothing yet; `first_reason` is what the time before the first observation of a job is called.
    fn new(first_reason: &'static str) -> Self {
        Self { jobs: BTreeMap::new(), orders: Vec::new(), last: None, first_reason }
    }

    fn track(&mut self, job: &Name) -> &mut Track {
        self.jobs.entry(job.clone()).or_default()
    }

    fn mark(&mut self, job: &Name, at: Epoch, reason: impl Into<Name>) {
        let (reason, track) = (reason.into(), self.track(job));
        if track.marks.last().is_none_or(|(_, last)| *last != reason) {
            track.marks.push((at, reason));
        }
    }

    fn promise(&mut self, job: &Name, made: Epoch, start: Epoch) {
        let promises = &mut self.track(job).promises;
        if promises.last().is_none_or(|last| last.start != start) {
            promises.push(Promise { made, start });
        }
    }

    fn see(&mut self, at: Epoch) {
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
    }

    /// When the last observation was made.
    #[must_use]
    pub fn last(&self) -> Option<Epoch> {
        self.last
    }

    /// The time in the queue of every job whose arrival is known, in order of arrival.
    #[must_use]
    pub fn waited(&self) -> Vec<Waited> {
        let all = self.jobs.iter().filter_map(|(job, track)| self.one(job, track));
        let mut all: Vec<Waited> = all.collect();
        all.sort_by(|a, b| (a.queued, &a.job).cmp(&(b.queued, &b.job)));
        all
    }

    fn one(&self, job: &Name, track: &Track) -> Option<Waited> {
        let last = self.last?;
        let queued = track.queued.or(track.marks.first().map(|(at, _)| *at))?;
        let until = track.started.or(track.left).unwrap_or(last).max(queued);
        Some(Waited {
            job: job.clone(),
            user: track.user.clone().unwrap_or_else(|| "-".into()),
            queue: track.queue.clone().unwrap_or_else(|| "-".into()),
            cores: track.cores.unwrap_or(0),
            queued,
            until,
            is_started: track.started.is_some(),
            spans: spans(track, queued, until, self.first_reason),
            promises: track.promises.iter().filter(|promise| promise.made <= until).copied().collect(),
            passed: Vec::new(),
        })
    }

    /// The time in the queue of one job, with who passed it. The name may lack the server part.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<Waited> {
        let is_it = |job: &&Name| ***job == *name || job.split('.').next() == Some(name);
        let job = self.jobs.keys().find(is_it)?;
        let mut waited = self.one(job, self.jobs.get(job)?)?;
        let inside = |at: Epoch| waited.queued < at && at < waited.until;
        let mut passed: Vec<Passed> = Vec::new();
        for (other, track) in &self.jobs {
            if let (Some(queued), Some(at)) = (track.queued, track.started)
                && queued > waited.queued
                && inside(at)
            {
                passed.push(Passed { job: other.clone(), at, is_ahead: self.is_ahead(other, job, at) });
            }
        }
        passed.sort_by(|a, b| (a.at, &a.job).cmp(&(b.at, &b.job)));
        waited.passed = passed;
        Some(waited)
    }

    /// Whether one job stood before another in the last order before a moment.
    fn is_ahead(&self, one: &Name, other: &Name, at: Epoch) -> Option<bool> {
        let (_, order) = self.orders.iter().rev().find(|(made, _)| *made <= at)?;
        let place = |job: &Name| order.iter().position(|have| have == job);
        Some(place(one)? < place(other)?)
    }
}

/// The reasons of a job between two moments, without a gap between them.
fn spans(track: &Track, from: Epoch, to: Epoch, first_reason: &'static str) -> Vec<Span> {
    let mut marks = track.marks.clone();
    marks.sort_by_key(|(at, _)| *at);
    let mut spans: Vec<Span> = Vec::new();
    let mut open: (Epoch, Name) = (from, first_reason.into());
    let mut close = |(since, reason): (Epoch, Name), until: Epoch| {
        if until <= since {
            return;
        }
        match spans.last_mut() {
            Some(last) if last.reason == reason => last.to = until,
            _ => spans.push(Span { from: since, to: until, reason }),
        }
    };
    for (at, reason) in marks {
        let at = at.clamp(from, to);
        let before = std::mem::replace(&mut open, (at, reason));
        close(before, at);
    }
    close(open, to);
    spans
}

/// Seconds and core-seconds that some jobs waited, by reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sums(pub BTreeMap<Name, (i64, i128)>);

impl Sums {
    /// Of the jobs that a condition takes.
    #[must_use]
    pub fn of(all: &[Waited], takes: impl Fn(&Waited) -> bool) -> Self {
        let mut sums = Self::default();
        for waited in all.iter().filter(|waited| takes(waited)) {
            for span in &waited.spans {
                let seconds = (span.to - span.from).0;
                let entry = sums.0.entry(span.reason.clone()).or_default();
                entry.0 += seconds;
                entry.1 += i128::from(seconds) * i128::from(waited.cores.max(1));
            }
        }
        sums
    }
}

/// A comment of the scheduler without what differs from cycle to cycle: the head that all have, and amounts.
#[must_use]
pub fn without_amounts(comment: &str) -> String {
    let text = comment.strip_prefix("Not Running: ").unwrap_or(comment);
    let end = [" (R:", " [", " on "].iter().filter_map(|mark| text.find(mark)).min();
    let whole = end.map_or(text, |end| text.get(..end).unwrap_or(text));
    // ` on ` also stands before what a limit is about, which does not change.
    let kept = if text.contains(" limit ") { text } else { whole };
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_sum_to_the_time_in_the_queue() {
        let mut all = Observations::new(NOT_LOOKED_AT);
        let job: Name = "1.svr".into();
        all.track(&job).queued = Some(Epoch(100));
        all.track(&job).started = Some(Epoch(500));
        for (at, reason) in [(160, "a"), (220, "a"), (280, "b"), (340, "a"), (900, "late")] {
            all.mark(&job, Epoch(at), reason);
        }
        all.see(Epoch(900));
        let waited = all.of("1").unwrap();
        assert_eq!(waited.seconds(), 400);
        assert_eq!(waited.spans.iter().map(|span| (span.to - span.from).0).sum::<i64>(), 400);
        let reasons: Vec<&str> = waited.spans.iter().map(|span| &*span.reason).collect();
        assert_eq!(reasons, [NOT_LOOKED_AT, "a", "b", "a"]);
        let sums = Sums::of(std::slice::from_ref(&waited), |_| true);
        assert_eq!(sums.0["a"], (120 + 160, 280));
        let late = waited.clone().since(Epoch(250)).unwrap();
        assert_eq!(late.seconds(), late.spans.iter().map(|span| (span.to - span.from).0).sum::<i64>());
        assert_eq!(Sums::of(&[late], |_| true).0["a"], (30 + 160, 190));
        assert_eq!(waited.clone().since(Epoch(0)), Some(waited.clone()));
        assert_eq!(waited.since(Epoch(500)), None, "it had started by then");
    }

    #[test]
    fn amounts_go_and_limits_stay() {
        let of = without_amounts;
        assert_eq!(
            of("Not Running: Insufficient amount of resource: ncpus (R: 8 A: 0 T: 4)"),
            "Insufficient amount of resource: ncpus"
        );
        assert_eq!(
            of("would exceed user bob's limit on resource ncpus in complex"),
            "would exceed user bob's limit on resource ncpus in complex"
        );
        assert_eq!(of("Not enough free nodes available"), "Not enough free nodes available");
    }
}

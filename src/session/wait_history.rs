//! Determines why jobs waited, and how long: from snapshots over time, or from logs.
//!
//! An observation of a job is valid until the next one, so the spans of a job sum to its time in the queue; time
//! without observations is a separate span.

mod from_logs;
mod from_snapshots;
mod log_arrays;
mod observations;
mod track;

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Name};

pub use from_logs::LogObserver;
pub(crate) use from_snapshots::reason_in;
pub use observations::Observations;

/// Reason for the time between arrival and the first cycle, or the first snapshot.
pub const NOT_LOOKED_AT: &str = "not yet looked at";

/// The same in a recording that begins later.
pub const BEFORE_RECORDING: &str = "before the recording";

/// Reason if only the accounting log is known, which states none.
pub const NO_SCHEDULER_LOG: &str = "no scheduler's log";

/// Reason for a time without snapshots.
pub const NOT_RECORDED: &str = "not recorded";

/// Reason of a job that the next cycle starts.
pub const STARTS: &str = "starts in the next cycle";

/// A reason, and how long it was valid.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReasonPeriod {
    /// Start.
    pub from: Epoch,
    /// End, exclusive.
    pub to: Epoch,
    /// The reason, in the scheduler's words without amounts.
    pub reason: Name,
}

/// A start that was planned for a top job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlannedStart {
    /// When it was planned.
    pub planned_at: Epoch,
    /// The planned start.
    pub start: Epoch,
}

/// A job that arrived later and started earlier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OvertakingJob {
    /// Id of the job.
    pub job: Name,
    /// When it started.
    pub at: Epoch,
    /// Whether it was ahead in the order of that cycle; if not, it fitted where this one did not. `None` if no order
    /// is known.
    pub is_ahead: Option<bool>,
}

/// A run between two waits of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct InterruptedRun {
    /// When it started.
    pub from: Epoch,
    /// When it waited again.
    pub to: Epoch,
    /// How the run ended, in words that precede that time.
    pub ended: &'static str,
}

/// The end of a job that left the queue without an observed start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct QueueExit {
    /// When it was last observed waiting.
    pub last_seen: Epoch,
    /// When it had left; the time in between is not known to be waiting.
    pub at: Epoch,
    /// What became of it, in words.
    pub how: Name,
}

impl QueueExit {
    /// Returns the end of a job that a snapshot no longer shows.
    fn unseen(last_seen: Epoch, at: Epoch) -> Self {
        Self { last_seen, at, how: "started and ended, or deleted".into() }
    }

    /// Returns the time for which it is not known whether it waited, in seconds.
    pub fn unknown(&self) -> i64 {
        (self.at - self.last_seen).0.max(0)
    }
}

/// The time of a job in the queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitHistory {
    /// Id of the job.
    pub job: Name,
    /// User who submitted it.
    pub user: Name,
    pub queue: Name,
    /// Number of cores that it last waited for; 0 if unknown.
    pub cores: u64,
    /// Number of cores that it waited for, each from a time on; it changes for an array. Empty if unknown.
    pub demand: Vec<(Epoch, u64)>,
    /// For an array, the cores among these of the subjobs that the next cycle starts, each from a time on: the reason
    /// of the array is that of the others. 0 before the first.
    pub starting_cores: Vec<(Epoch, u64)>,
    /// Number of cores of one subjob of an array; 0 for other jobs, or if unknown.
    pub subjob_cores: u64,
    /// When it was queued; if that is not known, when it was first observed.
    pub queued: Epoch,
    pub is_arrival_known: bool,
    /// When it started, left the queue, or the observation ended.
    pub until: Epoch,
    pub is_started: bool,
    /// Its end, if it left the queue without an observed start.
    pub exit: Option<QueueExit>,
    /// Its reasons, which sum to its time in the queue.
    pub spans: Vec<ReasonPeriod>,
    /// Its runs that ended in the queue again, in order.
    pub runs: Vec<InterruptedRun>,
    /// Its planned starts, as they changed.
    pub promises: Vec<PlannedStart>,
    /// Jobs that arrived later and started earlier, in order.
    pub overtaking_jobs: Vec<OvertakingJob>,
}

impl WaitHistory {
    /// Returns the time in the queue, in seconds.
    pub fn seconds(&self) -> i64 {
        self.spans.iter().map(ReasonPeriod::seconds).sum()
    }

    /// Whether it waited for some time, or still waits.
    pub fn has_waited(&self) -> bool {
        self.seconds() > 0 || (!self.is_started && self.exit.is_none())
    }

    /// For an array, returns how many of its subjobs the next cycle starts, and of how many that wait, each from a time
    /// on in its time in the queue.
    pub fn starting_subjobs(&self) -> impl Iterator<Item = (Epoch, u64, u64)> {
        let within = self.starting_cores.iter().filter(|(at, _)| *at <= self.until);
        let of = |(at, cores): &(Epoch, u64)| {
            let all = self.demand.iter().rev().find(|(from, _)| from <= at).map_or(0, |(_, all)| *all);
            let subjobs = |cores: u64| cores.checked_div(self.subjob_cores);
            Some((*at, subjobs(*cores)?, subjobs(all)?))
        };
        within.filter_map(of)
    }

    /// Returns the core-seconds of a period; a job of unknown size counts as one core.
    pub fn core_seconds(&self, from: Epoch, to: Epoch) -> i128 {
        core_seconds(&self.demand, self.demand.first().map_or(1, |(_, cores)| *cores), from, to)
    }

    /// Returns the part at or after a time; `None` if the job had left the queue by then. Its arrival is moved to
    /// that time, so that its reasons still sum to the time in between.
    pub fn part_since(mut self, from: Epoch) -> Option<Self> {
        let end = self.exit.as_ref().map_or(self.until, |left| left.at);
        if end < from || (end == from && self.queued < from) {
            return None;
        }
        self.spans.retain(|span| span.to > from);
        for span in &mut self.spans {
            span.from = span.from.max(from);
        }
        if let Some(left) = &mut self.exit {
            left.last_seen = left.last_seen.max(from);
        }
        self.queued = self.queued.max(from);
        self.until = self.until.max(from);
        Some(self)
    }
}

/// Sums numbers of cores, each valid from a time on, over a period; `before` is valid before the first.
fn core_seconds(steps: &[(Epoch, u64)], before: u64, from: Epoch, to: Epoch) -> i128 {
    // The clock may have been set back between two snapshots.
    let to = to.max(from);
    let (mut sum, mut since, mut cores) = (0, from, before);
    for (at, next) in steps.iter().copied().chain([(to, 0)]) {
        let at = at.clamp(since, to);
        sum += i128::from((at - since).0) * i128::from(cores);
        (since, cores) = (at, next);
    }
    sum
}

impl ReasonPeriod {
    /// Returns its length in seconds.
    pub fn seconds(&self) -> i64 {
        (self.to - self.from).0
    }
}

/// Seconds and core-seconds that some jobs waited, by reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WaitTotals(pub BTreeMap<Name, (i64, i128)>);

impl WaitTotals {
    /// Sums over the jobs that satisfy a condition. The seconds of an array have its own reason only; its core-seconds
    /// are split between that and its subjobs that start.
    pub fn of(all: &[WaitHistory], takes: impl Fn(&WaitHistory) -> bool) -> Self {
        let mut sums = Self::default();
        for waited in all.iter().filter(|waited| takes(waited)) {
            for span in &waited.spans {
                let cores = waited.core_seconds(span.from, span.to);
                // The part of the subjobs that start in the next cycle.
                let starting = core_seconds(&waited.starting_cores, 0, span.from, span.to).min(cores);
                let entry = sums.0.entry(span.reason.clone()).or_default();
                entry.0 += span.seconds();
                entry.1 += cores - starting;
                if starting > 0 {
                    sums.0.entry(STARTS.into()).or_default().1 += starting;
                }
            }
        }
        sums
    }
}

/// Returns a comment of the scheduler without what differs from cycle to cycle: the common beginning, and amounts.
pub fn without_amounts(comment: &str) -> String {
    let text = comment.strip_prefix("Not Running: ").unwrap_or(comment);
    let end = [" (R:", " [", " on "].iter().filter_map(|mark| text.find(mark)).min();
    let whole = end.map_or(text, |end| text.get(..end).unwrap_or(text));
    // ` on ` also precedes the object of a limit, which does not change.
    let kept = if text.contains(" limit ") { text } else { whole };
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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

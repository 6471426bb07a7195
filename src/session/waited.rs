//! What jobs waited for, and how long: from snapshots in the order of time, or from what logs state about them.
//!
//! What was observed of a job holds until the next observation of it; so the spans of a job sum to its time in the queue,
//! and what was not observed is a span of its own.

mod from_logs;
mod from_snapshots;
mod observations;

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Name};

pub use from_logs::LogLines;
pub(crate) use from_snapshots::reason_in;
pub use observations::Observations;

/// The reason of the time before anything was observed, in logs: between arrival and the first cycle.
pub const NOT_LOOKED_AT: &str = "not yet looked at";

/// The same in a recording that begins later.
pub const BEFORE_RECORDING: &str = "before the recording";

/// The reason of a time of which there is no snapshot.
pub const NOT_RECORDED: &str = "not recorded";

/// One reason and how long it held.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
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
    /// Where it waited.
    pub queue: Name,
    /// Cores that it requests.
    pub cores: u64,
    /// When it was queued; where nothing states that, when it was first observed.
    pub queued: Epoch,
    /// Whether its arrival is known.
    pub is_arrival_known: bool,
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
    pub fn seconds(&self) -> i64 {
        (self.until - self.queued).0
    }

    /// What of it lies at or after a moment; none of it where the job was out of the queue by then. Its arrival is then
    /// that moment, so that its reasons still sum to the time between.
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

/// Seconds and core-seconds that some jobs waited, by reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sums(pub BTreeMap<Name, (i64, i128)>);

impl Sums {
    /// Of the jobs that a condition takes.
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

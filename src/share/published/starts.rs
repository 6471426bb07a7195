//! When each job would start: the cycle run forward once for all of them, as [`qscope_explain::forecast`] does for one.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use qscope_engine::cluster::{Epoch, JobId};
use qscope_engine::cycle::{Run, Verdict};
use qscope_explain::Forward;

/// When jobs start, if no job arrives and walltimes hold.
#[derive(Clone, Debug)]
pub struct Starts {
    /// The first start of each job that starts.
    pub at: FxHashMap<JobId, Epoch>,
    /// The last moment examined.
    pub until: Epoch,
    /// Whether nothing is left to happen after that moment.
    pub is_all: bool,
}

/// Runs the cycle forward over at most so many cycles.
pub fn starts(run: &Arc<Run>, most_cycles: u32) -> Starts {
    let waiting: FxHashSet<JobId> = run
        .outcomes()
        .filter(|outcome| run.verdict(outcome) != Verdict::Run)
        .map(|outcome| outcome.job)
        .collect();
    let mut found = Starts { at: FxHashMap::default(), until: run.plan.snap.now, is_all: false };
    let (mut forward, mut current) = (Forward::new(run), run.clone());
    for _ in 0..most_cycles {
        if found.at.len() == waiting.len() {
            found.is_all = true;
            return found;
        }
        let (after, next) = forward.after(current);
        let Some(next) = next else {
            found.is_all = true;
            return found;
        };
        current = forward.cycle_at(after, next);
        found.until = next;
        for outcome in current.starts() {
            if waiting.contains(&outcome.job) {
                found.at.entry(outcome.job).or_insert(next);
            }
        }
    }
    found
}

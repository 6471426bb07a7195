//! Measures how much CPU time the workers spend on the analysis of a snapshot, which decides when the next one is due.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Length of the rest after an analysis, as a multiple of the analysis' own time: it uses at most a fifth of one core.
pub(crate) const REST: u32 = 4;

/// The total time of the computations of one analysis. Clones count for the same analysis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effort(Arc<Mutex<EffortState>>);

#[derive(Debug, Default)]
struct EffortState {
    /// Number of computations requested and not finished.
    pending: u32,
    total_time: Duration,
    /// When the last one finished.
    last_end: Option<Instant>,
}

/// One computation requested from the workers; it counts as finished when this is dropped.
#[derive(Debug)]
pub(crate) struct WorkGuard(Effort);

impl Effort {
    /// Counts a computation from the time it is requested.
    pub(crate) fn order(&self) -> WorkGuard {
        self.lock_state().pending += 1;
        WorkGuard(self.clone())
    }

    /// Returns when the next analysis may begin: after a rest of `times` times the time this one took. `None` while
    /// this one is under way.
    pub(crate) fn next_start(&self, times: u32) -> Option<Instant> {
        let spent = self.lock_state();
        let over = spent.last_end.unwrap_or_else(Instant::now) + spent.total_time * times;
        (spent.pending == 0).then_some(over)
    }

    fn lock_state(&self) -> MutexGuard<'_, EffortState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decides when a view that computes over whole snapshots goes on to the next one: if they arrive faster than it can
/// compute, the current computation is finished, and a rest follows.
#[derive(Debug, Default)]
pub(crate) struct SnapshotPacer {
    effort: Effort,
    is_behind: bool,
}

impl SnapshotPacer {
    /// Returns whether another snapshot may be computed now: always if no pace is kept. If not, the view stays behind.
    pub(crate) fn may_compute(&mut self, keeps_pace: bool) -> bool {
        let has_rested = || self.effort.next_start(REST).is_some_and(|at| at <= Instant::now());
        self.is_behind = keeps_pace && !has_rested();
        !self.is_behind
    }

    /// Records that the snapshot on the screen is the one that is computed over.
    pub(crate) fn mark_current(&mut self) {
        self.is_behind = false;
    }

    /// Starts a new snapshot: its computations count for a new effort.
    pub(crate) fn begin(&mut self) {
        *self = Self::default();
    }

    /// The effort of the computations over the current snapshot.
    pub(crate) fn effort(&self) -> &Effort {
        &self.effort
    }

    /// Returns when the skipped snapshot may be computed; `None` if none was skipped or a computation is under way.
    pub(crate) fn due(&self, keeps_pace: bool) -> Option<Instant> {
        let due = if keeps_pace { self.effort.next_start(REST) } else { Some(Instant::now()) };
        due.filter(|_| self.is_behind)
    }

    /// Whether the view shows results of an earlier snapshot.
    pub(crate) fn is_behind(&self) -> bool {
        self.is_behind
    }
}

impl WorkGuard {
    /// Runs a part of the computation and counts its time.
    pub(crate) fn measure<T>(&self, part: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = part();
        self.0.lock_state().total_time += began.elapsed();
        done
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        let mut spent = self.0.lock_state();
        spent.pending = spent.pending.saturating_sub(1);
        spent.last_end = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_snapshot_waits_for_what_is_under_way() {
        let mut turns = SnapshotPacer::default();
        assert!(turns.may_compute(true), "the first");
        turns.begin();
        let work = turns.effort().order();
        assert!(!turns.may_compute(true) && turns.is_behind() && turns.due(true).is_none());
        assert!(turns.due(false).is_some_and(|at| at <= Instant::now()), "the screen stands still");
        drop(work);
        assert!(turns.due(true).is_some() && turns.may_compute(true) && turns.due(true).is_none());
    }

    #[test]
    fn nothing_is_due_while_something_is_under_way_and_then_after_a_rest() {
        let effort = Effort::default();
        assert!(effort.next_start(4).is_some_and(|due| due <= Instant::now()), "nothing was ordered");
        let (one, other) = (effort.order(), effort.order());
        one.measure(|| std::thread::sleep(Duration::from_millis(2)));
        drop(one);
        assert_eq!(effort.next_start(4), None);
        let ended = Instant::now();
        drop(other);
        assert!(effort.next_start(4).is_some_and(|due| due >= ended + Duration::from_millis(8)));
    }
}

//! When a followed snapshot is analysed: at once, or, in a console on a directory, only as often as the analysis leaves
//! the processors to others.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::Shell;
use crate::screen::{Analysis, Screen};
use crate::views::ViewName;

/// No further snapshot is expected after that many times the usual pause between two.
const PAUSES: u32 = 2;
/// Minimum wait before that.
const QUIET: Duration = Duration::from_millis(500);

/// How fast snapshots arrive.
#[derive(Debug)]
pub(crate) struct SnapshotRate {
    last: Instant,
    /// Mean time between two snapshots, weighted towards the last ones.
    pause: Duration,
}

/// The views that show the analysis of a snapshot.
const SHOW_IT: [ViewName; 6] =
    [ViewName::Cycle, ViewName::Jobs, ViewName::Queue, ViewName::Why, ViewName::Board, ViewName::Page];

impl SnapshotRate {
    fn new() -> Self {
        Self { last: Instant::now(), pause: Duration::ZERO }
    }

    fn count(&mut self, now: Instant) {
        let pause = now.saturating_duration_since(self.last);
        self.pause = (self.pause * 3 + pause) / 4;
        self.last = now;
    }

    /// When the last snapshot counts as the last one for a while, if no other arrives.
    fn quiet(&self) -> Instant {
        self.last + (self.pause * PAUSES).max(QUIET)
    }
}

impl Shell {
    /// From now on a followed snapshot is only analysed after the workers have rested from the one before.
    pub fn limit_analysis_rate(&mut self) {
        self.snapshot_rate = Some(SnapshotRate::new());
        self.following.keeps_pace = true;
    }

    /// Counts a snapshot that was read.
    pub(super) fn count_snapshot(&mut self) {
        self.snapshot_rate.iter_mut().for_each(|pace| pace.count(Instant::now()));
    }

    /// The unfinished analysis to keep when another snapshot replaces the one on the screen; `None` if that is to be
    /// analysed itself.
    pub(super) fn unfinished(&self) -> Option<Rc<Analysis>> {
        let analysis = &self.screen.as_ref().filter(|_| self.snapshot_rate.is_some())?.analysis;
        let has_rested = analysis.next_start().is_some_and(|at| at <= Instant::now());
        // A preview, shown before there is a complete snapshot, has the number 0.
        (!has_rested && analysis.generation.number > 0).then(|| analysis.clone())
    }

    /// Time until the snapshot on the screen is analysed, if the analysis shown is of an older one: when the workers
    /// have rested, or when no further snapshot seems to follow.
    pub(super) fn analysed_in(&self) -> Option<Duration> {
        let left = |due: Instant| due.saturating_duration_since(Instant::now());
        self.analysis_due().into_iter().chain(self.view_due()).min().map(left)
    }

    fn analysis_due(&self) -> Option<Instant> {
        let screen = self.screen.as_ref().filter(|screen| screen.analysed_before().is_some())?;
        let due = self.snapshot_rate.as_ref()?.quiet();
        Some(screen.analysis.next_start().map_or(due, |rested| rested.min(due)))
    }

    /// When the view on the screen switches to the snapshot shown, if it computes over whole snapshots.
    fn view_due(&self) -> Option<Instant> {
        self.open_view()?.due(self.cx()?)
    }

    /// Analyses the snapshot on the screen if that is due, or if the screen is frozen.
    pub(super) fn analyse_in_time(&mut self) -> bool {
        let is_over = |due: Option<Instant>| due.is_some_and(|at| at <= Instant::now());
        let (is_due, is_turn) = (is_over(self.analysis_due()), is_over(self.view_due()));
        if is_turn {
            self.forget_refresh();
        }
        self.analyse_if(is_due || self.following.freeze.is_some()) || is_turn
    }

    /// Analyses the snapshot on the screen for a view that is being opened, unless an analysis is under way or recent:
    /// otherwise moving between views would keep the workers busy with results that are never seen.
    pub(super) fn analyse_for(&mut self, opened: ViewName) {
        let is_due =
            |screen: &Screen| screen.analysis.rested_for_view().is_some_and(|at| at <= Instant::now());
        let is_due = self.screen.as_ref().is_some_and(is_due);
        self.analyse_if(is_due && SHOW_IT.contains(&opened));
    }

    /// Marks the rows whose reason changed in the analysis; returns whether there are any.
    pub(super) fn mark_turned_reasons(&mut self) -> bool {
        let now = (self.clock)();
        self.screen.as_mut().is_some_and(|screen| screen.mark_turned_reasons(now))
    }

    fn analyse_if(&mut self, is_wanted: bool) -> bool {
        match &mut self.screen {
            Some(screen) if is_wanted && screen.analysed_before().is_some() => {
                screen.analyse();
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_snapshot_is_known_by_a_pause_twice_as_long_as_before() {
        let mut pace = SnapshotRate::new();
        let mut now = pace.last;
        assert_eq!(pace.quiet(), now + QUIET);
        for _ in 0..40 {
            now += Duration::from_secs(1);
            pace.count(now);
        }
        let quiet = pace.quiet().saturating_duration_since(now);
        assert!((1900..=2000).contains(&quiet.as_millis()), "{quiet:?}");
    }
}

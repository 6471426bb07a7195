//! When what is followed is analysed anew: at once, or, in a console on a folder, as often as the analysis leaves the
//! processors to others.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::Shell;
use crate::screen::{Analysis, Screen};
use crate::views::ViewName;

/// After so many times the pause between two snapshots without another one, the last of them has come.
const PAUSES: u32 = 2;
/// No sooner than after this.
const QUIET: Duration = Duration::from_millis(500);

/// How fast snapshots come.
#[derive(Debug)]
pub(crate) struct Pace {
    last: Instant,
    /// Between two of them, the last ones counting most.
    pause: Duration,
}

/// The views that show what workers find out about a snapshot.
const SHOW_IT: [ViewName; 4] = [ViewName::Cycle, ViewName::Jobs, ViewName::Why, ViewName::Board];

impl Pace {
    fn new() -> Self {
        Self { last: Instant::now(), pause: Duration::ZERO }
    }

    fn count(&mut self, now: Instant) {
        let pause = now.saturating_duration_since(self.last);
        self.pause = (self.pause * 3 + pause) / 4;
        self.last = now;
    }

    /// When the last snapshot is known to be that, if none comes until then.
    fn quiet(&self) -> Instant {
        self.last + (self.pause * PAUSES).max(QUIET)
    }
}

impl Shell {
    /// From now on a snapshot that is followed is analysed when the workers have rested from the one before.
    pub fn keep_pace(&mut self) {
        self.pace = Some(Pace::new());
        self.following.keeps_pace = true;
    }

    /// Counts a snapshot that was read.
    pub(super) fn count_snapshot(&mut self) {
        self.pace.iter_mut().for_each(|pace| pace.count(Instant::now()));
    }

    /// The analysis that a snapshot in the place of the one on the screen goes on with; none where it is to be analysed
    /// itself.
    pub(super) fn unfinished(&self) -> Option<Rc<Analysis>> {
        let analysis = &self.screen.as_ref().filter(|_| self.pace.is_some())?.analysis;
        let has_rested = analysis.rested().is_some_and(|at| at <= Instant::now());
        // What is shown before there is a whole snapshot has the number 0.
        (!has_rested && analysis.generation.number > 0).then(|| analysis.clone())
    }

    /// How long until the snapshot on the screen is analysed, where the analysis is of one before it: when the workers have
    /// rested, or when it seems to be the last one for a while.
    pub(super) fn analysed_in(&self) -> Option<Duration> {
        let left = |due: Instant| due.saturating_duration_since(Instant::now());
        self.analysis_due().into_iter().chain(self.view_due()).min().map(left)
    }

    fn analysis_due(&self) -> Option<Instant> {
        let screen = self.screen.as_ref().filter(|screen| screen.analysed_before().is_some())?;
        let due = self.pace.as_ref()?.quiet();
        Some(screen.analysis.rested().map_or(due, |rested| rested.min(due)))
    }

    /// When the view on the screen goes over to the snapshot that is shown, where it computes over whole snapshots.
    fn view_due(&self) -> Option<Instant> {
        self.open_view()?.due(self.world()?)
    }

    /// Analyses the snapshot on the screen where that is due by the time, and where the screen stands still.
    pub(super) fn analyse_in_time(&mut self) -> bool {
        let is_over = |due: Option<Instant>| due.is_some_and(|at| at <= Instant::now());
        let (is_due, is_turn) = (is_over(self.analysis_due()), is_over(self.view_due()));
        if is_turn {
            self.forget_refresh();
        }
        self.analyse_if(is_due || self.following.freeze.is_some()) || is_turn
    }

    /// Analyses the snapshot on the screen for a view that is opened now, before it is first refreshed: unless one is under
    /// way, or is young. Going from view to view would else keep the workers at what is never looked at.
    pub(super) fn analyse_for(&mut self, opened: ViewName) {
        let is_due =
            |screen: &Screen| screen.analysis.rested_for_view().is_some_and(|at| at <= Instant::now());
        let is_due = self.screen.as_ref().is_some_and(is_due);
        self.analyse_if(is_due && SHOW_IT.contains(&opened));
    }

    /// Marks the rows whose reason the analysis found to be another one than before; whether there are any.
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
        let mut pace = Pace::new();
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

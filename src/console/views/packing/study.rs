//! The state of the view: what is simulated, the results, the cursors.

mod tasks;
mod time;

use std::sync::Arc;

use super::compute::{LifetimePoint, OpenedCase};
use crate::effort::SnapshotPacer;
use crate::views::Pending;
use crate::wording;
use qscope_engine::cluster::{Column, Snapshot, show_duration};
use qscope_planning::farm::grid::{NodeView, grid_at};
use qscope_planning::farm::{CaseInput, ClassNo, Criterion, FarmCase, FarmRun, FarmWindow, NodeNo};

/// The lifetimes of the slider, in seconds; the last is unlimited.
pub(super) const LADDER: [i64; 13] =
    [0, 60, 300, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 259_200, i64::MAX];

/// A lifetime in seconds, in words.
pub(super) fn lifetime_words(ttl: i64) -> String {
    if ttl == i64::MAX { "no end".to_owned() } else { show_duration(ttl as f64) }
}

/// The criteria that a key cycles through.
const CRITERIA: [Criterion; 4] = [Criterion::Queue, Criterion::Group, Criterion::User, Criterion::Project];

/// The panel shown when there is not room for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr)]
pub(super) enum Panel {
    /// Fill factor, packing index and difference over time.
    #[default]
    Charts,
    /// The farm node by node, under two policies.
    Farm,
    /// Nodes beyond those sufficient, over time.
    Dispersion,
    /// Cost against packing index, by lifetime.
    #[strum(to_string = "Lifetimes")]
    Sweep,
    /// Waiting times by class and policy.
    Waits,
}

impl Panel {
    pub(super) const ALL: [Self; 5] = [Self::Charts, Self::Farm, Self::Dispersion, Self::Sweep, Self::Waits];

    /// Its name.
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    pub(super) fn turned(self, by: usize) -> Self {
        let mut from_here = Self::ALL.into_iter().cycle().skip_while(|panel| *panel != self);
        from_here.nth(by).unwrap_or_default()
    }
}

/// The farm under two policies at one second.
#[derive(Debug, Clone)]
pub(super) struct FarmGrids {
    pub t: i64,
    pub left: Column<NodeNo, NodeView>,
    pub right: Column<NodeNo, NodeView>,
}

/// What is simulated, the results so far, and the selection.
#[derive(Debug)]
pub struct PackingView {
    /// The cluster to simulate; without one the files are read.
    snapshot: Option<Arc<Snapshot>>,
    case_input: CaseInput,
    /// Whether the case still has to be requested from a worker.
    is_due: bool,
    pub(super) pacer: SnapshotPacer,
    pub(super) case: Option<Arc<FarmCase>>,
    /// The runs: real if known, relaxed, exclusive, spread.
    pub(super) runs: Vec<Arc<FarmRun>>,
    /// The run with the lifetime of the slider.
    pub(super) ttl_run: Option<Arc<FarmRun>>,
    pub(super) ttl: i64,
    pub(super) sweep: Vec<LifetimePoint>,
    pub(super) failed: Option<String>,
    pub(super) progress: Option<(u64, u64)>,
    pub(super) panel: Panel,
    /// The window of the charts and of their means.
    pub(super) window: FarmWindow,
    /// The second under the time cursor.
    pub(super) cursor: i64,
    /// The index of the class shown, among those that pack.
    pub(super) class: usize,
    pub(super) grids: Option<FarmGrids>,
    /// The node under the cursor.
    pub(super) node: usize,
    /// Whether nodes are shown slot by slot even if they do not all fit.
    pub(super) zoomed: bool,
    opening: Pending<Result<OpenedCase, String>>,
    simulating: Pending<FarmRun>,
    sweeping: Pending<Vec<LifetimePoint>>,
}

impl Default for PackingView {
    fn default() -> Self {
        Self {
            snapshot: None,
            case_input: CaseInput::default(),
            is_due: false,
            pacer: SnapshotPacer::default(),
            case: None,
            runs: Vec::new(),
            ttl_run: None,
            ttl: 3600,
            sweep: Vec::new(),
            failed: None,
            progress: None,
            panel: Panel::default(),
            window: FarmWindow { from: 0, to: 0 },
            cursor: 0,
            class: 0,
            grids: None,
            node: 0,
            zoomed: false,
            opening: Pending::default(),
            simulating: Pending::default(),
            sweeping: Pending::default(),
        }
    }
}

impl PackingView {
    /// A study of files that still have to be read.
    pub fn of_files(input: CaseInput) -> Self {
        Self { case_input: input, is_due: true, ..Self::default() }
    }

    /// Sets the slider to a lifetime in seconds.
    #[must_use]
    pub fn at_lifetime(mut self, lifetime: Option<i64>) -> Self {
        self.ttl = lifetime.unwrap_or(self.ttl);
        self
    }

    /// The name of the first file.
    pub(super) fn title(&self) -> String {
        let name = self.case_input.files.first().and_then(|path| path.file_name());
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Simulates a snapshot from its time on, unless it is the one simulated already, or its turn has not come.
    pub(super) fn take_snapshot(&mut self, snapshot: &Arc<Snapshot>, keeps_pace: bool) {
        let is_known = self.snapshot.as_ref().is_some_and(|known| Arc::ptr_eq(known, snapshot));
        if is_known {
            self.pacer.mark_current();
        } else if self.pacer.may_compute(keeps_pace) {
            (self.snapshot, self.is_due) = (Some(snapshot.clone()), true);
        }
    }

    /// The time of the simulated snapshot in words, if a newer one is on the screen.
    pub(super) fn moment(&self) -> Option<String> {
        let snap = self.snapshot.as_ref().filter(|_| self.pacer.is_behind())?;
        Some(wording::analysed_at(snap, snap.now))
    }

    /// The run with that name.
    pub(super) fn run(&self, name: &str) -> Option<&Arc<FarmRun>> {
        self.runs.iter().find(|run| run.options.name == name)
    }

    /// The class shown.
    pub(super) fn shown_class(&self) -> Option<ClassNo> {
        self.case.as_ref()?.packing.get(self.class).copied()
    }

    /// The runs that the charts draw, with their letters.
    pub(super) fn charted_runs(&self) -> Vec<(char, &Arc<FarmRun>)> {
        let named = [("real", 'B'), ("relaxed", 'R'), ("exclusive", 'E')];
        let mut drawn: Vec<_> =
            named.iter().filter_map(|(name, letter)| Some((*letter, self.run(name)?))).collect();
        drawn.extend(self.ttl_run.as_ref().map(|run| ('T', run)));
        drawn
    }

    /// Prepares the farm at the second under the cursor for drawing.
    pub(super) fn make_grids(&mut self) {
        let grid = |run: Option<&Arc<FarmRun>>| {
            let (case, run) = (self.case.as_ref()?, run?);
            let recording = run.recording.as_ref()?;
            let ask = &run.options;
            Some(grid_at(
                &case.workload,
                &ask.policies,
                ask.options.anchor,
                &recording.assignment,
                self.cursor,
            ))
        };
        let right = self.right_run();
        let grids = grid(self.run("relaxed")).zip(grid(right));
        self.grids = grids.map(|(left, right)| FarmGrids { t: self.cursor, left, right });
    }

    /// The policy shown beside relaxed: the lifetime of the slider if it differs from exclusive.
    pub(super) fn right_run(&self) -> Option<&Arc<FarmRun>> {
        self.run("exclusive")
    }
}

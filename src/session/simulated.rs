//! A complete simulation, each cycle of which can be opened.

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_engine::cycle::Run;
use qscope_engine::universe::Quirks;
use qscope_simulate::{Checkpoints, CycleCounters, CycleObserver, Simulation, SimulationInput};

use super::ClusterSummary;

/// A complete simulation: a summary of the cluster before each cycle, and checkpoints to open every cycle.
#[derive(Debug)]
pub struct SimulationHistory {
    title: String,
    checkpoints: Checkpoints,
    pub(super) levels: Vec<ClusterSummary>,
}

/// Records a summary of the cluster before each cycle.
struct SummaryRecorder<'a> {
    levels: Vec<ClusterSummary>,
    should_continue: &'a mut dyn FnMut(Epoch, u64) -> bool,
}

impl CycleObserver for SummaryRecorder<'_> {
    fn cycle(&mut self, run: &Arc<Run>, counters: &CycleCounters) -> bool {
        let level = ClusterSummary::of(run).sharing(self.levels.last());
        self.levels.push(level);
        (self.should_continue)(run.plan.snap.now, counters.cycles)
    }
}

impl SimulationHistory {
    /// Runs a simulation to its end; `should_continue` receives the time and number of each cycle, and ends the simulation by
    /// returning false.
    pub fn run(
        title: String,
        input: SimulationInput,
        quirks: Quirks,
        should_continue: &mut dyn FnMut(Epoch, u64) -> bool,
    ) -> Self {
        let mut levels = SummaryRecorder { levels: Vec::new(), should_continue };
        let (checkpoints, _) = Checkpoints::run(Simulation::new(input, quirks), &mut levels);
        Self { title, checkpoints, levels: levels.levels }
    }

    /// Returns the summary of the cluster before each cycle that decided something, in the order of time.
    pub fn levels(&self) -> &[ClusterSummary] {
        &self.levels
    }

    /// Returns what was simulated, in words.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the cluster before a cycle, counted from 0.
    pub(super) fn snapshot(&self, nth: usize) -> Option<Snapshot> {
        let cycle = u64::try_from(nth).ok()? + 1;
        let mut snapshot = self.checkpoints.before(cycle)?.remaining().start;
        snapshot.title = self.title.as_str().into();
        Some(snapshot)
    }
}

impl PartialEq for SimulationHistory {
    /// A simulation is only equal to itself.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for SimulationHistory {}

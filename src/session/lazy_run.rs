//! The cycle on a snapshot that is kept: dropped while another snapshot is shown, and run again when needed.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use qscope_engine::cluster::Snapshot;
use qscope_engine::cycle::{CycleStart, Run};
use qscope_engine::universe::{NodeRanking, Quirks};

/// A cycle that is held, or else is run again on access, as with `LazyLock`. The same snapshot with the same rules
/// leads to the same cycle, so dropping it only costs the time to run it.
#[derive(Clone, Debug)]
pub struct LazyRun {
    run: OnceLock<Arc<Run>>,
    snapshot: Arc<Snapshot>,
    quirks: Quirks,
    ranking: Option<Arc<dyn NodeRanking>>,
}

impl LazyRun {
    /// Whether the cycle is held, so that access is cheap.
    pub fn is_held(&self) -> bool {
        self.run.get().is_some()
    }

    /// Returns it without the cycle.
    pub(super) fn without_run(&self) -> Self {
        Self { run: OnceLock::new(), ..self.clone() }
    }

    fn run_again(&self) -> Arc<Run> {
        let start = CycleStart::ranked(self.snapshot.clone(), self.quirks, self.ranking.clone());
        let run = start.run();
        // For verdicts on a screen, as when it was first run.
        let _ = run.impossible_jobs();
        Arc::new(run)
    }
}

impl From<Arc<Run>> for LazyRun {
    fn from(run: Arc<Run>) -> Self {
        let plan = &run.plan;
        let (snapshot, quirks, ranking) = (plan.snap.clone(), plan.quirks, plan.ranking.clone());
        Self { run: run.into(), snapshot, quirks, ranking }
    }
}

impl Deref for LazyRun {
    type Target = Arc<Run>;

    fn deref(&self) -> &Arc<Run> {
        self.run.get_or_init(|| self.run_again())
    }
}

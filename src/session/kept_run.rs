//! The cycle over a snapshot that is kept: given up while another snapshot is shown, and run again when it is looked at.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use qscope_engine::cluster::Snapshot;
use qscope_engine::cycle::{CycleStart, Run};
use qscope_engine::universe::{NodeRanking, Quirks};

/// A cycle that is held, or else is run once more when it is asked for, as in a `LazyLock`. The same snapshot under the
/// same rules leads to the same cycle, so nothing is lost with it but the time to run it.
#[derive(Clone, Debug)]
pub struct KeptRun {
    run: OnceLock<Arc<Run>>,
    snapshot: Arc<Snapshot>,
    quirks: Quirks,
    ranking: Option<Arc<dyn NodeRanking>>,
}

impl KeptRun {
    /// Whether asking for it costs nothing.
    pub fn is_held(&self) -> bool {
        self.run.get().is_some()
    }

    /// The same without the cycle.
    pub(super) fn given_up(&self) -> Self {
        Self { run: OnceLock::new(), ..self.clone() }
    }

    fn run_again(&self) -> Arc<Run> {
        let start = CycleStart::ranked(self.snapshot.clone(), self.quirks, self.ranking.clone());
        let run = start.run();
        // For the verdicts of a screen, as when it was run first.
        let _ = run.impossible();
        Arc::new(run)
    }
}

impl From<Arc<Run>> for KeptRun {
    fn from(run: Arc<Run>) -> Self {
        let plan = &run.plan;
        let (snapshot, quirks, ranking) = (plan.snap.clone(), plan.quirks, plan.ranking.clone());
        Self { run: run.into(), snapshot, quirks, ranking }
    }
}

impl Deref for KeptRun {
    type Target = Arc<Run>;

    fn deref(&self) -> &Arc<Run> {
        self.run.get_or_init(|| self.run_again())
    }
}

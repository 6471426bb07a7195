//! Observation of a running simulation.

use crate::result::{Counters, CycleResult};
use qscope_engine::cycle::Run;

/// Observes every cycle, and can end the simulation.
pub trait Watch {
    /// Called when a cycle has decided, before the server applies it. False ends the simulation here.
    fn cycle(&mut self, run: &Run, counters: &Counters) -> bool {
        let _ = (run, counters);
        true
    }

    /// Whether it reads the used resources of running jobs; if not, they are updated only when a cycle reads them.
    fn reads_usage(&self) -> bool {
        true
    }

    /// Called when the server has started or resumed jobs. False ends the simulation here.
    fn started(&mut self, run: &CycleResult) -> bool {
        let _ = run;
        true
    }
}

/// Observes nothing.
impl Watch for () {
    fn reads_usage(&self) -> bool {
        false
    }
}

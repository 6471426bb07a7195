//! What looks on while a simulation runs, and may end it.

use crate::result::{Counters, CycleResult};
use qscope_engine::cycle::Run;

/// Gets to see every cycle, and may end the simulation.
pub trait Watch {
    /// A cycle has decided, and the server has not done anything of it yet. False ends the simulation here.
    fn cycle(&mut self, run: &Run, counters: &Counters) -> bool {
        let _ = (run, counters);
        true
    }

    /// Whether it reads what running jobs have used; else that is only brought up to date where a cycle reads it.
    fn reads_usage(&self) -> bool {
        true
    }

    /// The server has started jobs, or resumed them. False ends the simulation here.
    fn started(&mut self, run: &CycleResult) -> bool {
        let _ = run;
        true
    }
}

/// Lets everything pass.
impl Watch for () {
    fn reads_usage(&self) -> bool {
        false
    }
}

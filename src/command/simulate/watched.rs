//! A simulation that shows its progress; Ctrl-C ends it with the results so far.

use qscope_engine::cluster::Epoch;
use qscope_engine::cycle::Run;
use qscope_simulate::{Counters, Input, Watch};

use super::cycles::Cycles;
use crate::command::meter::Meter;

/// Keeps what cycles decide, and shows how far the clock is.
pub(super) struct Watched<'a> {
    pub(super) cycles: &'a mut Cycles,
    meter: &'a Meter,
    from: Epoch,
    last: Epoch,
}

impl<'a> Watched<'a> {
    /// Measures progress from the start to the last arrival.
    pub(super) fn new(input: &Input, cycles: &'a mut Cycles, meter: &'a Meter) -> Self {
        let from = input.start.now;
        Self { cycles, meter, from, last: input.arrivals.last().unwrap_or(from).max(from) }
    }
}

impl Watch for Watched<'_> {
    fn reads_usage(&self) -> bool {
        false
    }

    fn cycle(&mut self, run: &Run, counters: &Counters) -> bool {
        let passed = (run.plan.snap.now - self.from).0 as f64;
        let all = (self.last - self.from).0.max(1) as f64;
        self.meter.show(passed / all, counters.cycles, "cycles");
        self.cycles.cycle(run, counters) && self.meter.goes_on()
    }
}

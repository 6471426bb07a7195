//! States of a simulation at some of its cycles, from which every other one is reached in a short run.

use crate::{Simulated, Simulation, Stop, Watch};

/// States of a whole simulation, evenly spread over its cycles.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// By how many cycles that decide something had been run.
    kept: Vec<(u64, Simulation)>,
}

/// So many jobs and vnodes are kept in all states together, as far as a few states allow.
const BUDGET: usize = 1_000_000;

/// Fewer states than this would make the way to a cycle long; more would not make it shorter by much.
const FEWEST: usize = 4;
const MOST: usize = 32;

impl Checkpoints {
    /// Runs a simulation to its end, and keeps states on the way.
    pub fn run(mut simulation: Simulation, watch: &mut dyn Watch) -> (Self, Simulated) {
        let weight = simulation.server.snap.jobs.len() + simulation.server.arrivals.len();
        let weight = weight + simulation.server.snap.nodes.len();
        let most = (BUDGET / weight.max(1)).clamp(FEWEST, MOST);
        let (mut kept, mut apart) = (vec![(0, simulation.state())], 1);
        while simulation.run_on(simulation.counters.cycles + apart, watch) {
            if kept.len() >= most {
                kept = kept.into_iter().step_by(2).collect();
                apart *= 2;
            }
            kept.push((simulation.counters.cycles, simulation.state()));
        }
        (Self { kept }, simulation.finish())
    }

    /// The simulation before a cycle, counted from 1; none where it has fewer cycles.
    pub fn before(&self, cycle: u64) -> Option<Simulation> {
        let (_, state) = self.kept.iter().rev().find(|(done, _)| *done < cycle)?;
        let mut simulation = state.clone();
        simulation.run_to(Stop::Cycle(cycle), &mut ()).then_some(simulation)
    }
}

impl Simulation {
    /// Runs until so many cycles have decided something; false when it is over before, or the watcher ended it.
    fn run_on(&mut self, cycles: u64, watch: &mut dyn Watch) -> bool {
        while self.counters.cycles < cycles {
            let Some(at) = self.next_moment() else { return false };
            if !self.go_to(at, watch) {
                self.is_cut = true;
                return false;
            }
        }
        true
    }

    /// The same without what was measured on the way, which what comes does not depend on.
    fn state(&self) -> Self {
        let mut state = self.clone();
        state.runs.clear();
        state.series.samples.clear();
        state.universe = None;
        state
    }
}

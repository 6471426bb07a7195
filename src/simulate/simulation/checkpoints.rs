//! States of a simulation at some of its cycles, from which any other cycle is reached by a short run.

use crate::{CycleObserver, Simulation, SimulationResult, StopPoint};

/// States of a whole simulation, evenly spaced over its cycles.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// States by the number of deciding cycles run before.
    states: Vec<(u64, Simulation)>,
}

/// Target for the total number of jobs and vnodes in all states together.
const BUDGET: usize = 1_000_000;

/// Limits on the number of states: with fewer, reaching a cycle would take long; more would hardly make it shorter.
const FEWEST: usize = 4;
const MOST: usize = 32;

impl Checkpoints {
    /// Runs a simulation to its end, and keeps states on the way.
    pub fn run(mut simulation: Simulation, watch: &mut dyn CycleObserver) -> (Self, SimulationResult) {
        let weight = simulation.server.snap.jobs.len() + simulation.server.arrivals.len();
        let weight = weight + simulation.server.snap.nodes.len();
        let most = (BUDGET / weight.max(1)).clamp(FEWEST, MOST);
        let (mut states, mut apart) = (vec![(0, simulation.state())], 1);
        while simulation.run_on(simulation.counters.cycles + apart, watch) {
            if states.len() >= most {
                states = states.into_iter().step_by(2).collect();
                apart *= 2;
            }
            states.push((simulation.counters.cycles, simulation.state()));
        }
        (Self { states }, simulation.finish())
    }

    /// Returns the simulation before a cycle, counted from 1; `None` if it has fewer cycles.
    pub fn before(&self, cycle: u64) -> Option<Simulation> {
        let (_, state) = self.states.iter().rev().find(|(done, _)| *done < cycle)?;
        let mut simulation = state.clone();
        simulation.run_to(StopPoint::Cycle(cycle), &mut ()).then_some(simulation)
    }
}

impl Simulation {
    /// Runs until `cycles` cycles have decided something; false if it ends before, or the watcher ends it.
    fn run_on(&mut self, cycles: u64, watch: &mut dyn CycleObserver) -> bool {
        while self.counters.cycles < cycles {
            let Some(at) = self.next_moment() else { return false };
            if !self.go_to(at, watch) {
                self.is_cut = true;
                return false;
            }
        }
        true
    }

    /// Returns a copy without the measurements so far, on which the further course does not depend.
    fn state(&self) -> Self {
        let mut state = self.clone();
        state.runs.clear();
        state.series.samples.clear();
        state.universe = None;
        state.waits = None;
        state.has_load_detail = false;
        state
    }
}

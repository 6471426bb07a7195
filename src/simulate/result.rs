//! The result of a simulation: a row for every job, a row for every cycle that started something, counters and time
//! series (days rule 11).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name};

use super::{JobResult, LoadSeries, Measures, ScalingResult, WaitedForReason};

/// A cycle that started something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleResult {
    /// Time of the cycle.
    pub at: Epoch,
    /// Number of jobs considered; an array and each of its subjobs that started count individually.
    pub considered: usize,
    /// Jobs started or resumed, in order.
    pub started: Vec<Name>,
}

/// Counts of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CycleCounters {
    /// Number of cycles with something to decide.
    pub cycles: u64,
    /// Number of cycles with nothing to decide.
    pub empty_cycles: u64,
    /// Number of starts that the server refused.
    pub refused: u64,
}

/// A finished simulation.
#[derive(Clone, Debug)]
pub struct SimulationResult {
    /// Time of its start.
    pub from: Epoch,
    /// Time of its last event or cycle.
    pub to: Epoch,
    pub counters: CycleCounters,
    /// All jobs in order of arrival.
    pub jobs: Vec<JobResult>,
    /// All cycles that started something.
    pub runs: Vec<CycleResult>,
    /// Fair share usage at the end by leaf, and the time of the last decay; `None` if fair share is not used.
    pub usage: Option<(BTreeMap<Name, f64>, Epoch)>,
    /// Busy cores and waiting jobs over time.
    pub series: LoadSeries,
    pub measures: Measures,
    /// Core-seconds waited by reason, the largest first, over the whole simulation and all jobs; `None` if they were
    /// not requested.
    pub waited: Option<Vec<WaitedForReason>>,
    /// Features of the input that are not modelled, and problems found in it.
    pub warnings: Vec<String>,
    /// Whether it was ended from outside before its end.
    pub is_cut: bool,
    /// Result of ordering vnodes, by kind; empty without scaling.
    pub scaled: Vec<ScalingResult>,
}

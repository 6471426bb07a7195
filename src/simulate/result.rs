//! What a simulation gives back: a row for every job, a row for every cycle that started something, counters, series
//! (days rule 11).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name};

use super::{JobResult, Measures, Scaled, Series};

/// A cycle that started something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CycleResult {
    /// When.
    pub at: Epoch,
    /// How many jobs it considered: an array and each of its subjobs that started count one by one.
    pub considered: usize,
    /// The jobs that it started or resumed, in order.
    pub started: Vec<Name>,
}

/// How often what happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Cycles with something to decide.
    pub cycles: u64,
    /// Cycles with nothing to decide.
    pub empty_cycles: u64,
    /// Starts that the server refused.
    pub refused: u64,
}

/// A finished simulation.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// Its first second.
    pub from: Epoch,
    /// The second of its last event or cycle.
    pub to: Epoch,
    /// How often what happened.
    pub counters: Counters,
    /// Every job, in order of arrival.
    pub jobs: Vec<JobResult>,
    /// Every cycle that started something.
    pub runs: Vec<CycleResult>,
    /// Fair share usage at the end by leaf, and when it was last decayed; where fair share is in use.
    pub usage: Option<(BTreeMap<Name, f64>, Epoch)>,
    /// How many cores were busy and how many jobs waited, over time.
    pub series: Series,
    /// The figures.
    pub measures: Measures,
    /// What the simulation does not model and the input has, and what was odd in it.
    pub warnings: Vec<String>,
    /// Whether it was ended from outside before its end.
    pub is_cut: bool,
    /// What ordering vnodes came to, kind by kind; empty where none were.
    pub scaled: Vec<Scaled>,
}

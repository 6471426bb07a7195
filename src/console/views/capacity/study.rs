//! The questions about capacity, and the workers' answers.

use std::sync::Arc;

use crate::task::{Computation, TaskProgress};
use qscope_engine::cluster::{Snapshot, number_of};
use qscope_planning::capacity::sweep::{self, SweepPoint};
use qscope_planning::capacity::{
    CapacityQuestion, CapacityReport, DrainedNode, EstimateOptions, Fidelity, LoopOutcome, ServiceCheck,
};

/// What the user can change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Controls {
    /// Target time in seconds: every job begins within it.
    pub target: f64,
    /// Inertia, from 0.0 to 0.9.
    pub beta: f64,
    /// Whether to keep what runs instead of starting from scratch.
    pub on_top: bool,
    /// Whether to reproduce the defects of the original.
    pub compat: bool,
}

impl Default for Controls {
    fn default() -> Self {
        let EstimateOptions { target, beta, .. } = EstimateOptions::default();
        Self { target, beta, on_top: false, compat: false }
    }
}

/// Target times to step through, in seconds.
const STEPS: [f64; 16] = [
    1.0, 60.0, 300.0, 600.0, 900.0, 1800.0, 2700.0, 3600.0, 5400.0, 7200.0, 10_800.0, 14_400.0, 21_600.0,
    28_800.0, 43_200.0, 86_400.0,
];

impl Controls {
    /// Steps to the next longer or shorter target time.
    pub(super) fn with_target(self, step: i32) -> Self {
        let longer = STEPS.iter().find(|step| **step > self.target);
        let shorter = STEPS.iter().rev().find(|step| **step < self.target);
        let found = if step > 0 { longer } else { shorter };
        Self { target: found.copied().unwrap_or(self.target), ..self }
    }

    /// Changes the inertia by `by`, rounded to tenths.
    pub(super) fn with_beta(self, by: f64) -> Self {
        Self { beta: ((self.beta + by) * 10.0).round().clamp(0.0, 9.0) / 10.0, ..self }
    }

    fn question(self) -> CapacityQuestion {
        let fidelity = if self.compat { Fidelity::Compat } else { Fidelity::Corrected };
        let options =
            EstimateOptions { fidelity, target: self.target, beta: self.beta, ..EstimateOptions::default() };
        CapacityQuestion { options, on_top: self.on_top, ..CapacityQuestion::default() }
    }
}

/// One row of the timeline: a node and its seats.
#[derive(Debug, Clone, Copy)]
pub(super) struct StudyNodeRow {
    /// Index of its type.
    pub kind: usize,
    /// Its number within its type.
    pub node: u32,
    /// Start and end of its range in the list of seats.
    pub seats: (usize, usize),
}

/// The answer that is available at once.
#[derive(Debug)]
pub(super) struct QuickAnswer {
    /// The whole report.
    pub report: CapacityReport,
    /// Whether services can deadlock.
    pub services: ServiceCheck,
    /// The nodes that would be drained next.
    pub victims: Vec<DrainedNode>,
    /// The rows of the timeline.
    pub rows: Vec<StudyNodeRow>,
    /// The seats, in the order of the rows.
    pub seats: Vec<qscope_planning::capacity::ChunkPlacement>,
}

/// The part that takes longer.
#[derive(Debug)]
pub(super) struct SlowAnswer {
    /// The answer at other target times.
    pub sweep: Vec<SweepPoint>,
    /// The simulation of the scaler, or why there is none.
    pub scaler: Result<LoopOutcome, String>,
    /// The simulation with other intervals between cycles, in seconds.
    pub intervals: Vec<(f64, LoopOutcome)>,
}

/// Makes the task of the quick answer.
pub(super) fn quick(snap: Arc<Snapshot>, controls: Controls) -> Computation<Result<QuickAnswer, String>> {
    Computation::new("capacity", move |_| {
        let report = match CapacityReport::new(snap.clone(), &controls.question()) {
            Ok(report) => report,
            Err(error) => return Some(Err(error.to_string())),
        };
        let mut seats = report.answer.placements.clone();
        seats.sort_by(|a, b| {
            (a.type_index, a.node).cmp(&(b.type_index, b.node)).then(a.begin.total_cmp(&b.begin))
        });
        let rows = rows(&report, &seats);
        let (services, victims) = (report.services(), report.victims(MAX_VICTIMS));
        Some(Ok(QuickAnswer { report, services, victims, rows, seats }))
    })
}

/// Maximum number of nodes to be drained that are named.
const MAX_VICTIMS: usize = 20;

/// Makes one row for each node with a job to come or a running one.
fn rows(report: &CapacityReport, seats: &[qscope_planning::capacity::ChunkPlacement]) -> Vec<StudyNodeRow> {
    let mut rows: Vec<StudyNodeRow> = Vec::new();
    for (ix, seat) in seats.iter().enumerate() {
        match rows.last_mut() {
            Some(row) if (row.kind, row.node) == (seat.type_index, seat.node) => row.seats.1 = ix + 1,
            _ => rows.push(StudyNodeRow { kind: seat.type_index, node: seat.node, seats: (ix, ix + 1) }),
        }
    }
    let known: std::collections::BTreeSet<(usize, u32)> =
        rows.iter().map(|row| (row.kind, row.node)).collect();
    for kind in 0..report.case.stocks.len() {
        for (number, (_, slices)) in report.case.existing_of(kind).enumerate() {
            let node = number_of(number);
            if slices.len() > 1 && !known.contains(&(kind, node)) {
                rows.push(StudyNodeRow { kind, node, seats: (0, 0) });
            }
        }
    }
    rows.sort_by_key(|row| (row.kind, row.node));
    rows
}

/// Seconds from the launch of a node until it accepts jobs.
const BOOT: f64 = 120.0;
/// Seconds between cycles.
const INTERVAL: f64 = 60.0;

/// Makes the task of the slow part: the sweep, then the simulated scaler.
pub(super) fn slow(snap: Arc<Snapshot>, controls: Controls) -> Computation<SlowAnswer> {
    Computation::new("the sweep of capacity", move |progress| {
        let question = controls.question();
        let parts = (sweep::TARGETS.len() + 1 + sweep::INTERVALS.len()) as u64;
        let mut points = Vec::new();
        for (ix, target) in sweep::TARGETS.iter().enumerate() {
            if !progress.at(ix as u64, parts) {
                return None;
            }
            points.extend(sweep::point(&snap, &question, *target, BOOT));
        }
        let done = points.len() as u64;
        let scaler = simulate(&snap, &question, INTERVAL, progress);
        let mut intervals = Vec::new();
        if scaler.is_ok() {
            for (ix, interval) in sweep::INTERVALS.iter().enumerate() {
                if !progress.at(done + 1 + ix as u64, parts) {
                    return None;
                }
                intervals.extend(
                    simulate(&snap, &question, *interval, progress).map(|outcome| (*interval, outcome)),
                );
            }
        }
        (!progress.is_cancelled()).then_some(SlowAnswer { sweep: points, scaler, intervals })
    })
}

fn simulate(
    snap: &Snapshot,
    question: &CapacityQuestion,
    interval: f64,
    progress: &TaskProgress<'_>,
) -> Result<LoopOutcome, String> {
    let case =
        qscope_planning::capacity::CapacityCase::new(snap, question).map_err(|error| error.to_string())?;
    let scenario = sweep::scenario(snap, &case, interval, BOOT)
        .ok_or_else(|| format!("more than {} chunks are too many to simulate", sweep::MAX_SIMULATED))?;
    sweep::run(&scenario, &|| progress.is_cancelled()).map_err(|error| error.to_string())
}

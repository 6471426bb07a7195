//! What a worker computes for the view: the case with its runs, one more lifetime, the sweep over lifetimes.

use std::sync::Arc;

use crate::task::TaskProgress;
use qscope_engine::cluster::Snapshot;
use qscope_planning::farm::run::run_real;
use qscope_planning::farm::{
    CaseInput, FarmCase, FarmError, FarmOptions, FarmPolicy, FarmRun, FarmRunOptions, run,
};

/// A case and its first runs.
#[derive(Debug)]
pub(super) struct OpenedCase {
    pub case: Arc<FarmCase>,
    /// What really ran, if the files contain it; then relaxed, exclusive and spread.
    pub runs: Vec<Arc<FarmRun>>,
}

/// The lifetimes of the sweep, in seconds; the last is unlimited.
pub(super) const SWEEP: [i64; 6] = [0, 300, 3600, 21_600, 86_400, i64::MAX];

/// One point of the sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LifetimePoint {
    pub ttl: i64,
    /// Cost compared with relaxed, in slots.
    pub cost: f64,
    /// The packing index of all classes that pack.
    pub index: f64,
}

/// The policy of a lifetime, in seconds.
pub(super) fn lifetime(ttl: i64) -> FarmPolicy {
    if ttl == i64::MAX { FarmPolicy::Exclusive } else { FarmPolicy::Ttl(ttl) }
}

/// Takes the case from a snapshot, or reads it from the files, and runs the policies that are always shown.
pub(super) fn open(
    snapshot: Option<&Snapshot>,
    input: &CaseInput,
    progress: &TaskProgress<'_>,
) -> Result<OpenedCase, FarmError> {
    let case = match snapshot {
        Some(snapshot) => FarmCase::of_snapshot(snapshot, input)?,
        None => FarmCase::open(input, &mut |read, total| progress.at(read, total.saturating_mul(2)))?,
    };
    let mut runs = Vec::new();
    let going = || !progress.is_cancelled();
    if let Some(history) = &case.history {
        let kept = Some(case.packing.clone());
        runs.push(Arc::new(run_real(history, &case.workload, case.window, kept, going)?));
    }
    for policy in [FarmPolicy::Relaxed, FarmPolicy::Exclusive, FarmPolicy::Spread] {
        progress.at(runs.len() as u64 + 4, 8);
        runs.push(Arc::new(run_policy(&case, policy, input.options, progress)?));
    }
    Ok(OpenedCase { case: Arc::new(case), runs })
}

/// Runs one more policy, recording job table and series.
pub(super) fn run_policy(
    case: &FarmCase,
    policy: FarmPolicy,
    options: FarmOptions,
    progress: &TaskProgress<'_>,
) -> Result<FarmRun, FarmError> {
    let mut ask = FarmRunOptions::with_one_policy(&case.workload, &case.packing, policy)
        .keep_series(case.packing.clone());
    (ask.window, ask.options) = (case.window, options);
    run(&case.workload, &case.arrivals, ask, || !progress.is_cancelled())
}

/// Cost and index for each lifetime; nothing is recorded.
pub(super) fn sweep(
    case: &FarmCase,
    options: FarmOptions,
    progress: &TaskProgress<'_>,
) -> Result<Vec<LifetimePoint>, FarmError> {
    let mut points = Vec::new();
    let mut relaxed = None;
    for (at, ttl) in SWEEP.into_iter().enumerate() {
        progress.at(at as u64, SWEEP.len() as u64);
        let mut ask = FarmRunOptions::with_one_policy(&case.workload, &case.packing, lifetime(ttl));
        (ask.window, ask.options) = (case.window, options);
        let summary = run(&case.workload, &case.arrivals, ask, || !progress.is_cancelled())?.summary;
        let relaxed = relaxed.get_or_insert_with(|| summary.clone());
        points.push(LifetimePoint {
            ttl,
            cost: summary.cost_against(relaxed).unwrap_or(0.0),
            index: summary.index_of_all(&case.packing).unwrap_or(0.0),
        });
    }
    Ok(points)
}

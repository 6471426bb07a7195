//! The distribution of a job's start: many runs over the same queue, each with run times, and optionally arrivals,
//! drawn from the past (days rules 14, 15).
//!
//! A run depends only on the seed and its number, so the result does not depend on the number of threads.

pub mod back_test;
pub mod calibration;

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, JobState, Name, array_id};
use qscope_engine::cycle::Run;
use qscope_engine::universe::Quirks;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Serialize, Serializer};

pub use crate::replications::ReplicationCallback;

use super::{CycleCounters, CycleObserver, CycleResult, Simulation, SimulationInput};
use crate::replications::{ReplicationProgress, run_all};
use crate::resample::PastDays;
use crate::runtimes::{RuntimeDraw, RuntimeModel, RuntimeRatios};

/// What to draw from, and the number of runs.
#[derive(Clone, Copy, Debug)]
pub struct SamplingOptions<'a> {
    /// Ratios of run time to walltime of finished jobs.
    pub ratios: &'a RuntimeRatios,
    /// Days to draw arrivals from, and the number of days to draw; without them only the arrivals of the input occur.
    pub days: Option<(&'a PastDays<'a>, u32)>,
    pub seed: u64,
    pub runs: u32,
    /// Number of threads.
    pub threads: usize,
    /// Behaviour of the scheduler.
    pub quirks: Quirks,
}

impl SamplingOptions<'_> {
    /// Whether anything is drawn; if not, all runs are equal.
    pub fn draws(&self) -> bool {
        !self.ratios.is_empty() || self.days.is_some()
    }

    /// Returns the number of runs made: one if nothing is drawn.
    pub fn distinct_runs(&self) -> u32 {
        if self.draws() { self.runs } else { 1 }
    }
}

/// Starts of some jobs over many runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SampledStarts {
    /// By requested job, the start in each finished run; `None` if it did not start in that run.
    pub starts: Vec<Vec<Option<Epoch>>>,
    /// Number of finished runs.
    pub runs: usize,
}

/// Simulates when jobs of an input start. For an array that the first cycle starts in part, the start of the rest
/// counts. Runs that are unfinished when `go_on` returns false are left out.
pub fn starts(
    input: &SimulationInput,
    jobs: &[Name],
    sampling: &SamplingOptions<'_>,
    go_on: ReplicationCallback<'_>,
) -> SampledStarts {
    counted_starts(input, jobs, sampling, &ReplicationProgress::new(go_on), ArrayStart::FirstRemaining)
}

/// Which subjob counts as the start of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ArrayStart {
    /// The first one, as in the records of the past.
    FirstSubjob,
    /// The first one that the first cycle leaves waiting.
    FirstRemaining,
}

fn counted_starts(
    input: &SimulationInput,
    jobs: &[Name],
    sampling: &SamplingOptions<'_>,
    progress: &ReplicationProgress<'_>,
    arrays: ArrayStart,
) -> SampledStarts {
    let runs = sampling.distinct_runs();
    let found = run_all(u64::from(runs), sampling.threads, progress, |replication| {
        let mut seen = StartRecorder::new(jobs, progress, arrays);
        let _ = Simulation::new(sampled_input(input, sampling, replication), sampling.quirks).run(&mut seen);
        (!seen.is_ended).then_some(seen.starts)
    });
    let start_of = |starts: &Vec<Option<Epoch>>, at| starts.get(at).copied().flatten();
    let starts_of = |at: usize| found.iter().map(|starts| start_of(starts, at)).collect();
    SampledStarts { starts: (0..jobs.len()).map(starts_of).collect(), runs: found.len() }
}

/// Returns the input of one run.
fn sampled_input(
    input: &SimulationInput,
    sampling: &SamplingOptions<'_>,
    replication: u64,
) -> SimulationInput {
    let draw = RuntimeDraw {
        ratios: sampling.ratios,
        times: RuntimeModel::History,
        seed: sampling.seed,
        replication,
    };
    let Some((days, ahead)) = sampling.days else { return draw.of(input) };
    let mut more = input.clone();
    let from = input.start.now;
    more.arrivals.jobs.extend(days.draw_arrivals(from, ahead, sampling.seed, replication));
    draw.of(&more)
}

/// Records the starts of some jobs, and ends the run at the last of them.
struct StartRecorder<'a> {
    index: FxHashMap<Name, usize>,
    starts: Vec<Option<Epoch>>,
    left: usize,
    progress: &'a ReplicationProgress<'a>,
    is_ended: bool,
    arrays: ArrayStart,
    /// Time of the first cycle, and the arrays that it starts in part.
    begun: Option<(Epoch, FxHashSet<Name>)>,
}

impl<'a> StartRecorder<'a> {
    fn new(jobs: &[Name], progress: &'a ReplicationProgress<'a>, arrays: ArrayStart) -> Self {
        let index: FxHashMap<Name, usize> =
            jobs.iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        let left = index.len();
        Self { index, starts: vec![None; jobs.len()], left, progress, is_ended: false, arrays, begun: None }
    }

    /// Whether a start is in the first cycle and that cycle leaves other subjobs of the array waiting.
    fn leaves_waiting(&self, array: &str, at: Epoch) -> bool {
        self.arrays == ArrayStart::FirstRemaining
            && self.begun.as_ref().is_some_and(|(first, in_part)| *first == at && in_part.contains(array))
    }
}

impl CycleObserver for StartRecorder<'_> {
    fn reads_usage(&self) -> bool {
        false
    }

    fn cycle(&mut self, run: &Arc<Run>, _counters: &CycleCounters) -> bool {
        let of_first = || (run.plan.snap.now, started_in_part(run));
        self.begun.get_or_insert_with(of_first);
        self.is_ended = !self.progress.should_continue();
        !self.is_ended
    }

    fn started(&mut self, run: &CycleResult) -> bool {
        for name in &run.started {
            // An array starts with its first subjob.
            let of_array = || self.index.get(&*array_id(name)?.0);
            let own = self.index.get(name);
            let is_left =
                own.is_none() && array_id(name).is_some_and(|(id, _)| self.leaves_waiting(&id, run.at));
            let Some(at) = own.or_else(of_array).copied().filter(|_| !is_left) else { continue };
            if let Some(start @ None) = self.starts.get_mut(at) {
                *start = Some(run.at);
                self.left -= 1;
            }
        }
        self.left > 0
    }
}

/// Returns the arrays of which a cycle starts some subjobs but not all.
fn started_in_part(run: &Run) -> FxHashSet<Name> {
    let jobs = run.plan.snap.jobs.enumerate();
    let in_part = jobs.filter(|(id, job)| {
        let started = run.end_at_server().ledger.started.checked(*id).map_or(0, |started| *started as usize);
        let left = job.array.as_ref().map_or(0, |array| array.remaining.len());
        job.is_array() && started > 0 && started < left
    });
    in_part.map(|(_, job)| job.name.clone()).collect()
}

/// Returns the jobs of an input that wait for nodes: queued, or arrays that have not begun.
pub fn waiting(input: &SimulationInput) -> Vec<Name> {
    let jobs = input.start.jobs.iter();
    let waits = jobs.filter(|job| job.state == JobState::Queued && job.previous_placement().is_none());
    waits.map(|job| job.name.clone()).collect()
}

/// Summary of the starts of one job over many runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StartDistribution {
    pub runs: usize,
    pub started: usize,
    /// 10th percentile of the start over all runs; `None` if it started in fewer of them.
    pub p10: Option<Epoch>,
    /// 50th percentile.
    pub p50: Option<Epoch>,
    /// 90th percentile.
    pub p90: Option<Epoch>,
    /// Share of the runs in which it started within each of [`SPANS`].
    pub within: Vec<StartedWithin>,
}

/// Share of the runs in which it started within a number of seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct StartedWithin {
    pub seconds: i64,
    #[serde(flatten)]
    pub share: EstimatedShare,
}

/// A share with its 95 % confidence interval (Wilson); JSON has six decimal places.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EstimatedShare {
    #[serde(serialize_with = "six_places")]
    pub share: f64,
    #[serde(serialize_with = "six_places")]
    pub low: f64,
    #[serde(serialize_with = "six_places")]
    pub high: f64,
}

fn six_places<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((value * 1e6).round() / 1e6)
}

/// Durations for which the share of runs is reported, in seconds: 1, 4 and 24 hours.
pub const SPANS: [i64; 3] = [3600, 4 * 3600, 24 * 3600];

impl StartDistribution {
    /// Summarises the starts over all runs.
    pub fn of(starts: &[Option<Epoch>], now: Epoch) -> Self {
        let mut sorted: Vec<Epoch> = starts.iter().flatten().copied().collect();
        sorted.sort_unstable();
        let decile = |part: usize| {
            let position = (starts.len() * part).div_ceil(10).max(1);
            sorted.get(position - 1).copied()
        };
        let within = |span: i64| {
            let count = sorted.iter().filter(|start| (**start - now).0 <= span).count();
            StartedWithin { seconds: span, share: EstimatedShare::of(count, starts.len()) }
        };
        Self {
            runs: starts.len(),
            started: sorted.len(),
            p10: decile(1),
            p50: decile(5),
            p90: decile(9),
            within: SPANS.into_iter().map(within).collect(),
        }
    }

    /// Whether a start is in the interval from the 10th to the 90th percentile; an unreached bound is open.
    pub fn holds(&self, start: Option<Epoch>) -> bool {
        let Some(start) = start else { return self.p90.is_none() };
        self.p10.is_some_and(|p10| start >= p10) && self.p90.is_none_or(|p90| start <= p90)
    }
}

impl EstimatedShare {
    /// Computes the share of `count` in `all`.
    pub fn of(count: usize, all: usize) -> Self {
        const Z: f64 = 1.959_963_984_540_054;
        let n = all as f64;
        if all == 0 {
            return Self { share: 0.0, low: 0.0, high: 1.0 };
        }
        let share = count as f64 / n;
        let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        Self { share, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_count_runs_without_a_start_as_later_than_all() {
        let starts: Vec<Option<Epoch>> =
            (1..=8).map(|at| Some(Epoch(at * 3600))).chain([None, None]).collect();
        let found = StartDistribution::of(&starts, Epoch(0));
        assert_eq!((found.p10, found.p50, found.p90), (Some(Epoch(3600)), Some(Epoch(5 * 3600)), None));
        assert_eq!((found.runs, found.started), (10, 8));
        assert!(found.holds(Some(Epoch(99 * 3600))) && found.holds(None) && !found.holds(Some(Epoch(3599))));
        let share = found.within[1].share;
        assert_eq!(share.share, 0.4);
        assert!((share.low - 0.168_180).abs() < 1e-5 && (share.high - 0.687_326).abs() < 1e-5);
    }
}

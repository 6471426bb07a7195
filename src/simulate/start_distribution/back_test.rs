//! Accuracy of predicted starts: simulates the past, stops at several times, predicts the starts of waiting jobs, and
//! compares with their later starts.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name, Seconds};
use rustc_hash::FxHashMap;

use super::{ArrayStart, ReplicationCallback, SamplingOptions, StartDistribution, counted_starts, waiting};
use crate::confidence::CancelObserver;
use crate::replications::ReplicationProgress;
use crate::resample::{PastDays, rank};
use crate::runtimes::RuntimeRatios;
use crate::{Arrival, JobEnd, JobResult, Simulation, SimulationInput, StopPoint};

/// How much of the past is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackTestOptions {
    /// Number of times, evenly spaced over the arrivals after their first fifth.
    pub moments: u32,
    /// Maximum number of waiting jobs at each time.
    pub jobs: usize,
    /// Number of days of arrivals to draw at each time; 0 for none.
    pub days: u32,
}

/// Counts of predictions by outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PredictionCounts {
    /// Number of predictions.
    pub all: usize,
    /// Number of starts inside the interval from the 10th to the 90th percentile.
    pub inside: usize,
    /// Number of earlier starts.
    pub earlier: usize,
}

/// One prediction and its outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct TestedPrediction {
    pub job: Name,
    pub queue: Name,
    /// Time of the prediction.
    pub at: Epoch,
    pub distribution: StartDistribution,
    /// When the job started.
    pub start: Option<Epoch>,
}

/// The predictions about a past and their outcomes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BackTest {
    /// All predictions, in the order of their times.
    pub statements: Vec<TestedPrediction>,
    /// Counts of all predictions.
    pub all: PredictionCounts,
    pub queues: BTreeMap<Name, PredictionCounts>,
    /// Number of times at which waiting jobs were tested.
    pub moments: u32,
    /// Whether it was ended before the last time.
    pub is_cut: bool,
}

impl std::ops::Add for PredictionCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            inside: self.inside + other.inside,
            earlier: self.earlier + other.earlier,
        }
    }
}

impl PredictionCounts {
    /// Returns the number of jobs that started later or not at all.
    pub fn later(&self) -> usize {
        self.all - self.inside - self.earlier
    }

    fn count(&mut self, distribution: &StartDistribution, start: Option<Epoch>) {
        self.all += 1;
        if distribution.holds(start) {
            self.inside += 1;
        } else if start.is_some_and(|start| distribution.p10.is_none_or(|p10| start < p10)) {
            self.earlier += 1;
        }
    }
}

/// Tests predictions on a past. `input` is a server at the beginning of that past with all its arrivals and run
/// times.
pub fn back_test(
    input: &SimulationInput,
    options: &BackTestOptions,
    sampling: &SamplingOptions<'_>,
    go_on: ReplicationCallback<'_>,
) -> BackTest {
    let progress = ReplicationProgress::new(go_on);
    let whole = Simulation::new(input.clone(), sampling.quirks).run(&mut CancelObserver(&progress));
    if whole.is_cut {
        return BackTest { is_cut: true, ..BackTest::default() };
    }
    let truth: FxHashMap<&str, &JobResult> = whole.jobs.iter().map(|job| (&*job.name, job)).collect();
    let mut found = BackTest::default();
    let mut going = Simulation::new(input.clone(), sampling.quirks);
    let mut last = None;
    for moment in moments(input, options.moments) {
        if !progress.should_continue() {
            found.is_cut = true;
            break;
        }
        if !going.run_to(StopPoint::At(moment), &mut ()) {
            break;
        }
        // Without events in between, several times lead to the same cycle.
        if last == Some(going.now()) {
            going = going.resumed();
            continue;
        }
        last = Some(going.now());
        let rest = KnownPast::of(&going, input);
        let asked = rest.sample_waiting(options.jobs, sampling.seed);
        if asked.is_empty() {
            going = going.resumed();
            continue;
        }
        let days = PastDays::of(&rest.arrived, &input.start.time_zone());
        let sampling = SamplingOptions {
            ratios: &RuntimeRatios::of(&rest.finished),
            days: (options.days > 0).then_some((&days, options.days)),
            ..*sampling
        };
        let seen = counted_starts(&rest.input, &asked, &sampling, &progress, ArrayStart::FirstSubjob);
        if seen.runs < sampling.runs as usize {
            found.is_cut = true;
            break;
        }
        for (name, starts) in asked.iter().zip(&seen.starts) {
            let Some(job) = truth.get(&**name) else { continue };
            let at = rest.input.start.now;
            let distribution = StartDistribution::of(starts, at);
            found.all.count(&distribution, job.start);
            found.queues.entry(job.queue.clone()).or_default().count(&distribution, job.start);
            let (job, queue, start) = (name.clone(), job.queue.clone(), job.start);
            found.statements.push(TestedPrediction { job, queue, at, distribution, start });
        }
        found.moments += 1;
        going = going.resumed();
    }
    found
}

/// Returns times evenly spaced over the arrivals, without their first fifth, which offers little to draw from.
fn moments(input: &SimulationInput, count: u32) -> Vec<Epoch> {
    let from = input.start.now;
    let span = (input.arrivals.last().unwrap_or(from) - from).0.max(0);
    let moment =
        |nth: u32| from + Seconds(span / 5 + span * 4 / 5 * i64::from(nth) / i64::from(count.max(1)));
    (0..count).map(moment).collect()
}

/// What is known at one time of a past.
struct KnownPast {
    input: SimulationInput,
    /// Jobs that arrived before.
    arrived: Vec<Arrival>,
    /// Jobs that ended before, with their run times.
    finished: Vec<Arrival>,
}

impl KnownPast {
    fn of(going: &Simulation, past: &SimulationInput) -> Self {
        let now = going.now();
        let mut input = going.remaining();
        input.arrivals.jobs.clear();
        let results = going.results_so_far();
        let ended: FxHashMap<&str, i64> =
            results.iter().filter_map(|job| Some((&*job.name, run_seconds(job)?))).collect();
        let arrived: Vec<Arrival> = past.arrivals.jobs.iter().filter(|one| one.at < now).cloned().collect();
        let finished = arrived.iter().filter_map(|one| {
            let mut one = one.clone();
            one.fate.runtime = Some(*ended.get(&*one.name)?);
            Some(one)
        });
        Self { finished: finished.collect(), arrived, input }
    }

    /// Returns up to `most` of the waiting jobs, sampled by their names.
    fn sample_waiting(&self, most: usize, seed: u64) -> Vec<Name> {
        let before: rustc_hash::FxHashSet<&Name> = self.arrived.iter().map(|one| &one.name).collect();
        let mut all = waiting(&self.input);
        // Jobs that arrive in this second have not waited: a cycle follows immediately.
        all.retain(|name| before.contains(name));
        all.sort_by_cached_key(|name| rank(seed, name));
        all.truncate(most);
        all
    }
}

/// Returns how long a job ran that ended by itself or at its walltime.
fn run_seconds(job: &JobResult) -> Option<i64> {
    matches!(job.state, JobEnd::Done | JobEnd::Killed).then_some(())?;
    Some((job.end? - job.start?).0)
}

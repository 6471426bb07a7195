//! Estimates when a job starts as a distribution: the queue is simulated many times with run times drawn from the
//! past, and the past itself is used to test such statements.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_engine::universe::Quirks;
use qscope_explain::{AnswerSection, AnswerTopic, words};
use qscope_simulate::arrivals::history::HistoryOptions;
use qscope_simulate::runtimes::RuntimeRatios;
use qscope_simulate::start_distribution::back_test::{BackTestOptions, back_test};
use qscope_simulate::start_distribution::{EstimatedShare, SamplingOptions, StartDistribution, starts};
use qscope_simulate::{Arrival, Arrivals, SimulationFiles, SimulationInput, SimulationOptions};
use qscope_source::LoadOptions;

use super::{Opening, OpeningOrigin, read_files};

/// Number of runs for a distribution.
pub const RUNS: u32 = 200;

/// Seed of all draws.
const SEED: u64 = 1;

/// Number of times in the past that are tested; `JOBS` is the number of jobs at each, `BACK_RUNS` that of runs for
/// each statement.
const MOMENTS: u32 = 8;
const JOBS: usize = 40;
const BACK_RUNS: u32 = 50;

/// The past of a cluster according to its logs, read on first use.
#[derive(Debug)]
pub struct LogHistory {
    logs: Vec<PathBuf>,
    origin: OpeningOrigin,
    load: LoadOptions,
    quirks: Quirks,
    parsed_logs: OnceLock<Result<ParsedLogs, String>>,
    /// Result of the back-test, once it is known; the inner `Option` is `None` if there were no statements. Computed
    /// by one thread at a time.
    back_test: Mutex<Option<Option<IntervalCoverage>>>,
}

/// The logs after reading.
#[derive(Debug)]
struct ParsedLogs {
    input: SimulationInput,
    jobs: Vec<Arrival>,
    ratios: RuntimeRatios,
}

/// The distribution of a job's start.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StartPercentiles {
    pub runs: usize,
    /// Number of runs in which it started within the simulated time.
    pub started: usize,
    /// The start that a tenth of the runs do not exceed, in epoch seconds; `None` if fewer started.
    pub p10: Option<i64>,
    /// The same for half of the runs.
    pub p50: Option<i64>,
    /// The same for nine tenths of the runs.
    pub p90: Option<i64>,
    /// Number of finished jobs whose run times were drawn from.
    pub drawn_from: usize,
    /// Seed of the draws: equal seeds give equal draws.
    pub seed: u64,
}

/// Result of testing intervals from the 10th to the 90th percentile on the past.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct IntervalCoverage {
    pub statements: usize,
    /// Number of starts within the interval.
    pub inside: usize,
    /// Fraction of those, 0 to 1.
    pub share: f64,
    /// Lower and upper bound of its 95 % confidence interval.
    pub interval: (f64, f64),
}

/// Receives the completed and the total number of steps, from any thread; ends the computation by returning false.
pub type ProgressCallback<'a> = &'a (dyn Fn(u64, u64) -> bool + Sync);

impl LogHistory {
    /// Creates the past from logs of the cluster of an opening: accounting logs, folders of them, traces.
    pub fn new(opening: &Opening, logs: Vec<PathBuf>) -> Self {
        let Opening { origin, load, quirks, .. } = opening.clone();
        Self { logs, origin, load, quirks, parsed_logs: OnceLock::new(), back_test: Mutex::default() }
    }

    fn read(&self) -> Result<&ParsedLogs, String> {
        let read = || {
            let files = read_files(&self.origin).map_err(|error| error.to_string())?;
            let options = HistoryOptions::default();
            let (input, jobs) =
                SimulationInput::with_past(&SimulationFiles::of(files), &self.load, &self.logs, &options)
                    .map_err(|error| error.to_string())?;
            input.check_memory(1).map_err(|error| error.to_string())?;
            let ratios = RuntimeRatios::of(&jobs);
            if ratios.is_empty() {
                return Err("no job of the logs had ended before this moment".to_owned());
            }
            Ok(ParsedLogs { input, jobs, ratios })
        };
        self.parsed_logs.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// Reads the logs now, where they were not read yet.
    ///
    /// # Errors
    /// Logs that cannot be read, or that state no end of a job.
    pub fn check(&self) -> Result<(), String> {
        self.read().map(|_| ())
    }

    /// Estimates when a waiting job starts, with [`RUNS`] runs of the queue of this snapshot; `None` if it was ended
    /// early.
    ///
    /// # Errors
    /// If the logs cannot be read, or there is no such job.
    pub fn start_percentiles(
        &self,
        snapshot: &Snapshot,
        job: &str,
        on_progress: ProgressCallback<'_>,
    ) -> Result<Option<StartPercentiles>, String> {
        let ParsedLogs { ratios, .. } = self.read()?;
        let id = snapshot.job_named(job).ok_or_else(|| format!("no job {job}"))?;
        let name = snapshot.jobs[id].name.clone();
        let input = SimulationInput {
            start: snapshot.clone(),
            arrivals: Arrivals::default(),
            options: SimulationOptions::default(),
            ranking: None,
            scaling: None,
        };
        let seen =
            starts(&input, &[name], &self.sampling(ratios, RUNS), &|done| on_progress(done, RUNS.into()));
        if seen.runs < RUNS as usize {
            return Ok(None);
        }
        let starts = seen.starts.first().map(Vec::as_slice).unwrap_or_default();
        let StartDistribution { runs, started, p10, p50, p90, .. } =
            StartDistribution::of(starts, snapshot.now);
        let seconds = |at: Option<Epoch>| at.map(|at| at.0);
        let [p10, p50, p90] = [p10, p50, p90].map(seconds);
        Ok(Some(StartPercentiles { runs, started, p10, p50, p90, drawn_from: ratios.len(), seed: SEED }))
    }

    /// Tests such statements on the past; `None` if it was ended early, or the past has no suitable queue.
    ///
    /// # Errors
    /// If the logs cannot be read.
    pub fn interval_coverage(
        &self,
        on_progress: ProgressCallback<'_>,
    ) -> Result<Option<IntervalCoverage>, String> {
        let ParsedLogs { input, jobs, ratios } = self.read()?;
        let mut known = self.back_test.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *known {
            return Ok(known);
        }
        let options = BackTestOptions { moments: MOMENTS, jobs: JOBS, days: 0 };
        let all = u64::from(MOMENTS) * u64::from(BACK_RUNS);
        let found =
            back_test(&input.at_beginning_of(jobs), &options, &self.sampling(ratios, BACK_RUNS), &|done| {
                on_progress(done, all)
            });
        let EstimatedShare { share, low, high } = EstimatedShare::of(found.all.inside, found.all.all);
        let (statements, inside) = (found.all.all, found.all.inside);
        let held =
            (statements > 0).then_some(IntervalCoverage { statements, inside, share, interval: (low, high) });
        *known = (!found.is_cut).then_some(held);
        Ok(held)
    }

    fn sampling<'a>(&self, ratios: &'a RuntimeRatios, runs: u32) -> SamplingOptions<'a> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        SamplingOptions { ratios, days: None, seed: SEED, runs, threads, quirks: self.quirks }
    }
}

impl StartPercentiles {
    /// Returns the distribution in one line, with its basis.
    pub fn words(&self, snap: &Snapshot) -> String {
        let clock_text =
            |at: Option<i64>| at.map_or_else(|| "later".to_owned(), |at| words::clock(snap, Epoch(at)));
        let not = match self.runs - self.started {
            0 => String::new(),
            runs => format!("; in {runs} of them not at all"),
        };
        format!(
            "p10 {} · p50 {} · p90 {} over {} runs, run times drawn from {}{not}",
            clock_text(self.p10),
            clock_text(self.p50),
            clock_text(self.p90),
            self.runs,
            words::count(self.drawn_from, "finished job")
        )
    }
}

/// Returns the section of a distribution, without lines.
pub fn distribution_section() -> AnswerSection {
    AnswerSection::new(AnswerTopic::Estimate, "When, as a distribution")
}

/// Returns the section with the distribution and the result of the back-test.
#[must_use]
pub fn distribution(
    snap: &Snapshot,
    spread: &StartPercentiles,
    held: Option<&IntervalCoverage>,
) -> AnswerSection {
    let mut section = distribution_section();
    section.line(spread.words(snap));
    section.line(IntervalCoverage::words(held));
    section
}

impl IntervalCoverage {
    /// Returns the result in one line; without statements, that there were none.
    pub fn words(held: Option<&Self>) -> String {
        let Some(Self { share, statements, interval: (low, high), .. }) = held else {
            return format!("back-test: at {MOMENTS} moments of the past no job waited to be asked about");
        };
        format!(
            "back-test: {:.0} % of {} such statements about the past held (95 %: {:.0} to {:.0} %)",
            share * 100.0,
            statements,
            low * 100.0,
            high * 100.0
        )
    }
}

//! One policy on one workload: the record and figures of the run.

use qscope_engine::cluster::{Column, Id};

use super::bins::Bins;
use super::record::FarmRecording;
use super::summary::{FarmSummary, FarmWindow, SummaryObserver};
use super::trace::{TraceHistory, replay};
use super::{
    ClassNo, FarmError, FarmInput, FarmJob, FarmObserver, FarmOptions, FarmPolicy, FarmSample, JobNo, NodeNo,
    Workload, simulate,
};

/// The options of a run.
#[derive(Clone, Debug, Default)]
pub struct FarmRunOptions {
    /// Name of the run: `relaxed`, `ttl:300`, `with_class_policies`…
    pub name: String,
    pub policies: Column<ClassNo, FarmPolicy>,
    /// Deviations from the rules.
    pub options: FarmOptions,
    /// The window of all means; if none, from the first to the last arrival.
    pub window: Option<FarmWindow>,
    /// The classes whose series is kept; if none, neither series nor job table are kept.
    pub keep: Option<Vec<ClassNo>>,
}

impl FarmRunOptions {
    /// Applies one policy to the packing classes; all others are plain.
    pub fn with_one_policy(workload: &Workload, packing: &[ClassNo], policy: FarmPolicy) -> Self {
        let policies = workload
            .classes
            .ids()
            .map(|class| if packing.contains(&class) { policy } else { FarmPolicy::Plain });
        Self { name: policy.to_string(), policies: policies.collect(), ..Self::default() }
    }

    /// Applies a policy to each named class; all others are plain.
    pub fn with_class_policies(workload: &Workload, mixed: &[(ClassNo, FarmPolicy)]) -> Self {
        let mut ask = Self::with_one_policy(workload, &[], FarmPolicy::Plain);
        ask.name = "mixed".to_owned();
        for (class, policy) in mixed {
            if class.ix() < ask.policies.len() {
                ask.policies[*class] = *policy;
            }
        }
        ask
    }

    /// Returns the window of all means: the given one, else from the first to the last arrival.
    pub fn window_of(&self, workload: &Workload) -> FarmWindow {
        self.window.unwrap_or_else(|| {
            let (from, to) = workload.arrival_window().unwrap_or_default();
            FarmWindow { from, to }
        })
    }

    /// Keeps the job table and the series of these classes.
    #[must_use]
    pub fn keep_series(mut self, classes: Vec<ClassNo>) -> Self {
        self.keep = Some(classes);
        self
    }
}

/// The result of one policy on one workload.
#[derive(Clone, Debug)]
pub struct FarmRun {
    pub options: FarmRunOptions,
    /// The figures.
    pub summary: FarmSummary,
    /// Mean of the slots in use in each column of the window.
    pub fill: Vec<f64>,
    /// Job table and series, if they were to be kept.
    pub recording: Option<FarmRecording>,
}

/// Number of columns of [`FarmRun::fill`].
pub const COLUMNS: usize = 240;

/// Runs one policy. `wanted` is called from time to time and returns whether to continue.
///
/// # Errors
/// [`FarmError::Stopped`] when `wanted` returns false.
pub fn run(
    workload: &Workload,
    arrivals: &[JobNo],
    ask: FarmRunOptions,
    wanted: impl FnMut() -> bool,
) -> Result<FarmRun, FarmError> {
    let window = ask.window_of(workload);
    let recording = ask.keep.clone().map(|classes| FarmRecording::new(workload.jobs.len(), classes));
    let bins = Bins::new(window, COLUMNS);
    let mut both = RunObserver { summing: SummaryObserver::new(workload, window), bins, recording, wanted };
    let setting = FarmInput {
        nodes: &workload.nodes,
        policies: &ask.policies,
        residents: &workload.residents,
        from: workload.from,
        options: ask.options,
    };
    let jobs = arrivals.iter().filter_map(|job| Some((*job, *workload.jobs.checked(*job)?)));
    let events = simulate(setting, jobs, &mut both)?;
    let fill = both.bins.finish();
    Ok(FarmRun { summary: both.summing.finish(events), fill, recording: both.recording, options: ask })
}

/// Replays what really ran, in the same form: the "before" with which simulated runs are compared. It has no
/// policies.
///
/// # Errors
/// [`FarmError::Stopped`] when `wanted` returns false.
pub fn run_real(
    history: &TraceHistory,
    workload: &Workload,
    window: Option<FarmWindow>,
    keep: Option<Vec<ClassNo>>,
    wanted: impl FnMut() -> bool,
) -> Result<FarmRun, FarmError> {
    let mut options = FarmRunOptions::with_one_policy(workload, &[], FarmPolicy::Plain);
    options.name = "real".to_owned();
    options.window = window;
    options.keep = keep;
    let window = options.window_of(workload);
    let recording = options.keep.clone().map(|classes| FarmRecording::new(history.rows.len(), classes));
    let bins = Bins::new(window, COLUMNS);
    let mut both = RunObserver { summing: SummaryObserver::new(workload, window), bins, recording, wanted };
    let rows: Vec<(u32, i64)> = history.rows.iter().map(|row| (row.job, row.submit)).collect();
    both.summing = SummaryObserver::of_rows(workload, window, &rows);
    let events = replay(history, workload, &mut both)?;
    let fill = both.bins.finish();
    Ok(FarmRun { summary: both.summing.finish(events), fill, recording: both.recording, options })
}

/// Observer that always computes the figures and optionally keeps the record.
struct RunObserver<F> {
    summing: SummaryObserver,
    bins: Bins,
    recording: Option<FarmRecording>,
    wanted: F,
}

impl<F: FnMut() -> bool> FarmObserver for RunObserver<F> {
    fn started(&mut self, job: JobNo, what: &FarmJob, node: NodeNo, at: i64) {
        self.summing.started(job, what, node, at);
        if let Some(recording) = &mut self.recording {
            recording.started(job, what, node, at);
        }
    }

    fn never_fits(&mut self, job: JobNo, what: &FarmJob) {
        self.summing.never_fits(job, what);
    }

    fn sample(&mut self, sample: &FarmSample<'_>) {
        self.summing.sample(sample);
        self.bins.sample(sample);
        if let Some(recording) = &mut self.recording {
            recording.sample(sample);
        }
    }

    fn wanted(&mut self) -> bool {
        (self.wanted)()
    }
}

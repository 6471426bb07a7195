//! The figures of a simulation, over the jobs that arrived in a window of time (days rule 12).

use qscope_engine::cluster::Epoch;

use crate::result::JobResult;
use crate::series::Series;

/// All figures. Times are in seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Measures {
    /// Jobs that arrived: subjobs one by one as far as they were made, arrays not.
    pub arrived: usize,
    /// Those that started.
    pub started: usize,
    /// Those that ended and were not deleted.
    pub finished: usize,
    /// Those that had neither started nor ended when the simulation was over, and the mean of their waits so far.
    pub censored: usize,
    /// Waits of those that started.
    pub wait: Waits,
    /// The mean of what jobs took in all for each second that they ran, at least 1, run times below 10 s as 10 s.
    pub slowdown_mean: Option<f64>,
    /// The window: from, to.
    pub window: (Epoch, Epoch),
    /// The part of the cores that was busy; none without a window.
    pub utilisation: Option<f64>,
    /// Jobs waiting, on average; none without a window.
    pub queue_mean: Option<f64>,
    /// From the start of the simulation to the last end.
    pub makespan: Option<i64>,
}

/// Figures of waits.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Waits {
    /// Their mean.
    pub mean: Option<f64>,
    /// The value in the middle.
    pub median: Option<i64>,
    /// The value at the position of 95 %.
    pub p95: Option<i64>,
    /// The longest.
    pub max: Option<i64>,
}

/// Run times below this count as this in slowdowns.
const SHORTEST: i64 = 10;

impl Measures {
    /// The figures over a window.
    #[must_use]
    pub fn of(jobs: &[JobResult], series: &Series, from: Epoch, window: (Epoch, Epoch), to: Epoch) -> Self {
        let measured: Vec<&JobResult> = jobs.iter().filter(|job| is_measured(job, window)).collect();
        let waits: Vec<i64> = measured.iter().filter_map(|job| job.wait()).collect();
        let slowdowns: Vec<f64> = measured.iter().filter_map(|job| slowdown(job)).collect();
        let _ = to;
        let length = (window.1 - window.0).0;
        #[expect(clippy::cast_precision_loss, reason = "seconds are far below the limit")]
        let over = |integral: f64| (length > 0).then(|| integral / length as f64);
        let busy = over(series.integral(window, |sample| sample.busy));
        #[expect(clippy::cast_precision_loss, reason = "a queue is far below the limit")]
        let queue = over(series.integral(window, |sample| sample.queued as f64));
        let last_end = jobs.iter().filter(|job| job.start.is_some()).filter_map(|job| job.end).max();
        Self {
            arrived: measured.len(),
            started: waits.len(),
            finished: measured.iter().filter(|job| job.has_finished()).count(),
            censored: measured.iter().filter(|job| job.start.is_none() && job.end.is_none()).count(),
            wait: Waits::of(waits),
            slowdown_mean: mean(&slowdowns),
            window,
            utilisation: busy.filter(|_| series.cores > 0.0).map(|busy| busy / series.cores),
            queue_mean: queue,
            makespan: last_end.map(|end| (end - from).0),
        }
    }
}

/// Whether a job counts in a window.
#[must_use]
pub fn is_measured(job: &JobResult, window: (Epoch, Epoch)) -> bool {
    let is_counted = !job.is_array && !job.of_start && job.state != crate::result::JobEnd::Rejected;
    is_counted && window.0 <= job.at && job.at <= window.1
}

/// What a job took in all for each second that it ran, bounded; none for one that did not finish.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "seconds are far below the limit")]
pub fn slowdown(job: &JobResult) -> Option<f64> {
    let (start, end) = (job.start?, job.end.filter(|_| job.has_finished())?);
    let ran = (end - start).0.max(SHORTEST);
    Some(((end - job.at).0 as f64 / ran as f64).max(1.0))
}

impl Waits {
    /// Their figures.
    #[must_use]
    pub fn of(mut waits: Vec<i64>) -> Self {
        waits.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "seconds are far below the limit")]
        let all: Vec<f64> = waits.iter().map(|wait| *wait as f64).collect();
        Self {
            mean: mean(&all),
            median: at_share(&waits, 1, 2),
            p95: at_share(&waits, 19, 20),
            max: waits.last().copied(),
        }
    }
}

/// The value at the position of a share of all, rounded up and counted from 1.
#[must_use]
pub fn at_share<T: Copy>(sorted: &[T], part: usize, of: usize) -> Option<T> {
    let position = (sorted.len() * part).div_ceil(of).max(1);
    sorted.get(position - 1).copied()
}

/// The mean; none of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "far fewer than the limit")]
    let count = values.len() as f64;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count)
}

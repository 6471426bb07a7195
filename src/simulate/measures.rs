//! The measures of a simulation, over the jobs that arrived in a time window (days rule 12).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name};
use serde::Serialize;

use super::figures::{at_share, mean, nine_places};
use super::{JobEnd, JobResult, LoadSeries};

/// All measures. Times are in seconds; JSON has nine decimal places.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measures {
    /// Number of jobs that arrived; subjobs count individually, arrays do not count.
    pub arrived: usize,
    pub started: usize,
    /// Number of those that ended and were not deleted.
    pub finished: usize,
    /// Number of those that had neither started nor ended at the end of the simulation.
    pub censored: usize,
    /// Number of those that were deleted before they started.
    pub deleted: usize,
    /// Waits of those that started.
    #[serde(flatten)]
    pub wait: WaitStatistics,
    /// Mean bounded slowdown: time from arrival to end per second of run time, at least 1; run times below 10 s count
    /// as 10 s.
    #[serde(serialize_with = "nine_places")]
    pub slowdown_mean: Option<f64>,
    /// Window: start and end.
    pub window: (Epoch, Epoch),
    /// Fraction of the cores that was busy; `None` without a window.
    #[serde(serialize_with = "nine_places")]
    pub utilisation: Option<f64>,
    /// Mean number of waiting jobs; `None` without a window.
    #[serde(serialize_with = "nine_places")]
    pub queue_mean: Option<f64>,
    /// Seconds from the start of the simulation to the last end.
    pub makespan: Option<i64>,
    /// Mean wait in which jobs still waiting count with their wait so far: a lower bound.
    #[serde(serialize_with = "nine_places")]
    pub wait_mean_least: Option<f64>,
    /// 95th percentile of the waits, in which jobs still waiting count in the same way.
    pub wait_p95_least: Option<i64>,
    /// Mean wait, weighted by the core-seconds that each job ran.
    #[serde(serialize_with = "nine_places")]
    pub weighted_wait: Option<f64>,
    /// Ended jobs per hour of the window.
    #[serde(serialize_with = "nine_places")]
    pub throughput: Option<f64>,
    /// Fraction of the started jobs that started before a job ahead of them that waited in the same cycle.
    #[serde(serialize_with = "nine_places")]
    pub backfilled: Option<f64>,
    /// Run time divided by requested walltime, over jobs that finished.
    #[serde(serialize_with = "nine_places")]
    pub walltime_accuracy: Option<f64>,
    /// Equality of the users' slowdowns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// Accuracy of the starts estimated for top jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimates: Option<EstimateErrors>,
}

/// Equality of the users' mean bounded slowdowns, by Jain's index (Jain et al. 1984).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fairness {
    /// Index from 1 / users (one user has everything) to 1 (all are equal).
    #[serde(serialize_with = "nine_places")]
    pub index: f64,
    /// Number of users.
    pub users: usize,
    pub worst_user: Name,
    /// Largest slowdown.
    #[serde(serialize_with = "nine_places")]
    pub worst: f64,
}

/// Starts of top jobs: start minus first estimate, in seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct EstimateErrors {
    /// Number of jobs that had an estimate and started.
    #[serde(rename = "jobs")]
    pub count: usize,
    /// Median difference.
    pub median: i64,
    /// 5th percentile.
    pub p5: i64,
    /// 95th percentile.
    pub p95: i64,
    /// Number of jobs that started later than estimated.
    pub later: usize,
}

/// Statistics of waits, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct WaitStatistics {
    #[serde(rename = "wait_mean", serialize_with = "nine_places")]
    pub mean: Option<f64>,
    #[serde(rename = "wait_median")]
    pub median: Option<i64>,
    /// 95th percentile.
    #[serde(rename = "wait_p95")]
    pub p95: Option<i64>,
    /// Maximum.
    #[serde(rename = "wait_max")]
    pub max: Option<i64>,
}

/// Run times below this, in seconds, count as this in slowdowns.
const SHORTEST: i64 = 10;

impl Measures {
    /// Computes the measures over a window of a simulation from one time to another.
    pub fn of(
        jobs: &[JobResult],
        series: &LoadSeries,
        (from, to): (Epoch, Epoch),
        window: (Epoch, Epoch),
    ) -> Self {
        let measured: Vec<&JobResult> = jobs.iter().filter(|job| is_measured(job, window)).collect();
        let waits: Vec<i64> = measured.iter().filter_map(|job| job.wait()).collect();
        let at_least = WaitStatistics::of(waits_so_far(&measured, to));
        let slowdowns: Vec<f64> = measured.iter().filter_map(|job| slowdown(job)).collect();
        let length = (window.1 - window.0).0;
        let over = |integral: f64| (length > 0).then(|| integral / length as f64);
        let cores = series.mean_cores(window).filter(|cores| *cores > 0.0);
        let busy = over(series.integral(window, |sample| sample.busy));
        let queue = over(series.integral(window, |sample| sample.queued as f64));
        let last_end = jobs.iter().filter(|job| job.start.is_some()).filter_map(|job| job.end).max();
        Self {
            arrived: measured.len(),
            started: waits.len(),
            finished: measured.iter().filter(|job| job.has_finished()).count(),
            censored: measured.iter().filter(|job| job.start.is_none() && job.end.is_none()).count(),
            deleted: measured.iter().filter(|job| job.start.is_none() && job.end.is_some()).count(),
            wait: WaitStatistics::of(waits),
            slowdown_mean: mean(&slowdowns),
            window,
            utilisation: busy.zip(cores).map(|(busy, cores)| busy / cores),
            queue_mean: queue,
            makespan: last_end.map(|end| (end - from).0),
            wait_mean_least: at_least.mean,
            wait_p95_least: at_least.p95,
            weighted_wait: weighted_wait(&measured),
            throughput: throughput(jobs, window),
            fairness: fairness(&measured),
            backfilled: backfilled(&measured),
            walltime_accuracy: walltime_accuracy(&measured),
            estimates: estimates(&measured),
        }
    }
}

/// Returns the waits in which jobs that still wait count with their wait until `to`: lower bounds.
fn waits_so_far(jobs: &[&JobResult], to: Epoch) -> Vec<i64> {
    let least = |job: &&JobResult| match (job.start, job.end) {
        (Some(start), _) => Some((start - job.at).0),
        (None, None) => Some((to - job.at).0.max(0)),
        (None, Some(_)) => None,
    };
    jobs.iter().filter_map(least).collect()
}

/// Returns the mean wait weighted by work: Σ wait · run · cores / Σ run · cores.
pub fn weighted_wait(jobs: &[&JobResult]) -> Option<f64> {
    let ran = |job: &&&JobResult| Some((job.wait()? as f64, (job.end? - job.start?).0 as f64 * job.cores));
    let (lost, work) = jobs
        .iter()
        .filter_map(|job| ran(&job))
        .fold((0.0, 0.0), |(lost, all), (wait, work)| (lost + wait * work, all + work));
    (work > 0.0).then(|| lost / work)
}

fn throughput(jobs: &[JobResult], window: (Epoch, Epoch)) -> Option<f64> {
    let is_inside = |job: &&JobResult| {
        let ended = job.end.filter(|_| !job.is_array && job.start.is_some());
        ended.is_some_and(|end| window.0 <= end && end <= window.1)
    };
    let length = (window.1 - window.0).0;
    (length > 0).then(|| jobs.iter().filter(is_inside).count() as f64 * 3600.0 / length as f64)
}

/// Returns Jain's index over the users' mean bounded slowdowns; `None` without a finished job.
pub fn fairness(jobs: &[&JobResult]) -> Option<Fairness> {
    let mut of_users: BTreeMap<Name, Vec<f64>> = BTreeMap::new();
    for job in jobs {
        if let Some(slowdown) = slowdown(job) {
            of_users.entry(job.user.clone()).or_default().push(slowdown);
        }
    }
    let means: Vec<(Name, f64)> =
        of_users.into_iter().filter_map(|(user, all)| Some((user, mean(&all)?))).collect();
    let (sum, squares) = means.iter().fold((0.0, 0.0), |(sum, squares), (_, x)| (sum + x, squares + x * x));
    let (worst_user, worst) = means.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1))?.clone();
    let index = sum * sum / (means.len() as f64 * squares);
    Some(Fairness { index, users: means.len(), worst_user, worst })
}

fn backfilled(jobs: &[&JobResult]) -> Option<f64> {
    let started = jobs.iter().filter(|job| job.start.is_some());
    let count = started.clone().count();
    (count > 0).then(|| started.filter(|job| job.backfilled).count() as f64 / count as f64)
}

fn walltime_accuracy(jobs: &[&JobResult]) -> Option<f64> {
    let both = |job: &&&JobResult| {
        job.has_finished().then_some(())?;
        Some(((job.end? - job.start?).0, job.walltime?))
    };
    let pairs = jobs.iter().filter_map(|job| both(&job));
    let (ran, asked) = pairs.fold((0, 0), |(ran, all), (run, walltime)| (ran + run, all + walltime));
    (asked > 0).then(|| ran as f64 / asked as f64)
}

fn estimates(jobs: &[&JobResult]) -> Option<EstimateErrors> {
    let late = |job: &&JobResult| Some((job.start? - job.estimated?.1).0);
    let mut all: Vec<i64> = jobs.iter().filter_map(late).collect();
    all.sort_unstable();
    Some(EstimateErrors {
        count: all.len(),
        median: at_share(&all, 1, 2)?,
        p5: at_share(&all, 1, 20)?,
        p95: at_share(&all, 19, 20)?,
        later: all.iter().filter(|seconds| **seconds > 0).count(),
    })
}

/// Whether a job counts in a window.
pub fn is_measured(job: &JobResult, window: (Epoch, Epoch)) -> bool {
    let is_counted = !job.is_array && !job.was_present && job.state != JobEnd::Rejected;
    is_counted && window.0 <= job.at && job.at <= window.1
}

/// Returns the bounded slowdown of a job; `None` for a job that did not finish.
pub fn slowdown(job: &JobResult) -> Option<f64> {
    let (start, end) = (job.start?, job.end.filter(|_| job.has_finished())?);
    let ran = (end - start).0.max(SHORTEST);
    Some(((end - job.at).0 as f64 / ran as f64).max(1.0))
}

impl WaitStatistics {
    /// Computes the statistics.
    pub fn of(mut waits: Vec<i64>) -> Self {
        waits.sort_unstable();
        let all: Vec<f64> = waits.iter().map(|wait| *wait as f64).collect();
        Self {
            mean: mean(&all),
            median: at_share(&waits, 1, 2),
            p95: at_share(&waits, 19, 20),
            max: waits.last().copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(user: &str, at: i64, start: i64, end: i64, cores: f64) -> JobResult {
        let (start, end) = (Some(Epoch(start)), Some(Epoch(end)));
        let made = JobResult::new("1.svr".into(), Epoch(at), false);
        JobResult { user: user.into(), start, end, state: JobEnd::Done, cores, walltime: Some(200), ..made }
    }

    #[test]
    fn rule_12_figures_follow_their_formulas() {
        let jobs = [job("ann", 0, 0, 100, 1.0), job("bob", 0, 100, 200, 3.0), job("bob", 0, 300, 400, 1.0)];
        let all: Vec<&JobResult> = jobs.iter().collect();
        assert_eq!(weighted_wait(&all), Some((100.0 * 300.0 + 300.0 * 100.0) / 500.0));
        // Slowdowns: ann 1; bob 2 and 4, mean 3.
        let fair = fairness(&all).unwrap();
        assert_eq!((fair.users, fair.worst, &*fair.worst_user), (2, 3.0, "bob"));
        assert!((fair.index - 16.0 / 20.0).abs() < 1e-12);
        assert_eq!(walltime_accuracy(&all), Some(0.5));
        assert_eq!(throughput(&jobs, (Epoch(0), Epoch(200))), Some(36.0));
        let waits = JobResult { start: None, end: None, state: JobEnd::Unfinished('Q'), ..jobs[0].clone() };
        let least = WaitStatistics::of(waits_so_far(&[&jobs[1], &waits], Epoch(500)));
        assert_eq!((least.mean, least.p95), (Some((100.0 + 500.0) / 2.0), Some(500)));
        let promised = JobResult { estimated: Some((Epoch(0), Epoch(90))), ..jobs[1].clone() };
        let found = estimates(&[&promised]).unwrap();
        assert_eq!((found.median, found.later, found.count), (10, 1, 1));
    }
}

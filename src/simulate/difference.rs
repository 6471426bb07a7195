//! Comparison of two settings on the same arrivals, job by job (days rule 13).
//!
//! Run times, exits and draws belong to the jobs and are the same under both settings, so waits are compared job by
//! job.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{JobEnd, JobResult, SimulationResult};
use crate::figures::{at_share, mean, three_places};
use crate::measures::is_measured;

/// Waits that differ by less than this, in seconds, count as the same.
pub const SAME: i64 = 60;

/// Waits of a class of jobs under both settings.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ClassDifference {
    /// Number of jobs that started under both.
    #[serde(rename = "jobs")]
    pub count: usize,
    /// Their mean wait under the first.
    #[serde(rename = "wait_a", serialize_with = "three_places")]
    pub mean_a: f64,
    /// Their mean wait under the second.
    #[serde(rename = "wait_b", serialize_with = "three_places")]
    pub mean_b: f64,
    /// Mean difference, second minus first, in seconds.
    #[serde(rename = "difference", serialize_with = "three_places")]
    pub mean_difference: f64,
}

/// Comparison of two simulations of the same arrivals.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SimulationDifference {
    /// Number of jobs that started under both; differences are wait under the second minus wait under the first.
    #[serde(rename = "jobs")]
    pub count: usize,
    /// Number of jobs that did not start under at least one of them.
    pub apart: usize,
    /// Mean difference; `None` without jobs.
    #[serde(serialize_with = "three_places")]
    pub mean: Option<f64>,
    /// 5th percentile of the differences.
    pub p5: Option<i64>,
    pub median: Option<i64>,
    /// 95th percentile of the differences.
    pub p95: Option<i64>,
    /// Number of jobs whose wait is shorter under the second, by a minute or more.
    pub shorter: usize,
    /// Number of jobs whose wait is longer, by a minute or more.
    pub longer: usize,
    /// Number of jobs whose waits differ by less than a minute.
    pub same: usize,
    /// By kind of class (width, length, user, queue, path) and class.
    #[serde(skip)]
    pub classes: BTreeMap<&'static str, BTreeMap<String, ClassDifference>>,
    /// Time of the first difference, and the job concerned, which may be one of the start state.
    #[serde(skip)]
    pub first: Option<(Epoch, Name)>,
}

/// A job under both settings.
struct JobResultPair<'a> {
    a: &'a JobResult,
    b: &'a JobResult,
}

impl SimulationDifference {
    /// Compares two simulations.
    pub fn between(a: &SimulationResult, b: &SimulationResult) -> Self {
        let of_b: FxHashMap<&str, &JobResult> = b.jobs.iter().map(|job| (&*job.name, job)).collect();
        let all: Vec<JobResultPair<'_>> = a
            .jobs
            .iter()
            .filter(|job| !job.is_array && job.state != JobEnd::Rejected)
            .filter_map(|a| Some(JobResultPair { a, b: of_b.get(&*a.name).copied()? }))
            .collect();
        let is_in_window = |pair: &&JobResultPair<'_>| is_measured(pair.a, a.measures.window);
        let pairs: Vec<&JobResultPair<'_>> = all.iter().filter(is_in_window).collect();
        let started: Vec<(&JobResultPair<'_>, i64)> =
            pairs.iter().filter_map(|pair| Some((*pair, pair.b.wait()? - pair.a.wait()?))).collect();
        let mut differences: Vec<i64> = started.iter().map(|(_, d)| *d).collect();
        differences.sort_unstable();
        let reals: Vec<f64> = differences.iter().map(|d| *d as f64).collect();
        let count = |fits: &dyn Fn(i64) -> bool| differences.iter().filter(|d| fits(**d)).count();
        Self {
            count: started.len(),
            apart: pairs.len() - started.len(),
            mean: mean(&reals),
            p5: at_share(&differences, 1, 20),
            median: at_share(&differences, 1, 2),
            p95: at_share(&differences, 19, 20),
            shorter: count(&|d| d <= -SAME),
            longer: count(&|d| d >= SAME),
            same: count(&|d| d.abs() < SAME),
            classes: classes(&started),
            first: first_difference(&all),
        }
    }
}

/// How far simulated starts are from the real ones.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct PastAgreement {
    /// Number of jobs that started in both.
    #[serde(rename = "jobs")]
    pub count: usize,
    /// Number of jobs whose starts differ by at most a minute.
    #[serde(rename = "within_a_minute")]
    pub within: usize,
    /// Median difference of starts, in seconds.
    pub median: i64,
    /// 95th percentile of the difference, in seconds.
    pub p95: i64,
}

impl PastAgreement {
    /// Compares a simulation of the past with the real starts; `None` if no real start is known.
    pub fn of(simulated: &SimulationResult) -> Option<Self> {
        let apart = |job: &JobResult| Some((job.start? - job.was?).0.saturating_abs());
        let mut apart: Vec<i64> = simulated.jobs.iter().filter_map(apart).collect();
        apart.sort_unstable();
        Some(Self {
            count: apart.len(),
            within: apart.iter().filter(|seconds| **seconds <= SAME).count(),
            median: at_share(&apart, 1, 2)?,
            p95: at_share(&apart, 19, 20)?,
        })
    }
}

/// Returns the earliest time at which a job starts under one setting and differently under the other; of several
/// jobs, the first in order of arrival.
fn first_difference(pairs: &[JobResultPair<'_>]) -> Option<(Epoch, Name)> {
    let moment = |pair: &JobResultPair<'_>| match (pair.a.start, pair.b.start) {
        (Some(a), Some(b)) if a != b => Some(a.min(b)),
        (Some(a), Some(_)) if pair.a.exec_vnode != pair.b.exec_vnode => Some(a),
        (Some(only), None) | (None, Some(only)) => Some(only),
        _ => None,
    };
    let all = pairs.iter().filter_map(|pair| Some((moment(pair)?, pair.a.name.clone())));
    all.min_by_key(|(at, _)| *at)
}

fn classes(
    started: &[(&JobResultPair<'_>, i64)],
) -> BTreeMap<&'static str, BTreeMap<String, ClassDifference>> {
    let mut all: BTreeMap<&'static str, BTreeMap<String, ClassDifference>> = BTreeMap::new();
    for (pair, difference) in started {
        for (kind, class) in classes_of(pair.a) {
            all.entry(kind).or_default().entry(class).or_default().add(pair, *difference);
        }
    }
    for class in all.values_mut().flat_map(BTreeMap::values_mut) {
        class.divide_by_jobs();
    }
    all
}

impl ClassDifference {
    fn add(&mut self, pair: &JobResultPair<'_>, difference: i64) {
        self.count += 1;
        self.mean_a += pair.a.wait().unwrap_or(0) as f64;
        self.mean_b += pair.b.wait().unwrap_or(0) as f64;
        self.mean_difference += difference as f64;
    }

    /// Divides the sums by the number of jobs.
    fn divide_by_jobs(&mut self) {
        let count = self.count.max(1) as f64;
        self.mean_a /= count;
        self.mean_b /= count;
        self.mean_difference /= count;
    }
}

/// Returns the classes of a job: by width, length, user, queue and path.
fn classes_of(job: &JobResult) -> Vec<(&'static str, String)> {
    let path = job.path.map_or("-", |path| path.word());
    vec![
        ("width", width(job.cores)),
        ("length", length(job.walltime)),
        ("user", job.user.to_string()),
        ("queue", job.queue.to_string()),
        ("path", path.to_owned()),
    ]
}

/// Returns the class of a width: cores in powers of two.
pub fn width(cores: f64) -> String {
    let mut upper = 1.0;
    while upper < cores && upper < 1e9 {
        upper *= 2.0;
    }
    if upper <= 1.0 { "0-1".to_owned() } else { format!("{:.0}-{upper:.0}", upper / 2.0 + 1.0) }
}

/// Classes of walltimes, each with its largest in seconds, in order.
const LENGTHS: [(i64, &str); 6] = [
    (600, "to 10m"),
    (3600, "to 1h"),
    (4 * 3600, "to 4h"),
    (12 * 3600, "to 12h"),
    (86_400, "to 1d"),
    (i64::MAX, "over 1d"),
];

/// Class of jobs without a walltime.
const NO_WALLTIME: &str = "no walltime";

/// Returns the class of a walltime.
pub fn length(walltime: Option<i64>) -> String {
    let class = walltime.and_then(|walltime| LENGTHS.iter().find(|(most, _)| walltime <= *most));
    class.map_or(NO_WALLTIME, |(_, name)| name).to_owned()
}

/// Returns the rank of a class among those of its kind: widths and lengths from small to large.
pub fn rank(kind: &str, class: &str) -> u64 {
    match kind {
        "width" => class.split('-').next().and_then(|least| least.parse().ok()).unwrap_or(0),
        "length" => {
            let at = (0..).zip(LENGTHS).find(|(_, (_, name))| *name == class);
            at.map_or(u64::MAX, |(at, _)| at)
        }
        _ => 0,
    }
}

/// Returns the classes of a kind that has the same ones everywhere, in words; `None` if there is the class named.
pub(crate) fn classes_without(kind: &str, class: &str) -> Option<String> {
    let (known, words) = match kind {
        "width" => {
            let known = (0..=30).any(|power| width(2f64.powi(power)) == class);
            (known, "0-1, 2-2, 3-4, 5-8, 9-16, …".to_owned())
        }
        "length" => {
            let names: Vec<&str> = LENGTHS.iter().map(|(_, name)| *name).chain([NO_WALLTIME]).collect();
            (names.contains(&class), names.join(", "))
        }
        _ => return None,
    };
    (!known).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_go_from_small_to_large() {
        let sorted = |kind: &str, mut classes: Vec<String>| {
            classes.sort_by_key(|class| rank(kind, class));
            classes
        };
        let lengths = [Some(500), Some(9999), Some(40_000), Some(1_000_000), None].map(length);
        let widths = [1.0, 2.0, 20.0, 200.0].map(width);
        for (kind, classes) in [("length", lengths.to_vec()), ("width", widths.to_vec())] {
            assert_eq!(sorted(kind, classes.iter().rev().cloned().collect()), classes);
        }
    }
}

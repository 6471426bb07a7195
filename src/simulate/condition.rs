//! Conditions on the measures of a simulation: `wait_p95(queue=small) > 2h` (days rule 13).

use std::collections::BTreeSet;

use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Snapshot, parse_duration, show_duration};

use super::{Arrival, JobResult, SimulationResult};
use crate::difference::{classes_without, length, width};
use crate::figures::mean;
use crate::measures::{WaitStatistics, fairness, is_measured, slowdown, weighted_wait};

/// A measure of all jobs, or of a class of jobs, compared with a limit.
#[derive(Clone, PartialEq, Debug)]
pub struct SimulationCondition {
    text: String,
    measure: String,
    filter: Option<(String, String)>,
    comparison: ConditionComparison,
    limit: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConditionComparison {
    More,
    AtLeast,
    Less,
    AtMost,
}

/// Why a text is not a condition.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}`: {what}")]
pub struct ConditionError {
    pub text: String,
    pub what: String,
}

/// Measures that a condition can name. The first `OF_JOBS` can be restricted to a class of jobs.
pub const MEASURES: [&str; 19] = [
    "wait_mean",
    "wait_median",
    "wait_p95",
    "wait_max",
    "slowdown_mean",
    "started",
    "finished",
    "censored",
    "weighted_wait",
    "fairness",
    "utilisation",
    "queue_mean",
    "makespan",
    "throughput",
    "backfilled",
    "walltime_accuracy",
    "wait_mean_least",
    "wait_p95_least",
    "refused",
];

/// Number of measures that are computed from single jobs.
const OF_JOBS: usize = 10;

impl SimulationCondition {
    /// Parses `MEASURE[(KEY=VALUE)] > LIMIT`, with `>`, `>=`, `<` or `<=`; the key is `queue`, `user`, `width` or
    /// `length` (classes as comparisons print them), and the limit is a number, a percentage, or a duration such as
    /// `90s`, `30m`, `2h`, `1d`.
    ///
    /// # Errors
    /// An unknown measure or key, no comparison, or an invalid limit.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        let fail = |what: String| ConditionError { text: text.to_owned(), what };
        let at = text.find(['<', '>']).ok_or_else(|| fail("expected >, >=, < or <=".to_owned()))?;
        let (left, right) = text.split_at(at);
        let (comparison, limit) =
            match (right.strip_prefix(">="), right.strip_prefix("<="), right.strip_prefix('>')) {
                (Some(limit), _, _) => (ConditionComparison::AtLeast, limit),
                (_, Some(limit), _) => (ConditionComparison::AtMost, limit),
                (_, _, Some(limit)) => (ConditionComparison::More, limit),
                _ => (ConditionComparison::Less, right.strip_prefix('<').unwrap_or(right)),
            };
        let limit = number(limit)
            .ok_or_else(|| fail(format!("`{}` is neither a number nor a time", limit.trim())))?;
        let (measure, filter) = match left.trim().split_once('(') {
            Some((measure, filter)) => (measure.trim(), Some(filter.trim_end().trim_end_matches(')'))),
            None => (left.trim(), None),
        };
        let place = MEASURES.iter().position(|known| *known == measure);
        let place =
            place.ok_or_else(|| fail(format!("no figure `{measure}`; known are {}", MEASURES.join(", "))))?;
        let filter = filter.map(|filter| {
            read_filter(filter).ok_or_else(|| {
                fail(format!("`{filter}` is not queue=NAME, user=NAME, width=CORES or length=TIME"))
            })
        });
        let filter = filter.transpose()?;
        if filter.is_some() && place >= OF_JOBS {
            return Err(fail(format!("`{measure}` is not a figure of single jobs")));
        }
        Ok(Self { text: text.trim().to_owned(), measure: measure.to_owned(), filter, comparison, limit })
    }

    /// Checks that there is the queue, user or class named; otherwise no job would have the measure and the condition
    /// would never hold.
    ///
    /// # Errors
    /// There is no queue of that name, no job of that user, or no class.
    pub fn check(&self, start: &Snapshot, arrivals: &[Arrival]) -> Result<(), ConditionError> {
        match &self.filter {
            Some((key, queue)) if key == "queue" && start.queue_named(queue).is_none() => {
                let known: Vec<&str> = start.queues.iter().map(|queue| &*queue.name).collect();
                let what = format!("no queue `{queue}`; the cluster has {}", known.join(", "));
                Err(ConditionError { text: self.text.clone(), what })
            }
            Some((key, user)) if key == "user" => {
                let arriving = arrivals.iter().filter_map(|arrival| arrival.job.as_deref());
                let known: BTreeSet<&str> = start.jobs.iter().chain(arriving).map(|job| &*job.user).collect();
                if known.contains(user.as_str()) {
                    return Ok(());
                }
                let what = format!("no job of user `{user}`{}", question(user, known));
                Err(ConditionError { text: self.text.clone(), what })
            }
            Some((key, class)) => match classes_without(key, class) {
                Some(known) => {
                    let what = format!("no {key} `{class}`; the classes are {known}");
                    Err(ConditionError { text: self.text.clone(), what })
                }
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Formats the measure; as a duration if it is one.
    pub fn value_text(&self, simulated: &SimulationResult) -> Option<String> {
        let value = self.value(simulated)?;
        let is_time = self.measure.starts_with("wait_") || self.measure == "makespan";
        Some(if is_time { show_duration(value.round()) } else { format!("{value:.3}") })
    }

    /// Returns the text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the measure; `None` if no job has it.
    pub fn value(&self, simulated: &SimulationResult) -> Option<f64> {
        let window = simulated.measures.window;
        let jobs: Vec<&JobResult> =
            simulated.jobs.iter().filter(|job| is_measured(job, window) && self.covers(job)).collect();
        let waits = || WaitStatistics::of(jobs.iter().filter_map(|job| job.wait()).collect());
        let count =
            |fits: &dyn Fn(&JobResult) -> bool| Some(jobs.iter().filter(|job| fits(job)).count() as f64);
        match self.measure.as_str() {
            "wait_mean" => waits().mean,
            "wait_median" => waits().median.map(|wait| wait as f64),
            "wait_p95" => waits().p95.map(|wait| wait as f64),
            "wait_max" => waits().max.map(|wait| wait as f64),
            "slowdown_mean" => mean(&jobs.iter().filter_map(|job| slowdown(job)).collect::<Vec<_>>()),
            "started" => count(&|job| job.start.is_some()),
            "finished" => count(&JobResult::has_finished),
            "censored" => count(&|job| job.start.is_none() && job.end.is_none()),
            "weighted_wait" => weighted_wait(&jobs),
            "fairness" => fairness(&jobs).map(|found| found.index),
            "utilisation" => simulated.measures.utilisation,
            "queue_mean" => simulated.measures.queue_mean,
            "makespan" => simulated.measures.makespan.map(|seconds| seconds as f64),
            "throughput" => simulated.measures.throughput,
            "backfilled" => simulated.measures.backfilled,
            "walltime_accuracy" => simulated.measures.walltime_accuracy,
            "wait_mean_least" => simulated.measures.wait_mean_least,
            "wait_p95_least" => simulated.measures.wait_p95_least.map(|wait| wait as f64),
            _ => Some(simulated.counters.refused as f64),
        }
    }

    /// Whether the condition holds; false if no job has the measure.
    pub fn holds(&self, simulated: &SimulationResult) -> bool {
        self.value(simulated).is_some_and(|value| match self.comparison {
            ConditionComparison::More => value > self.limit,
            ConditionComparison::AtLeast => value >= self.limit,
            ConditionComparison::Less => value < self.limit,
            ConditionComparison::AtMost => value <= self.limit,
        })
    }

    fn covers(&self, job: &JobResult) -> bool {
        self.filter.as_ref().is_none_or(|(key, value)| match key.as_str() {
            "queue" => *job.queue == **value,
            "width" => width(job.cores) == *value,
            "length" => length(job.walltime) == *value,
            _ => *job.user == **value,
        })
    }
}

fn read_filter(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once('=')?;
    let key = key.trim();
    matches!(key, "queue" | "user" | "width" | "length").then(|| (key.to_owned(), value.trim().to_owned()))
}

/// Parses a number, a percentage, or a duration in seconds.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let percent = text.strip_suffix('%').and_then(|percent| percent.trim().parse::<f64>().ok());
    let number = percent.map(|percent| percent / 100.0).or_else(|| text.parse().ok());
    number.or_else(|| parse_duration(text)).filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use qscope_engine::cluster::Job;

    use super::*;

    #[test]
    fn conditions_have_a_figure_a_class_and_a_limit() {
        let condition = SimulationCondition::parse("wait_p95(queue=small) > 2h").unwrap();
        assert_eq!(condition.limit, 7200.0);
        assert_eq!(condition.filter, Some(("queue".to_owned(), "small".to_owned())));
        assert_eq!(
            SimulationCondition::parse("utilisation<80%").unwrap().comparison,
            ConditionComparison::Less
        );
        for wrong in
            ["wait_p96 > 1", "wait_p95 = 1", "wait_p95 > x", "makespan(queue=a) > 1", "wait_max(nice=1) > 1"]
        {
            assert!(SimulationCondition::parse(wrong).is_err(), "{wrong}");
        }
        let mut start = Snapshot::empty("t", qscope_engine::cluster::Epoch(0));
        start.jobs = [Job { user: "ann".into(), ..Job::default() }].into_iter().collect();
        let checked = |text: &str| SimulationCondition::parse(text).unwrap().check(&start, &[]);
        for known in ["started(length=to 4h) > 1", "started(width=17-32) > 1", "started(user=ann) > 1"] {
            assert_eq!(checked(known), Ok(()));
        }
        let unknown = checked("started(user=anne) > 1").unwrap_err();
        assert_eq!(unknown.what, "no job of user `anne`, did you mean `ann`?");
        for unknown in ["started(length=4h) > 1", "started(width=17) > 1"] {
            assert!(checked(unknown).unwrap_err().what.contains("the classes are"), "{unknown}");
        }
    }
}

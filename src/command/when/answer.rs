//! The answer as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::cluster::Epoch;
use qscope_explain::{Cause, Forecast};
use qscope_simulate::start_distribution::back_test::{BackTest, PredictionCounts, TestedPrediction};
use qscope_simulate::start_distribution::calibration::calibrated_counts;
use qscope_simulate::start_distribution::{EstimatedShare, StartDistribution};

use super::{StartSubject, WhenAnswer};

/// The whole answer; moments are in seconds since 1970.
#[derive(Serialize)]
pub(super) struct WhenJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a str>,
    /// `waits`, or the state letter of a job that does not wait for nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<i64>,
    /// The job for which this cycle preempts a running one.
    #[serde(skip_serializing_if = "Option::is_none")]
    preempted_by: Option<&'a str>,
    /// What becomes of the running job then.
    #[serde(skip_serializing_if = "Option::is_none")]
    preempted_how: Option<&'static str>,
    now: i64,
    seed: u64,
    runs_asked: u32,
    /// Whether run times or arrivals are drawn, so that the runs differ.
    drawn: bool,
    #[serde(flatten)]
    found: Option<StartDistribution>,
    /// What keeps a job waiting in the current cycle; only for a job that starts in no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a Cause>,
    /// The start of such a job in the cycle run forward, as in `why`.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<&'a Forecast>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<CalibratedIntervalJson>,
    drawn_from: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    days_ahead: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    back_test: Option<BackTestJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// The interval, adjusted by the outcomes of past statements.
#[derive(Serialize)]
struct CalibratedIntervalJson {
    p10: Option<i64>,
    p90: Option<i64>,
    statements: usize,
}

#[derive(Serialize)]
struct BackTestJson<'a> {
    moments: u32,
    #[serde(flatten)]
    all: PredictionCountsJson,
    queues: BTreeMap<&'a str, PredictionCountsJson>,
    /// The same, with each interval adjusted by what was known before it.
    calibrated: BTreeMap<String, PredictionCountsJson>,
    made: Vec<TestedPredictionJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// One statement of the back-test, and when the job started.
#[derive(Serialize)]
struct TestedPredictionJson<'a> {
    job: &'a str,
    queue: &'a str,
    at: Epoch,
    p10: Option<Epoch>,
    p50: Option<Epoch>,
    p90: Option<Epoch>,
    start: Option<Epoch>,
}

#[derive(Serialize)]
struct PredictionCountsJson {
    statements: usize,
    inside: usize,
    earlier: usize,
    later: usize,
    #[serde(flatten)]
    share: EstimatedShare,
}

impl<'a> WhenJson<'a> {
    pub(super) fn of(answer: &'a WhenAnswer) -> Self {
        let (job, state, since, found, later) = match &answer.subject {
            StartSubject::BackTest => (None, None, None, None, None),
            StartSubject::NotWaiting { job, state, since, .. } => {
                (Some(&**job), Some(state.letter().to_string()), since.map(|at| at.0), None, None)
            }
            StartSubject::Waits { job, distribution, unstarted, .. } => {
                let later = unstarted.as_deref();
                let found =
                    if answer.draws && answer.runs > 1 { distribution.clone() } else { single(distribution) };
                (Some(&**job), Some("waits".to_owned()), None, Some(found), later)
            }
        };
        let preempted = match &answer.subject {
            StartSubject::NotWaiting { end: Some(end), .. } => end.preempted.as_ref(),
            _ => None,
        };
        Self {
            job,
            state,
            since,
            preempted_by: preempted.map(|(by, _)| &**by),
            preempted_how: preempted.map(|(_, method)| method.word()),
            now: answer.input.start.now.0,
            seed: answer.seed,
            runs_asked: answer.asked_runs,
            drawn: answer.draws,
            found,
            cause: later.and_then(|later| later.cause.as_ref()),
            estimate: later.and_then(|later| later.forecast.as_ref()),
            calibrated: answer.calibrated_interval().map(|(interval, statements)| CalibratedIntervalJson {
                p10: interval.low.map(|at| at.0),
                p90: interval.high.map(|at| at.0),
                statements,
            }),
            drawn_from: answer.drawn_from,
            days_ahead: answer.days.map(|(_, ahead)| ahead),
            back_test: answer.back_test.as_ref().map(BackTestJson::of),
            notes: answer.notes(),
        }
    }
}

/// Returns a single run: its start, and no intervals.
fn single(found: &StartDistribution) -> StartDistribution {
    StartDistribution { p10: None, p90: None, within: Vec::new(), ..found.clone() }
}

impl<'a> BackTestJson<'a> {
    fn of(back_test: &'a BackTest) -> Self {
        Self {
            moments: back_test.moments,
            all: PredictionCountsJson::of(back_test.all),
            queues: back_test
                .queues
                .iter()
                .map(|(queue, held)| (&**queue, PredictionCountsJson::of(*held)))
                .collect(),
            calibrated: calibrated_counts(&back_test.statements)
                .into_iter()
                .map(|(queue, held)| (queue.to_string(), PredictionCountsJson::of(held)))
                .collect(),
            made: back_test.statements.iter().map(TestedPredictionJson::of).collect(),
            cut: back_test.is_cut,
        }
    }
}

impl<'a> TestedPredictionJson<'a> {
    fn of(made: &'a TestedPrediction) -> Self {
        let StartDistribution { p10, p50, p90, .. } = made.distribution;
        let TestedPrediction { job, queue, at, start, .. } = made;
        Self { job, queue, at: *at, p10, p50, p90, start: *start }
    }
}

impl PredictionCountsJson {
    fn of(counts: PredictionCounts) -> Self {
        let PredictionCounts { all, inside, earlier } = counts;
        Self {
            statements: all,
            inside,
            earlier,
            later: counts.later(),
            share: EstimatedShare::of(inside, all),
        }
    }
}

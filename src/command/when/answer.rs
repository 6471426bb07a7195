//! The answer for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use qscope_engine::cluster::Epoch;
use qscope_simulate::when::back_test::{BackTest, Held, Statement};
use qscope_simulate::when::calibration::held;
use qscope_simulate::when::{Distribution, Share};

use super::{StartSubject, WhenAnswer};

/// The whole answer; moments in seconds since 1970.
#[derive(Serialize)]
pub(super) struct WhenJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a str>,
    /// `waits`, or the state letter of a job that does not wait for nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<i64>,
    now: i64,
    seed: u64,
    runs_asked: u32,
    #[serde(flatten)]
    found: Option<FoundJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<CalibratedJson>,
    drawn_from: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    days_ahead: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    back_test: Option<BackTestJson<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

/// The interval moved by what became of past statements.
#[derive(Serialize)]
struct CalibratedJson {
    p10: Option<i64>,
    p90: Option<i64>,
    statements: usize,
}

#[derive(Serialize)]
struct FoundJson {
    runs: usize,
    started: usize,
    p10: Option<i64>,
    p50: Option<i64>,
    p90: Option<i64>,
    /// Started after at most so many seconds: the share, and its 95 % interval.
    within: Vec<WithinJson>,
}

#[derive(Serialize)]
struct WithinJson {
    seconds: i64,
    #[serde(flatten)]
    share: ShareJson,
}

#[derive(Serialize)]
struct ShareJson {
    share: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct BackTestJson<'a> {
    moments: u32,
    #[serde(flatten)]
    all: HeldJson,
    queues: BTreeMap<&'a str, HeldJson>,
    /// The same with each interval moved by what was known before it.
    calibrated: BTreeMap<String, HeldJson>,
    made: Vec<StatementJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

/// One statement of the back-test, and when the job started.
#[derive(Serialize)]
struct StatementJson<'a> {
    job: &'a str,
    queue: &'a str,
    at: i64,
    p10: Option<i64>,
    p50: Option<i64>,
    p90: Option<i64>,
    start: Option<i64>,
}

#[derive(Serialize)]
struct HeldJson {
    statements: usize,
    inside: usize,
    earlier: usize,
    later: usize,
    #[serde(flatten)]
    share: ShareJson,
}

impl<'a> WhenJson<'a> {
    pub(super) fn of(answer: &'a WhenAnswer) -> Self {
        let (job, state, since, found) = match &answer.subject {
            StartSubject::BackTest => (None, None, None, None),
            StartSubject::Settled { job, state, since } => {
                (Some(&**job), Some(state.letter().to_string()), since.map(|at| at.0), None)
            }
            StartSubject::Waits { job, found } => {
                (Some(&**job), Some("waits".to_owned()), None, Some(FoundJson::of(found)))
            }
        };
        Self {
            job,
            state,
            since,
            now: answer.input.start.now.0,
            seed: answer.seed,
            runs_asked: answer.asked_runs,
            found,
            calibrated: answer.moved().map(|(interval, statements)| CalibratedJson {
                p10: interval.low.map(|at| at.0),
                p90: interval.high.map(|at| at.0),
                statements,
            }),
            drawn_from: answer.drawn_from,
            days_ahead: answer.days.map(|(_, ahead)| ahead),
            back_test: answer.back_test.as_ref().map(BackTestJson::of),
            notes: &answer.input.arrivals.notes,
        }
    }
}

impl FoundJson {
    fn of(found: &Distribution) -> Self {
        let seconds = |at: Option<Epoch>| at.map(|at| at.0);
        let within =
            |(seconds, share): &(i64, Share)| WithinJson { seconds: *seconds, share: (*share).into() };
        Self {
            runs: found.runs,
            started: found.started,
            p10: seconds(found.p10),
            p50: seconds(found.p50),
            p90: seconds(found.p90),
            within: found.within.iter().map(within).collect(),
        }
    }
}

impl From<Share> for ShareJson {
    fn from(share: Share) -> Self {
        let places = |value: f64| (value * 1e6).round() / 1e6;
        Self { share: places(share.share), low: places(share.interval.0), high: places(share.interval.1) }
    }
}

impl<'a> BackTestJson<'a> {
    fn of(found: &'a BackTest) -> Self {
        Self {
            moments: found.moments,
            all: HeldJson::of(found.all),
            queues: found.queues.iter().map(|(queue, held)| (&**queue, HeldJson::of(*held))).collect(),
            calibrated: held(&found.statements)
                .into_iter()
                .map(|(queue, held)| (queue.to_string(), HeldJson::of(held)))
                .collect(),
            made: found.statements.iter().map(StatementJson::of).collect(),
            cut: found.is_cut,
        }
    }
}

impl<'a> StatementJson<'a> {
    fn of(made: &'a Statement) -> Self {
        let seconds = |at: Option<Epoch>| at.map(|at| at.0);
        let Distribution { p10, p50, p90, .. } = made.found;
        Self {
            job: &made.job,
            queue: &made.queue,
            at: made.at.0,
            p10: seconds(p10),
            p50: seconds(p50),
            p90: seconds(p90),
            start: seconds(made.start),
        }
    }
}

impl HeldJson {
    fn of(held: Held) -> Self {
        let Held { all, inside, earlier } = held;
        Self { statements: all, inside, earlier, later: held.later(), share: Share::of(inside, all).into() }
    }
}

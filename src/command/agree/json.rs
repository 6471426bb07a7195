//! The answer of `qscope agree` as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use qscope_session::Generation;
use qscope_session::agreement::{
    Agreement, Class, ClassTally, JobAgreement, LogAgreement, Order, Prediction, TurnAgreement,
};

/// How the model agrees with the scheduler.
#[derive(Serialize)]
pub(super) struct AgreeJson<'a> {
    /// The title of the folder.
    case: &'a str,
    /// The moment of the dump, in seconds since 1970.
    now: i64,
    /// The result in one line of text.
    summary: String,
    /// The waiting jobs of each class.
    #[serde(rename = "said")]
    recorded: ClassTally,
    /// The waiting jobs against their comments and estimates, in the order of the dump.
    jobs: Vec<ComparedJobJson<'a>>,
    /// The cycle of sched_log that followed the dump.
    log: Option<LogJson<'a>>,
    /// Why there is no such cycle.
    log_note: Option<&'a String>,
    /// With a later folder: the predicted starts against those that happened.
    prediction: Option<Value>,
}

/// A waiting job; its class is the worst of its three comparisons.
#[derive(Serialize)]
struct ComparedJobJson<'a> {
    id: &'a str,
    class: Class,
    #[serde(flatten)]
    compared: &'a JobAgreement,
    /// What the comment is evidence of that was not seen, and the file to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_seen: Option<Value>,
}

/// The modelled cycle against the logged one.
#[derive(Serialize)]
struct LogJson<'a> {
    /// When the logged cycle began, in seconds since 1970.
    started: Option<i64>,
    /// Whether the log has lines on chunks and nodes.
    detailed: bool,
    order: &'a Order,
    #[serde(rename = "said")]
    recorded: ClassTally,
    /// The jobs in the order of the log.
    turns: Vec<TurnJson<'a>>,
}

/// One job of the logged cycle; its class is the worst of its four comparisons.
#[derive(Serialize)]
struct TurnJson<'a> {
    id: &'a str,
    class: Class,
    #[serde(flatten)]
    compared: &'a TurnAgreement,
}

impl<'a> AgreeJson<'a> {
    pub(super) fn of(generation: &'a Generation, agreement: &'a Agreement) -> Self {
        Self {
            case: &generation.snapshot.title,
            now: generation.snapshot.now.0,
            summary: agreement.summary(),
            recorded: agreement.recorded(),
            jobs: agreement.jobs(&generation.run).iter().map(ComparedJobJson::of).collect(),
            log: agreement.log.as_ref().ok().map(LogJson::of),
            log_note: agreement.log.as_ref().err(),
            prediction: agreement.prediction.as_ref().map(prediction_json),
        }
    }
}

impl<'a> ComparedJobJson<'a> {
    fn of(job: &'a JobAgreement) -> Self {
        Self {
            id: &job.name,
            class: job.class(),
            compared: job,
            not_seen: job.not_seen.map(|fact| json!({ "fact": fact.word(), "add": fact.source() })),
        }
    }
}

impl<'a> LogJson<'a> {
    fn of(log: &'a LogAgreement) -> Self {
        Self {
            started: log.started.map(|at| at.0),
            detailed: log.detailed,
            order: &log.order,
            recorded: log.tally(),
            turns: log.turns.iter().map(TurnJson::of).collect(),
        }
    }
}

impl<'a> TurnJson<'a> {
    fn of(turn: &'a TurnAgreement) -> Self {
        Self { id: &turn.job, class: turn.class(), compared: turn }
    }
}

/// The starts of one cycle against those that happened by a later dump.
fn prediction_json(prediction: &Prediction) -> Value {
    let score = prediction.score;
    json!({
        "from": prediction.from.0,
        "to": prediction.to.0,
        "starts": score.starts,
        "predicted": score.predicted,
        "same_nodes": score.same_nodes,
        "known": score.known(),
        "right": score.right(),
        "right_by_nothing": score.right_by_nothing(),
        "missed": prediction.missed,
        "gone": prediction.gone,
        "jobs": prediction.starts,
    })
}

//! The answer of `qscope agree` as JSON.

use serde::Serialize;

use qscope_engine::cluster::Name;
use qscope_session::Generation;
use qscope_session::agreement::{
    Agreement, AgreementClass, AgreementTally, JobAgreement, LogAgreement, OrderAgreement, PredictedStart,
    Prediction, TurnAgreement,
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
    recorded: AgreementTally,
    /// The waiting jobs against their comments and estimates, in the order of the dump.
    jobs: Vec<ComparedJobJson<'a>>,
    /// The cycle of sched_log that followed the dump.
    log: Option<LoggedCycleJson<'a>>,
    /// Why there is no such cycle.
    log_note: Option<&'a String>,
    /// With a later folder: the predicted starts against those that happened.
    prediction: Option<PredictionJson<'a>>,
}

/// A waiting job; its class is the worst of its three comparisons.
#[derive(Serialize)]
struct ComparedJobJson<'a> {
    id: &'a str,
    class: AgreementClass,
    #[serde(flatten)]
    compared: &'a JobAgreement,
    /// What the comment is evidence of that was not seen, and the file to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_seen: Option<UnseenFactJson>,
}

/// A kind of setting, and the file that shows it.
#[derive(Serialize)]
struct UnseenFactJson {
    fact: &'static str,
    add: &'static str,
}

/// The modelled cycle against the logged one.
#[derive(Serialize)]
struct LoggedCycleJson<'a> {
    /// When the logged cycle began, in seconds since 1970.
    started: Option<i64>,
    /// Whether the log has lines on chunks and nodes.
    detailed: bool,
    order: &'a OrderAgreement,
    #[serde(rename = "said")]
    recorded: AgreementTally,
    /// The jobs in the order of the log.
    turns: Vec<LoggedJobJson<'a>>,
}

/// One job of the logged cycle; its class is the worst of its four comparisons.
#[derive(Serialize)]
struct LoggedJobJson<'a> {
    id: &'a str,
    class: AgreementClass,
    #[serde(flatten)]
    compared: &'a TurnAgreement,
}

/// The starts of one cycle against those that happened by a later dump.
#[derive(Serialize)]
struct PredictionJson<'a> {
    /// Seconds since 1970.
    from: i64,
    to: i64,
    /// Jobs that started.
    starts: usize,
    /// Of those, predicted.
    predicted: usize,
    /// Of those, on the predicted nodes.
    same_nodes: usize,
    /// Jobs of which it is known whether they started.
    known: usize,
    /// Of those, predicted right.
    right: usize,
    /// How many would be right if no start were predicted.
    right_by_nothing: usize,
    /// Jobs predicted to start that still wait.
    missed: &'a [Name],
    /// Jobs predicted to start that are not in the later dump.
    gone: &'a [Name],
    jobs: &'a [PredictedStart],
}

impl<'a> AgreeJson<'a> {
    pub(super) fn of(generation: &'a Generation, agreement: &'a Agreement) -> Self {
        Self {
            case: &generation.snapshot.title,
            now: generation.snapshot.now.0,
            summary: agreement.summary(),
            recorded: agreement.recorded(),
            jobs: agreement.jobs(&generation.run).iter().map(ComparedJobJson::of).collect(),
            log: agreement.log.as_ref().ok().map(LoggedCycleJson::of),
            log_note: agreement.log.as_ref().err(),
            prediction: agreement.prediction.as_ref().map(PredictionJson::of),
        }
    }
}

impl<'a> ComparedJobJson<'a> {
    fn of(job: &'a JobAgreement) -> Self {
        Self {
            id: &job.name,
            class: job.class(),
            compared: job,
            not_seen: job.not_seen.map(|fact| UnseenFactJson { fact: fact.word(), add: fact.source() }),
        }
    }
}

impl<'a> LoggedCycleJson<'a> {
    fn of(log: &'a LogAgreement) -> Self {
        Self {
            started: log.started.map(|at| at.0),
            detailed: log.detailed,
            order: &log.order,
            recorded: log.tally(),
            turns: log.turn_agreements.iter().map(LoggedJobJson::of).collect(),
        }
    }
}

impl<'a> LoggedJobJson<'a> {
    fn of(turn: &'a TurnAgreement) -> Self {
        Self { id: &turn.job, class: turn.class(), compared: turn }
    }
}

impl<'a> PredictionJson<'a> {
    fn of(prediction: &'a Prediction) -> Self {
        let score = prediction.score;
        Self {
            from: prediction.from.0,
            to: prediction.to.0,
            starts: score.starts,
            predicted: score.predicted,
            same_nodes: score.same_nodes,
            known: score.decided(),
            right: score.right(),
            right_by_nothing: score.baseline_correct(),
            missed: &prediction.missed,
            gone: &prediction.gone,
            jobs: &prediction.starts,
        }
    }
}

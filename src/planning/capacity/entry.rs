//! Problems of the scaler as JSON, each recognised by its keys, and their answers.
//!
//! | keys | problem |
//! |---|---|
//! | `mode` | packing: node shapes, jobs, target time |
//! | `config` and `steps` | estimates in sequence |
//! | `config` and `jobs` | the closed loop |
//! | `static` | updates of a fleet in sequence |
//! | `beta` | smoothing |
//! | `events` | wall times from history |
//! | six numbers | overhead |
//! | one or two numbers | rounding |
//!
//! A list of problems is answered by the list of answers, and an object whose keys are none of these by
//! the object of the answers of its members.

mod closed_loop;
mod estimates;
mod numbers;
mod packing;
mod read;
mod tokens;
mod updates;
mod write;

use serde::Serialize;
use serde_json::{Map, Value};

use super::estimate::Fidelity;

pub use closed_loop::{LoopAnswer, LoopStateRow, ServiceCheckJson};
pub use estimates::EstimatesAnswer;
pub use numbers::{HistoryAnswer, NumbersAnswer, OverheadRow, OverheadsAnswer, SmoothingAnswer};
pub use packing::{PackingAnswer, PackingOutcome, pack};
pub use read::EntryError;
pub use updates::UpdatesAnswer;
pub use write::{EntryDifference, LimitRow, NodeTypeRow, PlainNumber, ShapeRow, UnfitRow};

use read::PathValue;

/// The answer to a file: to a problem, to a list of problems, or to an object of them.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum ScalerAnswer<'a> {
    Problem(ProblemAnswer<'a>),
    Numbers(NumbersAnswer),
    /// The answers of an `overhead` section.
    Overheads(OverheadsAnswer),
    /// The answers to a list, in its order.
    List(Vec<Self>),
    /// The answers to the members of an object.
    #[serde(serialize_with = "write::by_key")]
    Members(Vec<(&'a str, Self)>),
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ProblemAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a Value>,
    #[serde(flatten)]
    pub answer: AnswerByKind,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum AnswerByKind {
    Packing(PackingOutcome),
    Estimates(EstimatesAnswer),
    Loop(LoopAnswer),
    Updates(UpdatesAnswer),
    Smoothing(SmoothingAnswer),
    History(HistoryAnswer),
}

/// Reads the text of a problem. Non-finite numbers become strings, so that the reader of fields can report
/// them.
///
/// # Errors
/// The text is not JSON.
pub fn read_text(text: &str) -> Result<Value, EntryError> {
    serde_json::from_str(&tokens::quote_endless(text))
        .map_err(|error| EntryError { path: "the file".to_owned(), what: format!("not JSON: {error}") })
}

/// Answers a problem.
///
/// # Errors
/// The first fault, with the path of its item.
pub fn answer(problem: &Value, fidelity: Fidelity) -> Result<ScalerAnswer<'_>, EntryError> {
    scaler_answer(&PathValue::root(problem), fidelity)
}

fn scaler_answer<'a>(at: &PathValue<'a>, fidelity: Fidelity) -> Result<ScalerAnswer<'a>, EntryError> {
    match at.value {
        Value::Object(object) => match keyed(at, object, fidelity)? {
            Some(answer) => Ok(ScalerAnswer::Problem(ProblemAnswer { name: object.get("name"), answer })),
            None => members(at, object, fidelity),
        },
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_number) => {
            numbers::numbers(at).map(ScalerAnswer::Numbers)
        }
        Value::Array(items) if !items.is_empty() => at
            .items(items)
            .map(|item| scaler_answer(&item, fidelity))
            .collect::<Result<_, _>>()
            .map(ScalerAnswer::List),
        _ => Err(at.error("is no problem of the scaler")),
    }
}

/// Answers the problem whose keys an object has; none if the keys are of no problem.
fn keyed(
    at: &PathValue<'_>,
    object: &Map<String, Value>,
    fidelity: Fidelity,
) -> Result<Option<AnswerByKind>, EntryError> {
    let has_key = |key| object.contains_key(key);
    let answer = if has_key("mode") {
        AnswerByKind::Packing(packing::answer(at, fidelity)?)
    } else if has_key("config") && has_key("steps") {
        AnswerByKind::Estimates(estimates::answer(at, fidelity)?)
    } else if has_key("config") && has_key("jobs") {
        AnswerByKind::Loop(closed_loop::answer(at, fidelity)?)
    } else if has_key("static") {
        AnswerByKind::Updates(updates::answer(at, fidelity)?)
    } else if has_key("beta") {
        AnswerByKind::Smoothing(numbers::smooth(at)?)
    } else if has_key("events") {
        AnswerByKind::History(numbers::runtime(at, fidelity)?)
    } else {
        return Ok(None);
    };
    Ok(Some(answer))
}

/// Keys of a file of sections that are not problems.
const ABOUT: [&str; 2] = ["source", "format"];

fn members<'a>(
    at: &PathValue<'a>,
    object: &'a Map<String, Value>,
    fidelity: Fidelity,
) -> Result<ScalerAnswer<'a>, EntryError> {
    let mut answers = Vec::new();
    for (key, value) in object.iter().filter(|(key, _)| !ABOUT.contains(&key.as_str())) {
        let member = at.member(key, value);
        // Overheads may be given without their answers; elsewhere two numbers are a rounding problem.
        let answer = match key.as_str() {
            "overhead" => ScalerAnswer::Overheads(numbers::overheads(&member)?),
            _ if !member.value.is_array() => {
                return Err(at.error("has none of the keys mode, config, static, beta, events"));
            }
            _ => scaler_answer(&member, fidelity)?,
        };
        answers.push((key.as_str(), answer));
    }
    if answers.is_empty() {
        return Err(at.error("has none of the keys mode, config, static, beta, events"));
    }
    Ok(ScalerAnswer::Members(answers))
}

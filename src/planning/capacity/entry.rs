//! Problems of the scaler as JSON, each known by its keys, and their answers.
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

mod estimates;
mod looped;
mod packing;
mod read;
mod small;
mod tokens;
mod updates;
mod write;

use serde_json::{Map, Value, json};

use super::estimate::Fidelity;

pub use read::EntryError;

use read::At;

/// Reads the text of a problem. Numbers without end become texts, to be named when they are used.
///
/// # Errors
/// It is no JSON.
pub fn read_text(text: &str) -> Result<Value, EntryError> {
    serde_json::from_str(&tokens::quote_endless(text))
        .map_err(|error| EntryError { path: "the file".to_owned(), what: format!("not JSON: {error}") })
}

/// Answers a problem.
///
/// # Errors
/// What is wrong, and at which item.
pub fn answer(problem: &Value, fidelity: Fidelity) -> Result<Value, EntryError> {
    any(&At::root(problem), fidelity)
}

fn any(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    match at.value {
        Value::Object(object) => keyed(at, object, fidelity),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_number) => small::numbers(at),
        Value::Array(items) if !items.is_empty() => {
            at.items(items).map(|item| any(&item, fidelity)).collect::<Result<Vec<_>, _>>().map(Value::from)
        }
        _ => Err(at.error("is no problem of the scaler")),
    }
}

fn keyed(at: &At<'_>, object: &Map<String, Value>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let has = |key| object.contains_key(key);
    let mut answer = if has("mode") {
        packing::answer(at, fidelity)?
    } else if has("config") && has("steps") {
        estimates::answer(at, fidelity)?
    } else if has("config") && has("jobs") {
        looped::answer(at, fidelity)?
    } else if has("static") {
        updates::answer(at, fidelity)?
    } else if has("beta") {
        small::smooth(at)?
    } else if has("events") {
        small::runtime(at, fidelity)?
    } else {
        return members(at, object, fidelity);
    };
    if let (Some(name), Some(answer)) = (object.get("name"), answer.as_object_mut()) {
        answer.shift_insert(0, "name".to_owned(), name.clone());
    }
    Ok(answer)
}

/// The keys of a file of sections that are no problems.
const ABOUT: [&str; 2] = ["source", "format"];

fn members(at: &At<'_>, object: &Map<String, Value>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let mut answers = Map::new();
    for (key, value) in object.iter().filter(|(key, _)| !ABOUT.contains(&key.as_str())) {
        let member = at.member(key, value);
        // Overheads may be given without their answers; elsewhere two numbers are a rounding.
        let answer = match key.as_str() {
            "overhead" => small::overheads(&member)?,
            _ if !member.value.is_array() => {
                return Err(at.error("has none of the keys mode, config, static, beta, events"));
            }
            _ => any(&member, fidelity)?,
        };
        answers.insert(key.clone(), answer);
    }
    if answers.is_empty() {
        return Err(at.error("has none of the keys mode, config, static, beta, events"));
    }
    Ok(Value::Object(answers))
}

/// What the default does otherwise than the original here, for people and programs.
fn difference(defect: &str, what: &str) -> Value {
    json!({ "defect": defect, "what": what })
}

//! Estimates in sequence.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use crate::capacity::estimate::{Estimator, Fidelity, Lost, Options};
use crate::capacity::node_type::{self, NodeType};
use qscope_engine::cluster::Name;

use super::difference;
use super::read::{At, EntryError};
use super::write;

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let options = options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let types = node_type::in_order(at.types()?, compat).map_err(|error| at.error(error))?;
    let order: Value = types.iter().map(typed).collect();
    let mut estimator = Estimator::new(types.clone(), options);
    let mut original = Estimator::new(types, Options { fidelity: Fidelity::Compat, ..options });
    let after: Value = estimator.usable().iter().map(write::shape).collect();
    let mut steps = Vec::new();
    let mut lost = None;
    // A deficit stays until an update sets another.
    let mut deficits = FxHashMap::default();
    let field = at.field("steps")?;
    for step in field.items()? {
        let jobs = step.field("jobs")?.jobs()?;
        deficits.extend(self::deficits(&step)?);
        let mut object = Map::new();
        match estimator.cycle(&jobs, &deficits) {
            Ok(estimate) => {
                object.insert("counts".to_owned(), json!(estimate.counts));
                object.insert("weighted".to_owned(), json!(estimate.weighted));
                object.insert("unfit".to_owned(), write::unfit(&estimate.unfit));
                if !compat {
                    let differs = differences(&mut original, &jobs, &deficits, &estimate.counts);
                    object.insert("differs".to_owned(), differs);
                }
            }
            Err(Lost::Pack(error)) => return Err(step.error(error)),
            Err(error) => {
                lost = Some(error.to_string());
                object.insert("error".to_owned(), json!(error.to_string()));
            }
        }
        steps.push(Value::Object(object));
    }
    let mut answer = json!({ "order": order, "after_overhead": after, "steps": steps });
    if let (Some(error), Some(object)) = (lost, answer.as_object_mut()) {
        object.insert("error".to_owned(), json!(error));
    }
    Ok(answer)
}

/// `[shape, name, min, max]`.
pub(super) fn typed(kind: &NodeType) -> Value {
    json!([write::shape(&kind.shape), &*kind.name, kind.min, kind.max])
}

/// The options of `config`.
pub(super) fn options(at: &At<'_>, fidelity: Fidelity) -> Result<Options, EntryError> {
    let config = at.field("config")?;
    let number = |name, otherwise| config.optional(name).map_or(Ok(otherwise), |at| at.number());
    let zero_overhead = config.optional("assume_zero_overhead").map_or(Ok(false), |at| at.flag())?;
    Options {
        fidelity,
        target: number("target_time", 1800.0)?,
        beta: number("beta", 0.1)?,
        compensation: number("compensation", 0.0)?,
        zero_overhead,
    }
    .checked()
    .map_err(|error| config.error(error))
}

fn deficits(step: &At<'_>) -> Result<FxHashMap<Name, i64>, EntryError> {
    let Some(field) = step.optional("deficit") else { return Ok(FxHashMap::default()) };
    let names = field.value.as_object().ok_or_else(|| field.error("is not an object"))?;
    names.keys().map(|name| Ok((name.as_str().into(), field.field(name)?.whole()?))).collect()
}

/// What the original answers in the same cycle, where it is another number.
fn differences(
    original: &mut Estimator,
    jobs: &[crate::capacity::shape::Shape],
    deficits: &FxHashMap<Name, i64>,
    counts: &[i64],
) -> Value {
    match original.cycle(jobs, deficits) {
        Ok(theirs) if theirs.counts == counts => json!([]),
        Ok(theirs) => json!([difference(
            "13.3, 13.5 or 13.9",
            &format!(
                "the original asks for {:?}: its sums drift, its average remembers a need beyond the largest count, or it leaves idle room unused",
                theirs.counts
            ),
        )]),
        Err(Lost::Assertion) => {
            json!([difference("13.1", "the original fails its own check and loses this cycle")])
        }
        Err(Lost::SameUsableShape) => json!([difference(
            "13.4",
            "two types are equal once overhead is taken off: the original loses every cycle",
        )]),
        Err(Lost::Pack(error)) => json!([difference("-", &error.to_string())]),
    }
}

//! Estimates in sequence.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::capacity::estimate::{Estimator, Fidelity, Lost, Options};
use crate::capacity::node_type::{self, NodeType};
use qscope_engine::cluster::Name;

use super::difference;
use super::read::{At, Bounds, EntryError, Flag, Jobs, Named, Number, Whole};
use super::write;

/// A problem of estimates.
#[derive(Deserialize)]
struct Problem {
    types: Vec<Named>,
    config: Config,
    steps: Vec<Step>,
}

/// The scaler's options; what is missing is as in the original.
#[derive(Deserialize)]
pub(super) struct Config {
    target_time: Option<Number>,
    beta: Option<Number>,
    compensation: Option<Number>,
    assume_zero_overhead: Option<Flag>,
    /// Of the closed loop: seconds between two cycles.
    pub(super) interval: Option<Number>,
    /// Of the closed loop: seconds until a node is up.
    pub(super) boot: Option<Number>,
    #[serde(flatten)]
    pub(super) bounds: Bounds,
}

/// One cycle.
#[derive(Deserialize)]
struct Step {
    jobs: Jobs,
    /// How many nodes of each type could not be had; stays until another step sets it.
    deficit: Option<FxHashMap<String, Whole>>,
}

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let problem: Problem = at.read()?;
    let options = problem.config.options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let types = problem.config.bounds.of(problem.types, at)?;
    let types = node_type::in_order(types, compat).map_err(|error| at.error(error))?;
    let order: Value = types.iter().map(typed).collect();
    let mut estimator = Estimator::new(types.clone(), options);
    let mut original = Estimator::new(types, Options { fidelity: Fidelity::Compat, ..options });
    let after: Value = estimator.usable().iter().map(write::shape).collect();
    let mut steps = Vec::new();
    let mut lost = None;
    // A deficit stays until an update sets another.
    let mut deficits = FxHashMap::default();
    for (ix, Step { jobs: Jobs(jobs), deficit }) in problem.steps.into_iter().enumerate() {
        let deficit = deficit.unwrap_or_default().into_iter();
        deficits.extend(deficit.map(|(name, Whole(short))| (Name::from(name.as_str()), short)));
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
            Err(Lost::Pack(error)) => return Err(at.error_at(&format!("steps[{ix}]"), error)),
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

impl Config {
    /// The options, checked.
    pub(super) fn options(&self, at: &At<'_>, fidelity: Fidelity) -> Result<Options, EntryError> {
        let or = |given: Option<Number>, otherwise| given.map_or(otherwise, |Number(number)| number);
        let options = Options {
            fidelity,
            target: or(self.target_time, 1800.0),
            beta: or(self.beta, 0.1),
            compensation: or(self.compensation, 0.0),
            zero_overhead: self.assume_zero_overhead.is_some_and(|Flag(on)| on),
        };
        options.checked().map_err(|error| at.error_at("config", error))
    }
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
                "Toil asks for {:?}: its sums drift, its average remembers a need beyond the largest count, or it leaves idle room unused",
                theirs.counts
            ),
        )]),
        Err(Lost::Assertion) => {
            json!([difference("13.1", "Toil fails its own check and loses this cycle")])
        }
        Err(Lost::SameUsableShape) => json!([difference(
            "13.4",
            "two types are equal once overhead is taken off: Toil loses every cycle",
        )]),
        Err(Lost::Pack(error)) => json!([difference("-", &error.to_string())]),
    }
}

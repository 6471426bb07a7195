//! Estimates in sequence.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::capacity::{CapacityShape, Estimate, EstimateOptions, Estimator, Fidelity, Lost, node_type};
use qscope_engine::cluster::Name;

use super::read::{At, Bounds, EntryError, EntryJobs, Flag, Named, Number, Whole};
use super::write::{EntryDifference, NodeTypeRow, ShapeRow, UnfitRow, present};

#[derive(Deserialize)]
struct EstimateProblem {
    types: Vec<Named>,
    config: EstimateConfig,
    steps: Vec<EstimateCycle>,
}

/// The scaler's options; a missing one has the original's default.
#[derive(Deserialize)]
pub(super) struct EstimateConfig {
    target_time: Option<Number>,
    beta: Option<Number>,
    compensation: Option<Number>,
    assume_zero_overhead: Option<Flag>,
    /// Closed loop only: seconds between two cycles.
    pub(super) interval: Option<Number>,
    /// Closed loop only: seconds until a node is up.
    pub(super) boot: Option<Number>,
    #[serde(flatten)]
    pub(super) bounds: Bounds,
}

#[derive(Deserialize)]
struct EstimateCycle {
    jobs: EntryJobs,
    /// Number of nodes of each type that could not be obtained; kept until another step sets it.
    deficit: Option<FxHashMap<String, Whole>>,
}

/// Answers a problem of estimates with the node types in the order in which they are tried, what each has left once
/// overhead is taken off, and what each cycle asks for; with `error`, why the last cycle that was lost has no answer.
pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let problem: EstimateProblem = at.read()?;
    let options = problem.config.options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let types = problem.config.bounds.of(problem.types, at)?;
    let types = node_type::in_order(types, compat).map_err(|error| at.error(error))?;
    let order: Vec<NodeTypeRow> = types.iter().map(NodeTypeRow::from).collect();
    let mut estimator = Estimator::new(types.clone(), options);
    let mut original = Estimator::new(types, EstimateOptions { fidelity: Fidelity::Compat, ..options });
    let after_overhead: Vec<ShapeRow> = estimator.usable().iter().map(ShapeRow::from).collect();
    let (mut steps, mut error) = (Vec::new(), None);
    // A deficit is kept until a step sets another.
    let mut deficits = FxHashMap::default();
    for (ix, EstimateCycle { jobs: EntryJobs(jobs), deficit }) in problem.steps.into_iter().enumerate() {
        let deficit = deficit.unwrap_or_default().into_iter();
        deficits.extend(deficit.map(|(name, Whole(short))| (Name::from(name.as_str()), short)));
        steps.push(match estimator.cycle(&jobs, &deficits) {
            Ok(Estimate { counts, weighted, unfit, .. }) => {
                let unfit: Vec<UnfitRow> = unfit.iter().map(UnfitRow::from).collect();
                let differs = (!compat).then(|| differences(&mut original, &jobs, &deficits, &counts));
                present([
                    ("counts", Some(json!(counts))),
                    ("weighted", Some(json!(weighted))),
                    ("unfit", Some(json!(unfit))),
                    ("differs", differs.map(|differs| json!(differs))),
                ])
            }
            Err(Lost::Pack(error)) => return Err(at.error_at(&format!("steps[{ix}]"), error)),
            Err(lost) => {
                error = Some(json!(lost.to_string()));
                json!({ "error": lost.to_string() })
            }
        });
    }
    Ok(present([
        ("order", Some(json!(order))),
        ("after_overhead", Some(json!(after_overhead))),
        ("steps", Some(steps.into())),
        ("error", error),
    ]))
}

impl EstimateConfig {
    /// Returns the options after a check of their ranges.
    pub(super) fn options(&self, at: &At<'_>, fidelity: Fidelity) -> Result<EstimateOptions, EntryError> {
        let options = EstimateOptions {
            fidelity,
            target: self.target_time.map_or(1800.0, |Number(seconds)| seconds),
            beta: self.beta.map_or(0.1, |Number(share)| share),
            compensation: self.compensation.map_or(0.0, |Number(share)| share),
            zero_overhead: self.assume_zero_overhead.is_some_and(|Flag(on)| on),
        };
        options.checked().map_err(|error| at.error_at("config", error))
    }
}

/// Describes how the original's answer to the same cycle differs, if it does.
fn differences(
    original: &mut Estimator,
    jobs: &[CapacityShape],
    deficits: &FxHashMap<Name, i64>,
    counts: &[i64],
) -> Vec<EntryDifference> {
    let difference = match original.cycle(jobs, deficits) {
        Ok(theirs) if theirs.counts == counts => return Vec::new(),
        Ok(theirs) => EntryDifference::new(
            "13.3, 13.5 or 13.9",
            format!(
                "Toil asks for {:?}: its sums drift, its average remembers a need beyond the largest count, or it leaves idle room unused",
                theirs.counts
            ),
        ),
        Err(Lost::Assertion) => EntryDifference::new("13.1", "Toil fails its own check and loses this cycle"),
        Err(Lost::SameUsableShape) => EntryDifference::new(
            "13.4",
            "two types are equal once overhead is taken off: Toil loses every cycle",
        ),
        Err(Lost::Pack(error)) => EntryDifference::new("-", error.to_string()),
    };
    vec![difference]
}

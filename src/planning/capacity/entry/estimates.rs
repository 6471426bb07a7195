//! Estimates in sequence.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::capacity::{
    CapacityShape, EstimateOptions, Estimator, Fidelity, LostCycle, NodeEstimate, node_type,
};
use qscope_engine::cluster::Name;

use super::read::{
    EntryError, EntryJobs, FiniteNumber, Flag, NamedNodeShape, NodeCountBounds, PathValue, WholeNumber,
};
use super::write::{EntryDifference, NodeTypeRow, ShapeRow, UnfitRow};

#[derive(Deserialize)]
struct EstimateProblem {
    types: Vec<NamedNodeShape>,
    config: EstimateConfig,
    steps: Vec<EstimateCycle>,
}

/// The scaler's options; a missing one has the original's default.
#[derive(Deserialize)]
pub(super) struct EstimateConfig {
    target_time: Option<FiniteNumber>,
    beta: Option<FiniteNumber>,
    compensation: Option<FiniteNumber>,
    assume_zero_overhead: Option<Flag>,
    /// Closed loop only: seconds between two cycles.
    pub(super) interval: Option<FiniteNumber>,
    /// Closed loop only: seconds until a node is up.
    pub(super) boot: Option<FiniteNumber>,
    #[serde(flatten)]
    pub(super) bounds: NodeCountBounds,
}

#[derive(Deserialize)]
struct EstimateCycle {
    jobs: EntryJobs,
    /// Number of nodes of each type that could not be obtained; kept until another step sets it.
    deficit: Option<FxHashMap<String, WholeNumber>>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EstimatesAnswer {
    /// The node types, in the order in which they are tried.
    order: Vec<NodeTypeRow>,
    /// What each type has left once overhead is taken off.
    after_overhead: Vec<ShapeRow>,
    steps: Vec<EstimateStep>,
    /// Why the last cycle that was lost has no answer; absent when none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The answer of one cycle.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
enum EstimateStep {
    Estimated {
        /// Nodes to ask for, by type.
        counts: Vec<i64>,
        /// The moving average after this cycle, by type.
        weighted: Vec<f64>,
        /// Job shapes that fit no type, and what they lack.
        unfit: Vec<UnfitRow>,
        /// What the original answers otherwise; absent from the original's answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        differs: Option<Vec<EntryDifference>>,
    },
    /// The cycle has no answer.
    Lost { error: String },
}

/// Answers a problem of estimates.
pub(super) fn answer(at: &PathValue<'_>, fidelity: Fidelity) -> Result<EstimatesAnswer, EntryError> {
    let problem: EstimateProblem = at.read()?;
    let options = problem.config.options(at, fidelity)?;
    let compat = fidelity == Fidelity::Compat;
    let types = problem.config.bounds.of(problem.types, at)?;
    let types = node_type::sort_types(types, compat).map_err(|error| at.error(error))?;
    let order = types.iter().map(NodeTypeRow::from).collect();
    let mut estimator = Estimator::new(types.clone(), options);
    let mut original = Estimator::new(types, EstimateOptions { fidelity: Fidelity::Compat, ..options });
    let after_overhead = estimator.usable().iter().map(ShapeRow::from).collect();
    let mut answer = EstimatesAnswer { order, after_overhead, steps: Vec::new(), error: None };
    // A deficit is kept until a step sets another.
    let mut deficits = FxHashMap::default();
    for (ix, EstimateCycle { jobs: EntryJobs(jobs), deficit }) in problem.steps.into_iter().enumerate() {
        let deficit = deficit.unwrap_or_default().into_iter();
        deficits.extend(deficit.map(|(name, WholeNumber(short))| (Name::from(name.as_str()), short)));
        answer.steps.push(match estimator.cycle(&jobs, &deficits) {
            Ok(NodeEstimate { counts, weighted, unfit, .. }) => EstimateStep::Estimated {
                differs: (!compat).then(|| differences(&mut original, &jobs, &deficits, &counts)),
                unfit: unfit.iter().map(UnfitRow::from).collect(),
                counts,
                weighted,
            },
            Err(LostCycle::Pack(error)) => return Err(at.error_at(&format!("steps[{ix}]"), error)),
            Err(error) => {
                answer.error = Some(error.to_string());
                EstimateStep::Lost { error: error.to_string() }
            }
        });
    }
    Ok(answer)
}

impl EstimateConfig {
    /// Returns the options after a check of their ranges.
    pub(super) fn options(
        &self,
        at: &PathValue<'_>,
        fidelity: Fidelity,
    ) -> Result<EstimateOptions, EntryError> {
        let options = EstimateOptions {
            fidelity,
            target: self.target_time.map_or(1800.0, |FiniteNumber(seconds)| seconds),
            beta: self.beta.map_or(0.1, |FiniteNumber(share)| share),
            compensation: self.compensation.map_or(0.0, |FiniteNumber(share)| share),
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
        Err(LostCycle::Assertion) => {
            EntryDifference::new("13.1", "Toil fails its own check and loses this cycle")
        }
        Err(LostCycle::SameUsableShape) => EntryDifference::new(
            "13.4",
            "two types are equal once overhead is taken off: Toil loses every cycle",
        ),
        Err(LostCycle::Pack(error)) => EntryDifference::new("-", error.to_string()),
    };
    vec![difference]
}

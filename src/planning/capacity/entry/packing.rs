//! Packing problems.

mod slices;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capacity::estimate::{Fidelity, UnfitShape, reported, unfit};
use crate::capacity::{
    CapacityShape, Milli, PackError, Packer, PackerPlacement, PackingNumber, PackingRules,
};

use super::read::{Count, EntryError, EntryJobs, EntrySeconds, FiniteNumber, NodeShape, PathValue, repeated};
use super::write::{EntryDifference, ShapeRow, UnfitRow};
use slices::{NodeRun, reservations};

#[derive(Deserialize)]
struct PackingProblem {
    mode: PackingMode,
    /// Seconds by which jobs must begin.
    target_time: EntrySeconds,
    node_shapes: Vec<NodeShape>,
    /// Existing nodes, each as the index of its shape.
    preseed: Option<Vec<Count>>,
    /// Batches of jobs, packed one after the other.
    jobs: Vec<EntryJobs>,
}

/// How the jobs of a batch are packed.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PackingMode {
    /// Largest first.
    Pack,
    /// In their order.
    Add,
}

impl PackingProblem {
    fn nodes(&self) -> Vec<CapacityShape> {
        self.node_shapes.iter().map(|NodeShape(shape)| *shape).collect()
    }

    /// Returns the shapes of the existing nodes.
    fn preseed(&self, at: &PathValue<'_>) -> Result<Vec<CapacityShape>, EntryError> {
        let listed = self.preseed.iter().flatten().enumerate();
        let shape = |(place, Count(ix)): (usize, &Count)| {
            let found = usize::try_from(*ix).ok().and_then(|ix| self.node_shapes.get(ix));
            let missing =
                || at.error_at(&format!("preseed[{place}]"), format!("there is no node shape {ix}"));
            found.map(|NodeShape(shape)| *shape).ok_or_else(missing)
        };
        listed.map(shape).collect()
    }
}

/// The result of one packing.
struct PackingRun {
    order: Vec<CapacityShape>,
    required: Vec<u64>,
    reservations: Vec<Vec<NodeRun>>,
    unfit: Vec<UnfitShape>,
    assertions: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PackingAnswer {
    /// The node types, in the order in which they are tried.
    pub order: Vec<ShapeRow>,
    /// How many nodes of each type are needed.
    pub required: Vec<u64>,
    /// For each type its nodes, as runs of equal ones.
    reservations: Vec<Vec<NodeRun>>,
    /// Job shapes that fit no type, and what they lack.
    pub unfit: Vec<UnfitRow>,
    /// What each correction changes here; absent from the original's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<Vec<EntryDifference>>,
}

/// The answer, or that the original fails its own check and has none.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum PackingOutcome {
    Packed(PackingAnswer),
    Failed {
        /// The name of the original's error.
        error: &'static str,
    },
}

/// Answers a problem of packing.
pub(super) fn answer(at: &PathValue<'_>, fidelity: Fidelity) -> Result<PackingOutcome, EntryError> {
    solve(at, &at.read()?, fidelity)
}

/// Packs jobs, each with its count, largest first onto node types.
///
/// # Errors
/// A shape or the target time is invalid, or the jobs cannot be packed; with the path of the item.
pub fn pack(
    node_shapes: &[CapacityShape],
    jobs: &[(CapacityShape, u64)],
    target: f64,
    fidelity: Fidelity,
) -> Result<PackingOutcome, EntryError> {
    let at = PathValue::root(&Value::Null);
    let target_time =
        EntrySeconds::try_from(FiniteNumber(target)).map_err(|error| at.error_at("target_time", error))?;
    let node = |(ix, shape): (usize, &CapacityShape)| {
        let checked = shape.original_amounts().checked_as_node();
        checked.map(NodeShape).map_err(|error| at.error_at(&format!("node_shapes[{ix}]"), error))
    };
    let job = |(ix, (shape, count)): (usize, &(CapacityShape, u64))| {
        let checked = shape.original_amounts().checked();
        checked.map(|shape| (shape, *count)).map_err(|error| at.error_at(&format!("jobs[0][{ix}]"), error))
    };
    let node_shapes = node_shapes.iter().enumerate().map(node).collect::<Result<Vec<_>, _>>()?;
    let jobs = jobs.iter().enumerate().map(job).collect::<Result<Vec<_>, _>>()?;
    let jobs = repeated(jobs.into_iter()).map_err(|error| at.error_at("jobs[0]", error))?;
    let jobs = vec![EntryJobs(jobs)];
    let problem = PackingProblem { mode: PackingMode::Pack, target_time, node_shapes, preseed: None, jobs };
    solve(&at, &problem, fidelity)
}

fn solve(
    at: &PathValue<'_>,
    problem: &PackingProblem,
    fidelity: Fidelity,
) -> Result<PackingOutcome, EntryError> {
    let preseed = problem.preseed(at)?;
    let rules = |overflow, merge_equal| PackingRules { target: problem.target_time.0, overflow, merge_equal };
    let compat = run::<f64>(at, problem, &preseed, rules(false, true), Fidelity::Compat)?;
    if fidelity == Fidelity::Compat {
        return Ok(match compat.assertions {
            0 => PackingOutcome::Packed(compat.into_answer(None)),
            _ => PackingOutcome::Failed { error: "AssertionError" },
        });
    }
    let exact = run::<Milli>(at, problem, &preseed, rules(true, false), Fidelity::Corrected)?;
    let literal = run::<Milli>(at, problem, &preseed, rules(false, false), Fidelity::Corrected)?;
    let differs = differences(&compat, &literal, &exact);
    Ok(PackingOutcome::Packed(exact.into_answer(Some(differs))))
}

impl PackingRun {
    fn into_answer(self, differs: Option<Vec<EntryDifference>>) -> PackingAnswer {
        PackingAnswer {
            order: self.order.iter().map(ShapeRow::from).collect(),
            required: self.required,
            reservations: self.reservations,
            unfit: self.unfit.iter().map(UnfitRow::from).collect(),
            differs,
        }
    }
}

fn run<N: PackingNumber>(
    at: &PathValue<'_>,
    problem: &PackingProblem,
    preseed: &[CapacityShape],
    rules: PackingRules,
    fidelity: Fidelity,
) -> Result<PackingRun, EntryError> {
    let mut packer = Packer::<N>::new(problem.nodes(), rules);
    let order: Vec<CapacityShape> = packer.types().map(|(_, shape)| *shape).collect();
    for wanted in preseed {
        let kind = packer.types().find(|(_, shape)| *shape == wanted).map(|(kind, _)| kind);
        if let Some(kind) = kind {
            packer.preseed(kind);
        }
    }
    let mut unfits: Vec<UnfitShape> = Vec::new();
    for (ix, EntryJobs(batch)) in problem.jobs.iter().enumerate() {
        let fault = |error: PackError| at.error_at(&format!("jobs[{ix}]"), error);
        let mut jobs = batch.clone();
        if problem.mode == PackingMode::Pack {
            let placed = packer.pack(&mut jobs).map_err(fault)?;
            merge(&mut unfits, unfit(&jobs, &placed, &order, fidelity));
        } else {
            for job in &jobs {
                if packer.add(job).map_err(fault)? == PackerPlacement::Unfit {
                    unfits.push(UnfitShape { shape: *job, count: 1, lacks: reported(job, &order, fidelity) });
                }
            }
        }
    }
    let required = packer.counts();
    let reservations = reservations(&packer).ok_or_else(|| at.error("too many nodes to print"))?;
    Ok(PackingRun { order, required, reservations, unfit: unfits, assertions: packer.assertions() })
}

/// Adds shapes that fit nowhere; one seen in an earlier batch keeps its position.
fn merge(all: &mut Vec<UnfitShape>, more: Vec<UnfitShape>) {
    let have: FxHashMap<_, _> = all.iter().enumerate().map(|(ix, unfit)| (unfit.shape.key(), ix)).collect();
    for unfit in more {
        match have.get(&unfit.shape.key()).and_then(|ix| all.get_mut(*ix)) {
            Some(before) => before.count += unfit.count,
            None => all.push(unfit),
        }
    }
}

/// Describes the effect of each correction on this problem.
fn differences(compat: &PackingRun, literal: &PackingRun, exact: &PackingRun) -> Vec<EntryDifference> {
    let mut found = Vec::new();
    if compat.assertions > 0 {
        found.push(EntryDifference::new(
            "13.1",
            format!("Toil fails its own check on times at {} places and has no answer", compat.assertions),
        ));
    }
    let limits =
        |packed: &PackingRun| packed.unfit.iter().map(|unfit| unfit.lacks.clone()).collect::<Vec<_>>();
    if limits(compat) != limits(exact) {
        found.push(EntryDifference::new(
            "13.2",
            "limits are those of the closest type; Toil reports those of the last",
        ));
    }
    let duplicates = compat.order.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    if duplicates {
        found.push(EntryDifference::new("13.4", "Toil counts the nodes of equal types twice"));
    } else if compat.required != literal.required {
        found.push(EntryDifference::new(
            "13.3",
            format!(
                "sums of doubles drift: Toil needs {:?}, exact sums {:?}",
                compat.required, literal.required
            ),
        ));
    }
    if literal.required != exact.required || literal.reservations != exact.reservations {
        found.push(EntryDifference::new(
            "13.9",
            format!(
                "idle room on nodes of later types is used: {:?} nodes instead of {:?}",
                exact.required, literal.required
            ),
        ));
    }
    found
}

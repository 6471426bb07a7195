//! One node in a decision: every condition of a chunk spec of the select, in the order applied, and what would have
//! to be different for the node to pass.

use super::{DecisionTraceRef, Subject};
use crate::equal_specs::merge_equal_specs;
use crate::node_check::{Condition, FailedCondition, NodeCheck, SetCheckMode};
use crate::words;
use qscope_engine::cluster::{JobId, Seconds};
use qscope_engine::cycle::Run;
use qscope_engine::placement::{PlacementPath, nodes_for};
use qscope_engine::universe::{Bit, JobRequest, Occupant, Spec, State};
use rustc_hash::FxHashMap;

/// The test of one node for a chunk spec of a job's select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeTest {
    /// The chunk spec as written with the number requested: `4 × ncpus=4`.
    pub part: String,
    /// Every condition, in the order applied.
    pub conditions: Vec<TestedCondition>,
    /// What would have to be different; `None` if the node passes, or if no change of the job would help.
    pub would_pass: Option<String>,
}

/// A condition and its result on the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedCondition {
    /// In a few words: `ncpus ≥ 8 left`.
    pub label: String,
    /// The id of the rule that states it: `node-until-end`.
    pub rule: &'static str,
    pub passed: bool,
    /// What the node has instead; empty if it passes.
    pub found: String,
}

/// Tests a node in the state in which the job was considered; `None` for reservations and unreadable requests.
pub fn node_test(scene: DecisionTraceRef<'_>, node: Bit, part: usize) -> Option<NodeTest> {
    let Subject::Job(outcome) = scene.subject else { return None };
    let (state, request) = (scene.state, scene.request()?);
    let spec = request.specs.get(part)?;
    let list = nodes_for(state, scene.occupant());
    let path = outcome.path.unwrap_or(PlacementPath::Node);
    // The nodes of a level are those of the set being tried.
    let check = NodeCheck::new(state, outcome.job, request, &list, path, SetCheckMode::Unchecked);
    Some(tested(&check, state, request, spec, node))
}

/// Tests a node in the state after the cycle, for the chunk spec of the job's select of which it fails the fewest
/// conditions; `None` if the request cannot be read.
pub fn node_test_after(run: &Run, job: JobId, node: Bit) -> Option<NodeTest> {
    let state = run.end_at_server();
    let request = run.plan.request(job, None).ok()?;
    let request = &*merge_equal_specs(request);
    let list = nodes_for(state, Occupant::Job(job, None));
    let check = NodeCheck::new(state, job, request, &list, PlacementPath::Node, SetCheckMode::Unchecked);
    let id = run.plan.nodes[node].id;
    let spec = request.specs.iter().min_by_key(|spec| check.failures(spec, id).len())?;
    Some(tested(&check, state, request, spec, node))
}

/// Returns, for each of the nodes that fails a condition of a chunk spec, the first one that it fails; empty for
/// reservations and unreadable requests.
pub(super) fn first_failures(
    trace: DecisionTraceRef<'_>,
    part: usize,
    nodes: impl Iterator<Item = Bit>,
) -> FxHashMap<Bit, FailedCondition> {
    let Subject::Job(outcome) = trace.subject else { return FxHashMap::default() };
    let Some(request) = trace.request() else { return FxHashMap::default() };
    let Some(spec) = request.specs.get(part) else { return FxHashMap::default() };
    let list = nodes_for(trace.state, trace.occupant());
    let path = outcome.path.unwrap_or(PlacementPath::Node);
    let check = NodeCheck::new(trace.state, outcome.job, request, &list, path, SetCheckMode::Unchecked);
    let first = |bit: Bit| {
        let failures = check.failures(spec, trace.run.plan.nodes[bit].id);
        Some((bit, failures.into_iter().next()?))
    };
    nodes.filter_map(first).collect()
}

fn tested(check: &NodeCheck<'_>, state: &State, request: &JobRequest, spec: &Spec, node: Bit) -> NodeTest {
    let id = state.plan.nodes[node].id;
    let failures = check.failures(spec, id);
    let tested = |condition: &Condition| {
        let failure = failures.iter().find(|failure| failure.condition == *condition);
        let label = label(state, condition, request.duration);
        let found = failure.map_or_else(String::new, |failure| failure.has.clone());
        TestedCondition { label, rule: condition.rule(), passed: failure.is_none(), found }
    };
    let conditions = check.conditions(spec);
    let shown = conditions.iter().filter(|one| !matches!(one, Condition::Set | Condition::Partition));
    NodeTest {
        part: format!("{} × {}", spec.count, spec.chunk_text()),
        conditions: shown.map(tested).collect(),
        would_pass: check.would_pass(spec, id, &failures),
    }
}

/// Returns a condition in a few words, with the time until which the node must be free.
fn label(state: &State, condition: &Condition, duration: Seconds) -> String {
    match condition {
        Condition::Time if duration < Seconds::UNLIMITED => {
            format!("free until {}", words::time_of_day(&state.plan.snap, state.now + duration))
        }
        other => other.label(),
    }
}

//! The funnel: how many nodes are left after every condition, which ones are lost where, and which come
//! closest.

use serde::Serialize;

use qscope_engine::cluster::NodeId;

use super::node_check::{Condition, Failure, checked};
use super::turn::Turn;
use super::words;

/// One condition and the nodes before and after it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FunnelStep {
    pub condition: Condition,
    /// Nodes that met all conditions before it.
    pub before: u64,
    /// Nodes that meet it as well.
    pub after: u64,
    /// How many are lost here.
    pub lost: u64,
    /// Some of these.
    pub sample: Vec<NodeHas>,
}

/// A node, and what it has where the chunk requests something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeHas {
    /// Its name.
    pub node: String,
    /// What it has instead.
    pub has: String,
}

/// Nodes that fail a single condition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NearMiss {
    /// The condition.
    pub lacks: String,
    /// How many fail just this one.
    pub nodes: u64,
    /// Some of them, the closest first.
    pub sample: Vec<NodeHas>,
    /// How close each of these comes, in thousandths.
    #[serde(skip)]
    close: Vec<u32>,
}

/// The funnel of one part of the select.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Funnel {
    /// The part as written.
    pub part: String,
    /// How many chunks it requests.
    #[serde(rename = "wanted")]
    pub requested: u32,
    /// All nodes of the dump.
    pub nodes: u64,
    /// The conditions in order.
    pub steps: Vec<FunnelStep>,
    /// Nodes that meet every condition, counted by themselves.
    pub left: u64,
    /// Nodes that fail just one, the commonest first.
    #[serde(rename = "nearest")]
    pub near: Vec<NearMiss>,
}

/// How many nodes are named at each condition.
const SAMPLE: usize = 3;

impl Funnel {
    /// Whether every node is accounted for: each step begins where the one before it ended, none appears, and
    /// the last one leaves just those that fail nothing.
    pub fn adds_up(&self) -> bool {
        let starts = self.steps.first().is_none_or(|step| step.before == self.nodes);
        let chained = self.steps.windows(2).all(|pair| match pair {
            [one, next] => one.after == next.before,
            _ => true,
        });
        let falling = self.steps.iter().all(|step| step.after <= step.before);
        starts && chained && falling && self.steps.last().map_or(self.nodes, |step| step.after) == self.left
    }

    /// The closest misses in one sentence.
    pub fn nearest(&self) -> Option<String> {
        let first = self.near.first()?;
        let NodeHas { node, has } = first.sample.first()?;
        Some(format!(
            "{} {} all but {} (such as {node}: {has})",
            words::count(first.nodes, "node"),
            if first.nodes == 1 { "has" } else { "have" },
            first.lacks
        ))
    }
}

/// The funnel of every part of a job's select.
pub fn funnels(turn: &mut Turn) -> Vec<Funnel> {
    checked(turn, |state, request, check| {
        let snap = &state.plan.snap;
        let parts = request.specs.iter().map(|spec| {
            let failures = snap.nodes.ids().map(|id| (id, check.failures(spec, id)));
            let name = |id: NodeId| snap.nodes[id].name.to_string();
            let funnel = pour(check.conditions(spec), failures, &name, spec.chunk_text(), spec.count);
            debug_assert!(funnel.adds_up(), "{funnel:?}");
            funnel
        });
        parts.collect()
    })
}

fn pour(
    conditions: Vec<Condition>,
    failures: impl Iterator<Item = (NodeId, Vec<Failure>)>,
    name: &dyn Fn(NodeId) -> String,
    part: &str,
    requested: u32,
) -> Funnel {
    let mut lost: Vec<(u64, Vec<NodeHas>)> = conditions.iter().map(|_| (0, Vec::new())).collect();
    let mut near: Vec<NearMiss> = Vec::new();
    let (mut nodes, mut left) = (0, 0);
    for (id, failed) in failures {
        nodes += 1;
        let Some(first) = failed.first() else {
            left += 1;
            continue;
        };
        let at = conditions.iter().position(|condition| *condition == first.condition);
        if let Some((count, sample)) = at.and_then(|at| lost.get_mut(at)) {
            *count += 1;
            if sample.len() < SAMPLE {
                sample.push(NodeHas { node: name(id), has: first.has.clone() });
            }
        }
        if failed.len() == 1 {
            miss(&mut near, first, || name(id));
        }
    }
    near.sort_by_key(|miss| std::cmp::Reverse(miss.nodes));
    let mut before = nodes;
    let steps = conditions.into_iter().zip(lost).map(|(condition, (count, sample))| {
        let step = FunnelStep { condition, before, after: before - count, lost: count, sample };
        before = step.after;
        step
    });
    Funnel { part: part.to_owned(), requested, nodes, steps: steps.collect(), left, near }
}

fn miss(near: &mut Vec<NearMiss>, failure: &Failure, name: impl FnOnce() -> String) {
    let lacks = failure.condition.words();
    let at = near.iter().position(|miss| miss.lacks == lacks);
    let at = at.unwrap_or_else(|| {
        near.push(NearMiss { lacks, nodes: 0, sample: Vec::new(), close: Vec::new() });
        near.len() - 1
    });
    if let Some(miss) = near.get_mut(at) {
        miss.nodes += 1;
        let at = miss.close.iter().position(|have| *have < failure.close).unwrap_or(miss.close.len());
        if at < SAMPLE {
            miss.sample.insert(at, NodeHas { node: name(), has: failure.has.clone() });
            miss.close.insert(at, failure.close);
            miss.sample.truncate(SAMPLE);
            miss.close.truncate(SAMPLE);
        }
    }
}

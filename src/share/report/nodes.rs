//! The node map: a cell for each vnode, with a letter, so that colour is not the only distinction.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use qscope_engine::cluster::{Node, NodeId};
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::NodeUse;

/// The uses in the order of the legend.
pub(super) const USES: [NodeUse; 4] = [NodeUse::Free, NodeUse::Part, NodeUse::Full, NodeUse::Out];

/// Returns the letter in the cell of a vnode, and the cell's CSS class.
pub(super) fn sign(of: NodeUse) -> (char, &'static str) {
    match of {
        NodeUse::Free => ('.', "f"),
        NodeUse::Part => ('p', "p"),
        NodeUse::Full => ('x', "x"),
        NodeUse::Out => ('o', "o"),
    }
}

/// The letter and class of a vnode that a job of this cycle starts on.
pub(super) const STARTS: (char, &str) = ('s', "s");

/// One vnode.
#[derive(Debug)]
pub(super) struct NodeCell {
    pub(super) name: String,
    /// Its use when the cycle began.
    pub(super) stands: NodeUse,
    /// Whether a job of this cycle starts on it.
    pub(super) starts: bool,
    pub(super) jobs: usize,
}

pub(super) fn cells(run: &Arc<Run>) -> Vec<NodeCell> {
    let placed = run.starts().filter_map(|outcome| outcome.placed.as_ref());
    let starts: FxHashSet<NodeId> =
        placed.flat_map(|placed| placed.allocation.nodes()).map(|bit| run.plan.nodes[bit].id).collect();
    let begin = Debugger::new(run.clone());
    let state = begin.state();
    let cell = |(id, node): (NodeId, &Node)| NodeCell {
        name: node.name.to_string(),
        // A vnode of another scheduler is not available to this one.
        stands: run.plan.bit_of[id].map_or(NodeUse::Out, |bit| state.node_use(bit)),
        starts: starts.contains(&id),
        jobs: node.jobs.len(),
    };
    run.plan.snap.nodes.enumerate().map(cell).collect()
}

/// Describes on how many of the vnodes jobs start in this cycle.
pub(super) fn starts_line(nodes: &[NodeCell]) -> String {
    let starting = nodes.iter().filter(|node| node.starts).count();
    format!("of these, jobs start on {starting} in this cycle")
}

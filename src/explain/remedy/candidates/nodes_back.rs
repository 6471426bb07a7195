//! Nodes out of service, brought back: as few as possible.

use std::ops::ControlFlow;

use crate::fit_analysis::FitAnalysis;
use crate::remedy::{RemedySearch, WorkingChange};
use crate::words;
use qscope_engine::cluster::{Edit, NodeId, NodeStates, Snapshot};
use qscope_engine::universe::AmountBasis;

/// Maximum number of nodes that are tried alone.
const SINGLES: usize = 8;

/// Some nodes and the cycle in which they are back.
type NodesBack = (Vec<NodeId>, WorkingChange);

/// Tries bringing back nodes that are out of service and empty: the smallest sufficient number in the order of the
/// dump, and single nodes, since more nodes may let another job take all of them.
pub(super) fn nodes_back(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let gone = gone(search);
    let mut best = smallest_number(search, &gone)?;
    if gone.len() > 1 && best.as_ref().is_none_or(|(nodes, _)| nodes.len() > 1) {
        let single = single_node(search, &gone)?;
        best = single.or(best);
    }
    let Some((nodes, tried)) = best else { return ControlFlow::Continue(()) };
    let snap = &search.turn.run.plan.snap;
    // All of them, since the change cannot be made without their names.
    let names = words::compact(nodes.iter().map(|id| &*snap.nodes[*id].name));
    let edits = back(snap, &nodes);
    let what = format!("bring back {} ({names})", words::count(nodes.len(), "node"));
    search.offer_tried(what, &edits, 54 + u32::try_from(nodes.len()).unwrap_or(40).min(40), &tried)
}

/// Returns the nodes out of service and empty that could serve the job.
fn gone(search: &RemedySearch<'_>) -> Vec<NodeId> {
    let (turn, plan) = (&search.turn, search.turn.plan());
    let room = FitAnalysis::new(&turn.start, &turn.request, &turn.list, AmountBasis::Total);
    let could = room.could_serve().iter().copied();
    could
        .filter(|bit| !turn.start.occupancy.states[*bit].is_free() && plan.node(*bit).jobs.is_empty())
        .map(|bit| plan.nodes[bit].id)
        .collect()
}

/// Returns the edits that bring nodes back.
fn back(snap: &Snapshot, nodes: &[NodeId]) -> Vec<Edit> {
    let up = |id: &NodeId| {
        let mut node = snap.nodes[*id].clone();
        node.states = NodeStates::FREE;
        Edit::Node(*id, Box::new(node))
    };
    nodes.iter().map(up).collect()
}

/// Finds the smallest sufficient number of nodes, the first ones, by bisection.
fn smallest_number(search: &mut RemedySearch<'_>, gone: &[NodeId]) -> ControlFlow<(), Option<NodesBack>> {
    let (mut low, mut high, mut best) = (0, gone.len(), None);
    while low < high {
        let middle = low.midpoint(high);
        let first = gone.get(..=middle).unwrap_or(gone).to_vec();
        let edits = back(&search.turn.run.plan.snap, &first);
        match search.tries(&edits)? {
            Some(run) => {
                best = Some((first, run));
                high = middle;
            }
            None => low = middle + 1,
        }
    }
    ControlFlow::Continue(best)
}

/// Returns the first node that is enough alone.
fn single_node(search: &mut RemedySearch<'_>, gone: &[NodeId]) -> ControlFlow<(), Option<NodesBack>> {
    for id in gone.iter().take(SINGLES) {
        let edits = back(&search.turn.run.plan.snap, &[*id]);
        if let Some(run) = search.tries(&edits)? {
            return ControlFlow::Continue(Some((vec![*id], run)));
        }
    }
    ControlFlow::Continue(None)
}

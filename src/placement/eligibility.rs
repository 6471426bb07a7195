//! Which nodes the node path may look at, decided once per evaluation (rule 4.2).

use rustc_hash::FxHashSet;

use crate::cluster::Sharedness;
use crate::universe::{Bit, HostIx, NodeSet, Reason, State, is_exclhost};

/// The outcome of the filter over a list of nodes.
#[derive(Clone, Debug)]
pub struct Eligibility {
    /// Nodes that may be looked at.
    pub nodes: NodeSet,
    /// The first node turned away, and why; it becomes the reason when nothing else explains a failure.
    pub first: Option<(Bit, Reason)>,
}

impl Eligibility {
    /// Filters nodes for a job of this sharing.
    #[must_use]
    pub fn new(state: &State, list: &NodeSet, sharedness: Sharedness) -> Self {
        let exclusive = state.plan.exclusive_nodes(sharedness);
        let mut nodes = list.clone();
        nodes.intersect(&state.floor.open);
        nodes.subtract(&in_use(state, list, exclusive));
        if state.plan.multi_vnode.found {
            nodes.subtract(&on_taken_hosts(state, list, exclusive, sharedness));
        }
        let first = first_in_use(state, list, exclusive);
        Self { nodes, first }
    }
}

/// All vnodes of hosts that the job would have whole, and of which somebody uses a vnode (rule 4.2).
fn on_taken_hosts(state: &State, list: &NodeSet, exclusive: &NodeSet, sharedness: Sharedness) -> NodeSet {
    let plan = &state.plan;
    let wants_whole = |bit: &Bit| is_exclhost(plan.snap.nodes[plan.nodes[*bit].id].sharing, sharedness);
    let in_use = in_use(state, list, exclusive);
    let hosts: FxHashSet<HostIx> =
        in_use.iter().filter(wants_whole).map(|bit| plan.nodes[bit].host).collect();
    let there = plan.nodes.enumerate().filter(|(_, node)| hosts.contains(&node.host));
    NodeSet::of(plan.nodes.len(), there.map(|(bit, _)| bit))
}

/// Open nodes of the list that the job would have for itself and that somebody uses.
fn in_use(state: &State, list: &NodeSet, exclusive: &NodeSet) -> NodeSet {
    let mut in_use = list.clone();
    in_use.intersect(&state.floor.open);
    in_use.intersect(exclusive);
    in_use.intersect(&state.floor.occupied);
    in_use
}

/// The first node of the list that somebody uses and that the job wants for itself. Nodes that are not
/// free leave no reason behind.
fn first_in_use(state: &State, list: &NodeSet, exclusive: &NodeSet) -> Option<(Bit, Reason)> {
    in_use(state, list, exclusive).first().map(|bit| (bit, Reason::NodeNotExclusive))
}

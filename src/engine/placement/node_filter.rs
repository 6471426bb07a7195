//! The nodes that the node path may examine, decided once per evaluation (rule 4.2).

use rustc_hash::FxHashSet;

use crate::cluster::PlaceSharing;
use crate::universe::{Bit, HostIx, NodeSet, Occupant, Reason, State};

/// The result of filtering a list of nodes.
#[derive(Clone, Debug)]
pub struct NodeFilter {
    /// Nodes that may be examined.
    pub nodes: NodeSet,
    /// Nodes that the job would need exclusively and that others use.
    in_use: NodeSet,
    /// The first node refused, with its reason; used if nothing else explains a failure.
    pub first: Option<(Bit, Reason)>,
}

impl NodeFilter {
    /// Filters nodes for an occupant with this sharing. Inside a maintenance reservation an occupant may take a node
    /// exclusively that others use (test 1).
    pub fn new(state: &State, list: &NodeSet, occupant: Occupant, sharedness: PlaceSharing) -> Self {
        let mut nodes = list.common(&state.occupancy.open_nodes);
        if in_maintenance(state, occupant) {
            return Self { nodes, in_use: NodeSet::new(list.capacity()), first: None };
        }
        let mut in_use = nodes.common(state.plan.exclusive_nodes(sharedness));
        in_use.intersect(&state.occupancy.occupied);
        nodes.subtract(&in_use);
        if state.plan.multi_vnode.exists {
            nodes.subtract(&on_taken_hosts(state, &in_use, sharedness));
        }
        // Nodes that are not free leave no reason.
        let first = in_use.first().map(|bit| (bit, Reason::NodeNotExclusive));
        Self { nodes, in_use, first }
    }

    /// Whether the filter accepts one node of the list, for complexes with one vnode per host and a job outside
    /// reservations.
    pub(super) fn admits(state: &State, list: &NodeSet, sharedness: PlaceSharing, bit: Bit) -> bool {
        let floor = &state.occupancy;
        list.contains(bit)
            && floor.open_nodes.contains(bit)
            && !(floor.occupied.contains(bit) && state.plan.exclusive_nodes(sharedness).contains(bit))
    }

    /// Removes more nodes. The first refused node in list order, or in bit order without one, gives the reason.
    pub(super) fn leave_out(&mut self, refusing: &[(Bit, Reason)], order: Option<&[Bit]>) {
        for (bit, reason) in refusing {
            self.nodes.remove(*bit);
            if self.first.as_ref().is_none_or(|(first, _)| bit < first) {
                self.first = Some((*bit, reason.clone()));
            }
        }
        let Some(order) = order.filter(|_| self.first.is_some()) else { return };
        let reason = |bit: &Bit| match refusing.iter().find(|(refused, _)| refused == bit) {
            Some((_, reason)) => Some((*bit, reason.clone())),
            None => self.in_use.contains(*bit).then_some((*bit, Reason::NodeNotExclusive)),
        };
        self.first = order.iter().find_map(reason);
    }
}

/// Whether an occupant is a job inside a maintenance reservation, which is recognised by its name.
fn in_maintenance(state: &State, occupant: Occupant) -> bool {
    let inside = state.reservation_of(occupant);
    inside.is_some_and(|id| state.plan.snap.reservations[id].name.starts_with('M'))
}

/// Returns all vnodes of hosts that the job would need whole, if a vnode that it needs exclusively is in use there
/// (rule 4.2).
fn on_taken_hosts(state: &State, in_use: &NodeSet, sharedness: PlaceSharing) -> NodeSet {
    let plan = &state.plan;
    let takes_whole_host = |bit: &Bit| plan.node(*bit).sharing.is_exclhost(sharedness);
    let hosts: FxHashSet<HostIx> =
        in_use.iter().filter(takes_whole_host).map(|bit| plan.nodes[bit].host).collect();
    let there = plan.nodes.enumerate().filter(|(_, node)| hosts.contains(&node.host));
    NodeSet::of(plan.nodes.len(), there.map(|(bit, _)| bit))
}

//! Which nodes the node path may look at, decided once per evaluation (rule 4.2).

use crate::cluster::Sharedness;
use crate::universe::{Bit, NodeSet, Reason, State};

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
        let mut taken = nodes.clone();
        taken.intersect(exclusive);
        taken.intersect(&state.floor.occupied);
        nodes.subtract(&taken);
        let first = first_in_use(state, list, exclusive);
        Self { nodes, first }
    }
}

/// The first node of the list that somebody uses and that the job wants for itself. Nodes that are not
/// free leave no reason behind.
fn first_in_use(state: &State, list: &NodeSet, exclusive: &NodeSet) -> Option<(Bit, Reason)> {
    let mut in_use = list.clone();
    in_use.intersect(&state.floor.open);
    in_use.intersect(exclusive);
    in_use.intersect(&state.floor.occupied);
    in_use.first().map(|bit| (bit, Reason::NodeNotExclusive))
}

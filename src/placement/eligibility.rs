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
        let first = first_turned_away(state, list, exclusive);
        Self { nodes, first }
    }
}

/// The first node of the list that was usable when read and is turned away now.
fn first_turned_away(state: &State, list: &NodeSet, exclusive: &NodeSet) -> Option<(Bit, Reason)> {
    let mut asked = list.clone();
    asked.intersect(&state.plan.usable);
    let mut in_use = asked.clone();
    in_use.intersect(exclusive);
    in_use.intersect(&state.floor.occupied);
    let mut closed = asked;
    closed.subtract(&state.floor.open);
    let first = in_use.first();
    let state_first = closed.first();
    match (first, state_first) {
        (Some(a), Some(b)) if b < a => Some((b, Reason::NodeState(state.floor.states[b]))),
        (Some(a), _) => Some((a, Reason::NodeNotExclusive)),
        (None, Some(b)) => Some((b, Reason::NodeState(state.floor.states[b]))),
        (None, None) => None,
    }
}

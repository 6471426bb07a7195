//! How much of a consumable is in use over the whole machine.

use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{Bit, ConsIx, State};

/// A consumable over all nodes of the partition.
#[derive(Clone, PartialEq, Debug)]
pub struct Usage {
    pub resource: ResourceId,
    /// What is assigned, in the resource's base unit.
    pub used: f64,
    /// What all nodes have, whatever their state.
    pub total: f64,
}

/// The consumables that chunks of jobs request, cpus first and then those that most nodes have; what no node has is left
/// out.
pub fn usage(state: &State) -> Vec<Usage> {
    let plan = &state.plan;
    let all = |ix: &ConsIx| sum(state, *ix, plan.nodes.ids());
    let mut found: Vec<(usize, Usage)> = plan.asked().iter().filter_map(all).collect();
    found.sort_by_key(|(nodes, usage)| (usage.resource != ResourceId::ncpus(), std::cmp::Reverse(*nodes)));
    found.into_iter().map(|(_, usage)| usage).collect()
}

/// The cpus of some nodes; none where they have no cpus.
pub fn cpus_of(state: &State, nodes: &[Bit]) -> Option<Usage> {
    let ix = state.plan.consumables.ix(ResourceId::ncpus())?;
    sum(state, ix, nodes.iter().copied()).map(|(_, usage)| usage)
}

/// A consumable summed over nodes, and how many of them have it; none where none has.
fn sum(state: &State, ix: ConsIx, nodes: impl Iterator<Item = Bit>) -> Option<(usize, Usage)> {
    let plan = &state.plan;
    let (mut used, mut total, mut having) = (0.0, 0.0, 0);
    for bit in nodes {
        let have = plan.capacity.own(ix, bit);
        if have > 0.0 {
            having += 1;
            total += have;
            // More may be assigned than there is.
            used += (have - state.floor.left(plan, ix, bit)).max(0.0);
        }
    }
    (total > 0.0).then(|| (having, Usage { resource: plan.consumables.resource(ix), used, total }))
}

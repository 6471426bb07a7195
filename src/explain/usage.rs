//! Usage of consumables over the whole cluster.

use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{Bit, ConsIx, State};

/// A consumable summed over all nodes of the partition.
#[derive(Clone, PartialEq, Debug)]
pub struct ResourceUsage {
    pub resource: ResourceId,
    /// The assigned amount, in the resource's base unit.
    pub used: f64,
    /// The total of all nodes, whatever their state.
    pub total: f64,
}

/// Returns the consumables requested in chunks of jobs, cpus first, then by the number of nodes that have them;
/// without those that no node has.
pub fn usage(state: &State) -> Vec<ResourceUsage> {
    let plan = &state.plan;
    let all = |ix: &ConsIx| sum(state, *ix, plan.nodes.ids());
    let mut found: Vec<(usize, ResourceUsage)> =
        plan.requested_consumables().iter().filter_map(all).collect();
    found.sort_by_key(|(nodes, usage)| (usage.resource != ResourceId::ncpus(), std::cmp::Reverse(*nodes)));
    found.into_iter().map(|(_, usage)| usage).collect()
}

/// Returns the cpus of some nodes; `None` if they have none.
pub fn cpus_of(state: &State, nodes: &[Bit]) -> Option<ResourceUsage> {
    let ix = state.plan.consumables.ix(ResourceId::ncpus())?;
    sum(state, ix, nodes.iter().copied()).map(|(_, usage)| usage)
}

/// Sums up a consumable over nodes and counts the nodes that have it; `None` if none has.
fn sum(state: &State, ix: ConsIx, nodes: impl Iterator<Item = Bit>) -> Option<(usize, ResourceUsage)> {
    let plan = &state.plan;
    let (mut used, mut total, mut having) = (0.0, 0.0, 0);
    for bit in nodes {
        let have = plan.capacity.contribution(ix, bit);
        if have > 0.0 {
            having += 1;
            total += have;
            // More may be assigned than the node has.
            used += (have - state.occupancy.left(plan, ix, bit)).max(0.0);
        }
    }
    (total > 0.0).then(|| (having, ResourceUsage { resource: plan.consumables.resource(ix), used, total }))
}

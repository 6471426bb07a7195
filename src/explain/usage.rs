//! How much of a consumable is in use over the whole machine.

use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::State;

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
    let mut found: Vec<(usize, Usage)> = Vec::new();
    for ix in plan.asked().iter().copied() {
        let (mut used, mut total, mut nodes) = (0.0, 0.0, 0);
        for bit in plan.nodes.ids() {
            let have = plan.capacity.own(ix, bit);
            if have > 0.0 {
                nodes += 1;
                total += have;
                used += (have - state.floor.left(plan, ix, bit)).clamp(0.0, have);
            }
        }
        if total > 0.0 {
            found.push((nodes, Usage { resource: plan.consumables.resource(ix), used, total }));
        }
    }
    found.sort_by_key(|(nodes, usage)| (usage.resource != ResourceId::ncpus(), std::cmp::Reverse(*nodes)));
    found.into_iter().map(|(_, usage)| usage).collect()
}

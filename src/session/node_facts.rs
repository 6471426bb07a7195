//! Facts about every node at a position of the cycle, computed for all nodes at once.

use qscope_engine::cluster::{Column, Epoch, NodeState, ResourceId, Seconds};
use qscope_engine::universe::{Bit, EventKind, Occupant, State};

/// Returns when the last job on each node ends by its walltime; `None` if nothing ends there, or no end is known.
pub fn free_at(state: &State) -> Column<Bit, Option<Epoch>> {
    let plan = &state.plan;
    let mut ends: Column<Bit, Option<Epoch>> = Column::filled(plan.nodes.len(), None);
    let known = |at: Epoch| at < plan.snap.now + Seconds(Seconds::UNLIMITED.0 / 2);
    for (key, event) in state.timeline.iter().filter(|(key, _)| key.kind == EventKind::End && known(key.at)) {
        let runs = |bit: &Bit| state.occupancy.occupied.contains(*bit);
        // A node with two pieces of a job is visited twice, which is faster than avoiding it.
        for bit in event.allocation.pieces.iter().map(|piece| piece.bit).filter(runs) {
            if !starts_later(state, bit, event.occupant) {
                ends[bit] = ends[bit].max(Some(key.at));
            }
        }
    }
    ends
}

/// Whether an occupant is only planned on a node: it ends there too, but does not occupy the node now.
fn starts_later(state: &State, bit: Bit, occupant: Occupant) -> bool {
    state.node_events[bit].iter().flat_map(|events| events.iter()).any(|planned| planned.occupant == occupant)
}

/// Returns the running job or reservation that uses each node exclusively, if any; planned ones are not included.
pub fn exclusive_users(state: &State) -> Column<Bit, Option<Occupant>> {
    let plan = &state.plan;
    let mut found: Column<Bit, Option<Occupant>> = Column::filled(plan.nodes.len(), None);
    let is_whole = |bit: Bit| {
        let states = state.occupancy.states[bit];
        states.has(NodeState::JobExclusive) || states.has(NodeState::ResvExclusive)
    };
    for (_, event) in state.timeline.iter().filter(|(key, _)| key.kind == EventKind::End) {
        let alone = plan.exclusive_nodes(plan.sharedness(event.occupant));
        let bits = event.allocation.pieces.iter().map(|piece| piece.bit);
        for bit in bits.filter(|bit| alone.contains(*bit) && is_whole(*bit)) {
            if !starts_later(state, bit, event.occupant) {
                found[bit].get_or_insert(event.occupant);
            }
        }
    }
    found
}

/// Returns the fraction of cpus that is left on each node, 0 to 1; for nodes without cpus, that of another
/// consumable.
pub fn free_shares(state: &State) -> Column<Bit, f64> {
    state.plan.nodes.ids().map(|bit| free_share(state, bit)).collect()
}

/// The same for one node.
pub fn free_share(state: &State, bit: Bit) -> f64 {
    let plan = &state.plan;
    let cpus = plan.consumables.ix(ResourceId::ncpus());
    let Some(ix) = cpus.or_else(|| plan.consumables.ids().next()) else { return 0.0 };
    let all = plan.capacity.available(ix, bit);
    if all > 0.0 { (state.occupancy.left(plan, ix, bit) / all).clamp(0.0, 1.0) } else { 0.0 }
}

/// Whether something is planned on a node.
pub fn is_planned(state: &State, bit: Bit) -> bool {
    state.first_event(bit).is_some()
}

//! Running reservations as their own jobs see them: copies of their nodes that hold what the reservation was granted,
//! on a floor of their own (rule 6.9).

use std::sync::Arc;

use crate::cluster::{Column, NodeState, ResvId};

use crate::universe::nodes::occupancy::{GrantedAmounts, NodeLoad, NodeOccupancy};
use crate::universe::{Allocation, AllocationPiece, Bit, NodeSet, Plan, read_allocation};

/// The floor of one running reservation's jobs.
#[derive(Clone, Debug)]
pub struct ReservationNodes {
    /// The reservation's nodes in the order in which it lists them, each once.
    pub nodes: Arc<[Bit]>,
    /// The same as a set.
    pub members: NodeSet,
    /// The nodes as the reservation's jobs see them. While a job inside is placed, started or ended, this is swapped
    /// with the state's own floor.
    pub occupancy: NodeOccupancy,
}

/// Builds the insides of all running reservations that have nodes.
pub(in crate::universe) fn reservation_nodes(
    plan: &Plan,
    floor: &NodeOccupancy,
) -> Column<ResvId, Option<ReservationNodes>> {
    let inside = |id: ResvId| {
        let reservation = &plan.snap.reservations[id];
        let nodes = reservation.nodes.as_ref().filter(|_| reservation.is_running())?;
        Some(ReservationNodes::new(plan, floor, id, &read_allocation(plan, nodes)))
    };
    plan.snap.reservations.ids().map(inside).collect()
}

impl ReservationNodes {
    fn new(plan: &Plan, outside: &NodeOccupancy, id: ResvId, granted: &Allocation) -> Self {
        let nodes = granted.nodes();
        let members = NodeSet::of(plan.nodes.len(), nodes.iter().copied());
        let mut occupancy = outside.clone();
        for bit in &nodes {
            occupancy.load[*bit] = NodeLoad::default();
            occupancy.states[*bit] = occupancy.states[*bit].without(NodeState::ResvExclusive);
        }
        leave_granted(plan, &mut occupancy, granted);
        for (job, of) in plan.snap.jobs.enumerate() {
            let running = of.state.has_nodes();
            let placement = of.exec_vnode.as_ref().filter(|_| running);
            if let Some(placement) = placement.filter(|_| plan.reservation_of(job) == Some(id)) {
                let here = read_allocation(plan, placement);
                for piece in &here.pieces {
                    add(plan, &mut occupancy, piece);
                }
                for bit in here.nodes() {
                    occupancy.load[bit].jobs = occupancy.load[bit].jobs.saturating_add(1);
                }
            }
        }
        for bit in &nodes {
            occupancy.refresh_bits(plan, *bit);
        }
        Self { nodes: nodes.into(), members, occupancy }
    }
}

/// Leaves only what was granted: the rest of each amount counts as assigned.
fn leave_granted(plan: &Plan, floor: &mut NodeOccupancy, granted: &Allocation) {
    let mut sums = GrantedAmounts::default();
    for piece in &granted.pieces {
        for (ix, amount) in Allocation::consumables_of_piece(plan, piece) {
            *sums.entry((ix, piece.bit)).or_insert(0.0) += amount;
        }
    }
    for ((ix, bit), amount) in &sums {
        let available = plan.capacity.available(*ix, *bit);
        if !available.is_nan() {
            floor.assigned[*ix][plan.capacity.keeper(*ix, *bit)] = available - amount;
        }
    }
    floor.granted = Some(Arc::new(sums));
}

fn add(plan: &Plan, floor: &mut NodeOccupancy, piece: &AllocationPiece) {
    for (ix, amount) in Allocation::consumables_of_piece(plan, piece) {
        floor.assigned[ix][plan.capacity.keeper(ix, piece.bit)] += amount;
    }
}

//! The effects of an end on its nodes and their buckets in a simulation (rule 3.4).

use crate::cluster::NodeState;

use crate::universe::state::written_cells::WrittenCells;
use crate::universe::transition::shares::{AmountsByNode, NodeAmounts};
use crate::universe::{Availability, Bit, Occupant, State};

impl State {
    /// Takes an occupant off its nodes, with buckets.
    pub(super) fn vacate(&mut self, occupant: Occupant, shares: &AmountsByNode) {
        let mut written = WrittenCells::with_room(shares.len(), shares.amounts());
        for share in shares.iter() {
            if self.occupancy.states[share.bit].is_gone() {
                continue;
            }
            self.unload_node(&mut written, occupant, share);
            if self.occupancy.load[share.bit].jobs == 0 {
                self.return_to_bucket(&mut written, share.bit);
            }
        }
        self.enter(&mut written);
    }

    /// Unloads the nodes only, as for a job that ends inside a reservation.
    pub(super) fn unload(&mut self, occupant: Occupant, amounts: &AmountsByNode) {
        let mut written = WrittenCells::with_room(amounts.len(), amounts.amounts());
        amounts.iter().for_each(|share| self.unload_node(&mut written, occupant, share));
        self.enter(&mut written);
    }

    /// Unloads one node of the floor.
    fn unload_node(&mut self, written: &mut WrittenCells, occupant: Occupant, amounts: NodeAmounts<'_>) {
        let bit = amounts.bit;
        let mut load = self.occupancy.load[bit];
        let mut states =
            self.occupancy.states[bit].without(NodeState::JobBusy).without(NodeState::JobExclusive);
        match occupant {
            Occupant::Job(..) => load.jobs = load.jobs.saturating_sub(1),
            Occupant::Reservation(_) => {
                load.reservations = load.reservations.saturating_sub(1);
                // An exclusive job inside may have closed the server's own node, which opens at the reservation's end
                // too.
                states = states.without(NodeState::ResvExclusive);
            }
        }
        self.write_node(written, bit, load, states);
        for (ix, amount) in amounts.amounts {
            let home = self.plan.capacity.keeper(*ix, bit);
            let left = (self.occupancy.assigned[*ix][home] - amount).max(0.0);
            self.write_assigned(written, *ix, home, left);
        }
    }

    /// Moves a node without jobs back to an open bitmap of the bucket recorded for it; running reservations and the
    /// node's state are not considered (rule 3.4).
    fn return_to_bucket(&mut self, written: &mut WrittenCells, bit: Bit) {
        let Some(at) = self.bucket_of[bit] else { return };
        let availability =
            if self.node_events[bit].is_some() { Availability::Later } else { Availability::Free };
        let mut counts = self.buckets[at].counts;
        counts.add(availability, 1);
        counts.add(Availability::Busy, -1);
        self.write_place(written, at, bit, availability, counts);
    }
}

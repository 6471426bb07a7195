//! The effects of a start on its nodes, their buckets and the sums of their sets (rule 3.4).

use crate::cluster::{NodeState, PlaceSharing, ResourceId, found_or_added};

use crate::universe::state::written_cells::WrittenCells;
use crate::universe::{Availability, Bit, ConsIx, NodeOccupancy, Occupant, Plan, SetIx, State, StateChange};

use crate::universe::transition::shares::{AmountsByNode, NodeAmounts};

/// A start in progress, node by node.
struct StartInProgress<'a> {
    state: &'a mut State,
    occupant: Occupant,
    sharedness: PlaceSharing,
    written: WrittenCells,
    /// The set whose sums are being accumulated; consecutive nodes are mostly in the same set.
    set: Option<PendingSetSums>,
}

/// Sums of a set that are not written yet.
struct PendingSetSums {
    set: SetIx,
    sums: Vec<(ConsIx, f64)>,
    free: Option<i32>,
}

impl State {
    /// Puts an occupant on its nodes, with buckets and sets.
    pub(super) fn occupy(&mut self, occupant: Occupant, sharedness: PlaceSharing, shares: &AmountsByNode) {
        let mut seating = StartInProgress::new(self, occupant, sharedness, shares);
        shares.iter().for_each(|share| seating.occupy(share));
        seating.enter();
    }

    /// Loads the nodes only, as for a job that starts inside a reservation.
    pub(super) fn load(&mut self, occupant: Occupant, sharedness: PlaceSharing, shares: &AmountsByNode) {
        let mut seating = StartInProgress::new(self, occupant, sharedness, shares);
        shares.iter().for_each(|share| seating.load(share));
        seating.enter();
    }
}

impl<'a> StartInProgress<'a> {
    fn new(
        state: &'a mut State,
        occupant: Occupant,
        sharedness: PlaceSharing,
        amounts: &AmountsByNode,
    ) -> Self {
        let written = WrittenCells::with_room(amounts.len(), amounts.amounts());
        Self { state, occupant, sharedness, written, set: None }
    }

    /// Puts the occupant on one node.
    fn occupy(&mut self, share: NodeAmounts<'_>) {
        let bit = share.bit;
        if !self.state.occupancy.states[bit].is_gone() {
            self.load(share);
            self.state.forget_event(bit, self.occupant);
            self.leave_bucket(bit);
        }
        // As in the real scheduler, free nodes are counted down whenever the node is not free afterwards, even if it
        // was not free before. The count may become negative.
        let closed = !self.state.occupancy.states[bit].is_free();
        self.update_sets(share, closed);
    }

    /// Loads one node of the floor: jobs or reservations, assigned amounts, states.
    fn load(&mut self, share: NodeAmounts<'_>) {
        let Self { state, written, .. } = self;
        let bit = share.bit;
        let mut load = state.occupancy.load[bit];
        match self.occupant {
            Occupant::Job(..) => load.jobs = load.jobs.saturating_add(1),
            Occupant::Reservation(_) => load.reservations = load.reservations.saturating_add(1),
        }
        for (ix, amount) in share.amounts {
            let home = state.plan.capacity.keeper(*ix, bit);
            let sum = state.occupancy.assigned[*ix][home] + amount;
            state.write_assigned(written, *ix, home, sum);
            state.make_resource(*ix, home, *amount);
        }
        let mut states = state.occupancy.states[bit];
        if no_cpu_left(&state.plan, &state.occupancy, bit) {
            // This clears all other states of the node (rule M18).
            states = states.set_to(NodeState::JobBusy);
        }
        if state.plan.exclusive_nodes(self.sharedness).contains(bit) {
            states = states.with(match self.occupant {
                Occupant::Job(..) => NodeState::JobExclusive,
                Occupant::Reservation(_) => NodeState::ResvExclusive,
            });
        }
        state.write_node(written, bit, load, states);
    }

    /// Moves a node to the busy bitmap of the bucket recorded for it, miscounting as the scheduler does (rule 3.4).
    fn leave_bucket(&mut self, bit: Bit) {
        let Some(at) = self.state.bucket_of[bit] else { return };
        let bucket = &self.state.buckets[at];
        let mut counts = bucket.counts;
        let was = if bucket.free.contains(bit) { Availability::Free } else { Availability::Later };
        counts.add(was, -1);
        counts.add(Availability::Busy, 1);
        self.state.write_place(&mut self.written, at, bit, Availability::Busy, counts);
    }

    /// Updates the sets of a node; `closed` is whether it is not free now.
    fn update_sets(&mut self, share: NodeAmounts<'_>, closed: bool) {
        let sets = self.state.sets.kept_by_nodes();
        let sets = &sets[share.bit];
        match sets {
            [] => {}
            [only] if !self.state.keeps_up(*only) => {}
            [only] => self.update_set(*only, share, closed),
            several => {
                // Those sums are separate journal entries, which must follow what was written before.
                self.enter();
                self.state.update_several(several, share, closed);
            }
        }
    }

    fn update_set(&mut self, set: SetIx, share: NodeAmounts<'_>, closed: bool) {
        let mut growing = match self.set.take() {
            Some(growing) if growing.set == set => growing,
            other => {
                self.set = other;
                self.write_set();
                PendingSetSums { set, sums: Vec::new(), free: None }
            }
        };
        let counted = &self.state.sets[set];
        for (ix, amount) in share.amounts.iter().filter(|(ix, _)| self.state.plan.consumables.is_checked(*ix))
        {
            let new = || (*ix, counted.assigned[*ix]);
            found_or_added(&mut growing.sums, |(have, _)| have == ix, new).1 += amount;
        }
        if closed {
            growing.free = Some(growing.free.unwrap_or(counted.free_nodes) - 1);
        }
        if let Some((slot, place)) = self.state.place_in_set(set, share.bit) {
            self.state.write_slot(&mut self.written, set, slot, place);
        }
        self.set = Some(growing);
    }

    /// Writes the accumulated sums of a set.
    fn write_set(&mut self) {
        let Some(PendingSetSums { set, sums, free }) = self.set.take() else { return };
        for (ix, sum) in sums {
            self.state.write_sum(&mut self.written, set, ix, sum);
        }
        if let Some(free) = free {
            self.state.write_free(&mut self.written, set, free);
        }
    }

    /// Enters everything so far into the journal.
    fn enter(&mut self) {
        self.write_set();
        self.state.enter(&mut self.written);
    }
}

impl State {
    /// Records that a node has a resource that was unset once a start takes some of it (rule M27).
    fn make_resource(&mut self, ix: ConsIx, bit: Bit, taken: f64) {
        let is_unset = taken > 0.0 && self.plan.capacity.available(ix, bit).is_nan();
        if is_unset && !self.occupancy.made_by_starts.contains(&(ix, bit)) {
            self.change(StateChange::MadeByStart(ix, bit));
        }
    }

    /// Updates several sets of a node at once.
    fn update_several(&mut self, sets: &[SetIx], amounts: NodeAmounts<'_>, closed: bool) {
        use crate::universe::state::node_sets_change::NodeSetsChange;
        let bit = amounts.bit;
        for (ix, amount) in amounts.amounts {
            if self.plan.consumables.is_checked(*ix) {
                let more = |set: &SetIx| if self.keeps_up(*set) { *amount } else { 0.0 };
                let sums = sets.iter().map(|set| self.sets[*set].assigned[*ix] + more(set)).collect();
                self.change(StateChange::NodeSets(bit, Box::new(NodeSetsChange::Assigned(*ix, sums))));
            }
        }
        if closed {
            let less = |set: &SetIx| i32::from(self.keeps_up(*set));
            let free = sets.iter().map(|set| self.sets[*set].free_nodes - less(set)).collect();
            self.change(StateChange::NodeSets(bit, Box::new(NodeSetsChange::Free(free))));
        }
        self.move_in_sets(sets, bit);
    }
}

/// Whether all cpus of a node are assigned on a floor.
fn no_cpu_left(plan: &Plan, occupancy: &NodeOccupancy, bit: Bit) -> bool {
    let Some(ix) = plan.consumables.ix(ResourceId::ncpus()) else { return false };
    let available = plan.capacity.available(ix, bit);
    !available.is_nan() && available - occupancy.assigned[ix][plan.capacity.keeper(ix, bit)] <= 0.0
}

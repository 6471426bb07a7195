//! Changes that starts, ends and sums make on nodes, buckets and sets, collected until they enter the journal as one
//! entry.

use crate::cluster::NodeStates;
use crate::universe::state::start_changes::{StartChanges, swap_assigned, swap_node, swap_place};
use crate::universe::{
    Availability, Bit, BucketCounts, BucketIx, ConsIx, NodeLoad, SetIx, Slot, State, StateChange,
};

/// Below this number of nodes, separate journal entries take less memory than lists.
const FEW: usize = 4;

/// Cells written since the last journal entry, with their old values, in the order written.
#[derive(Default)]
pub(in crate::universe) struct WrittenCells {
    nodes: Vec<(Bit, NodeLoad, NodeStates)>,
    assigned: Vec<(ConsIx, Bit, f64)>,
    places: Vec<(BucketIx, Bit, Availability)>,
    counts: Vec<(BucketIx, BucketCounts)>,
    slots: Vec<(SetIx, Slot, Availability)>,
    sums: Vec<(SetIx, ConsIx, f64)>,
    free: Vec<(SetIx, i32)>,
}

impl WrittenCells {
    /// Creates it with capacity for this many nodes, and amounts on them.
    pub(in crate::universe) fn with_room(nodes: usize, amounts: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            assigned: Vec::with_capacity(amounts),
            places: Vec::with_capacity(nodes),
            ..Self::default()
        }
    }
}

impl State {
    /// Writes the load and the state of a node.
    pub(in crate::universe) fn write_node(
        &mut self,
        written: &mut WrittenCells,
        bit: Bit,
        mut load: NodeLoad,
        mut states: NodeStates,
    ) {
        swap_node(&mut self.cells, bit, &mut load, &mut states);
        written.nodes.push((bit, load, states));
    }

    /// Writes an amount assigned on a node.
    pub(in crate::universe) fn write_assigned(
        &mut self,
        written: &mut WrittenCells,
        ix: ConsIx,
        bit: Bit,
        mut sum: f64,
    ) {
        swap_assigned(&mut self.cells, ix, bit, &mut sum);
        written.assigned.push((ix, bit, sum));
    }

    /// Writes the bitmap of a node within a bucket of the complex, and the scheduler's counts of the bucket. Old
    /// counts are recorded once for consecutive nodes of one bucket.
    pub(in crate::universe) fn write_place(
        &mut self,
        written: &mut WrittenCells,
        at: BucketIx,
        bit: Bit,
        mut place: Availability,
        counts: BucketCounts,
    ) {
        let was = std::mem::replace(&mut self.cells.buckets[at].counts, counts);
        if written.counts.last().is_none_or(|(last, _)| *last != at) {
            written.counts.push((at, was));
        }
        swap_place(&mut self.cells, at, bit, &mut place);
        written.places.push((at, bit, place));
    }

    /// Writes the bitmap of a node within the buckets of a set.
    pub(in crate::universe) fn write_slot(
        &mut self,
        written: &mut WrittenCells,
        set: SetIx,
        slot: Slot,
        mut place: Availability,
    ) {
        self.cells.sets.swap_availability(set, slot, &mut place);
        written.slots.push((set, slot, place));
    }

    /// Writes a set's assigned amount.
    pub(in crate::universe) fn write_sum(
        &mut self,
        written: &mut WrittenCells,
        set: SetIx,
        ix: ConsIx,
        mut sum: f64,
    ) {
        self.cells.sets.swap_assigned(&self.cells.plan, set, ix, &mut sum);
        written.sums.push((set, ix, sum));
    }

    /// Writes a set's number of free nodes.
    pub(in crate::universe) fn write_free(&mut self, written: &mut WrittenCells, set: SetIx, mut free: i32) {
        self.cells.sets.swap_free(set, &mut free);
        written.free.push((set, free));
    }

    /// Enters what was written into the journal.
    pub(in crate::universe) fn enter(&mut self, written: &mut WrittenCells) {
        let written = std::mem::take(written);
        if written.nodes.len() < FEW && written.sums.len() < FEW && written.slots.len() < FEW {
            self.enter_each(written);
        } else {
            let seats = StartChanges {
                nodes: in_undo_order(written.nodes),
                assigned: in_undo_order(written.assigned),
                places: in_undo_order(written.places),
                counts: in_undo_order(written.counts),
                slots: in_undo_order(written.slots),
                sums: in_undo_order(written.sums),
                free: in_undo_order(written.free),
            };
            self.journal.record(StateChange::StartChanges(Box::new(seats)));
        }
    }

    fn enter_each(&mut self, written: WrittenCells) {
        let journal = &mut self.journal;
        let mut record = |change| journal.record(change);
        written
            .nodes
            .into_iter()
            .for_each(|(bit, load, states)| record(StateChange::Node(bit, load, states)));
        written.assigned.into_iter().for_each(|(ix, bit, sum)| record(StateChange::Assigned(ix, bit, sum)));
        written
            .places
            .into_iter()
            .for_each(|(at, bit, place)| record(StateChange::Availability(at, bit, place)));
        written.counts.into_iter().for_each(|(at, counts)| record(StateChange::Counts(at, counts)));
        written
            .slots
            .into_iter()
            .for_each(|(set, slot, to)| record(StateChange::SetAvailability(set, slot, to)));
        written.sums.into_iter().for_each(|(set, ix, sum)| record(StateChange::SetAssigned(set, ix, sum)));
        written.free.into_iter().for_each(|(set, free)| record(StateChange::SetFree(set, free)));
    }
}

/// Returns a list in the order in which it is undone.
fn in_undo_order<T>(mut list: Vec<T>) -> Box<[T]> {
    list.reverse();
    list.into()
}

//! Everything that a start changes on nodes, buckets and sets, as one journal entry. One cycle may start jobs on a
//! hundred thousand nodes, and an entry for every number of every node would be most of the journal.

use crate::cluster::NodeStates;
use crate::universe::{Availability, Bit, BucketCounts, BucketIx, ConsIx, NodeLoad, SetIx, Slot, StateCells};

/// Cells and the values that they do not currently hold. A cell may occur twice, so each list is kept in the order of
/// the next swap: every swap reverses it.
#[derive(Clone, Debug, Default)]
pub struct StartChanges {
    pub(super) nodes: Box<[(Bit, NodeLoad, NodeStates)]>,
    pub(super) assigned: Box<[(ConsIx, Bit, f64)]>,
    pub(super) places: Box<[(BucketIx, Bit, Availability)]>,
    pub(super) counts: Box<[(BucketIx, BucketCounts)]>,
    pub(super) slots: Box<[(SetIx, Slot, Availability)]>,
    pub(super) sums: Box<[(SetIx, ConsIx, f64)]>,
    pub(super) free: Box<[(SetIx, i32)]>,
}

impl StartChanges {
    /// Swaps the values with those in the state.
    pub(super) fn swap(&mut self, cells: &mut StateCells) {
        swap_and_reverse(&mut self.nodes, |(bit, load, states)| swap_node(cells, *bit, load, states));
        swap_and_reverse(&mut self.assigned, |(ix, bit, value)| swap_assigned(cells, *ix, *bit, value));
        swap_and_reverse(&mut self.places, |(bucket, bit, value)| swap_place(cells, *bucket, *bit, value));
        swap_and_reverse(&mut self.counts, |(bucket, value)| {
            std::mem::swap(value, &mut cells.buckets[*bucket].counts);
        });
        swap_and_reverse(&mut self.slots, |(set, slot, value)| {
            cells.sets.swap_availability(*set, *slot, value);
        });
        swap_and_reverse(&mut self.sums, |(set, ix, value)| {
            cells.sets.swap_assigned(&cells.plan, *set, *ix, value);
        });
        swap_and_reverse(&mut self.free, |(set, value)| cells.sets.swap_free(*set, value));
    }

    /// Returns the size of the lists in bytes.
    pub(super) fn heap(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.nodes)
            + size_of_val(&*self.assigned)
            + size_of_val(&*self.places)
            + size_of_val(&*self.counts)
            + size_of_val(&*self.slots)
            + size_of_val(&*self.sums)
            + size_of_val(&*self.free)
    }
}

fn swap_and_reverse<T>(list: &mut [T], swap: impl FnMut(&mut T)) {
    list.iter_mut().for_each(swap);
    list.reverse();
}

/// Swaps the load and the state of a node.
pub(super) fn swap_node(cells: &mut StateCells, bit: Bit, load: &mut NodeLoad, states: &mut NodeStates) {
    cells.sets.mark_node(bit);
    std::mem::swap(load, &mut cells.occupancy.load[bit]);
    std::mem::swap(states, &mut cells.occupancy.states[bit]);
    cells.occupancy.refresh_bits(&cells.plan, bit);
}

/// Swaps an amount assigned on a node.
pub(super) fn swap_assigned(cells: &mut StateCells, ix: ConsIx, bit: Bit, value: &mut f64) {
    if cells.plan.capacity.is_shared(ix) {
        cells.sets.mark_all();
    } else {
        cells.sets.mark_node(bit);
    }
    std::mem::swap(value, &mut cells.occupancy.assigned[ix][bit]);
}

/// Swaps the bitmap of a node within a bucket of the complex.
pub(super) fn swap_place(cells: &mut StateCells, bucket: BucketIx, bit: Bit, value: &mut Availability) {
    *value = cells.buckets[bucket].put(bit, *value);
}

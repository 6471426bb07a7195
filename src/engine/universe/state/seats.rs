//! What a start changes of its nodes, of their buckets and sets: one entry of the journal for all of it. A cluster starts
//! a hundred thousand nodes in one cycle, and an entry for every number of every node would be most of the journal.

use crate::cluster::NodeStates;
use crate::universe::{Availability, Bit, BucketIx, Cells, ConsIx, Counts, Load, SetIx, Slot};

/// Cells and the values that they do not hold at the moment. A cell may be there twice, so each list stands in the order
/// in which it is to be swapped next: every swap turns it over.
#[derive(Clone, Debug, Default)]
pub struct Seats {
    pub(super) nodes: Box<[(Bit, Load, NodeStates)]>,
    pub(super) assigned: Box<[(ConsIx, Bit, f64)]>,
    pub(super) places: Box<[(BucketIx, Bit, Availability)]>,
    pub(super) counts: Box<[(BucketIx, Counts)]>,
    pub(super) slots: Box<[(SetIx, Slot, Availability)]>,
    pub(super) sums: Box<[(SetIx, ConsIx, f64)]>,
    pub(super) free: Box<[(SetIx, i32)]>,
}

impl Seats {
    /// Exchanges the values here with those in the state.
    pub(super) fn swap(&mut self, cells: &mut Cells) {
        turn(&mut self.nodes, |(bit, load, states)| swap_node(cells, *bit, load, states));
        turn(&mut self.assigned, |(ix, bit, value)| swap_assigned(cells, *ix, *bit, value));
        turn(&mut self.places, |(bucket, bit, value)| swap_place(cells, *bucket, *bit, value));
        turn(&mut self.counts, |(bucket, value)| std::mem::swap(value, &mut cells.buckets[*bucket].counts));
        turn(&mut self.slots, |(set, slot, value)| cells.sets.swap_availability(*set, *slot, value));
        turn(&mut self.sums, |(set, ix, value)| cells.sets.swap_assigned(&cells.plan, *set, *ix, value));
        turn(&mut self.free, |(set, value)| cells.sets.swap_free(*set, value));
    }

    /// How many bytes its lists take.
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

fn turn<T>(list: &mut [T], swap: impl FnMut(&mut T)) {
    list.iter_mut().for_each(swap);
    list.reverse();
}

/// Exchanges who is on a node, and its state.
pub(super) fn swap_node(cells: &mut Cells, bit: Bit, load: &mut Load, states: &mut NodeStates) {
    cells.sets.mark_node(bit);
    std::mem::swap(load, &mut cells.floor.load[bit]);
    std::mem::swap(states, &mut cells.floor.states[bit]);
    cells.floor.refresh_bits(&cells.plan, bit);
}

/// Exchanges what is assigned at a node.
pub(super) fn swap_assigned(cells: &mut Cells, ix: ConsIx, bit: Bit, value: &mut f64) {
    if cells.plan.capacity.is_shared(ix) {
        cells.sets.mark_all();
    } else {
        cells.sets.mark_node(bit);
    }
    std::mem::swap(value, &mut cells.floor.assigned[ix][bit]);
}

/// Exchanges where a node is within a bucket of the complex.
pub(super) fn swap_place(cells: &mut Cells, bucket: BucketIx, bit: Bit, value: &mut Availability) {
    *value = cells.buckets[bucket].put(bit, *value);
}

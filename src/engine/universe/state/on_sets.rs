//! What changes of sets, one by one or of all sets of one node at once: with three keys of four values each a node is in
//! dozens of sets, and an entry of the journal for every number of every set would fill the memory.

use std::mem::swap;

use crate::universe::bucket::Availability;
use crate::universe::nodes::amounts::ConsIx;
use crate::universe::nodes::node_set::{Bit, Slot};
use crate::universe::sets::set::SetIx;
use crate::universe::state::State;

/// Values that the sets of one node do not hold at the moment, one for each set.
#[derive(Clone, PartialEq, Debug)]
pub enum OnSets {
    /// What they count as assigned.
    Assigned(ConsIx, Box<[f64]>),
    /// What they count as free nodes.
    Free(Box<[i32]>),
    /// Where the node is within their buckets; none where it is in no bucket.
    Availabilities(Box<[Option<Availability>]>),
}

impl OnSets {
    /// Exchanges these values with those in the state.
    pub(in crate::universe) fn swap(&mut self, state: &mut State, bit: Bit) {
        let sets = state.sets_of.clone();
        let sets = &sets[bit];
        match self {
            Self::Assigned(ix, values) => {
                sets.iter().zip(values).for_each(|(set, value)| state.swap_assigned(*set, *ix, value));
            }
            Self::Free(values) => {
                sets.iter().zip(values).for_each(|(set, value)| state.swap_free(*set, value));
            }
            Self::Availabilities(values) => {
                for (set, value) in sets.iter().zip(values) {
                    if let (Some(value), Some(slot)) = (value, state.sets[*set].slot(bit)) {
                        state.swap_availability(*set, slot, value);
                    }
                }
            }
        }
    }
}

impl State {
    pub(in crate::universe) fn swap_assigned(&mut self, set: SetIx, ix: ConsIx, value: &mut f64) {
        self.dirty_sets.set(set);
        self.disordered.insert(set);
        swap(value, &mut self.sets[set].assigned[ix]);
        self.tallies.take_left(&self.plan, set, ix, &self.sets[set]);
    }

    pub(in crate::universe) fn swap_free(&mut self, set: SetIx, value: &mut i32) {
        self.dirty_sets.set(set);
        swap(value, &mut self.sets[set].free_nodes);
        self.tallies.take_free(set, &self.sets[set]);
    }

    pub(in crate::universe) fn swap_availability(
        &mut self,
        set: SetIx,
        slot: Slot,
        value: &mut Availability,
    ) {
        self.dirty_sets.set(set);
        self.rooms.touch(set);
        if let Some(was) = self.sets[set].put(slot, *value) {
            self.tallies.move_open(set, was, *value);
            *value = was;
        }
    }
}

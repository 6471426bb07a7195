//! Changes of all sets of one node at once: with three keys of four values each a node is in dozens of sets, and a
//! journal entry for every number of every set would exhaust the memory.

use crate::universe::{Availability, Bit, ConsIx, StateCells};

/// Values that the sets of one node do not currently hold, one for each set.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeSetsChange {
    /// Assigned amounts.
    Assigned(ConsIx, Box<[f64]>),
    /// Numbers of free nodes.
    Free(Box<[i32]>),
    /// Bitmaps of the node within their buckets; `None` if it is in no bucket.
    Availabilities(Box<[Option<Availability>]>),
}

impl NodeSetsChange {
    /// Swaps these values with those in the state.
    pub(super) fn swap(&mut self, cells: &mut StateCells, bit: Bit) {
        let StateCells { plan, sets: table, .. } = cells;
        let kept = table.kept_by_nodes();
        let sets = &kept[bit];
        match self {
            Self::Assigned(ix, values) => {
                sets.iter().zip(values).for_each(|(set, value)| table.swap_assigned(plan, *set, *ix, value));
            }
            Self::Free(values) => {
                sets.iter().zip(values).for_each(|(set, value)| table.swap_free(*set, value));
            }
            Self::Availabilities(values) => {
                for (set, value) in sets.iter().zip(values) {
                    if let (Some(value), Some(slot)) = (value, table[*set].slot(bit)) {
                        table.swap_availability(*set, slot, value);
                    }
                }
            }
        }
    }
}

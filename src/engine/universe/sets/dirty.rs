//! Tracks the sets that may differ from the sums of their nodes: the scheduler sums all sets again after an end, and
//! most have not changed since the last time.

use crate::universe::{Bit, BitSet, CountedSet, SetIx, SparseSet};

/// What changed since all sets were summed. It may contain too much, never too little, and is not part of the state.
#[derive(Clone, Debug)]
pub(in crate::universe) struct DirtySets {
    all_dirty: bool,
    nodes: CountedSet<Bit>,
    sets: BitSet<SetIx>,
}

impl DirtySets {
    /// Creates it for this number of nodes and sets, none of which are summed yet.
    pub(in crate::universe) fn new(nodes: usize, sets: usize) -> Self {
        Self { all_dirty: true, nodes: CountedSet::new(nodes), sets: BitSet::new(sets) }
    }

    /// Records that a node changed.
    pub(in crate::universe) fn node(&mut self, bit: Bit) {
        self.nodes.put(bit, true);
    }

    /// Records that the sums of a set changed.
    pub(in crate::universe) fn set(&mut self, set: SetIx) {
        self.sets.insert(set);
    }

    /// Records that anything may have changed.
    pub(in crate::universe) fn mark_all(&mut self) {
        self.all_dirty = true;
    }

    /// Records that all sets were summed.
    pub(in crate::universe) fn mark_clean(&mut self) {
        self.all_dirty = false;
        self.nodes.clear();
        self.sets.clear();
    }

    /// Whether all sets must be summed again.
    pub(in crate::universe) fn is_everything(&self) -> bool {
        self.all_dirty
    }

    /// Returns the nodes that changed, and the sets whose sums changed.
    pub(in crate::universe) fn changed(&self) -> (&CountedSet<Bit>, &BitSet<SetIx>) {
        (&self.nodes, &self.sets)
    }

    /// Whether a set must be summed again whatever its nodes.
    pub(in crate::universe) fn has_set(&self, set: SetIx) -> bool {
        self.all_dirty || self.sets.contains(set)
    }

    /// Whether a set with these nodes must be summed again.
    pub(in crate::universe) fn has(&self, set: SetIx, nodes: &SparseSet) -> bool {
        self.has_set(set) || nodes.intersects(&self.nodes)
    }
}

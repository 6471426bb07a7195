//! Which sets may differ from what their nodes add up to: after an end all sets are summed up anew, and
//! most have not changed since the last time.

use crate::universe::{Bit, BitSet, CountedSet, SetIx, SparseSet};

/// What changed since all sets were summed up. It may name too much, never too little, and is no part of
/// what the state is.
#[derive(Clone, Debug)]
pub(in crate::universe) struct DirtySets {
    everything: bool,
    nodes: CountedSet<Bit>,
    sets: BitSet<SetIx>,
}

impl DirtySets {
    /// Nothing was summed up yet, among so many nodes and sets.
    pub(in crate::universe) fn new(nodes: usize, sets: usize) -> Self {
        Self { everything: true, nodes: CountedSet::new(nodes), sets: BitSet::new(sets) }
    }

    /// A node changed.
    pub(in crate::universe) fn node(&mut self, bit: Bit) {
        self.nodes.put(bit, true);
    }

    /// The sums of a set changed.
    pub(in crate::universe) fn set(&mut self, set: SetIx) {
        self.sets.insert(set);
    }

    /// Anything may have changed.
    pub(in crate::universe) fn everything(&mut self) {
        self.everything = true;
    }

    /// All sets were summed up.
    pub(in crate::universe) fn settle(&mut self) {
        self.everything = false;
        self.nodes.clear();
        self.sets.clear();
    }

    /// Whether all sets have to be summed up anew.
    pub(in crate::universe) fn is_everything(&self) -> bool {
        self.everything
    }

    /// The nodes that changed, and the sets whose sums did.
    pub(in crate::universe) fn changed(&self) -> (&CountedSet<Bit>, &BitSet<SetIx>) {
        (&self.nodes, &self.sets)
    }

    /// Whether a set has to be summed up anew whatever nodes it has.
    pub(in crate::universe) fn has_set(&self, set: SetIx) -> bool {
        self.everything || self.sets.contains(set)
    }

    /// Whether a set of these nodes has to be summed up anew.
    pub(in crate::universe) fn has(&self, set: SetIx, nodes: &SparseSet) -> bool {
        self.has_set(set) || nodes.meets(&self.nodes)
    }
}

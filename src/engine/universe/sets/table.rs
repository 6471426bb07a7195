//! All placement sets of the complex with everything that is remembered about them.

mod check;

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::cluster::Column;
use crate::universe::{
    Availability, Bit, BitSet, ChunkCounts, ConsIx, HeldBySet, PlacementSet, Plan, Quirk, SetIx, SetsByNode,
    Slot, Tallies,
};

use super::dirty::DirtySets;

/// With more sets than this, the sets of every node are found when the table is made: later it would be in the middle of
/// a cycle.
const VERY_MANY: usize = 10_000;

/// All sets, and what follows from them. It reads as a column of sets, which change only here. Between two changes:
///
/// 1. the tallies equal those made anew from the sets;
/// 2. a set that may differ from what its nodes add up to is dirty, or has dirty nodes; a node that may stand elsewhere in a
///    set than it belongs is dirty, or the set is;
/// 3. a set whose sums changed since the designed order was last followed is disordered;
/// 4. a count of chunks that is still valid, by buckets or node by node, equals one counted anew;
/// 5. the sets by node follow from the members, which never change.
///
/// Dirty and disordered sets may be too many, never too few. What 2 to 5 are about is no part of what the state is: it is
/// not printed, and neither undone nor redone.
#[derive(Clone)]
pub struct SetTable {
    sets: Column<SetIx, PlacementSet>,
    tallies: Tallies,
    dirty: DirtySets,
    disordered: BitSet<SetIx>,
    chunk_counts: ChunkCounts,
    held_chunks: HeldBySet,
    kept_by_nodes: Arc<SetsByNode>,
    /// The same for all sets that a node is in, where it does not keep all of them up to date.
    by_node: Option<Arc<OnceLock<SetsByNode>>>,
}

impl std::fmt::Debug for SetTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (&self.sets, &self.tallies).fmt(f)
    }
}

impl Deref for SetTable {
    type Target = Column<SetIx, PlacementSet>;

    fn deref(&self) -> &Self::Target {
        &self.sets
    }
}

impl SetTable {
    /// These sets, of which each node keeps some up to date.
    pub(in crate::universe) fn new(
        plan: &Plan,
        kept_by_nodes: SetsByNode,
        sets: Column<SetIx, PlacementSet>,
    ) -> Self {
        let by_node = plan.has(Quirk::LastSetOnly).then(Arc::default);
        let table = Self::made(plan, sets, Arc::new(kept_by_nodes), by_node);
        if table.sets.len() > VERY_MANY {
            let _made = table.by_node();
        }
        table
    }

    /// The same sets after their sums and buckets changed.
    pub(in crate::universe) fn following(&self, plan: &Plan, sets: Column<SetIx, PlacementSet>) -> Self {
        Self::made(plan, sets, self.kept_by_nodes.clone(), self.by_node.clone())
    }

    /// Nothing is remembered yet.
    fn made(
        plan: &Plan,
        sets: Column<SetIx, PlacementSet>,
        kept_by_nodes: Arc<SetsByNode>,
        by_node: Option<Arc<OnceLock<SetsByNode>>>,
    ) -> Self {
        let mut table = Self {
            tallies: Tallies::of(plan, sets.as_slice()),
            dirty: DirtySets::new(plan.nodes.len(), sets.len()),
            disordered: BitSet::new(sets.len()),
            chunk_counts: ChunkCounts::default(),
            held_chunks: HeldBySet::default(),
            kept_by_nodes,
            by_node,
            sets,
        };
        table.mark_seeded(plan);
        table
    }

    /// Marks the sets that count a resource otherwise than they will once they are summed up anew: those whose first node
    /// lacks it.
    fn mark_seeded(&mut self, plan: &Plan) {
        let summed: Vec<_> = plan.consumables.ids().filter(|ix| plan.consumables.is_summed(*ix)).collect();
        let lacks = |bit: &Bit| summed.iter().any(|ix| plan.capacity.available(*ix, *bit).is_nan());
        let firsts = self.sets.iter().filter_map(|set| set.shape.members.first().copied());
        for first in firsts.filter(lacks).collect::<Vec<Bit>>() {
            self.mark_node(first);
        }
    }

    /// The sums of all sets side by side.
    pub fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The sets that a node keeps up to date.
    pub(in crate::universe) fn kept_by(&self, bit: Bit) -> &[SetIx] {
        &self.kept_by_nodes[bit]
    }

    /// The same for all nodes.
    pub(in crate::universe) fn kept_by_nodes(&self) -> Arc<SetsByNode> {
        self.kept_by_nodes.clone()
    }

    /// All lasting sets that each node is in, whether or not it keeps them up to date.
    pub fn by_node(&self) -> &SetsByNode {
        sets_by_node(&self.sets, &self.kept_by_nodes, self.by_node.as_deref())
    }

    /// Exchanges what a set counts as assigned.
    pub(in crate::universe) fn swap_assigned(
        &mut self,
        plan: &Plan,
        set: SetIx,
        ix: ConsIx,
        value: &mut f64,
    ) {
        self.dirty.set(set);
        self.disordered.insert(set);
        std::mem::swap(value, &mut self.sets[set].assigned[ix]);
        self.tallies.take_left(plan, set, ix, &self.sets[set]);
    }

    /// Exchanges what a set counts as free nodes.
    pub(in crate::universe) fn swap_free(&mut self, set: SetIx, value: &mut i32) {
        self.dirty.set(set);
        std::mem::swap(value, &mut self.sets[set].free_nodes);
        self.tallies.take_free(set, &self.sets[set]);
    }

    /// Exchanges the availability of a member in its bucket; a member in no bucket stays as it is.
    pub(in crate::universe) fn swap_availability(
        &mut self,
        set: SetIx,
        slot: Slot,
        value: &mut Availability,
    ) {
        self.dirty.set(set);
        self.chunk_counts.touch(set, value.is_open());
        if let Some(was) = self.sets[set].put(slot, *value) {
            self.tallies.move_open(set, was, *value);
            *value = was;
        }
    }

    /// A node changed.
    pub(in crate::universe) fn mark_node(&mut self, bit: Bit) {
        self.dirty.node(bit);
        if !self.held_chunks.is_empty() {
            let around = sets_by_node(&self.sets, &self.kept_by_nodes, self.by_node.as_deref());
            around[bit].iter().for_each(|set| self.held_chunks.touch(*set));
        }
    }

    /// Any node may have changed.
    pub(in crate::universe) fn mark_all(&mut self) {
        self.dirty.everything();
        self.held_chunks = HeldBySet::default();
    }

    /// All sets were counted anew but these.
    pub(in crate::universe) fn mark_counted(&mut self, but: &[SetIx]) {
        self.dirty.settle();
        but.iter().for_each(|set| self.dirty.set(*set));
    }

    /// The sets that may differ from what their nodes add up to, ascending.
    pub(in crate::universe) fn all_dirty(&self) -> Vec<SetIx> {
        if self.dirty.is_everything() {
            return self.sets.ids().collect();
        }
        let (nodes, sets) = self.dirty.changed();
        let around = self.by_node();
        let mut found: Vec<SetIx> = sets.iter().collect();
        nodes.iter().for_each(|bit| found.extend_from_slice(&around[bit]));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a set may differ from its nodes anywhere, and not only where these are dirty.
    pub(in crate::universe) fn is_dirty_itself(&self, set: SetIx) -> bool {
        self.dirty.has_set(set)
    }

    /// The nodes of a set that may stand elsewhere in it than they belong; none if any of them may.
    pub(in crate::universe) fn dirty_members(&self, set: SetIx) -> Option<Vec<Bit>> {
        let nodes = &self.sets[set].shape.nodes;
        let dirty = (!self.is_dirty_itself(set)).then(|| nodes.common(self.dirty.changed().0));
        dirty.map(|places| places.iter().map(|place| nodes.bit(place)).collect())
    }

    /// Whether a set may differ from what its nodes add up to.
    pub(in crate::universe) fn is_dirty(&self, set: SetIx) -> bool {
        self.dirty.has(set, &self.sets[set].shape.nodes)
    }

    /// Whether every set may.
    pub(in crate::universe) fn are_all_dirty(&self) -> bool {
        self.dirty.is_everything()
    }

    /// Which sets may, to be put back by [`Self::set_dirty`] where all later changes are undone.
    pub(in crate::universe) fn dirty(&self) -> &DirtySets {
        &self.dirty
    }

    /// Puts back what [`Self::dirty`] gave.
    pub(in crate::universe) fn set_dirty(&mut self, dirty: DirtySets) {
        self.dirty = dirty;
    }

    /// Sets whose sums changed since their pool was put into the designed order.
    pub(in crate::universe) fn disordered(&self) -> &BitSet<SetIx> {
        &self.disordered
    }

    /// All pools are in the designed order.
    pub(in crate::universe) fn set_ordered(&mut self) {
        self.disordered.clear();
    }

    /// Takes the cache of chunk counts out, to be used beside the sets.
    pub(in crate::universe) fn take_chunk_counts(&mut self) -> ChunkCounts {
        std::mem::take(&mut self.chunk_counts)
    }

    /// Puts it back; no set changed in between.
    pub(in crate::universe) fn put_chunk_counts(&mut self, counts: ChunkCounts) {
        self.chunk_counts = counts;
    }

    /// Takes the counts of chunks on nodes out, to be used beside the sets.
    pub(in crate::universe) fn take_held_chunks(&mut self) -> HeldBySet {
        std::mem::take(&mut self.held_chunks)
    }

    /// Puts them back; no node changed in between.
    pub(in crate::universe) fn put_held_chunks(&mut self, counts: HeldBySet) {
        self.held_chunks = counts;
    }
}

/// The sets of every node: those that it keeps, where it keeps all.
fn sets_by_node<'t>(
    sets: &Column<SetIx, PlacementSet>,
    kept: &'t SetsByNode,
    all: Option<&'t OnceLock<SetsByNode>>,
) -> &'t SetsByNode {
    let Some(all) = all else { return kept };
    all.get_or_init(|| {
        let sets = sets.enumerate().map(|(set, placement)| (set, &*placement.shape.members));
        SetsByNode::of(kept.len(), &sets.collect::<Vec<_>>())
    })
}

//! All placement sets of the complex with everything cached about them.

mod check;

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::cluster::Column;
use crate::universe::{
    Availability, Bit, BitSet, ChunkCountCache, ConsIx, HeldChunkCache, PlacementSet, Plan, Quirk, SetIx,
    SetsByNode, Slot, Tallies,
};

use super::dirty::DirtySets;

/// Number of sets above which the sets of every node are computed when the table is created, rather than in the
/// middle of a cycle.
const VERY_MANY: usize = 10_000;

/// All sets and the data derived from them. Dereferences to a column of sets, which is changed only here. Between two
/// changes:
///
/// 1. the tallies equal those computed from the sets;
/// 2. a set that may differ from the sums of its nodes is dirty or has dirty nodes; a node whose bitmap in a set may
///    be outdated is dirty, or the set is;
/// 3. a set whose sums changed since the designed order was last updated is disordered;
/// 4. a cached chunk count that is still valid, by buckets or node by node, equals a fresh count;
/// 5. the sets by node follow from the members, which never change.
///
/// There may be too many dirty or disordered sets, never too few. The data of items 2 to 5 is not part of the state:
/// it is not printed, and neither undone nor redone.
#[derive(Clone)]
pub struct SetTable {
    sets: Column<SetIx, PlacementSet>,
    tallies: Tallies,
    dirty: DirtySets,
    disordered: BitSet<SetIx>,
    chunk_counts: ChunkCountCache,
    held_chunks: HeldChunkCache,
    kept_by_nodes: Arc<SetsByNode>,
    /// All sets of each node, if nodes keep only some of them up to date.
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
    /// Creates the table; `kept_by_nodes` are the sets that each node keeps up to date.
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

    /// Returns the table after sums and buckets of the same sets changed.
    pub(in crate::universe) fn following(&self, plan: &Plan, sets: Column<SetIx, PlacementSet>) -> Self {
        Self::made(plan, sets, self.kept_by_nodes.clone(), self.by_node.clone())
    }

    /// Creates the table with empty caches.
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
            chunk_counts: ChunkCountCache::default(),
            held_chunks: HeldChunkCache::default(),
            kept_by_nodes,
            by_node,
            sets,
        };
        table.mark_seeded(plan);
        table
    }

    /// Marks the sets whose count of a resource will change when they are summed again: those whose first node lacks
    /// it.
    fn mark_seeded(&mut self, plan: &Plan) {
        let summed: Vec<_> = plan.consumables.ids().filter(|ix| plan.consumables.is_summed(*ix)).collect();
        let lacks = |bit: &Bit| summed.iter().any(|ix| plan.capacity.available(*ix, *bit).is_nan());
        let firsts = self.sets.iter().filter_map(|set| set.shape.members.first().copied());
        for first in firsts.filter(lacks).collect::<Vec<Bit>>() {
            self.mark_node(first);
        }
    }

    /// Returns the sums of all sets, by column.
    pub fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// Returns the sets that a node keeps up to date.
    pub(in crate::universe) fn kept_by(&self, bit: Bit) -> &[SetIx] {
        &self.kept_by_nodes[bit]
    }

    /// Returns the sets that each node keeps up to date.
    pub(in crate::universe) fn kept_by_nodes(&self) -> Arc<SetsByNode> {
        self.kept_by_nodes.clone()
    }

    /// Returns all lasting sets that each node is in, whether or not it keeps them up to date.
    pub fn by_node(&self) -> &SetsByNode {
        sets_by_node(&self.sets, &self.kept_by_nodes, self.by_node.as_deref())
    }

    /// Swaps a set's assigned amount of a consumable with `value`.
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
        self.tallies.take_amounts(plan, set, ix, &self.sets[set]);
    }

    /// Swaps a set's number of free nodes with `value`.
    pub(in crate::universe) fn swap_free(&mut self, set: SetIx, value: &mut i32) {
        self.dirty.set(set);
        std::mem::swap(value, &mut self.sets[set].free_nodes);
        self.tallies.take_free(set, &self.sets[set]);
    }

    /// Swaps the bitmap of a member in its bucket with `value`; a member in no bucket is not changed.
    pub(in crate::universe) fn swap_availability(
        &mut self,
        set: SetIx,
        slot: Slot,
        value: &mut Availability,
    ) {
        self.dirty.set(set);
        self.chunk_counts.mark_changed(set, value.is_open());
        if let Some(was) = self.sets[set].put(slot, *value) {
            self.tallies.move_open(set, was, *value);
            *value = was;
        }
    }

    /// Records that a node changed.
    pub(in crate::universe) fn mark_node(&mut self, bit: Bit) {
        self.dirty.node(bit);
        if !self.held_chunks.is_empty() {
            let around = sets_by_node(&self.sets, &self.kept_by_nodes, self.by_node.as_deref());
            around[bit].iter().for_each(|set| self.held_chunks.mark_changed(*set));
        }
    }

    /// Records that any node may have changed.
    pub(in crate::universe) fn mark_all(&mut self) {
        self.dirty.mark_all();
        self.held_chunks = HeldChunkCache::default();
    }

    /// Records that all sets except these were counted again.
    pub(in crate::universe) fn mark_counted(&mut self, but: &[SetIx]) {
        self.dirty.mark_clean();
        but.iter().for_each(|set| self.dirty.set(*set));
    }

    /// Returns the sets that may differ from the sums of their nodes, ascending.
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

    /// Whether a set may differ from its nodes anywhere, not only where these are dirty.
    pub(in crate::universe) fn is_dirty_itself(&self, set: SetIx) -> bool {
        self.dirty.has_set(set)
    }

    /// Returns the nodes of a set whose bitmap may be outdated; `None` if any of them may be.
    pub(in crate::universe) fn dirty_members(&self, set: SetIx) -> Option<Vec<Bit>> {
        let nodes = &self.sets[set].shape.nodes;
        let dirty = (!self.is_dirty_itself(set)).then(|| nodes.common(self.dirty.changed().0));
        dirty.map(|places| places.iter().map(|place| nodes.bit(place)).collect())
    }

    /// Whether a set may differ from the sums of its nodes.
    pub(in crate::universe) fn is_dirty(&self, set: SetIx) -> bool {
        self.dirty.has(set, &self.sets[set].shape.nodes)
    }

    /// Whether every set may differ from the sums of its nodes.
    pub(in crate::universe) fn are_all_dirty(&self) -> bool {
        self.dirty.is_everything()
    }

    /// Returns what is dirty, to be restored by [`Self::set_dirty`] after all later changes are undone.
    pub(in crate::universe) fn dirty(&self) -> &DirtySets {
        &self.dirty
    }

    /// Restores a copy of what [`Self::dirty`] returned.
    pub(in crate::universe) fn set_dirty(&mut self, dirty: DirtySets) {
        self.dirty = dirty;
    }

    /// Returns the sets whose sums changed since their pool was put into the designed order.
    pub(in crate::universe) fn disordered(&self) -> &BitSet<SetIx> {
        &self.disordered
    }

    /// Records that all pools are in the designed order.
    pub(in crate::universe) fn set_ordered(&mut self) {
        self.disordered.clear();
    }

    /// Takes out the cache of chunk counts, so that it can be used while the sets are borrowed.
    pub(in crate::universe) fn take_chunk_counts(&mut self) -> ChunkCountCache {
        std::mem::take(&mut self.chunk_counts)
    }

    /// Puts the cache back; no set may have changed in between.
    pub(in crate::universe) fn put_chunk_counts(&mut self, counts: ChunkCountCache) {
        self.chunk_counts = counts;
    }

    /// Takes out the counts of chunks on nodes, so that they can be used while the sets are borrowed.
    pub(in crate::universe) fn take_held_chunks(&mut self) -> HeldChunkCache {
        std::mem::take(&mut self.held_chunks)
    }

    /// Puts the counts back; no node may have changed in between.
    pub(in crate::universe) fn put_held_chunks(&mut self, counts: HeldChunkCache) {
        self.held_chunks = counts;
    }
}

/// Returns the sets of every node: `kept` if nodes keep all of them.
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

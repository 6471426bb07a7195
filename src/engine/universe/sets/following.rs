//! Updates placement sets after some nodes changed, recounting only what these nodes affect.

use std::sync::Arc;

use crate::cluster::Column;

use crate::universe::sets::arrangement::SetsAtStart;
use crate::universe::sets::buckets::{Availabilities, SetBuckets};
use crate::universe::{Bit, BitSet, NodeSet, PlacementSet, Plan, Pool, PoolOwner, SetBuilder, SetIx};

impl SetsAtStart {
    /// Returns the sets of the same nodes after those in `changed` changed; nodes in `crossed` entered or left a
    /// bucket. The result equals sets built from scratch.
    pub(in crate::universe) fn following(
        &self,
        builder: &SetBuilder<'_>,
        changed: &[Bit],
        crossed: &[Bit],
    ) -> Self {
        if builder.plan.group_order.is_some() {
            return Self::new(builder);
        }
        let mut sets: Column<SetIx, PlacementSet> = Column::clone(&self.table);
        let hit = self.sets_containing(changed);
        for set in hit.iter() {
            builder.sum(&mut sets[set]);
        }
        let crossed = self.sets_containing(crossed);
        let mut pools = self.pools.clone();
        for pool in pools.iter_mut() {
            move_changed_nodes(builder, pool, &mut sets, changed, &crossed);
            if pool.sets.iter().any(|set| hit.contains(*set)) {
                pool.order = pool.sets.as_slice().into();
                pool.order = pool.sorted(builder.plan, &sets);
            }
        }
        Self {
            table: self.table.following(builder.plan, sets),
            pools,
            server_pool: self.server_pool,
            queue_pools: self.queue_pools.clone(),
            all_nodes_set: self.all_nodes_set,
            queue_everything: self.queue_everything.clone(),
            host_sets: self.host_sets.clone(),
        }
    }

    /// Returns the sets that contain any of these nodes.
    fn sets_containing(&self, nodes: &[Bit]) -> BitSet<SetIx> {
        let sets = nodes.iter().flat_map(|bit| &self.table.by_node()[*bit]);
        BitSet::of(self.table.len(), sets.copied())
    }
}

/// Moves the changed nodes within the buckets of a pool's sets.
fn move_changed_nodes(
    builder: &SetBuilder<'_>,
    pool: &Pool,
    sets: &mut Column<SetIx, PlacementSet>,
    changed: &[Bit],
    crossed: &BitSet<SetIx>,
) {
    let list = list_of(builder.plan, pool.owner);
    let Some(was) = pool.sets.first().and_then(|set| sets[*set].buckets.start()) else { return };
    let mut start: Availabilities = Availabilities::clone(was);
    for bit in changed.iter().copied().filter(|bit| list.contains(*bit) && !builder.is_stale(*bit)) {
        start[bit] = builder.has_bucket(bit).then(|| builder.availability(bit));
    }
    let start = Arc::new(start);
    for set in &pool.sets {
        let set_of = &mut sets[*set];
        set_of.buckets = if crossed.contains(*set) {
            SetBuckets::of(builder.plan, &set_of.shape.members, start.clone())
        } else {
            set_of.buckets.with_start(start.clone())
        };
    }
}

/// Returns the nodes of which a pool's sets consist.
fn list_of(plan: &Plan, owner: PoolOwner) -> &NodeSet {
    match owner {
        PoolOwner::Queue(queue) if plan.masks.owns_nodes(queue) => &plan.masks.queue_nodes[queue],
        PoolOwner::Queue(_) | PoolOwner::Server => &plan.masks.unbound,
    }
}

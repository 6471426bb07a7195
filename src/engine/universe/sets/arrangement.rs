//! Sets and pools at the start of the cycle.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, QueueId};

use crate::universe::sets::builder::{CreatedSets, SetBuilder};
use crate::universe::sets::pool::{Pool, PoolOwner, is_comparable};
use crate::universe::{
    Bit, HostIx, PlacementSet, Plan, PoolIx, Quirk, SetIx, SetRanks, SetTable, SetsByNode,
};

/// Returns the queues in the order in which their pools are created: the order in which they are served (rules 5.1,
/// 6.1), by priority under by_queue or round_robin. If two pools have the same nodes, those nodes remember the later
/// one (quirk B1).
fn queues_in_turn(plan: &Plan) -> Vec<QueueId> {
    let queues = &plan.snap.queues;
    let mut order: Vec<QueueId> = queues.ids().collect();
    let policy = &plan.snap.policy;
    if *policy.by_queue.get(plan.period) || *policy.round_robin.get(plan.period) {
        order.sort_by_key(|id| std::cmp::Reverse(queues[*id].priority));
    }
    order
}

/// Creates one set for every host, of its nodes that are bound to no queue.
fn host_sets(builder: &SetBuilder<'_>, sets: &mut Column<SetIx, PlacementSet>) -> FxHashMap<HostIx, SetIx> {
    let plan = builder.plan;
    let mut members: Column<HostIx, Vec<Bit>> = Column::filled(plan.host_count(), Vec::new());
    for bit in plan.masks.unbound.iter() {
        members[plan.nodes[bit].host].push(bit);
    }
    let hosts = members.enumerate().filter(|(_, nodes)| !nodes.is_empty());
    hosts.map(|(host, nodes)| (host, sets.push(builder.all_nodes_set(nodes.clone())))).collect()
}

/// All pools and their sets at the start of the cycle.
#[derive(Clone, Debug)]
pub(in crate::universe) struct SetsAtStart {
    pub table: SetTable,
    pub pools: Column<PoolIx, Pool>,
    pub server_pool: Option<PoolIx>,
    pub queue_pools: Column<QueueId, Option<PoolIx>>,
    pub all_nodes_set: SetIx,
    pub queue_everything: Column<QueueId, Option<SetIx>>,
    pub host_sets: Arc<FxHashMap<HostIx, SetIx>>,
}

impl SetsAtStart {
    /// Creates the sets of a plan at the start of the cycle.
    pub(in crate::universe) fn new(builder: &SetBuilder<'_>) -> Self {
        let plan = builder.plan;
        let snap = &plan.snap;
        let unbound: Vec<Bit> = plan.masks.unbound.iter().collect();
        let mut sets = Column::new();
        let all_nodes_set = sets.push(builder.all_nodes_set(unbound.clone()));
        let queue_everything: Column<QueueId, Option<SetIx>> = snap
            .queues
            .ids()
            .map(|queue| {
                let nodes: Vec<Bit> = plan.masks.queue_nodes[queue].iter().collect();
                (!nodes.is_empty()).then(|| sets.push(builder.all_nodes_set(nodes)))
            })
            .collect();
        let host_sets =
            if plan.multi_vnode.exists { host_sets(builder, &mut sets) } else { FxHashMap::default() };
        let mut made = PoolBuilder {
            sets,
            pools: Column::new(),
            server_pool: None,
            queue_pools: Column::filled(snap.queues.len(), None),
        };
        if snap.server.node_group_enable {
            if !snap.server.node_group_key.is_empty() {
                made.server_pool =
                    made.add(builder, PoolOwner::Server, &unbound, &snap.server.node_group_key, true);
            }
            for id in queues_in_turn(plan) {
                made.add_queue(builder, id, &snap.queues[id], &unbound);
            }
        }
        let whole: Vec<SetIx> =
            std::iter::once(all_nodes_set).chain(queue_everything.iter().copied().flatten()).collect();
        let kept = kept_by_nodes(plan, &made, &whole, &host_sets);
        let PoolBuilder { sets, pools, server_pool, queue_pools } = made;
        Self {
            table: SetTable::new(plan, kept, sets),
            pools,
            server_pool,
            queue_pools,
            all_nodes_set,
            queue_everything,
            host_sets: host_sets.into(),
        }
    }
}

/// The pools and all sets created so far.
struct PoolBuilder {
    sets: Column<SetIx, PlacementSet>,
    pools: Column<PoolIx, Pool>,
    server_pool: Option<PoolIx>,
    queue_pools: Column<QueueId, Option<PoolIx>>,
}

impl PoolBuilder {
    fn add_queue(
        &mut self,
        builder: &SetBuilder<'_>,
        id: QueueId,
        queue: &crate::cluster::Queue,
        unbound: &[Bit],
    ) {
        let nodes: Vec<Bit> = builder.plan.masks.queue_nodes[id].iter().collect();
        let own = !queue.node_group_key.is_empty();
        if nodes.is_empty() && !own {
            return;
        }
        let keys = if own { &queue.node_group_key } else { &builder.plan.snap.server.node_group_key };
        let list = if nodes.is_empty() { unbound } else { &nodes };
        if !keys.is_empty() {
            self.queue_pools[id] = self.add(builder, PoolOwner::Queue(id), list, keys, own);
        }
    }

    fn add(
        &mut self,
        builder: &SetBuilder<'_>,
        owner: PoolOwner,
        list: &[Bit],
        keys: &[crate::cluster::Name],
        refreshed: bool,
    ) -> Option<PoolIx> {
        let CreatedSets { sets, omitted_memberships } = builder.by_keys(list, keys);
        let order = builder.plan.group_order.as_ref();
        let ranks = order.map(|order| SetRanks::of(order, &sets, SetIx::at(self.sets.len())));
        let sets: Vec<SetIx> = sets.into_iter().map(|set| self.sets.push(set)).collect();
        let comparable = is_comparable(builder.plan, &self.sets, &sets);
        let order = sets.as_slice().into();
        let mut pool = Pool { owner, order, sets, refreshed, comparable, ranks, omitted_memberships };
        pool.order = pool.sorted(builder.plan, &self.sets);
        Some(self.pools.push(pool))
    }
}

/// Returns the sets that each node keeps up to date: all it is in, or only the last one created (quirk B1).
fn kept_by_nodes(
    plan: &Plan,
    made: &PoolBuilder,
    whole: &[SetIx],
    host_sets: &FxHashMap<HostIx, SetIx>,
) -> SetsByNode {
    let mut hosts: Vec<SetIx> = host_sets.values().copied().collect();
    hosts.sort_unstable();
    let all = whole.iter().chain(&hosts).chain(made.pools.iter().flat_map(|pool| &pool.sets));
    let sets: Vec<(SetIx, &[Bit])> = all.map(|set| (*set, &*made.sets[*set].shape.members)).collect();
    if plan.has(Quirk::LastSetOnly) {
        SetsByNode::last_of(plan.nodes.len(), &sets)
    } else {
        SetsByNode::of(plan.nodes.len(), &sets)
    }
}

//! Columns of consumables: the amounts of every node, and the nodes that keep indirect amounts.

use std::sync::Arc;

use crate::cluster::{
    Column, ExecVnode, GroupSortKey, Id, JobState, NodeId, NodeSortTerm, Period, ResourceId, Snapshot, Value,
    deduplicated,
};

use crate::universe::{Bit, may_preempt, resolved, whole_mb};

crate::id!(
    /// Index of a consumable that has columns.
    ConsIx
);

/// The consumables that have columns: checked ones, cpus and memory, those of sort keys, and those that running jobs
/// release when they are preempted.
#[derive(Clone, PartialEq, Debug)]
pub struct Consumables {
    ids: Column<ConsIx, ResourceId>,
    at: Column<ResourceId, Option<ConsIx>>,
    checked: Column<ConsIx, bool>,
    sorts_sets: Column<ConsIx, bool>,
}

/// Returns the resources held by jobs that may be preempted, checked or not: their request to return names them (rule
/// M34).
fn released_resources(snap: &Snapshot) -> Vec<ResourceId> {
    if !may_preempt(snap) {
        return Vec::new();
    }
    let running = snap.jobs.iter().filter(|job| job.state == JobState::Running);
    let parts = running.filter_map(|job| job.exec_vnode.as_ref()).flat_map(ExecVnode::parts);
    let names = deduplicated(parts.flat_map(|part| part.resources.iter()).map(|(name, _)| name));
    names.into_iter().filter_map(|name| snap.catalogue.id(name)).collect()
}

impl Consumables {
    /// Selects the consumables; `sorting` are additional keys by which placement sets are sorted.
    pub fn new(snap: &Snapshot, checked: &[ResourceId], period: Period, sorting: &[GroupSortKey]) -> Self {
        let sorting: Vec<ResourceId> =
            sorting.iter().filter_map(|key| snap.catalogue.id(&key.resource)).collect();
        let keys = snap.policy.node_sort_key.get(period).iter().filter_map(|key| match &key.term {
            NodeSortTerm::Resource(name, _) => snap.catalogue.id(name),
            _ => None,
        });
        let always = [ResourceId::ncpus(), ResourceId::mem()];
        let mut ids: Vec<ResourceId> = checked
            .iter()
            .chain(&sorting)
            .copied()
            .chain(always)
            .chain(keys)
            .chain(released_resources(snap))
            .collect();
        ids.retain(|id| snap.catalogue.kind(*id).is_consumable());
        ids.sort_unstable();
        ids.dedup();
        let ids: Column<ConsIx, ResourceId> = ids.into();
        let mut at = Column::filled(snap.catalogue.len(), None);
        ids.enumerate().for_each(|(ix, id)| at[*id] = Some(ix));
        Self {
            at,
            checked: ids.iter().map(|id| checked.contains(id)).collect(),
            sorts_sets: ids.iter().map(|id| sorting.contains(id)).collect(),
            ids,
        }
    }

    /// Returns the column of a resource, if it has one.
    pub fn ix(&self, resource: ResourceId) -> Option<ConsIx> {
        self.at.checked(resource).copied().flatten()
    }

    /// Returns the resource of a column.
    pub fn resource(&self, ix: ConsIx) -> ResourceId {
        self.ids[ix]
    }

    /// Whether the resource is one that jobs request.
    pub fn is_checked(&self, ix: ConsIx) -> bool {
        self.checked[ix]
    }

    /// Whether placement sets sum the resource: it is requested, or sets are sorted by it.
    pub fn is_summed(&self, ix: ConsIx) -> bool {
        self.checked[ix] || self.sorts_sets[ix]
    }

    /// Returns all columns.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ConsIx> + use<> {
        self.ids.ids()
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no columns; never true.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// Amounts of every node, by consumable.
#[derive(Clone, Debug)]
pub struct Capacity {
    /// `resources_available` with indirect values resolved; NaN where unset.
    available: Arc<Column<ConsIx, Column<Bit, f64>>>,
    /// `resources_assigned` as dumped.
    assigned: Column<ConsIx, Column<Bit, f64>>,
    /// The node that keeps the amount of each node; only for consumables that some node keeps elsewhere.
    home: Arc<Column<ConsIx, Option<Column<Bit, Bit>>>>,
}

impl Capacity {
    /// Reads the nodes of the snapshot.
    pub fn new(
        snap: &Snapshot,
        order: &[NodeId],
        bit_of: &Column<NodeId, Option<Bit>>,
        consumables: &Consumables,
    ) -> Self {
        let filled = |value| Column::filled(consumables.len(), Column::filled(order.len(), value));
        let (mut available, mut assigned) = (filled(f64::NAN), filled(0.0));
        let mut elsewhere = Column::filled(consumables.len(), false);
        // A single pass over the nodes, because their values are scattered in memory.
        for (at, id) in order.iter().enumerate() {
            let (node, bit) = (&snap.nodes[*id], Bit::at(at));
            for (resource, value) in node.available.iter() {
                let Some(ix) = consumables.ix(resource) else { continue };
                elsewhere[ix] |= matches!(value, Value::Indirect(_));
                available[ix][bit] = amount_of(snap, *id, resource, value);
            }
            for (resource, value) in node.assigned.iter() {
                if let (Some(ix), Some(amount)) = (consumables.ix(resource), value.amount()) {
                    assigned[ix][bit] = amount.0;
                }
            }
        }
        let homes = |ix: ConsIx| {
            let homes = order.iter().enumerate().map(|(at, id)| {
                let target = resolved(snap, *id, consumables.resource(ix)).and_then(|(node, _)| bit_of[node]);
                target.unwrap_or(Bit::at(at))
            });
            homes.collect::<Column<Bit, Bit>>()
        };
        let home = elsewhere.enumerate().map(|(ix, elsewhere)| elsewhere.then(|| homes(ix))).collect();
        Self { available: available.into(), assigned, home: Arc::new(home) }
    }

    /// Returns the capacity after the assigned amounts of these nodes changed.
    pub(in crate::universe) fn following(
        &self,
        snap: &Snapshot,
        consumables: &Consumables,
        changed: impl Iterator<Item = (Bit, NodeId)>,
    ) -> Self {
        let mut next = self.clone();
        for (bit, id) in changed {
            for ix in consumables.ids() {
                let amount = snap.nodes[id].assigned.amount(consumables.resource(ix));
                next.assigned[ix][bit] = amount.map_or(0.0, |amount| amount.0);
            }
        }
        next
    }

    /// Returns a node's available amount; NaN where unset.
    #[inline]
    pub fn available(&self, ix: ConsIx, bit: Bit) -> f64 {
        self.available[ix][bit]
    }

    /// Returns every node's available amount of a consumable; NaN where unset.
    pub fn column(&self, ix: ConsIx) -> &Column<Bit, f64> {
        &self.available[ix]
    }

    /// Whether some node keeps its amount of a consumable on another node.
    pub fn is_shared(&self, ix: ConsIx) -> bool {
        self.home[ix].is_some()
    }

    /// Returns what a node adds to the sums of its sets; NaN where unset or kept on another node.
    #[inline]
    pub fn contribution(&self, ix: ConsIx, bit: Bit) -> f64 {
        if self.keeper(ix, bit) == bit { self.available(ix, bit) } else { f64::NAN }
    }

    /// Returns all assigned amounts as dumped.
    pub fn assigned(&self) -> &Column<ConsIx, Column<Bit, f64>> {
        &self.assigned
    }

    /// Returns the node that keeps this node's amount, usually the node itself.
    #[inline]
    pub fn keeper(&self, ix: ConsIx, bit: Bit) -> Bit {
        match &self.home[ix] {
            None => bit,
            Some(homes) => homes[bit],
        }
    }
}

/// Returns a node's available amount as the scheduler reads it, following indirect values; NaN where unset.
fn amount_of(snap: &Snapshot, node: NodeId, resource: ResourceId, value: &Value) -> f64 {
    let amount = match value {
        Value::Indirect(_) => resolved(snap, node, resource).and_then(|(_, value)| value.amount()),
        value => value.amount(),
    };
    match amount {
        Some(amount) if resource == ResourceId::mem() => whole_mb(amount).0,
        Some(amount) => amount.0,
        None => f64::NAN,
    }
}

//! Pools: the placement sets of one owner, in the order in which they are tried (rule 5.1).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, Name, NodeState, QueueId, ResourceId, Value};

use super::bucket::{Pocket, make_buckets};
use super::floor::Floor;
use super::merge_sort::merge_sort;
use super::node_set::{Bit, Slot};
use super::plan::Plan;
use super::set::{PlacementSet, SetIx, SetShape, compare_sets};
use super::signature::SigValue;
use super::state::NodeEvent;
use super::tallies::Tallies;

crate::id!(
    /// One pool of the complex.
    PoolIx
);

/// Whose sets they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolOwner {
    /// The server's.
    Server,
    /// A queue's.
    Queue(QueueId),
}

/// The sets of one owner.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Whose they are.
    pub owner: PoolOwner,
    /// Its sets in the order made.
    pub sets: Vec<SetIx>,
    /// Its sets in the order tried.
    pub order: Arc<[SetIx]>,
    /// Whether the scheduler brings it up to date at all: a queue's pool without a key of its own keeps
    /// the sums of the cycle's start (rule 5.1).
    pub refreshed: bool,
    /// Whether every set has every amount by which sets are compared.
    pub comparable: bool,
}

/// A pool made for jobs with `place=group=`, thrown away when anything starts or ends.
#[derive(Clone, Debug)]
pub struct GroupPool {
    /// The sets in the order tried.
    pub sets: Vec<PlacementSet>,
    /// Their names in that order.
    pub names: Arc<[Name]>,
    /// Their sums side by side.
    pub tallies: Tallies,
}

impl GroupPool {
    /// The sets of a list of nodes by one key, sorted.
    #[must_use]
    pub fn new(builder: &SetBuilder<'_>, list: &[Bit], key: &Name) -> Self {
        let mut sets = builder.by_keys(list, std::slice::from_ref(key));
        sort_sets(builder.plan, &mut sets);
        let names = sets.iter().map(|set| set.shape.name.clone()).collect();
        Self { tallies: Tallies::of(builder.plan, &sets), sets, names }
    }
}

/// Such pools by list of nodes (a queue's, or the unbound ones) and key.
pub type GroupPools = FxHashMap<(Option<QueueId>, ResourceId), Arc<GroupPool>>;

/// What building sets needs to look at.
pub struct SetBuilder<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The nodes as they stand.
    pub floor: &'a Floor,
    /// What is planned on them.
    pub events: &'a Column<Bit, Option<Arc<[NodeEvent]>>>,
}

impl SetBuilder<'_> {
    /// The sets of a list of nodes by keys, in the order made (rule 5.1). Stale nodes are left out.
    #[must_use]
    pub fn by_keys(&self, list: &[Bit], keys: &[Name]) -> Vec<PlacementSet> {
        let snap = &self.plan.snap;
        let list: Vec<Bit> = list.iter().copied().filter(|bit| !self.is_stale(*bit)).collect();
        keys.iter()
            .filter_map(|key| Some((key, snap.catalogue.id(key)?)))
            .flat_map(|(key, resource)| self.by_key(&list, key, resource))
            .collect()
    }

    fn is_stale(&self, bit: Bit) -> bool {
        self.plan.snap.nodes[self.plan.nodes[bit].id].states.has(NodeState::Stale)
    }

    fn by_key(&self, list: &[Bit], key: &Name, resource: ResourceId) -> Vec<PlacementSet> {
        let mut sets: Vec<(Name, Vec<Bit>)> = Vec::new();
        let mut known: FxHashMap<Name, usize> = FxHashMap::default();
        let mut last = 0;
        for bit in list {
            self.each_value(*bit, resource, |value| {
                // Nodes of a set mostly stand together.
                if sets.get(last).is_none_or(|(name, _)| name != value) {
                    last = *known.entry(value.clone()).or_insert_with(|| {
                        sets.push((value.clone(), Vec::new()));
                        sets.len() - 1
                    });
                }
                if let Some((_, nodes)) = sets.get_mut(last)
                    && nodes.last() != Some(bit)
                {
                    nodes.push(*bit);
                }
            });
        }
        sets.into_iter().map(|(value, nodes)| self.set(format!("{key}={value}").into(), nodes)).collect()
    }

    /// The values a node has of a key: its elements, or `""` where unset, or none at all.
    fn each_value(&self, bit: Bit, resource: ResourceId, mut tell: impl FnMut(&Name)) {
        let snap = &self.plan.snap;
        let id = self.plan.nodes[bit].id;
        match super::plan_node::resolved(snap, id, resource).map(|(_, value)| value) {
            Some(Value::Texts(texts)) => texts.iter().for_each(tell),
            Some(other) => tell(&SigValue::of(other).show(snap.catalogue.kind(resource)).into()),
            None if snap.scheduler.only_explicit_psets => {}
            None => tell(&"\"\"".into()),
        }
    }

    /// One set with its sums and buckets.
    #[must_use]
    pub fn set(&self, name: Name, nodes: Vec<Bit>) -> PlacementSet {
        let shape = SetShape::new(self.plan, name, nodes.into());
        let len = shape.members.len();
        let usable = shape.members.iter().enumerate().filter(|(_, bit)| self.has_bucket(**bit));
        let (buckets, homes) =
            make_buckets(self.plan, len, usable.map(|(at, bit)| (Slot::at(at), *bit, self.pocket(*bit))));
        let mut bucket_of = Column::filled(len, None);
        for (slot, at) in homes {
            bucket_of[slot] = u16::try_from(at).ok();
        }
        let mut set = PlacementSet {
            shape: Arc::new(shape),
            free_nodes: 0,
            assigned: Column::filled(self.plan.consumables.len(), 0.0),
            buckets,
            bucket_of: Arc::new(bucket_of),
        };
        set.free_nodes = free_nodes(self.floor, &set);
        set.assigned = assigned(self.plan, self.floor, &set);
        set
    }

    /// The set of all nodes of a list, without buckets.
    #[must_use]
    pub fn everything(&self, mut nodes: Vec<Bit>) -> PlacementSet {
        nodes.retain(|bit| !self.is_stale(*bit));
        let mut set = self.set("all".into(), nodes);
        set.buckets.clear();
        set.bucket_of = Arc::new(Column::filled(set.shape.members.len(), None));
        set
    }

    /// Whether a node is in any bucket: not down, offline or unlicensed (rule 3.3).
    #[must_use]
    pub fn has_bucket(&self, bit: Bit) -> bool {
        self.plan.licensed.contains(bit) && !self.floor.states[bit].is_gone()
    }

    /// Where a node is at the start (rule 3.3).
    #[must_use]
    pub fn pocket(&self, bit: Bit) -> Pocket {
        if !self.floor.open.contains(bit) || self.floor.load[bit].any() {
            Pocket::Busy
        } else if self.events[bit].is_some() {
            Pocket::Later
        } else {
            Pocket::Free
        }
    }
}

/// How many nodes of a set are free.
#[must_use]
pub(crate) fn free_nodes(floor: &Floor, set: &PlacementSet) -> i32 {
    let free = set.shape.members.iter().filter(|bit| floor.states[**bit].is_free()).count();
    i32::try_from(free).unwrap_or(i32::MAX)
}

/// What a set counts as assigned: all that a node has when it is not free (rule 5.2).
#[must_use]
pub(crate) fn assigned(
    plan: &Plan,
    floor: &Floor,
    set: &PlacementSet,
) -> Column<super::amounts::ConsIx, f64> {
    let of = |ix| {
        let each = set.shape.members.iter().map(|bit| {
            let available = plan.capacity.own(ix, *bit);
            match (floor.states[*bit].is_free(), available.is_nan()) {
                (_, true) => 0.0,
                (true, false) => floor.assigned[ix][*bit],
                (false, false) => available,
            }
        });
        each.sum()
    };
    plan.consumables.ids().map(|ix| if plan.consumables.is_checked(ix) { of(ix) } else { 0.0 }).collect()
}

/// Sorts sets into the order tried.
pub fn sort_sets(plan: &Plan, sets: &mut [PlacementSet]) {
    merge_sort(sets, &mut |a, b| compare_sets(plan, a, b));
}

/// Whether every set has every amount by which sets are compared. Then their order is a total one, and any
/// stable sort gives the result of the scheduler's own.
#[must_use]
pub(crate) fn is_comparable(plan: &Plan, arena: &Column<SetIx, PlacementSet>, sets: &[SetIx]) -> bool {
    let has_all =
        |set: &SetIx| plan.set_order.iter().flatten().all(|ix| !arena[*set].shape.available[*ix].is_nan());
    sets.iter().all(has_all)
}

impl Pool {
    /// The order tried, sorted anew after anything may have changed.
    #[must_use]
    pub(crate) fn sorted(&self, plan: &Plan, arena: &Column<SetIx, PlacementSet>) -> Arc<[SetIx]> {
        let mut order = self.order.to_vec();
        let mut compare = |a: &SetIx, b: &SetIx| compare_sets(plan, &arena[*a], &arena[*b]);
        if self.comparable {
            order.sort_by(&mut compare);
        } else {
            merge_sort(&mut order, &mut compare);
        }
        order.into()
    }

    /// The same after only these sets changed; none if the order stays.
    #[must_use]
    pub(crate) fn sorted_after(
        &self,
        plan: &Plan,
        arena: &Column<SetIx, PlacementSet>,
        changed: &[SetIx],
    ) -> Option<Arc<[SetIx]>> {
        if !self.comparable || changed.len() * 4 > self.order.len() {
            return Some(self.sorted(plan, arena)).filter(|order| *order != self.order);
        }
        let compare = |a: SetIx, b: SetIx| compare_sets(plan, &arena[a], &arena[b]);
        let place = |set: &SetIx| self.order.iter().position(|other| other == set);
        let mut moved: Vec<(usize, SetIx)> =
            changed.iter().filter_map(|set| Some((place(set)?, *set))).collect();
        let in_order = |a: usize| match (self.order.get(a), self.order.get(a + 1)) {
            (Some(a), Some(b)) => compare(*a, *b).is_le(),
            _ => true,
        };
        // All others are still in order among themselves.
        if moved.iter().all(|(at, _)| in_order(*at) && at.checked_sub(1).is_none_or(in_order)) {
            return None;
        }
        moved.sort_by(|a, b| compare(a.1, b.1).then(a.0.cmp(&b.0)));
        let stay = |(_, set): &(usize, SetIx)| !moved.iter().any(|(_, other)| other == set);
        let rest: Vec<(usize, SetIx)> = self.order.iter().copied().enumerate().filter(stay).collect();
        let mut order = Vec::with_capacity(self.order.len());
        let mut from = 0;
        for (at, set) in &moved {
            // Ties keep the order that they had.
            let goes_before = |other: &(usize, SetIx)| compare(other.1, *set).then(other.0.cmp(at)).is_lt();
            let until = rest.partition_point(goes_before);
            order.extend(rest.get(from..until).unwrap_or_default().iter().map(|(_, other)| *other));
            order.push(*set);
            from = until;
        }
        order.extend(rest.get(from..).unwrap_or_default().iter().map(|(_, other)| *other));
        Some(order.into())
    }
}

//! Construction of placement sets: their nodes, sums and buckets (rules 3.3, 5.1, 5.2).

use std::sync::Arc;

use crate::cluster::{Column, Name, NodeState, ResourceId, Value};

use crate::universe::sets::buckets::{Availabilities, SetBuckets};
use crate::universe::sets::key_values::{KeyValues, NodeKeyValue, SetMembers, combinations};
use crate::universe::{
    Availability, Bit, ConsIx, NodeEvent, NodeOccupancy, PlacementSet, Plan, SetDefinition, SigValue,
    resolved,
};

/// Newly created sets.
pub struct CreatedSets {
    /// In the order of creation.
    pub sets: Vec<PlacementSet>,
    /// Number of memberships of the combinations that were left out, if there were too many.
    pub omitted_memberships: Option<usize>,
}

/// Inputs for building sets.
pub struct SetBuilder<'a> {
    pub plan: &'a Plan,
    /// Current loads, states and amounts of the nodes.
    pub occupancy: &'a NodeOccupancy,
    /// Events planned on each node.
    pub events: &'a Column<Bit, Option<Arc<[NodeEvent]>>>,
}

impl SetBuilder<'_> {
    /// Creates the sets of a list of nodes by keys, in order (rules 5.1, 5.6 N1). Stale nodes are left out.
    pub fn by_keys(&self, list: &[Bit], keys: &[Name]) -> CreatedSets {
        let catalogue = &self.plan.snap.catalogue;
        let list: Vec<Bit> = list.iter().copied().filter(|bit| !self.is_stale(*bit)).collect();
        let read = |key: &Name| {
            let resource = catalogue.id(key)?;
            let mut values = KeyValues::read(key, resource, &list, |bit, each| {
                self.for_each_key_value(bit, resource, each);
            });
            if let Some(order) = &self.plan.group_order {
                values.rank(order);
            }
            Some(values)
        };
        let mut read: Vec<KeyValues> = keys.iter().filter_map(read).collect();
        let mut made: Vec<SetMembers> = read.iter().flat_map(|key| key.sets(&list)).collect();
        let mut omitted_memberships = None;
        if let Some(order) = &self.plan.group_order
            && (order.partial || read.len() == keys.len())
        {
            drop_repeated(&mut read);
            match combinations(&read, &list, order.partial) {
                Ok(sets) => made.extend(sets),
                Err(memberships) => omitted_memberships = Some(memberships),
            }
        }
        let mut start: Availabilities = Column::filled(self.plan.nodes.len(), None);
        for bit in list.into_iter().filter(|bit| self.has_bucket(*bit)) {
            start[bit] = Some(self.availability(bit));
        }
        let start = Arc::new(start);
        CreatedSets {
            sets: made.into_iter().map(|members| self.set(members, Some(&start))).collect(),
            omitted_memberships,
        }
    }

    pub(in crate::universe) fn is_stale(&self, bit: Bit) -> bool {
        self.plan.node(bit).states.has(NodeState::Stale)
    }

    /// Passes a node's values of a key to `each`: its elements, or that it is unset, or nothing at all.
    fn for_each_key_value(&self, bit: Bit, resource: ResourceId, each: &mut dyn FnMut(NodeKeyValue<'_>)) {
        let snap = &self.plan.snap;
        let id = self.plan.nodes[bit].id;
        match resolved(snap, id, resource).map(|(_, value)| value) {
            Some(Value::Texts(texts)) => texts.iter().for_each(|text| each(NodeKeyValue::Value(text))),
            Some(other) => {
                each(NodeKeyValue::Value(&SigValue::of(other).show(snap.catalogue.kind(resource)).into()));
            }
            None if snap.scheduler.only_explicit_psets => {}
            None => each(NodeKeyValue::Unset),
        }
    }

    /// Creates one set with its sums and buckets.
    fn set(&self, members: SetMembers, start: Option<&Arc<Availabilities>>) -> PlacementSet {
        let shape = SetDefinition::new(self.plan, self.occupancy, members);
        let mut set = PlacementSet {
            buckets: start.map_or_else(SetBuckets::none, |start| {
                SetBuckets::of(self.plan, &shape.members, start.clone())
            }),
            shape: Arc::new(shape),
            free_nodes: 0,
            assigned: Column::filled(self.plan.consumables.len(), 0.0),
        };
        self.sum(&mut set);
        set
    }

    /// Recounts the free nodes of a set and sums its assigned amounts, as at its creation.
    pub(in crate::universe) fn sum(&self, set: &mut PlacementSet) {
        set.free_nodes = free_nodes(self.occupancy, set);
        set.assigned = assigned_as_made(self.plan, self.occupancy, set);
    }

    /// Creates the set of all nodes of a list, without buckets.
    pub fn all_nodes_set(&self, mut nodes: Vec<Bit>) -> PlacementSet {
        nodes.retain(|bit| !self.is_stale(*bit));
        let values = Box::default();
        self.set(SetMembers { name: "all".into(), values, dims: 0, nodes }, None)
    }

    /// Whether a node is in any bucket: it is not down, offline or unlicensed (rule 3.3).
    pub fn has_bucket(&self, bit: Bit) -> bool {
        self.plan.masks.licensed.contains(bit) && !self.occupancy.states[bit].is_gone()
    }

    /// Returns the bitmap of a node at the start (rule 3.3).
    pub fn availability(&self, bit: Bit) -> Availability {
        if !self.occupancy.open_nodes.contains(bit) || self.occupancy.load[bit].is_busy() {
            Availability::Busy
        } else if self.events[bit].is_some() {
            Availability::Later
        } else {
            Availability::Free
        }
    }
}

/// Returns the number of free nodes of a set.
pub(crate) fn free_nodes(floor: &NodeOccupancy, set: &PlacementSet) -> i32 {
    let free = set.shape.members.iter().filter(|bit| floor.states[**bit].is_free()).count();
    i32::try_from(free).unwrap_or(i32::MAX)
}

/// Returns the assigned amounts of a set when it is summed again.
pub(crate) fn assigned(plan: &Plan, floor: &NodeOccupancy, set: &PlacementSet) -> Column<ConsIx, f64> {
    plan.consumables.ids().map(|ix| assigned_of(plan, floor, set, ix)).collect()
}

/// Returns a set's assigned amount of one consumable: a node that is not free counts with its total (rule 5.2); 0 for
/// consumables that sets do not sum.
pub(crate) fn assigned_of(plan: &Plan, floor: &NodeOccupancy, set: &PlacementSet, ix: ConsIx) -> f64 {
    if !plan.consumables.is_summed(ix) {
        return 0.0;
    }
    let members = set.shape.members.iter().copied();
    // The common case: every node keeps its own amounts and is not seen from inside a reservation.
    if floor.granted.is_none() && !plan.capacity.is_shared(ix) {
        let (available, assigned) = (plan.capacity.column(ix), &floor.assigned[ix]);
        return members.map(|bit| counted(floor, bit, available[bit], assigned[bit])).sum();
    }
    let total = |bit| floor.total(plan, ix, bit);
    members.map(|bit| counted(floor, bit, total(bit), floor.assigned_of(plan, ix, bit))).sum()
}

/// Returns what a node with this total adds. Branch-free, because it is called millions of times.
fn counted(floor: &NodeOccupancy, bit: Bit, total: f64, assigned: f64) -> f64 {
    let counted = if floor.states[bit].is_free() { assigned } else { total };
    if total.is_nan() { 0.0 } else { counted }
}

/// Returns the assigned amounts of a set at its creation: as `assigned`, but if the first node of the set lacks a
/// resource, the first node that has it counts with its assigned amount, free or not.
fn assigned_as_made(plan: &Plan, occupancy: &NodeOccupancy, set: &PlacementSet) -> Column<ConsIx, f64> {
    let mut sums = assigned(plan, occupancy, set);
    let members = &set.shape.members;
    for ix in plan.consumables.ids().filter(|ix| plan.consumables.is_summed(*ix)) {
        let has = |bit: &&Bit| !plan.capacity.available(ix, **bit).is_nan();
        let Some(at) = members.iter().position(|bit| has(&bit)).filter(|at| *at > 0) else { continue };
        let Some(bit) = members.get(at).copied() else { continue };
        let total = occupancy.total(plan, ix, bit);
        if !total.is_nan() && !occupancy.states[bit].is_free() {
            sums[ix] += occupancy.assigned_of(plan, ix, bit) - total;
        }
    }
    sums
}

/// Removes repeated keys: a key named twice creates its sets twice, but no combinations with itself.
fn drop_repeated(keys: &mut Vec<KeyValues>) {
    let mut seen: Vec<ResourceId> = Vec::new();
    keys.retain(|key| {
        let is_new = !seen.contains(&key.resource);
        seen.push(key.resource);
        is_new
    });
}

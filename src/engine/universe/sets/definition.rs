//! The part of a placement set that never changes: its nodes and their totals (rule 5.2).

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::cluster::{Column, Id, Name, ResourceId, ResourceType, Value};

use crate::universe::sets::key_values::{SetMembers, SharedValue};
use crate::universe::{Bit, ConsIx, HostIx, NodeOccupancy, Plan, SigValue, Slot, SparseSet};

/// The values of a boolean over several nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BooleanValues {
    /// Some node has it True.
    pub some_true: bool,
    /// Some node has it False or unset.
    pub some_false: bool,
}

/// The part of a placement set that never changes.
#[derive(Clone, Debug)]
pub struct SetDefinition {
    /// `key=value`, or `key=value,key=value` for a combination.
    pub name: Name,
    /// Values that the nodes share, in key order; empty for nodes that lack the key and for the set of all nodes.
    pub values: Box<[SharedValue]>,
    /// Number of keys combined.
    pub dims: u8,
    /// Nodes in list order.
    pub members: Arc<[Bit]>,
    /// The nodes as words of a bitmap.
    pub nodes: SparseSet,
    /// Totals of the nodes; NaN if no node has the resource.
    pub available: Column<ConsIx, f64>,
    /// Unions of texts by resource, except names of hosts and vnodes.
    texts: Vec<(ResourceId, Vec<Name>)>,
    /// Booleans by resource.
    pub booleans: Vec<(ResourceId, BooleanValues)>,
    /// The host, if all nodes are on one.
    pub host: Option<HostIx>,
}

impl SetDefinition {
    /// Returns the node at a position of the list.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the places of a set are those of its list")]
    pub fn member(&self, slot: Slot) -> Bit {
        self.members[slot.ix()]
    }

    /// Sums nodes over checked resources, sort keys of sets, and booleans (rule 5.2).
    pub(in crate::universe) fn new(plan: &Plan, occupancy: &NodeOccupancy, set: SetMembers) -> Self {
        let SetMembers { name, values, dims, nodes } = set;
        let members: Arc<[Bit]> = nodes.into();
        let mut available = Column::filled(plan.consumables.len(), f64::NAN);
        for ix in plan.consumables.ids().filter(|ix| plan.consumables.is_summed(*ix)) {
            let values = members.iter().map(|bit| occupancy.total(plan, ix, *bit)).filter(|x| !x.is_nan());
            // Amounts kept on other nodes add nothing, but the resource is not unset for the set (rule M24).
            let is_kept_elsewhere = || members.iter().any(|bit| !plan.capacity.available(ix, *bit).is_nan());
            let sum = values.reduce(|sum, x| sum + x);
            available[ix] = sum.unwrap_or_else(|| if is_kept_elsewhere() { 0.0 } else { f64::NAN });
        }
        let hosts = |bit: &Bit| plan.nodes[*bit].host;
        let first = members.first().map(hosts);
        let unlike = first_of_each_signature(plan, &members);
        Self {
            texts: text_unions(plan, &unlike),
            booleans: booleans(plan, &unlike),
            host: first.filter(|host| members.iter().all(|bit| hosts(bit) == *host)),
            nodes: SparseSet::of(&members),
            name,
            values,
            dims,
            members,
            available,
        }
    }

    /// Returns the elements of a text resource over all nodes, in first-seen order; `None` if no node has any.
    pub(in crate::universe) fn texts(&self, plan: &Plan, resource: ResourceId) -> Option<Cow<'_, [Name]>> {
        if resource.is_node_name() {
            let all = union(plan, &self.members, resource);
            return (!all.is_empty()).then_some(Cow::Owned(all));
        }
        let known = self.texts.iter().find(|(have, _)| *have == resource);
        known.map(|(_, texts)| Cow::Borrowed(texts.as_slice()))
    }

    /// Whether the set has a vnode of this name, without a search over its nodes.
    pub(in crate::universe) fn has_vnode(&self, plan: &Plan, name: &Name) -> bool {
        let bit = plan.bit_named.get(name).filter(|bit| self.nodes.contains(**bit));
        bit.is_some_and(|bit| node_texts(plan, *bit, ResourceId::vnode()).contains(name))
    }

    /// Returns the rank of the set's value among all values of a key, compared as texts.
    pub fn rank(&self, resource: ResourceId) -> Option<u32> {
        self.values.iter().find(|shared| shared.resource == resource).map(|shared| shared.rank)
    }

    /// Returns only the values, as the design writes them: `rt1-sw1`. Not unique among sets.
    pub fn short_name(&self) -> String {
        if self.values.is_empty() {
            return self.name.to_string();
        }
        self.values.iter().map(|shared| &*shared.value).collect::<Vec<_>>().join("-")
    }
}

/// Returns the first node of each signature, in list order.
fn first_of_each_signature(plan: &Plan, members: &[Bit]) -> Vec<Bit> {
    // There are usually fewer signatures than nodes.
    if plan.signatures.len() <= members.len() {
        let mut seen = Column::filled(plan.signatures.len(), false);
        let mut is_first = |bit: &Bit| !std::mem::replace(&mut seen[plan.nodes[*bit].sig], true);
        return members.iter().copied().filter(|bit| is_first(bit)).collect();
    }
    let mut seen = FxHashSet::default();
    members.iter().copied().filter(|bit| seen.insert(plan.nodes[*bit].sig)).collect()
}

/// Returns the elements of every checked text resource over all nodes, except names of hosts and vnodes: those differ
/// in every set, so their unions are built on demand.
fn text_unions(plan: &Plan, unlike: &[Bit]) -> Vec<(ResourceId, Vec<Name>)> {
    let is_text = |r: &&ResourceId| {
        matches!(plan.snap.catalogue.kind(**r), ResourceType::Text | ResourceType::TextArray)
    };
    let of = |resource: &ResourceId| Some((*resource, union(plan, unlike, *resource)));
    let texts = plan.checked.iter().filter(is_text).filter(|resource| !resource.is_node_name());
    texts.filter_map(of).filter(|(_, all)| !all.is_empty()).collect()
}

/// Returns the elements of a text resource over some nodes, in first-seen order.
fn union(plan: &Plan, nodes: &[Bit], resource: ResourceId) -> Vec<Name> {
    let mut seen: FxHashSet<&Name> = FxHashSet::default();
    let texts = nodes.iter().flat_map(|bit| node_texts(plan, *bit, resource));
    texts.filter(|text| seen.insert(text)).cloned().collect()
}

/// Returns a node's elements of a text resource, with indirect values resolved, except for names of hosts and vnodes,
/// which are not part of signatures.
fn node_texts(plan: &Plan, bit: Bit, resource: ResourceId) -> &[Name] {
    let node = &plan.nodes[bit];
    if resource.is_node_name() {
        return plan.snap.nodes[node.id].available.get(resource).map(Value::texts).unwrap_or_default();
    }
    match plan.signatures[node.sig].value(resource) {
        Some(SigValue::Texts(texts)) => texts,
        _ => &[],
    }
}

fn booleans(plan: &Plan, unlike: &[Bit]) -> Vec<(ResourceId, BooleanValues)> {
    let tri = |resource: &ResourceId| {
        let mut tri = BooleanValues { some_true: false, some_false: false };
        for bit in unlike {
            let on = plan.signatures[plan.nodes[*bit].sig].value(*resource);
            match on {
                Some(SigValue::Bool(true)) => tri.some_true = true,
                _ => tri.some_false = true,
            }
        }
        (*resource, tri)
    };
    plan.booleans.iter().map(tri).collect()
}

//! The order of nodes: the partition's nodes, sorted once by `node_sort_key` (rules 1.1, 4.3).

use std::cmp::Ordering;

use crate::cluster::{
    NodeId, NodeSortKey, NodeSortTerm, Period, ResourceId, Snapshot, SortDirection, SortField, Value,
};

use crate::universe::nodes::values::{resolved, whole_mb};
use crate::universe::{Quirk, Quirks};

/// Returns the nodes of the scheduler's partition in scheduling order; their positions are the bits of the cycle.
pub(crate) fn sorted_nodes(snap: &Snapshot, period: Period) -> Vec<NodeId> {
    let keys = snap.policy.node_sort_key.get(period);
    let nodes: Vec<NodeId> = snap.nodes.ids().filter(|id| in_partition(snap, *id)).collect();
    if keys.is_empty() {
        return nodes;
    }
    let mut values: Vec<f64> = Vec::with_capacity(nodes.len() * keys.len());
    let known: Vec<ResolvedSortKey> = keys.iter().map(|key| ResolvedSortKey::of(snap, key)).collect();
    for id in &nodes {
        values.extend(known.iter().map(|key| key.value(snap, *id)));
    }
    // No value is NaN, so the order is total and any stable sort gives the real scheduler's result.
    if let Some(order) = sorted_kinds(keys, &values, &nodes) {
        return order;
    }
    let mut order: Vec<(&[f64], NodeId)> = values.chunks(keys.len()).zip(nodes).collect();
    order.sort_by(|a, b| compare_keys(keys, a.0, b.0));
    order.into_iter().map(|(_, id)| id).collect()
}

/// Number of distinct key values up to which grouping is faster than sorting.
const FEW_KINDS: usize = 8;

/// The same for nodes with few distinct key values: sorts the groups instead of the nodes. `None` if there are too
/// many.
fn sorted_kinds(keys: &[NodeSortKey], values: &[f64], nodes: &[NodeId]) -> Option<Vec<NodeId>> {
    let mut kinds: Vec<(&[f64], Vec<NodeId>)> = Vec::new();
    for (value, id) in values.chunks(keys.len()).zip(nodes) {
        if let Some((_, alike)) = kinds.iter_mut().find(|(kind, _)| compare_keys(keys, kind, value).is_eq()) {
            alike.push(*id);
        } else if kinds.len() < FEW_KINDS {
            kinds.push((value, vec![*id]));
        } else {
            return None;
        }
    }
    kinds.sort_by(|a, b| compare_keys(keys, a.0, b.0));
    Some(kinds.into_iter().flat_map(|(_, alike)| alike).collect())
}

/// Whether any node sort key reads unused or assigned amounts, in either period as observed (quirk D3).
pub(in crate::universe) fn sorts_per_job(snap: &Snapshot, quirks: Quirks, period: Period) -> bool {
    let keys = &snap.policy.node_sort_key;
    if quirks.has(Quirk::AssignedSort) {
        return keys.both_periods().into_iter().flatten().any(NodeSortKey::is_per_job);
    }
    let unused = |key: &NodeSortKey| matches!(key.term, NodeSortTerm::Resource(_, SortField::Unused));
    keys.get(period).iter().any(unused)
}

/// Whether the scheduler serves a node: the default scheduler serves nodes without a partition, a named one those of
/// its partitions (rule 1.1).
pub(crate) fn in_partition(snap: &Snapshot, id: NodeId) -> bool {
    let partitions = &snap.scheduler.partitions;
    match &snap.nodes[id].partition {
        None => partitions.is_empty(),
        Some(partition) => partitions.contains(partition),
    }
}

/// Compares key values in turn. Callers break ties by the order of the dump.
pub fn compare_keys(keys: &[NodeSortKey], a: &[f64], b: &[f64]) -> Ordering {
    for ((key, a), b) in keys.iter().zip(a).zip(b) {
        let order = a.partial_cmp(b).unwrap_or(Ordering::Equal);
        let order = if key.direction == SortDirection::High { order.reverse() } else { order };
        if order != Ordering::Equal {
            return order;
        }
    }
    Ordering::Equal
}

/// A sort key whose resource has been looked up.
#[derive(Clone, Copy)]
enum ResolvedSortKey {
    Priority,
    LastUsed,
    /// A resource, if it is defined.
    Resource(Option<ResourceId>, SortField),
}

impl ResolvedSortKey {
    fn of(snap: &Snapshot, key: &NodeSortKey) -> Self {
        match &key.term {
            NodeSortTerm::Priority => Self::Priority,
            NodeSortTerm::LastUsed => Self::LastUsed,
            NodeSortTerm::Resource(name, field) => Self::Resource(snap.catalogue.id(name), *field),
        }
    }

    fn value(self, snap: &Snapshot, id: NodeId) -> f64 {
        let node = &snap.nodes[id];
        match self {
            Self::Priority => node.priority.unwrap_or(0) as f64,
            Self::LastUsed => node.last_used.map_or(0.0, |at| at.0 as f64),
            Self::Resource(None, _) => 0.0,
            Self::Resource(Some(resource), field) => resource_value(snap, id, resource, field),
        }
    }
}

fn resource_value(snap: &Snapshot, id: NodeId, resource: ResourceId, field: SortField) -> f64 {
    let Some((home, value)) = resolved(snap, id, resource) else { return 0.0 };
    let total = match value {
        Value::Amount(amount) if resource == ResourceId::mem() => whole_mb(*amount).0,
        Value::Amount(amount) => amount.0,
        Value::Bool(on) => f64::from(u8::from(*on)),
        _ => f64::INFINITY,
    };
    let assigned = || snap.nodes[home].assigned.amount(resource).map_or(0.0, |amount| amount.0);
    match field {
        SortField::Total => total,
        SortField::Assigned => assigned(),
        SortField::Unused => total - assigned(),
    }
}

/// Returns the value of one key on one node at the start of the cycle: 0 if unset, infinity for text.
pub(in crate::universe) fn key_value(snap: &Snapshot, id: NodeId, key: &NodeSortKey) -> f64 {
    ResolvedSortKey::of(snap, key).value(snap, id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Amount, Epoch, Node};

    fn snap(cpus: &[f64], key: &str) -> Snapshot {
        let mut snap = Snapshot::empty("t", Epoch(0));
        for (at, n) in cpus.iter().enumerate() {
            let mut node = Node { name: format!("n{at}").into(), ..Node::default() };
            node.available.set(ResourceId::ncpus(), Value::Amount(Amount(*n)));
            snap.nodes.push(node);
        }
        snap.policy.node_sort_key.prime = vec![NodeSortKey::parse(key).unwrap()];
        snap
    }

    #[test]
    fn ties_keep_the_order_of_the_dump() {
        let s = snap(&[4.0, 8.0, 4.0, 8.0], "ncpus HIGH");
        let order: Vec<_> = sorted_nodes(&s, Period::Prime).iter().map(|id| id.0).collect();
        assert_eq!(order, [1, 3, 0, 2]);
    }

    #[test]
    fn few_kinds_and_many_stand_in_the_same_order() {
        let cpus: Vec<f64> = (0..40).map(|n| f64::from(n * 7 % 12)).collect();
        let few: Vec<f64> = cpus.iter().map(|n| n % 5.0).collect();
        for cpus in [cpus, few] {
            let mut expected: Vec<u32> = (0..40).collect();
            expected.sort_by(|a, b| cpus[*b as usize].total_cmp(&cpus[*a as usize]));
            let order = sorted_nodes(&snap(&cpus, "ncpus HIGH"), Period::Prime);
            assert_eq!(order.iter().map(|id| id.0).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn unknown_resources_compare_as_zero() {
        let s = snap(&[4.0, 8.0], "nosuch HIGH");
        assert_eq!(sorted_nodes(&s, Period::Prime), [NodeId(0), NodeId(1)]);
    }

    #[test]
    fn other_partitions_are_left_out() {
        let mut s = snap(&[4.0, 8.0], "ncpus LOW");
        s.nodes[NodeId(0)].partition = Some("p2".into());
        assert_eq!(sorted_nodes(&s, Period::Prime), [NodeId(1)]);
    }
}

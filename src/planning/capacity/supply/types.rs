//! Grouping the nodes of a cluster into types.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Amount, Name, NodeId, ResourceId, ResourceType, Snapshot, Value};

use super::{
    CORES_WITHOUT_END, Dimensions, PREEMPTIBLE, TypeSupply, WITHOUT_END, is_exclusive, is_preemptible, is_up,
};
use crate::capacity::{CapacityShape, NodeType, VnodeOffers};

/// The properties that distinguish one type from another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey {
    amounts: Vec<i64>,
    queue: Option<Name>,
    partition: Option<Name>,
    exclusive: bool,
    preemptible: bool,
    values: Vec<Vec<Option<String>>>,
}

/// Groups the vnodes by host, in the order of the dump: a chunk may use all vnodes of one host.
fn hosts(snap: &Snapshot) -> Vec<Vec<NodeId>> {
    let mut hosts: Vec<Vec<NodeId>> = Vec::with_capacity(snap.nodes.len());
    let mut known: FxHashMap<&Name, usize> = FxHashMap::default();
    for (id, node) in snap.nodes.enumerate() {
        let host = node.host();
        match host.and_then(|host| known.get(host)).and_then(|at| hosts.get_mut(*at)) {
            Some(vnodes) => vnodes.push(id),
            None => {
                known.extend(host.map(|host| (host, hosts.len())));
                hosts.push(vec![id]);
            }
        }
    }
    hosts
}

/// Groups the nodes into types: the same amounts, queue, partition, sharing, and the same value of every
/// other resource that some job requests. `slice` is the slice of the types in seconds.
pub fn from_nodes(
    offers: &VnodeOffers<'_>,
    dimensions: &Dimensions,
    asked: &[ResourceId],
    slice: f64,
) -> Vec<TypeSupply> {
    let snap = offers.snapshot();
    let mut groups: BTreeMap<GroupKey, (CapacityShape, Vec<Vec<NodeId>>, u64)> = BTreeMap::new();
    for host in hosts(snap) {
        let vnodes = || host.iter().map(|id| &snap.nodes[*id]);
        let Some(first) = vnodes().next() else { continue };
        let shape = dimensions.shape(|id| offers.total(&host, id));
        let shape = CapacityShape { preemptible: vnodes().any(|node| is_preemptible(snap, node)), ..shape };
        let named = |id: &&ResourceId| !id.is_node_name();
        // Vnode by vnode: a chunk's conditions must hold together on one of them.
        let values = |id: &ResourceId| -> Vec<Option<String>> {
            let kind = snap.catalogue.kind(*id);
            let mut shown: Vec<Option<String>> =
                vnodes().map(|node| node.available.get(*id).map(|value| value.show(kind))).collect();
            if shown.windows(2).all(|pair| matches!(pair, [a, b] if a == b)) {
                shown.truncate(1);
            }
            shown
        };
        let key = GroupKey {
            amounts: vec![shape.memory, (shape.cores * 1000.0) as i64, shape.disk, shape.gpus],
            queue: first.queue.clone(),
            partition: first.partition.clone(),
            exclusive: vnodes().any(is_exclusive),
            preemptible: shape.preemptible,
            values: asked.iter().filter(named).map(values).collect(),
        };
        let up = vnodes().any(is_up);
        let group = groups.entry(key).or_insert_with(|| (shape, Vec::new(), 0));
        group.1.push(host);
        group.2 += u64::from(up);
    }
    let mut stocks: Vec<TypeSupply> = Vec::with_capacity(groups.len());
    for (key, (shape, hosts, up)) in groups {
        let kind = NodeType {
            name: distinct(&stocks, name(snap, &key, &shape, &hosts, asked)),
            shape: CapacityShape { wall_time: slice, ..shape },
            min: up,
            max: hosts.len() as u64,
            price: None,
        };
        stocks.push(TypeSupply {
            node_type: kind,
            hosts,
            nodes_up: up,
            queue: key.queue,
            own_resources: BTreeMap::new(),
        });
    }
    stocks
}

/// Returns the name, followed by a number if another type has it: a scaler identifies types by their names.
fn distinct(stocks: &[TypeSupply], name: Name) -> Name {
    let taken = |name: &str| stocks.iter().any(|stock| &*stock.node_type.name == name);
    if !taken(&name) {
        return name;
    }
    let numbered = (2_u32..).map(|n| format!("{name} ({n})")).find(|name| !taken(name));
    numbered.map_or(name, Into::into)
}

/// Returns the name of a type: `16c 64gb`, and what else distinguishes it.
fn name(
    snap: &Snapshot,
    key: &GroupKey,
    shape: &CapacityShape,
    hosts: &[Vec<NodeId>],
    asked: &[ResourceId],
) -> Name {
    let mut words = Vec::new();
    if shape.cores < CORES_WITHOUT_END {
        words.push(format!("{}c", shape.cores));
    }
    // A type without memory of its own is named by the rest.
    if shape.memory > 0 && (shape.memory as f64) < WITHOUT_END {
        words.push(Amount((shape.memory / 1024) as f64).show(ResourceType::Size));
    }
    if shape.gpus > 0 && (shape.gpus as f64) < WITHOUT_END {
        words.push(format!("{}gpu", shape.gpus));
    }
    if key.preemptible {
        words.push(PREEMPTIBLE.to_owned());
    }
    words.extend(key.queue.iter().map(|queue| format!("queue {queue}")));
    words.extend(key.partition.iter().map(|partition| format!("partition {partition}")));
    let first = hosts.first().and_then(|host| snap.nodes.checked(*host.first()?));
    for id in asked {
        if id.is_node_name() {
            continue;
        }
        if let Some(value) = first.and_then(|node| node.available.get(*id)) {
            let kind = snap.catalogue.kind(*id);
            let word = match value {
                Value::Bool(false) => continue,
                Value::Bool(true) => snap.catalogue.name(*id).to_string(),
                value => format!("{}={}", snap.catalogue.name(*id), value.show(kind)),
            };
            words.push(word);
        }
    }
    words.join(" ").into()
}

//! The plan's data about nodes: queue, signatures, host and licence.

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, License, Name, NodeId, QueueId, ResourceId, Snapshot, Value, number_of};

use crate::universe::nodes::hosts::{HostIx, HostTable, MultiVnode};
use crate::universe::{Bit, SigId, SigValue, Signature, Signatures, resolved, whole_mb};

/// The plan's data about a node, in addition to its snapshot record.
#[derive(Clone, Debug)]
pub struct PlanNode {
    /// The node in the snapshot.
    pub id: NodeId,
    /// Copied here because records are far apart in memory, and lists of very many nodes need only names.
    pub name: Name,
    /// Queue that the node is bound to, if that queue is known.
    pub queue: Option<QueueId>,
    /// Whether it is bound to any queue, known or not.
    pub is_bound: bool,
    /// `Priority`; 0 if unset.
    pub priority: i64,
    /// Signature for the node path: indirect resources resolved, unset booleans left out.
    pub sig: SigId,
    /// Signature for buckets, in which indirect resources have no value.
    pub bucket_sig: SigId,
    pub host: HostIx,
    /// Whether the node has a licence.
    pub licensed: bool,
}

/// Converts nodes of the snapshot to plan nodes.
pub(in crate::universe) struct NodeReader<'a> {
    snap: &'a Snapshot,
    booleans: &'a [ResourceId],
    /// Checked resources other than `host`, `vnode` and booleans.
    compared: Vec<ResourceId>,
    /// Whether no node of the dump shows a licence, in which case its absence has no meaning.
    unlicensed_dump: bool,
    /// Whether every node is on a host of its own name: hosts are then numbered as their nodes are.
    own_hosts: bool,
    values: Vec<ValueInterner>,
    /// Index of each resource in a row of numbers: first the compared resources, then the booleans.
    places: Column<ResourceId, Option<usize>>,
    /// Row of numbers of a node that has none of these resources.
    unset: Vec<u32>,
    /// Signatures by row of numbers: most nodes share their row with others.
    known: FxHashMap<Box<[u32]>, SignaturePair>,
    numbers: Vec<u32>,
}

/// The two signatures of nodes that are alike.
#[derive(Clone, Copy)]
struct SignaturePair {
    bucket: SigId,
    node: SigId,
}

/// Number of values of a resource that are searched linearly before the hash table is used; most have few.
const FEW_VALUES: usize = 8;

/// Number that stands for an unset boolean.
const UNSET_BOOLEAN: u32 = 2;

/// The values of one resource met so far, numbered from 1; 0 stands for no value.
#[derive(Default)]
struct ValueInterner {
    /// The first values met.
    few: Vec<(Value, u32)>,
    numbers: FxHashMap<SigValue, u32>,
}

impl ValueInterner {
    fn number(&mut self, value: &Value, of: impl FnOnce(&Value) -> SigValue) -> u32 {
        if let Some((_, number)) = self.few.iter().find(|(known, _)| known.is_same(value)) {
            return *number;
        }
        let next = number_of(self.numbers.len() + 1);
        let number = *self.numbers.entry(of(value)).or_insert(next);
        if self.few.len() < FEW_VALUES {
            self.few.push((value.clone(), number));
        }
        number
    }
}

impl<'a> NodeReader<'a> {
    pub(in crate::universe) fn new(
        snap: &'a Snapshot,
        checked: &[ResourceId],
        booleans: &'a [ResourceId],
        multi_vnode: MultiVnode,
    ) -> Self {
        let compared = checked.iter().copied().filter(|r| !r.is_node_name() && !booleans.contains(r));
        let compared: Vec<ResourceId> = compared.collect();
        let mut places = Column::filled(snap.catalogue.len(), None);
        let mut unset = vec![0; compared.len()];
        unset.resize(compared.len() + booleans.len(), UNSET_BOOLEAN);
        compared.iter().chain(booleans).enumerate().for_each(|(at, resource)| places[*resource] = Some(at));
        Self {
            places,
            unset,
            snap,
            booleans,
            unlicensed_dump: snap.nodes.iter().all(|node| node.license == License::Absent),
            own_hosts: multi_vnode.own_hosts,
            values: compared.iter().map(|_| ValueInterner::default()).collect(),
            compared,
            known: FxHashMap::default(),
            numbers: Vec::new(),
        }
    }

    pub(in crate::universe) fn read(
        &mut self,
        bit: Bit,
        id: NodeId,
        signatures: &mut Signatures,
        hosts: &mut HostTable,
    ) -> PlanNode {
        let node = &self.snap.nodes[id];
        let (known, is_indirect) = self.signatures(id, signatures);
        let sig = if is_indirect { signatures.intern(self.node_signature(id)) } else { known.node };
        PlanNode {
            id,
            name: node.name.clone(),
            queue: node.queue.as_ref().and_then(|name| self.snap.queue_named(name)),
            is_bound: node.queue.is_some(),
            priority: node.priority.unwrap_or(0),
            sig,
            bucket_sig: known.bucket,
            host: match self.own_hosts {
                true => HostIx::at(bit.ix()),
                false => hosts.of(node.host().unwrap_or(&node.name)),
            },
            licensed: is_licensed(self.snap, id, self.unlicensed_dump),
        }
    }

    /// Returns both signatures, built only if no earlier node was alike, and whether some value is kept on another
    /// node.
    fn signatures(&mut self, id: NodeId, signatures: &mut Signatures) -> (SignaturePair, bool) {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clone_from(&self.unset);
        let mut is_indirect = false;
        for (resource, value) in self.snap.nodes[id].available.iter() {
            is_indirect |= matches!(value, Value::Indirect(_));
            let Some(place) = self.places[resource] else { continue };
            let number = match self.values.get_mut(place) {
                Some(values) => values.number(value, |value| sig_value(resource, value)),
                None => u32::from(*value == Value::Bool(true)),
            };
            numbers.get_mut(place).into_iter().for_each(|slot| *slot = number);
        }
        let found = self.known.get(&*numbers).copied();
        let known = found.unwrap_or_else(|| {
            let bucket = signatures.intern(self.bucket_signature(id));
            let node = signatures.intern(self.node_signature(id));
            let known = SignaturePair { bucket, node };
            self.known.insert(numbers.as_slice().into(), known);
            known
        });
        self.numbers = numbers;
        (known, is_indirect)
    }

    /// Returns the signature for buckets: checked resources except host and vnode, and every boolean, False where
    /// unset (rule 3.2).
    fn bucket_signature(&self, id: NodeId) -> Signature {
        self.signature(id, false, |resource| {
            Some(matches!(self.value(id, resource, false), Some(SigValue::Bool(true))))
        })
    }

    /// Returns the signature for the node path: indirect resources resolved, and booleans only where set. A node
    /// without a boolean differs from one that has it False, although both match the same requests (measured).
    fn node_signature(&self, id: NodeId) -> Signature {
        self.signature(id, true, |resource| match self.value(id, resource, true) {
            Some(SigValue::Bool(on)) => Some(on),
            _ => None,
        })
    }

    fn signature(
        &self,
        id: NodeId,
        resolve: bool,
        boolean: impl Fn(ResourceId) -> Option<bool>,
    ) -> Signature {
        let compared = self.compared.iter();
        let compared = compared.filter_map(|resource| Some((*resource, self.value(id, *resource, resolve)?)));
        let booleans = self.booleans.iter();
        let booleans = booleans.filter_map(|resource| Some((*resource, SigValue::Bool(boolean(*resource)?))));
        let mut values: Vec<(ResourceId, SigValue)> = compared.chain(booleans).collect();
        values.sort_unstable_by_key(|(resource, _)| *resource);
        Signature { values }
    }

    fn value(&self, id: NodeId, resource: ResourceId, resolve: bool) -> Option<SigValue> {
        let value = self.snap.nodes[id].available.get(resource)?;
        if resolve && let Value::Indirect(_) = value {
            return resolved(self.snap, id, resource).map(|(_, value)| SigValue::of(value));
        }
        Some(sig_value(resource, value))
    }
}

/// Returns a value as signatures hold it: memory in whole megabytes.
fn sig_value(resource: ResourceId, value: &Value) -> SigValue {
    match SigValue::of(value) {
        SigValue::Amount(amount) if resource == ResourceId::mem() => SigValue::Amount(whole_mb(amount)),
        other => other,
    }
}

/// Whether a node is licensed (rule 1.1, `license`); if the attribute is absent everywhere, all nodes are.
fn is_licensed(snap: &Snapshot, id: NodeId, unlicensed_dump: bool) -> bool {
    let node = &snap.nodes[id];
    match node.license {
        License::Locked => true,
        License::Cloud => node
            .available
            .amount(ResourceId::lic_signature())
            .is_some_and(|until| (snap.now.0 as f64) < until.0),
        License::Other => false,
        License::Absent => unlicensed_dump,
    }
}

//! The part of a plan that follows from the nodes alone; most of it is reused from one snapshot to the next while
//! only jobs start and end.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Column, Id, License, Name, Node, NodeId, NodeSortTerm, NodeState, Period, Policy, ResourceId, Snapshot,
    SortField,
};

use crate::universe::nodes::hosts::{HostIx, HostTable, MultiVnode};
use crate::universe::nodes::order::sorted_nodes;
use crate::universe::nodes::plan_node::{NodeReader, PlanNode};
use crate::universe::{Bit, Capacity, Consumables, NodeMasks, Plan, Quirk, Quirks, SigId, Signatures};

/// The part of a plan that follows from the nodes and from the resources requested of them.
pub(in crate::universe) struct NodePlan {
    pub nodes: Arc<Column<Bit, PlanNode>>,
    pub bit_of: Arc<Column<NodeId, Option<Bit>>>,
    pub bit_named: Arc<FxHashMap<Name, Bit>>,
    pub signatures: Arc<Signatures>,
    pub hosts: Arc<Column<HostIx, Name>>,
    pub multi_vnode: MultiVnode,
    pub joins_unlike: bool,
    pub capacity: Capacity,
    pub masks: Arc<NodeMasks>,
}

/// The order of the nodes, which does not depend on what jobs request.
pub(super) struct PlanNodeOrder {
    pub(super) order: Vec<NodeId>,
    pub(super) bit_of: Column<NodeId, Option<Bit>>,
    pub(super) multi_vnode: MultiVnode,
}

/// What signatures and columns are made of.
#[derive(Clone, Copy)]
pub(super) struct ComparedResources<'a> {
    pub(super) checked: &'a [ResourceId],
    pub(super) booleans: &'a [ResourceId],
    pub(super) consumables: &'a Consumables,
}

impl NodePlan {
    /// Derives it from scratch.
    pub(super) fn read(
        snap: &Snapshot,
        placed: PlanNodeOrder,
        compared: ComparedResources<'_>,
        quirks: Quirks,
    ) -> Self {
        let PlanNodeOrder { order, bit_of, multi_vnode } = placed;
        let ((capacity, bit_named), (nodes, signatures, hosts)) = super::run_both(
            snap.nodes.len(),
            || (Capacity::new(snap, &order, &bit_of, compared.consumables), bits_by_name(snap, &order)),
            || read_nodes(snap, &order, compared, multi_vnode),
        );
        Self {
            multi_vnode,
            joins_unlike: quirks.has(Quirk::OneSidedMatch) && may_join(&nodes, &signatures),
            bit_named: Arc::new(bit_named),
            masks: Arc::new(NodeMasks::new(snap, &nodes)),
            capacity,
            nodes: nodes.into(),
            bit_of: bit_of.into(),
            signatures: signatures.into(),
            hosts: hosts.into_names().into(),
        }
    }

    /// Takes it from the previous plan, where only what jobs and operators do to the nodes `changed` differs.
    pub(super) fn following(before: &Plan, snap: &Snapshot, changed: &[Bit]) -> Self {
        let ids = changed.iter().map(|bit| (*bit, before.nodes[*bit].id));
        Self {
            nodes: before.nodes.clone(),
            bit_of: before.bit_of.clone(),
            bit_named: before.bit_named.clone(),
            signatures: before.signatures.clone(),
            hosts: before.hosts.clone(),
            multi_vnode: before.multi_vnode,
            joins_unlike: before.joins_unlike,
            capacity: before.capacity.following(snap, &before.consumables, ids),
            masks: before.masks.clone(),
        }
    }
}

/// Returns the nodes whose records differ from those of a plan's snapshot, or `None` if anything else differs that
/// affects the order, the signatures or the sets of nodes.
pub(super) fn changed_nodes(
    before: &Plan,
    snap: &Snapshot,
    quirks: Quirks,
    period: Period,
) -> Option<Vec<Bit>> {
    let old = &before.snap;
    if before.quirks != quirks
        || before.period != period
        || old.nodes.len() != snap.nodes.len()
        || !same_settings(old, snap)
    {
        return None;
    }
    let mut changed: Vec<Bit> = Vec::new();
    for id in snap.nodes.not_shared_with(&old.nodes) {
        if !is_same_node(&old.nodes[id], &snap.nodes[id]) {
            return None;
        }
        changed.extend(before.bit_of[id]);
    }
    // Bits follow the node order, not the order of the dump.
    changed.sort_unstable();
    let is_same_order = || {
        let order = sorted_nodes(snap, period);
        order.iter().eq(before.nodes.iter().map(|node| &node.id))
    };
    (!order_follows_use(snap, period) || changed.is_empty() || is_same_order()).then_some(changed)
}

/// Whether all settings are equal that this part of the plan reads in addition to the nodes.
fn same_settings(old: &Snapshot, new: &Snapshot) -> bool {
    let queues = || {
        old.queues.len() == new.queues.len()
            && old.queues.iter().zip(&new.queues).all(|(old, new)| {
                (&old.name, old.priority, &old.node_group_key)
                    == (&new.name, new.priority, &new.node_group_key)
            })
    };
    old.catalogue == new.catalogue
        && same_policy(&old.policy, &new.policy)
        && old.scheduler.partitions == new.scheduler.partitions
        && old.scheduler.only_explicit_psets == new.scheduler.only_explicit_psets
        && old.server.node_group_enable == new.server.node_group_enable
        && old.server.node_group_key == new.server.node_group_key
        && queues()
}

/// Whether two policies differ at most in the prefixes of queues that are tied to a time of day.
fn same_policy(old: &Policy, new: &Policy) -> bool {
    let prefixes = |policy: &Policy| {
        (policy.dedicated_prefix.clone(), policy.primetime_prefix.clone(), policy.nonprimetime_prefix.clone())
    };
    if prefixes(old) == prefixes(new) {
        return old == new;
    }
    let (dedicated_prefix, primetime_prefix, nonprimetime_prefix) = prefixes(old);
    *old == Policy { dedicated_prefix, primetime_prefix, nonprimetime_prefix, ..new.clone() }
}

/// Whether two records of a node differ at most in what jobs, operators and the node itself change: its state except
/// staleness, what runs there, and attributes that no rule reads.
fn is_same_node(old: &Node, new: &Node) -> bool {
    let is_timed = old.license == License::Cloud;
    !is_timed
        && old.license == new.license
        && old.states.has(NodeState::Stale) == new.states.has(NodeState::Stale)
        && old.name == new.name
        && old.priority == new.priority
        && old.queue == new.queue
        && old.sharing == new.sharing
        && old.partition == new.partition
        && old.in_multivnode_host == new.in_multivnode_host
        && old.available == new.available
        && (old.max_running, old.max_user_run, old.max_group_run, old.no_multinode_jobs)
            == (new.max_running, new.max_user_run, new.max_group_run, new.no_multinode_jobs)
}

/// Whether the order of nodes depends on their use.
fn order_follows_use(snap: &Snapshot, period: Period) -> bool {
    snap.policy.node_sort_key.get(period).iter().any(|key| match &key.term {
        NodeSortTerm::LastUsed => true,
        NodeSortTerm::Resource(_, field) => *field != SortField::Total,
        NodeSortTerm::Priority => false,
    })
}

/// Returns the bit of each node by name.
fn bits_by_name(snap: &Snapshot, order: &[NodeId]) -> FxHashMap<Name, Bit> {
    order.iter().enumerate().map(|(at, id)| (snap.nodes[*id].name.clone(), Id::at(at))).collect()
}

/// Whether a node of one signature may join a bucket of another; assumed if there are too many signatures to compare.
fn may_join(nodes: &Column<Bit, PlanNode>, signatures: &Signatures) -> bool {
    let mut sigs: Vec<SigId> = nodes.iter().map(|node| node.bucket_sig).collect();
    sigs.sort_unstable();
    sigs.dedup();
    let within = |a: &SigId, b: &SigId| a != b && signatures[*a].is_within(&signatures[*b]);
    sigs.len() > 64 || sigs.iter().any(|a| sigs.iter().any(|b| within(a, b)))
}

/// Reads the nodes in scheduling order, with their signatures and hosts.
fn read_nodes(
    snap: &Snapshot,
    order: &[NodeId],
    compared: ComparedResources<'_>,
    multi_vnode: MultiVnode,
) -> (Column<Bit, PlanNode>, Signatures, HostTable) {
    let mut signatures = Signatures::default();
    let mut hosts = HostTable::default();
    let mut reader = NodeReader::new(snap, compared.checked, compared.booleans, multi_vnode);
    let read = |(at, id): (usize, &NodeId)| reader.read(Id::at(at), *id, &mut signatures, &mut hosts);
    let nodes = order.iter().enumerate().map(read).collect();
    (nodes, signatures, hosts)
}

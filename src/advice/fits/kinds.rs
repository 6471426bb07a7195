//! Kinds of nodes, with the chunk that requests one whole node of each.

use qscope_engine::cluster::{Amount, Node, NodeStates, ResourceId, ResourceType, Snapshot, number_of};
use serde::Serialize;

/// Nodes with equal counts of cpus and accelerators. Memory and bandwidth are ignored: they differ little between
/// nodes of one model, and a whole node includes all of them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FreeNodeKind {
    /// The chunk that takes one whole node of it, `ncpus=8:ngpus=4`.
    pub chunk: String,
    pub nodes: u32,
    pub free: u32,
    /// Number of nodes with at least as much of everything, which the chunk fits too.
    pub large_enough: u32,
    /// The first of them.
    pub example: String,
    #[serde(skip)]
    amounts: Vec<(ResourceId, Amount)>,
}

/// Returns all kinds, most frequent first; nodes without cpus belong to none.
pub(super) fn kinds(snap: &Snapshot) -> Vec<FreeNodeKind> {
    let mut found: Vec<FreeNodeKind> = Vec::new();
    for node in &snap.nodes {
        let amounts = amounts(snap, node);
        if !amounts.iter().any(|(id, _)| *id == ResourceId::ncpus()) {
            continue;
        }
        let free = u32::from(node.states == NodeStates::FREE && node.jobs.is_empty());
        match found.iter_mut().find(|kind| kind.amounts == amounts) {
            Some(kind) => (kind.nodes, kind.free) = (kind.nodes + 1, kind.free + free),
            None => found.push(FreeNodeKind {
                chunk: chunk(snap, &amounts),
                nodes: 1,
                free,
                large_enough: 0,
                example: node.name.to_string(),
                amounts,
            }),
        }
    }
    for kind in &mut found {
        let enough = |node: &&Node| {
            kind.amounts
                .iter()
                .all(|(id, amount)| node.available.amount(*id).is_some_and(|have| have >= *amount))
        };
        kind.large_enough = number_of(snap.nodes.iter().filter(enough).count());
    }
    found.sort_by_key(|kind| std::cmp::Reverse(kind.nodes));
    found
}

/// Returns the cpus of a node and everything else counted on it that the scheduler checks: accelerators, host
/// licences.
fn amounts(snap: &Snapshot, node: &Node) -> Vec<(ResourceId, Amount)> {
    let catalogue = &snap.catalogue;
    let is_checked = |name: &str| match &snap.policy.resources {
        Some(names) => names.iter().any(|checked| **checked == *name),
        None => true,
    };
    let counts = |id: ResourceId| {
        let def = catalogue.def(id);
        let is_counted = def.kind == ResourceType::Long && def.flags.host && def.flags.summed;
        id == ResourceId::ncpus() || (is_counted && is_checked(&def.name))
    };
    let listed = node.available.iter().filter(|(id, _)| counts(*id));
    listed
        .filter_map(|(id, value)| Some((id, value.amount()?)))
        .filter(|(_, amount)| *amount > Amount::ZERO)
        .collect()
}

fn chunk(snap: &Snapshot, amounts: &[(ResourceId, Amount)]) -> String {
    let show = |(id, amount): &(ResourceId, Amount)| {
        format!("{}={}", snap.catalogue.name(*id), amount.show(snap.catalogue.kind(*id)))
    };
    amounts.iter().map(show).collect::<Vec<_>>().join(":")
}

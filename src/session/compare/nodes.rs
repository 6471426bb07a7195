//! Compares vnodes: those that came, left, or changed their state or amounts.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::FieldChange;
use super::settings::differences;
use qscope_exits::json::text_or_null;
use qscope_source::attributes::node_settings;
use serde::Serialize;

use qscope_engine::cluster::{Amount, Name, Node, NodeId, NodeStates, ResourceType, Snapshot};

/// How a vnode changed: the first kind that applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its state changed.
    State,
    /// Its attributes or total resources were altered.
    Altered,
    /// Only its jobs or free amounts changed.
    Free,
}

/// Free amount of a consumable, before and after; `None` if the vnode has none.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AmountChange {
    pub resource: Name,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A vnode that changed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NodeChange {
    pub node: Name,
    /// How it changed.
    #[serde(rename = "change")]
    pub kind: NodeChangeKind,
    /// State before; `None` if it did not exist.
    #[serde(serialize_with = "text_or_null")]
    pub before: Option<NodeStates>,
    #[serde(serialize_with = "text_or_null")]
    pub after: Option<NodeStates>,
    /// Free amounts that changed.
    pub free: Vec<AmountChange>,
    /// Altered attributes.
    pub altered: Vec<FieldChange>,
    /// Jobs that it lists and did not before.
    pub arrived: Vec<Name>,
    /// Jobs that it listed and no longer does.
    pub left: Vec<Name>,
}

/// Returns all vnodes that changed.
pub(super) fn changes(before: &Snapshot, after: &Snapshot) -> Vec<NodeChange> {
    let is_same = is_same(before, after);
    let now = with_previous(before, after).filter_map(|(_, node, was)| match was {
        None => Some(one_sided(node, NodeChangeKind::Added)),
        Some(was) if is_same(was, node) => None,
        Some(was) => change((before, was), (after, node)),
    });
    let new: FxHashSet<&str> = after.nodes.iter().map(|node| &*node.name).collect();
    let gone = before.nodes.iter().filter(|node| !new.contains(&*node.name));
    now.chain(gone.map(|node| one_sided(node, NodeChangeKind::Removed))).collect()
}

/// Returns the vnodes that changed in any way, and the new ones. Equivalent to `changes` at lower cost: a screen
/// marks their rows with each snapshot.
pub fn changed_nodes(before: &Snapshot, after: &Snapshot) -> (Vec<NodeId>, Vec<NodeId>) {
    let is_same = is_same(before, after);
    let (mut changed, mut new) = (Vec::new(), Vec::new());
    for (id, node, was) in with_previous(before, after) {
        match was {
            None => new.push(id),
            Some(was) if is_same(was, node) => {}
            Some(was) if was.states != node.states || change((before, was), (after, node)).is_some() => {
                changed.push(id);
            }
            Some(_) => {}
        }
    }
    (changed, new)
}

/// Returns each current vnode with its previous state, if it existed.
fn with_previous<'s>(
    before: &'s Snapshot,
    after: &'s Snapshot,
) -> impl Iterator<Item = (NodeId, &'s Node, Option<&'s Node>)> {
    let old: Vec<&Node> = before.nodes.iter().collect();
    let by_name: OnceCell<FxHashMap<&str, &Node>> = OnceCell::new();
    after.nodes.enumerate().zip(0..).map(move |((id, node), nth)| {
        // Most are at the same index as before.
        let here = old.get(nth).copied().filter(|was| was.name == node.name);
        let named = || {
            let by_name = by_name.get_or_init(|| old.iter().map(|node| (&*node.name, *node)).collect());
            by_name.get(&*node.name).copied()
        };
        (id, node, here.or_else(named))
    })
}

/// Whether a vnode is equal to its previous state, without comparing it part by part.
fn is_same(before: &Snapshot, after: &Snapshot) -> impl Fn(&Node, &Node) -> bool + use<> {
    let same_ids = before.catalogue == after.catalogue;
    move |was, node| same_ids && (std::ptr::eq(was, node) || was == node)
}

/// Returns the change for a vnode that exists on one side only.
fn one_sided(node: &Node, kind: NodeChangeKind) -> NodeChange {
    let states = |side| (kind == side).then_some(node.states);
    NodeChange {
        node: node.name.clone(),
        kind,
        before: states(NodeChangeKind::Removed),
        after: states(NodeChangeKind::Added),
        free: Vec::new(),
        altered: Vec::new(),
        arrived: Vec::new(),
        left: Vec::new(),
    }
}

/// Returns how a vnode changed, if it did.
fn change((old, before): (&Snapshot, &Node), (new, after): (&Snapshot, &Node)) -> Option<NodeChange> {
    let free = free_changes((old, before), (new, after));
    let altered = differences(&node_settings(old, before), &node_settings(new, after));
    let without = |those: &[Name], these: &[Name]| -> Vec<Name> {
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    let arrived = without(&before.jobs, &after.jobs);
    let left = without(&after.jobs, &before.jobs);
    let kind = if before.states != after.states {
        NodeChangeKind::State
    } else if !altered.is_empty() {
        NodeChangeKind::Altered
    } else if !(free.is_empty() && arrived.is_empty() && left.is_empty()) {
        NodeChangeKind::Free
    } else {
        return None;
    };
    let (node, before, after) = (after.name.clone(), Some(before.states), Some(after.states));
    Some(NodeChange { node, kind, before, after, free, altered, arrived, left })
}

/// Returns the consumables with a changed free amount: total minus assigned, according to the dump.
fn free_changes((old, before): (&Snapshot, &Node), (new, after): (&Snapshot, &Node)) -> Vec<AmountChange> {
    let (was, is) = (free(old, before), free(new, after));
    let amount_on = |side: &[(Name, ResourceType, Amount)], resource: &Name| {
        side.iter().find(|(name, ..)| name == resource).map(|(.., amount)| *amount)
    };
    let gone = was.iter().filter(|(resource, ..)| amount_on(&is, resource).is_none());
    let both = is.iter().chain(gone).filter_map(|(resource, kind, _)| {
        let (before, after) = (amount_on(&was, resource), amount_on(&is, resource));
        let shown = |amount: Option<Amount>| amount.map(|amount| amount.show(*kind));
        let change =
            || AmountChange { resource: resource.clone(), before: shown(before), after: shown(after) };
        (before != after).then(change)
    });
    both.collect()
}

fn free(snap: &Snapshot, node: &Node) -> Vec<(Name, ResourceType, Amount)> {
    let consumable = node.available.iter().filter_map(|(id, value)| {
        let kind = snap.catalogue.kind(id);
        let has = value.amount().filter(|_| kind.is_consumable())?;
        let assigned = node.assigned.amount(id).unwrap_or(Amount::ZERO);
        Some((snap.catalogue.name(id).clone(), kind, Amount(has.0 - assigned.0)))
    });
    consumable.collect()
}

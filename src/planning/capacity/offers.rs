//! What vnodes offer of a resource: their own value, that of the vnode they refer to, or any amount.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Amount, Name, Node, NodeId, ResourceId, Snapshot, Value};

/// Maximum number of references followed from vnode to vnode before a value counts as missing.
const MAX_HOPS: usize = 10;

/// What a vnode offers of one resource.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum VnodeOffer<'a> {
    Value(&'a Value),
    /// Any amount: the resource is unset and listed in `resource_unset_infinite`.
    Unlimited,
    /// Nothing: the resource is unset.
    Unset,
}

/// What the vnodes of a cluster offer.
#[derive(Clone, Debug)]
pub struct VnodeOffers<'a> {
    snap: &'a Snapshot,
    unlimited: Vec<ResourceId>,
    /// The vnodes by name; empty where no vnode refers to another.
    by_name: FxHashMap<&'a Name, NodeId>,
}

impl<'a> VnodeOffers<'a> {
    /// Creates the offers of a cluster's vnodes.
    pub fn new(snap: &'a Snapshot) -> Self {
        let unlimited = snap.policy.resource_unset_infinite.iter().filter_map(|name| snap.catalogue.id(name));
        let refers =
            |node: &Node| node.available.iter().any(|(_, value)| matches!(value, Value::Indirect(_)));
        let named = snap.nodes.iter().any(refers).then(|| snap.nodes.enumerate());
        let by_name = named.into_iter().flatten().map(|(id, node)| (&node.name, id)).collect();
        Self { snap, unlimited: unlimited.collect(), by_name }
    }

    /// The cluster.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snap
    }

    /// Returns what a vnode offers of a resource.
    pub fn of(&self, node: NodeId, id: ResourceId) -> VnodeOffer<'a> {
        let keeper = self.resolve_indirect(node, id);
        match keeper.and_then(|keeper| self.snap.nodes[keeper].available.get(id)) {
            Some(value) => VnodeOffer::Value(value),
            None if keeper.is_some() && self.unlimited.contains(&id) => VnodeOffer::Unlimited,
            None => VnodeOffer::Unset,
        }
    }

    /// Returns the vnode that has the value: for an indirect resource the one referred to, otherwise the
    /// vnode itself; none where a reference is broken or circular.
    fn resolve_indirect(&self, node: NodeId, id: ResourceId) -> Option<NodeId> {
        let mut at = node;
        for _ in 0..=MAX_HOPS {
            match self.snap.nodes[at].available.get(id) {
                Some(Value::Indirect(target)) => at = *self.by_name.get(target)?,
                _ => return Some(at),
            }
        }
        None
    }

    /// Sums a resource over the vnodes of one host, a shared value counted once: infinite where one is
    /// unlimited.
    pub fn total(&self, vnodes: &[NodeId], id: ResourceId) -> Option<Amount> {
        let mut keepers: Vec<NodeId> =
            vnodes.iter().filter_map(|vnode| self.resolve_indirect(*vnode, id)).collect();
        keepers.sort_unstable();
        keepers.dedup();
        let amount = |keeper: &NodeId| match self.of(*keeper, id) {
            VnodeOffer::Value(Value::Amount(amount)) => Some(*amount),
            VnodeOffer::Unlimited => Some(Amount(f64::INFINITY)),
            _ => None,
        };
        keepers.iter().filter_map(amount).reduce(|a, b| Amount(a.0 + b.0))
    }
}

#[cfg(test)]
mod tests {
    use qscope_source::toml_form;

    use super::*;

    const NODES: &str = r#"
        [[node]]
        name = "n0"
        available = { ncpus = 8, scratch = "10gb" }
        [[node]]
        name = "n1"
        available = { ncpus = 8, scratch = "@n0" }
        [[node]]
        name = "n2"
        available = { ncpus = 8, scratch = "@n3" }
        [[node]]
        name = "n3"
        available = { ncpus = 8, scratch = "@n2" }
        [[node]]
        name = "n4"
        available = { ncpus = 8 }
    "#;

    const POLICY: &str = r#"
        [sched_config]
        resource_unset_infinite = ["licence"]
        [[resource]]
        name = "scratch"
        type = "size"
        flag = "h"
        [[resource]]
        name = "licence"
        type = "long"
        flag = "h"
    "#;

    fn snapshot() -> Snapshot {
        toml_form::read(Some(NODES), None, Some(POLICY), None, "test").unwrap()
    }

    fn gigabytes(offer: VnodeOffer<'_>) -> Option<f64> {
        match offer {
            VnodeOffer::Value(Value::Amount(Amount(kilobytes))) => Some(kilobytes / f64::from(1 << 20)),
            _ => None,
        }
    }

    /// A reference is followed; a circular one ends and offers nothing.
    #[test]
    fn what_is_shared_is_offered_by_each_that_shares_it() {
        let snap = snapshot();
        let (offers, id) = (VnodeOffers::new(&snap), snap.catalogue.id("scratch").unwrap());
        let all: Vec<Option<f64>> =
            snap.nodes.enumerate().map(|(node, _)| gigabytes(offers.of(node, id))).collect();
        assert_eq!(all, [Some(10.0), Some(10.0), None, None, None]);
        assert_eq!(offers.of(NodeId(2), id), VnodeOffer::Unset);
    }

    #[test]
    fn what_vnodes_share_counts_once_in_their_sum() {
        let snap = snapshot();
        let (offers, id) = (VnodeOffers::new(&snap), snap.catalogue.id("scratch").unwrap());
        let both = offers.total(&[NodeId(0), NodeId(1)], id).unwrap();
        assert_eq!(both.0 / f64::from(1 << 20), 10.0);
        assert_eq!(offers.total(&[NodeId(2), NodeId(4)], id), None);
        let cores = offers.total(&[NodeId(0), NodeId(1)], ResourceId::ncpus());
        assert_eq!(cores, Some(Amount(16.0)));
    }

    /// With `resource_unset_infinite`, an unset resource is any amount; other unset resources are nothing.
    #[test]
    fn unset_is_any_amount_only_where_listed() {
        let snap = snapshot();
        let offers = VnodeOffers::new(&snap);
        let id = |name: &str| snap.catalogue.id(name).unwrap();
        assert_eq!(offers.of(NodeId(4), id("licence")), VnodeOffer::Unlimited);
        assert_eq!(offers.total(&[NodeId(4)], id("licence")), Some(Amount(f64::INFINITY)));
        assert_eq!(offers.of(NodeId(4), id("scratch")), VnodeOffer::Unset);
    }
}

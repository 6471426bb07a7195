//! The order of hosts, if hosts have several vnodes and a sort key reads unused or assigned amounts (rules 4.3, M17).

use crate::cluster::{Column, NodeSortKey, NodeSortTerm, SortDirection, SortField};
use crate::universe::{Bit, HostIx, NodeListId, Plan, State, StateChange};

/// Returns the hosts in the order in which the list of unbound nodes first names them.
pub(in crate::universe) fn hosts_as_made(plan: &Plan) -> Vec<HostIx> {
    let mut seen = Column::filled(plan.host_count(), false);
    let hosts = plan.masks.unbound.iter().map(|bit| plan.nodes[bit].host);
    hosts.filter(|host| !std::mem::replace(&mut seen[*host], true)).collect()
}

impl State {
    /// Sorts the hosts by the sums of their sets: after a start outside reservations, and in a copy of the universe
    /// when sets are summed again. Ties keep the initial order, in which all hosts are until the first start.
    pub(in crate::universe) fn sort_hosts(&mut self) {
        if !self.sorts_nodes() || self.host_sets.is_empty() {
            return;
        }
        let mut order = hosts_as_made(&self.plan);
        order.sort_by_cached_key(|host| self.sums_of_host(*host));
        if *order != *self.lists.hosts {
            self.change(StateChange::HostOrder(order.into()));
        }
    }

    /// Returns the vnodes of a host in the order of its own list, which is sorted when sets are summed again; `None`
    /// if hosts have no lists.
    pub fn list_of_host(&self, host: HostIx) -> Option<&[Bit]> {
        let set = *self.host_sets.get(&host)?;
        let sorted = self.lists.order(NodeListId::Set(set));
        Some(sorted.map_or(&self.sets[set].shape.members, |order| order))
    }

    /// Returns the sort values of a host by the sums of its set.
    fn sums_of_host(&self, host: HostIx) -> Vec<i64> {
        let plan = &self.plan;
        let Some(set) = self.host_sets.get(&host).map(|set| &self.sets[*set]) else { return Vec::new() };
        let value = |key: &NodeSortKey| {
            let NodeSortTerm::Resource(name, field) = &key.term else { return 0.0 };
            let Some(ix) = plan.snap.catalogue.id(name).and_then(|id| plan.consumables.ix(id)) else {
                return 0.0;
            };
            let total = set.shape.available[ix];
            // A resource that no vnode of the host has is 0, whatever jobs take of it (rule 4.3).
            if total.is_nan() {
                return 0.0;
            }
            let value = match field {
                SortField::Total => total,
                SortField::Assigned => set.assigned[ix],
                SortField::Unused => total - set.assigned[ix],
            };
            if key.direction == SortDirection::High { -value } else { value }
        };
        let keys = plan.snap.policy.node_sort_key.get(plan.period).iter();
        keys.map(|key| (value(key) * 1000.0) as i64).collect()
    }
}

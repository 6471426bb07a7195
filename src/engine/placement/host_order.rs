//! The order in which the node path examines hosts, and the vnodes of each (rules 4.4 B, M17).

use crate::cluster::{Column, InsertionOrderMap};
use crate::universe::{Bit, HostIx, NodeSet, Plan, State};

/// Groups nodes by host, hosts in the order in which the list first names them.
pub(super) fn hosts_in_order(plan: &Plan, nodes: &[Bit]) -> Vec<(HostIx, Vec<Bit>)> {
    let mut hosts: InsertionOrderMap<HostIx, (HostIx, Vec<Bit>)> = InsertionOrderMap::default();
    for bit in nodes {
        let host = plan.nodes[*bit].host;
        hosts.of(host, || (host, Vec::new())).1.push(*bit);
    }
    hosts.into_all()
}

/// Reorders the hosts of the complex, and the vnodes of each, to the order kept for hosts (rule M17).
pub(super) fn order_kept(state: &State, list: &[Bit], hosts: &mut [(HostIx, Vec<Bit>)]) {
    let mut rank = Column::filled(state.plan.host_count(), usize::MAX);
    for (at, host) in state.lists.hosts.iter().enumerate() {
        rank[*host] = at;
    }
    hosts.sort_by_key(|(host, _)| rank[*host]);
    let listed = NodeSet::of(state.plan.nodes.len(), list.iter().copied());
    for (host, members) in hosts {
        if let Some(own) = state.list_of_host(*host) {
            *members = own.iter().copied().filter(|bit| listed.contains(*bit)).collect();
        }
    }
}

//! The order of nodes (rule 4.3).

use std::cmp::Ordering;

use qscope_engine::cluster::{NodeSortKey, NodeSortTerm, SortDirection, SortField};

use super::world::World;

/// Compares by the keys in turn.
pub(crate) fn compare_by(keys: &[NodeSortKey], values: impl Fn(&NodeSortTerm) -> (f64, f64)) -> Ordering {
    let orders = keys.iter().map(|key| {
        let (a, b) = values(&key.term);
        let order = a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        if key.direction == SortDirection::High { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

impl World {
    /// Sorts a list of nodes; ties stay in the order in which nodes were read.
    pub(crate) fn sort_nodes(&self, list: &mut [usize]) {
        self.sort_nodes_with(list, |_, _| 0.0);
    }

    /// Sorts a list of nodes with more in use than the rows have.
    pub(crate) fn sort_nodes_with(
        &self,
        list: &mut [usize],
        more: impl Fn(usize, qscope_engine::cluster::ResourceId) -> f64,
    ) {
        let keys = self.node_keys().to_vec();
        let value = |node: usize, term: &NodeSortTerm| match term {
            NodeSortTerm::Priority => self.nodes[node].priority as f64,
            NodeSortTerm::LastUsed => self.nodes[node].last_used as f64,
            NodeSortTerm::Resource(name, field) => {
                let Some(id) = self.snap().catalogue.id(name) else { return 0.0 };
                let Some(total) = self.total(node, id) else { return 0.0 };
                let used = || self.assigned(node, id) + more(node, id);
                match field {
                    SortField::Total => total,
                    SortField::Assigned => used(),
                    SortField::Unused => total - used(),
                }
            }
        };
        list.sort_by(|a, b| {
            compare_by(&keys, |term| (value(*a, term), value(*b, term))).then(self.read_order(*a, *b))
        });
    }

    fn read_order(&self, a: usize, b: usize) -> Ordering {
        self.nodes[a].read_at.cmp(&self.nodes[b].read_at)
    }

    /// Sorts the server's lists, after every start outside reservations (rule 4.3).
    pub(crate) fn sort_server_lists(&mut self) {
        let (mut all, mut unbound) = (std::mem::take(&mut self.all), std::mem::take(&mut self.unbound));
        self.sort_nodes(&mut all);
        self.sort_nodes(&mut unbound);
        (self.all, self.unbound) = (all, unbound);
    }

    pub(crate) fn sort_queue_list(&mut self, queue: usize) {
        let mut list = std::mem::take(&mut self.of_queue[queue]);
        self.sort_nodes(&mut list);
        self.of_queue[queue] = list;
    }

    pub(crate) fn sort_resv_list(&mut self, resv: usize) {
        let mut list = std::mem::take(&mut self.resvs[resv].nodes);
        self.sort_nodes(&mut list);
        self.resvs[resv].nodes = list;
    }

    /// Sorts the hosts by the sums of their sets, equal ones in the order made (rule M17).
    pub(crate) fn sort_hosts(&mut self) {
        let keys = self.node_keys().to_vec();
        let value = |set: usize, term: &NodeSortTerm| {
            let NodeSortTerm::Resource(name, field) = term else { return 0.0 };
            let Some(id) = self.snap().catalogue.id(name) else { return 0.0 };
            let total = self.sets[set].total(id).unwrap_or(0.0);
            let used = self.sets[set].assigned(id);
            match field {
                SortField::Total => total,
                SortField::Assigned => used,
                SortField::Unused => total - used,
            }
        };
        let mut hosts = self.pools.hosts.clone();
        hosts.sort_by(|a, b| compare_by(&keys, |term| (value(*a, term), value(*b, term))).then(a.cmp(b)));
        self.pools.hosts = hosts;
    }

    pub(crate) fn sort_set_lists(&mut self) {
        for at in 0..self.sets.len() {
            let mut list = std::mem::take(&mut self.sets[at].members);
            self.sort_nodes(&mut list);
            self.sets[at].members = list;
        }
    }
}

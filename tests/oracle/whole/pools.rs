//! The placement sets and the order in which they are tried (rules 5.1, 5.3).

use std::cmp::Ordering;

use qscope_engine::cluster::{Name, ResourceId};

use super::order::merge_sorted;
use super::sets::{JobPool, Owner, Set};
use super::world::{Have, World};

impl World {
    /// Makes the sets of all nodes first, then of hosts, the server's pool, the queues' in the order of
    /// queues (rules 5.1, M8).
    pub(crate) fn make_pools(&mut self) {
        let unbound = self.unbound.clone();
        self.pools.all = self.make_all(&unbound);
        for queue in 0..self.queues.len() {
            if self.queues[queue].has_nodes {
                let list = self.of_queue[queue].clone();
                let set = self.make_all(&list);
                self.pools.all_of_queue.insert(queue, set);
            }
        }
        if self.given.multi_vnode {
            self.make_hosts();
        }
        if self.snap().server.node_group_enable {
            self.make_keyed_pools(&unbound);
        }
        self.remember_sets();
    }

    fn make_all(&mut self, list: &[usize]) -> usize {
        let members = self.without_stale(list);
        self.push_set("all".to_owned(), Owner::All, members)
    }

    fn make_hosts(&mut self) {
        let list = self.without_stale(&self.unbound);
        let mut hosts: Vec<Name> = Vec::new();
        for &node in &list {
            if !hosts.contains(&self.nodes[node].host) {
                hosts.push(self.nodes[node].host.clone());
            }
        }
        for host in hosts {
            let members = list.iter().copied().filter(|node| self.nodes[*node].host == host).collect();
            let set = self.push_set(host.to_string(), Owner::Host, members);
            self.pools.hosts.push(set);
        }
    }

    fn make_keyed_pools(&mut self, unbound: &[usize]) {
        let server_keys = self.snap().server.node_group_key.clone();
        if !server_keys.is_empty() {
            let order = self.sets_by_keys(Owner::Server, unbound, &server_keys);
            self.pools.server = Some(order);
        }
        for queue in 0..self.queues.len() {
            let own = self.queue_keys(queue);
            if !self.queues[queue].has_nodes && own.is_empty() {
                continue;
            }
            let keys = if own.is_empty() { server_keys.clone() } else { own.clone() };
            if keys.is_empty() {
                continue;
            }
            let list =
                if self.queues[queue].has_nodes { self.of_queue[queue].clone() } else { unbound.to_vec() };
            let order = self.sets_by_keys(Owner::Queue(queue), &list, &keys);
            self.pools.queues.push((queue, order, !own.is_empty()));
        }
    }

    fn queue_keys(&self, queue: usize) -> Vec<Name> {
        let name = &self.queues[queue].name;
        let found = self.snap().queues.iter().find(|queue| queue.name == *name);
        found.map(|queue| queue.node_group_key.clone()).unwrap_or_default()
    }

    fn without_stale(&self, list: &[usize]) -> Vec<usize> {
        list.iter().copied().filter(|node| !self.nodes[*node].is_stale()).collect()
    }

    fn push_set(&mut self, name: String, owner: Owner, members: Vec<usize>) -> usize {
        let set = Set::new(self, name, owner, members);
        self.sets.push(set);
        self.sets.len() - 1
    }

    /// Makes sets key by key, for each value in the order first seen (rules 5.1.1 to 5.1.3), and sorts them.
    fn sets_by_keys(&mut self, owner: Owner, list: &[usize], keys: &[Name]) -> Vec<usize> {
        let list = self.without_stale(list);
        let first = self.sets.len();
        for key in keys {
            let mut seen: Vec<Name> = Vec::new();
            for value in list.iter().flat_map(|node| self.values(*node, key)) {
                if !seen.contains(&value) {
                    seen.push(value);
                }
            }
            for value in seen {
                let has = |node: &usize| self.values(*node, key).contains(&value);
                let members = list.iter().copied().filter(has).collect();
                self.push_set(format!("{key}={value}"), owner, members);
            }
        }
        self.sorted_sets((first..self.sets.len()).collect())
    }

    fn values(&self, node: usize, key: &str) -> Vec<Name> {
        let have = self.snap().catalogue.id(key).and_then(|id| self.have(node, id));
        match have {
            Some((_, Have::Texts(texts))) => texts.clone(),
            Some((_, Have::Bool(on))) => vec![if *on { "True".into() } else { "False".into() }],
            _ if self.snap().scheduler.only_explicit_psets => Vec::new(),
            _ => vec!["\"\"".into()],
        }
    }

    /// Quirk B1: a node remembers only the set made last for it.
    fn remember_sets(&mut self) {
        for at in 0..self.sets.len() {
            for node in self.sets[at].members.clone() {
                if !self.given.fixed {
                    self.nodes[node].sets.clear();
                }
                self.nodes[node].sets.push(at);
            }
        }
    }

    /// Returns the sets that a job tries, in order; none if it does not use sets (rules 3.9, 4.1, 5.1).
    pub(crate) fn sets_for(&mut self, job: usize) -> Option<Vec<usize>> {
        let row = &self.jobs[job];
        if let Some(key) = row.wish().group.clone().filter(|_| row.back.is_none()) {
            return Some(self.job_pool(job, &key));
        }
        if row.back.is_some() || row.reservation.is_some() {
            return None;
        }
        let queue = row.queue;
        if let Some((_, order, _)) = self.pools.queues.iter().find(|(owner, _, _)| *owner == queue) {
            return Some(order.clone());
        }
        self.pools.server.clone()
    }

    /// Returns the sets of one key over the job's nodes, kept until something starts or ends.
    fn job_pool(&mut self, job: usize, key: &Name) -> Vec<usize> {
        let (row, list) = (&self.jobs[job], self.list_of(job));
        if !row.node_set.is_empty() {
            return self.sets_by_keys(Owner::Job, &list, std::slice::from_ref(key));
        }
        let queue = Some(row.queue).filter(|queue| self.queues[*queue].has_nodes);
        let reservation = row.reservation;
        let same =
            |pool: &&JobPool| pool.queue == queue && pool.reservation == reservation && pool.key == *key;
        if let Some(pool) = self.pools.jobs.iter().find(same) {
            return pool.order.clone();
        }
        let order = self.sets_by_keys(Owner::Job, &list, std::slice::from_ref(key));
        // The sums begin with the first node of the list; then each set's list is sorted as it is made (case
        // `d3276`).
        if self.given.sorts_per_job {
            for &set in &order {
                let mut members = std::mem::take(&mut self.sets[set].members);
                self.sort_nodes(&mut members);
                self.sets[set].members = members;
            }
        }
        self.pools.jobs.push(JobPool { queue, reservation, key: key.clone(), order: order.clone() });
        order
    }

    /// Sorts sets by rule 5.3.
    pub(crate) fn sorted_sets(&self, order: Vec<usize>) -> Vec<usize> {
        merge_sorted(order, &|a, b| compare(&self.sets[a], &self.sets[b]))
    }

    /// Sorts the pools with keys of their own, after each start and each refresh (rules 5.1, 5.3).
    pub(crate) fn sort_pools(&mut self) {
        let mut pools = std::mem::take(&mut self.pools);
        pools.server = pools.server.map(|order| self.sorted_sets(order));
        for (_, order, sorts) in &mut pools.queues {
            if *sorts {
                *order = self.sorted_sets(std::mem::take(order));
            }
        }
        self.pools = pools;
    }
}

fn compare(a: &Set, b: &Set) -> Ordering {
    let (ncpus, mem) = (ResourceId::ncpus(), ResourceId::mem());
    let pairs = [
        (a.total(ncpus), b.total(ncpus)),
        (a.total(mem), b.total(mem)),
        (a.left(ncpus), b.left(ncpus)),
        (a.left(mem), b.left(mem)),
    ];
    let order = |(a, b): (Option<f64>, Option<f64>)| match (a, b) {
        // A sum that a start made (rule M27) is infinite, and sorts first.
        (Some(a), Some(b)) => b.is_infinite().cmp(&a.is_infinite()).then(a.total_cmp(&b)),
        _ => Ordering::Equal,
    };
    pairs.into_iter().map(order).fold(Ordering::Equal, Ordering::then)
}

//! Nodes, and the copies of them that reservations own (rules 1.1, 1.3, 6.9).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use qscope_engine::cluster::{
    Amount, License, Name, NodeState, NodeStates, ResourceId, ResourceList, ResourceType, Snapshot, Value,
};

use super::read::{Kept, amounts, texts};
use super::read_jobs;
use super::world::{Amounts, Have, Node, Resv, What, Who, World, by_node};

/// Returns whether hosts have several vnodes (rule 3.1.9): as in the dump, else by equal hosts among vnodes
/// that are not stale.
pub(crate) fn multi_vnode(snap: &Snapshot) -> bool {
    if snap.nodes.iter().any(|node| node.in_multivnode_host == Some(true)) {
        return true;
    }
    let named = snap.nodes.iter().filter(|node| !node.states.has(NodeState::Stale));
    let hosts: Vec<Name> = named.map(|node| host(snap, node)).collect();
    hosts.iter().collect::<BTreeSet<_>>().len() < hosts.len()
}

fn host(snap: &Snapshot, node: &qscope_engine::cluster::Node) -> Name {
    let _ = snap;
    let first = node.available.get(ResourceId::host()).and_then(|value| value.texts().first());
    first.unwrap_or(&node.name).clone()
}

fn have(id: ResourceId, value: &Value) -> Have {
    match value {
        // Memory is rounded down to whole megabytes (rule 1.1).
        Value::Amount(Amount(kb)) if id == ResourceId::mem() => Have::Amount(kb - kb % 1024.0),
        Value::Amount(Amount(amount)) => Have::Amount(*amount),
        Value::Bool(on) => Have::Bool(*on),
        Value::Texts(_) => Have::Texts(texts(value)),
        Value::Indirect(node) => Have::Away(node.clone()),
    }
}

fn haves(list: &ResourceList) -> BTreeMap<ResourceId, Have> {
    list.iter().map(|(id, value)| (id, have(id, value))).collect()
}

impl World {
    /// Reads the nodes of the scheduler's partition and sorts them; their order is that of the bits for the
    /// whole cycle.
    pub(crate) fn read_nodes(&mut self) {
        let given = self.given.clone();
        let snap = &given.snap;
        let partitions = &snap.scheduler.partitions;
        let mine = |node: &&qscope_engine::cluster::Node| match &node.partition {
            None => partitions.is_empty(),
            Some(partition) => partitions.contains(partition),
        };
        let silent = snap.nodes.iter().all(|node| node.license == License::Absent);
        for node in snap.nodes.iter().filter(mine) {
            let row = self.read_node(snap, node, silent);
            self.nodes.push(row);
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        self.sort_nodes(&mut order);
        self.nodes = order.iter().map(|at| self.nodes[*at].clone()).collect();
        self.all = (0..self.nodes.len()).collect();
        let of = |queue: Option<usize>| -> Vec<usize> {
            self.all.iter().copied().filter(|node| self.nodes[*node].queue == queue).collect()
        };
        let of_queue = (0..self.queues.len()).map(|queue| of(Some(queue))).collect();
        self.unbound = of(None);
        self.of_queue = of_queue;
        for queue in 0..self.queues.len() {
            self.queues[queue].has_nodes = !self.of_queue[queue].is_empty();
        }
    }

    fn read_node(&self, snap: &Snapshot, node: &qscope_engine::cluster::Node, silent: bool) -> Node {
        let signature = snap.catalogue.id("lic_signature").and_then(|id| node.available.amount(id));
        let licensed = match node.license {
            License::Locked => true,
            License::Cloud => signature.is_some_and(|until| (snap.now.0 as f64) < until.0),
            License::Absent => silent,
            License::Other => false,
        };
        let queue = node.queue.as_ref().and_then(|name| self.queues.iter().position(|q| q.name == *name));
        Node {
            read_at: self.nodes.len(),
            name: node.name.clone(),
            host: host(snap, node),
            available: Rc::new(haves(&node.available)),
            assigned: amounts(&node.assigned),
            made: BTreeSet::new(),
            states: node.states,
            licensed,
            jobs: Vec::new(),
            reservations: 0,
            events: Vec::new(),
            queue,
            priority: node.priority.unwrap_or(0),
            last_used: node.last_used.map_or(0, |at| at.0),
            sharing: node.sharing,
            max_running: node.max_running,
            max_user_run: node.max_user_run,
            max_group_run: node.max_group_run,
            no_multinode: node.no_multinode_jobs,
            resv_enable: node.resv_enable,
            copy_of: None,
            bucket: None,
            sets: Vec::new(),
        }
    }

    pub(crate) fn node_named(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| *node.name == *name && node.copy_of.is_none())
    }

    /// Sets the jobs on nodes; where a node names a job that is gone, its assigned amounts are counted anew
    /// (rule 6.1).
    pub(crate) fn recount_nodes(&mut self) {
        let given = self.given.clone();
        for node in &given.snap.nodes {
            let Some(at) = self.node_named(&node.name) else { continue };
            let jobs: Vec<Option<usize>> = node.jobs.iter().map(|name| self.running_named(name)).collect();
            // Jobs in a reservation are on its copies.
            let outside = |job: &usize| self.jobs[*job].reservation.is_none();
            self.nodes[at].jobs = jobs.iter().flatten().copied().filter(outside).collect();
            if jobs.iter().any(Option::is_none) {
                self.nodes[at].assigned = self.counted_assigned(at);
            }
        }
    }

    fn running_named(&self, name: &Name) -> Option<usize> {
        self.jobs.iter().position(|job| job.name == *name && job.runs())
    }

    fn counted_assigned(&self, at: usize) -> Amounts {
        let jobs = self.jobs.iter().filter(|job| job.runs() && job.reservation.is_none());
        let resvs = self.resvs.iter().filter(|resv| resv.running);
        let all = jobs.map(|job| &job.allocation).chain(resvs.map(|resv| &resv.allocation));
        let mut sum = Amounts::new();
        for (node, amounts) in all.flat_map(|allocation| by_node(allocation)) {
            if node == at {
                amounts.iter().for_each(|(id, amount)| *sum.entry(*id).or_default() += amount);
            }
        }
        sum
    }

    /// Reads the reservations that own nodes now or later.
    pub(crate) fn read_resvs(&mut self, kept: &Kept) {
        let given = self.given.clone();
        for resv in &given.snap.reservations {
            let ask = read_jobs::ask(&given.snap, resv.select.as_ref(), resv.place.as_ref(), kept);
            let allocation = resv.nodes.as_ref().map(|nodes| self.read_allocation(nodes)).unwrap_or_default();
            let start = resv.start.map_or(0, |at| at.0);
            let row = Resv {
                name: resv.name.clone(),
                ask: Rc::new(ask.unwrap_or_default()),
                requested: Rc::new(amounts(&resv.requested)),
                job_wide: Rc::new(read_jobs::job_wide(&given.snap, &resv.requested)),
                running: resv.is_running(),
                start,
                end: resv.end.map_or(start + resv.duration.map_or(0, |length| length.0), |at| at.0),
                allocation: Rc::new(allocation),
                nodes: Vec::new(),
            };
            let at = self.resvs.len();
            for queue in self.queues.iter_mut().filter(|queue| Some(&queue.name) == resv.queue.as_ref()) {
                queue.reservation = Some(at);
            }
            if row.running {
                for (node, _) in by_node(&row.allocation) {
                    self.nodes[node].reservations += 1;
                }
            }
            self.resvs.push(row);
        }
    }

    /// Reads a placement; unknown nodes, and values that are not amounts, are left out.
    pub(crate) fn read_allocation(
        &self,
        text: &qscope_engine::cluster::ExecVnode,
    ) -> super::world::Allocation {
        let catalogue = &self.snap().catalogue;
        let amount = |(name, value): &(Name, Name)| {
            let id = catalogue.id(name)?;
            let kind = catalogue.kind(id);
            if kind.is_consumable() { Some((id, Amount::parse(kind, value).ok()?.0)) } else { None }
        };
        let part = |part: &qscope_engine::cluster::ExecVnodePart| {
            Some((self.node_named(&part.vnode)?, part.resources.iter().filter_map(amount).collect()))
        };
        text.chunks.iter().map(|chunk| chunk.iter().filter_map(part).collect()).collect()
    }

    /// Makes the copies of nodes that running reservations own: the granted amounts, and the jobs inside
    /// (rule 6.9).
    pub(crate) fn read_resv_copies(&mut self) {
        for resv in 0..self.resvs.len() {
            if !self.resvs[resv].running {
                continue;
            }
            for (at, granted) in by_node(&self.resvs[resv].allocation.clone()) {
                let copy = self.resv_copy(resv, at, &granted);
                self.nodes.push(copy);
                let made = self.nodes.len() - 1;
                self.resvs[resv].nodes.push(made);
                self.move_inside(resv, at, made);
            }
            let mut nodes = std::mem::take(&mut self.resvs[resv].nodes);
            self.sort_nodes(&mut nodes);
            self.resvs[resv].nodes = nodes;
        }
    }

    fn resv_copy(&self, resv: usize, at: usize, granted: &Amounts) -> Node {
        let node = &self.nodes[at];
        // Other resources than the granted ones are as on the node itself.
        let mut available: BTreeMap<ResourceId, Have> = (*node.available).clone();
        available.extend(granted.iter().map(|(id, amount)| (*id, Have::Amount(*amount))));
        let listed = self.snap().nodes.iter().find(|read| read.name == node.name);
        let listed = listed.into_iter().flat_map(|node| &node.jobs);
        let running = listed.filter_map(|name| self.running_named(name));
        let jobs = running.filter(|job| self.jobs[*job].reservation == Some(resv)).collect();
        let own = |states: NodeStates| {
            states
                .without(NodeState::JobBusy)
                .without(NodeState::JobExclusive)
                .without(NodeState::ResvExclusive)
        };
        // A job that runs inside when the cycle begins does not make the copy exclusive (case `d3028`).
        let states = own(node.states);
        Node {
            available: Rc::new(available),
            assigned: Amounts::new(),
            made: BTreeSet::new(),
            states,
            jobs,
            reservations: 0,
            events: Vec::new(),
            copy_of: Some(at),
            bucket: None,
            sets: Vec::new(),
            ..node.clone()
        }
    }

    /// Moves the running jobs inside a reservation to its copies.
    fn move_inside(&mut self, resv: usize, from: usize, to: usize) {
        for job in self.jobs.iter_mut().filter(|job| job.reservation == Some(resv) && job.runs()) {
            let mut allocation = (*job.allocation).clone();
            for (node, amounts) in allocation.iter_mut().flatten().filter(|(node, _)| *node == from) {
                *node = to;
                for (id, amount) in amounts {
                    *self.nodes[to].assigned.entry(*id).or_default() += *amount;
                }
            }
            job.allocation = Rc::new(allocation);
        }
    }

    /// Plans that nodes that are being provisioned, or asleep, come up after ten minutes (rule 0).
    pub(crate) fn plan_nodes_up(&mut self) {
        let sleepers = self.snap().server.power_provisioning;
        for node in 0..self.nodes.len() {
            let states = self.nodes[node].states;
            let comes = states.has(NodeState::Provisioning) || sleepers && states.has(NodeState::Sleep);
            if comes && self.nodes[node].copy_of.is_none() {
                self.plan(self.now + 600, What::NodeUp(node), None::<Who>, &Rc::new(Vec::new()));
            }
        }
    }

    /// Returns whether a resource is consumable.
    pub(crate) fn is_consumable(&self, id: ResourceId) -> bool {
        matches!(
            self.snap().catalogue.kind(id),
            ResourceType::Long | ResourceType::Size | ResourceType::Float
        )
    }
}

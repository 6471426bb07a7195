//! Placement sets: their contents and their sums (rules 5.1, 5.2).

use std::collections::BTreeMap;

use qscope_engine::cluster::{Name, ResourceId};

use super::buckets::{self, Bucket};
use super::compare::{How, There, fits};
use super::reason::No;
use super::world::{Amounts, Ask, Have, Spec, World};

/// A sum over the nodes of a set.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Sum {
    Amount { total: f64, assigned: f64 },
    Bool { on: bool, off: bool },
    Texts(Vec<Name>),
}

/// The owner of the pool that a set is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    All,
    Host,
    Server,
    Queue(usize),
    Job,
}

/// A placement set.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) owner: Owner,
    /// Indices of the nodes, in the order tried.
    pub(crate) members: Vec<usize>,
    pub(crate) free_nodes: i64,
    pub(crate) sums: BTreeMap<ResourceId, Sum>,
    pub(crate) buckets: Vec<Bucket>,
    /// Whether all its nodes are on one host, so that chunks may be split (rule 5.1.4).
    pub(crate) one_host: bool,
}

/// The pool of a job: the sets of one key over one list of nodes.
#[derive(Clone, Debug)]
pub(crate) struct JobPool {
    pub(crate) queue: Option<usize>,
    pub(crate) reservation: Option<usize>,
    pub(crate) key: Name,
    pub(crate) order: Vec<usize>,
}

/// All sets, each pool in the order tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pools {
    pub(crate) server: Option<Vec<usize>>,
    /// Queue, its sets, and whether they are refreshed and sorted again: only if the keys are its own (rule
    /// 5.1).
    pub(crate) queues: Vec<(usize, Vec<usize>, bool)>,
    pub(crate) all: usize,
    pub(crate) all_of_queue: BTreeMap<usize, usize>,
    pub(crate) hosts: Vec<usize>,
    pub(crate) jobs: Vec<JobPool>,
}

impl Set {
    pub(crate) fn new(world: &World, name: String, owner: Owner, members: Vec<usize>) -> Self {
        let host = |node: &usize| world.nodes[*node].host.clone();
        Self {
            one_host: members.iter().all(|node| host(node) == host(&members[0])),
            free_nodes: free_nodes(world, &members),
            sums: sums(world, &members, true),
            buckets: buckets::of_list(world, &members).0,
            name,
            owner,
            members,
        }
    }

    /// Computes everything again, after something ended (rule 3.4).
    pub(crate) fn refreshed(self, world: &World) -> Self {
        let mut set = Self {
            free_nodes: free_nodes(world, &self.members),
            sums: sums(world, &self.members, false),
            ..self
        };
        for &node in &set.members {
            buckets::refresh(world, &mut set.buckets, node, world.given.fixed);
        }
        set
    }

    pub(crate) fn left(&self, resource: ResourceId) -> Option<f64> {
        match self.sums.get(&resource)? {
            Sum::Amount { total, .. } if total.is_infinite() => Some(*total),
            Sum::Amount { total, assigned } => Some((total - assigned).max(0.0)),
            _ => None,
        }
    }

    pub(crate) fn total(&self, resource: ResourceId) -> Option<f64> {
        match self.sums.get(&resource)? {
            Sum::Amount { total, .. } => Some(*total),
            _ => None,
        }
    }

    pub(crate) fn assigned(&self, resource: ResourceId) -> f64 {
        match self.sums.get(&resource) {
            Some(Sum::Amount { assigned, .. }) => *assigned,
            _ => 0.0,
        }
    }

    fn there(&self, resource: ResourceId) -> There {
        match self.sums.get(&resource) {
            None => There::Unset,
            Some(Sum::Amount { total, assigned }) => There::Amount(total - assigned, *total),
            Some(Sum::Bool { on, off }) => There::Bool(*on, *off),
            Some(Sum::Texts(texts)) => There::Texts(texts.clone()),
        }
    }

    /// Applies the start of a job on a node that remembers this set (rule 3.4).
    pub(crate) fn take(&mut self, world: &World, node: usize, amounts: &Amounts) {
        for (id, amount) in amounts {
            match self.sums.get_mut(id) {
                Some(Sum::Amount { assigned, .. }) => *assigned += amount,
                // A resource that no node has is infinite in total, and once some is taken nothing is left
                // (rule M27).
                None if *amount > 0.0 && !self.one_host && world.given.infinite.contains(id) => {
                    let all = f64::INFINITY;
                    self.sums.insert(*id, Sum::Amount { total: all, assigned: all });
                }
                _ => {}
            }
        }
        if !world.nodes[node].is_free() {
            self.free_nodes -= 1;
        }
        buckets::refresh(world, &mut self.buckets, node, false);
    }

    /// Returns why a request does not fit: nodes, sums, chunks (rule 5.4 steps 1 and 3).
    pub(crate) fn lacks(
        &self,
        world: &World,
        ask: &Ask,
        requested: &[(ResourceId, f64)],
        how: How,
    ) -> Vec<No> {
        let nodes = if how.in_all { self.members.len() as i64 } else { self.free_nodes };
        let none = if how.in_all { No::no_total_nodes } else { No::no_free_nodes };
        let mut lacks = Vec::new();
        // A negative count, from nodes given twice, is not "no free node" (rule M2).
        if nodes == 0 {
            lacks.push(none());
        }
        if ask.is_scattered() && nodes < ask.chunks() as i64 {
            lacks.push(none());
        }
        for (id, amount) in requested {
            let flags = world.snap().catalogue.def(*id).flags;
            if flags.compared_in_all && flags.host && world.given.checked.contains(id) {
                let want = (*id, super::world::Want::Amount(*amount));
                lacks.extend(fits(&world.given, &want, self.there(*id), how).err());
            }
        }
        for spec in &ask.specs {
            lacks.extend(self.lacks_of_chunk(world, spec, how));
        }
        lacks
    }

    /// Returns why one chunk does not fit.
    pub(crate) fn lacks_of_chunk(&self, world: &World, spec: &Spec, how: How) -> Vec<No> {
        let given = &world.given;
        let counts = |id: &ResourceId| given.checked.contains(id) || given.booleans.contains(id);
        let wants = spec.wants.iter().filter(|(id, _)| counts(id));
        wants.filter_map(|want| fits(given, want, self.there(want.0), how).err()).collect()
    }
}

fn free_nodes(world: &World, members: &[usize]) -> i64 {
    members.iter().filter(|node| world.nodes[**node].is_free()).count() as i64
}

/// Sums node by node in list order. A node that is not free counts as fully assigned; but if it is not the
/// first of the list and is the first that has a resource, its assigned amount counts as it is (rule 5.2).
/// Sums made again have their resources already, so that this exception does not apply.
fn sums(world: &World, members: &[usize], first: bool) -> BTreeMap<ResourceId, Sum> {
    let mut sums = BTreeMap::new();
    for (at, &node) in members.iter().enumerate() {
        for &id in world.given.checked.union(&world.given.booleans) {
            let free = world.nodes[node].is_free();
            let brings = first && at > 0 && !sums.contains_key(&id);
            // A shared resource counts with the node that owns it.
            let own = |(at, _): &(usize, &Have)| *at == node;
            let have = world.have(node, id).filter(own).map(|(_, have)| have.clone());
            let assigned = world.assigned(node, id);
            add(&mut sums, id, have, assigned, free || brings, world.given.booleans.contains(&id));
            // A resource that is owned elsewhere also creates the sum (rule M24).
            if matches!(world.have(node, id), Some((at, Have::Amount(_))) if at != node) {
                sums.entry(id).or_insert(Sum::Amount { total: 0.0, assigned: 0.0 });
            }
        }
    }
    // A start made the resource on one of the nodes, which simulations alone see (rule M27).
    let made = members.iter().filter(|_| world.simulated && !first).flat_map(|node| &world.nodes[*node].made);
    for id in made.filter(|id| world.given.checked.contains(id)) {
        sums.entry(*id).or_insert(Sum::Amount { total: 0.0, assigned: 0.0 });
    }
    sums
}

fn add(
    sums: &mut BTreeMap<ResourceId, Sum>,
    id: ResourceId,
    have: Option<Have>,
    used: f64,
    as_it_is: bool,
    boolean: bool,
) {
    match have {
        Some(Have::Amount(amount)) => {
            let sum = sums.entry(id).or_insert(Sum::Amount { total: 0.0, assigned: 0.0 });
            if let Sum::Amount { total, assigned } = sum {
                *total += amount;
                *assigned += if as_it_is { used } else { amount };
            }
        }
        Some(Have::Texts(elements)) => {
            if let Sum::Texts(texts) = sums.entry(id).or_insert(Sum::Texts(Vec::new())) {
                for element in elements.into_iter().filter(|element| !element.is_empty()) {
                    if !texts.contains(&element) {
                        texts.push(element);
                    }
                }
            }
        }
        Some(Have::Away(_)) => {}
        have if boolean => {
            let is_on = have == Some(Have::Bool(true));
            if let Sum::Bool { on, off } = sums.entry(id).or_insert(Sum::Bool { on: false, off: false }) {
                *on |= is_on;
                *off |= !is_on;
            }
        }
        _ => {}
    }
}

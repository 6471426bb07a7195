//! The last step of the run check: nodes, by buckets or one by one, over sets if there are any (rules 3.9,
//! 5.4).

use qscope_engine::cluster::Name;

use super::buckets;
use super::compare::{IN_ALL, NOW};
use super::node_path::{ListId, Search};
use super::reason::{Code, No};
use super::sets::Owner;
use super::world::{Allocation, Who, World};

/// The path of a placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    Bucket,
    Node,
}

/// The nodes placed for a job.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) allocation: Allocation,
    /// The allocation in the order in which chunks were found, host by host.
    pub(crate) in_order: Option<Allocation>,
    pub(crate) set: Option<String>,
}

impl World {
    /// Returns the nodes that a job may use, in the order tried (rule 4.1).
    pub(crate) fn list_of(&self, job: usize) -> Vec<usize> {
        let row = &self.jobs[job];
        if row.reservation.is_none() && row.back.is_some() {
            return self.own_nodes(job);
        }
        let mut list = match row.reservation {
            Some(resv) => self.resvs[resv].nodes.clone(),
            None if self.queues[row.queue].has_nodes => self.of_queue[row.queue].clone(),
            None => self.unbound.clone(),
        };
        list.retain(|node| row.node_set.is_empty() || row.node_set.contains(&self.nodes[*node].name));
        list
    }

    /// Returns the vnodes of an old placement, in the order of a hash table, which for few names is the
    /// reverse.
    fn own_nodes(&self, job: usize) -> Vec<usize> {
        let mut nodes: Vec<usize> = Vec::new();
        for (node, _) in self.jobs[job].allocation.iter().flatten() {
            if !nodes.contains(node) {
                nodes.push(*node);
            }
        }
        let names: Vec<&Name> = nodes.iter().map(|node| &self.nodes[*node].name).collect();
        super::hash_order::order(&names).into_iter().map(|at| nodes[at]).collect()
    }

    pub(crate) fn by_buckets(&mut self, job: usize, tried: &mut Vec<String>) -> Result<Placed, No> {
        // The bucket path uses no list of nodes: those that a job names make no difference.
        let named = std::mem::take(&mut self.jobs[job].node_set);
        let sets = self.sets_for(job);
        self.jobs[job].node_set = named;
        let row = &self.jobs[job];
        let queue = Some(row.queue).filter(|queue| self.queues[*queue].has_nodes);
        let ask = row.wish().clone();
        let length = (row.duration() - row.used).max(0);
        let whole = || {
            let allocation = buckets::place(self, &self.buckets, &ask, queue, length)?;
            Ok(Placed { allocation, in_order: None, set: None })
        };
        let Some(sets) = sets else { return whole() };
        let forbidden = self.snap().scheduler.do_not_span_psets;
        // In a simulation, a job of a queue with nodes finds no buckets in its sets (rule M10).
        let lasting = sets.iter().all(|set| self.sets[*set].owner != Owner::Job);
        if self.simulated && lasting && queue.is_some() {
            return if forbidden { Err(No::cannot_span()) } else { whole() };
        }
        let mut could_run: Option<No> = None;
        for set in sets {
            let set = &self.sets[set];
            tried.push(set.name.clone());
            match buckets::place(self, &set.buckets, &ask, queue, length) {
                Ok(allocation) => {
                    return Ok(Placed { allocation, in_order: None, set: Some(set.name.clone()) });
                }
                Err(no) if no.never => {}
                Err(no) => could_run = could_run.or(Some(no)),
            }
        }
        match could_run {
            Some(no) if self.given.fixed => Err(no),
            None if forbidden => Err(No::cannot_span()),
            // It fits no set; or (quirk B2) it fits one that is full and does not wait for it.
            None | Some(_) => whole(),
        }
    }

    pub(crate) fn by_nodes(&mut self, job: usize, qrun: bool, tried: &mut Vec<String>) -> Result<Placed, No> {
        let own = self.list_of(job);
        // The nodes that a job names are in no sets, except those that it groups by.
        let names_nodes = !self.jobs[job].node_set.is_empty() && self.jobs[job].wish().group.is_none();
        let sets = self.sets_for(job).filter(|_| !names_nodes);
        let ask = self.jobs[job].wish().clone();
        let requested = self.jobs[job].wide().clone();
        let ends = self.ends_of(Who::Job(job));
        let mut search = Search::new(self, Who::Job(job), &ask, ends, &own, qrun);
        let found = over_sets(self, &mut search, sets, &own, &requested, tried);
        let in_order = search.in_order.take();
        let found = found.map(|placed| Placed { in_order, ..placed });
        let (sorted, last_host) = (std::mem::take(&mut search.sorted), search.last_host.take());
        self.keep_sorted(job, sorted);
        self.last_host = last_host.or(self.last_host.take());
        found
    }

    /// Keeps the lists that were sorted in place.
    fn keep_sorted(&mut self, job: usize, sorted: Vec<(ListId, Vec<usize>)>) {
        for (id, list) in sorted {
            let row = &self.jobs[job];
            match (id, row.reservation) {
                (ListId::Set(set), _) => self.sets[set].members = list,
                (ListId::Own, _) if !row.node_set.is_empty() => {}
                (ListId::Own, Some(resv)) => self.resvs[resv].nodes = list,
                (ListId::Own, None) if row.back.is_some() => {}
                (ListId::Own, None) if self.queues[row.queue].has_nodes => self.of_queue[row.queue] = list,
                (ListId::Own, None) => self.unbound = list,
            }
        }
    }
}

/// Tries each set in order and then, if none could ever hold the job, all nodes (rule 5.4).
pub(crate) fn over_sets(
    world: &World,
    search: &mut Search<'_>,
    sets: Option<Vec<usize>>,
    own: &[usize],
    requested: &[(qscope_engine::cluster::ResourceId, f64)],
    tried: &mut Vec<String>,
) -> Result<Placed, No> {
    let Some(sets) = sets else {
        let found = search.on(ListId::Own, own);
        return found
            .map(|allocation| Placed { allocation, in_order: None, set: None })
            .ok_or_else(|| search.reason());
    };
    let ask = search.ask;
    let mut could_fit = false;
    let mut too_small = None;
    for at in sets {
        let set = &world.sets[at];
        if !set.lacks(world, ask, requested, NOW).is_empty() {
            tried.push(format!("too small: {}", set.name));
            search.refuse(No::set_too_small(&set.name));
        } else {
            tried.push(set.name.clone());
            if let Some(allocation) = search.on(ListId::Set(at), own) {
                // The rest of an exclhost job's hosts may be outside the set.
                let inside = allocation.iter().flatten().all(|(node, _)| set.members.contains(node));
                return Ok(Placed { allocation, in_order: None, set: inside.then(|| set.name.clone()) });
            }
        }
        if !could_fit {
            too_small = set.lacks(world, ask, requested, IN_ALL).into_iter().next();
            could_fit = too_small.is_none();
        }
    }
    if could_fit {
        return Err(search.reason());
    }
    if world.snap().scheduler.do_not_span_psets {
        return Err(No::cannot_span());
    }
    search.left_over = too_small.map(|no| No { never: no.code == Code::NoTotalNodes, ..no.erased() });
    let found =
        search.on(ListId::Own, own).map(|allocation| Placed { allocation, in_order: None, set: None });
    found.ok_or_else(|| search.left_over.clone().unwrap_or_else(|| search.reason()))
}

//! The rules to the letter: slow, plain, and independent of the engine that is checked against them.
//!
//! Nothing here is taken from `src/engine/placement`: nodes are rows, bitmaps are lists of booleans, every search
//! starts at the beginning. Implemented are the choice of path, both paths, placement sets, the check against
//! all nodes and what a start changes (rules 2.3–2.5, 3.1–3.9, 4.1–4.7, 5.1–5.4), as observed and without the
//! four bugs, hosts with several vnodes too. Left out are provisioning and everything that happens before a
//! path.

mod buckets;
mod by_host;
mod node_path;
mod sets;
mod world;

use std::collections::BTreeMap;

use qscope::cluster::Snapshot;

use buckets::{Bucket, Placement};
use sets::Set;
use world::{Job, World};

/// A refusal, for good or for now, with the scheduler's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct No {
    pub(crate) never: bool,
    pub(crate) text: String,
}

impl No {
    fn now(text: impl Into<String>) -> Self {
        Self { never: false, text: text.into() }
    }

    fn never(text: impl Into<String>) -> Self {
        Self { never: true, text: text.into() }
    }

    fn comment(&self) -> String {
        format!("{}{}", if self.never { "Can Never Run: " } else { "Not Running: " }, self.text)
    }
}

/// The result for one job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decision {
    /// `bucket` or `node`, if a path was entered.
    pub(crate) path: Option<&'static str>,
    pub(crate) exec_vnode: Option<String>,
    pub(crate) comment: Option<String>,
    /// The sets tried; those whose sums were too small are prefixed with `too small: `.
    pub(crate) tries: Vec<String>,
    /// The set in which the job was placed.
    pub(crate) set: Option<String>,
}

/// Names of the nodes of one bucket: all, free, busy later, busy.
pub(crate) type BucketPicture = [Vec<String>; 4];

/// One set: name, free nodes, cpus left, buckets.
pub(crate) type SetPicture = (String, i64, Option<f64>, Vec<BucketPicture>);

/// Everything that must be equal after every step.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Picture {
    /// The buckets of the complex, in order.
    pub(crate) buckets: Vec<BucketPicture>,
    /// For each pool, its sets in order.
    pub(crate) pools: Vec<Vec<SetPicture>>,
}

/// A cycle in progress.
pub(crate) struct Literal {
    world: World,
    /// Whether the bugs B1–B4 are corrected.
    fixed: bool,
    buckets: Vec<Bucket>,
    /// The index of each node's bucket, as the node remembers it.
    bucket_of: Vec<Option<usize>>,
    sets: Vec<Set>,
    /// For each pool, the sets in the order tried, and whether it is sorted again; the server's pool is
    /// first.
    pools: Vec<(Vec<usize>, bool)>,
    /// The pool of the server, and of each queue that has one.
    pool_of: BTreeMap<Option<String>, usize>,
    /// The set of all nodes that may be used by jobs of a queue with nodes, or by other jobs.
    everything: BTreeMap<Option<String>, usize>,
    /// The sets of hosts, if some host has several vnodes.
    hosts: BTreeMap<String, usize>,
    /// The sets that each node remembers.
    remembered: Vec<Vec<usize>>,
    /// Classes of jobs that have failed, with the reason.
    failed: BTreeMap<String, No>,
}

impl Literal {
    pub(crate) fn new(snap: &Snapshot, fixed: bool) -> Self {
        let world = World::new(snap);
        let (buckets, bucket_of) = buckets::of_complex(&world, fixed);
        let mut cycle = Self {
            fixed,
            buckets,
            bucket_of,
            sets: Vec::new(),
            pools: Vec::new(),
            pool_of: BTreeMap::new(),
            everything: BTreeMap::new(),
            hosts: BTreeMap::new(),
            remembered: vec![Vec::new(); world.nodes.len()],
            failed: BTreeMap::new(),
            world,
        };
        cycle.make_sets(snap);
        cycle.remember();
        cycle
    }

    /// Considers a job, and starts it if possible (rule 6.4 without limits and time windows).
    pub(crate) fn consider(&mut self, job: usize) -> Decision {
        let job = self.world.jobs[job].clone();
        let mut tries = Vec::new();
        let decision = |path, placed: Result<Placement, No>, tries| Decision {
            path,
            set: placed.as_ref().ok().and_then(|placed| placed.set.clone()),
            exec_vnode: placed.as_ref().ok().map(Placement::exec_vnode),
            comment: placed.err().map(|no| no.comment()),
            tries,
        };
        if let Some(no) = self.failed.get(&job.class) {
            return decision(None, Err(no.clone()), tries);
        }
        let all = &self.sets[self.everything[&self.world.nodes_queue(&job)]];
        if let Err(no) = all.quick_check(&self.world, &job) {
            self.failed.insert(job.class.clone(), no.clone());
            return decision(None, Err(no), tries);
        }
        let (path, placed) = if self.world.uses_buckets(&job) {
            ("bucket", self.by_buckets(&job, &mut tries))
        } else {
            ("node", self.by_nodes(&job, &mut tries))
        };
        match &placed {
            Ok(placed) => self.start(&job, placed),
            Err(no) => drop(self.failed.insert(job.class.clone(), no.clone())),
        }
        decision(Some(path), placed, tries)
    }

    /// Returns the current state.
    pub(crate) fn picture(&self) -> Picture {
        let bucket = |bucket: &Bucket| bucket.picture(&self.world);
        let set = |set: &usize| {
            let set = &self.sets[*set];
            (set.name.clone(), set.free_nodes, set.left("ncpus"), set.buckets.iter().map(bucket).collect())
        };
        Picture {
            buckets: self.buckets.iter().map(bucket).collect(),
            pools: self.pools.iter().map(|(order, _)| order.iter().map(set).collect()).collect(),
        }
    }

    // ---- sets

    /// Makes the sets of all nodes first, then the server's pool, then the queues' (rule 5.1).
    fn make_sets(&mut self, snap: &Snapshot) {
        let unbound = self.world.list(None);
        self.everything.insert(None, self.sets.len());
        self.sets.push(Set::everything(&self.world, &unbound));
        let names: Vec<String> = self.world.queues.clone();
        for queue in names.iter().filter(|queue| !self.world.list(Some(queue.as_str())).is_empty()) {
            self.everything.insert(Some(queue.clone()), self.sets.len());
            let set = Set::everything(&self.world, &self.world.list(Some(queue)));
            self.sets.push(set);
        }
        if self.world.multi_vnode {
            let host = |node: &usize| self.world.nodes[*node].host.clone();
            let hosts: Vec<String> = unbound.iter().map(host).collect();
            for (_, host) in hosts.iter().enumerate().filter(|(at, host)| !hosts[..*at].contains(host)) {
                let members = unbound.iter().zip(&hosts).filter(|(_, of)| *of == host);
                let members: Vec<usize> = members.map(|(node, _)| *node).collect();
                self.hosts.insert(host.clone(), self.sets.len());
                self.sets.push(Set::everything(&self.world, &members));
            }
        }
        if !snap.server.node_group_enable {
            return;
        }
        let keys = |keys: &[qscope::cluster::Name]| keys.iter().map(ToString::to_string).collect::<Vec<_>>();
        let server_keys = keys(&snap.server.node_group_key);
        if !server_keys.is_empty() {
            self.make_pool(None, &unbound, &server_keys, true);
        }
        // Where queues are served in turn, they are sorted by priority with a stable sort.
        let mut queues: Vec<_> = snap.queues.iter().collect();
        if snap.policy.by_queue.prime || snap.policy.round_robin.prime {
            queues.sort_by_key(|queue| -queue.priority);
        }
        for queue in queues {
            let own = keys(&queue.node_group_key);
            let nodes = self.world.list(Some(&queue.name));
            if nodes.is_empty() && own.is_empty() {
                continue;
            }
            let list = if nodes.is_empty() { &unbound } else { &nodes };
            let keys = if own.is_empty() { &server_keys } else { &own };
            if !keys.is_empty() {
                self.make_pool(Some(queue.name.to_string()), list, keys, !own.is_empty());
            }
        }
    }

    fn make_pool(&mut self, owner: Option<String>, list: &[usize], keys: &[String], sorted_again: bool) {
        let first = self.sets.len();
        self.sets.extend(sets::by_keys(&self.world, list, keys));
        let order = sets::sorted(&self.sets, (first..self.sets.len()).collect());
        self.pool_of.insert(owner, self.pools.len());
        self.pools.push((order, sorted_again));
    }

    /// Quirk B1: only the last set made for a node is remembered.
    fn remember(&mut self) {
        for (at, set) in self.sets.iter().enumerate() {
            for node in &set.members {
                if !self.fixed {
                    self.remembered[*node].clear();
                }
                self.remembered[*node].push(at);
            }
        }
    }

    /// Returns the sets that a job tries, in order; none if it does not use sets (rules 3.9, 5.1).
    fn sets_for(&self, job: &Job) -> Option<Vec<Set>> {
        if let Some(key) = &job.group {
            let queue = self.world.nodes_queue(job);
            let made =
                sets::by_keys(&self.world, &self.world.list(queue.as_deref()), std::slice::from_ref(key));
            let order = sets::sorted(&made, (0..made.len()).collect());
            return Some(order.into_iter().map(|at| made[at].clone()).collect());
        }
        let pool = self.pool_of.get(&Some(job.queue.clone())).or_else(|| self.pool_of.get(&None))?;
        Some(self.pools[*pool].0.iter().map(|at| self.sets[*at].clone()).collect())
    }

    // ---- the bucket path over sets (rule 3.9)

    fn by_buckets(&self, job: &Job, tries: &mut Vec<String>) -> Result<Placement, No> {
        let in_complex = || buckets::place(&self.world, &self.buckets, job);
        let Some(sets) = self.sets_for(job) else { return in_complex() };
        let mut could_run: Option<No> = None;
        for set in sets {
            tries.push(set.name.clone());
            match buckets::place(&self.world, &set.buckets, job) {
                Ok(placed) => return Ok(Placement { set: Some(set.name), ..placed }),
                Err(no) if no.never => {}
                Err(no) => could_run = could_run.or(Some(no)),
            }
        }
        match could_run {
            Some(no) if self.fixed => Err(no),
            None if self.world.do_not_span => Err(No::never(sets::CANT_SPAN)),
            // It fits no set; or (quirk B2) it fits one that is full and does not wait for it.
            None | Some(_) => in_complex(),
        }
    }

    // ---- the node path over sets (rule 5.4)

    fn by_nodes(&self, job: &Job, tries: &mut Vec<String>) -> Result<Placement, No> {
        let list = self.world.list(self.world.nodes_queue(job).as_deref());
        let kept = self.world.nodes_queue(job).is_none();
        let kept = self.hosts.iter().filter(|_| kept);
        let hosts = kept.map(|(host, at)| (host.clone(), self.sets[*at].clone())).collect();
        let mut search = node_path::Search::new(&self.world, job, hosts, &list);
        let Some(sets) = self.sets_for(job) else {
            return search.on(&list, false).map_err(|()| search.reason());
        };
        let mut could_fit = false;
        let mut too_small = None;
        for set in sets {
            if set.check(&self.world, job, false).is_err() {
                tries.push(format!("too small: {}", set.name));
                search.refuse(format!("Placement set {} has too few free resources", set.name));
            } else {
                tries.push(set.name.clone());
                if let Ok(placed) = search.on(&set.members, true) {
                    return Ok(placed.within(&set));
                }
            }
            too_small = set.check(&self.world, job, true).err();
            could_fit = could_fit || too_small.is_none();
        }
        if could_fit {
            Err(search.reason())
        } else if self.world.do_not_span {
            Err(No::never(sets::CANT_SPAN))
        } else {
            search.span(&list, too_small)
        }
    }

    // ---- a start (rule 3.4)

    fn start(&mut self, job: &Job, placed: &Placement) {
        for (node, amounts) in placed.by_node() {
            // A node that is gone may be part of a whole host: it only counts for its sets (case `w1012`).
            if !self.world.nodes[node].is_gone() {
                self.world.nodes[node].take(job, &amounts);
                if let Some(bucket) = self.bucket_of[node] {
                    self.buckets[bucket].put(node, buckets::BUSY);
                }
            }
            for set in self.remembered[node].clone() {
                self.sets[set].take(&self.world, node, &amounts);
            }
        }
        self.world.plan_end(job, placed);
        for at in 0..self.pools.len() {
            if self.pools[at].1 {
                self.pools[at].0 = sets::sorted(&self.sets, self.pools[at].0.clone());
            }
        }
    }
}

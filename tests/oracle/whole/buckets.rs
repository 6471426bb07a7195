//! Buckets, and placement by buckets (rules 3.2 to 3.8).

use std::collections::{BTreeMap, BTreeSet};

use qscope_engine::cluster::{Arrangement, NodeSortTerm, ResourceId};

use super::compare::{IN_ALL, There, fits};
use super::node_sort::compare_by;
use super::reason::No;
use super::world::{Allocation, Ask, Have, Spec, Want, World};

/// Index of the list that a node is in.
pub(crate) const FREE: usize = 0;
pub(crate) const LATER: usize = 1;
pub(crate) const BUSY: usize = 2;

/// Nodes with the same signature.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    signature: BTreeMap<ResourceId, Have>,
    queue: Option<usize>,
    priority: i64,
    pub(crate) members: Vec<bool>,
    /// The nodes that are free, busy later, and busy.
    pub(crate) lists: [Vec<bool>; 3],
}

impl Bucket {
    pub(crate) fn put(&mut self, node: usize, list: usize) {
        for (at, bits) in self.lists.iter_mut().enumerate() {
            bits[node] = at == list;
        }
    }

    fn total(&self) -> usize {
        self.members.iter().filter(|member| **member).count()
    }

    /// Returns how many chunks one node holds; none if no consumable limits the number (rule 3.5).
    fn holds(&self, world: &World, spec: &Spec) -> Result<Option<usize>, No> {
        let given = &world.given;
        let mut least: Option<usize> = None;
        for want in &spec.wants {
            let id = want.0;
            let named = id == ResourceId::host() || id == ResourceId::vnode();
            if named || !(given.checked.contains(&id) || given.booleans.contains(&id)) {
                continue;
            }
            let there = match self.signature.get(&id) {
                None => There::Unset,
                Some(Have::Amount(total)) => There::Amount(*total, *total),
                Some(Have::Bool(on)) => There::Bool(*on, !*on),
                Some(Have::Texts(texts)) => There::Texts(texts.clone()),
                // Set but without a value, so that it does not count as unlimited (rule M25).
                Some(Have::Away(_)) => There::Valueless,
            };
            if let Some(times) = fits(given, want, there, IN_ALL)? {
                least = Some(least.map_or(times, |least| least.min(times)));
            }
        }
        Ok(least)
    }
}

/// Makes the buckets of a list of nodes, in its order; returns them and the index of each node's bucket
/// (rules 3.2, 3.3).
pub(crate) fn of_list(world: &World, list: &[usize]) -> (Vec<Bucket>, BTreeMap<usize, usize>) {
    let len = world.nodes.len();
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut bucket_of = BTreeMap::new();
    for &at in list {
        let node = &world.nodes[at];
        if node.is_gone() || !node.licensed {
            continue;
        }
        let signature = signature(world, at);
        let found = buckets.iter().position(|bucket| {
            // Quirk D2: only what the bucket has is compared.
            let alike = bucket.signature.iter().all(|(id, value)| same(Some(value), signature.get(id)));
            bucket.queue == node.queue && bucket.priority == node.priority && alike
        });
        let home = found.unwrap_or_else(|| {
            let lists = [vec![false; len], vec![false; len], vec![false; len]];
            let (queue, priority) = (node.queue, node.priority);
            buckets.push(Bucket { signature, queue, priority, members: vec![false; len], lists });
            buckets.len() - 1
        });
        buckets[home].members[at] = true;
        buckets[home].put(at, if node.is_free() { list_by_jobs(world, at) } else { BUSY });
        bucket_of.insert(at, home);
    }
    (buckets, bucket_of)
}

/// Returns the list of a node by its jobs and events, whatever its state.
fn list_by_jobs(world: &World, at: usize) -> usize {
    let node = &world.nodes[at];
    match (node.jobs.is_empty() && node.reservations == 0, node.events.is_empty()) {
        (false, _) => BUSY,
        (true, false) => LATER,
        (true, true) => FREE,
    }
}

/// Moves a node to its list (rule 3.4 U); its state is ignored unless the bug is corrected.
pub(crate) fn refresh(world: &World, buckets: &mut [Bucket], node: usize, by_state: bool) {
    let list = if by_state && !world.nodes[node].is_free() { BUSY } else { list_by_jobs(world, node) };
    for bucket in buckets.iter_mut().filter(|bucket| bucket.members[node]) {
        bucket.put(node, list);
    }
}

/// Returns the checked resources without host and vnode, and every boolean; a missing boolean is False.
fn signature(world: &World, node: usize) -> BTreeMap<ResourceId, Have> {
    let available = &world.nodes[node].available;
    let mut signature = BTreeMap::new();
    for &id in &world.given.checked {
        if id != ResourceId::host() && id != ResourceId::vnode() {
            signature.extend(available.get(&id).map(|have| (id, have.clone())));
        }
    }
    for &id in &world.given.booleans {
        signature.insert(id, available.get(&id).cloned().unwrap_or(Have::Bool(false)));
    }
    signature
}

/// Compares values; texts are compared as sets, whatever their order.
fn same(a: Option<&Have>, b: Option<&Have>) -> bool {
    match (a, b) {
        (Some(Have::Texts(a)), Some(Have::Texts(b))) => {
            a.iter().collect::<BTreeSet<_>>() == b.iter().collect::<BTreeSet<_>>()
        }
        (Some(Have::Away(_)), Some(Have::Away(_))) => true,
        (a, b) => a == b,
    }
}

impl World {
    /// Makes the buckets of all nodes and sorts them; nodes keep the index from before the sort (quirk B3).
    pub(crate) fn make_buckets(&mut self) {
        let (mut buckets, bucket_of) = of_list(self, &self.all);
        let keys = self.node_keys().to_vec();
        let value = |bucket: &Bucket, term: &NodeSortTerm| match term {
            NodeSortTerm::Resource(name, _) => {
                match self.snap().catalogue.id(name).and_then(|id| bucket.signature.get(&id)) {
                    Some(Have::Amount(amount)) => *amount,
                    // An indirect resource is set, but without a value (rule 11.5).
                    Some(Have::Away(_)) => f64::INFINITY,
                    _ => 0.0,
                }
            }
            NodeSortTerm::Priority => bucket.priority as f64,
            NodeSortTerm::LastUsed => 0.0,
        };
        buckets.sort_by(|a, b| compare_by(&keys, |term| (value(a, term), value(b, term))));
        for (node, before) in bucket_of {
            let now = buckets.iter().position(|bucket| bucket.members[node]);
            self.nodes[node].bucket = if self.given.fixed { now } else { Some(before) };
        }
        self.buckets = buckets;
    }
}

/// Maps chunks to buckets and allocates nodes (rules 3.5, 3.7, 3.8).
pub(crate) fn place(
    world: &World,
    buckets: &[Bucket],
    ask: &Ask,
    queue: Option<usize>,
    duration: i64,
) -> Result<Allocation, No> {
    let map = map(world, buckets, ask, queue)?;
    let mut working: Vec<[Vec<bool>; 3]> = buckets.iter().map(|bucket| bucket.lists.clone()).collect();
    let mut taken = vec![vec![false; world.nodes.len()]; ask.specs.len()];
    for (at, spec) in ask.specs.iter().enumerate() {
        let mut needed = spec.count as i64;
        for &(bucket, holds) in &map[at] {
            for list in [LATER, FREE] {
                for node in 0..world.nodes.len() {
                    if needed <= 0 || !working[bucket][list][node] {
                        continue;
                    }
                    let first = world.nodes[node].events.first();
                    if list == LATER && first.is_some_and(|(first, _)| *first < world.now + duration) {
                        continue;
                    }
                    working[bucket][list][node] = false;
                    working[bucket][BUSY][node] = true;
                    taken[at][node] = true;
                    needed -= holds as i64;
                }
            }
        }
        if needed > 0 {
            return Err(No::no_nodes());
        }
    }
    Ok(chunks(world, buckets, ask, &map, &taken))
}

/// Returns for each spec the allocated nodes by index, each with as many chunks as it holds (rule 3.8).
fn chunks(
    world: &World,
    buckets: &[Bucket],
    ask: &Ask,
    map: &[Vec<(usize, usize)>],
    taken: &[Vec<bool>],
) -> Allocation {
    let mut allocation = Allocation::new();
    for (at, spec) in ask.specs.iter().enumerate() {
        let mut left = spec.count;
        for node in (0..world.nodes.len()).filter(|node| taken[at][*node]) {
            let home = map[at].iter().find(|(bucket, _)| buckets[*bucket].members[node]);
            let here = home.map_or(0, |(_, holds)| *holds).min(left);
            let amounts: Vec<_> = consumables(world, spec);
            allocation.extend((0..here).map(|_| vec![(node, amounts.clone())]));
            left -= here;
        }
    }
    allocation
}

/// Returns the consumables of a chunk that are compared.
fn consumables(world: &World, spec: &Spec) -> Vec<(ResourceId, f64)> {
    let amount = |(id, want): &(ResourceId, Want)| match want {
        Want::Amount(amount) if world.given.checked.contains(id) => Some((*id, *amount)),
        _ => None,
    };
    spec.wants.iter().filter_map(amount).collect()
}

/// Returns for each spec the buckets that can hold it, and how many chunks fit on a node (rule 3.5).
fn map(
    world: &World,
    buckets: &[Bucket],
    ask: &Ask,
    queue: Option<usize>,
) -> Result<Vec<Vec<(usize, usize)>>, No> {
    let mut first: Option<No> = None;
    let mut map = Vec::new();
    for spec in &ask.specs {
        let mut row = Vec::new();
        let mut total = 0;
        for (at, bucket) in buckets.iter().enumerate().filter(|(_, bucket)| bucket.queue == queue) {
            match bucket.holds(world, spec) {
                Ok(Some(holds)) if holds > 0 => {
                    let holds = if ask.arrangement == Arrangement::Free { holds } else { 1 };
                    total += bucket.total() * holds;
                    row.push((at, holds));
                }
                // Quirk D5: without any consumable it fits nowhere.
                Ok(_) => {}
                Err(no) => first = first.or(Some(no)),
            }
        }
        if total < spec.count {
            // Quirk D6: there is no reason when everything matched.
            return Err(first.unwrap_or(No::new(super::reason::Code::Empty, "")).never());
        }
        map.push(row);
    }
    Ok(map)
}

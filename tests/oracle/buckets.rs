//! Buckets, and the bucket path (rules 3.2–3.8).

use std::collections::BTreeMap;

use qscope::cluster::{Arrangement, NodeSortTerm};

use super::world::{Amounts, Job, Val, Want, World, compare_by};
use super::{BucketPicture, No};

/// Index of the list that a node is in.
pub(crate) const FREE: usize = 0;
pub(crate) const LATER: usize = 1;
pub(crate) const BUSY: usize = 2;

#[derive(Clone)]
pub(crate) struct Bucket {
    signature: BTreeMap<String, Val>,
    queue: Option<String>,
    priority: i64,
    members: Vec<bool>,
    /// The nodes that are free, busy later, and busy.
    lists: [Vec<bool>; 3],
}

impl Bucket {
    pub(crate) fn put(&mut self, node: usize, list: usize) {
        for (at, bits) in self.lists.iter_mut().enumerate() {
            bits[node] = at == list;
        }
    }

    pub(crate) fn has(&self, node: usize) -> bool {
        self.members[node]
    }

    fn total(&self) -> usize {
        self.members.iter().filter(|member| **member).count()
    }

    pub(crate) fn picture(&self, world: &World) -> BucketPicture {
        let names = |bits: &[bool]| {
            let ones = bits.iter().enumerate().filter(|(_, bit)| **bit);
            ones.map(|(node, _)| world.nodes[node].name.clone()).collect::<Vec<_>>()
        };
        [names(&self.members), names(&self.lists[FREE]), names(&self.lists[LATER]), names(&self.lists[BUSY])]
    }

    /// Returns how many chunks one node holds; none if no consumable limits the number (rules 2.4, 3.5).
    fn holds(&self, world: &World, wants: &[(String, Want)]) -> Result<Option<usize>, String> {
        let mut holds: Option<usize> = None;
        for (name, want) in wants {
            let in_check = world.checked.contains(name) && name != "host" && name != "vnode";
            if !in_check && !world.booleans.contains(name) {
                continue;
            }
            match (want, self.signature.get(name)) {
                (Want::Bool(wanted), have) => {
                    let have = matches!(have, Some(Val::Bool(true)));
                    if have != *wanted {
                        return Err(differs(name, word(*wanted), word(have)));
                    }
                }
                (Want::Text(wanted), have) => {
                    let texts = match have {
                        Some(Val::Texts(texts)) => texts.clone(),
                        _ => vec![String::new()],
                    };
                    if !texts.contains(wanted) {
                        return Err(differs(name, wanted, &texts.join(",")));
                    }
                }
                (Want::Amount(wanted), have) => {
                    let total = if let Some(Val::Amount(total)) = have { Some(*total) } else { None };
                    let left = total.unwrap_or(0.0);
                    if *wanted > 0.0 {
                        if left < *wanted {
                            return Err(short(world, name, *wanted, left, total));
                        }
                        let here = (left / wanted).floor() as usize;
                        holds = Some(holds.map_or(here, |holds| holds.min(here)));
                    }
                }
            }
        }
        Ok(holds)
    }
}

pub(crate) fn word(on: bool) -> &'static str {
    if on { "True" } else { "False" }
}

pub(crate) fn differs(name: &str, wanted: &str, have: &str) -> String {
    format!("Insufficient amount of resource: {name} ({wanted} != {have})")
}

/// Returns the text of a shortage; an unset total is shown as a bare 0.
pub(crate) fn short(world: &World, name: &str, wanted: f64, left: f64, total: Option<f64>) -> String {
    let total = total.map_or("0".to_owned(), |total| world.show(name, total));
    let (wanted, left) = (world.show(name, wanted), world.show(name, left));
    format!("Insufficient amount of resource: {name} (R: {wanted} A: {left} T: {total})")
}

/// Makes the buckets of a list of nodes, in its order; returns them and the index of each node's bucket
/// (rules 3.2, 3.3).
pub(crate) fn of_list(world: &World, list: &[usize]) -> (Vec<Bucket>, Vec<Option<usize>>) {
    let len = world.nodes.len();
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut bucket_of = vec![None; len];
    for &at in list {
        let node = &world.nodes[at];
        if node.is_gone() || !node.licensed {
            continue;
        }
        let queue = node.queue.clone().filter(|queue| world.queues.contains(queue));
        let signature = signature(world, at);
        let found = buckets.iter().position(|bucket| {
            // Quirk D2: only what the bucket has is compared.
            let alike = bucket.signature.iter().all(|(name, value)| same(Some(value), signature.get(name)));
            bucket.queue == queue && bucket.priority == node.priority && alike
        });
        let home = found.unwrap_or_else(|| {
            let lists = [vec![false; len], vec![false; len], vec![false; len]];
            let members = vec![false; len];
            buckets.push(Bucket { signature, queue, priority: node.priority, members, lists });
            buckets.len() - 1
        });
        let idle = node.is_free() && node.jobs == 0 && node.reservations == 0;
        let list = match (idle, node.events.is_empty()) {
            (false, _) => BUSY,
            (true, false) => LATER,
            (true, true) => FREE,
        };
        buckets[home].members[at] = true;
        buckets[home].put(at, list);
        bucket_of[at] = Some(home);
    }
    (buckets, bucket_of)
}

/// Returns the checked resources without host and vnode, and every boolean; a missing boolean is False.
fn signature(world: &World, node: usize) -> BTreeMap<String, Val> {
    let available = &world.nodes[node].available;
    let checked = |name: &&String| {
        world.checked.contains(*name)
            && *name != "host"
            && *name != "vnode"
            && !world.booleans.contains(*name)
    };
    let mut signature: BTreeMap<String, Val> =
        available.keys().filter(checked).map(|name| (name.clone(), available[name].clone())).collect();
    for name in &world.booleans {
        let value = available.get(name).cloned().unwrap_or(Val::Bool(false));
        signature.insert(name.clone(), value);
    }
    signature
}

/// Compares values; texts are compared as sets, whatever their order.
fn same(a: Option<&Val>, b: Option<&Val>) -> bool {
    match (a, b) {
        (Some(Val::Texts(a)), Some(Val::Texts(b))) => {
            let sorted = |texts: &[String]| texts.iter().cloned().collect::<std::collections::BTreeSet<_>>();
            sorted(a) == sorted(b)
        }
        (a, b) => a == b,
    }
}

/// Makes the buckets of all nodes and sorts them; nodes keep the index from before the sort (quirk B3).
pub(crate) fn of_complex(world: &World, fixed: bool) -> (Vec<Bucket>, Vec<Option<usize>>) {
    let all: Vec<usize> = (0..world.nodes.len()).collect();
    let (mut buckets, mut bucket_of) = of_list(world, &all);
    let value = |bucket: &Bucket, term: &NodeSortTerm| match term {
        NodeSortTerm::Resource(name, _) => match bucket.signature.get(&**name) {
            Some(Val::Amount(amount)) => *amount,
            _ => 0.0,
        },
        _ => bucket.priority as f64,
    };
    buckets.sort_by(|a, b| compare_by(&world.sort_keys, |term| (value(a, term), value(b, term))));
    if fixed {
        for (node, home) in bucket_of.iter_mut().enumerate() {
            *home = home.and_then(|_| buckets.iter().position(|bucket| bucket.has(node)));
        }
    }
    (buckets, bucket_of)
}

/// One chunk on a node.
pub(crate) struct Chunk {
    /// Whether it is a further piece of the previous chunk.
    joined: bool,
    node: usize,
    name: String,
    /// For each resource, the amount, and the amount as in exec_vnode.
    amounts: Vec<(String, f64, String)>,
}

/// The nodes of a job.
pub(crate) struct Placement {
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) set: Option<String>,
}

impl Placement {
    pub(crate) fn new(world: &World, chunks: Vec<(usize, &[(String, Want)])>) -> Self {
        let part = |(node, wants): (usize, &[(String, Want)])| {
            let amounts = wants.iter().filter_map(|(name, want)| match want {
                Want::Amount(amount) => Some((name.clone(), *amount, exact(world, name, *amount))),
                _ => None,
            });
            Chunk { joined: false, node, name: world.nodes[node].name.clone(), amounts: amounts.collect() }
        };
        Self { chunks: chunks.into_iter().map(part).collect(), set: None }
    }

    /// Creates a placement of chunks that may be split over several vnodes.
    pub(crate) fn of_groups(world: &World, groups: Vec<super::by_host::Given>) -> Self {
        let mut chunks = Vec::new();
        for group in groups {
            for (at, (node, given)) in group.into_iter().enumerate() {
                let amounts = given.into_iter().map(|(name, amount)| {
                    let text = exact(world, &name, amount);
                    (name, amount, text)
                });
                let name = world.nodes[node].name.clone();
                chunks.push(Chunk { joined: at > 0, node, name, amounts: amounts.collect() });
            }
        }
        Self { chunks, set: None }
    }

    pub(crate) fn exec_vnode(&self) -> String {
        let mut text = String::new();
        for Chunk { joined, name, amounts, .. } in &self.chunks {
            text.push_str(if *joined { "+" } else { ")+(" });
            let amounts = amounts.iter().map(|(name, _, text)| format!(":{name}={text}"));
            text.push_str(&format!("{name}{}", amounts.collect::<String>()));
        }
        format!("{})", text.trim_start_matches(")+"))
    }

    /// Notes the set if the placement is within it as a whole; the rest of an exclhost job's hosts may be
    /// outside.
    pub(crate) fn within(self, set: &super::sets::Set) -> Self {
        let whole = self.chunks.iter().all(|chunk| set.members.contains(&chunk.node));
        Self { set: whole.then(|| set.name.clone()), ..self }
    }

    /// Returns the total that each node gives.
    pub(crate) fn by_node(&self) -> BTreeMap<usize, Amounts> {
        let mut nodes: BTreeMap<usize, Amounts> = BTreeMap::new();
        for Chunk { node, amounts, .. } in &self.chunks {
            let mine = nodes.entry(*node).or_default();
            for (name, amount, _) in amounts {
                *mine.entry(name.clone()).or_default() += amount;
            }
        }
        nodes
    }
}

fn exact(world: &World, name: &str, amount: f64) -> String {
    let size = world.kinds[name] == qscope::cluster::ResourceType::Size;
    if size { format!("{amount}kb") } else { format!("{amount}") }
}

/// Maps chunks to buckets and allocates nodes (rules 3.5, 3.7, 3.8).
pub(crate) fn place(world: &World, buckets: &[Bucket], job: &Job) -> Result<Placement, No> {
    let map = map(world, buckets, job)?;
    let mut working: Vec<[Vec<bool>; 3]> = buckets.iter().map(|bucket| bucket.lists.clone()).collect();
    let mut taken = vec![vec![false; world.nodes.len()]; job.specs.len()];
    for (at, spec) in job.specs.iter().enumerate() {
        let mut needed = spec.count as i64;
        for &(bucket, holds) in &map[at] {
            for list in [LATER, FREE] {
                for node in 0..world.nodes.len() {
                    if needed <= 0 || !working[bucket][list][node] {
                        continue;
                    }
                    let first = world.nodes[node].events.first();
                    if list == LATER && first.is_some_and(|first| *first < world.now + job.duration) {
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
            return Err(No::now("No available resources on nodes"));
        }
    }
    let mut chunks = Vec::new();
    for (at, spec) in job.specs.iter().enumerate() {
        let mut left = spec.count;
        for node in (0..world.nodes.len()).filter(|node| taken[at][*node]) {
            let home = map[at].iter().find(|(bucket, _)| buckets[*bucket].has(node));
            let here = home.map_or(0, |(_, holds)| *holds).min(left);
            chunks.extend((0..here).map(|_| (node, spec.wants.as_slice())));
            left -= here;
        }
    }
    Ok(Placement::new(world, chunks))
}

/// Returns for each spec the buckets that can hold it, and how many chunks fit on a node (rule 3.5).
fn map(world: &World, buckets: &[Bucket], job: &Job) -> Result<Vec<Vec<(usize, usize)>>, No> {
    let queue = world.nodes_queue(job);
    let mut first: Option<String> = None;
    let mut map = Vec::new();
    for spec in &job.specs {
        let mut row = Vec::new();
        let mut total = 0;
        for (at, bucket) in buckets.iter().enumerate().filter(|(_, bucket)| bucket.queue == queue) {
            match bucket.holds(world, &spec.wants) {
                Ok(Some(holds)) => {
                    let holds = if job.arrangement == Arrangement::Free { holds } else { 1 };
                    total += bucket.total() * holds;
                    row.push((at, holds));
                }
                // Quirk D5: without any consumable it fits nowhere.
                Ok(None) => {}
                Err(text) => first = first.or(Some(text)),
            }
        }
        if total < spec.count {
            // Quirk D6: there is no reason when everything matched.
            return Err(No::never(first.unwrap_or_default()));
        }
        map.push(row);
    }
    Ok(map)
}

//! Node buckets: nodes alike, in four bitmaps (rules 3.2–3.4).

pub(in crate::universe) mod counted_set;
pub(in crate::universe) mod of_complex;
pub(in crate::universe) mod order;

use crate::cluster::{Column, Id, QueueId};

use super::{Bit, BitSet, CountedSet, Plan, Quirk, SigId};

crate::id!(
    /// One bucket of the whole complex, in the order in which the scheduler tries them.
    BucketIx
);

/// Which of the three bitmaps of a bucket a node is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Availability {
    /// Free, and nothing planned on it.
    Free,
    /// Free now, with something planned on it.
    Later,
    /// Not to be had.
    Busy,
    /// In none, which happens to nodes of other buckets only (quirk B3).
    Out,
}

impl Availability {
    /// Whether a job could have the node now.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Free | Self::Later)
    }
}

/// How many nodes the scheduler counts to be in each bitmap. It miscounts when a shared job starts on
/// a busy node (rule 3.4); only its log lines use these numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub free: i32,
    /// Busy later.
    pub later: i32,
    pub busy: i32,
}

/// Nodes that are alike, in bitmaps over the ids `I`: all nodes of the complex, or those of one set.
#[derive(Clone, Debug)]
pub struct Bucket<I> {
    /// What they have in common.
    pub sig: SigId,
    /// The queue that owns them.
    pub queue: Option<QueueId>,
    /// Their priority.
    pub priority: i64,
    /// All nodes of the bucket.
    pub members: BitSet<I>,
    /// Free, and nothing planned on it.
    pub free: CountedSet<I>,
    /// Free now, with something planned on it.
    pub later: CountedSet<I>,
    /// Not to be had.
    pub busy: CountedSet<I>,
    /// How many nodes are in the bucket.
    pub total: u32,
    /// What the scheduler counts the bitmaps hold.
    pub counts: Counts,
}

/// The bitmaps of a bucket as words, to look many nodes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketWords<'a> {
    free: &'a [u64],
    later: &'a [u64],
    busy: &'a [u64],
}

impl BucketWords<'_> {
    /// Where a node is.
    #[inline]
    pub fn availability<I: Id>(&self, id: I) -> Availability {
        let (at, bit) = (id.ix() / 64, id.ix() % 64);
        let has = |words: &[u64]| words.get(at).is_some_and(|word| word >> bit & 1 == 1);
        if has(self.free) {
            Availability::Free
        } else if has(self.later) {
            Availability::Later
        } else if has(self.busy) {
            Availability::Busy
        } else {
            Availability::Out
        }
    }
}

impl<I: Id> Bucket<I> {
    pub fn bitmaps(&self) -> BucketWords<'_> {
        BucketWords { free: self.free.words(), later: self.later.words(), busy: self.busy.words() }
    }

    /// All its nodes, ascending, and where each is.
    pub fn placed(&self) -> impl Iterator<Item = (I, Availability)> + '_ {
        let bitmaps = self.bitmaps();
        self.members.iter().map(move |id| (id, bitmaps.availability(id)))
    }

    /// Where a node is.
    pub fn availability(&self, id: I) -> Availability {
        self.bitmaps().availability(id)
    }

    /// Moves a node; where it was.
    pub fn put(&mut self, id: I, availability: Availability) -> Availability {
        let was = self.availability(id);
        self.free.put(id, availability == Availability::Free);
        self.later.put(id, availability == Availability::Later);
        self.busy.put(id, availability == Availability::Busy);
        was
    }

    /// Moves a node and counts it.
    pub(in crate::universe) fn move_counted(&mut self, id: I, availability: Availability) {
        let was = self.put(id, availability);
        self.counts.add(was, -1);
        self.counts.add(availability, 1);
    }

    /// Takes a node in.
    pub(in crate::universe) fn enter(&mut self, id: I, availability: Availability) {
        self.members.insert(id);
        self.put(id, availability);
        self.total += 1;
        self.counts.add(availability, 1);
    }

    /// Lets a node of it go.
    pub(in crate::universe) fn leave(&mut self, id: I) {
        let was = self.put(id, Availability::Out);
        self.counts.add(was, -1);
        self.members.remove(id);
        self.total = self.total.saturating_sub(1);
    }

    /// The same bucket over other ids of its nodes, `capacity` of them in all: a set's bucket over the nodes of the
    /// complex.
    pub fn over<J: Id>(&self, capacity: usize, id: impl Fn(I) -> J) -> Bucket<J> {
        let counted = |set: &CountedSet<I>| CountedSet::of(capacity, set.iter().map(&id));
        Bucket {
            sig: self.sig,
            queue: self.queue,
            priority: self.priority,
            members: BitSet::of(capacity, self.members.iter().map(&id)),
            free: counted(&self.free),
            later: counted(&self.later),
            busy: counted(&self.busy),
            total: self.total,
            counts: self.counts,
        }
    }

    /// How many nodes a job could take at most, by the bitmaps.
    pub fn open(&self) -> usize {
        self.free.count() + self.later.count()
    }

    /// Its name (rule 3.3).
    pub fn name(&self, plan: &Plan) -> String {
        bucket_name(plan, self.sig, self.priority, self.queue)
    }
}

/// The name of the bucket of a signature, priority and queue (rule 3.3).
pub fn bucket_name(plan: &Plan, sig: SigId, priority: i64, queue: Option<QueueId>) -> String {
    let mut name = plan.signatures[sig].show(&plan.snap.catalogue);
    if priority != 0 {
        name.push_str(&format!(":priority={priority}"));
    }
    if let Some(queue) = queue {
        name.push_str(&format!(":queue={}", plan.snap.queues[queue].name));
    }
    name
}

impl Counts {
    /// Adds `by` to the count of a pocket.
    pub fn add(&mut self, availability: Availability, by: i32) {
        match availability {
            Availability::Free => self.free += by,
            Availability::Later => self.later += by,
            Availability::Busy => self.busy += by,
            Availability::Out => {}
        }
    }
}

/// What the nodes of a bucket have in common: that of the first one put there.
pub(in crate::universe) type BucketKey = (SigId, Option<QueueId>, i64);

/// More kinds of nodes than this, and looking through them all would take longer than a table.
const FEW_KINDS: usize = 16;

crate::id!(
    /// One bucket by its place among those made together, before they are sorted.
    #[expect(unreachable_pub, reason = "all ids are declared so")]
    MadeIx
);

/// Finds the buckets of nodes in node order; `put` receives the bucket of each node.
pub(in crate::universe) fn sort_into(
    plan: &Plan,
    nodes: impl Iterator<Item = Bit>,
    mut put: impl FnMut(MadeIx),
) -> Column<MadeIx, BucketKey> {
    let mut keys: Column<MadeIx, BucketKey> = Column::new();
    let mut homes: Vec<(BucketKey, MadeIx)> = Vec::new();
    let mut known: rustc_hash::FxHashMap<BucketKey, MadeIx> = rustc_hash::FxHashMap::default();
    for bit in nodes {
        let node = &plan.nodes[bit];
        let key = (node.bucket_sig, node.queue, node.priority);
        let home = if homes.len() <= FEW_KINDS {
            homes.iter().find(|(have, _)| *have == key).map(|(_, at)| *at)
        } else {
            known.get(&key).copied()
        };
        let at = home.unwrap_or_else(|| {
            let found = keys.enumerate().find(|(_, bucket)| joins(plan, **bucket, key)).map(|(at, _)| at);
            let at = found.unwrap_or_else(|| keys.push(key));
            homes.push((key, at));
            if homes.len() == FEW_KINDS + 1 {
                known = homes.iter().copied().collect();
            } else if homes.len() > FEW_KINDS {
                known.insert(key, at);
            }
            at
        });
        put(at);
    }
    keys
}

/// Buckets that were made together, and to which each node went.
pub(crate) type MadeBuckets<I> = (Column<MadeIx, Bucket<I>>, Vec<(I, MadeIx)>);

/// Sorts nodes into buckets in node order. `nodes` are the local id, the node, and its first pocket.
pub(crate) fn make_buckets<I: Id>(
    plan: &Plan,
    len: usize,
    nodes: impl Iterator<Item = (I, Bit, Availability)>,
) -> MadeBuckets<I> {
    let nodes: Vec<(I, Bit, Availability)> = nodes.collect();
    let mut places = Vec::with_capacity(nodes.len());
    let keys = sort_into(plan, nodes.iter().map(|(_, bit, _)| *bit), |at| places.push(at));
    let mut buckets: Column<MadeIx, Bucket<I>> = keys.into_iter().map(|key| empty_bucket(len, key)).collect();
    let mut homes = Vec::with_capacity(nodes.len());
    for ((local, _, availability), at) in nodes.into_iter().zip(places) {
        buckets[at].enter(local, availability);
        homes.push((local, at));
    }
    (buckets, homes)
}

/// Whether a node of this signature, queue and priority belongs to a bucket (rule 3.2, quirk D2).
fn joins(plan: &Plan, bucket: BucketKey, (sig, queue, priority): BucketKey) -> bool {
    if (bucket.1, bucket.2) != (queue, priority) {
        return false;
    }
    let (mine, theirs) = (&plan.signatures[bucket.0], &plan.signatures[sig]);
    bucket.0 == sig || (plan.has(Quirk::OneSidedMatch) && mine.is_within(theirs))
}

fn empty_bucket<I: Id>(len: usize, (sig, queue, priority): BucketKey) -> Bucket<I> {
    let empty = || CountedSet::new(len);
    Bucket {
        sig,
        queue,
        priority,
        members: BitSet::new(len),
        free: empty(),
        later: empty(),
        busy: empty(),
        total: 0,
        counts: Counts::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_where_it_was_put_last_and_nowhere_else() {
        use Availability as A;
        let key = (SigId::at(0), None, 0);
        let mut bucket: Bucket<Bit> = empty_bucket(200, key);
        (0..200).step_by(3).for_each(|at| bucket.enter(Bit::at(at), A::Busy));
        let moves =
            [(0, A::Free), (66, A::Later), (0, A::Later), (198, A::Out), (66, A::Free), (198, A::Busy)];
        for (at, to) in moves {
            let (bit, was) = (Bit::at(at), bucket.availability(Bit::at(at)));
            assert_eq!(bucket.put(bit, to), was);
            let holders = [&bucket.free, &bucket.later, &bucket.busy].map(|bitmap| bitmap.contains(bit));
            assert_eq!(holders, [A::Free, A::Later, A::Busy].map(|one| one == to));
            assert!(bucket.placed().eq(bucket.members.iter().map(|bit| (bit, bucket.availability(bit)))));
        }
    }
}

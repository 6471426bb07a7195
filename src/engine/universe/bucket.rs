//! Node buckets: nodes with equal signature, queue and priority, kept as bitmaps (rules 3.2–3.4).

pub(in crate::universe) mod counted_set;
pub(in crate::universe) mod make;
pub(in crate::universe) mod of_complex;
pub(in crate::universe) mod order;

use crate::cluster::{Id, QueueId};

use super::{BitSet, CountedSet, Plan, PlanNode, SigId};

crate::id!(
    /// Index of a bucket of the whole complex, in the order in which the scheduler tries buckets.
    BucketIx
);

/// The bitmap of a bucket that holds a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Availability {
    /// Free, with nothing planned on it.
    Free,
    /// Free now, with something planned on it.
    Later,
    /// Not available.
    Busy,
    /// In no bitmap; this happens only to nodes of other buckets (quirk B3).
    Out,
}

impl Availability {
    /// Whether a job could use the node now.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Free | Self::Later)
    }
}

/// Number of nodes per bitmap as the scheduler counts them. It miscounts when a shared job starts on a busy node
/// (rule 3.4); only its log lines use these numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BucketCounts {
    pub free: i32,
    /// Free now, planned later.
    pub later: i32,
    pub busy: i32,
}

/// Nodes that are alike, as bitmaps over ids `I`: all nodes of the complex, or those of one placement set.
#[derive(Clone, Debug)]
pub struct Bucket<I> {
    /// Signature of the nodes.
    pub sig: SigId,
    /// Queue that the nodes are bound to.
    pub queue: Option<QueueId>,
    /// `Priority` of the nodes.
    pub priority: i64,
    /// All nodes of the bucket.
    pub members: BitSet<I>,
    /// Nodes that are free with nothing planned on them.
    pub free: CountedSet<I>,
    /// Nodes that are free now with something planned on them.
    pub later: CountedSet<I>,
    /// Nodes that are not available.
    pub busy: CountedSet<I>,
    /// Number of nodes in the bucket.
    pub total: u32,
    /// Sizes of the bitmaps as the scheduler counts them.
    pub counts: BucketCounts,
}

/// The bitmaps of a bucket as words, for lookups of many nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketWords<'a> {
    free: &'a [u64],
    busy_later: &'a [u64],
    busy: &'a [u64],
}

impl BucketWords<'_> {
    /// Returns the bitmap that holds a node.
    #[inline]
    pub fn availability<I: Id>(&self, id: I) -> Availability {
        let (at, bit) = (id.ix() / 64, id.ix() % 64);
        let has = |words: &[u64]| words.get(at).is_some_and(|word| word >> bit & 1 == 1);
        if has(self.free) {
            Availability::Free
        } else if has(self.busy_later) {
            Availability::Later
        } else if has(self.busy) {
            Availability::Busy
        } else {
            Availability::Out
        }
    }
}

impl<I> Bucket<I> {
    /// Returns what the nodes of the bucket have in common.
    pub fn key(&self) -> BucketKey {
        BucketKey { sig: self.sig, queue: self.queue, priority: self.priority }
    }
}

impl<I: Id> Bucket<I> {
    /// Returns a bucket without nodes, with room for ids below `len`.
    fn empty(len: usize, key: BucketKey) -> Self {
        let BucketKey { sig, queue, priority } = key;
        let empty = || CountedSet::new(len);
        Self {
            sig,
            queue,
            priority,
            members: BitSet::new(len),
            free: empty(),
            later: empty(),
            busy: empty(),
            total: 0,
            counts: BucketCounts::default(),
        }
    }

    pub fn bitmaps(&self) -> BucketWords<'_> {
        BucketWords { free: self.free.words(), busy_later: self.later.words(), busy: self.busy.words() }
    }

    /// Returns all nodes of the bucket in ascending order, each with its bitmap.
    pub fn placed(&self) -> impl Iterator<Item = (I, Availability)> + '_ {
        let bitmaps = self.bitmaps();
        self.members.iter().map(move |id| (id, bitmaps.availability(id)))
    }

    /// Returns the bitmap that holds a node.
    pub fn availability(&self, id: I) -> Availability {
        self.bitmaps().availability(id)
    }

    /// Moves a node to another bitmap and returns the one it was in.
    pub fn put(&mut self, id: I, availability: Availability) -> Availability {
        let was = self.availability(id);
        if was != availability {
            self.put_in_bitmap(was, id, false);
            self.put_in_bitmap(availability, id, true);
        }
        was
    }

    /// Adds a node to a bitmap or removes it.
    fn put_in_bitmap(&mut self, of: Availability, id: I, present: bool) {
        match of {
            Availability::Free => self.free.put(id, present),
            Availability::Later => self.later.put(id, present),
            Availability::Busy => self.busy.put(id, present),
            Availability::Out => {}
        }
    }

    /// Moves a node and updates the counts.
    pub(in crate::universe) fn move_counted(&mut self, id: I, availability: Availability) {
        let was = self.put(id, availability);
        self.counts.add(was, -1);
        self.counts.add(availability, 1);
    }

    /// Adds a node that is in none of the bitmaps.
    pub(in crate::universe) fn enter(&mut self, id: I, availability: Availability) {
        self.members.insert(id);
        self.put_in_bitmap(availability, id, true);
        self.total += 1;
        self.counts.add(availability, 1);
    }

    /// Removes a node from the bucket.
    pub(in crate::universe) fn leave(&mut self, id: I) {
        let was = self.put(id, Availability::Out);
        self.counts.add(was, -1);
        self.members.remove(id);
        self.total = self.total.saturating_sub(1);
    }

    /// Returns the same bucket over other ids of its nodes, with room for `capacity` ids; for example, a set's bucket
    /// over the nodes of the complex.
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

    /// Returns the number of open nodes (free or later) according to the bitmaps.
    pub fn open(&self) -> usize {
        self.free.count() + self.later.count()
    }

    /// Returns the bucket's name (rule 3.3).
    pub fn name(&self, plan: &Plan) -> String {
        self.key().name(plan)
    }
}

impl BucketCounts {
    /// Adds `by` to the count of one bitmap.
    pub fn add(&mut self, availability: Availability, by: i32) {
        match availability {
            Availability::Free => self.free += by,
            Availability::Later => self.later += by,
            Availability::Busy => self.busy += by,
            Availability::Out => {}
        }
    }
}

/// What the nodes of a bucket have in common, taken from the first node put there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BucketKey {
    /// Signature of the nodes.
    pub sig: SigId,
    /// Queue that the nodes are bound to.
    pub queue: Option<QueueId>,
    /// `Priority` of the nodes.
    pub priority: i64,
}

impl BucketKey {
    /// Returns the key that decides the bucket of a node.
    pub(in crate::universe) fn of(node: &PlanNode) -> Self {
        Self { sig: node.bucket_sig, queue: node.queue, priority: node.priority }
    }

    /// Returns the name of the bucket (rule 3.3).
    pub fn name(self, plan: &Plan) -> String {
        let mut name = plan.signatures[self.sig].show(&plan.snap.catalogue);
        if self.priority != 0 {
            name.push_str(&format!(":priority={}", self.priority));
        }
        if let Some(queue) = self.queue {
            name.push_str(&format!(":queue={}", plan.snap.queues[queue].name));
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::universe::Bit;

    #[test]
    fn a_node_is_where_it_was_put_last_and_nowhere_else() {
        use Availability as A;
        let key = BucketKey { sig: SigId::at(0), queue: None, priority: 0 };
        let mut bucket: Bucket<Bit> = Bucket::empty(200, key);
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

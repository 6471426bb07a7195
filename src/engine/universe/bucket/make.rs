//! Sorting of nodes into buckets, in node order (rule 3.2).

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id};
use crate::universe::bucket::{Availability, Bucket, BucketKey};
use crate::universe::{Bit, Plan, Quirk};

/// Number of distinct keys up to which a linear search is faster than a hash table.
const FEW_KINDS: usize = 16;

crate::id!(
    /// Index of a bucket in the order of creation, before buckets are sorted.
    #[expect(unreachable_pub, reason = "all ids are declared so")]
    MadeIx
);

/// Finds the bucket of each node, in node order, and passes it to `put`; returns the buckets' keys.
pub(in crate::universe) fn sort_into(
    plan: &Plan,
    nodes: impl Iterator<Item = Bit>,
    mut put: impl FnMut(MadeIx),
) -> Column<MadeIx, BucketKey> {
    let mut keys: Column<MadeIx, BucketKey> = Column::new();
    let mut homes: Vec<(BucketKey, MadeIx)> = Vec::new();
    let mut known: FxHashMap<BucketKey, MadeIx> = FxHashMap::default();
    for bit in nodes {
        let key = BucketKey::of(&plan.nodes[bit]);
        let home = if homes.len() <= FEW_KINDS {
            homes.iter().find(|(have, _)| *have == key).map(|(_, at)| *at)
        } else {
            known.get(&key).copied()
        };
        let at = home.unwrap_or_else(|| {
            let found =
                keys.enumerate().find(|(_, bucket)| belongs_to(plan, **bucket, key)).map(|(at, _)| at);
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

/// Buckets in the order of creation, and the bucket of each node.
pub(crate) type CreatedBuckets<I> = (Column<MadeIx, Bucket<I>>, Vec<(I, MadeIx)>);

/// Sorts nodes into buckets in node order. Each item of `nodes` is the local id, the node, and its first bitmap.
pub(crate) fn make_buckets<I: Id>(
    plan: &Plan,
    len: usize,
    nodes: impl Iterator<Item = (I, Bit, Availability)>,
) -> CreatedBuckets<I> {
    let nodes: Vec<(I, Bit, Availability)> = nodes.collect();
    let mut places = Vec::with_capacity(nodes.len());
    let keys = sort_into(plan, nodes.iter().map(|(_, bit, _)| *bit), |at| places.push(at));
    let mut buckets: Column<MadeIx, Bucket<I>> =
        keys.into_iter().map(|key| Bucket::empty(len, key)).collect();
    let mut homes = Vec::with_capacity(nodes.len());
    for ((local, _, availability), at) in nodes.into_iter().zip(places) {
        buckets[at].enter(local, availability);
        homes.push((local, at));
    }
    (buckets, homes)
}

/// Whether a node belongs to a bucket (rule 3.2, quirk D2).
fn belongs_to(plan: &Plan, bucket: BucketKey, node: BucketKey) -> bool {
    if (bucket.queue, bucket.priority) != (node.queue, node.priority) {
        return false;
    }
    let (mine, theirs) = (&plan.signatures[bucket.sig], &plan.signatures[node.sig]);
    bucket.sig == node.sig || (plan.has(Quirk::OneSidedMatch) && mine.is_within(theirs))
}

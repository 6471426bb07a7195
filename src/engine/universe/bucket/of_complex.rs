//! The sorted buckets of the complex (rule 3.3) and the bucket that each node refers to, built from scratch or
//! updated after some nodes changed.

use std::sync::Arc;

use crate::cluster::{Column, Id};

use crate::universe::bucket::make::{MadeIx, make_buckets};
use crate::universe::bucket::order::key_values;
use crate::universe::bucket::{Bucket, BucketIx, BucketKey};
use crate::universe::{Bit, Quirk, SetBuilder, compare_keys, merge_sort};

/// The buckets at the start of a cycle.
#[derive(Clone, Debug)]
pub(in crate::universe) struct ComplexBuckets {
    /// The buckets in the order in which they are tried.
    pub(in crate::universe) buckets: Column<BucketIx, Bucket<Bit>>,
    /// The bucket that each node refers to; `None` for nodes without one.
    pub(in crate::universe) bucket_of: Arc<Column<Bit, Option<BucketIx>>>,
}

impl ComplexBuckets {
    /// Builds the buckets from scratch.
    pub(in crate::universe) fn of(builder: &SetBuilder<'_>) -> Self {
        let plan = builder.plan;
        let usable = plan.nodes.ids().filter(|bit| builder.has_bucket(*bit));
        let (made, homes) =
            make_buckets(plan, plan.nodes.len(), usable.map(|bit| (bit, bit, builder.availability(bit))));
        let keys = plan.snap.policy.node_sort_key.get(plan.period);
        let values: Vec<Vec<f64>> = made.iter().map(|bucket| key_values(plan, bucket, keys)).collect();
        let mut order: Vec<(MadeIx, Vec<f64>)> = made.ids().zip(values).collect();
        merge_sort(&mut order, &mut |a, b| compare_keys(keys, &a.1, &b.1));
        let mut sorted_at = Column::filled(made.len(), BucketIx::at(0));
        for (at, (was, _)) in order.iter().enumerate() {
            sorted_at[*was] = BucketIx::at(at);
        }
        let stale = plan.has(Quirk::StaleBucketIndex);
        let mut bucket_of = Column::filled(plan.nodes.len(), None);
        for (bit, at) in homes {
            bucket_of[bit] = Some(if stale { BucketIx::at(at.ix()) } else { sorted_at[at] });
        }
        let mut made: Column<MadeIx, Option<Bucket<Bit>>> = made.into_iter().map(Some).collect();
        let buckets = order.iter().filter_map(|(was, _)| made[*was].take()).collect();
        Self { buckets, bucket_of: bucket_of.into() }
    }

    /// Returns the buckets after the nodes `changed` changed; the nodes `crossed` entered or left a bucket.
    pub(in crate::universe) fn after(
        &self,
        builder: &SetBuilder<'_>,
        changed: &[Bit],
        crossed: &[Bit],
    ) -> Self {
        let mut after = self.clone();
        let is_done = crossed.iter().all(|bit| after.cross(builder, *bit));
        if !is_done {
            return Self::of(builder);
        }
        for bit in changed.iter().copied().filter(|bit| builder.has_bucket(*bit)) {
            if let Some(bucket) = after.buckets.iter_mut().find(|bucket| bucket.members.contains(bit)) {
                bucket.move_counted(bit, builder.availability(bit));
            }
        }
        after
    }

    /// Adds a node to its bucket or removes it. Returns whether the result equals buckets built from scratch: each
    /// bucket is created for its first node, so another first node may change which buckets exist and how they are
    /// numbered.
    fn cross(&mut self, builder: &SetBuilder<'_>, bit: Bit) -> bool {
        let plan = builder.plan;
        if plan.joins_unlike {
            return false;
        }
        let key = BucketKey::of(&plan.nodes[bit]);
        let is_home = |bucket: &&mut Bucket<Bit>| bucket.key() == key;
        let Some(bucket) = self.buckets.iter_mut().find(is_home) else { return false };
        let Some(first) = bucket.members.first().filter(|first| *first < bit) else { return false };
        let home = self.bucket_of[first];
        let is_in = builder.has_bucket(bit);
        if is_in {
            bucket.enter(bit, builder.availability(bit));
        } else {
            bucket.leave(bit);
        }
        Arc::make_mut(&mut self.bucket_of)[bit] = home.filter(|_| is_in);
        true
    }
}

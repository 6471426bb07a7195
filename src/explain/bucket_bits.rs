//! The bitmaps of buckets around a step: the availability of every node before and after it.

use qscope_engine::cluster::Column;
use qscope_engine::universe::{Availability, Bit, Bucket, BucketIx, BucketWords, State};

/// A bucket before and after a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BucketBits {
    pub name: String,
    /// Its nodes, in the order of its bitmaps.
    pub bits: Vec<BitMove>,
}

/// A node of a bucket before and after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitMove {
    pub bit: Bit,
    /// Its bitmap before the step; `None` in a bucket that the step created.
    pub before: Option<Availability>,
    pub after: Availability,
}

impl BitMove {
    /// Whether the step changed its bitmap.
    pub fn moved(self) -> bool {
        self.before != Some(self.after)
    }
}

impl BucketBits {
    /// Creates a bucket in which no bit has moved.
    pub fn without_moves(name: String, bucket: &Bucket<Bit>) -> Self {
        let one = |(bit, now)| BitMove { bit, before: Some(now), after: now };
        Self::with(name, bucket, one)
    }

    /// Creates a bucket with the change of each of its nodes.
    fn with(name: String, bucket: &Bucket<Bit>, moved: impl FnMut((Bit, Availability)) -> BitMove) -> Self {
        let mut bits = Vec::with_capacity(bucket.members.count());
        bits.extend(bucket.placed().map(moved));
        Self { name, bits }
    }

    /// Number of nodes in a bitmap before the step.
    pub fn before(&self, at: Availability) -> usize {
        self.bits.iter().filter(|one| one.before == Some(at)).count()
    }

    /// Number of nodes in a bitmap after the step.
    pub fn after(&self, at: Availability) -> usize {
        self.bits.iter().filter(|one| one.after == at).count()
    }

    /// Number of nodes that the step moved from one bitmap to another.
    pub fn moved(&self) -> usize {
        self.bits.iter().filter(|one| one.moved()).count()
    }
}

/// Returns all buckets around a step, in the order tried after it. Without a state after the step, nothing has moved.
pub fn bucket_bits(before: &State, after: Option<&State>) -> Vec<BucketBits> {
    let now = after.unwrap_or(before);
    let bitmaps: Column<BucketIx, BucketWords<'_>> = before.buckets.iter().map(Bucket::bitmaps).collect();
    // A step moves bits in few buckets.
    let is_as_before = |bucket: &Bucket<Bit>| {
        let old = bucket.members.iter().next().and_then(|bit| before.buckets.checked(before.bucket_of[bit]?));
        old.is_some_and(|old| old.members == bucket.members && old.bitmaps() == bucket.bitmaps())
    };
    let of_bucket = |bucket: &Bucket<Bit>| {
        let name = bucket.name(&now.plan);
        if after.is_none() || is_as_before(bucket) {
            return BucketBits::without_moves(name, bucket);
        }
        let moved = |(bit, after): (Bit, Availability)| {
            let old = before.bucket_of[bit].and_then(|at| bitmaps.checked(at));
            BitMove { bit, before: old.map(|old| old.availability(bit)), after }
        };
        BucketBits::with(name, bucket, moved)
    };
    now.buckets.iter().map(of_bucket).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Id;

    #[test]
    fn counts_are_of_the_bitmaps_before_and_after() {
        use Availability as A;
        let one = |at, before, after| BitMove { bit: Bit::at(at), before, after };
        let bits = vec![
            one(0, Some(A::Busy), A::Busy),
            one(1, Some(A::Later), A::Busy),
            one(2, Some(A::Free), A::Free),
            one(3, None, A::Free),
        ];
        let bucket = BucketBits { name: "b".to_owned(), bits };
        assert_eq!([A::Free, A::Later, A::Busy].map(|at| bucket.before(at)), [1, 1, 1]);
        assert_eq!([A::Free, A::Later, A::Busy].map(|at| bucket.after(at)), [2, 0, 2]);
        assert_eq!(bucket.moved(), 2);
    }
}

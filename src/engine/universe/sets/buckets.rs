//! The buckets of a placement set, created when first read: a pool may have a hundred thousand sets, most of which no
//! job examines (rules 3.3, 3.9).

use std::sync::{Arc, OnceLock};

use crate::cluster::{Column, Id};

use crate::universe::bucket::make::{MadeIx, make_buckets, sort_into};
use crate::universe::bucket::{Availability, Bucket};
use crate::universe::{Bit, Plan, Slot};

/// Bitmap of every node of a list when its sets are created; `None` for nodes that are in no bucket.
pub(in crate::universe) type Availabilities = Column<Bit, Option<Availability>>;

/// The buckets of one set.
#[derive(Clone)]
pub(in crate::universe) struct SetBuckets {
    /// Bitmaps of the nodes when the set was created; `None` if the set has no buckets.
    start: Option<Arc<Availabilities>>,
    /// Current bitmaps of the members, once one of them has moved.
    moved_members: Option<Column<Slot, Option<Availability>>>,
    count: u16,
    /// The buckets as bitmaps, once a job has examined them.
    bitmaps: OnceLock<Box<BucketBitmaps>>,
}

#[derive(Clone, Debug, Default)]
struct BucketBitmaps {
    buckets: Column<MadeIx, Bucket<Slot>>,
    bucket_of: Column<Slot, Option<u16>>,
}

impl std::fmt::Debug for SetBuckets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bitmaps.get().fmt(f)
    }
}

impl SetBuckets {
    /// Returns no buckets.
    pub(in crate::universe) fn none() -> Self {
        Self { start: None, moved_members: None, count: 0, bitmaps: OnceLock::new() }
    }

    /// Returns the buckets of these nodes.
    pub(in crate::universe) fn of(plan: &Plan, members: &[Bit], start: Arc<Availabilities>) -> Self {
        let inside = members.iter().copied().filter(|bit| start[*bit].is_some());
        let count = sort_into(plan, inside, |_| {}).len();
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        Self { start: Some(start), moved_members: None, count, bitmaps: OnceLock::new() }
    }

    /// Returns the bitmaps of the list's nodes when the set was created; `None` if the set has no buckets.
    pub(in crate::universe) fn start(&self) -> Option<&Arc<Availabilities>> {
        self.start.as_ref()
    }

    /// Returns the same buckets with other bitmaps of their nodes.
    pub(in crate::universe) fn with_start(&self, start: Arc<Availabilities>) -> Self {
        Self { start: Some(start), moved_members: None, count: self.count, bitmaps: OnceLock::new() }
    }

    /// Returns the number of buckets.
    pub(in crate::universe) fn count(&self) -> u16 {
        self.count
    }

    /// Returns the bitmap of every member; `None` for those in no bucket.
    pub(in crate::universe) fn availabilities<'s>(
        &'s self,
        members: &'s [Bit],
    ) -> impl Iterator<Item = Option<Availability>> + 's {
        let start = self.start.as_deref();
        let moved = self.moved_members.as_ref();
        members.iter().enumerate().map(move |(at, bit)| match moved {
            Some(moved) => moved[Slot::at(at)],
            None => start.and_then(|start| start[*bit]),
        })
    }

    /// Returns the bitmap of one member.
    pub(in crate::universe) fn availability(&self, members: &[Bit], slot: Slot) -> Option<Availability> {
        match &self.moved_members {
            Some(moved) => moved[slot],
            None => self.start.as_ref().and_then(|start| start[*members.get(slot.ix())?]),
        }
    }

    /// Moves a member, updates the counts, and returns its previous bitmap. A member in no bucket is not moved.
    pub(in crate::universe) fn put(
        &mut self,
        members: &[Bit],
        slot: Slot,
        availability: Availability,
    ) -> Option<Availability> {
        let was = self.availability(members, slot)?;
        let moved = match self.moved_members.take() {
            Some(moved) => moved,
            None => self.availabilities(members).collect(),
        };
        self.moved_members.insert(moved)[slot] = Some(availability);
        if let Some(made) = self.bitmaps.get_mut()
            && let Some(at) = made.bucket_of[slot]
        {
            made.buckets[MadeIx(at.into())].move_counted(slot, availability);
        }
        Some(was)
    }

    fn made(&self, plan: &Plan, members: &[Bit]) -> &BucketBitmaps {
        self.bitmaps.get_or_init(|| {
            if self.start.is_none() {
                return Box::default();
            }
            let nodes = members.iter().zip(self.availabilities(members)).enumerate();
            let nodes =
                nodes.filter_map(|(at, (bit, availability))| Some((Slot::at(at), *bit, availability?)));
            let (buckets, homes) = make_buckets(plan, members.len(), nodes);
            let mut bucket_of = Column::filled(members.len(), None);
            for (slot, at) in homes {
                bucket_of[slot] = u16::try_from(at.0).ok();
            }
            Box::new(BucketBitmaps { buckets, bucket_of })
        })
    }

    /// Returns the buckets in the order of creation.
    pub(in crate::universe) fn buckets(&self, plan: &Plan, members: &[Bit]) -> &[Bucket<Slot>] {
        self.made(plan, members).buckets.as_slice()
    }

    /// Returns the buckets, if a job has examined them.
    pub(in crate::universe) fn made_buckets(&self) -> Option<&[Bucket<Slot>]> {
        self.bitmaps.get().map(|made| made.buckets.as_slice())
    }

    pub(in crate::universe) fn bucket_of(&self, plan: &Plan, members: &[Bit], slot: Slot) -> Option<u16> {
        self.made(plan, members).bucket_of.checked(slot).copied().flatten()
    }
}

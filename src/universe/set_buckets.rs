//! The buckets of a placement set, made when somebody looks at them: a pool may have a hundred thousand sets, most of
//! which no job ever looks into (rules 3.3, 3.9).

use std::sync::{Arc, OnceLock};

use crate::cluster::{Column, Id};

use super::bucket::{Bucket, Pocket, make_buckets, sort_into};
use super::node_set::{Bit, Slot};
use super::plan::Plan;

/// Where every node of a list stands when sets are made; none for nodes that are in no bucket.
pub(super) type Pockets = Column<Bit, Option<Pocket>>;

/// The buckets of one set as they stand.
#[derive(Clone)]
pub(super) struct SetBuckets {
    /// How its nodes stood when the set was made; none if it has no buckets.
    start: Option<Arc<Pockets>>,
    count: u16,
    made: OnceLock<Box<Made>>,
}

#[derive(Clone, Debug, Default)]
struct Made {
    buckets: Vec<Bucket<Slot>>,
    bucket_of: Column<Slot, Option<u16>>,
}

impl std::fmt::Debug for SetBuckets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.made.get().fmt(f)
    }
}

impl SetBuckets {
    /// No buckets.
    pub(super) fn none() -> Self {
        Self { start: None, count: 0, made: OnceLock::new() }
    }

    /// The buckets of these nodes.
    pub(super) fn of(plan: &Plan, members: &[Bit], start: Arc<Pockets>) -> Self {
        let inside = members.iter().copied().filter(|bit| start[*bit].is_some());
        let count = sort_into(plan, inside, |_| {}).len();
        Self { start: Some(start), count: u16::try_from(count).unwrap_or(u16::MAX), made: OnceLock::new() }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u16 {
        self.count
    }

    /// How many of the members are free or busy later.
    pub(super) fn open(&self, members: &[Bit]) -> u32 {
        if let Some(made) = self.made.get() {
            return made.buckets.iter().map(|bucket| u32::try_from(bucket.open()).unwrap_or(u32::MAX)).sum();
        }
        let Some(start) = &self.start else { return 0 };
        let open = |bit: &&Bit| matches!(start[**bit], Some(Pocket::Free | Pocket::Later));
        u32::try_from(members.iter().filter(open).count()).unwrap_or(u32::MAX)
    }

    fn made(&self, plan: &Plan, members: &[Bit]) -> &Made {
        self.made.get_or_init(|| {
            let Some(start) = &self.start else { return Box::default() };
            let nodes = members.iter().enumerate();
            let nodes = nodes.filter_map(|(at, bit)| Some((Slot::at(at), *bit, start[*bit]?)));
            let (buckets, homes) = make_buckets(plan, members.len(), nodes);
            let mut bucket_of = Column::filled(members.len(), None);
            for (slot, at) in homes {
                bucket_of[slot] = u16::try_from(at).ok();
            }
            Box::new(Made { buckets, bucket_of })
        })
    }

    /// The buckets, in the order made.
    pub(super) fn buckets(&self, plan: &Plan, members: &[Bit]) -> &[Bucket<Slot>] {
        &self.made(plan, members).buckets
    }

    /// The bucket of a member.
    pub(super) fn bucket_of(&self, plan: &Plan, members: &[Bit], slot: Slot) -> Option<u16> {
        self.made(plan, members).bucket_of.checked(slot).copied().flatten()
    }

    /// One bucket, to be changed.
    pub(super) fn bucket_mut(&mut self, plan: &Plan, members: &[Bit], at: u16) -> Option<&mut Bucket<Slot>> {
        self.made(plan, members);
        self.made.get_mut()?.buckets.get_mut(usize::from(at))
    }
}

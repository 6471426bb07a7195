//! What jobs request, numbered as classes distinguish it.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::cluster::{Place, ResourceId, ResourceList, SharedList, Value, number_of};
use crate::universe::Plan;

/// All that was requested so far, each with its number.
pub(super) struct RequestInterner<'p> {
    /// Requests by the numbers of their select and their list, and by their place.
    numbers: FxHashMap<(u32, u32, &'p Place), u32>,
    /// The first list of each number.
    lists: Vec<&'p ResourceList>,
    /// The number of each list by where it is stored: jobs share them.
    by_address: FxHashMap<*const ResourceList, u32>,
    /// The number of each list by its hash; of several with one hash, the others have the next free ones.
    by_hash: FxHashMap<u64, u32>,
}

impl<'p> RequestInterner<'p> {
    /// Knows none yet, with room for this many requests with this many lists.
    pub(super) fn with_room(requests: usize, lists: usize) -> Self {
        Self {
            numbers: FxHashMap::with_capacity_and_hasher(requests, FxBuildHasher),
            lists: Vec::with_capacity(lists),
            by_address: FxHashMap::with_capacity_and_hasher(lists, FxBuildHasher),
            by_hash: FxHashMap::with_capacity_and_hasher(lists, FxBuildHasher),
        }
    }

    /// Returns the number of a request: of its list of what is requested as a whole, its select, which has the number
    /// `parts`, and its place.
    pub(super) fn number(&mut self, plan: &Plan, list: &'p SharedList, parts: u32, place: &'p Place) -> u32 {
        let list = match self.by_address.get(&list.address()) {
            Some(known) => *known,
            None => {
                let number = self.list(plan, list);
                self.by_address.insert(list.address(), number);
                number
            }
        };
        let next = number_of(self.numbers.len());
        *self.numbers.entry((parts, list, place)).or_insert(next)
    }

    /// Returns the number of a list.
    fn list(&mut self, plan: &Plan, list: &'p ResourceList) -> u32 {
        let mut hash = hash_of(plan, list);
        loop {
            let next = number_of(self.lists.len());
            let found = *self.by_hash.entry(hash).or_insert(next);
            match self.lists.get(found as usize) {
                None => {
                    self.lists.push(list);
                    return next;
                }
                Some(one) if are_alike(plan, one, list) => return found,
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }
}

fn hash_of(plan: &Plan, list: &ResourceList) -> u64 {
    let mut hasher = FxHasher::default();
    // Nearly all lists differ by these, if at all.
    compared(plan, list)
        .filter_map(|(_, value)| value.amount())
        .for_each(|amount| amount.key().hash(&mut hasher));
    hasher.finish()
}

/// Whether two lists request the same: amounts to the bit, and other values as text.
fn are_alike(plan: &Plan, one: &ResourceList, other: &ResourceList) -> bool {
    let is_same = |((resource, one), (of, other)): ((ResourceId, &Value), (ResourceId, &Value))| {
        resource == of && are_same_values(plan, resource, one, other)
    };
    compared(plan, one).count() == compared(plan, other).count()
        && compared(plan, one).zip(compared(plan, other)).all(is_same)
}

fn are_same_values(plan: &Plan, resource: ResourceId, one: &Value, other: &Value) -> bool {
    match (one.amount(), other.amount()) {
        (Some(one), Some(other)) => one.key() == other.key(),
        (None, None) => {
            let kind = plan.snap.catalogue.kind(resource);
            one == other || one.show(kind) == other.show(kind)
        }
        _ => false,
    }
}

/// What a job requests as a whole, without what distinguishes no jobs: the expected walltime, only the maximum does
/// (quirk B5), and `preempt_targets` while `preempt_targets_enable` is off.
fn compared<'a>(
    plan: &Plan,
    list: &'a ResourceList,
) -> impl Iterator<Item = (ResourceId, &'a Value)> + use<'a> {
    let has_targets = plan.snap.scheduler.preempt_targets_enable;
    let is_left_out = move |resource: ResourceId| {
        resource == ResourceId::soft_walltime() || (resource == ResourceId::preempt_targets() && !has_targets)
    };
    list.iter().filter(move |(resource, _)| !is_left_out(*resource))
}

//! What jobs request, numbered as classes distinguish it.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::cluster::{Job, JobId, ResourceId, Value, number_of};
use crate::universe::Plan;

/// All that was requested so far, each with its number.
#[derive(Default)]
pub(super) struct RequestInterner {
    all: Vec<InternedRequest>,
    /// The number of each by its hash; of several with one hash, the others have the next free ones.
    by_hash: FxHashMap<u64, u32>,
}

/// What a job requests: the number of its select, and what its record has.
struct InternedRequest {
    parts: u32,
    job: JobId,
}

impl RequestInterner {
    pub(super) fn with_room(count: usize) -> Self {
        let by_hash = FxHashMap::with_capacity_and_hasher(count, FxBuildHasher);
        Self { by_hash, ..Self::default() }
    }

    /// Returns the number of what a job requests; `parts` is that of its select.
    pub(super) fn number(&mut self, plan: &Plan, job: JobId, parts: u32) -> u32 {
        let mut hash = hash_of(plan, job, parts);
        loop {
            let next = number_of(self.all.len());
            let found = *self.by_hash.entry(hash).or_insert(next);
            match self.all.get(found as usize) {
                None => {
                    self.all.push(InternedRequest { parts, job });
                    return next;
                }
                Some(one) if one.parts == parts && are_alike(plan, one.job, job) => return found,
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }
}

fn hash_of(plan: &Plan, job: JobId, parts: u32) -> u64 {
    let mut hasher = FxHasher::default();
    parts.hash(&mut hasher);
    // Nearly all jobs of one select differ by these, if at all.
    compared(plan, plan.job(job))
        .filter_map(|(_, value)| value.amount())
        .for_each(|amount| amount.key().hash(&mut hasher));
    hasher.finish()
}

/// Whether the records of two jobs request the same: their place, amounts to the bit, and other values as text.
fn are_alike(plan: &Plan, one: JobId, other: JobId) -> bool {
    let (one, other) = (plan.job(one), plan.job(other));
    let is_same = |((resource, one), (of, other)): ((ResourceId, &Value), (ResourceId, &Value))| {
        resource == of && are_same_values(plan, resource, one, other)
    };
    let requested = |job| compared(plan, job);
    one.place == other.place
        && requested(one).count() == requested(other).count()
        && requested(one).zip(requested(other)).all(is_same)
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

/// What a job requests in all, without what distinguishes no jobs: the expected walltime, only the maximum does (quirk
/// B5), and `preempt_targets` while `preempt_targets_enable` is off.
fn compared<'a>(plan: &'a Plan, job: &'a Job) -> impl Iterator<Item = (ResourceId, &'a Value)> {
    let has_targets = plan.snap.scheduler.preempt_targets_enable;
    let is_left_out = move |resource: ResourceId| {
        resource == ResourceId::soft_walltime() || (resource == ResourceId::preempt_targets() && !has_targets)
    };
    job.requested.iter().filter(move |(resource, _)| !is_left_out(*resource))
}

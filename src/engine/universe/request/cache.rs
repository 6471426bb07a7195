//! One record for all jobs that request the same: they come by the thousand, and what follows from a request is then found
//! once, by where its record is kept.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::cluster::{Job, ResourceId, ResourceList, Value};
use crate::universe::{JobRequest, Spec};

/// Requests that were read so far.
#[derive(Default)]
pub(super) struct RequestCache<'s> {
    known: FxHashMap<RequestKey<'s>, Arc<JobRequest>>,
}

impl<'s> RequestCache<'s> {
    pub(super) fn with_room(count: usize) -> Self {
        Self { known: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher) }
    }

    /// The request of a job with these parts, made if none was written like it before.
    pub(super) fn of(
        &mut self,
        job: &'s Job,
        parts: &Arc<[Spec]>,
        make: impl FnOnce() -> JobRequest,
    ) -> Arc<JobRequest> {
        let written = RequestKey::of(job, parts.as_ptr());
        self.known.entry(written).or_insert_with(|| Arc::new(make())).clone()
    }
}

/// All of a job that its request is read from.
struct RequestKey<'s> {
    /// Worked out once: records lie far apart in memory, and a table that grows hashes what it holds anew.
    hash: u64,
    /// The parts of its select, by where they are kept: selects of one text share them.
    select_address: *const Spec,
    job: &'s Job,
}

impl<'s> RequestKey<'s> {
    fn of(job: &'s Job, select: *const Spec) -> Self {
        let mut hasher = FxHasher::default();
        select.hash(&mut hasher);
        let place = job.place.as_ref();
        place.map(|place| (place.sharedness, place.arrangement)).hash(&mut hasher);
        // Nearly all jobs of one select differ by these, if at all.
        for amount in job.requested.iter().filter_map(|(_, value)| value.amount()) {
            amount.key().hash(&mut hasher);
        }
        Self { hash: hasher.finish(), select_address: select, job }
    }

    fn requested(&self) -> (&ResourceList, &[ResourceId]) {
        (&self.job.requested, &self.job.requested_order)
    }
}

impl PartialEq for RequestKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        let ((mine, my_order), (theirs, their_order)) = (self.requested(), other.requested());
        let are_same = |(one, other): ((ResourceId, &Value), (ResourceId, &Value))| {
            one.0 == other.0 && one.1.is_same(other.1)
        };
        self.hash == other.hash
            && self.select_address == other.select_address
            && self.job.state.has_nodes() == other.job.state.has_nodes()
            && mine.len() == theirs.len()
            && mine.iter().zip(theirs.iter()).all(are_same)
            && my_order == their_order
            && self.job.place == other.job.place
    }
}

impl Eq for RequestKey<'_> {}

impl Hash for RequestKey<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.hash.hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Amount, JobState, Place};

    #[test]
    fn jobs_share_a_record_where_all_that_it_is_read_from_is_the_same() {
        let walltime = |seconds| {
            let mut job = Job::default();
            job.requested.set(ResourceId::walltime(), Value::Amount(Amount(seconds)));
            job
        };
        let words = |words: &str| {
            let mut job = walltime(60.0);
            job.requested.set(ResourceId::preempt_targets(), Value::Texts(Box::new([words.into()])));
            job
        };
        let excl = Job { place: Place::parse("excl").ok(), ..walltime(60.0) };
        let order = Job { requested_order: vec![ResourceId::walltime()], ..walltime(60.0) };
        let running = Job { state: JobState::Running, ..walltime(60.0) };
        let jobs = [
            walltime(60.0),
            walltime(61.0),
            words("a"),
            words("b"),
            walltime(0.0),
            walltime(-0.0),
            order,
            running,
            excl,
        ];
        let again = jobs.clone();
        let parts = Arc::from([]);
        let mut known = RequestCache::default();
        let first = jobs.each_ref().map(|job| known.of(job, &parts, JobRequest::default));
        let second = again.each_ref().map(|job| known.of(job, &parts, || panic!("it is known")));
        for (at, request) in first.iter().enumerate() {
            let shared: Vec<usize> =
                (0..second.len()).filter(|other| Arc::ptr_eq(request, &second[*other])).collect();
            assert_eq!(shared, [at]);
        }
    }
}

//! One record for all jobs that request the same: they come by the thousand, and what follows from a request is then found
//! once, by the number of its record.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::cluster::{
    Amount, Arrangement, Column, ExactList, Job, Name, Place, PlaceSharing, ResourceId, ResourceList,
    Seconds, number_of,
};
use crate::universe::{EnforcedResources, JobRequest, Spec};

crate::id!(
    /// Index of a request among the different ones of all jobs.
    #[expect(unreachable_pub, reason = "all ids are declared so")]
    RequestIx
);

/// A request with its index.
pub(in crate::universe) type NumberedRequest = (Arc<JobRequest>, RequestIx);

/// Numbers things by what they contain. Readers store equal ones once, so that nearly all are found by where they are
/// stored, without a look at them: they lie far apart in memory.
pub(super) struct ContentInterner<A, C> {
    by_address: FxHashMap<A, u32>,
    by_content: FxHashMap<C, u32>,
}

impl<A: Eq + Hash, C: Eq + Hash> ContentInterner<A, C> {
    pub(super) fn with_room(count: usize) -> Self {
        Self {
            by_address: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            by_content: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
        }
    }

    /// Returns the number of a thing: a new one is the count of those before it.
    pub(super) fn number(&mut self, address: A, content: C) -> u32 {
        if let Some(known) = self.by_address.get(&address) {
            return *known;
        }
        let next = number_of(self.by_content.len());
        let number = *self.by_content.entry(content).or_insert(next);
        self.by_address.insert(address, number);
        number
    }
}

/// Where the list of what a job requests as a whole is stored, and the order of its resources.
type ListAddress = (*const ResourceList, *const ResourceId);
/// What is stored there.
type OrderedList<'s> = (ExactList<&'s ResourceList>, &'s [ResourceId]);

/// Requests that were read so far.
pub(super) struct RequestCache<'s> {
    /// The lists of what jobs request as a whole.
    lists: ContentInterner<ListAddress, OrderedList<'s>>,
    /// What follows from each of them.
    whole: Vec<JobWideRequest>,
    known: FxHashMap<RequestKey<'s>, RequestIx>,
    /// Those of the previous plan that jobs still have, by where they are stored.
    kept: FxHashMap<*const JobRequest, RequestIx>,
    all: Column<RequestIx, Arc<JobRequest>>,
}

impl<'s> RequestCache<'s> {
    pub(super) fn with_room(count: usize) -> Self {
        Self {
            lists: ContentInterner::with_room(count),
            whole: Vec::with_capacity(count),
            known: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            kept: FxHashMap::default(),
            all: Column::with_room(count),
        }
    }

    /// Returns the number of different requests.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of different lists of what jobs request as a whole, without those of requests of the previous
    /// plan.
    pub(super) fn list_count(&self) -> usize {
        self.whole.len()
    }

    /// Returns a request of the previous plan with its index in this one.
    pub(super) fn kept(&mut self, request: Arc<JobRequest>) -> NumberedRequest {
        let Self { kept, all, .. } = self;
        let ix = *kept.entry(Arc::as_ptr(&request)).or_insert_with(|| all.push(request.clone()));
        (request, ix)
    }

    /// Returns the request of a job, made if none was written like it before. `select` is the number of its select,
    /// whose terms are `specs`.
    pub(super) fn of(
        &mut self,
        job: &'s Job,
        place: &'s Place,
        (select, specs): (u32, &Arc<[Spec]>),
        enforced: &EnforcedResources,
    ) -> NumberedRequest {
        let Self { lists, whole, known, all, .. } = self;
        let (list, order) = (&job.requested, &*job.requested_order);
        let requested = lists.number((list.address(), order.as_ptr()), (ExactList(list), order));
        if requested as usize == whole.len() {
            whole.push(JobWideRequest::read(list, order, enforced));
        }
        let has_nodes = job.state.has_nodes();
        let make = || {
            let whole = whole.get(requested as usize);
            let request = whole.map(|whole| whole.request(specs.clone(), place.clone(), has_nodes));
            all.push(Arc::new(request.unwrap_or_default()))
        };
        let ix = *known.entry(RequestKey::of(select, requested, place, has_nodes)).or_insert_with(make);
        (all[ix].clone(), ix)
    }
}

/// All of a job that its request is read from.
#[derive(PartialEq, Eq)]
struct RequestKey<'s> {
    /// The number of its select.
    select: u32,
    /// The number of what it requests as a whole.
    requested: u32,
    arrangement: Arrangement,
    is_arranged: bool,
    sharedness: PlaceSharing,
    has_nodes: bool,
    group: Option<&'s Name>,
}

impl<'s> RequestKey<'s> {
    fn of(select: u32, requested: u32, place: &'s Place, has_nodes: bool) -> Self {
        let Place { arrangement, arranged, sharedness, group } = place;
        let (arrangement, is_arranged, sharedness) = (*arrangement, *arranged, *sharedness);
        Self { select, requested, arrangement, is_arranged, sharedness, has_nodes, group: group.as_ref() }
    }
}

impl Hash for RequestKey<'_> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // By these, nearly all requests differ.
        (u64::from(self.select) << 32 | u64::from(self.requested)).hash(hasher);
        ((self.arrangement as u8) << 4 | self.sharedness as u8).hash(hasher);
    }
}

/// What a job requests besides its chunks and their place.
struct JobWideRequest {
    totals: Arc<[(ResourceId, Amount)]>,
    walltime: Option<Seconds>,
    soft: Option<Seconds>,
    /// `min_walltime` and `max_walltime` of a shrink-to-fit job.
    shortest: Option<Seconds>,
    longest: Option<Seconds>,
}

impl JobWideRequest {
    fn read(list: &ResourceList, order: &[ResourceId], enforced: &EnforcedResources) -> Self {
        let time = |resource| list.amount(resource).map(|amount| Seconds(amount.0 as i64));
        Self {
            totals: totals(list, order, enforced),
            walltime: time(ResourceId::walltime()),
            soft: time(ResourceId::soft_walltime()),
            shortest: time(ResourceId::min_walltime()),
            longest: time(ResourceId::max_walltime()),
        }
    }

    fn request(&self, specs: Arc<[Spec]>, place: Place, has_nodes: bool) -> JobRequest {
        let hard = self.walltime.unwrap_or(Seconds::UNLIMITED);
        // A running job has the walltime it was shrunk to.
        let shortest = self.shortest.filter(|_| !has_nodes);
        let hard = match shortest {
            Some(_) => self.longest.unwrap_or(hard),
            None => hard,
        };
        let duration = self.soft.unwrap_or(hard);
        JobRequest {
            specs,
            place,
            totals: self.totals.clone(),
            duration,
            hard_duration: hard,
            min_walltime: shortest,
        }
    }
}

/// Returns the job-wide consumables that the scheduler enforces, in the dump's own order if known, else by name.
pub(super) fn totals(
    requested: &ResourceList,
    order: &[ResourceId],
    enforced: &EnforcedResources,
) -> Arc<[(ResourceId, Amount)]> {
    let mut totals: Vec<(ResourceId, Amount)> = Vec::with_capacity(requested.len());
    for (resource, value) in requested.iter().filter(|(resource, _)| enforced.names(*resource)) {
        totals.extend(value.amount().map(|amount| (resource, amount)));
    }
    if order.is_empty() {
        totals.sort_by_key(|(resource, _)| enforced.place(*resource));
    } else {
        totals.sort_by_key(|(resource, _)| order.iter().position(|listed| listed == resource));
    }
    totals.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Catalogue, Id, JobState, Policy, Value};

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
        let copied = jobs
            .each_ref()
            .map(|job| Job { requested: ResourceList::clone(&job.requested).into(), ..job.clone() });
        let parts = Arc::from([]);
        let enforced = EnforcedResources::new(&Policy::as_shipped(), &Catalogue::default());
        let mut known = RequestCache::with_room(0);
        let free = Place::default();
        let [first, second, third] = [&jobs, &again, &copied].map(|jobs| {
            jobs.each_ref()
                .map(|job| known.of(job, job.place.as_ref().unwrap_or(&free), (0, &parts), &enforced))
        });
        for (at, (request, ix)) in first.iter().enumerate() {
            for all in [&second, &third] {
                let is_shared = |other: &&NumberedRequest| Arc::ptr_eq(request, &other.0);
                let shared: Vec<RequestIx> = all.iter().filter(is_shared).map(|(_, ix)| *ix).collect();
                assert_eq!((shared, *ix), (vec![*ix], RequestIx::at(at)));
            }
        }
        let kept = Arc::new(JobRequest::default());
        assert_eq!([0, 0].map(|_| known.kept(kept.clone()).1), [RequestIx::at(jobs.len()); 2]);
        assert_eq!(known.count(), jobs.len() + 1);
    }
}

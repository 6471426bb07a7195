//! Index of the names in a snapshot, so that finding the names in a line only depends on its length.

use rustc_hash::{FxHashMap, FxHashSet};

use super::name_index::NameIndex;
use crate::bucket_names::BucketNames;
use crate::views::{Object, ViewContext};
use qscope_engine::cluster::{JobId, Name, Snapshot};
use qscope_engine::cycle::Run;

/// The jobs by full and short ids, and the queues, buckets and placement sets.
#[derive(Debug, Default)]
pub(crate) struct KnownNames {
    jobs: FxHashMap<Name, JobId>,
    /// If jobs of several servers share a short id, the first one.
    short: FxHashMap<Box<str>, JobId>,
    queues: FxHashSet<Name>,
    buckets: FxHashSet<String>,
    sets: FxHashSet<Name>,
    /// The names of all jobs and vnodes, by their indices in the snapshot.
    pub(crate) all_jobs: NameIndex,
    pub(crate) all_nodes: NameIndex,
    /// The names of buckets as written on the screen.
    pub(crate) written: BucketNames,
}

impl KnownNames {
    /// Indexes the names of a cycle.
    pub(super) fn of(run: &Run) -> Self {
        let (snap, state) = (&run.plan.snap, &run.end);
        let mut found = Self {
            queues: snap.queues.iter().map(|queue| queue.name.clone()).collect(),
            buckets: state.buckets.iter().map(|bucket| bucket.name(&state.plan)).collect(),
            written: BucketNames::of(state),
            all_jobs: NameIndex::of(snap.jobs.iter().map(|job| &*job.name)),
            all_nodes: NameIndex::of(snap.nodes.iter().map(|node| &*node.name)),
            ..Self::default()
        };
        for (id, job) in snap.jobs.enumerate() {
            found.jobs.entry(job.name.clone()).or_insert(id);
            found.short.entry(job.short_name().into()).or_insert(id);
        }
        let in_pools = state.pools.iter().flat_map(|pool| pool.order.iter());
        found.sets = in_pools.map(|ix| state.sets[*ix].shape.name.clone()).collect();
        found
    }

    /// The job with that full or short id.
    pub(crate) fn job_named(&self, name: &str) -> Option<JobId> {
        self.jobs.get(name).or_else(|| self.short.get(name)).copied()
    }

    /// The job that a user means by an id.
    pub(crate) fn job(&self, name: &str, snap: &Snapshot) -> Option<Object> {
        Some(Object::of_job(snap.job_meant_among(name, |name| self.job_named(name))?, snap))
    }

    /// The queue with that name.
    pub(crate) fn queue(&self, name: &str) -> Option<Object> {
        self.queues.contains(name).then(|| Object::Queue(name.to_owned()))
    }

    /// The placement set with that name.
    pub(crate) fn set(&self, name: &str) -> Option<Object> {
        self.sets.contains(name).then(|| Object::Set(name.to_owned()))
    }

    /// The object with that name: preferably a job, then a node, then a queue, bucket or set.
    pub(crate) fn object(&self, name: &str, cx: ViewContext<'_>) -> Option<Object> {
        let snap = cx.snapshot();
        if let Some(id) = self.job_named(name) {
            return Some(Object::of_job(id, snap));
        }
        if cx.plan().bit_named.contains_key(name) {
            return Some(Object::Node(name.to_owned()));
        }
        let bucket = || self.buckets.contains(name).then(|| Object::Bucket(name.to_owned()));
        self.queue(name).or_else(bucket).or_else(|| self.set(name))
    }
}

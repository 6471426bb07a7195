//! Job equivalence classes: when one job of a class fails, all of them fail (rule 6.2).
//!
//! Chunks are compared only by resources on the `resources` line, so jobs that differ in a boolean may be in one
//! class (quirk B5); job-wide requests are compared by everything requested.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::cluster::{
    Column, Id, Job, JobId, Kind, LimitScope, Limits, Name, Place, QueueId, ResourceId, Value, number_of,
};
use crate::universe::{ClassId, JobRequest, Plan, Quirk, Requirement, ShapeId, Spec};

/// The class of every job that has one.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The class of each job; `None` for running jobs and for those that the scheduler ignores.
    pub of: Column<JobId, Option<ClassId>>,
    /// Number of classes.
    pub count: usize,
}

/// All that makes two jobs equal.
#[derive(PartialEq, Eq, Hash, Default)]
struct ClassKey<'a> {
    /// The number of what it requests.
    request: u32,
    user: Option<&'a Name>,
    group: Option<&'a Name>,
    project: Option<&'a Name>,
    queue: Option<QueueId>,
}

/// Assigns jobs to classes.
pub fn classify(plan: &Plan) -> Classes {
    let mut rules = Rules::new(plan);
    let mut known = KnownClasses::default();
    let mut of = Column::with_room(plan.snap.jobs.len());
    for id in plan.snap.jobs.ids() {
        // Running jobs are not considered, and jobs preempted in this cycle have no class either.
        let runs = plan.snap.jobs[id].state.has_nodes();
        let key = if runs { None } else { rules.key(plan, id) };
        of.push(key.map(|key| known.class(key)));
    }
    Classes { of, count: known.count }
}

/// The classes that were met so far.
#[derive(Default)]
struct KnownClasses<'a> {
    count: usize,
    /// Those of jobs of which nothing matters but what they request, by its number: mostly all.
    plain: Vec<Option<ClassId>>,
    others: FxHashMap<ClassKey<'a>, ClassId>,
}

impl<'a> KnownClasses<'a> {
    fn class(&mut self, key: ClassKey<'a>) -> ClassId {
        let next = ClassId::at(self.count);
        let found = if key == (ClassKey { request: key.request, ..ClassKey::default() }) {
            let at = key.request as usize;
            if self.plain.len() <= at {
                self.plain.resize(at + 1, None);
            }
            self.plain.get_mut(at).map_or(next, |class| *class.get_or_insert(next))
        } else {
            *self.others.entry(key).or_insert(next)
        };
        self.count += usize::from(found == next);
        found
    }
}

/// Interns lists as numbers.
struct Lists<T> {
    numbers: FxHashMap<Box<[T]>, u32>,
    /// Buffer for the list being looked up.
    list: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), list: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Lists<T> {
    fn with_room(count: usize) -> Self {
        Self { numbers: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher), list: Vec::new() }
    }

    fn number(&mut self, items: impl Iterator<Item = T>) -> u32 {
        self.number_of(|list| list.extend(items))
    }

    /// Like [`number`](Self::number) for a list that `fill` writes.
    fn number_of(&mut self, fill: impl FnOnce(&mut Vec<T>)) -> u32 {
        self.list.clear();
        fill(&mut self.list);
        if let Some(number) = self.numbers.get(&*self.list) {
            return *number;
        }
        let next = number_of(self.numbers.len());
        self.numbers.insert(self.list.as_slice().into(), next);
        next
    }
}

/// Which attributes distinguish jobs in this cluster.
struct Rules {
    /// Whether a chunk's request for a resource counts: those on the `resources` line, and booleans if classes
    /// compare them.
    of_chunks: Column<ResourceId, bool>,
    /// The compared requests of each shape.
    shapes: Lists<(ResourceId, Requirement)>,
    /// The number of each shape seen so far, cached because many jobs share few shapes.
    numbers: Column<ShapeId, Option<u32>>,
    specs: Lists<(u32, u32)>,
    /// The number of each select, cached by the address of its parts because many jobs share few selects.
    of_parts: FxHashMap<*const Spec, u32>,
    /// Of each request the numbers of its select and its place, then of each resource its number and kind, and its amount to
    /// the bit, or the number of its text.
    requests: Lists<u64>,
    /// The number of each request, by where its record is kept: jobs of one record request the same.
    of_requests: FxHashMap<*const JobRequest, u32>,
    places: FxHashMap<Place, u32>,
    /// Values that are not amounts, as text.
    texts: Lists<u8>,
    /// Scopes of the server's limits.
    server: Scopes,
    /// Scopes of each queue's limits; they distinguish only jobs of that queue.
    queue_scopes: Column<QueueId, Scopes>,
    queues: Column<QueueId, bool>,
}

/// The scopes for which limits exist.
#[derive(Clone, Copy, Debug)]
struct Scopes {
    user: bool,
    group: bool,
    project: bool,
}

impl Scopes {
    fn of(limits: &Limits) -> Self {
        let scoped = |scope| limits.entries.iter().any(|entry| entry.scope == scope);
        Self {
            user: scoped(LimitScope::User),
            group: scoped(LimitScope::Group),
            project: scoped(LimitScope::Project),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            user: self.user || other.user,
            group: self.group || other.group,
            project: self.project || other.project,
        }
    }
}

impl Rules {
    fn new(plan: &Plan) -> Self {
        let snap = &plan.snap;
        let booleans = !plan.has(Quirk::ClassIgnoresBooleans);
        let mut of_chunks = Column::filled(snap.catalogue.len(), false);
        for (resource, def) in snap.catalogue.iter() {
            of_chunks[resource] = resource.is_node_name()
                || plan.enforced.names(resource)
                || (booleans && def.kind == Kind::Boolean);
        }
        Self {
            of_chunks,
            shapes: Lists::default(),
            numbers: Column::filled(plan.shapes.len(), None),
            specs: Lists::default(),
            of_parts: FxHashMap::default(),
            requests: Lists::with_room(snap.jobs.len() / 2),
            of_requests: FxHashMap::with_capacity_and_hasher(snap.jobs.len() / 2, FxBuildHasher),
            places: FxHashMap::default(),
            texts: Lists::default(),
            server: Scopes::of(&snap.server.limits),
            queue_scopes: snap.queues.iter().map(|queue| Scopes::of(&queue.limits)).collect(),
            queues: snap.queues.ids().map(|queue| queue_matters(plan, queue)).collect(),
        }
    }

    fn key<'p>(&mut self, plan: &'p Plan, id: JobId) -> Option<ClassKey<'p>> {
        let request = plan.requests[id].as_ref().ok()?;
        let job = plan.job(id);
        // A job that returns to its previous nodes is compared by those.
        let request = match plan.previous.get(&id) {
            Some(back) => self.request(plan, job, back),
            None => match self.of_requests.get(&Arc::as_ptr(request)) {
                Some(known) => *known,
                None => {
                    let number = self.request(plan, job, request);
                    self.of_requests.insert(Arc::as_ptr(request), number);
                    number
                }
            },
        };
        let queue = plan.queue_of(id);
        let by = queue.map_or(self.server, |queue| self.server.or(self.queue_scopes[queue]));
        Some(ClassKey {
            request,
            user: by.user.then_some(&job.user),
            group: by.group.then_some(&job.group),
            project: by.project.then_some(&job.project),
            queue: queue.filter(|queue| self.queues[*queue]),
        })
    }

    /// The number of what a job requests as classes know it.
    fn request(&mut self, plan: &Plan, job: &Job, request: &JobRequest) -> u32 {
        let parts = self.parts(plan, &request.specs);
        let next = number_of(self.places.len());
        let place = *self.places.entry(request.place.clone()).or_insert(next);
        // The expected walltime does not distinguish jobs, only the maximum (quirk B5), nor does `preempt_targets`
        // while `preempt_targets_enable` is off.
        let is_left_out = |resource: ResourceId| {
            resource == ResourceId::soft_walltime()
                || (resource == ResourceId::preempt_targets() && !plan.snap.scheduler.preempt_targets_enable)
        };
        let Self { requests, texts, .. } = self;
        requests.number_of(|list| {
            list.extend([parts, place].map(u64::from));
            for (resource, value) in job.requested.iter().filter(|(resource, _)| !is_left_out(*resource)) {
                let number = u64::from(resource.0) * 2;
                list.extend(match value {
                    Value::Amount(amount) => [number, amount.key()],
                    other => {
                        let text = other.show(plan.snap.catalogue.kind(resource));
                        [number + 1, texts.number(text.bytes()).into()]
                    }
                });
            }
        })
    }

    /// Returns the number of the parts of a select, as classes compare them.
    fn parts(&mut self, plan: &Plan, parts: &[Spec]) -> u32 {
        if let Some(known) = self.of_parts.get(&parts.as_ptr()) {
            return *known;
        }
        let shapes: Vec<(u32, u32)> =
            parts.iter().map(|spec| (spec.count, self.shape(plan, spec.shape))).collect();
        let number = self.specs.number(shapes.into_iter());
        self.of_parts.insert(parts.as_ptr(), number);
        number
    }

    /// Returns the number of a shape, as classes compare it.
    fn shape(&mut self, plan: &Plan, shape: ShapeId) -> u32 {
        if let Some(known) = self.numbers[shape] {
            return known;
        }
        let of_chunks = &self.of_chunks;
        let requests = plan.shapes[shape].requests.iter().filter(|(resource, _)| of_chunks[*resource]);
        // The order of resources within a chunk does not matter.
        let mut compared: Vec<_> = requests.cloned().collect();
        compared.sort_by_key(|(resource, _)| *resource);
        let number = self.shapes.number(compared.into_iter());
        self.numbers[shape] = Some(number);
        number
    }
}

/// Whether a queue distinguishes its jobs from others: it has limits, nodes, resources, a time window or a
/// reservation.
fn queue_matters(plan: &Plan, id: QueueId) -> bool {
    let snap = &plan.snap;
    let queue = &snap.queues[id];
    let policy = &snap.policy;
    let windowed = [&policy.dedicated_prefix, &policy.primetime_prefix, &policy.nonprimetime_prefix]
        .into_iter()
        .any(|prefix| queue.name.starts_with(&**prefix));
    let reserved =
        snap.reservations.iter().any(|reservation| reservation.queue.as_ref() == Some(&queue.name));
    !queue.limits.is_empty()
        || plan.masks.owns_nodes(id)
        || !queue.available.is_empty()
        || windowed
        || reserved
}

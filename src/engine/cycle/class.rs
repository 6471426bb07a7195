//! Job equivalence classes: when one job of a class fails, all of them fail (rule 6.2).
//!
//! Chunks are compared only by resources on the `resources` line, so jobs that differ in a boolean may be in one
//! class (quirk B5); job-wide requests are compared by everything requested.

mod requested;

use std::hash::Hash;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::cluster::{
    Column, Id, JobId, LimitScope, Limits, Name, QueueId, ResourceId, ResourceType, number_of,
};
use crate::universe::{ChunkShape, ClassId, JobRequest, Plan, Quirk, RequestIx, Requirement, ShapeId, Spec};

use requested::RequestInterner;

/// The class of every job that has one.
#[derive(Clone, Debug)]
pub struct JobClasses {
    /// The class of each job; `None` for running jobs and for those that the scheduler ignores.
    pub by_job: Column<JobId, Option<ClassId>>,
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
pub fn classify(plan: &Plan) -> JobClasses {
    let mut rules = ClassCriteria::new(plan);
    let mut known = ClassInterner::default();
    let mut by_job = Column::with_room(plan.snap.jobs.len());
    for id in plan.snap.jobs.ids() {
        let key = rules.key(plan, id);
        by_job.push(key.map(|key| known.class(key)));
    }
    JobClasses { by_job, count: known.count }
}

/// The classes that were met so far.
#[derive(Default)]
struct ClassInterner<'a> {
    count: usize,
    /// Those of jobs of which nothing matters but what they request, by its number: mostly all.
    plain: Vec<Option<ClassId>>,
    others: FxHashMap<ClassKey<'a>, ClassId>,
}

impl<'a> ClassInterner<'a> {
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
struct ListInterner<T> {
    numbers: FxHashMap<Box<[T]>, u32>,
    /// Buffer for the list being looked up.
    list: Vec<T>,
}

impl<T> Default for ListInterner<T> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), list: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> ListInterner<T> {
    fn number(&mut self, items: impl Iterator<Item = T>) -> u32 {
        self.list.clear();
        self.list.extend(items);
        if let Some(number) = self.numbers.get(&*self.list) {
            return *number;
        }
        let next = number_of(self.numbers.len());
        self.numbers.insert(self.list.as_slice().into(), next);
        next
    }
}

/// Which attributes distinguish jobs in this cluster.
struct ClassCriteria<'p> {
    /// The number of each shape: of the same number are those whose compared requests are the same.
    shapes: Column<ShapeId, u32>,
    specs: ListInterner<(u32, u32)>,
    /// The number of each select, cached by the address of its parts because many jobs share few selects.
    select_numbers: FxHashMap<*const Spec, u32>,
    requests: RequestInterner<'p>,
    /// The number of each different request.
    of_requests: Column<RequestIx, Option<u32>>,
    /// Whether the jobs of each different request have nodes, once known: all or none of them do.
    run: Column<RequestIx, Option<bool>>,
    /// Scopes of the server's limits.
    server: LimitScopes,
    /// Scopes of each queue's limits; they distinguish only jobs of that queue.
    queue_scopes: Column<QueueId, LimitScopes>,
    queues: Column<QueueId, bool>,
}

/// The scopes for which limits exist.
#[derive(Clone, Copy, Debug)]
struct LimitScopes {
    user: bool,
    group: bool,
    project: bool,
}

impl LimitScopes {
    fn of(limits: &Limits) -> Self {
        let scoped = |scope| limits.entries.iter().any(|entry| entry.scope == scope);
        Self {
            user: scoped(LimitScope::User),
            group: scoped(LimitScope::Group),
            project: scoped(LimitScope::Project),
        }
    }

    fn union(self, other: Self) -> Self {
        Self {
            user: self.user || other.user,
            group: self.group || other.group,
            project: self.project || other.project,
        }
    }
}

impl<'p> ClassCriteria<'p> {
    fn new(plan: &'p Plan) -> Self {
        let (snap, numbers) = (&plan.snap, &plan.request_numbers);
        Self {
            shapes: numbers_of_shapes(plan),
            specs: ListInterner::default(),
            select_numbers: FxHashMap::with_capacity_and_hasher(snap.jobs.len() / 8, FxBuildHasher),
            requests: RequestInterner::with_room(numbers.count, numbers.lists),
            of_requests: Column::filled(numbers.count, None),
            run: Column::filled(numbers.count, None),
            server: LimitScopes::of(&snap.server.limits),
            queue_scopes: snap.queues.iter().map(|queue| LimitScopes::of(&queue.limits)).collect(),
            queues: snap.queues.ids().map(|queue| queue_matters(plan, queue)).collect(),
        }
    }

    /// Returns what makes a job equal to others; `None` for one that has no class.
    fn key(&mut self, plan: &'p Plan, id: JobId) -> Option<ClassKey<'p>> {
        let ix = plan.request_numbers.of[id]?;
        let job = plan.job(id);
        // Running jobs are not considered, and jobs preempted in this cycle have no class either.
        if *self.run[ix].get_or_insert_with(|| job.state.has_nodes()) {
            return None;
        }
        // A job that returns to its previous nodes is compared by those.
        let request = match (plan.previous.get(&id), self.of_requests[ix]) {
            (Some(back), _) => self.request(plan, id, back),
            (None, Some(known)) => known,
            (None, None) => {
                let number = self.request(plan, id, plan.requests[id].as_ref().ok()?);
                self.of_requests[ix] = Some(number);
                number
            }
        };
        let queue = plan.queue_of(id);
        let by = queue.map_or(self.server, |queue| self.server.union(self.queue_scopes[queue]));
        Some(ClassKey {
            request,
            user: by.user.then_some(&job.user),
            group: by.group.then_some(&job.group),
            project: by.project.then_some(&job.project),
            queue: queue.filter(|queue| self.queues[*queue]),
        })
    }

    /// The number of what a job requests as classes know it.
    fn request(&mut self, plan: &'p Plan, job: JobId, request: &'p JobRequest) -> u32 {
        let parts = self.parts(&request.specs);
        self.requests.number(plan, &plan.job(job).requested, parts, &request.place)
    }

    /// Returns the number of the parts of a select, as classes compare them.
    fn parts(&mut self, parts: &[Spec]) -> u32 {
        let Self { specs, shapes, select_numbers, .. } = self;
        let numbers = || specs.number(parts.iter().map(|spec| (spec.count, shapes[spec.shape])));
        *select_numbers.entry(parts.as_ptr()).or_insert_with(numbers)
    }
}

/// Returns the number of each shape, as classes compare it: by requests for resources on the `resources` line, and for
/// booleans if classes compare them.
fn numbers_of_shapes(plan: &Plan) -> Column<ShapeId, u32> {
    let catalogue = &plan.snap.catalogue;
    let booleans = !plan.has(Quirk::ClassIgnoresBooleans);
    let is_compared = |resource: ResourceId| {
        resource.is_node_name()
            || plan.enforced.names(resource)
            || (booleans && catalogue.kind(resource) == ResourceType::Boolean)
    };
    let mut lists: ListInterner<(ResourceId, Requirement)> = ListInterner::default();
    let number = |(_, shape): (ShapeId, &ChunkShape)| {
        let requests = shape.requests.iter().filter(|(resource, _)| is_compared(*resource));
        // The order of resources within a chunk does not matter.
        let mut compared: Vec<_> = requests.cloned().collect();
        compared.sort_by_key(|(resource, _)| *resource);
        lists.number(compared.into_iter())
    };
    plan.shapes.iter().map(number).collect()
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

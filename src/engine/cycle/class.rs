//! Job equivalence classes: when one job of a class fails, all of them fail (rule 6.2).
//!
//! Chunks are compared only by resources on the `resources` line, so jobs that differ in a boolean may be in one
//! class (quirk B5); job-wide requests are compared by everything requested.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Column, Id, JobId, Kind, LimitScope, Limits, Name, Place, QueueId, ResourceId, Value, number_of,
};
use crate::universe::{ClassId, Plan, Quirk, Requirement, ShapeId, Spec};

/// The class of every job that has one.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The class of each job; `None` for running jobs and for those that the scheduler ignores.
    pub of: Column<JobId, Option<ClassId>>,
    /// Number of classes.
    pub count: usize,
}

/// Everything that makes two jobs equal; lists are replaced by their numbers.
#[derive(PartialEq, Eq, Hash)]
struct ClassKey {
    specs: u32,
    place: Place,
    amounts: u32,
    user: Option<Name>,
    group: Option<Name>,
    project: Option<Name>,
    queue: Option<QueueId>,
}

/// Assigns jobs to classes.
pub fn classify(plan: &Plan) -> Classes {
    let mut rules = Rules::new(plan);
    let mut known: FxHashMap<ClassKey, ClassId> = FxHashMap::default();
    let mut of = Column::new();
    for id in plan.snap.jobs.ids() {
        // Running jobs are not considered, and jobs preempted in this cycle have no class either.
        let runs = plan.snap.jobs[id].state.has_nodes();
        let key = if runs { None } else { rules.key(plan, id) };
        let class = key.map(|key| {
            let next = ClassId::at(known.len());
            *known.entry(key).or_insert(next)
        });
        of.push(class);
    }
    Classes { of, count: known.len() }
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
    /// For each requested resource its id and kind, then the bits of its amount or the number of its text.
    amounts: Lists<u64>,
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
            amounts: Lists::default(),
            texts: Lists::default(),
            server: Scopes::of(&snap.server.limits),
            queue_scopes: snap.queues.iter().map(|queue| Scopes::of(&queue.limits)).collect(),
            queues: snap.queues.ids().map(|queue| queue_matters(plan, queue)).collect(),
        }
    }

    fn key(&mut self, plan: &Plan, id: JobId) -> Option<ClassKey> {
        let request = plan.requests[id].as_ref().ok()?;
        let job = plan.job(id);
        let Self { amounts, texts, .. } = self;
        let mut compared = |resource: ResourceId, value: &Value| {
            let number = u64::from(resource.0) * 2;
            match value {
                Value::Amount(amount) => (number, amount.key()),
                other => {
                    let text = other.show(plan.snap.catalogue.kind(resource));
                    (number + 1, texts.number(text.bytes()).into())
                }
            }
        };
        // The expected walltime does not distinguish jobs, only the maximum (quirk B5), nor does `preempt_targets`
        // while `preempt_targets_enable` is off.
        let is_left_out = |resource: ResourceId| {
            resource == ResourceId::soft_walltime()
                || (resource == ResourceId::preempt_targets() && !plan.snap.scheduler.preempt_targets_enable)
        };
        let counted = job.requested.iter().filter(|(resource, _)| !is_left_out(*resource));
        let amounts = amounts.number_of(|list| {
            for (resource, value) in counted {
                let (what, amount) = compared(resource, value);
                list.push(what);
                list.push(amount);
            }
        });
        // A job that returns to its previous nodes is compared by those.
        let specs = self.parts(plan, &plan.previous.get(&id).unwrap_or(request).specs);
        let queue = plan.queue_of(id);
        let by = queue.map_or(self.server, |queue| self.server.or(self.queue_scopes[queue]));
        Some(ClassKey {
            specs,
            place: request.place.clone(),
            amounts,
            user: by.user.then(|| job.user.clone()),
            group: by.group.then(|| job.group.clone()),
            project: by.project.then(|| job.project.clone()),
            queue: queue.filter(|queue| self.queues[*queue]),
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

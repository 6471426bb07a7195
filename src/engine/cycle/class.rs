//! Classes of jobs that the scheduler takes for equal: when one fails, all fail (rule 6.2).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, JobId, LimitScope, Limits, Name, Place, QueueId, ResourceId, Value};
use crate::universe::{ClassId, Plan, ShapeId};

/// The class of every job that has one.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The class of each job; none for jobs that the scheduler ignores.
    pub of: Column<JobId, Option<ClassId>>,
    /// How many classes there are.
    pub count: usize,
}

/// All that makes two jobs equal; lists by number.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    specs: u32,
    place: Place,
    amounts: u32,
    user: Option<Name>,
    group: Option<Name>,
    project: Option<Name>,
    queue: Option<QueueId>,
    alone: Option<JobId>,
}

/// A value of `Resource_List`, comparable to the bit.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Requested {
    Amount(u64),
    Other(String),
}

/// Sorts jobs into classes.
#[must_use]
pub fn classify(plan: &Plan) -> Classes {
    let mut rules = Rules::new(plan);
    let mut known: FxHashMap<Key, ClassId> = FxHashMap::default();
    let mut of = Column::new();
    for id in plan.snap.jobs.ids() {
        let class = rules.key(plan, id).map(|key| {
            let next = ClassId(u32::try_from(known.len()).unwrap_or(u32::MAX));
            *known.entry(key).or_insert(next)
        });
        of.push(class);
    }
    Classes { of, count: known.len() }
}

/// Lists that were met so far, by number.
struct Lists<T> {
    numbers: FxHashMap<Box<[T]>, u32>,
    /// The list at hand.
    list: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), list: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Lists<T> {
    fn number(&mut self, items: impl Iterator<Item = T>) -> u32 {
        self.list.clear();
        self.list.extend(items);
        if let Some(number) = self.numbers.get(&*self.list) {
            return *number;
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(self.list.as_slice().into(), next);
        next
    }
}

/// Which attributes matter in this cluster.
struct Rules {
    /// Whether a resource does.
    resources: Column<ResourceId, bool>,
    specs: Lists<(u32, ShapeId)>,
    amounts: Lists<(ResourceId, Requested)>,
    /// By whom the server limits.
    server: Scopes,
    /// By whom each queue limits: that makes its own jobs different, no others.
    queue_scopes: Column<QueueId, Scopes>,
    queues: Column<QueueId, bool>,
}

/// Whose limits there are.
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
        let all = || snap.queues.iter().map(|queue| &queue.limits).chain([&snap.server.limits]);
        let entries = || all().flat_map(|limits| &limits.entries);
        let always = [
            ResourceId::cput(),
            ResourceId::walltime(),
            ResourceId::min_walltime(),
            ResourceId::max_walltime(),
            ResourceId::preempt_targets(),
        ];
        let limited = entries().filter_map(|entry| entry.resource);
        let mut resources = Column::filled(snap.catalogue.len(), false);
        for resource in plan.checked.iter().copied().chain(always).chain(limited) {
            resources[resource] = true;
        }
        Self {
            resources,
            specs: Lists::default(),
            amounts: Lists::default(),
            server: Scopes::of(&snap.server.limits),
            queue_scopes: snap.queues.iter().map(|queue| Scopes::of(&queue.limits)).collect(),
            queues: snap.queues.ids().map(|queue| queue_matters(plan, queue)).collect(),
        }
    }

    fn key(&mut self, plan: &Plan, id: JobId) -> Option<Key> {
        let request = plan.requests[id].as_ref().ok()?;
        let job = plan.job(id);
        let requested = |resource, value: &Value| match value {
            Value::Amount(amount) => Requested::Amount(amount.0.to_bits()),
            other => Requested::Other(other.show(plan.snap.catalogue.kind(resource))),
        };
        let counted = job.requested.iter().filter(|(resource, _)| self.resources[*resource]);
        let amounts =
            self.amounts.number(counted.map(|(resource, value)| (resource, requested(resource, value))));
        let queue = plan.queue_of(id);
        let by = queue.map_or(self.server, |queue| self.server.or(self.queue_scopes[queue]));
        Some(Key {
            specs: self.specs.number(request.specs.iter().map(|spec| (spec.count, spec.shape))),
            place: request.place.clone(),
            amounts,
            user: by.user.then(|| job.user.clone()),
            group: by.group.then(|| job.group.clone()),
            project: by.project.then(|| job.project.clone()),
            queue: queue.filter(|queue| self.queues[*queue]),
            alone: job.exec_vnode.is_some().then_some(id),
        })
    }
}

/// Whether jobs of a queue differ from those of others: limits, nodes, resources, a time window, a
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
        || !plan.queue_nodes[id].is_empty()
        || !queue.available.is_empty()
        || windowed
        || reserved
}

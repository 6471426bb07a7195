//! The usage by users, groups and projects, and the limits on it (rule 6.6).

use std::collections::{BTreeMap, BTreeSet};

use qscope_engine::cluster::{LimitScope, Limits, Name, ResourceId};

use super::reason::{Code, No};
use super::world::{Amounts, What, Who, World};

/// Scopes in the order in which hard limits are checked.
pub(crate) const SCOPES: [LimitScope; 4] =
    [LimitScope::Group, LimitScope::Project, LimitScope::Overall, LimitScope::User];

/// The usage of one entity, and the remembered bits of being over a soft limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) running: i64,
    pub(crate) used: Amounts,
    pub(crate) over: bool,
    pub(crate) over_resource: BTreeSet<ResourceId>,
}

/// A queue or the server; a scope; a name.
pub(crate) type Entity = (Option<usize>, usize, Name);

/// The rows of all entities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts(pub(crate) BTreeMap<Entity, Row>);

impl World {
    /// Returns the limits of a queue, or of the server.
    pub(crate) fn limits(&self, place: Option<usize>) -> &Limits {
        let Some(queue) = place else { return &self.snap().server.limits };
        let found = self.snap().queues.iter().find(|row| row.name == self.queues[queue].name);
        found.map_or(&self.snap().server.limits, |queue| &queue.limits)
    }

    /// Returns the entity of a job in a scope.
    pub(crate) fn entity(&self, job: usize, place: Option<usize>, scope: LimitScope) -> Entity {
        let row = &self.jobs[job];
        let (at, name) = match scope {
            LimitScope::Group => (0, row.group.clone()),
            LimitScope::Project => (1, row.project.clone()),
            LimitScope::Overall => (2, "".into()),
            LimitScope::User => (3, row.user.clone()),
        };
        (place, at, name)
    }

    fn entities(&self, job: usize) -> Vec<Entity> {
        let places = [Some(self.jobs[job].queue), None];
        let of = |place| SCOPES.map(|scope| self.entity(job, place, scope));
        places.into_iter().flat_map(of).collect()
    }

    /// Adds a job to the counts, or subtracts it, by `sign`.
    pub(crate) fn count(&mut self, job: usize, sign: i64) {
        let requested = self.jobs[job].requested.clone();
        for entity in self.entities(job) {
            let row = self.counts.0.entry(entity).or_default();
            row.running += sign;
            for (id, amount) in requested.iter() {
                *row.used.entry(*id).or_default() += sign as f64 * amount;
            }
        }
    }

    /// Returns the limit that applies to an entity, its own or else the generic one, and whether it is its
    /// own.
    fn limit(
        &self,
        entity: &Entity,
        scope: LimitScope,
        resource: Option<ResourceId>,
        soft: bool,
    ) -> Option<(f64, bool)> {
        let entries = self.limits(entity.0).entries.iter();
        let of: Vec<_> = entries
            .filter(|entry| entry.scope == scope && entry.resource == resource && entry.soft == soft)
            .collect();
        let own = of.iter().rev().find(|entry| entry.entity.as_ref() == Some(&entity.2));
        let generic = of.iter().rev().find(|entry| entry.entity.is_none());
        own.or(generic).map(|entry| (entry.amount.0, entry.entity.is_some()))
    }

    fn limited_resources(&self, place: Option<usize>, soft: bool) -> BTreeSet<ResourceId> {
        let entries = self.limits(place).entries.iter();
        entries.filter(|entry| entry.soft == soft).filter_map(|entry| entry.resource).collect()
    }

    /// Returns all hard limits that a job would exceed, in the order of the checks.
    pub(crate) fn broken_limits(&self, job: usize) -> Vec<No> {
        let counts = self.most_counts(job);
        let places = [Some(self.jobs[job].queue), None];
        let mut broken = Vec::new();
        for place in places {
            for scope in SCOPES {
                let entity = self.entity(job, place, scope);
                let running = counts.0.get(&entity).map_or(0, |row| row.running);
                if let Some((limit, own)) = self.limit(&entity, scope, None, false)
                    && limit <= running as f64
                {
                    broken.push(No::new(Code::RunLimit(place, scope), self.run_text(&entity, scope, own)));
                }
            }
        }
        for place in places {
            for scope in SCOPES {
                for id in self.limited_resources(place, false) {
                    broken.extend(self.broken_resource(&counts, job, place, scope, id));
                }
            }
        }
        broken
    }

    fn broken_resource(
        &self,
        counts: &Counts,
        job: usize,
        place: Option<usize>,
        scope: LimitScope,
        id: ResourceId,
    ) -> Option<No> {
        let entity = self.entity(job, place, scope);
        let asked = *self.jobs[job].requested.get(&id)?;
        let used = counts.0.get(&entity).and_then(|row| row.used.get(&id)).copied().unwrap_or(0.0);
        let (limit, own) = self.limit(&entity, scope, Some(id), false)?;
        let breaks = used + asked > limit;
        breaks.then(|| {
            No::of(Code::ResourceLimit(place, scope), id, self.resource_text(&entity, scope, id, own))
        })
    }

    /// Returns the largest counts until a job's end, if something starts before it.
    fn most_counts(&self, job: usize) -> Counts {
        let mut most = self.counts.clone();
        let Some(end) = self.busy_until(self.ends_of(Who::Job(job)).0) else { return most };
        let mut copy = self.clone();
        for event in self.coming_later(end) {
            let Some(Who::Job(other)) = event.who else { continue };
            copy.count(other, if event.what == What::Start { 1 } else { -1 });
            for (entity, row) in &copy.counts.0 {
                let mine = most.0.entry(entity.clone()).or_default();
                mine.running = mine.running.max(row.running);
                for (id, used) in &row.used {
                    let have = mine.used.entry(*id).or_default();
                    *have = have.max(*used);
                }
            }
        }
        most
    }

    fn run_text(&self, (place, _, name): &Entity, scope: LimitScope, own: bool) -> String {
        let queue = place.map(|queue| self.queues[queue].name.clone());
        let word = scope_word(scope);
        match (queue, scope, own) {
            (None, LimitScope::Overall, _) => "Server job limit has been reached.".to_owned(),
            (Some(queue), LimitScope::Overall, _) => format!("Queue {queue} job limit has been reached."),
            (None, _, true) => format!("Server job limit reached for {word} {name}"),
            (Some(queue), _, true) => format!("Queue {queue} job limit reached for {word} {name}"),
            (None, LimitScope::User, _) => "User has reached server running job limit.".to_owned(),
            (None, LimitScope::Group, _) => "Group has reached server running limit.".to_owned(),
            (None, LimitScope::Project, _) => "Project has reached server running limit.".to_owned(),
            (Some(queue), LimitScope::User, _) => {
                format!("User has reached queue {queue} running job limit.")
            }
            (Some(queue), LimitScope::Group, _) => format!("Group has reached queue {queue} running limit."),
            (Some(queue), LimitScope::Project, _) => {
                format!("Project has reached queue {queue}'s running limit.")
            }
        }
    }

    fn resource_text(
        &self,
        (place, _, name): &Entity,
        scope: LimitScope,
        id: ResourceId,
        own: bool,
    ) -> String {
        let resource = self.snap().catalogue.name(id);
        let queue = place.map(|queue| self.queues[queue].name.clone());
        let whole = queue.as_ref().map_or("complex".to_owned(), |queue| format!("queue {queue}"));
        let word = scope_word(scope);
        match (queue, scope, own) {
            (_, LimitScope::Overall, _) => {
                format!("would exceed overall limit on resource {resource} in {whole}")
            }
            (_, _, true) => format!("would exceed {word} {name}'s limit on resource {resource} in {whole}"),
            (None, _, _) => format!("Server per-{word} limit reached on resource {resource}"),
            (Some(queue), _, _) => format!("Queue {queue} per-{word} limit reached on resource {resource}"),
        }
    }

    // ---- soft limits as remembered bits

    /// Tests all soft limits of a job's own entities after it started or ended, and remembers the results.
    pub(crate) fn mark_soft_limits(&mut self, job: usize) {
        for place in [None, Some(self.jobs[job].queue)] {
            for scope in SCOPES {
                let entity = self.entity(job, place, scope);
                if let Some((limit, _)) = self.limit(&entity, scope, None, true) {
                    let row = self.counts.0.entry(entity.clone()).or_default();
                    row.over = row.running as f64 > limit;
                }
                for id in self.limited_resources(place, true) {
                    if !self.jobs[job].requested.contains_key(&id) {
                        continue;
                    }
                    let Some((limit, _)) = self.limit(&entity, scope, Some(id), true) else { continue };
                    let row = self.counts.0.entry(entity.clone()).or_default();
                    let over = row.used.get(&id).copied().unwrap_or(0.0) > limit;
                    if over {
                        row.over_resource.insert(id);
                    } else {
                        row.over_resource.remove(&id);
                    }
                    if over && scope == LimitScope::Overall {
                        break;
                    }
                }
            }
        }
    }

    /// Returns whether, by the remembered bits, a job is over soft limits of the server, or of its queue.
    pub(crate) fn is_over_soft(&self, job: usize, place: Option<usize>) -> bool {
        SCOPES.into_iter().any(|scope| {
            let Some(row) = self.counts.0.get(&self.entity(job, place, scope)) else { return false };
            row.over || row.over_resource.iter().any(|id| self.jobs[job].requested.contains_key(id))
        })
    }

    pub(crate) fn has_soft_limits(&self, place: Option<usize>) -> bool {
        self.limits(place).entries.iter().any(|entry| entry.soft)
    }

    pub(crate) fn has_limits_of(&self, place: Option<usize>, scope: LimitScope) -> bool {
        self.limits(place).entries.iter().any(|entry| entry.scope == scope)
    }
}

fn scope_word(scope: LimitScope) -> &'static str {
    match scope {
        LimitScope::Group => "group",
        LimitScope::Project => "project",
        LimitScope::User => "user",
        LimitScope::Overall => "overall",
    }
}

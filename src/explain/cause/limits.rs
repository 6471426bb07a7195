//! Causes in limits and in resources of the queue or the server: the limit, its entity and place, amounts used and
//! requested, and the jobs counted.

mod holders;

use std::iter;

use crate::{Cause, JobTurn, Tier, words};
use qscope_engine::cluster::{Job, JobId, LimitEntry, LimitScope, Limits, Name, ResourceId, short_id};
use qscope_engine::cycle::{RefusalStage, at_subjob_limit, check_resources, limits_hit};
use qscope_engine::universe::{LimitHit, MeterKey, Reason, Shortage, ShortageDetail, entity_of};

use rustc_hash::FxHashSet;

use holders::LimitHolders;

/// Returns a cause for every limit that the job hits.
pub(super) fn causes(turn: &JobTurn) -> Vec<Cause> {
    let mut limits: Vec<(bool, Cause)> = limits_hit(turn.state(), turn.job, &turn.request)
        .iter()
        .filter_map(|rejection| match &rejection.reason {
            Reason::Limit(hit) => Some(limit(turn, hit)),
            _ => None,
        })
        .collect();
    // A limit under which the job never runs still holds it once the jobs counted by the others have ended.
    limits.sort_by_key(|(is_lasting, _)| !is_lasting);
    let mut found: Vec<Cause> = limits.into_iter().map(|(_, cause)| cause).collect();
    if at_subjob_limit(turn.state(), turn.job) {
        found.extend(subjobs(turn));
    }
    if let Err((stage, rejection)) = check_resources(turn.state(), turn.job, &turn.request)
        && !rejection.is_permanent
        && let Reason::QueueResource(shortage) | Reason::ServerResource(shortage) = &rejection.reason
    {
        found.push(resource(turn, stage, shortage));
    }
    found
}

/// Returns the cause for a limit, and whether the job alone requests more than it allows.
fn limit(turn: &JobTurn, hit: &LimitHit) -> (bool, Cause) {
    let plan = turn.plan();
    let snap = &plan.snap;
    let job = plan.job(turn.job);
    let resource = hit.resource.as_ref().and_then(|name| snap.catalogue.id(name));
    let queue = hit.queue.as_ref().and_then(|name| snap.queue_named(name));
    let limits = queue.map_or(&snap.server.limits, |id| &snap.queues[id].limits);
    let entity = entity_of(job, hit.scope);
    let key = MeterKey::Limit { queue, scope: hit.scope, entity: entity.clone(), resource };
    let used = plan.meters.meter(&key).map_or(0.0, |meter| turn.state().ledger.meters[meter]);
    let requested = resource.map_or(1.0, |id| job.requested.amount(id).map_or(0.0, |amount| amount.0));
    let amount = amount_of(limits, hit, resource);
    let show =
        |value: f64| resource.map_or(format!("{value:.0}"), |id| words::amount(&snap.catalogue, id, value));
    let attribute = limits.attribute(hit.scope, hit.resource.as_deref());
    let place = hit.queue.as_ref().map_or("at the server".to_owned(), |queue| format!("in queue {queue}"));
    let planned = if used + requested > amount { PlannedUse::default() } else { planned(turn, hit) };
    let left = (amount - used - planned.amount).max(0.0);
    let holders = LimitHolders::of(turn, hit);
    let with_planned = format!("{}{}", holders.books_only_note(), planned.words(&show));
    let who = EntityPhrase::of(hit.scope, &entity);
    let generic = generic(hit);
    let sentence = match &hit.resource {
        None => format!(
            "{} {} {}{with_planned} {place}, and {attribute} allows {}{generic}: nothing to do with free nodes",
            who.name,
            who.verb("runs", "run"),
            words::count(used as u64, "job"),
            show(amount),
        ),
        Some(resource) if requested > amount => format!(
            "{} requests {} {resource}, and {attribute} allows {} {} {place}{generic}: it never runs under this limit",
            job.short_name(),
            show(requested),
            who.name,
            show(amount)
        ),
        Some(resource) => format!(
            "{} {} {}{with_planned} of the {} {resource} that {attribute} allows {place}{generic}, and {} requests {} more: nothing to do with free nodes",
            who.name,
            who.verb("uses", "use"),
            show(used),
            show(amount),
            job.short_name(),
            show(requested)
        ),
    };
    let kind = if resource.is_none() { "run-limit" } else { "resource-limit" };
    let of_hit = [&hit.queue, &hit.resource].into_iter().flatten().map(ToString::to_string);
    let objects: Vec<String> = iter::once(attribute).chain(of_hit).chain([entity.to_string()]).collect();
    // The same attribute in another place or for another entity is another limit.
    let of_limit = format!("{place} {}", objects.join(" "));
    let whose = Some(entity_label(hit, &entity));
    let because = Some(format!("{} {place}", who.name));
    let cause = Cause { one_row: Some(of_limit), whose, because, ..Cause::new(Tier::Limit, kind, sentence) }
        .with_objects(objects)
        .number("limit", show(amount))
        .number("used", show(used))
        .number("left", show(left))
        .number("wanted", show(requested));
    let cause = if planned.jobs.is_empty() { cause } else { cause.number("planned", show(planned.amount)) };
    (requested > amount, holders.named(cause, turn, &planned.jobs))
}

/// Lists jobs by short id, folded, with a count of the rest.
fn shorts(jobs: &[String]) -> String {
    words::folded_within(jobs.iter().map(|name| short_id(name)), 60)
}

/// Amounts of a limit that top jobs hold from their planned starts.
#[derive(Default)]
struct PlannedUse {
    jobs: Vec<String>,
    amount: f64,
}

impl PlannedUse {
    /// Returns the amount as part of the sentence of the limit; empty if nothing is planned.
    fn words(&self, show: &dyn Fn(f64) -> String) -> String {
        if self.jobs.is_empty() { String::new() } else { format!(" with {} more planned", show(self.amount)) }
    }
}

/// Returns the top jobs ahead of this one that the limit counts together with it and that start before it would end.
fn planned(turn: &JobTurn, hit: &LimitHit) -> PlannedUse {
    let plan = turn.plan();
    let end = turn.state().now + turn.request.duration;
    let resource = hit.resource.as_ref().and_then(|name| plan.snap.catalogue.id(name));
    let mut found = PlannedUse::default();
    for step in turn.run.steps.iter().take_while(|step| step.outcome.job != turn.job) {
        let other = plan.job(step.outcome.job);
        let starts = step.outcome.estimate.as_ref().is_some_and(|top| top.start < end);
        let amount = resource.map_or(Some(1.0), |id| Some(other.requested.amount(id)?.0));
        if let Some(amount) = amount.filter(|_| starts && counts(turn, hit, other)) {
            found.jobs.push(step.outcome.name(&plan.snap));
            found.amount += amount;
        }
    }
    found
}

/// Whether a limit counts a job together with the job of this turn.
fn counts(turn: &JobTurn, hit: &LimitHit, other: &Job) -> bool {
    hit.queue.as_ref().is_none_or(|queue| *queue == other.queue)
        && entity_of(other, hit.scope) == entity_of(turn.plan().job(turn.job), hit.scope)
}

/// Returns the jobs, in any state, counted by the limits that stop this one; for the limit of subjobs, those of its
/// own array.
pub(crate) fn counted(turn: &JobTurn) -> FxHashSet<JobId> {
    let snap = &turn.plan().snap;
    let hits = limits_hit(turn.state(), turn.job, &turn.request);
    let hits: Vec<&LimitHit> = hits
        .iter()
        .filter_map(|rejection| match &rejection.reason {
            Reason::Limit(hit) => Some(&**hit),
            _ => None,
        })
        .collect();
    let array = at_subjob_limit(turn.state(), turn.job).then(|| &snap.jobs[turn.job].name);
    let is_of_array = |id: JobId, job: &Job| {
        let parent = job.array.as_ref().and_then(|array| array.parent.as_ref());
        array.is_some_and(|array| id == turn.job || parent == Some(array))
    };
    let is_counted = |id: JobId, job: &Job| {
        is_of_array(id, job) || hits.iter().any(|hit| counts(turn, hit, job) && has_some(turn, hit, job))
    };
    snap.jobs.enumerate().filter(|(id, job)| is_counted(*id, job)).map(|(id, _)| id).collect()
}

/// Whether a job requests some of the limited resource.
fn has_some(turn: &JobTurn, hit: &LimitHit, other: &Job) -> bool {
    let resource = hit.resource.as_ref().and_then(|name| turn.plan().snap.catalogue.id(name));
    resource.is_none_or(|id| other.requested.amount(id).is_some_and(|amount| amount.0 > 0.0))
}

/// Names the entity and the queue of a limit in the letters of its attribute: `alice`, `g:carol special`, `all small`.
fn entity_label(hit: &LimitHit, entity: &Name) -> String {
    let who = match hit.scope {
        LimitScope::User => entity.to_string(),
        LimitScope::Group => format!("g:{entity}"),
        LimitScope::Project => format!("p:{entity}"),
        LimitScope::Overall => "all".to_owned(),
    };
    hit.queue.as_ref().map_or(who.clone(), |queue| format!("{who} {queue}"))
}

/// States whether a limit is the same for all entities of its scope.
fn generic(hit: &LimitHit) -> &'static str {
    match (hit.scope, hit.entity.is_some()) {
        (LimitScope::Overall, _) | (_, true) => "",
        (LimitScope::User, false) => ", as for every user",
        (LimitScope::Group, false) => ", as for every group",
        (LimitScope::Project, false) => ", as for every project",
    }
}

/// The entity that a limit applies to.
struct EntityPhrase {
    name: String,
    is_plural: bool,
}

impl EntityPhrase {
    fn of(scope: LimitScope, entity: &Name) -> Self {
        let name = match scope {
            LimitScope::User => format!("user {entity}"),
            LimitScope::Group => format!("group {entity}"),
            LimitScope::Project => format!("project {entity}"),
            LimitScope::Overall => "all users together".to_owned(),
        };
        Self { name, is_plural: scope == LimitScope::Overall }
    }

    /// Returns the matching form of a verb.
    fn verb(&self, of_one: &'static str, of_many: &'static str) -> &'static str {
        if self.is_plural { of_many } else { of_one }
    }
}

/// Returns the amount of the entry that was hit.
fn amount_of(limits: &Limits, hit: &LimitHit, resource: Option<ResourceId>) -> f64 {
    let of_hit = limits.entries.iter().filter(|entry| is_hit(entry, hit, resource));
    of_hit.map(|entry| entry.amount.0).fold(f64::INFINITY, f64::min)
}

/// Whether an entry is the one that was hit. A soft limit keeps no job waiting.
pub(crate) fn is_hit(entry: &LimitEntry, hit: &LimitHit, resource: Option<ResourceId>) -> bool {
    !entry.soft && entry.scope == hit.scope && entry.entity == hit.entity && entry.resource == resource
}

/// Returns the cause for an array that runs its maximum number of subjobs.
fn subjobs(turn: &JobTurn) -> Option<Cause> {
    let job = turn.plan().job(turn.job);
    let limit = job.array.as_ref()?.max_run_subjobs?;
    let running = turn.state().ledger.running_subjobs[turn.job];
    let sentence = format!(
        "{running} of {limit} subjobs of {} run, as many as the array allows itself (max_run_subjobs, the % of -J)",
        job.short_name()
    );
    let cause = Cause::new(Tier::Limit, "subjob-limit", sentence)
        .with_explanation(format!("-J with %{limit} allows no more"))
        .with_objects(["max_run_subjobs".to_owned(), job.name.to_string()])
        .number("limit", limit)
        .number("used", running);
    Some(cause)
}

/// Returns the cause for a resource shortage at the queue or the server.
fn resource(turn: &JobTurn, stage: RefusalStage, shortage: &Shortage) -> Cause {
    let plan = turn.plan();
    let catalogue = &plan.snap.catalogue;
    let name = catalogue.name(shortage.resource);
    let job = plan.job(turn.job);
    let at_queue = stage == RefusalStage::QueueResources;
    let place = if at_queue { format!("queue {}", job.queue) } else { "the server".to_owned() };
    let (tier, kind) =
        if at_queue { (Tier::Limit, "queue-resource") } else { (Tier::Short, "server-resource") };
    let users: Vec<String> = users_of(turn, shortage.resource, at_queue);
    let ShortageDetail::Amounts { requested, available, total } = &shortage.detail else {
        return Cause::new(
            tier,
            kind,
            format!("{place} does not have the {name} requested by {}", job.short_name()),
        );
    };
    let show = |value: f64| words::amount(catalogue, shortage.resource, value);
    let sentence = format!(
        "{} of {} {name} left at {place}, {} requests {}",
        show(available.0),
        show(total.0),
        job.short_name(),
        show(requested.0)
    );
    let queue = at_queue.then(|| job.queue.to_string());
    let held = (!users.is_empty()).then(|| format!("held by {}", shorts(&users)));
    Cause::new(tier, kind, sentence)
        .with_objects([name.to_string()])
        .set_by([format!("resources_available.{name}")])
        .with_objects(queue)
        .with_objects(users.into_iter().take(3))
        .number("wanted", show(requested.0))
        .number("available", show(available.0))
        .number("total", show(total.0))
        .with_explanation(held.clone())
        .note(held)
}

fn users_of(turn: &JobTurn, resource: ResourceId, in_queue: bool) -> Vec<String> {
    let plan = turn.plan();
    let queue = &plan.job(turn.job).queue;
    let uses = |id: &JobId| {
        let job = plan.job(*id);
        job.state.has_nodes()
            && (!in_queue || job.queue == *queue)
            && job.requested.amount(resource).is_some_and(|amount| amount.0 > 0.0)
    };
    plan.snap.jobs.ids().filter(uses).map(|id| plan.job(id).name.to_string()).collect()
}

//! Candidates for preemption by a job, and their order (rule 6.10).

use crate::cluster::{Job, JobId, LimitScope, Name, ResourceId, ResourceList, Value};
use crate::universe::{
    ChunkShape, JobRequest, LimitHit, NodeSet, Reason, RunningJob, ShapeId, SigId, Spec, State, entity_of,
    same_text,
};

use super::agenda::Agenda;

/// Which jobs a job may preempt (`preempt_targets`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PreemptTargets {
    /// Any job.
    All,
    /// No job.
    NoJob,
    /// Jobs that match one of these words.
    Some(Vec<Name>),
}

impl PreemptTargets {
    /// Reads a job's `preempt_targets` resource.
    pub(super) fn of(state: &State, job: JobId) -> Self {
        if !state.plan.snap.scheduler.preempt_targets_enable {
            return Self::All;
        }
        let value = state.plan.job(job).requested.get(ResourceId::preempt_targets());
        let words: Vec<Name> = value.map(|value| value.texts().to_vec()).unwrap_or_default();
        let is_none = |word: &Name| word.trim().eq_ignore_ascii_case("none");
        match words.as_slice() {
            [] => Self::All,
            words if words.iter().any(is_none) => Self::NoJob,
            words => Self::Some(words.to_vec()),
        }
    }

    fn allow(&self, state: &State, victim: JobId) -> bool {
        match self {
            Self::All => true,
            Self::NoJob => false,
            Self::Some(words) => words.iter().any(|word| is_target(state, victim, word.trim())),
        }
    }
}

/// Whether `queue=Q` or `Resource_List.R=v` matches a job.
fn is_target(state: &State, victim: JobId, word: &str) -> bool {
    let Some((what, value)) = word.split_once('=') else { return false };
    let job = state.plan.job(victim);
    if what.trim().eq_ignore_ascii_case("queue") {
        return *job.queue == *value.trim();
    }
    let catalogue = &state.plan.snap.catalogue;
    let Some((_, resource)) = what.trim().split_once('.') else { return false };
    let Some(resource) = catalogue.id(resource) else { return false };
    let kind = catalogue.kind(resource);
    let value = Value::parse_direct(kind, value.trim()).map(|value| value.show(kind));
    let have = job.requested.get(resource).map(|value| value.show(kind));
    have.is_some_and(|have| value.is_ok_and(|value| value == have))
}

/// Returns the running jobs that a job may examine as victims, in order: lowest preemption level first, then most
/// recently started. Jobs of a reservation are left out unless the job itself is in it. Ties are ordered queue by
/// queue: when sorted by time, in the order queues are served and each queue in its last sorted order; otherwise in
/// the order they were read (rule M30).
pub(super) fn candidates(
    state: &State,
    agenda: &Agenda,
    job: JobId,
    targets: &PreemptTargets,
) -> Vec<RunningJob> {
    let plan = &state.plan;
    let own = plan.reservation_of(job);
    let is_elsewhere = |running| plan.reservation_of(running).is_some_and(|other| own != Some(other));
    let mut found = state.running_jobs(|running| !is_elsewhere(running) && targets.allow(state, running));
    let level = |running: &RunningJob| state.ledger.levels[running.job].priority;
    let by_time = &*plan.snap.scheduler.preempt_sort == "min_time_since_start";
    let places = by_time.then(|| agenda.places_by_queue());
    let place = |job: JobId| places.as_ref().map_or(0, |places| places[job]);
    let age = |job| if by_time { state.now.0 - state.started(job).0 } else { 0 };
    found.sort_by_cached_key(|running| {
        let job = running.job;
        (level(running), age(job), place(job), plan.queue_of(job), job)
    });
    found
}

/// Whether a running job is on the candidate list for a reason: for limits, jobs of the same owner or queue; for
/// shortages, jobs that request the resource; for any other reason, all jobs.
pub(super) fn is_drawn(state: &State, job: JobId, victim: &RunningJob, reason: &Reason) -> bool {
    let plan = &state.plan;
    let (of, other) = (plan.job(job), plan.job(victim.job));
    let requests = |resource: ResourceId| other.requested.get(resource).is_some();
    match reason {
        Reason::Limit(hit) => is_under_limit(state, job, victim.job, hit),
        Reason::QueueResource(shortage) => of.queue == other.queue && requests(shortage.resource),
        Reason::ServerResource(shortage) => requests(shortage.resource),
        Reason::Resource(shortage) => holds_resource(state, job, victim, shortage.resource),
        _ => true,
    }
}

/// Whether a running job has some of the resource that nodes lack: it is on a node that is requested by name, or one
/// of its chunks takes some of the amount. Every job has non-consumable resources.
fn holds_resource(state: &State, job: JobId, victim: &RunningJob, resource: ResourceId) -> bool {
    let plan = &state.plan;
    if resource.is_node_name() {
        return is_on_named_node(state, job, victim, resource);
    }
    if !plan.snap.catalogue.kind(resource).is_consumable() {
        return true;
    }
    let Ok(request) = &plan.requests[victim.job] else { return false };
    let takes = |spec: &Spec| {
        let mut amounts = plan.shapes[spec.shape].amounts();
        amounts.any(|(have, amount)| have == resource && amount.0 > 0.0)
    };
    request.specs.iter().any(takes)
}

fn is_on_named_node(state: &State, job: JobId, victim: &RunningJob, resource: ResourceId) -> bool {
    let plan = &state.plan;
    // A job that started in this cycle is resumed by the names of its vnodes.
    if let Some(left) = state.ledger.former_allocations[job].as_ref().filter(|_| state.ledger.returns(job))
        && resource == ResourceId::vnode()
    {
        return left.nodes().iter().any(|bit| victim.allocation.pieces.iter().any(|piece| piece.bit == *bit));
    }
    let Ok(request) = plan.request(job, state.ledger.preempted[job]) else { return false };
    let requested = request.specs.iter().filter_map(|spec| plan.shapes[spec.shape].requirement(resource));
    let names: Vec<&Name> = requested.filter_map(|requirement| requirement.text()).collect();
    victim.allocation.nodes().into_iter().any(|bit| {
        let have = plan.node(bit).available.get(resource);
        let have = have.map(Value::texts).unwrap_or_default();
        have.iter().any(|text| names.iter().any(|name| same_text(resource, text, name)))
    })
}

/// Whether two reasons have the same code and concern the same resource.
pub(super) fn are_alike(one: &Reason, other: &Reason) -> bool {
    match (one, other) {
        (Reason::Limit(a), Reason::Limit(b)) => {
            (a.scope, a.entity.is_some(), a.queue.is_some(), &a.resource)
                == (b.scope, b.entity.is_some(), b.queue.is_some(), &b.resource)
        }
        (Reason::QueueResource(a), Reason::QueueResource(b))
        | (Reason::ServerResource(a), Reason::ServerResource(b))
        | (Reason::Resource(a), Reason::Resource(b)) => a.resource == b.resource,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

/// Whether a victim is relevant to the reason for which the job did not run: same owner and queue for a limit, a
/// resource that the queue or server bounds, or otherwise a node that the job is to use.
pub(super) fn is_relevant_victim(
    state: &State,
    job: JobId,
    victim: &RunningJob,
    reason: &Reason,
    goes_to: &NodeSet,
) -> bool {
    let plan = &state.plan;
    let (of, other) = (plan.job(job), plan.job(victim.job));
    let any_of = |available: &ResourceList| {
        available.iter().any(|(resource, _)| other.requested.get(resource).is_some())
    };
    match reason {
        // Whether the victim requests the limited resource does not matter here, and projects are compared by project
        // (rule M22).
        Reason::Limit(hit) => applies_to_both(of, other, hit, hit.scope),
        Reason::QueueResource(_) => {
            let queue = plan.queue_of(job);
            of.queue == other.queue && queue.is_none_or(|queue| any_of(&plan.snap.queues[queue].available))
        }
        Reason::ServerResource(_) => any_of(&plan.snap.server.available),
        Reason::NoFreeNodes
        | Reason::Resource(_)
        | Reason::NodeNotExclusive
        | Reason::SetTooSmall(_)
        | Reason::NoNodeResources
        | Reason::Conflict => victim.allocation.pieces.iter().any(|piece| goes_to.contains(piece.bit)),
        // For any other reason every victim counts as relevant (rule M44).
        _ => true,
    }
}

/// Whether preempting this job could help whatever the reason is for which the placement of the request is refused.
pub(super) fn always_helps(state: &State, request: &JobRequest, victim: JobId) -> bool {
    let plan = &state.plan;
    let names = |resource| request.has_requirement(&plan.shapes, resource);
    // A chunk that names its node is helped only by jobs on that node.
    if names(ResourceId::host()) || names(ResourceId::vnode()) {
        return false;
    }
    let requested = request.specs.iter().flat_map(|spec| &plan.shapes[spec.shape].requests);
    let mut all =
        requested.map(|(resource, _)| *resource).chain(request.totals.iter().map(|(resource, _)| *resource));
    let uses = |resource: ResourceId| plan.job(victim).requested.amount(resource).is_some_and(|a| a.0 > 0.0);
    all.all(|resource| !plan.snap.catalogue.kind(resource).is_consumable() || uses(resource))
}

/// Whether a limit hit by one job also counts the other. A server limit on a resource per project is matched by user.
fn is_under_limit(state: &State, job: JobId, victim: JobId, hit: &LimitHit) -> bool {
    let plan = &state.plan;
    let (of, other) = (plan.job(job), plan.job(victim));
    let by_user = hit.scope == LimitScope::Project && hit.queue.is_none() && hit.resource.is_some();
    let scope = if by_user { LimitScope::User } else { hit.scope };
    let uses = hit.resource.as_ref().is_none_or(|name| {
        let amount = plan.snap.catalogue.id(name).and_then(|resource| other.requested.amount(resource));
        amount.is_some_and(|amount| scope != LimitScope::Overall || amount.0 > 0.0)
    });
    applies_to_both(of, other, hit, scope) && uses
}

/// Whether a limit of this scope hit by one job also applies to the owner and queue of the other.
fn applies_to_both(of: &Job, other: &Job, hit: &LimitHit, scope: LimitScope) -> bool {
    let same_entity = scope == LimitScope::Overall || entity_of(of, scope) == entity_of(other, scope);
    same_entity && hit.queue.as_ref().is_none_or(|queue| *queue == other.queue)
}

/// Whether at least one of the victim's nodes could hold a whole chunk of the request if it were empty, and none of
/// them is gone (rule 11, item 15). For vnodes of hosts with several vnodes only non-consumable resources are
/// checked.
pub(super) fn has_useful_node(state: &State, request: &JobRequest, victim: &RunningJob) -> bool {
    let plan = &state.plan;
    let nodes = || victim.allocation.pieces.iter().map(|piece| piece.bit);
    let named = |shape, bit| {
        plan.shapes[shape].conditions().all(|(resource, requirement)| {
            if !resource.is_node_name() {
                return true;
            }
            let have = plan.node(bit).available.get(*resource);
            let texts = have.map(Value::texts).unwrap_or_default();
            requirement.text().is_none_or(|value| texts.iter().any(|text| same_text(*resource, text, value)))
        })
    };
    let fits = |shape, bit| {
        let sig = plan.nodes[bit].sig;
        if plan.multi_vnode.exists && plan.masks.on_shared_host.contains(bit) {
            let conditions = plan.shapes[shape].conditions().count();
            conditions == 0 || plan.fit_nodes(shape).contains(bit) || fits_conditions(state, shape, sig)
        } else {
            plan.fit_nodes(shape).contains(bit)
        }
    };
    !nodes().any(|bit| state.occupancy.states[bit].is_gone())
        && nodes().any(|bit| request.specs.iter().any(|spec| fits(spec.shape, bit) && named(spec.shape, bit)))
}

/// Whether a node signature meets all non-consumable requests of a chunk.
fn fits_conditions(state: &State, shape: ShapeId, sig: SigId) -> bool {
    let plan = &state.plan;
    let requests = plan.shapes[shape].conditions().cloned().collect();
    plan.signatures[sig].fit(&ChunkShape { requests }, &plan.unset_ok).fits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule M22: which jobs a limit counts depends on owner and queue only; a server limit on projects is matched by
    /// project.
    #[test]
    fn who_a_limit_counts_is_no_matter_of_requests() {
        let job = |user: &str, project: &str| Job {
            user: user.into(),
            project: project.into(),
            queue: "workq".into(),
            ..Job::default()
        };
        let hit = |queue: Option<&str>| LimitHit {
            scope: LimitScope::Project,
            entity: None,
            resource: Some("ngpus".into()),
            queue: queue.map(Name::from),
        };
        let counts = |other: &Job, queue: Option<&str>| {
            applies_to_both(&job("a", "p"), other, &hit(queue), LimitScope::Project)
        };
        assert!(counts(&job("b", "p"), None));
        assert!(!counts(&job("a", "q"), None));
        assert!(counts(&job("b", "p"), Some("workq")));
        assert!(!counts(&job("b", "p"), Some("other")));
    }
}

//! Which running jobs may be preempted for a job, and in which order (rule 6.10).

use crate::cluster::{Job, JobId, LimitScope, Name, ResourceId, ResourceList, Value};
use crate::universe::{
    JobRequest, LimitHit, NodeSet, Reason, RunningJob, Shape, ShapeId, SigId, Spec, State, entity_of,
    same_text,
};

use super::agenda::Agenda;

/// Which jobs a job may preempt (`preempt_targets`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Targets {
    /// Any job.
    All,
    /// No job.
    NoJob,
    /// Those that match one of these.
    Some(Vec<Name>),
}

impl Targets {
    /// Reads the resource of a job.
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

/// Whether `queue=Q` or `Resource_List.R=v` holds for a job.
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

/// The running jobs that a job may examine, in the order in which they are: lowest level first, then the most recently
/// started. None of them is in a reservation that the job itself is not in. Equal ones stand queue after queue: by time in
/// the order in which queues are served, and within each as its list was sorted last, else as they were read (rule M30).
pub(super) fn candidates(state: &State, agenda: &Agenda, job: JobId, targets: &Targets) -> Vec<RunningJob> {
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

/// Whether a job stands on the list that is drawn for a reason: limits need jobs of the same owner or queue, shortages
/// jobs that request the resource, any other reason any job.
pub(super) fn is_drawn(state: &State, job: JobId, victim: &RunningJob, reason: &Reason) -> bool {
    let plan = &state.plan;
    let (of, other) = (plan.job(job), plan.job(victim.job));
    let requests = |resource: ResourceId| other.requested.get(resource).is_some();
    match reason {
        Reason::Limit(hit) => is_under_limit(state, job, victim.job, hit),
        Reason::QueueResource(shortage) => of.queue == other.queue && requests(shortage.resource),
        Reason::ServerResource(shortage) => requests(shortage.resource),
        Reason::Resource(shortage) => has_some_of(state, job, victim, shortage.resource),
        _ => true,
    }
}

/// Whether a job has something of what nodes lack: it is on a node that is requested by name, or one of its chunks
/// takes some of the amount; what is not consumed any job has.
fn has_some_of(state: &State, job: JobId, victim: &RunningJob, resource: ResourceId) -> bool {
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
    // A job that started in this cycle goes back by the names of its vnodes.
    if let Some(left) = state.ledger.left[job].as_ref().filter(|_| state.ledger.returns(job))
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

/// Whether two reasons have the same code, and are about the same resource.
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

/// Whether a victim has to do with a reason for which the job did not run: owner and queue of a limit, what the queue or
/// the server has only so much of, or else a node in common with where the job goes.
pub(super) fn has_to_do(
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
        // Whether what it limits is requested does not matter here, and the project is its own (rule M22).
        Reason::Limit(hit) => counts_both(of, other, hit, hit.scope),
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
        // A reason that is not known here: whoever was taken has to do with it (rule M44).
        _ => true,
    }
}

/// Whether taking a job could do anything about the reasons for which a placement of this request may be refused.
pub(super) fn always_helps(state: &State, request: &JobRequest, victim: JobId) -> bool {
    let plan = &state.plan;
    let names = |resource| request.has_requirement(&plan.shapes, resource);
    // For a chunk that names its node only jobs on that node help.
    if names(ResourceId::host()) || names(ResourceId::vnode()) {
        return false;
    }
    let requested = request.specs.iter().flat_map(|spec| &plan.shapes[spec.shape].requests);
    let mut all =
        requested.map(|(resource, _)| *resource).chain(request.totals.iter().map(|(resource, _)| *resource));
    let uses = |resource: ResourceId| plan.job(victim).requested.amount(resource).is_some_and(|a| a.0 > 0.0);
    all.all(|resource| !plan.snap.catalogue.kind(resource).is_consumable() || uses(resource))
}

/// Whether a limit that one job hits counts the other as well. What the server allows each project of a resource is
/// drawn by users.
fn is_under_limit(state: &State, job: JobId, victim: JobId, hit: &LimitHit) -> bool {
    let plan = &state.plan;
    let (of, other) = (plan.job(job), plan.job(victim));
    let by_user = hit.scope == LimitScope::Project && hit.queue.is_none() && hit.resource.is_some();
    let scope = if by_user { LimitScope::User } else { hit.scope };
    let uses = hit.resource.as_ref().is_none_or(|name| {
        let amount = plan.snap.catalogue.id(name).and_then(|resource| other.requested.amount(resource));
        amount.is_some_and(|amount| scope != LimitScope::Overall || amount.0 > 0.0)
    });
    counts_both(of, other, hit, scope) && uses
}

/// Whether a limit of this scope that one job hits is one on the owner and in the queue of the other as well.
fn counts_both(of: &Job, other: &Job, hit: &LimitHit, scope: LimitScope) -> bool {
    let same_entity = scope == LimitScope::Overall || entity_of(of, scope) == entity_of(other, scope);
    same_entity && hit.queue.as_ref().is_none_or(|queue| *queue == other.queue)
}

/// Whether one of a job's nodes could hold a whole chunk of the other if it were empty (rule 11, item 15),
/// and none of them is gone. Of the vnodes of a host that has several only what is not consumed is asked.
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
        if plan.multi_vnode.found && plan.masks.on_shared_host.contains(bit) {
            let conditions = plan.shapes[shape].conditions().count();
            conditions == 0 || plan.fit_nodes(shape).contains(bit) || fits_conditions(state, shape, sig)
        } else {
            plan.fit_nodes(shape).contains(bit)
        }
    };
    !nodes().any(|bit| state.floor.states[bit].is_gone())
        && nodes().any(|bit| request.specs.iter().any(|spec| fits(spec.shape, bit) && named(spec.shape, bit)))
}

/// Whether a signature meets everything of a chunk that is not consumed.
fn fits_conditions(state: &State, shape: ShapeId, sig: SigId) -> bool {
    let plan = &state.plan;
    let requests = plan.shapes[shape].conditions().cloned().collect();
    plan.signatures[sig].fit(&Shape { requests }, &plan.unset_ok).fits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule M22: whom a limit counts goes by owner and queue alone, that of the server on projects by project.
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
            counts_both(&job("a", "p"), other, &hit(queue), LimitScope::Project)
        };
        assert!(counts(&job("b", "p"), None));
        assert!(!counts(&job("a", "q"), None));
        assert!(counts(&job("b", "p"), Some("workq")));
        assert!(!counts(&job("b", "p"), Some("other")));
    }
}

//! Which running jobs may be preempted for a job, and in which order (rule 6.10).

use crate::cluster::{JobId, LimitScope, Name, ResourceId, Value};
use crate::universe::{JobRequest, LimitHit, NodeSet, Reason, RunningJob, State, entity_of, same_text};

use super::agenda::Agenda;

/// Which jobs a job may preempt (`preempt_targets`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Targets {
    /// Any job.
    All,
    /// No job.
    Nobody,
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
        let nobody = |word: &Name| word.trim().eq_ignore_ascii_case("none");
        match words.as_slice() {
            [] => Self::All,
            words if words.iter().any(nobody) => Self::Nobody,
            words => Self::Some(words.to_vec()),
        }
    }

    fn allow(&self, state: &State, victim: JobId) -> bool {
        match self {
            Self::All => true,
            Self::Nobody => false,
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

/// Running jobs of lower levels that a job may examine: lowest level first, then the most recently started,
/// or in the order of the dump.
pub(super) fn candidates(state: &State, agenda: &Agenda, job: JobId, targets: &Targets) -> Vec<RunningJob> {
    let own = agenda.priority_in(state, job);
    let plan = &state.plan;
    let reservation = plan.reservation_of(job);
    let mut found: Vec<RunningJob> = state.running_jobs(|running| {
        agenda.priority_in(state, running) < own
            && plan.reservation_of(running) == reservation
            && targets.allow(state, running)
    });
    let by_time = &*plan.snap.scheduler.preempt_sort == "min_time_since_start";
    found.sort_by_key(|running| {
        let age = if by_time { state.now.0 - state.started(running.job).0 } else { 0 };
        (agenda.priority_in(state, running.job), age)
    });
    found
}

/// Whether taking a job could do anything about a reason: limits need jobs of the same owner or queue,
/// shortages jobs that request the resource.
pub(super) fn helps(state: &State, job: JobId, victim: JobId, reason: &Reason) -> bool {
    let plan = &state.plan;
    let uses = |resource: ResourceId| plan.job(victim).requested.amount(resource).is_some_and(|a| a.0 > 0.0);
    let same_queue = || plan.job(job).queue == plan.job(victim).queue;
    let consumable = |resource: ResourceId| plan.snap.catalogue.kind(resource).is_consumable();
    match reason {
        Reason::Limit(hit) => is_under_limit(state, job, victim, hit),
        Reason::QueueResource(shortage) => same_queue() && uses(shortage.resource),
        Reason::ServerResource(shortage) => uses(shortage.resource),
        Reason::Resource(shortage) => !consumable(shortage.resource) || uses(shortage.resource),
        _ => true,
    }
}

/// Whether taking a job could do anything about the reasons for which a placement of this request may be refused.
pub(super) fn always_helps(state: &State, request: &JobRequest, victim: JobId) -> bool {
    let plan = &state.plan;
    let requested = request.specs.iter().flat_map(|spec| &plan.shapes[spec.shape].requests);
    let mut all =
        requested.map(|(resource, _)| *resource).chain(request.totals.iter().map(|(resource, _)| *resource));
    let uses = |resource: ResourceId| plan.job(victim).requested.amount(resource).is_some_and(|a| a.0 > 0.0);
    all.all(|resource| !plan.snap.catalogue.kind(resource).is_consumable() || uses(resource))
}

/// Whether a limit that one job hits counts the other as well.
fn is_under_limit(state: &State, job: JobId, victim: JobId, hit: &LimitHit) -> bool {
    let plan = &state.plan;
    let (of, other) = (plan.job(job), plan.job(victim));
    let same_entity =
        hit.scope == LimitScope::Overall || entity_of(of, hit.scope) == entity_of(other, hit.scope);
    let same_place = hit.queue.as_ref().is_none_or(|queue| *queue == other.queue);
    let uses = hit.resource.as_ref().is_none_or(|name| {
        let resource = plan.snap.catalogue.id(name);
        resource.and_then(|r| other.requested.amount(r)).is_some_and(|amount| amount.0 > 0.0)
    });
    same_entity && same_place && uses
}

/// The nodes that a job may use: its queue's own, else those of no queue.
pub(super) fn own_list(state: &State, job: JobId) -> &NodeSet {
    let plan = &state.plan;
    let queue = plan.queue_of(job);
    let own = queue.map(|queue| &plan.queue_nodes[queue]).filter(|nodes| !nodes.is_empty());
    own.unwrap_or(&plan.unbound)
}

/// Whether one of a job's nodes could hold a whole chunk of the other if it were empty (rule 11, item 15),
/// and none of them is gone.
pub(super) fn has_useful_node(state: &State, job: JobId, request: &JobRequest, victim: &RunningJob) -> bool {
    let plan = &state.plan;
    let nodes = victim.allocation.nodes();
    let list = own_list(state, job);
    let named = |shape, bit| {
        plan.shapes[shape].conditions().all(|(resource, requirement)| {
            if *resource != ResourceId::host() && *resource != ResourceId::vnode() {
                return true;
            }
            let have = plan.snap.nodes[plan.nodes[bit].id].available.get(*resource);
            let texts = have.map(Value::texts).unwrap_or_default();
            requirement.text().is_none_or(|value| texts.iter().any(|text| same_text(*resource, text, value)))
        })
    };
    let fits = |shape, bit| {
        let sig = plan.nodes[bit].sig;
        if plan.multi_vnode.found {
            let conditions = plan.shapes[shape].conditions().count();
            conditions == 0 || plan.fit_nodes(shape).contains(bit) || fits_conditions(state, shape, sig)
        } else {
            plan.fit_nodes(shape).contains(bit)
        }
    };
    !nodes.iter().any(|bit| state.floor.states[*bit].is_gone())
        && nodes
            .iter()
            .filter(|bit| list.contains(**bit))
            .any(|bit| request.specs.iter().any(|spec| fits(spec.shape, *bit) && named(spec.shape, *bit)))
}

/// Whether a signature meets everything of a chunk that is not consumed.
fn fits_conditions(state: &State, shape: crate::universe::ShapeId, sig: crate::universe::SigId) -> bool {
    let plan = &state.plan;
    let requests = plan.shapes[shape].conditions().cloned().collect();
    plan.signatures[sig].fit(&crate::universe::Shape { requests }, &plan.unset_ok).fits()
}

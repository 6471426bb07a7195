//! Limits, and the resources of the queue and the server (rules 6.4 steps 3, 8, 9 and 6.6).

use std::ops::ControlFlow;

use crate::cluster::{
    Amount, Epoch, JobId, LimitEntry, LimitScope, Limits, QueueId, ResourceList, ResourceType, Value,
};
use crate::universe::{
    EventKind, JobRequest, LimitHit, MeterIx, MeterKey, Plan, Reason, Rejection, Shortage, State, entity_of,
};

use super::outcome::RefusalStage;

/// The order in which scopes are checked.
const SCOPES: [LimitScope; 4] =
    [LimitScope::Group, LimitScope::Project, LimitScope::Overall, LimitScope::User];

/// Checks a job against all limits: run limits of the queue, then of the server, then resource limits of the queue,
/// then of the server. A job started by qrun is exempt (rule 6.11).
///
/// # Errors
/// The first limit hit.
pub(super) fn check_limits(state: &State, job: JobId, request: &JobRequest) -> Result<(), Rejection> {
    let mut first = None;
    LimitCheck { state, job, end: state.now + request.duration }.all(&mut |rejection| {
        first = Some(rejection);
        ControlFlow::Break(())
    });
    first.map_or(Ok(()), Err)
}

/// Returns every limit that a job hits, in the order they are checked.
pub fn limits_hit(state: &State, job: JobId, request: &JobRequest) -> Vec<Rejection> {
    let mut hits = Vec::new();
    LimitCheck { state, job, end: state.now + request.duration }.all(&mut |rejection| {
        hits.push(rejection);
        ControlFlow::Continue(())
    });
    hits
}

struct LimitCheck<'a> {
    state: &'a State,
    job: JobId,
    end: Epoch,
}

impl LimitCheck<'_> {
    /// Checks all limits in order and calls `on_hit` for every hit until it breaks.
    fn all(&self, on_hit: &mut dyn FnMut(Rejection) -> ControlFlow<()>) {
        let snap = &self.state.plan.snap;
        if snap.qrun == Some(self.job) {
            return;
        }
        let queue = self.state.plan.queue_of(self.job);
        let at_queue = queue.map(|id| (Some(id), &snap.queues[id].limits));
        let at_server = Some((None, &snap.server.limits));
        for of_runs in [true, false] {
            let limited = [at_queue, at_server].into_iter().flatten();
            for (queue, limits) in limited.filter(|(_, limits)| !limits.entries.is_empty()) {
                if self.place(queue, limits, of_runs, on_hit).is_break() {
                    return;
                }
            }
        }
    }

    fn place(
        &self,
        queue: Option<QueueId>,
        limits: &Limits,
        of_runs: bool,
        on_hit: &mut dyn FnMut(Rejection) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for scope in SCOPES {
            let hard = limits
                .entries
                .iter()
                .filter(|e| !e.soft && e.scope == scope && e.resource.is_none() == of_runs);
            for entry in hard {
                let entity = entity_of(self.state.plan.job(self.job), scope);
                if limits.is_for(entry, &entity) && self.is_hit(queue, entry) {
                    on_hit(Reason::Limit(Box::new(self.limit_hit(queue, entry))).not_now())?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn is_hit(&self, queue: Option<QueueId>, entry: &LimitEntry) -> bool {
        let plan = &self.state.plan;
        let job = plan.job(self.job);
        let key = MeterKey::Limit {
            queue,
            scope: entry.scope,
            entity: entity_of(job, entry.scope),
            resource: entry.resource,
        };
        let used = plan.meters.meter(&key).map_or(0.0, |meter| peak(self.state, meter, self.end));
        match entry.resource {
            None => entry.amount.0 <= used,
            Some(resource) => match job.requested.amount(resource) {
                // A request for 0 is checked too: it is refused if usage already exceeds the limit.
                Some(requested) => used + requested.0 > entry.amount.0,
                None => false,
            },
        }
    }

    fn limit_hit(&self, queue: Option<QueueId>, entry: &LimitEntry) -> LimitHit {
        let snap = &self.state.plan.snap;
        LimitHit {
            scope: entry.scope,
            entity: entry.entity.clone(),
            resource: entry.resource.map(|resource| snap.catalogue.name(resource).clone()),
            queue: queue.map(|queue| snap.queues[queue].name.clone()),
        }
    }
}

/// Returns the highest value of a meter from now until `end`, assuming that all planned events happen (rule 6.6).
fn peak(state: &State, meter: MeterIx, end: Epoch) -> f64 {
    let mut now = state.ledger.meters[meter];
    let mut peak = now;
    if !state.timeline.has_run_before(end) {
        return peak;
    }
    for (key, event) in state.timeline.before(end) {
        let starts = key.kind == EventKind::Run;
        // A start planned for now or for the past does not count (rule M40).
        if starts && key.at <= state.now {
            continue;
        }
        let amount = state.plan.meters.charge(event.occupant, meter, starts);
        now += if starts { amount } else { -amount };
        peak = peak.max(now);
    }
    peak
}

/// Checks that the queue and the server have what the job requests at all times until it ends, including planned
/// events.
///
/// # Errors
/// The stage and the first missing resource, which is permanent if even the total is too small.
pub fn check_resources(
    state: &State,
    job: JobId,
    request: &JobRequest,
) -> Result<(), (RefusalStage, Rejection)> {
    check_queue(state, job, request)?;
    check_server(state, job, request)
}

fn check_queue(state: &State, job: JobId, request: &JobRequest) -> Result<(), (RefusalStage, Rejection)> {
    let plan = &state.plan;
    let Some(queue) = plan.queue_of(job) else { return Ok(()) };
    let holder = ResourceOwner { queue: Some(queue), available: &plan.snap.queues[queue].available };
    first_lacking(state, job, request, holder)
        .map_err(|missing| (RefusalStage::QueueResources, missing.rejection(Reason::QueueResource)))
}

fn check_server(state: &State, job: JobId, request: &JobRequest) -> Result<(), (RefusalStage, Rejection)> {
    let plan = &state.plan;
    if plan.named_reservation(job).is_some() {
        return Ok(());
    }
    first_lacking(state, job, request, ResourceOwner::server(plan))
        .map_err(|missing| (RefusalStage::ServerResources, missing.rejection(Reason::ServerResource)))
}

/// An owner of resources other than a node.
#[derive(Clone, Copy)]
struct ResourceOwner<'a> {
    /// The queue; `None` for the server.
    queue: Option<QueueId>,
    available: &'a ResourceList,
}

impl<'a> ResourceOwner<'a> {
    fn server(plan: &'a Plan) -> Self {
        Self { queue: None, available: &plan.snap.server.available }
    }
}

/// A resource that a holder lacks, or has with another value than requested.
struct MissingResource {
    shortage: Shortage,
    /// Whether waiting cannot help.
    is_permanent: bool,
}

impl MissingResource {
    fn rejection(self, reason: fn(Shortage) -> Reason) -> Rejection {
        Rejection { reason: reason(self.shortage), is_permanent: self.is_permanent }
    }
}

/// Returns the first resource that the queue lacks, and the first that the server lacks.
pub(super) fn resources_missing(state: &State, job: JobId, request: &JobRequest) -> Vec<Rejection> {
    let places = [check_queue(state, job, request).err(), check_server(state, job, request).err()];
    places.into_iter().flatten().map(|(_, rejection)| rejection).collect()
}

/// Checks that the server has what a reservation requests at all times until it ends, including planned events.
///
/// # Errors
/// The first missing resource.
pub(super) fn reservation_resources(state: &State, request: &JobRequest) -> Result<(), Rejection> {
    first_missing(state, request, ResourceOwner::server(&state.plan))
        .map_err(|missing| missing.rejection(Reason::ServerResource))
}

/// Checks that the queue or server has everything a job requests, amounts until the job ends. Of a missing amount and
/// another difference, the one that the job lists first is reported (rule 6.4.8).
fn first_lacking(
    state: &State,
    job: JobId,
    request: &JobRequest,
    holder: ResourceOwner<'_>,
) -> Result<(), MissingResource> {
    if holder.available.is_empty() {
        return Ok(());
    }
    let plan = &state.plan;
    let amount = first_missing(state, request, holder);
    let other = first_differing(plan, job, holder.available);
    match (amount, other) {
        (Err(amount), Err(other)) => {
            let order = &plan.job(job).requested_order;
            let place = |resource| order.iter().position(|listed| *listed == resource);
            let (one, two) = (amount.shortage.resource, other.shortage.resource);
            let by_name = || plan.snap.catalogue.compare_names(one, two);
            let listed = if order.is_empty() { by_name() } else { place(one).cmp(&place(two)) };
            Err(if listed.is_lt() { amount } else { other })
        }
        (amount, other) => amount.and(other),
    }
}

/// Checks that booleans and texts of the queue or server match the job's request, for example whether a file system
/// exists. Resources not set there are not compared (rule 2.4). To the scheduler, waiting never resolves a
/// difference.
fn first_differing(plan: &Plan, job: JobId, available: &ResourceList) -> Result<(), MissingResource> {
    let catalogue = &plan.snap.catalogue;
    // Most servers and queues have no resources other than amounts.
    if available.iter().all(|(resource, _)| catalogue.kind(resource).is_consumable()) {
        return Ok(());
    }
    for (resource, requested) in plan.job(job).requested.by_name(catalogue) {
        let kind = catalogue.kind(resource);
        let looked_at = kind == ResourceType::Boolean || plan.enforced.names(resource);
        let Some(have) = available.get(resource).filter(|_| looked_at && !kind.is_consumable()) else {
            continue;
        };
        let same = match requested {
            Value::Texts(texts) => texts.iter().all(|text| have.texts().contains(text)),
            requested => requested == have,
        };
        if !same {
            let shortage = Shortage::differs(resource, &requested.show(kind), &have.show(kind));
            return Err(MissingResource { shortage, is_permanent: true });
        }
    }
    Ok(())
}

/// Checks that a holder has every requested job-wide amount until the job ends, including planned events.
fn first_missing(
    state: &State,
    request: &JobRequest,
    holder: ResourceOwner<'_>,
) -> Result<(), MissingResource> {
    let plan: &Plan = &state.plan;
    let ResourceOwner { queue, available } = holder;
    let end = state.now + request.duration;
    for (resource, requested) in request.totals.iter() {
        let Some(total) = available.amount(*resource) else { continue };
        let meter = plan.meters.meter(&MeterKey::Assigned { queue, resource: *resource });
        let used = meter.map_or(0.0, |meter| peak(state, meter, end));
        let left = Amount((total.0 - used).max(0.0));
        if requested.0 > 0.0 && left < *requested {
            let is_permanent = total < *requested;
            let left = if is_permanent { total } else { left };
            let shortage = Shortage::amounts(*resource, *requested, left, total);
            return Err(MissingResource { shortage, is_permanent });
        }
    }
    Ok(())
}

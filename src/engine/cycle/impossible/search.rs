//! The search for jobs that can never run.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use rustc_hash::FxHashMap;

use crate::cluster::{Arrangement, JobId, JobState, ResourceId, ResourceType};
use crate::cycle::{
    Eligibility, Exclusion, IdleCluster, Impossibility, ImpossibleJobs, Run, Universe, Verdict,
};
use crate::placement::nodes_for;
use crate::universe::{
    ConsIx, JobRequest, NodeSet, Occupant, Plan, Reason, ShapeId, ShortageDetail, Spec, State,
};

impl ImpossibleJobs {
    /// Finds those of all waiting jobs of a cycle. The idle cluster is built only if some job is not obviously able
    /// to fit, and asked once per kind of request.
    pub fn new(run: &Run) -> Self {
        Self::with_cache(run, ImpossibilityCache::default())
    }

    /// Like [`new`](Self::new), with idle cluster answers collected earlier.
    pub(super) fn with_cache(run: &Run, answers: ImpossibilityCache) -> Self {
        let mut search = ImpossibleSearch { run, answers, fitting: FxHashMap::default() };
        let mut reasons = FxHashMap::default();
        for outcome in run.outcomes().filter(|outcome| outcome.verdict != Verdict::Run) {
            // An array has several steps; any start shows that it can run.
            if run.outcome(outcome.job).is_some_and(|first| first.verdict == Verdict::Run) {
                continue;
            }
            if let Some(reason) = search.reason(considered_for(&run.plan, outcome.job)) {
                reasons.insert(outcome.job, reason);
            }
        }
        Self { reasons }
    }
}

/// Returns the array of a waiting subjob, which the scheduler considers in its place; otherwise the job itself.
fn considered_for(plan: &Plan, id: JobId) -> JobId {
    let snap = &plan.snap;
    let job = plan.job(id);
    if job.state == JobState::Suspended {
        return id;
    }
    let parent = job.array.as_ref().and_then(|array| array.parent.as_ref());
    parent.and_then(|parent| snap.job_named(parent)).unwrap_or(id)
}

/// Answers of the idle cluster, which is built for the first question and asked once per kind of request.
#[derive(Default)]
pub(super) struct ImpossibilityCache {
    idle: Option<IdleCluster>,
    /// Answers by request and queue.
    known: FxHashMap<String, Option<Impossibility>>,
}

impl ImpossibilityCache {
    /// Whether asking in parallel with a cycle pays off: jobs cannot be seen to fit without the idle cluster.
    pub(super) fn are_needed(plan: &Plan) -> bool {
        !can_be_seen(plan)
    }

    /// Asks about jobs as a cycle rejects them, until it ends.
    pub(super) fn from_rejections(universe: &Universe, turned_down: &Receiver<JobId>) -> Self {
        let mut answers = Self::default();
        let plan = universe.plan();
        for job in turned_down {
            let job = considered_for(plan, job);
            if let Ok(request) = plan.request(job, None)
                && plan.reservation_of(job).is_none()
            {
                answers.of(plan, job, request, || universe.clone());
            }
        }
        answers
    }

    fn of(
        &mut self,
        plan: &Plan,
        job: JobId,
        request: &JobRequest,
        universe: impl FnOnce() -> Universe,
    ) -> &Option<Impossibility> {
        let idle = &mut self.idle;
        let ask = || on_idle(idle.get_or_insert_with(|| IdleCluster::of_all(&universe())), job);
        self.known.entry(kind(plan, job, request)).or_insert_with(ask)
    }
}

/// The search over all jobs, with cached answers.
struct ImpossibleSearch<'r> {
    run: &'r Run,
    answers: ImpossibilityCache,
    /// Nodes that could hold a chunk of each shape.
    fitting: FxHashMap<ShapeId, NodeSet>,
}

impl ImpossibleSearch<'_> {
    fn reason(&mut self, job: JobId) -> Option<Impossibility> {
        let plan = &self.run.plan;
        let preempted = self.run.end.ledger.preempted[job];
        let request = match plan.request(job, preempted) {
            Ok(request) => request,
            Err(words) => return Some(Impossibility::Invalid(words)),
        };
        if self.run.eligibility[job] == Eligibility::Excluded(Exclusion::NoShares) {
            return Some(Impossibility::Rejected(Reason::NoShares.never()));
        }
        if plan.reservation_of(job).is_some() {
            return on_idle(&mut IdleCluster::of_one(plan, job), job);
        }
        if fits_without_search(&self.run.end, &mut self.fitting, job, request) {
            return None;
        }
        self.answers.of(plan, job, request, || self.run.universe()).clone()
    }
}

/// A key of everything in a request that matters on the idle cluster; walltimes do not.
fn kind(plan: &Plan, job: JobId, request: &JobRequest) -> String {
    const TIMES: [ResourceId; 4] = [
        ResourceId::walltime(),
        ResourceId::soft_walltime(),
        ResourceId::min_walltime(),
        ResourceId::max_walltime(),
    ];
    let requested = plan.job(job).requested.iter().filter(|(id, _)| !TIMES.contains(id));
    let requested: Vec<_> = requested.collect();
    let specs: Vec<_> = request.specs.iter().map(|spec| (spec.shape, spec.count)).collect();
    format!("{:?} {:?} {specs:?} {requested:?}", plan.queue_of(job), request.place)
}

/// Returns why a job does not start on the idle cluster; `None` if it does, or if an operator or a program could
/// switch on what it lacks.
fn on_idle(idle: &mut IdleCluster, job: JobId) -> Option<Impossibility> {
    let outcome = idle.consider(job);
    if outcome.placed.is_some() {
        return None;
    }
    let Some(rejection) = outcome.rejection.map(Arc::unwrap_or_clone) else {
        return Some(Impossibility::Unplaced);
    };
    (!is_switched_off(&idle.state, &rejection.reason)).then_some(Impossibility::Rejected(rejection))
}

/// Whether the queue or server lacks something that an operator or a program can switch: a text, a boolean, or an
/// amount supplied by a program (`server_dyn_res`).
fn is_switched_off(state: &State, reason: &Reason) -> bool {
    let (Reason::QueueResource(shortage) | Reason::ServerResource(shortage)) = reason else { return false };
    let snap = &state.plan.snap;
    let is_switch = matches!(shortage.detail, ShortageDetail::Differs { .. })
        || matches!(
            snap.catalogue.kind(shortage.resource),
            ResourceType::Boolean | ResourceType::Text | ResourceType::TextArray
        );
    is_switch || snap.policy.server_dyn_res.contains(snap.catalogue.name(shortage.resource))
}

/// Whether a chunk requests amounts only: a node that has them then holds it on either path.
fn is_amounts_only(plan: &Plan, spec: &Spec) -> bool {
    let shape = &plan.shapes[spec.shape];
    // For a job that the scheduler does not read, an amount may have no column.
    let has_columns = shape.requests.iter().all(|(resource, _)| plan.consumables.ix(*resource).is_some());
    has_columns
        && shape.conditions().next().is_none()
        && plan.needs[spec.shape].iter().any(|(_, amount)| *amount > 0.0)
}

/// Returns the nodes whose total amounts suffice for a chunk; empty if a resource is not set on every node, because
/// sums over nodes may then lack it (rule 5.4).
fn with_amounts(plan: &Plan, shape: ShapeId) -> NodeSet {
    let is_set =
        |(ix, _): &(ConsIx, f64)| plan.nodes.ids().all(|bit| !plan.capacity.available(*ix, bit).is_nan());
    if plan.needs[shape].iter().all(is_set) {
        plan.fit_nodes(shape).clone()
    } else {
        NodeSet::new(plan.nodes.len())
    }
}

/// Whether neither multi-vnode hosts nor placement sets prevent the quick test.
fn can_be_seen(plan: &Plan) -> bool {
    !plan.multi_vnode.exists && !plan.snap.server.node_group_enable
}

/// Whether enough nodes, if empty, could hold each chunk on a node of its own: the job then fits on the idle cluster
/// wherever its chunks go. Returns `false` (undecided) if sets, hosts, or amounts of a queue or the server count too.
fn fits_without_search(
    state: &State,
    fitting: &mut FxHashMap<ShapeId, NodeSet>,
    job: JobId,
    request: &JobRequest,
) -> bool {
    let plan = &state.plan;
    let snap = &plan.snap;
    let is_free = matches!(request.place.arrangement, Arrangement::Free | Arrangement::Scatter)
        && request.place.group.is_none();
    let owners_are_free = snap.server.available.is_empty()
        && plan.queue_of(job).is_some_and(|queue| snap.queues[queue].available.is_empty());
    if !is_free
        || !owners_are_free
        || !can_be_seen(plan)
        || !request.specs.iter().all(|spec| is_amounts_only(plan, spec))
    {
        return false;
    }
    let mut nodes: NodeSet = nodes_for(state, Occupant::Job(job, None));
    nodes.subtract(&plan.masks.limited);
    for spec in request.specs.iter() {
        nodes.intersect(fitting.entry(spec.shape).or_insert_with(|| with_amounts(plan, spec.shape)));
    }
    nodes.count() as u64 >= request.total_chunks()
}

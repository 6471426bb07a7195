//! The search for jobs that can never run.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use rustc_hash::FxHashMap;

use crate::cluster::{Arrangement, JobId, JobState, Kind, ResourceId};
use crate::cycle::{Eligibility, Exclusion, IdleCluster, Impossibility, Impossible, Run, Universe, Verdict};
use crate::placement::nodes_for;
use crate::universe::{ConsIx, Detail, JobRequest, NodeSet, Occupant, Plan, Reason, ShapeId, Spec, State};

impl Impossible {
    /// Of every job that waits in a cycle. The idle cluster is derived only where a job is not seen to fit without it,
    /// and asked once per class.
    pub fn new(run: &Run) -> Self {
        Self::knowing(run, IdleAnswers::default())
    }

    /// The same where the idle cluster was asked about some of them.
    pub(super) fn knowing(run: &Run, answers: IdleAnswers) -> Self {
        let mut search = ImpossibleSearch { run, answers, fitting: FxHashMap::default() };
        let mut reasons = FxHashMap::default();
        for outcome in run.outcomes().filter(|outcome| outcome.verdict != Verdict::Run) {
            // What became of an array stands in several steps; any start shows that it can run.
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

/// The array of a subjob that waits, which the scheduler considers for it; else the job itself.
fn considered_for(plan: &Plan, id: JobId) -> JobId {
    let snap = &plan.snap;
    let job = plan.job(id);
    if job.state == JobState::Suspended {
        return id;
    }
    let parent = job.array.as_ref().and_then(|array| array.parent.as_ref());
    parent.and_then(|parent| snap.job_named(parent)).unwrap_or(id)
}

/// What the idle cluster answered. It is derived at the first question, and asked once per class.
#[derive(Default)]
pub(super) struct IdleAnswers {
    idle: Option<IdleCluster>,
    /// By what a job requests, and of which queue.
    known: FxHashMap<String, Option<Impossibility>>,
}

impl IdleAnswers {
    /// Whether it is worth it to ask beside a cycle: jobs are not seen to fit without the idle cluster.
    pub(super) fn are_needed(plan: &Plan) -> bool {
        !can_be_seen(plan)
    }

    /// Asks about jobs as a cycle turns them down, until it ends.
    pub(super) fn beside(universe: &Universe, turned_down: &Receiver<JobId>) -> Self {
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

/// The search over all jobs, with what was found for a class.
struct ImpossibleSearch<'r> {
    run: &'r Run,
    answers: IdleAnswers,
    /// Nodes that could hold a chunk of a shape.
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
        if self.run.standing[job] == Eligibility::Out(Exclusion::NoShares) {
            return Some(Impossibility::Rejected(Reason::NoShares.never()));
        }
        if plan.reservation_of(job).is_some() {
            return on_idle(&mut IdleCluster::of_one(plan, job), job);
        }
        if fits_at_sight(&self.run.end, &mut self.fitting, job, request) {
            return None;
        }
        self.answers.of(plan, job, request, || self.run.universe()).clone()
    }
}

/// All of a request that counts on the idle cluster: times do not.
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

/// Why a job does not start on the idle cluster, if it does not and no switch of an operator or a program would let it.
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

/// Whether the queue or the server lacks something that an operator or a program switches: a text, a boolean, or an
/// amount that comes from a program.
fn is_switched_off(state: &State, reason: &Reason) -> bool {
    let (Reason::QueueResource(shortage) | Reason::ServerResource(shortage)) = reason else { return false };
    let snap = &state.plan.snap;
    let is_switch = matches!(shortage.detail, Detail::Differs { .. })
        || matches!(snap.catalogue.kind(shortage.resource), Kind::Boolean | Kind::Text | Kind::TextArray);
    is_switch || snap.policy.server_dyn_res.contains(snap.catalogue.name(shortage.resource))
}

/// Whether a part requests amounts and nothing else: then a node that has them holds it on either path.
fn is_amounts_only(plan: &Plan, spec: &Spec) -> bool {
    let shape = &plan.shapes[spec.shape];
    // Of a job that the scheduler does not read, an amount may have no column.
    let has_columns = shape.requests.iter().all(|(resource, _)| plan.consumables.ix(*resource).is_some());
    has_columns
        && shape.conditions().next().is_none()
        && plan.needs[spec.shape].iter().any(|(_, amount)| *amount > 0.0)
}

/// The nodes that have every amount of a chunk in all; none where a resource is not set on every node, since sums of
/// nodes may then lack it (rule 5.4).
fn with_amounts(plan: &Plan, shape: ShapeId) -> NodeSet {
    let is_set =
        |(ix, _): &(ConsIx, f64)| plan.nodes.ids().all(|bit| !plan.capacity.available(*ix, bit).is_nan());
    if plan.needs[shape].iter().all(is_set) {
        plan.fit_nodes(shape).clone()
    } else {
        NodeSet::new(plan.nodes.len())
    }
}

/// Whether neither hosts nor sets keep a job from being seen to fit.
fn can_be_seen(plan: &Plan) -> bool {
    !plan.multi_vnode.found && !plan.snap.server.node_group_enable
}

/// Whether so many nodes could hold each chunk, were they empty, that all chunks have a node of their own: then the job
/// fits the idle cluster, wherever its chunks go. No statement where sets, hosts, or amounts of a queue or of the server
/// count too.
fn fits_at_sight(
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

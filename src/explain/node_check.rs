//! Checks one node against one chunk spec of a select: every condition that it fails, in the order applied.

mod condition;
mod found_instead;
mod required_change;

use serde::Serialize;

use qscope_engine::cluster::{JobId, NodeId, ResvId, short_id};
use qscope_engine::placement::{PlacementPath, TimeCheck, refusing};
use qscope_engine::universe::{AmountBasis, Bit, JobRequest, NodeSet, Occupant, Plan, Reason, Spec, State};

use super::fit_analysis::{conflicting_nodes, requested};
use super::sets::{BestSet, best_set, sets_that_hold};
use super::turn::{JobTurn, nodes_open_to};
pub use condition::Condition;

/// A condition that a node fails, and what the node has instead.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FailedCondition {
    pub condition: Condition,
    /// What the node has instead.
    pub has: String,
    /// What is left of the resource, in the batch system's format, if it is less than requested.
    #[serde(skip)]
    pub left: Option<String>,
    /// Whether jobs are on the node although it is requested exclusively.
    #[serde(skip)]
    pub in_use: bool,
    /// How much of the requested amount is left, in thousandths; larger is closer.
    #[serde(skip)]
    pub close: u32,
}

impl FailedCondition {
    /// Whether only the end of a job on the node meets the condition: nothing less that the job could request.
    pub(super) fn is_until_end(&self) -> bool {
        match &self.condition {
            Condition::Sharing | Condition::NotExclusive => true,
            Condition::Resource { .. } => self.left.is_some() && self.close == 0,
            _ => false,
        }
    }
}

/// Whether placement sets are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SetCheckMode {
    /// They are not checked.
    Unchecked,
    /// They are checked, unless the job fits (the flag) although no single set holds it.
    UnlessSpanning(bool),
}

/// Checks a job's request against single nodes.
pub(super) struct NodeCheck<'a> {
    state: &'a State,
    request: &'a JobRequest,
    list: &'a NodeSet,
    /// The reservation that the job is in.
    reservation: Option<ResvId>,
    /// The condition that a node outside the list fails.
    list_condition: Condition,
    bucket: bool,
    time: TimeCheck,
    /// Nodes of the sets that hold the whole job; `None` if sets do not matter.
    set_nodes: Option<NodeSet>,
    /// The set that holds the most.
    best_set: Option<BestSet>,
    /// Nodes in use by other jobs that the job requests exclusively.
    conflicting_nodes: NodeSet,
    /// Whether it uses some nodes exclusively.
    is_exclusive: bool,
    /// Nodes that refuse the job because of limits of their own.
    refusing: Vec<(Bit, Reason)>,
}

/// Runs `read` with the check of a job's nodes as of its turn.
pub(super) fn checked<T>(
    turn: &mut JobTurn,
    read: impl FnOnce(&State, &JobRequest, &NodeCheck<'_>) -> T,
) -> T {
    let (job, request, list, path) = (turn.job, turn.request.clone(), turn.list.clone(), turn.choice.path);
    let fits = turn.fits();
    let sets =
        if !fits && turn.spans() { SetCheckMode::Unchecked } else { SetCheckMode::UnlessSpanning(fits) };
    turn.seen(|state| read(state, &request, &NodeCheck::new(state, job, &request, &list, path, sets)))
}

/// Returns, for each chunk spec of a job's select, the first condition other than resources that a node fails, in
/// words: ownership of nodes, exclusive use, limits, and planned events. Sets are not checked.
pub fn unmet_on_node(state: &State, job: JobId, path: PlacementPath, node: NodeId) -> Vec<Option<String>> {
    let plan = &state.plan;
    let Ok(request) = plan.request(job, state.ledger.preempted[job]) else { return Vec::new() };
    let open = nodes_open_to(state, job);
    // Only this node is checked, because a frame of a large cluster leaves no time for the others.
    let this = plan.bit_of[node].filter(|bit| open.contains(*bit));
    let list = NodeSet::of(plan.nodes.len(), this);
    // Events planned on the node for the job's own reservation do not block it.
    let is_reserved = plan.reservation_of(job).is_some();
    // If nothing is planned before the job would end, no events need to be collected.
    let end = state.now + request.duration;
    let is_planned = this.is_some_and(|bit| state.first_event(bit).is_some_and(|event| event.at < end));
    let occupant = Occupant::Job(job, None);
    let time = if is_planned { TimeCheck::new(state, occupant, request) } else { TimeCheck::default() };
    let check = NodeCheck::timed(state, (job, request, &list), path, SetCheckMode::Unchecked, time);
    let words = |failure: FailedCondition| match failure.condition {
        Condition::Reservation { .. } => Some("not in its reservation".to_owned()),
        Condition::OwnNodes => Some("not one of its own nodes".to_owned()),
        Condition::Queue if plan.snap.nodes[node].queue.is_some() => {
            Some(format!("{}, not open to it", failure.has))
        }
        Condition::Queue => Some("not one of its queue's nodes".to_owned()),
        Condition::Time if is_reserved => None,
        Condition::Sharing if check.conflicting_nodes.iter().any(|bit| plan.nodes[bit].id == node) => {
            Some(format!("{}, whole node requested", failure.has))
        }
        Condition::Sharing | Condition::NotExclusive | Condition::NodeLimit | Condition::Time => {
            Some(failure.has)
        }
        _ => None,
    };
    request.specs.iter().map(|spec| check.failures(spec, node).into_iter().find_map(words)).collect()
}

/// Returns the condition that selects the nodes a job may use: its reservation, its previous nodes, or its queue.
fn node_list_condition(state: &State, job: JobId) -> Condition {
    let plan = &state.plan;
    match plan.reservation_of(job) {
        Some(id) => Condition::Reservation { name: short_id(&plan.snap.reservations[id].name).to_owned() },
        None if plan.previous.contains_key(&job) || state.ledger.returns(job) => Condition::OwnNodes,
        None => Condition::Queue,
    }
}

impl FailedCondition {
    fn new(condition: Condition, has: String) -> Self {
        Self { condition, has, left: None, in_use: false, close: 0 }
    }
}

impl<'a> NodeCheck<'a> {
    pub(super) fn new(
        state: &'a State,
        job: JobId,
        request: &'a JobRequest,
        list: &'a NodeSet,
        path: PlacementPath,
        sets: SetCheckMode,
    ) -> Self {
        let time = TimeCheck::new(state, Occupant::Job(job, None), request);
        Self::timed(state, (job, request, list), path, sets, time)
    }

    /// Like [`new`](Self::new), with given planned events.
    fn timed(
        state: &'a State,
        (job, request, list): (JobId, &'a JobRequest, &'a NodeSet),
        path: PlacementPath,
        sets: SetCheckMode,
        time: TimeCheck,
    ) -> Self {
        let best = match sets {
            SetCheckMode::Unchecked => None,
            SetCheckMode::UnlessSpanning(fits) => {
                let best = best_set(state, job, request, list, AmountBasis::Now);
                best.filter(|best| best.holds_job || !fits)
            }
        };
        Self {
            state,
            request,
            list,
            reservation: state.plan.reservation_of(job),
            list_condition: node_list_condition(state, job),
            bucket: path == PlacementPath::Bucket,
            time,
            set_nodes: best.is_some().then(|| sets_that_hold(state, job, request, list)),
            best_set: best,
            conflicting_nodes: conflicting_nodes(state, request, list),
            is_exclusive: list.common(state.plan.exclusive_nodes(request.place.sharedness)).count() > 0,
            // The bucket path does not check them.
            refusing: match path {
                PlacementPath::Node => refusing(state, list, Occupant::Job(job, None), request),
                PlacementPath::Bucket => Vec::new(),
            },
        }
    }

    /// Returns the sharing condition for nodes, depending on whether the job uses them exclusively.
    fn sharing_condition(&self) -> Condition {
        if self.is_exclusive { Condition::Sharing } else { Condition::NotExclusive }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Returns the set that holds the most of the job, if sets matter.
    pub(super) fn best_set(&self) -> Option<&BestSet> {
        self.best_set.as_ref()
    }

    /// Returns all conditions of a chunk spec, in the order applied.
    pub(super) fn conditions(&self, spec: &Spec) -> Vec<Condition> {
        let plan = self.plan();
        let resources = plan.shapes[spec.shape].requests.iter().enumerate().map(|(at, (resource, _))| {
            let name = plan.snap.catalogue.name(*resource);
            let is_amount = plan.snap.catalogue.kind(*resource).is_consumable();
            Condition::resource(at, name, requested(plan, spec, *resource), is_amount)
        });
        let first = [Condition::State, self.list_condition.clone(), Condition::Partition];
        let limits = (!self.refusing.is_empty()).then_some(Condition::NodeLimit);
        let last = [Condition::Time, Condition::Set];
        let then = [self.sharing_condition()].into_iter().chain(limits).chain(last);
        first.into_iter().chain(resources).chain(then).collect()
    }

    /// Describes a node that the job may not use.
    fn outside(&self, id: NodeId) -> String {
        match &self.list_condition {
            Condition::Reservation { name } => format!("not in {name}"),
            Condition::OwnNodes => "not one of them".to_owned(),
            _ => {
                let queue = self.plan().snap.nodes[id].queue.as_deref();
                queue.map_or("no queue".to_owned(), |queue| format!("queue {queue}"))
            }
        }
    }

    /// Returns every condition of a chunk spec that a node fails, in order.
    pub(super) fn failures(&self, spec: &Spec, id: NodeId) -> Vec<FailedCondition> {
        let plan = self.plan();
        let Some(bit) = plan.bit_of[id] else {
            let partition = plan.snap.nodes[id].partition.as_deref().unwrap_or("none").to_owned();
            return vec![FailedCondition::new(Condition::Partition, format!("partition {partition}"))];
        };
        let mut found = Vec::new();
        found.extend(self.state_of(bit).map(|have| FailedCondition::new(Condition::State, have)));
        if !self.list.contains(bit) {
            found.push(FailedCondition::new(self.list_condition.clone(), self.outside(id)));
        }
        found.extend(self.resources(spec, bit));
        if found.iter().all(|failure| failure.condition != Condition::State) {
            found.extend(self.sharing(bit));
        }
        let refusal = self.refusing.iter().find(|(refusing, _)| *refusing == bit);
        found.extend(
            refusal
                .map(|(_, why)| FailedCondition::new(Condition::NodeLimit, why.text(&plan.snap.catalogue))),
        );
        found.extend(self.time_of(spec, bit).map(|have| FailedCondition::new(Condition::Time, have)));
        if self.set_nodes.as_ref().is_some_and(|nodes| !nodes.contains(bit)) {
            found.push(FailedCondition::new(Condition::Set, "in no set that holds the whole job".to_owned()));
        }
        found
    }
}

//! Kinds of answers for which the model has no certain rule: either few scheduler answers are known, or they depend
//! on data that no dump contains.

use crate::cluster::{JobId, NodeState, ResourceId};
use crate::placement::{PlacementPath, lacks_condition, needs_provisioning, rotates_over_hosts};
use crate::universe::{Plan, ShapeId, State};

use super::{Outcome, Run, Verdict};

/// One kind of answer without a certain rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Doubt {
    /// The order in which vnodes are examined if hosts have several and a sort key reads usage.
    VnodesByUse,
    /// The host that the last packed job got before this cycle, if such jobs rotate over the hosts.
    LastHost,
    /// How a start in a simulation changes the sum of a resource that only some nodes of a placement set have.
    UnsetInSets,
    /// Subjobs that start in this cycle are never preempted.
    YoungSubjobs,
    /// Nodes that are asleep or being provisioned never return in a simulation.
    SleepingNodes,
    /// Nodes that may be provisioned are refused to jobs that request another environment than theirs.
    Provisioning,
}

impl Doubt {
    const ALL: [Self; 6] = [
        Self::VnodesByUse,
        Self::LastHost,
        Self::UnsetInSets,
        Self::YoungSubjobs,
        Self::SleepingNodes,
        Self::Provisioning,
    ];

    /// Returns the topic that has no certain rule, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::VnodesByUse => {
                "order of vnodes on hosts that have several, under a node_sort_key that reads use"
            }
            Self::LastHost => "host used last before this cycle, under smp_cluster_dist round_robin",
            Self::UnsetInSets => "sums of placement sets in simulations, of resources that may be unset",
            Self::YoungSubjobs => "preemption of subjobs that start in this cycle",
            Self::SleepingNodes => "return of nodes that are asleep or being provisioned",
            Self::Provisioning => "provisioning of nodes with the requested aoe, which no dump shows",
        }
    }

    /// Whether it could change a verdict, not only nodes, a reason or an estimate.
    pub fn may_change_verdict(self) -> bool {
        matches!(self, Self::YoungSubjobs | Self::Provisioning)
    }
}

/// The uncertain answers of a cycle.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    /// Doubts that may concern some job.
    in_force: Vec<Doubt>,
    /// Resources that may be unset, and that some nodes have and others lack.
    unset: Vec<ResourceId>,
    /// Chunks that name an environment with which some node could be provisioned.
    provisioned: Vec<ShapeId>,
    /// The lowest preemption level of a job whose subjobs start in this cycle, and the smallest order number of such
    /// a job.
    lowest: Option<i64>,
    first: Option<u32>,
}

impl Doubts {
    /// Collects the doubts of a finished cycle.
    pub fn of(run: &Run) -> Self {
        let outcomes = run.steps.iter().map(|step| &step.outcome);
        let young = || outcomes.clone().filter(|outcome| outcome.subjob.is_some());
        let first = young().filter_map(|outcome| outcome.order).min();
        Self { first, ..Self::new(&run.end, young().map(|outcome| outcome.job)) }
    }

    /// Collects the doubts of a state in which subjobs of the arrays `young` were started.
    pub(super) fn new(state: &State, young: impl Iterator<Item = JobId>) -> Self {
        let plan = &state.plan;
        let preemptive = *plan.snap.policy.preemptive_sched.get(plan.period);
        let lowest = young.filter(|_| preemptive).map(|job| state.ledger.levels[job].priority).min();
        let has_sets = !state.pools.is_empty();
        let unset = if has_sets { unset_on_some(plan) } else { Vec::new() };
        let provisioned = provisioned_chunks(plan);
        let holds = |doubt: &Doubt| match doubt {
            Doubt::VnodesByUse => plan.multi_vnode.exists && state.sorts_nodes(),
            Doubt::LastHost => plan.host_count() > 1 && any_job_rotates(plan),
            Doubt::UnsetInSets => !unset.is_empty(),
            Doubt::YoungSubjobs => lowest.is_some(),
            Doubt::SleepingNodes => plan.snap.server.power_provisioning && is_any_waking(plan),
            Doubt::Provisioning => !provisioned.is_empty(),
        };
        let in_force = Doubt::ALL.into_iter().filter(holds).collect();
        Self { in_force, unset, provisioned, lowest, first: None }
    }

    /// Whether every answer has a certain rule.
    pub fn is_empty(&self) -> bool {
        self.in_force.is_empty()
    }

    /// Returns the doubts that may concern some job of the cycle.
    pub fn in_force(&self) -> &[Doubt] {
        &self.in_force
    }

    /// Returns the doubts that concern one outcome.
    pub fn doubts_of(&self, run: &Run, outcome: &Outcome) -> Vec<Doubt> {
        let plan = &run.plan;
        let Ok(request) = plan.request(outcome.job, None) else { return Vec::new() };
        let by_nodes = outcome.path == Some(PlacementPath::Node) && outcome.refused_at.is_none();
        let is_planned = outcome.estimate.is_some();
        let waits = matches!(outcome.verdict, Verdict::NotNow | Verdict::Never);
        let level = run.end.ledger.levels[outcome.job].priority;
        let requests = |resource: ResourceId| {
            let mut shapes = request.specs.iter().map(|spec| &plan.shapes[spec.shape]);
            shapes.any(|shape| shape.requests.iter().any(|(have, _)| *have == resource))
        };
        let concerns = |doubt: &Doubt| match doubt {
            Doubt::VnodesByUse => by_nodes || is_planned,
            Doubt::LastHost => {
                rotates_over_hosts(plan, request) && (outcome.placed.is_some() && by_nodes || is_planned)
            }
            Doubt::UnsetInSets => is_planned && self.unset.iter().any(|resource| requests(*resource)),
            Doubt::YoungSubjobs => {
                waits && outcome.order > self.first && self.lowest.is_some_and(|lowest| lowest < level)
            }
            Doubt::SleepingNodes => is_planned,
            Doubt::Provisioning => {
                waits && request.specs.iter().any(|spec| self.provisioned.contains(&spec.shape))
            }
        };
        self.in_force.iter().copied().filter(concerns).collect()
    }
}

/// Returns the resources of `resource_unset_infinite` that nodes count and that some nodes have and others lack.
fn unset_on_some(plan: &Plan) -> Vec<ResourceId> {
    let is_mixed = |resource: &ResourceId| {
        let Some(ix) = plan.consumables.ix(*resource) else { return false };
        let lacks = |bit| plan.capacity.available(ix, bit).is_nan();
        plan.nodes.ids().any(lacks) && !plan.nodes.ids().all(lacks)
    };
    plan.unset_ok.iter().copied().filter(is_mixed).collect()
}

/// Returns the chunks for which some node that may be provisioned would have to be. Nodes are read only if a chunk names an
/// environment.
fn provisioned_chunks(plan: &Plan) -> Vec<ShapeId> {
    let aoe = ResourceId::aoe();
    let may_be_for = |shape: &ShapeId| {
        let Some(requested) = plan.shapes[*shape].requirement(aoe) else { return false };
        plan.nodes.ids().any(|bit| {
            plan.node(bit).provision_enable
                && lacks_condition(plan, aoe, requested, bit).is_none()
                && needs_provisioning(plan, *shape, bit)
        })
    };
    plan.shapes.ids().filter(may_be_for).collect()
}

fn any_job_rotates(plan: &Plan) -> bool {
    let mut requests = plan.requests.iter().flatten();
    requests.any(|request| rotates_over_hosts(plan, request))
}

fn is_any_waking(plan: &Plan) -> bool {
    let waking = [NodeState::Sleep, NodeState::Provisioning];
    plan.snap.nodes.iter().any(|node| waking.iter().any(|state| node.states.has(*state)))
}

//! The check against all nodes before either path, and the same check for one set (rules 5.4, 6.4).

use crate::cluster::{Id, ResourceId};
use crate::universe::{
    Against, BitSet, ConsIx, JobRequest, PlacementSet, Plan, Reason, Rejection, Requirement, SetIx, Shape,
    ShapeId, State,
};

use super::probe::{Event, Probe};
use super::set_list::SetList;

/// Whether the sums of a set can hold a job now or in all.
///
/// # Errors
/// The first thing missing: nodes, job-wide amounts in the order of `Resource_List`, chunks.
pub(super) fn check_sums(
    plan: &Plan,
    request: &JobRequest,
    set: &PlacementSet,
    against: Against,
) -> Result<(), Reason> {
    let nodes = match against {
        Against::Now => i64::from(set.free_nodes),
        Against::Total => i64::try_from(set.total_nodes()).unwrap_or(i64::MAX),
    };
    if !are_enough(nodes, nodes_needed(request)) {
        return Err(if against == Against::Now { Reason::NoFreeNodes } else { Reason::NoTotalNodes });
    }
    for (resource, amount) in &request.totals {
        if plan.compares_in_all(*resource) {
            set.check_amount(plan, *resource, *amount, against)?;
        }
    }
    request.specs.iter().try_for_each(|spec| set.check_chunk(plan, &plan.shapes[spec.shape], against))
}

/// Everything that all nodes together have too little of for a job, in the order in which it is compared; with what they
/// have too little of in all, as never.
pub fn all_shortages(plan: &Plan, request: &JobRequest, all: &PlacementSet) -> Vec<Rejection> {
    let mut short = Vec::new();
    if !are_enough(all.free_nodes.into(), nodes_needed(request)) {
        short.push(Reason::NoFreeNodes.not_now());
    }
    for (resource, amount) in request.totals.iter().filter(|(resource, _)| plan.compares_in_all(*resource)) {
        short.extend(all.check_amount(plan, *resource, *amount, Against::Now).err().map(Reason::not_now));
    }
    for spec in request.specs.iter() {
        for wanted in &plan.shapes[spec.shape].requests {
            let one = Shape { requests: vec![wanted.clone()] };
            short.extend(all.check_chunk(plan, &one, Against::Now).err().map(Reason::not_now));
        }
    }
    if !short.is_empty() {
        short.extend(check_sums(plan, request, all, Against::Total).err().map(Reason::never));
    }
    short
}

/// How many nodes a job must find free: one for every chunk when chunks are scattered; else any, which is none.
fn nodes_needed(request: &JobRequest) -> Option<i64> {
    request.is_spread().then(|| i64::try_from(request.total_chunks()).unwrap_or(i64::MAX).max(1))
}

/// Whether so many free nodes are enough. A count below nothing, of nodes that were taken twice, is not "no free
/// node" (measured).
fn are_enough(nodes: i64, requested: Option<i64>) -> bool {
    requested.map_or(nodes != 0, |requested| nodes >= requested)
}

/// What the same check compares, laid out for sets by the thousand and without reasons.
pub(super) struct SumCheck<'a> {
    state: &'a State,
    list: &'a SetList,
    /// Nodes requested.
    requested: Option<i64>,
    /// Nodes of each set.
    nodes: &'a [i32],
    /// What each set has of a consumable, and the most that the job or one of its chunks requests of it.
    amounts: Vec<(&'a [f64], f64)>,
    /// The sets of which some node has a boolean as a chunk requests it.
    booleans: Vec<&'a BitSet<SetIx>>,
    /// Chunks with other conditions.
    conditions: Vec<ShapeId>,
}

impl<'a> SumCheck<'a> {
    /// The check of a request against the sets of a list.
    pub(super) fn new(state: &'a State, list: &'a SetList, request: &JobRequest, against: Against) -> Self {
        let plan = &state.plan;
        let tallies = list.tallies(state);
        let totals = plan.totals_of(request);
        let mut most: Vec<(ConsIx, f64)> = Vec::with_capacity(totals.len());
        let chunk_needs = request.specs.iter().flat_map(|spec| &plan.needs[spec.shape]);
        for (ix, requested) in totals.iter().chain(chunk_needs).filter(|(_, requested)| *requested > 0.0) {
            match most.iter_mut().find(|(have, _)| have == ix) {
                Some((_, most)) => *most = most.max(*requested),
                None => most.push((*ix, *requested)),
            }
        }
        let mut check = Self {
            state,
            list,
            requested: nodes_needed(request),
            nodes: tallies.nodes(against),
            amounts: most
                .into_iter()
                .map(|(ix, requested)| (tallies.amounts(against, ix), requested))
                .collect(),
            booleans: Vec::new(),
            conditions: Vec::new(),
        };
        for shape in request.specs.iter().map(|spec| spec.shape) {
            let known = |(resource, requirement): &(ResourceId, Requirement)| match requirement {
                Requirement::Bool(requested) => tallies.boolean(*resource, *requested),
                _ => None,
            };
            match plan.shapes[shape].conditions().map(known).collect::<Option<Vec<_>>>() {
                Some(known) => check.booleans.extend(known),
                None => check.conditions.push(shape),
            }
        }
        check
    }

    /// How many of these sets at the start have sums that do not hold the job.
    pub(super) fn too_small(&self, sets: &[SetIx]) -> usize {
        sets.iter().position(|set| self.holds(*set)).unwrap_or(sets.len())
    }

    /// Whether the sums of a set hold the job.
    #[inline]
    pub(super) fn holds(&self, number: SetIx) -> bool {
        let at = number.ix();
        self.nodes.get(at).is_some_and(|nodes| are_enough(i64::from(*nodes), self.requested))
            && self.amounts.iter().all(|(have, requested)| have.get(at).is_some_and(|have| have >= requested))
            && self.booleans.iter().all(|sets| sets.contains(number))
            && self.conditions.iter().all(|shape| {
                let set = self.list.set(self.state, number);
                set.is_some_and(|set| set.meets_conditions(&self.state.plan, *shape))
            })
    }
}

/// Checks a job against all nodes it could use.
///
/// # Errors
/// Why it is refused: never, when the totals are too small as well.
pub fn quick_check(
    state: &State,
    request: &JobRequest,
    all: &PlacementSet,
    probe: &mut Probe,
) -> Result<(), Rejection> {
    let plan = &*state.plan;
    let now = check_sums(plan, request, all, Against::Now);
    let result = now.map_err(|reason| match check_sums(plan, request, all, Against::Total) {
        Ok(()) => reason.not_now(),
        Err(reason) => reason.never(),
    });
    probe.record(|| Event::QuickCheck {
        nodes: state.counts_of(all),
        total_nodes: all.total_nodes(),
        chunks: request.total_chunks(),
        rejection: result.clone().err(),
    });
    result
}

//! The check against all nodes before either path, and the same check of a single set (rules 5.4, 6.4).

use crate::cluster::{Id, ResourceId};
use crate::universe::{
    AmountBasis, BitSet, ChunkShape, ConsIx, JobRequest, PlacementSet, Plan, Reason, Rejection, Requirement,
    SetIx, ShapeId, State,
};

use super::probe::{Probe, ProbeEvent};
use super::set_list::SetList;

/// Checks that the sums of a set can hold a job, now or in total.
///
/// # Errors
/// The first shortage: nodes, job-wide amounts in the order of `Resource_List`, chunks.
pub(super) fn check_sums(
    plan: &Plan,
    request: &JobRequest,
    set: &PlacementSet,
    against: AmountBasis,
) -> Result<(), Reason> {
    let nodes = match against {
        AmountBasis::Now => i64::from(set.free_nodes),
        AmountBasis::Total => i64::try_from(set.total_nodes()).unwrap_or(i64::MAX),
    };
    if !are_enough(nodes, nodes_needed(request)) {
        return Err(if against == AmountBasis::Now { Reason::NoFreeNodes } else { Reason::NoTotalNodes });
    }
    for (resource, amount) in request.totals.iter() {
        if plan.compares_in_all(*resource) {
            set.check_amount(plan, *resource, *amount, against)?;
        }
    }
    request.specs.iter().try_for_each(|spec| set.check_chunk(plan, &plan.shapes[spec.shape], against))
}

/// Returns all shortages of the sum of all nodes for a job, in the order they are compared; if there are any, also
/// the first shortage of the totals, as `never`.
pub fn all_shortages(plan: &Plan, request: &JobRequest, all: &PlacementSet) -> Vec<Rejection> {
    let mut short = Vec::new();
    if !are_enough(all.free_nodes.into(), nodes_needed(request)) {
        short.push(Reason::NoFreeNodes.not_now());
    }
    for (resource, amount) in request.totals.iter().filter(|(resource, _)| plan.compares_in_all(*resource)) {
        short.extend(all.check_amount(plan, *resource, *amount, AmountBasis::Now).err().map(Reason::not_now));
    }
    for spec in request.specs.iter() {
        for wanted in &plan.shapes[spec.shape].requests {
            let one = ChunkShape { requests: vec![wanted.clone()] };
            short.extend(all.check_chunk(plan, &one, AmountBasis::Now).err().map(Reason::not_now));
        }
    }
    if !short.is_empty() {
        short.extend(check_sums(plan, request, all, AmountBasis::Total).err().map(Reason::never));
    }
    short
}

/// Returns how many nodes a job must find free: one per chunk if chunks are scattered; `None` if the number does not
/// matter.
fn nodes_needed(request: &JobRequest) -> Option<i64> {
    request.is_spread().then(|| i64::try_from(request.total_chunks()).unwrap_or(i64::MAX).max(1))
}

/// Whether this number of free nodes is enough. A negative count, from nodes taken twice, is not "no free node"
/// (measured).
fn are_enough(nodes: i64, requested: Option<i64>) -> bool {
    requested.map_or(nodes != 0, |requested| nodes >= requested)
}

/// The values that [`check_sums`] compares, prepared for thousands of sets and without reasons.
pub(super) struct SumCheck<'a> {
    state: &'a State,
    list: &'a SetList,
    /// Number of nodes requested.
    requested: Option<i64>,
    /// Number of nodes of each set.
    nodes: &'a [i32],
    /// The amounts of a consumable by set, and the largest request for it by the job or one of its chunks.
    amounts: Vec<(ConsIx, &'a [f64], f64)>,
    /// The sets with a node whose boolean matches a chunk's request.
    booleans: Vec<&'a BitSet<SetIx>>,
    /// Shapes of chunks with other conditions.
    conditions: Vec<ShapeId>,
}

impl<'a> SumCheck<'a> {
    /// Prepares the check of a request against the sets of a list.
    pub(super) fn new(state: &'a State, list: &'a SetList, request: &JobRequest, basis: AmountBasis) -> Self {
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
            nodes: tallies.nodes(basis),
            amounts: most
                .into_iter()
                .map(|(ix, requested)| (ix, tallies.amounts(basis, ix), requested))
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

    /// Returns the same check against what the sets have in total.
    pub(super) fn in_total(&self) -> Self {
        let (tallies, total) = (self.list.tallies(self.state), AmountBasis::Total);
        let amounts = self.amounts.iter().map(|(ix, _, most)| (*ix, tallies.amounts(total, *ix), *most));
        Self {
            nodes: tallies.nodes(total),
            amounts: amounts.collect(),
            booleans: self.booleans.clone(),
            conditions: self.conditions.clone(),
            ..*self
        }
    }

    /// Returns how many leading sets have sums that do not hold the job.
    pub(super) fn too_small(&self, sets: &[SetIx]) -> usize {
        sets.iter().position(|set| self.holds(*set)).unwrap_or(sets.len())
    }

    /// Whether the sums of a set hold the job.
    #[inline]
    pub(super) fn holds(&self, number: SetIx) -> bool {
        let at = number.ix();
        self.nodes.get(at).is_some_and(|nodes| are_enough(i64::from(*nodes), self.requested))
            && self
                .amounts
                .iter()
                .all(|(_, have, requested)| have.get(at).is_some_and(|have| have >= requested))
            && self.booleans.iter().all(|sets| sets.contains(number))
            && self.conditions.iter().all(|shape| {
                let set = self.list.set(self.state, number);
                set.is_some_and(|set| set.meets_conditions(&self.state.plan, *shape))
            })
    }
}

/// Checks a job against the sums of all nodes it could use.
///
/// # Errors
/// The reason of the refusal; `never` if the totals are too small as well.
pub fn quick_check(
    state: &State,
    request: &JobRequest,
    all: &PlacementSet,
    probe: &mut Probe,
) -> Result<(), Rejection> {
    let plan = &*state.plan;
    let now = check_sums(plan, request, all, AmountBasis::Now);
    let result = now.map_err(|reason| match check_sums(plan, request, all, AmountBasis::Total) {
        Ok(()) => reason.not_now(),
        Err(reason) => reason.never(),
    });
    probe.record(|| ProbeEvent::QuickCheck {
        nodes: state.counts_of(all),
        total_nodes: all.total_nodes(),
        chunks: request.total_chunks(),
        rejection: result.clone().err(),
    });
    result
}

//! The check against all nodes before either path, and the same check for one set (rules 5.4, 6.4).

use crate::cluster::Arrangement;
use crate::universe::{Against, ConsIx, JobRequest, PlacementSet, Plan, Reason, Rejection};

use super::probe::{Event, Probe};

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
    let spread = matches!(request.place.arrangement, Arrangement::Scatter | Arrangement::Vscatter);
    let wanted = if spread { i64::try_from(request.total_chunks()).unwrap_or(i64::MAX) } else { 1 };
    if nodes < wanted.max(1) {
        return Err(if against == Against::Now { Reason::NoFreeNodes } else { Reason::NoTotalNodes });
    }
    for (resource, amount) in &request.totals {
        if plan.compares_in_all(*resource) {
            set.check_amount(plan, *resource, *amount, against)?;
        }
    }
    request
        .specs
        .iter()
        .try_for_each(|spec| set.check_chunk(plan, plan.shapes.get_shape(spec.shape), against))
}

/// The same without the reason, for sets by the hundred.
pub(super) fn sums_hold(
    plan: &Plan,
    totals: &[(ConsIx, f64)],
    request: &JobRequest,
    set: &PlacementSet,
    against: Against,
) -> bool {
    let nodes = match against {
        Against::Now => i64::from(set.free_nodes),
        Against::Total => i64::try_from(set.total_nodes()).unwrap_or(i64::MAX),
    };
    let spread = matches!(request.place.arrangement, Arrangement::Scatter | Arrangement::Vscatter);
    let wanted = if spread { i64::try_from(request.total_chunks()).unwrap_or(i64::MAX) } else { 1 };
    nodes >= wanted.max(1)
        && totals.iter().all(|(ix, wanted)| set.holds_amount(plan, *ix, *wanted, against))
        && request.specs.iter().all(|spec| set.holds_chunk(plan, spec.shape, against))
}

/// Checks a job against all nodes it could use.
///
/// # Errors
/// Why it is turned away: never, when the totals are too small as well.
pub fn quick_check(
    plan: &Plan,
    request: &JobRequest,
    all: &PlacementSet,
    probe: &mut Probe,
) -> Result<(), Rejection> {
    let now = check_sums(plan, request, all, Against::Now);
    let result = now.map_err(|reason| match check_sums(plan, request, all, Against::Total) {
        Ok(()) => reason.not_now(),
        Err(reason) => reason.never(),
    });
    probe.hear(|| Event::QuickCheck {
        free_nodes: all.free_nodes,
        total_nodes: all.total_nodes(),
        chunks: request.total_chunks(),
        rejection: result.clone().err(),
    });
    result
}

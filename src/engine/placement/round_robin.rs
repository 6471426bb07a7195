//! `smp_cluster_dist: round_robin`: jobs of one packed chunk rotate over the hosts (rule 4.3).

use crate::cluster::{Arrangement, SmpDist};
use crate::universe::{Allocation, Bit, HostIx, JobRequest, PieceResources, Plan, State};

/// Whether packed jobs rotate over the hosts. Not if nodes are sorted job by job: then it means `pack` (rule 4.3).
fn is_round_robin(plan: &Plan) -> bool {
    *plan.snap.policy.smp_cluster_dist.get(plan.period) == SmpDist::RoundRobin && !plan.sorts_per_job
}

/// Whether a job with this request rotates over the hosts.
pub fn rotates_over_hosts(plan: &Plan, request: &JobRequest) -> bool {
    is_round_robin(plan) && request.place.arrangement == Arrangement::Pack && request.total_chunks() == 1
}

/// Sorts a list by host name and starts it after the last host used, or at the beginning if that host is not in it.
/// Before the first use, the first node of the list counts as used (rule 11, item 7).
pub(super) fn round_from_last(state: &State, list: &[Bit]) -> Vec<Bit> {
    let plan = &state.plan;
    let host = |bit: &Bit| plan.host_name(plan.nodes[*bit].host);
    let last = state.last_host.map(|last| plan.host_name(last)).or_else(|| list.first().map(host));
    let mut round = list.to_vec();
    round.sort_by(|a, b| host(a).cmp(host(b)));
    let last = last.filter(|last| round.iter().any(|bit| host(bit) == *last));
    let next = last.map_or(0, |last| round.partition_point(|bit| host(bit) <= last));
    if next < round.len() {
        round.rotate_left(next);
    }
    round
}

/// Returns the new last host after a placement. Any packed job sets it (measured: also one of several chunks); `None`
/// if it does not change.
pub(super) fn moves_on(plan: &Plan, request: &JobRequest, allocation: &Allocation) -> Option<HostIx> {
    let moves = is_round_robin(plan) && request.place.arrangement == Arrangement::Pack;
    let last = allocation.pieces.iter().rev().find(|piece| match &piece.gives {
        PieceResources::Shape(_) => true,
        PieceResources::Amounts(amounts) => !amounts.is_empty(),
    });
    last.filter(|_| moves).map(|piece| plan.nodes[piece.bit].host)
}

//! `smp_cluster_dist: round_robin`: jobs of one packed chunk go round the hosts (rule 4.3).

use crate::cluster::{Arrangement, SmpDist};
use crate::universe::{Allocation, Bit, Gives, HostIx, JobRequest, Plan, State};

/// Whether packed jobs go round the hosts: not where nodes are sorted job by job, which takes it for `pack` (rule 4.3).
fn is_round_robin(plan: &Plan) -> bool {
    *plan.snap.policy.smp_cluster_dist.get(plan.period) == SmpDist::RoundRobin && !plan.sorts_per_job
}

/// Whether a job of this request goes round the hosts.
pub fn goes_round(plan: &Plan, request: &JobRequest) -> bool {
    is_round_robin(plan) && request.place.arrangement == Arrangement::Pack && request.total_chunks() == 1
}

/// A list by the names of hosts, from the host after the one used last, or from its first if that one is not in it; before
/// the first use the first node of the list counts as used (rule 11, item 7).
pub(super) fn round_from_last(state: &State, list: &[Bit]) -> Vec<Bit> {
    let plan = &state.plan;
    let host = |bit: &Bit| &plan.hosts[plan.nodes[*bit].host];
    let last = state.last_host.map(|last| &plan.hosts[last]).or_else(|| list.first().map(host));
    let mut round = list.to_vec();
    round.sort_by(|a, b| host(a).cmp(host(b)));
    let last = last.filter(|last| round.iter().any(|bit| host(bit) == *last));
    let next = last.map_or(0, |last| round.partition_point(|bit| host(bit) <= last));
    if next < round.len() {
        round.rotate_left(next);
    }
    round
}

/// The host that a placement leaves as the last one used: that of any packed job (measured: of several
/// chunks as well); none if it leaves the place as it was.
pub(super) fn moves_on(plan: &Plan, request: &JobRequest, allocation: &Allocation) -> Option<HostIx> {
    let moves = is_round_robin(plan) && request.place.arrangement == Arrangement::Pack;
    let last = allocation.pieces.iter().rev().find(|piece| match &piece.gives {
        Gives::Shape(_) => true,
        Gives::Amounts(amounts) => !amounts.is_empty(),
    });
    last.filter(|_| moves).map(|piece| plan.nodes[piece.bit].host)
}

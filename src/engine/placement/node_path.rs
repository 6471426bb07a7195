//! The node path over one list of nodes (rule 4.4).

use std::borrow::Cow;

use crate::universe::{Allocation, Bit, BitSet, JobRequest, NodeListId, NodeSet, State};

use super::by_host::{HostNodes, ListOrigin, place_by_host};
use super::candidates::{CandidateList, Candidates, ListOwner, NodePathFailure, is_placed_by_host};
use super::search::NodeSearch;
use super::traversal::{BitOrder, ListOrder, NodeTraversal, PerJobOrder, SparseBitOrder};
use super::{Probe, TimeCheck};

/// Places a job on the eligible nodes of one list.
///
/// # Errors
/// Why the nodes did not suffice.
pub fn place_on_nodes(
    state: &State,
    request: &JobRequest,
    nodes: Candidates<'_>,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodePathFailure> {
    if is_placed_by_host(state, request) {
        return host_by_host(state, request, nodes, time, examined, probe);
    }
    let eligible = nodes.eligible;
    let open =
        |list: &[Bit]| -> Vec<Bit> { list.iter().copied().filter(|bit| eligible.contains(*bit)).collect() };
    let job = NodeByNodePlacement {
        state,
        request,
        time,
        is_in_reservation: nodes.is_in_reservation,
        examined,
        probe,
    };
    if nodes.is_sorted_per_job(state) {
        let order = open(&nodes.in_order(state));
        return job
            .place(NodeSet::of(eligible.capacity(), order.iter().copied()), PerJobOrder::LastOrder(order));
    }
    if let Some(round) = nodes.round(state, request) {
        return job.place_along(open(&round));
    }
    match nodes.list {
        CandidateList::All(_) => job.place(eligible.clone(), BitOrder),
        CandidateList::Set(set) => job.place(set.nodes.common(eligible), SparseBitOrder(&set.nodes)),
        CandidateList::Ordered(members) => job.place_along(open(members)),
    }
}

fn host_by_host(
    state: &State,
    request: &JobRequest,
    nodes: Candidates<'_>,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodePathFailure> {
    let round = nodes.round(state, request).map(Cow::Owned);
    let order = round.unwrap_or_else(|| nodes.in_order(state));
    let reach = match nodes.list {
        CandidateList::Set(_) => ListOrigin::Set,
        _ if nodes.id == Some(NodeListId::Server) && nodes.owner == ListOwner::Shared => ListOrigin::Complex,
        _ => ListOrigin::Subset,
    };
    let Candidates { eligible, owner, is_in_reservation, set_reason, .. } = nodes;
    let is_own = owner == ListOwner::Job;
    let nodes = HostNodes { list: &order, eligible, reach, is_own, is_in_reservation, set_reason };
    place_by_host(state, request, nodes, time, examined, probe)
}

/// A job to be placed node by node, in any order.
struct NodeByNodePlacement<'a> {
    state: &'a State,
    request: &'a JobRequest,
    time: &'a TimeCheck,
    /// Whether the nodes are copies in a reservation.
    is_in_reservation: bool,
    examined: &'a mut u64,
    probe: &'a mut Probe,
}

impl NodeByNodePlacement<'_> {
    /// Places the job on these nodes, in the given order.
    fn place_along(self, open: Vec<Bit>) -> Result<Allocation, NodePathFailure> {
        self.place(BitSet::full(open.len()), ListOrder(open.into()))
    }

    fn place<W: NodeTraversal>(self, alive: BitSet<W::Id>, walk: W) -> Result<Allocation, NodePathFailure> {
        let search = NodeSearch::new(self.state, self.request, alive, walk, self.time);
        let mut search = search.set_in_reservation(self.is_in_reservation);
        let pieces = search.run(self.probe);
        *self.examined += search.examined;
        match pieces {
            Some(pieces) => Ok(Allocation { pieces }),
            None => {
                let placed_some = search.placed_some;
                let reason = search.last_refusal.map(|(_, reason)| reason);
                Err(NodePathFailure { reason, marked_vnodes: Vec::new(), placed_some })
            }
        }
    }
}

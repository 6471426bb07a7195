//! The node path over one list of nodes (rule 4.4).

use std::borrow::Cow;

use crate::universe::{Allocation, Bit, BitSet, JobRequest, ListId, NodeSet, State};

use super::by_host::{HostNodes, Reach, place_by_host};
use super::candidates::{Candidates, List, ListOwner, NodeFailure, goes_by_host};
use super::search::Search;
use super::walk::{ByBit, Few, ListedNodes, PerJob, Walk};
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
) -> Result<Allocation, NodeFailure> {
    if goes_by_host(state, request) {
        return host_by_host(state, request, nodes, time, examined, probe);
    }
    let eligible = nodes.eligible;
    let open =
        |list: &[Bit]| -> Vec<Bit> { list.iter().copied().filter(|bit| eligible.contains(*bit)).collect() };
    let job = NodeByNode { state, request, time, is_inside: nodes.is_inside, examined, probe };
    if nodes.is_sorted_per_job(state) {
        let order = open(&nodes.in_order(state));
        return job.place(NodeSet::of(eligible.capacity(), order.iter().copied()), PerJob::Given(order));
    }
    if let Some(round) = nodes.round(state, request) {
        return job.place_along(open(&round));
    }
    match nodes.list {
        List::All(_) => job.place(eligible.clone(), ByBit),
        List::Set(set) => job.place(set.nodes.common(eligible), Few(&set.nodes)),
        List::Ranked(members) => job.place_along(open(members)),
    }
}

fn host_by_host(
    state: &State,
    request: &JobRequest,
    nodes: Candidates<'_>,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let round = nodes.round(state, request).map(Cow::Owned);
    let order = round.unwrap_or_else(|| nodes.in_order(state));
    let reach = match nodes.list {
        List::Set(_) => Reach::Set,
        _ if nodes.id == Some(ListId::Server) && nodes.owner == ListOwner::Shared => Reach::Complex,
        _ => Reach::Part,
    };
    let Candidates { eligible, owner, is_inside, left_over, .. } = nodes;
    let is_own = owner == ListOwner::Job;
    let nodes = HostNodes { list: &order, eligible, reach, is_own, is_inside, left_over };
    place_by_host(state, request, nodes, time, examined, probe)
}

/// A job to be placed node by node, in any order.
struct NodeByNode<'a> {
    state: &'a State,
    request: &'a JobRequest,
    time: &'a TimeCheck,
    /// Whether the nodes are copies in a reservation.
    is_inside: bool,
    examined: &'a mut u64,
    probe: &'a mut Probe,
}

impl NodeByNode<'_> {
    /// Places the job on these nodes, in the given order.
    fn place_along(self, open: Vec<Bit>) -> Result<Allocation, NodeFailure> {
        self.place(BitSet::full(open.len()), ListedNodes(open.into()))
    }

    fn place<W: Walk>(self, alive: BitSet<W::Id>, walk: W) -> Result<Allocation, NodeFailure> {
        let search = Search::new(self.state, self.request, alive, walk, self.time);
        let mut search = search.inside(self.is_inside);
        let pieces = search.run(self.probe);
        *self.examined += search.examined;
        match pieces {
            Some(pieces) => Ok(Allocation { pieces }),
            None => {
                let placed_some = search.placed_some;
                let reason = search.last.map(|(_, reason)| reason);
                Err(NodeFailure { reason, taken: Vec::new(), placed_some })
            }
        }
    }
}

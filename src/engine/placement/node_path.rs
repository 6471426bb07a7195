//! The node path over one list of nodes (rule 4.4).

use std::borrow::Cow;

use crate::universe::{Allocation, Bit, BitSet, JobRequest, ListId, NodeSet, State};

use super::by_host::{HostNodes, Reach, place_by_host};
use super::candidates::{Candidates, List, NodeFailure, goes_by_host};
use super::search::Search;
use super::walk::{ByBit, Few, ListedNodes, PerJob, Walk};
use super::{Probe, TimeCheck};

/// Places a job on the eligible nodes of one list.
///
/// # Errors
/// What stood in the way.
pub fn place_on_nodes(
    state: &State,
    request: &JobRequest,
    nodes: Candidates<'_>,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    if goes_by_host(state, request) {
        let round = nodes.round(state, request).map(Cow::Owned);
        let order = round.unwrap_or_else(|| nodes.in_order(state));
        let reach = match nodes.list {
            List::Set(_) => Reach::Set,
            _ if nodes.id == Some(ListId::Server) && !nodes.is_named && !nodes.is_own => Reach::Complex,
            _ => Reach::Part,
        };
        let Candidates { eligible, is_own, is_inside, left_over, .. } = nodes;
        let nodes = HostNodes { list: &order, eligible, reach, is_own, is_inside, left_over };
        return place_by_host(state, request, nodes, time, examined, probe);
    }
    if nodes.is_sorted_per_job(state) {
        let mut order = nodes.in_order(state).into_owned();
        order.retain(|bit| nodes.eligible.contains(*bit));
        let open = NodeSet::of(nodes.eligible.capacity(), order.iter().copied());
        return search(
            Search::new(state, request, open, PerJob::Given(order), time).inside(nodes.is_inside),
            examined,
            probe,
        );
    }
    if let Some(mut round) = nodes.round(state, request) {
        round.retain(|bit| nodes.eligible.contains(*bit));
        let alive = BitSet::full(round.len());
        return search(
            Search::new(state, request, alive, ListedNodes(round.into()), time).inside(nodes.is_inside),
            examined,
            probe,
        );
    }
    match nodes.list {
        List::All(_) => search(
            Search::new(state, request, nodes.eligible.clone(), ByBit, time).inside(nodes.is_inside),
            examined,
            probe,
        ),
        List::Set(set) => {
            let alive = set.nodes.common(nodes.eligible);
            let search_in = Search::new(state, request, alive, Few(&set.nodes), time);
            search(search_in.inside(nodes.is_inside), examined, probe)
        }
        List::Ranked(members) => {
            let open: Vec<Bit> =
                members.iter().copied().filter(|bit| nodes.eligible.contains(*bit)).collect();
            let alive = BitSet::full(open.len());
            search(
                Search::new(state, request, alive, ListedNodes(open.into()), time).inside(nodes.is_inside),
                examined,
                probe,
            )
        }
    }
}

fn search<W: Walk>(
    mut search: Search<'_, W>,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let pieces = search.run(probe);
    *examined += search.examined;
    match pieces {
        Some(pieces) => Ok(Allocation { pieces }),
        None => {
            let placed_some = search.placed_some;
            let reason = search.last.map(|(_, reason)| reason);
            Err(NodeFailure { reason, taken: Vec::new(), placed_some })
        }
    }
}

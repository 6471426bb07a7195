//! The node path over one list of nodes (rule 4.4).

use crate::cluster::Arrangement;
use crate::universe::{Allocation, Bit, JobRequest, NodeSet, Reason, State};

use super::by_host::place_by_host;
use super::probe::Probe;
use super::search::{Search, Walk, walk_of};
use super::time_check::TimeCheck;

/// Why a list of nodes would not do: the reason of the node examined last, and the first one remembered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeFailure {
    /// Of the node examined last, unless that one was fine.
    pub last: Option<Reason>,
    /// The first one.
    pub first: Option<Reason>,
}

/// Places a job on the eligible nodes of one list.
///
/// # Errors
/// What stood in the way.
pub fn place_on_nodes(
    state: &State,
    request: &JobRequest,
    eligible: NodeSet,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let walk = walk_of(state, &eligible);
    let packed = request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1;
    if packed || state.plan.multi_vnode.found {
        let order: Vec<Bit> = match walk {
            Walk::ByBit => eligible.iter().collect(),
            Walk::PerJob(order) => order,
        };
        return place_by_host(state, request, &order, time, examined, probe);
    }
    let mut search = Search::new(state, request, eligible, walk, time);
    let pieces = search.run(probe);
    *examined += search.examined;
    match pieces {
        Some(pieces) => Ok(Allocation { pieces }),
        None => Err(NodeFailure { last: search.last.map(|(_, reason)| reason), first: search.first }),
    }
}

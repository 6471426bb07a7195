//! The node path over one list of nodes (rule 4.4).

use crate::cluster::Arrangement;
use crate::universe::{Allocation, JobRequest, NodeSet, Piece, Reason, State};

use super::probe::Probe;
use super::search::{Search, walk_of};
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
    if request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1 {
        return pack(state, request, &eligible, time, examined, probe);
    }
    let walk = walk_of(state, &eligible);
    let mut search = Search::new(state, request, eligible, walk, time);
    let pieces = search.run(probe);
    *examined += search.examined;
    match pieces {
        Some(pieces) => Ok(Allocation { pieces }),
        None => Err(NodeFailure { last: search.last.map(|(_, reason)| reason), first: search.first }),
    }
}

/// All chunks on one host, host by host (rule 4.4 B); every host has one vnode here.
fn pack(
    state: &State,
    request: &JobRequest,
    eligible: &NodeSet,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let order: Vec<_> = match walk_of(state, eligible) {
        super::search::Walk::ByBit => eligible.iter().collect(),
        super::search::Walk::PerJob(order) => order,
    };
    let mut failure = NodeFailure::default();
    for bit in order {
        let one = NodeSet::of(eligible.capacity(), [bit]);
        let mut search = Search::new(state, request, one, super::search::Walk::ByBit, time);
        let pieces: Option<Vec<Piece>> = search.run(probe);
        *examined += search.examined;
        if let Some(pieces) = pieces {
            return Ok(Allocation { pieces });
        }
        let last = search.last.map(|(_, reason)| reason);
        failure.first = failure.first.or(search.first).or(last);
    }
    Err(failure)
}

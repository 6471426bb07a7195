//! The node path over one list of nodes (rule 4.4).

use crate::cluster::Arrangement;
use crate::universe::{Allocation, Bit, BitSet, JobRequest, NodeSet, Reason, State};

use super::by_host::place_by_host;
use super::path::sorts_per_job;
use super::probe::Probe;
use super::search::Search;
use super::time_check::TimeCheck;
use super::walk::{ByBit, Listed, PerJob, Walk};

/// Why a list of nodes would not do: the reason of the node examined last, and the first one remembered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeFailure {
    /// Of the node examined last, unless that one was fine.
    pub last: Option<Reason>,
    /// The first one.
    pub first: Option<Reason>,
}

/// The nodes that a job may look at.
#[derive(Clone, Debug)]
pub enum Candidates {
    /// Any of the complex.
    All(NodeSet),
    /// A few of them, in the order of their bits.
    Few(Vec<Bit>),
}

impl Candidates {
    /// The eligible ones among some nodes.
    #[must_use]
    pub fn within(state: &State, members: &[Bit], eligible: &NodeSet) -> Self {
        let is_eligible = eligible.membership();
        let both = members.iter().copied().filter(|bit| is_eligible(*bit));
        if sorts_per_job(&state.plan) {
            Self::All(NodeSet::of(eligible.capacity(), both))
        } else {
            Self::Few(both.collect())
        }
    }
}

/// Places a job on the eligible nodes of one list.
///
/// # Errors
/// What stood in the way.
pub fn place_on_nodes(
    state: &State,
    request: &JobRequest,
    nodes: Candidates,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let packed = request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1;
    let by_host = packed || state.plan.multi_vnode.found;
    let nodes = match nodes {
        Candidates::All(nodes) if sorts_per_job(&state.plan) => {
            let walk = PerJob::new(state, &nodes);
            if !by_host {
                return search(Search::new(state, request, nodes, walk, time), examined, probe);
            }
            walk.0
        }
        Candidates::All(nodes) if by_host => nodes.iter().collect(),
        Candidates::All(nodes) => {
            return search(Search::new(state, request, nodes, ByBit, time), examined, probe);
        }
        Candidates::Few(nodes) if by_host => nodes,
        Candidates::Few(nodes) => {
            let alive = BitSet::full(nodes.len());
            return search(Search::new(state, request, alive, Listed(nodes), time), examined, probe);
        }
    };
    place_by_host(state, request, &nodes, time, examined, probe)
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
        None => Err(NodeFailure { last: search.last.map(|(_, reason)| reason), first: search.first }),
    }
}

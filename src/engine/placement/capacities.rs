//! Rules out sets node by node. If many sets in a row have sufficient sums but insufficient nodes, the capacity of
//! every node is computed once and added up for all sets it is in, instead of searching set after set.

use crate::cluster::Column;
use crate::universe::{Bit, JobRequest, NodeSet, SetIx, Spec, State};

use super::candidates::is_placed_by_host;
use super::chunk::PreparedChunk;
use super::pack::{PreparedJob, able_to_hold};
use super::search::NodeSearch;
use super::traversal::BitOrder;
use super::{TimeCheck, rotates_over_hosts};

/// Number of nodes that can be checked at once in the time it takes to examine one set.
const NODES_FOR_A_SET: usize = 128;

/// The capacity of the eligible nodes of each set for a job.
#[derive(Debug)]
pub(super) struct SetCapacities {
    /// Number of chunks requested.
    requested: u32,
    sets: Column<SetIx, SetCapacity>,
    /// Number of chunks that each node holds.
    chunks_per_node: Column<Bit, u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SetCapacity {
    /// Chunks that the nodes hold, each as if the job began there.
    chunks: u32,
    /// Nodes that the search would examine before giving up.
    examined: u32,
}

/// Capacity of one node, and the number of times it is examined.
#[derive(Clone, Copy)]
struct NodeCapacity {
    chunks: u32,
    examined: u32,
}

/// Whether checking all nodes pays off, after this many failed sets and with this many nodes to check.
pub(super) fn is_worthwhile(examined: usize, nodes: usize) -> bool {
    examined * NODES_FOR_A_SET > nodes
}

/// Returns how many nodes a ruling checks: those that could hold the job, or one of its chunks, when empty.
pub(super) fn nodes_to_check(state: &State, request: &JobRequest, eligible: &NodeSet) -> usize {
    match &*request.specs {
        [part] if is_placed_by_host(state, request) => {
            eligible.count_common(&able_to_hold(&state.plan, part))
        }
        [part] => eligible.count_common(state.plan.fit_nodes(part.shape)),
        _ => eligible.count(),
    }
}

/// Whether the capacity of each node is independent of other nodes and of the order of checking.
pub(super) fn answers_alone(state: &State, request: &JobRequest) -> bool {
    let plan = &*state.plan;
    plan.ranking.is_none()
        && !plan.multi_vnode.exists
        && !plan.sorts_per_job
        && !rotates_over_hosts(plan, request)
        && !plan.consumables.ids().any(|ix| plan.capacity.is_shared(ix))
}

/// Returns a function that computes the capacity of a node for the only chunk spec; `None` if its signature does not
/// fit.
fn chunks_on_nodes<'a>(
    state: &'a State,
    request: &'a JobRequest,
    part: &Spec,
    time: &'a TimeCheck,
) -> impl FnMut(Bit) -> Option<NodeCapacity> + 'a {
    let mut search = NodeSearch::new(state, request, NodeSet::new(0), BitOrder, time);
    let (fitting, chunk) = (state.plan.fit_nodes(part.shape), PreparedChunk::new(state, part.shape));
    move |bit| {
        let (chunks, examined) = fitting.contains(bit).then(|| search.chunks_on(bit, &chunk))?;
        Some(NodeCapacity { chunks, examined })
    }
}

impl SetCapacities {
    /// Checks every node that a job may use; `None` if nodes are not independent of each other or if several chunk
    /// specs compete for them.
    pub(super) fn new(
        state: &State,
        request: &JobRequest,
        eligible: &NodeSet,
        time: &TimeCheck,
    ) -> Option<Self> {
        let plan = &*state.plan;
        let [part] = &*request.specs else { return None };
        if !answers_alone(state, request) {
            return None;
        }
        let mut ruling = Self {
            requested: part.count,
            sets: Column::filled(state.sets.len(), SetCapacity::default()),
            chunks_per_node: Column::filled(plan.nodes.len(), 0),
        };
        if is_placed_by_host(state, request) {
            // A node that is not too small for the whole job must be examined.
            let whole = PreparedJob::new(state, &request.specs, time);
            let holds = NodeCapacity { chunks: part.count, examined: 0 };
            let able = eligible.common(&able_to_hold(plan, part));
            ruling.count(state, &able, &mut |bit| (!whole.is_hopeless(bit)).then_some(holds));
        } else {
            ruling.count(state, eligible, &mut chunks_on_nodes(state, request, part, time));
        }
        Some(ruling)
    }

    /// Checks changed nodes again, each given once. Does not check time, and is not for jobs placed host by host.
    pub(super) fn recheck_nodes(
        &mut self,
        state: &State,
        request: &JobRequest,
        nodes: &[Bit],
        is_eligible: impl Fn(Bit) -> bool,
    ) {
        let [part] = &*request.specs else { return };
        let time = TimeCheck::default();
        let mut on = chunks_on_nodes(state, request, part, &time);
        for bit in nodes.iter().copied() {
            let now = if is_eligible(bit) { on(bit).map_or(0, |node| node.chunks) } else { 0 };
            let was = std::mem::replace(&mut self.chunks_per_node[bit], now);
            for set in &state.sets.by_node()[bit] {
                let held = &mut self.sets[*set];
                held.chunks = held.chunks.saturating_sub(was).saturating_add(now);
            }
        }
    }

    fn count(&mut self, state: &State, eligible: &NodeSet, on: &mut dyn FnMut(Bit) -> Option<NodeCapacity>) {
        let around = state.sets.by_node();
        for bit in eligible.iter() {
            let Some(node) = on(bit) else { continue };
            self.chunks_per_node[bit] = node.chunks;
            for set in &around[bit] {
                let held = &mut self.sets[*set];
                held.chunks = held.chunks.saturating_add(node.chunks);
                held.examined += node.examined;
            }
        }
    }

    /// Returns how many nodes would be examined in vain in a set that cannot hold the job; `None` if it may hold it.
    #[inline]
    pub(super) fn nodes_if_ruled_out(&self, set: SetIx) -> Option<u64> {
        let held = self.sets[set];
        (held.chunks < self.requested).then_some(u64::from(held.examined))
    }
}

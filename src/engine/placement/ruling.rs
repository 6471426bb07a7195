//! Ruling out sets node by node: when many sets in a row have sums that would do and nodes that would not, what every node
//! holds is found out once and added up for all sets it is in, instead of looking into set after set.

use crate::cluster::Id;
use crate::universe::{Bit, JobRequest, NodeSet, SetIx, State};

use super::chunk::Chunk;
use super::node_path::goes_by_host;
use super::pack::WholeJob;
use super::path::sorts_per_job;
use super::round_robin::goes_round;
use super::search::Search;
use super::time_check::TimeCheck;
use super::walk::ByBit;

/// So many nodes are asked at once in the time that it takes to look into one set.
const NODES_FOR_A_SET: usize = 64;

/// What the eligible nodes of each set hold of a job.
pub(super) struct Ruling {
    /// Chunks wanted.
    wanted: u32,
    sets: Vec<Held>,
}

#[derive(Clone, Copy, Default)]
struct Held {
    /// Chunks that the nodes hold, each as if the job began there.
    chunks: u32,
    /// Nodes that the search would look at before it gave up.
    examined: u32,
}

/// What one node may hold, and how often it is looked at.
#[derive(Clone, Copy)]
struct OnNode {
    chunks: u32,
    examined: u32,
}

/// Whether it is time to ask all nodes: so many sets were looked into in vain, and the job may use so many nodes.
pub(super) fn is_worthwhile(looked_into: usize, eligible: usize) -> bool {
    looked_into * NODES_FOR_A_SET > eligible
}

/// Whether every node answers for itself, whatever others hold, and in whatever order they are asked.
pub(super) fn answers_alone(state: &State, request: &JobRequest) -> bool {
    let plan = &*state.plan;
    plan.ranking.is_none()
        && !plan.multi_vnode.found
        && !sorts_per_job(plan)
        && !goes_round(plan, request)
        && !plan.consumables.ids().any(|ix| plan.capacity.is_shared(ix))
}

impl Ruling {
    /// Asks every node that a job may use; none where nodes do not answer each for itself, or where chunks of several
    /// kinds vie for them.
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
        let mut ruling = Self { wanted: part.count, sets: vec![Held::default(); state.sets.len()] };
        if goes_by_host(state, request) {
            // A node that is not too small for the whole job is to be looked into.
            let whole = WholeJob::new(state, &request.specs, time);
            let holds = OnNode { chunks: part.count, examined: 0 };
            ruling.ask(state, eligible, |bit| (!whole.is_hopeless(bit)).then_some(holds));
        } else {
            let mut search = Search::new(state, request, NodeSet::new(0), ByBit, time);
            let (fitting, chunk) = (plan.fit_nodes(part.shape), Chunk::new(state, part.shape));
            ruling.ask(state, eligible, |bit| {
                let (chunks, examined) = fitting.contains(bit).then(|| search.chunks_on(bit, &chunk))?;
                Some(OnNode { chunks, examined })
            });
        }
        Some(ruling)
    }

    fn ask(&mut self, state: &State, eligible: &NodeSet, mut on: impl FnMut(Bit) -> Option<OnNode>) {
        let around = state.sets.by_node();
        for bit in eligible.iter() {
            let Some(node) = on(bit) else { continue };
            for set in &around[bit] {
                if let Some(held) = self.sets.get_mut(set.ix()) {
                    held.chunks = held.chunks.saturating_add(node.chunks);
                    held.examined += node.examined;
                }
            }
        }
    }

    /// How many nodes would be looked at in vain in a set that cannot hold the job; none if it can.
    #[inline]
    pub(super) fn out(&self, set: SetIx) -> Option<u64> {
        let held = self.sets.get(set.ix())?;
        (held.chunks < self.wanted).then_some(u64::from(held.examined))
    }
}

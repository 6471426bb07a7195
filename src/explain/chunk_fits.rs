//! Number of nodes that hold a chunk of a job: when free, and at its turn.

use qscope_engine::placement::{NodeFilter, why_not};
use qscope_engine::universe::{Bit, Fit, Occupant, Spec};

use super::Turn;

/// A chunk, with counts over the nodes that the job may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkFits {
    /// The request of one chunk.
    pub chunk: String,
    /// Number of such chunks.
    pub requested: u32,
    /// Number of nodes that hold one when nothing runs on them.
    pub when_free: usize,
    /// Number of nodes that hold one at the job's turn.
    pub now: usize,
    /// Number of nodes that the job may use.
    pub nodes: usize,
}

impl ChunkFits {
    /// Describes it: `fits 27 of 28 nodes when these are free, 5 now`.
    pub fn words(&self) -> String {
        match self.when_free {
            0 => format!("fits none of {} nodes, not even a free one", self.nodes),
            free => format!("fits {free} of {} nodes when these are free, {} now", self.nodes, self.now),
        }
    }
}

/// Returns the chunks of a job's request; empty if hosts have several vnodes, because a chunk may be spread over the
/// vnodes of a host, so single vnodes say nothing.
pub fn chunk_fits(turn: &Turn) -> Vec<ChunkFits> {
    let (state, plan) = (turn.state(), turn.plan());
    if plan.multi_vnode.found {
        return Vec::new();
    }
    let sharing = turn.request.place.sharedness;
    let open = NodeFilter::new(state, &turn.list, Occupant::Job(turn.job, None), sharing).nodes;
    let fits = |spec: &Spec| {
        let holds = |bit: &Bit| !matches!(plan.fit(spec.shape, plan.nodes[*bit].sig), Fit::No(_));
        let now = |bit: &Bit| open.contains(*bit) && why_not(state, spec.shape, *bit).is_none();
        let count = format!("{}:", spec.count);
        ChunkFits {
            chunk: spec.text.strip_prefix(&count).unwrap_or(&spec.text).to_owned(),
            requested: spec.count,
            when_free: turn.list.iter().filter(holds).count(),
            now: turn.list.iter().filter(|bit| holds(bit) && now(bit)).count(),
            nodes: turn.list.count(),
        }
    };
    turn.request.specs.iter().map(fits).collect()
}

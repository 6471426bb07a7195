//! Number of nodes that hold a chunk of a job: when free, and at its turn.

use qscope_engine::cluster::JobId;
use qscope_engine::placement::{NodeFilter, could_hold, why_not};
use qscope_engine::universe::{Bit, JobRequest, NodeSet, Occupant, Spec, State};

use super::JobTurn;

/// A chunk, with counts over the nodes that the job may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkFits {
    pub chunk: String,
    /// Number of such chunks.
    pub requested: u32,
    /// Number of nodes in service that hold one when nothing runs on them.
    pub when_idle: usize,
    /// Number of nodes out of service that would hold one.
    pub out_of_service: usize,
    /// Number of nodes that hold one at the job's turn.
    pub at_turn: usize,
    /// Number of nodes that the job may use.
    pub nodes: usize,
}

impl ChunkFits {
    /// Whether no node holds one, whatever ends or comes back into service.
    pub fn is_never(&self) -> bool {
        self.when_idle == 0 && self.out_of_service == 0
    }

    /// Describes it: `fits 27 of 28 nodes when free, 5 now; it would fit 1 out of service`.
    pub fn words(&self) -> String {
        match self.when_idle {
            0 if self.is_never() => format!("fits none of {} nodes, not even a free one", self.nodes),
            0 => format!(
                "fits none of the nodes in service; it would fit {} out of service",
                self.out_of_service
            ),
            free => {
                let out = match self.out_of_service {
                    0 => String::new(),
                    out => format!("; it would fit {out} out of service"),
                };
                format!("fits {free} of {} nodes when free, {} now{out}", self.nodes, self.at_turn)
            }
        }
    }
}

/// Returns the chunks of a job's request; empty if hosts have several vnodes, because a chunk may be spread over the
/// vnodes of a host, so single vnodes state nothing.
pub fn chunk_fits(turn: &mut JobTurn) -> Vec<ChunkFits> {
    if turn.plan().multi_vnode.exists {
        return Vec::new();
    }
    let (job, request, list) = (turn.job, turn.request.clone(), turn.list.clone());
    turn.seen(|state| fits_on(state, job, &request, &list))
}

/// The chunks of a request on the nodes in `list`, as the job finds them in this state.
fn fits_on(state: &State, job: JobId, request: &JobRequest, list: &NodeSet) -> Vec<ChunkFits> {
    let plan = &state.plan;
    let open = NodeFilter::new(state, list, Occupant::Job(job, None), request.place.sharedness).nodes;
    let fits = |spec: &Spec| {
        let able = could_hold(plan, spec.shape);
        let holds = |bit: &Bit| able.contains(*bit);
        let is_out = |bit: &Bit| state.occupancy.states[*bit].is_out_of_service();
        let now = |bit: &Bit| open.contains(*bit) && why_not(state, spec.shape, *bit).is_none();
        let count = format!("{}:", spec.count);
        ChunkFits {
            chunk: spec.text.strip_prefix(&count).unwrap_or(&spec.text).to_owned(),
            requested: spec.count,
            when_idle: list.iter().filter(|bit| holds(bit) && !is_out(bit)).count(),
            out_of_service: list.iter().filter(|bit| holds(bit) && is_out(bit)).count(),
            at_turn: list.iter().filter(|bit| holds(bit) && now(bit)).count(),
            nodes: list.count(),
        }
    };
    request.specs.iter().map(fits).collect()
}

//! Placement sets from the view of a job: their keys, and the set that comes closest to holding it.

use std::sync::Arc;

use qscope_engine::cluster::{JobId, Name, Place};
use qscope_engine::placement::sets_for;
use qscope_engine::universe::{AmountBasis, Bit, JobRequest, NodeSet, Plan, State};

use super::fit_analysis::FitAnalysis;

/// The set that holds the most of a job.
#[derive(Clone, Debug)]
pub(super) struct BestSet {
    pub name: Name,
    pub nodes: usize,
    /// Its nodes that the job may use.
    pub members: Vec<Bit>,
    pub chunks: u64,
    /// Number of sets.
    pub sets: usize,
    /// The bottleneck resources in it.
    pub narrow: Vec<String>,
    /// Whether it holds the whole job.
    pub holds_job: bool,
    /// Whether it would hold the whole job when empty.
    pub large_enough: bool,
}

/// Returns the best of the sets that a job may use; `None` if it uses no sets.
pub(super) fn best_set(
    state: &State,
    job: JobId,
    request: &JobRequest,
    list: &NodeSet,
    against: AmountBasis,
) -> Option<BestSet> {
    let sets = sets_for(state, job, request)?;
    let count = sets.len();
    let mut best: Option<BestSet> = None;
    for (name, members) in sets {
        let found = measure(state, request, list, against, name, &members, count);
        let rank = |set: &BestSet| (set.holds_job, set.large_enough, set.chunks);
        if best.as_ref().is_none_or(|best| rank(best) < rank(&found)) {
            best = Some(found);
        }
    }
    best
}

fn measure(
    state: &State,
    request: &JobRequest,
    list: &NodeSet,
    basis: AmountBasis,
    name: Name,
    members: &Arc<[Bit]>,
    sets: usize,
) -> BestSet {
    let mut nodes = NodeSet::of(list.capacity(), members.iter().copied());
    nodes.intersect(list);
    let room = FitAnalysis::new(state, request, &nodes, basis);
    let lacking = room.lacking();
    let chunks =
        request.specs.iter().map(|spec| room.chunks(spec, None, false).min(u64::from(spec.count))).sum();
    let catalogue = &state.plan.snap.catalogue;
    let narrow = lacking.first().map(|(spec, _)| room.narrow(spec)).unwrap_or_default();
    BestSet {
        name,
        nodes: nodes.count(),
        members: nodes.iter().collect(),
        chunks,
        sets,
        narrow: narrow.iter().map(|resource| catalogue.name(*resource).to_string()).collect(),
        holds_job: lacking.is_empty(),
        large_enough: FitAnalysis::new(state, request, &nodes, AmountBasis::Total).holds_all_chunks(),
    }
}

/// Returns the resources that group nodes into sets for a job: its own key, its queue's, or the server's.
pub(super) fn set_keys(plan: &Plan, job: JobId, request: &JobRequest) -> Vec<String> {
    let Place { group, .. } = &request.place;
    if let Some(key) = group {
        return vec![key.to_string()];
    }
    let snap = &plan.snap;
    let queue = snap.queue_named(&plan.job(job).queue).map(|id| &snap.queues[id]);
    let own = queue.filter(|queue| !queue.node_group_key.is_empty()).map(|queue| &queue.node_group_key);
    own.unwrap_or(&snap.server.node_group_key).iter().map(ToString::to_string).collect()
}

/// Returns the nodes of all sets that hold the whole job now.
pub(super) fn sets_that_hold(state: &State, job: JobId, request: &JobRequest, list: &NodeSet) -> NodeSet {
    let mut all = NodeSet::new(list.capacity());
    for (_, members) in sets_for(state, job, request).unwrap_or_default() {
        let mut nodes = NodeSet::of(list.capacity(), members.iter().copied());
        nodes.intersect(list);
        if FitAnalysis::new(state, request, &nodes, AmountBasis::Now).holds_all_chunks() {
            all.unite(&nodes);
        }
    }
    all
}

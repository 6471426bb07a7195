//! The nodes that a hook restricted a job to: its attribute `node_set` (rule 4.1).

use crate::cluster::JobId;
use crate::universe::{NodeSet, Occupant, State};

/// Returns the nodes of a list that the job's `node_set` names; `None` without that attribute.
pub(super) fn named_nodes(state: &State, job: JobId, list: &NodeSet) -> Option<NodeSet> {
    let plan = &state.plan;
    let names = &plan.job(job).node_set;
    if names.is_empty() {
        return None;
    }
    let known = names.iter().filter_map(|name| plan.bit_named.get(name).copied());
    Some(NodeSet::of(plan.nodes.len(), known).common(list))
}

/// Whether the occupant's own nodes are named nodes of a list, kept in its order.
pub(super) fn are_listed(state: &State, occupant: Occupant) -> bool {
    let Occupant::Job(job, _) = occupant else { return false };
    !state.plan.job(job).node_set.is_empty() && state.reservation_of(occupant).is_none()
}

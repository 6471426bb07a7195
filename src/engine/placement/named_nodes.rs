//! The only nodes that a job may use where a hook named some: its attribute `node_set` (rule 4.1).

use crate::cluster::JobId;
use crate::universe::{NodeSet, Occupant, State};

/// Those nodes of a list that the job's `node_set` names; none where it has no such attribute.
pub(super) fn named_nodes(state: &State, job: JobId, list: &NodeSet) -> Option<NodeSet> {
    let plan = &state.plan;
    let names = &plan.job(job).node_set;
    if names.is_empty() {
        return None;
    }
    let known = names.iter().filter_map(|name| plan.bit_named.get(name).copied());
    Some(NodeSet::of(plan.nodes.len(), known).common(list))
}

/// Whether the nodes that an occupant has to itself are named ones of a list, and stand in its order.
pub(super) fn are_listed(state: &State, occupant: Occupant) -> bool {
    let Occupant::Job(job, _) = occupant else { return false };
    !state.plan.job(job).node_set.is_empty() && state.inside_of(occupant).is_none()
}

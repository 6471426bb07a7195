//! Words for nodes and requests in causes.

use qscope_engine::cluster::{Id, NodeState, NodeStates, ResourceId};
use qscope_engine::universe::{Bit, Plan, Requirement, Spec, State};

use crate::words::folded_within;

/// Returns the request of a chunk spec for a resource, as written.
pub(crate) fn requested(plan: &Plan, spec: &Spec, resource: ResourceId) -> String {
    match plan.shapes[spec.shape].requirement(resource) {
        Some(Requirement::Amount(amount)) => amount.show(plan.snap.catalogue.kind(resource)),
        Some(Requirement::Bool(true)) => "True".to_owned(),
        Some(Requirement::Bool(false)) => "False".to_owned(),
        Some(Requirement::Text(text)) => text.to_string(),
        None => "0".to_owned(),
    }
}

/// Describes why nodes are out of service.
pub(crate) fn out_of_service_text(state: &State, gone: &[Bit]) -> &'static str {
    let all = |is: &dyn Fn(NodeStates) -> bool| gone.iter().all(|bit| is(state.occupancy.states[*bit]));
    if all(&NodeStates::is_gone) {
        "down or offline"
    } else if all(&|states| states.has(NodeState::Busy)) {
        "busy by their load"
    } else {
        "out of service"
    }
}

/// Returns the names of nodes.
pub(crate) fn names(plan: &Plan, bits: &[Bit]) -> Vec<String> {
    known_nodes(plan, bits).map(|bit| plan.node_name(bit).to_string()).collect()
}

/// Columns per name in a list of nodes.
const NAME_COLUMNS: usize = 9;

/// Returns the names of nodes, folded as `n[1-3,7]`, in the space of `most` names, with a count of the rest.
pub(crate) fn folded_names(plan: &Plan, bits: &[Bit], most: usize) -> String {
    folded_within(known_nodes(plan, bits).map(|bit| &**plan.node_name(bit)), most * NAME_COLUMNS)
}

fn known_nodes<'b>(plan: &Plan, bits: &'b [Bit]) -> impl Iterator<Item = Bit> + use<'b> {
    let nodes = plan.nodes.len();
    bits.iter().copied().filter(move |bit| bit.ix() < nodes)
}

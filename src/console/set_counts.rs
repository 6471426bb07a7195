//! The scheduler's counts of a set beside the actual state of its nodes: where they differ, both are shown with the
//! cause.

use qscope_engine::cluster::{Id, ResourceId};
use qscope_engine::universe::{Bit, NodeUse, PlacementSet, Quirk, Slot, State};
use qscope_explain::words::open_nodes;

use crate::node_map::set_role;
use crate::theme::Role;
use crate::wording;

/// Counts the nodes that can take a job: `16 of 16 nodes counted as free, 13 free or part (quirk last-set-only)`.
pub(crate) fn nodes(state: &State, set: &PlacementSet) -> String {
    open_nodes(state.counts_of(set), set.total_nodes(), lag(state, set))
}

/// Returns the assigned amount of a resource in the set, and the scheduler's count if it differs:
/// `0 assigned (16 counted)`. `None` if no set has the resource.
pub(crate) fn assigned(state: &State, set: &PlacementSet, resource: ResourceId) -> Option<String> {
    let (found, counted) = shown_amounts(state, set, resource)?;
    let counted = counted.map_or_else(String::new, |counted| format!(" ({counted} counted)"));
    Some(format!("{found} assigned{counted}"))
}

/// What is assigned of a resource in it, and what the scheduler counts where that is another amount, both in words; none
/// where no set has it.
pub(crate) fn shown_amounts(
    state: &State,
    set: &PlacementSet,
    resource: ResourceId,
) -> Option<(String, Option<String>)> {
    let show = |value| wording::part(state.plan.snap.catalogue.kind(resource), value);
    let (found, counted) = amounts(state, set, resource)?;
    Some((show(found), counted.map(show)))
}

/// Explains why the scheduler counts another amount as assigned; `None` if it does not.
pub(crate) fn count_difference_reason(
    state: &State,
    set: &PlacementSet,
    resource: ResourceId,
) -> Option<&'static str> {
    let (found, counted) = amounts(state, set, resource)?;
    if state.counts_of(set).is_outdated() || counted? < found {
        return Some(lag(state, set));
    }
    let has = |wanted| set.shape.members.iter().any(|bit| state.node_use(*bit) == wanted);
    Some(match (has(NodeUse::Full), has(NodeUse::Out)) {
        (true, true) => "full and out nodes count whole",
        (false, true) => "nodes out count whole",
        _ => "full nodes count whole",
    })
}

/// The amount of a resource assigned on the nodes of a set, and the scheduler's count if it differs.
fn amounts(state: &State, set: &PlacementSet, resource: ResourceId) -> Option<(f64, Option<f64>)> {
    let ix = state.plan.consumables.ix(resource)?;
    let (found, counted) = (state.assigned_on_nodes(set, ix), set.assigned[ix]);
    // Resources that no job requests are not summed.
    let differs = counted != found && state.plan.consumables.is_summed(ix);
    Some((found, differs.then_some(counted)))
}

/// Lists the nodes that are free or busy later in the buckets of a set although they are full, with the cause: the
/// bitmaps lag behind the allocations of the cycle. `None` if there are none.
pub(crate) fn full_in_bitmaps(state: &State, set: &PlacementSet) -> Option<String> {
    let stands_free = |at: usize, bit: Bit| {
        matches!(set_role(state, set, Slot::at(at), bit), Role::NodeFree | Role::NodeLater)
    };
    let members = set.shape.members.iter().copied().enumerate();
    let full = members.filter(|(_, bit)| state.node_use(*bit) == NodeUse::Full);
    let full: Vec<Bit> = full.filter(|(at, bit)| stands_free(*at, *bit)).map(|(_, bit)| bit).collect();
    let names = (!full.is_empty()).then(|| wording::node_list(&state.plan, &full))?;
    Some(format!("full, and free in these bitmaps: {names} ({})", lag(state, set)))
}

/// Explains why the counts of a set lag: nodes remember only one of their sets, or the set was not counted since.
fn lag(state: &State, set: &PlacementSet) -> &'static str {
    let others = state.sets.by_node();
    let is_in_others = set.shape.members.iter().any(|bit| others[*bit].len() > 1);
    match state.plan.has(Quirk::LastSetOnly) && is_in_others {
        true => "quirk last-set-only",
        false => "not counted since",
    }
}

//! Why one node does not hold one chunk: the literal check of one node (rules 2.4, 4.5).

use crate::cluster::{Amount, ResourceId, Value, truth};
use crate::universe::{
    Bit, ConsIx, NodeSet, Plan, Reason, Requirement, ShapeId, Shortage, SigValue, State, same_text,
};

/// Returns the first request of a chunk that a node lacks now; `None` if it holds the chunk. Time is not considered.
pub fn why_not(state: &State, shape: ShapeId, bit: Bit) -> Option<Reason> {
    lacking_now(state, shape, bit).next()
}

/// Returns everything that a node lacks now for a chunk, in the order checked. Time is not considered.
pub fn all_lacking(state: &State, shape: ShapeId, bit: Bit) -> Vec<Reason> {
    lacking_now(state, shape, bit).collect()
}

fn lacking_now(state: &State, shape: ShapeId, bit: Bit) -> impl Iterator<Item = Reason> {
    lacking(&state.plan, shape, bit, move |ix| state.occupancy.left(&state.plan, ix, bit))
}

/// Returns what a node lacks for a chunk, in the order checked, given what it has left of each consumable.
pub(super) fn lacking(
    plan: &Plan,
    shape: ShapeId,
    bit: Bit,
    left: impl Fn(ConsIx) -> f64,
) -> impl Iterator<Item = Reason> {
    let lacks = move |(resource, requirement): &(ResourceId, Requirement)| match requirement {
        Requirement::Amount(requested) => {
            let ix = plan.consumables.ix(*resource)?;
            lacks_amount(plan, bit, *resource, ix, *requested, left(ix))
        }
        _ => lacks_condition(plan, *resource, requirement, bit),
    };
    plan.shapes[shape].requests.iter().filter_map(lacks)
}

/// Returns the first thing that a node lacks for a chunk, given what it has left of each consumable: an amount or a
/// condition, the operating environment, then room until planned events are over.
pub(super) fn refusal(
    plan: &Plan,
    shape: ShapeId,
    bit: Bit,
    left: impl Fn(ConsIx) -> f64,
    fits_until_events: impl FnOnce() -> bool,
) -> Option<Reason> {
    let lacking = lacking(plan, shape, bit, left).next().map(Reason::erased);
    lacking
        .or_else(|| needs_provisioning(plan, shape, bit).then_some(Reason::ProvisioningOff))
        .or_else(|| (!fits_until_events()).then_some(Reason::Conflict))
}

/// Returns the nodes that could hold a chunk of a shape when empty: they meet its conditions, including names, and
/// have every amount. If hosts have several vnodes, chunks may be broken over them, so amounts do not count.
pub fn could_hold(plan: &Plan, shape: ShapeId) -> &NodeSet {
    let holds = |bit: &Bit| {
        let large = |(ix, need): &(ConsIx, f64)| {
            let total = plan.capacity.available(*ix, *bit);
            *need <= 0.0 || total >= *need || plan.unset_ok.contains(&plan.consumables.resource(*ix))
        };
        let mut conditions = plan.shapes[shape].conditions();
        conditions.all(|(resource, wanted)| lacks_condition(plan, *resource, wanted, *bit).is_none())
            && (plan.multi_vnode.exists || plan.needs[shape].iter().all(large))
    };
    plan.could_hold_nodes[shape].get_or_init(|| NodeSet::of(plan.nodes.len(), plan.nodes.ids().filter(holds)))
}

/// Whether a node would have to be provisioned for a chunk because it runs another operating environment than
/// requested. No dump shows a server that provisions, so such a node is refused (rule 4.3).
pub(crate) fn needs_provisioning(plan: &Plan, shape: ShapeId, bit: Bit) -> bool {
    let Some(Requirement::Text(requested)) = plan.shapes[shape].requirement(ResourceId::aoe()) else {
        return false;
    };
    plan.node(bit).current_aoe.as_ref() != Some(requested)
}

/// Returns the shortage if a node has less than requested.
fn lacks_amount(
    plan: &Plan,
    bit: Bit,
    resource: ResourceId,
    ix: ConsIx,
    requested: Amount,
    left: f64,
) -> Option<Reason> {
    if requested.0 <= 0.0 || left >= requested.0 {
        return None;
    }
    let total = plan.capacity.available(ix, bit);
    let total = if total.is_nan() { 0.0 } else { total };
    Some(Reason::Resource(Shortage::amounts(resource, requested, Amount(left), Amount(total))))
}

/// Returns how a node fails a condition on a boolean or a text, with its own value.
pub fn lacks_condition(
    plan: &Plan,
    resource: ResourceId,
    requirement: &Requirement,
    bit: Bit,
) -> Option<Reason> {
    let node = &plan.nodes[bit];
    match requirement {
        Requirement::Amount(_) => None,
        Requirement::Bool(requested) => {
            let have = plan.signatures[node.sig].value(resource);
            if have.is_none() && plan.unset_ok.contains(&resource) {
                return None;
            }
            let have = matches!(have, Some(SigValue::Bool(true)));
            (have != *requested)
                .then(|| Reason::Resource(Shortage::differs(resource, truth(*requested), truth(have))))
        }
        Requirement::Text(requested) => {
            let texts = if resource.is_node_name() {
                plan.node(bit).available.get(resource).map(Value::texts)
            } else {
                match plan.signatures[node.sig].value(resource) {
                    Some(SigValue::Texts(texts)) => Some(&**texts),
                    _ => None,
                }
            };
            let found = match texts {
                Some(texts) => texts.iter().any(|text| same_text(resource, text, requested)),
                None => requested.is_empty() || plan.unset_ok.contains(&resource),
            };
            let have = || texts.unwrap_or_default().join(",");
            (!found).then(|| Reason::Resource(Shortage::differs(resource, requested, &have())))
        }
    }
}

//! Booleans, texts and names that no node has, or too few.

use crate::fit_analysis::{FitAnalysis, names, requested};
use crate::{Cause, words};
use qscope_engine::cluster::ResourceId;
use qscope_engine::placement::lacks_condition;
use qscope_engine::universe::{Bit, NodeSet, Plan, Spec};

use super::IdleTrial;

/// Returns the cause for a boolean, text or name that too few nodes have.
pub(super) fn cause(
    job: &str,
    idle: &IdleTrial<'_>,
    room: &FitAnalysis<'_>,
    spec: &Spec,
    resource: ResourceId,
) -> Cause {
    let (plan, list) = (&idle.state.plan, &idle.list);
    let resource_name = plan.snap.catalogue.name(resource);
    let requested = requested(plan, spec, resource);
    let own = |bit: &Bit| {
        let requirement = plan.shapes[spec.shape].conditions().find(|(have, _)| *have == resource);
        requirement
            .is_some_and(|(_, requirement)| lacks_condition(plan, resource, requirement, *bit).is_none())
    };
    let have: Vec<Bit> = list.iter().filter(own).collect();
    let why = condition_sentence(plan, room, spec, resource, list, &have);
    let near = near_value(plan, list, resource, &requested)
        .map(|near| format!("nodes have {resource_name}={near}; did you mean that?"));
    let elsewhere = value_in_other_queues(plan, list, spec, resource);
    let made = have.is_empty().then(|| {
        "no node has this value yet: where nodes are made on demand, one may still come (unless its quota is 0)".to_owned()
    });
    Cause::of_job_that_never_runs("no-such-node", job, why)
        .number("wanted", requested)
        .number("have", have.len())
        .number("chunks", spec.count)
        .with_objects([resource_name.to_string()])
        .with_objects(names(plan, &have).into_iter().take(3))
        .note(near)
        .note(elsewhere)
        .note(made)
}

/// States how many nodes have it, whether these meet the other conditions, and how many chunks they hold.
fn condition_sentence(
    plan: &Plan,
    analysis: &FitAnalysis<'_>,
    spec: &Spec,
    resource: ResourceId,
    list: &NodeSet,
    have: &[Bit],
) -> String {
    let what =
        |resource| format!("{}={}", plan.snap.catalogue.name(resource), requested(plan, spec, resource));
    let (own, nodes) = (what(resource), words::count(list.count(), "node"));
    if have.is_empty() {
        let has = if list.count() == 1 { "has" } else { "have" };
        return format!("0 of {nodes} {has} {own}");
    }
    let names = words::first_names(&names(plan, have), 3);
    let (count, has) = (have.len(), if have.len() == 1 { "has" } else { "have" });
    if !list.iter().any(|bit| analysis.meets_conditions(spec, bit, None)) {
        let others = plan.shapes[spec.shape].conditions();
        let others = others.map(|(other, _)| *other).filter(|other| *other != resource);
        let others = others.map(what).collect::<Vec<_>>().join(":");
        return format!("{count} of {nodes} {has} {own} ({names}), and none of them {others} too");
    }
    let (which, hold) = if count == 1 { ("which", "holds") } else { ("which together", "hold") };
    format!(
        "{} {} {own}, and {count} of {nodes} {has} it ({names}), {which} {hold} {} at most",
        words::count(spec.count, "chunk"),
        if spec.count == 1 { "requests" } else { "request" },
        analysis.chunks(spec, None, false),
    )
}

/// Returns a value that differs from the requested one only in case.
fn near_value(plan: &Plan, list: &NodeSet, resource: ResourceId, requested: &str) -> Option<String> {
    let texts = |bit: Bit| {
        let value = plan.node(bit).available.get(resource);
        value.map(|value| value.texts().to_vec()).unwrap_or_default()
    };
    let mut all = list.iter().flat_map(texts);
    all.find(|text| **text != *requested && text.eq_ignore_ascii_case(requested)).map(|text| text.to_string())
}

/// States which nodes have the value but belong to other queues, so the job may not use them.
fn value_in_other_queues(plan: &Plan, list: &NodeSet, spec: &Spec, resource: ResourceId) -> Option<String> {
    let shape = &plan.shapes[spec.shape];
    let (_, requirement) = shape.conditions().find(|(have, _)| *have == resource)?;
    let outside = plan.nodes.ids().filter(|bit| !list.contains(*bit));
    let have: Vec<Bit> =
        outside.filter(|bit| lacks_condition(plan, resource, requirement, *bit).is_none()).collect();
    (!have.is_empty()).then(|| {
        let listed = words::first_names(&names(plan, &have), 3);
        format!(
            "{} of other queues have it ({listed}), which this job may not use",
            words::count(have.len(), "node")
        )
    })
}

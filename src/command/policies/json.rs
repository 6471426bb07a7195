//! The answer of `qscope policies` as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use qscope_engine::cluster::JobId;
use qscope_planning::policies::{Pick, Placement, PolicyAnswer, PolicyComparison, PolicyMeasures};
use qscope_session::Generation;

/// What one policy gives the job.
#[derive(Serialize)]
struct PolicyJson<'a> {
    name: &'static str,
    /// The basis on which the policy is modelled.
    semantics: &'static str,
    /// The nodes now; null if it does not start now.
    nodes: Option<Vec<Value>>,
    /// The start now, in seconds since 1970.
    start: Option<i64>,
    /// The earliest start, if the job does not start now.
    #[serde(skip_serializing_if = "Option::is_none")]
    earliest: Option<Value>,
    /// What chose each of the nodes, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Vec<Value>>,
    /// Why it does not start now.
    note: &'a str,
    /// How Maui 3.3.2 deviates from its manual.
    maui_332: Option<&'static str>,
    /// With `--measures`: what the placement costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<Value>,
}

/// Takes the comparison in the order of the policies; `measures` has one entry for each of them, or none at all.
pub(super) fn policies_json(
    generation: &Generation,
    job: JobId,
    compared: &PolicyComparison,
    measures: &[Option<PolicyMeasures>],
) -> Value {
    let measured = measures.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let in_force = compared.in_force.as_ref().ok();
    json!({
        // The full id.
        "job": generation.snapshot.jobs[job].name,
        "policies": compared
            .answers
            .iter()
            .zip(measured)
            .map(|(answer, measures)| PolicyJson::of(generation, answer, measures))
            .collect::<Vec<_>>(),
        "in_force": in_force.map(|(policy, from)| json!({ "name": policy.word(), "from": from })),
        "feasible": compared.feasible,
        "dropped": compared.dropped,
        "remarks": compared.remarks,
    })
}

impl<'a> PolicyJson<'a> {
    fn of(
        generation: &'a Generation,
        answer: &'a PolicyAnswer,
        measures: Option<&'a PolicyMeasures>,
    ) -> Self {
        let (now, later) = (answer.now.as_ref(), answer.earliest.as_ref());
        Self {
            name: answer.policy.word(),
            semantics: "manual",
            nodes: now.map(|placement| nodes(generation, placement)),
            start: now.map(|placement| placement.start.0),
            earliest: later.map(|later| json!({ "nodes": nodes(generation, later), "start": later.start.0 })),
            compared: now
                .or(later)
                .map(|placed| placed.picks.iter().map(|pick| pick_json(generation, pick)).collect()),
            note: &answer.note,
            maui_332: answer.policy.maui_would(),
            measures: measures.map(|measures| placement_measures_json(generation, measures)),
        }
    }
}

fn nodes(generation: &Generation, placement: &Placement) -> Vec<Value> {
    let node =
        |pick: &Pick| json!({ "node": generation.snapshot.nodes[pick.node].name, "tasks": pick.tasks });
    placement.picks.iter().map(node).collect()
}

/// What chose a node.
fn pick_json(generation: &Generation, pick: &Pick) -> Value {
    json!({
        "node": generation.snapshot.nodes[pick.node].name,
        "offered": pick.offered,
        "key": pick.key,
        "tier": pick.tier.word(),
        "tie": pick.tie,
    })
}

/// What a placement costs.
fn placement_measures_json(generation: &Generation, measures: &PolicyMeasures) -> Value {
    let name = |job: &JobId| &*generation.snapshot.jobs[*job].name;
    let delayed = measures.delayed.iter();
    json!({
        "regret": measures.regret.iter().map(name).collect::<Vec<_>>(),
        "largest": { "ncpus": measures.largest.0, "mem_mb": measures.largest.1 },
        "stranded": measures.stranded,
        "still_fits": measures.still_fits,
        "imbalance": measures.imbalance,
        "node_seconds": measures.taken,
        "gap": measures.gap.map(|(low, high)| json!({ "min": low.0, "max": high.0 })),
        "delayed": delayed
            .map(|(job, by)| json!({ "job": name(job), "seconds": by.map(|by| by.0) }))
            .collect::<Vec<_>>(),
    })
}

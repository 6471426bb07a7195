//! The answer of `qscope policies` as JSON.

use serde::Serialize;

use qscope_engine::cluster::JobId;
use qscope_planning::policies::{PickedNode, Placement, PolicyAnswer, PolicyComparison, PolicyMeasures};
use qscope_session::Generation;

/// The nodes of one job under each policy.
#[derive(Serialize)]
pub(super) struct PoliciesJson<'a> {
    /// The full id.
    job: &'a str,
    policies: Vec<PolicyJson<'a>>,
    /// The policy that the site uses, and where that is set.
    in_force: Option<SitePolicyJson>,
    /// How many nodes could serve now, request by request.
    feasible: &'a [usize],
    /// Why the other nodes could not, request by request.
    dropped: &'a [String],
    remarks: &'a [String],
}

/// The policy that the site uses.
#[derive(Serialize)]
struct SitePolicyJson {
    name: &'static str,
    from: &'static str,
}

/// What one policy gives the job.
#[derive(Serialize)]
struct PolicyJson<'a> {
    name: &'static str,
    /// The basis on which the policy is modelled.
    semantics: &'static str,
    /// The nodes now; null if it does not start now.
    nodes: Option<Vec<TasksJson<'a>>>,
    /// The start now, in seconds since 1970.
    start: Option<i64>,
    /// The earliest start, if the job does not start now.
    #[serde(skip_serializing_if = "Option::is_none")]
    earliest: Option<EarliestStartJson<'a>>,
    /// What chose each of the nodes, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Vec<NodeChoiceJson<'a>>>,
    /// Why it does not start now.
    note: &'a str,
    /// How Maui 3.3.2 deviates from its manual.
    maui_332: Option<&'static str>,
    /// With `--measures`: what the placement costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    measures: Option<PlacementMeasuresJson<'a>>,
}

/// A node and the tasks on it.
#[derive(Serialize)]
struct TasksJson<'a> {
    node: &'a str,
    tasks: u32,
}

#[derive(Serialize)]
struct EarliestStartJson<'a> {
    nodes: Vec<TasksJson<'a>>,
    /// Seconds since 1970.
    start: i64,
}

/// What chose a node.
#[derive(Serialize)]
struct NodeChoiceJson<'a> {
    node: &'a str,
    /// The tasks that it could take.
    offered: u32,
    /// The value that was compared.
    key: &'a str,
    tier: &'static str,
    /// Whether another node had the same value.
    tie: bool,
}

/// What a placement costs.
#[derive(Serialize)]
struct PlacementMeasuresJson<'a> {
    /// Later jobs that cannot start any more.
    regret: Vec<&'a str>,
    largest: LargestRemainderJson,
    /// The share of free cpus that no task of the same size can use, from 0 to 1.
    stranded: f64,
    /// How many more tasks of the same size fit.
    still_fits: u64,
    imbalance: f64,
    node_seconds: i64,
    /// Seconds between the end of the job and the next use of its nodes.
    gap: Option<GapJson>,
    /// Jobs that start later than they would otherwise.
    delayed: Vec<DelayJson<'a>>,
}

/// The amounts left on the node with the most left.
#[derive(Serialize)]
struct LargestRemainderJson {
    ncpus: f64,
    mem_mb: f64,
}

/// The shortest and the longest gap in seconds.
#[derive(Serialize)]
struct GapJson {
    min: i64,
    max: i64,
}

/// A job that starts later; null if it does not start at all.
#[derive(Serialize)]
struct DelayJson<'a> {
    job: &'a str,
    seconds: Option<i64>,
}

impl<'a> PoliciesJson<'a> {
    /// Takes the comparison in the order of the policies; `measures` has one entry for each of them, or none at all.
    pub(super) fn of(
        generation: &'a Generation,
        job: JobId,
        compared: &'a PolicyComparison,
        measures: &'a [Option<PolicyMeasures>],
    ) -> Self {
        let measured = measures.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let in_force = compared.in_force.as_ref().ok();
        Self {
            job: &generation.snapshot.jobs[job].name,
            policies: compared
                .answers
                .iter()
                .zip(measured)
                .map(|(answer, measures)| PolicyJson::of(generation, answer, measures))
                .collect(),
            in_force: in_force.map(|(policy, from)| SitePolicyJson { name: policy.word(), from }),
            feasible: &compared.feasible,
            dropped: &compared.dropped,
            remarks: &compared.remarks,
        }
    }
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
            earliest: later
                .map(|later| EarliestStartJson { nodes: nodes(generation, later), start: later.start.0 }),
            compared: now
                .or(later)
                .map(|placed| placed.picks.iter().map(|pick| NodeChoiceJson::of(generation, pick)).collect()),
            note: &answer.note,
            maui_332: answer.policy.maui_deviation(),
            measures: measures.map(|measures| PlacementMeasuresJson::of(generation, measures)),
        }
    }
}

fn nodes<'a>(generation: &'a Generation, placement: &Placement) -> Vec<TasksJson<'a>> {
    let node =
        |pick: &PickedNode| TasksJson { node: &generation.snapshot.nodes[pick.node].name, tasks: pick.tasks };
    placement.picks.iter().map(node).collect()
}

impl<'a> NodeChoiceJson<'a> {
    fn of(generation: &'a Generation, pick: &'a PickedNode) -> Self {
        Self {
            node: &generation.snapshot.nodes[pick.node].name,
            offered: pick.offered,
            key: &pick.key,
            tier: pick.tier.word(),
            tie: pick.tie,
        }
    }
}

impl<'a> PlacementMeasuresJson<'a> {
    fn of(generation: &'a Generation, measures: &PolicyMeasures) -> Self {
        let name = |job: &JobId| &*generation.snapshot.jobs[*job].name;
        let delayed = measures.delayed.iter();
        Self {
            regret: measures.regret.iter().map(name).collect(),
            largest: LargestRemainderJson { ncpus: measures.largest.0, mem_mb: measures.largest.1 },
            stranded: measures.stranded,
            still_fits: measures.still_fits,
            imbalance: measures.imbalance,
            node_seconds: measures.taken,
            gap: measures.gap.map(|(low, high)| GapJson { min: low.0, max: high.0 }),
            delayed: delayed
                .map(|(job, by)| DelayJson { job: name(job), seconds: by.map(|by| by.0) })
                .collect(),
        }
    }
}

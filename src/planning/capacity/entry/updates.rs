//! Updates of a fleet in sequence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::capacity::fleet::{Fleet, FleetCall, FleetNode, ReportAge, TargetCount};
use crate::capacity::{CapacityShape, Fidelity};
use qscope_engine::cluster::Name;

use super::read::{Count, EntryError, FiniteNumber, Flag, NamedNodeShape, NodeShape, PathValue, WholeNumber};
use super::write::ShapeRow;

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct UpdatesAnswer {
    /// The node types in their order, each `[shape, name]`.
    order: Vec<(ShapeRow, Name)>,
    steps: Vec<UpdateStep>,
    /// What taking all nodes down does; absent where it is not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    shutdown: Option<Shutdown>,
}

/// What one update did, and how it leaves the fleet.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct UpdateStep {
    /// Every call in order.
    calls: Vec<CallRow>,
    /// How many nodes of each type there are, as the scaler counts.
    returned: Vec<i64>,
    /// Addresses of nodes that get no more jobs, in the order of letters.
    ignored_after: Vec<Name>,
    /// By type, preemptible nodes that were wanted and are not there.
    deficit: BTreeMap<Name, i64>,
    /// Addresses of the nodes, as the provider lists them.
    nodes_after: Vec<Name>,
}

/// What taking all nodes down did.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Shutdown {
    calls: Vec<CallRow>,
    /// Addresses of the nodes that stay.
    left: Vec<Name>,
}

/// A call with its arguments: `["ignore", ip]`, `["unignore", ip]`, `["add", type, preemptible, asked, got]`,
/// `["terminate", [ip, …]]`.
#[derive(Clone, PartialEq, Debug)]
struct CallRow(FleetCall);

impl Serialize for CallRow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            FleetCall::Ignore(ip) => ("ignore", ip).serialize(to),
            FleetCall::Unignore(ip) => ("unignore", ip).serialize(to),
            FleetCall::Add { kind, preemptible, asked, got } => {
                ("add", kind, u8::from(*preemptible), asked, got).serialize(to)
            }
            FleetCall::Terminate(ips) => ("terminate", ips).serialize(to),
        }
    }
}

/// Answers a problem of updates.
pub(super) fn answer(at: &PathValue<'_>, fidelity: Fidelity) -> Result<UpdatesAnswer, EntryError> {
    let problem: UpdateProblem = at.read()?;
    let named = |NamedNodeShape(NodeShape(shape), name)| (shape, Name::from(name.as_str()));
    let mut types: Vec<(CapacityShape, Name)> = problem.types.into_iter().map(named).collect();
    types.sort_by(|(a, _), (b, _)| a.order(b));
    let order = types.iter().map(|(shape, name)| (shape.into(), name.clone())).collect();
    let fixed = problem.fixed.into_iter().map(|UpdateNode(node)| node.ip).collect();
    let mut fleet = Fleet { fixed, fidelity, ..Fleet::default() };
    for (_, name) in &types {
        fleet.deficits.insert(name.clone(), 0);
    }
    let mut steps = Vec::new();
    for (ix, step) in problem.steps.into_iter().enumerate() {
        let mut targets = Vec::new();
        for (place, Count(want)) in step.request.iter().enumerate() {
            let missing = || at.error_at(&format!("steps[{ix}].request[{place}]"), "there is no such type");
            let kind = types.get(place).ok_or_else(missing)?;
            targets.push(target(kind, i64::try_from(*want).unwrap_or(i64::MAX)));
        }
        steps.push(step.apply(&mut fleet, &targets));
    }
    let shutdown = problem.shutdown.map(|last| {
        last.replace(&mut fleet);
        let all: Vec<TargetCount> = types.iter().map(|kind| target(kind, 0)).collect();
        let calls = fleet.shut_down(&all);
        Shutdown { calls: calls.into_iter().map(CallRow).collect(), left: ips(&fleet) }
    });
    Ok(UpdatesAnswer { order, steps, shutdown })
}

fn target((shape, kind): &(CapacityShape, Name), want: i64) -> TargetCount {
    TargetCount { kind: kind.clone(), preemptible: shape.preemptible, want }
}

impl FleetUpdate {
    fn apply(self, fleet: &mut Fleet, targets: &[TargetCount]) -> UpdateStep {
        self.nodes.replace(fleet);
        if let Some(listed) = self.ignored {
            fleet.ignored = listed.iter().map(|ip| ip.as_str().into()).collect();
        }
        let done = fleet.update(targets, self.launch_cap.map(|Count(cap)| cap));
        let mut ignored_after = fleet.ignored.clone();
        ignored_after.sort_unstable();
        UpdateStep {
            calls: done.calls.into_iter().map(CallRow).collect(),
            returned: done.returned,
            ignored_after,
            deficit: fleet.deficits.clone(),
            nodes_after: ips(fleet),
        }
    }
}

#[derive(Deserialize)]
struct UpdateProblem {
    types: Vec<NamedNodeShape>,
    /// Nodes that are never removed.
    #[serde(rename = "static")]
    fixed: Vec<UpdateNode>,
    steps: Vec<FleetUpdate>,
    shutdown: Option<CloudNodes>,
}

#[derive(Deserialize)]
struct FleetUpdate {
    /// Number of nodes wanted of each type, in the order of the types.
    request: Vec<Count>,
    #[serde(flatten)]
    nodes: CloudNodes,
    /// Addresses of nodes that accept no more jobs.
    ignored: Option<Vec<String>>,
    /// Maximum number of nodes that one call can obtain.
    launch_cap: Option<Count>,
}

/// The nodes that the cloud lists from this step on; if missing, they stay as they were.
#[derive(Deserialize)]
struct CloudNodes {
    nodes: Option<Vec<UpdateNode>>,
}

impl CloudNodes {
    fn replace(self, fleet: &mut Fleet) {
        if let Some(nodes) = self.nodes {
            fleet.nodes = nodes.into_iter().map(|UpdateNode(node)| node).collect();
        }
    }
}

/// `[ip, type, preemptible, workers, billing left, seen, in use]`.
#[derive(Deserialize)]
struct FleetNodeRow(String, String, Flag, Count, FiniteNumber, WholeNumber, Flag);

#[derive(Deserialize)]
#[serde(try_from = "FleetNodeRow")]
struct UpdateNode(FleetNode);

impl TryFrom<FleetNodeRow> for UpdateNode {
    type Error = String;

    fn try_from(row: FleetNodeRow) -> Result<Self, String> {
        let FleetNodeRow(
            ip,
            kind,
            Flag(preemptible),
            Count(workers),
            FiniteNumber(billing_left),
            WholeNumber(seen),
            Flag(in_use),
        ) = row;
        let seen = match seen {
            0 => ReportAge::Never,
            1 => ReportAge::Stale,
            2 => ReportAge::Recently,
            other => return Err(format!("seen is none of 0, 1, 2: {other}")),
        };
        let workers = u32::try_from(workers).unwrap_or(u32::MAX);
        let (ip, kind) = (ip.as_str().into(), kind.as_str().into());
        Ok(Self(FleetNode { ip, kind, preemptible, workers, billing_left, seen, in_use }))
    }
}

fn ips(fleet: &Fleet) -> Vec<Name> {
    fleet.nodes.iter().map(|node| node.ip.clone()).collect()
}

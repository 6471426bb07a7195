//! Updates of a fleet in sequence.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::capacity::fleet::{Call, Fleet, FleetNode, Seen, TargetCount};
use crate::capacity::{CapacityShape, Fidelity};
use qscope_engine::cluster::Name;

use super::read::{At, Count, EntryError, Flag, Named, NodeShape, Number, Whole};
use super::write::{ShapeRow, present};

/// A call with its arguments: `["ignore", ip]`, `["unignore", ip]`, `["add", type, preemptible, asked, got]`,
/// `["terminate", [ip, …]]`.
fn call_row(call: &Call) -> Value {
    match call {
        Call::Ignore(ip) => json!(["ignore", ip]),
        Call::Unignore(ip) => json!(["unignore", ip]),
        Call::Add { kind, preemptible, asked, got } => {
            json!(["add", kind, u8::from(*preemptible), asked, got])
        }
        Call::Terminate(ips) => json!(["terminate", ips]),
    }
}

/// Answers a problem of updates.
pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let problem: UpdateProblem = at.read()?;
    let named = |Named(NodeShape(shape), name)| (shape, Name::from(name.as_str()));
    let mut types: Vec<(CapacityShape, Name)> = problem.types.into_iter().map(named).collect();
    types.sort_by(|(a, _), (b, _)| a.order(b));
    let order: Vec<(ShapeRow, Name)> =
        types.iter().map(|(shape, name)| (shape.into(), name.clone())).collect();
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
        let calls: Vec<Value> = fleet.shut_down(&all).iter().map(call_row).collect();
        // The addresses of the nodes that stay.
        json!({ "calls": calls, "left": ips(&fleet) })
    });
    // What taking all nodes down does is absent where it is not asked for.
    Ok(present([("order", Some(json!(order))), ("steps", Some(json!(steps))), ("shutdown", shutdown)]))
}

fn target((shape, kind): &(CapacityShape, Name), want: i64) -> TargetCount {
    TargetCount { kind: kind.clone(), preemptible: shape.preemptible, want }
}

impl FleetUpdate {
    /// Returns what the update did, and how it leaves the fleet.
    fn apply(self, fleet: &mut Fleet, targets: &[TargetCount]) -> Value {
        self.nodes.replace(fleet);
        if let Some(listed) = self.ignored {
            fleet.ignored = listed.iter().map(|ip| ip.as_str().into()).collect();
        }
        let done = fleet.update(targets, self.launch_cap.map(|Count(cap)| cap));
        let mut ignored_after = fleet.ignored.clone();
        ignored_after.sort_unstable();
        json!({
            "calls": done.calls.iter().map(call_row).collect::<Vec<_>>(),
            // How many nodes of each type there are, as the scaler counts.
            "returned": done.returned,
            // Addresses of nodes that get no more jobs, in the order of letters.
            "ignored_after": ignored_after,
            // By type, preemptible nodes that were wanted and are not there.
            "deficit": fleet.deficits,
            "nodes_after": ips(fleet),
        })
    }
}

#[derive(Deserialize)]
struct UpdateProblem {
    types: Vec<Named>,
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
struct FleetNodeRow(String, String, Flag, Count, Number, Whole, Flag);

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
            Number(billing_left),
            Whole(seen),
            Flag(in_use),
        ) = row;
        let seen = match seen {
            0 => Seen::Never,
            1 => Seen::Stale,
            2 => Seen::Recently,
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

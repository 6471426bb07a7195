//! Updates of a fleet in sequence.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::capacity::estimate::Fidelity;
use crate::capacity::fleet::{Call, Fleet, FleetNode, Seen, TargetCount};
use crate::capacity::shape::Shape;
use qscope_engine::cluster::Name;

use super::read::{At, Count, EntryError, Flag, Named, NodeShape, Number, Whole};
use super::write;

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let problem: Problem = at.read()?;
    let named = |Named(NodeShape(shape), name)| (shape, Name::from(name.as_str()));
    let mut types: Vec<(Shape, Name)> = problem.types.into_iter().map(named).collect();
    types.sort_by(|(a, _), (b, _)| a.order(b));
    let order: Value = types.iter().map(|(shape, name)| json!([write::shape(shape), &**name])).collect();
    let fixed = problem.fixed.into_iter().map(|Node(node)| node.ip).collect();
    let mut fleet = Fleet { fixed, fidelity, ..Fleet::default() };
    for (_, name) in &types {
        fleet.deficits.insert(name.clone(), 0);
    }
    let target = |want: i64, ix: usize| {
        types.get(ix).map(|(shape, kind)| TargetCount {
            kind: kind.clone(),
            preemptible: shape.preemptible,
            want,
        })
    };
    let mut steps = Vec::new();
    for (ix, step) in problem.steps.into_iter().enumerate() {
        let mut targets = Vec::new();
        for (place, Count(want)) in step.request.iter().enumerate() {
            let missing = || at.error_at(&format!("steps[{ix}].request[{place}]"), "there is no such type");
            targets.push(target(i64::try_from(*want).unwrap_or(i64::MAX), place).ok_or_else(missing)?);
        }
        steps.push(self::step(step, &mut fleet, &targets));
    }
    let mut answer = json!({ "order": order, "steps": steps });
    if let (Some(last), Some(object)) = (problem.shutdown, answer.as_object_mut()) {
        last.replace(&mut fleet);
        let all: Vec<TargetCount> = (0..types.len()).filter_map(|ix| target(0, ix)).collect();
        let done = fleet.shut_down(&all);
        object.insert("shutdown".to_owned(), json!({ "calls": calls(&done), "left": ips(&fleet) }));
    }
    Ok(answer)
}

fn step(given: Step, fleet: &mut Fleet, targets: &[TargetCount]) -> Value {
    given.nodes.replace(fleet);
    if let Some(listed) = given.ignored {
        fleet.ignored = listed.iter().map(|ip| ip.as_str().into()).collect();
    }
    let done = fleet.update(targets, given.launch_cap.map(|Count(cap)| cap));
    let mut ignored: Vec<&str> = fleet.ignored.iter().map(|ip| &**ip).collect();
    ignored.sort_unstable();
    let mut object = Map::new();
    object.insert("calls".to_owned(), calls(&done.calls));
    object.insert("returned".to_owned(), json!(done.returned));
    object.insert("ignored_after".to_owned(), json!(ignored));
    let deficits: Map<String, Value> =
        fleet.deficits.iter().map(|(name, short)| (name.to_string(), json!(short))).collect();
    object.insert("deficit".to_owned(), Value::Object(deficits));
    object.insert("nodes_after".to_owned(), ips(fleet));
    Value::Object(object)
}

/// A problem of updates.
#[derive(Deserialize)]
struct Problem {
    types: Vec<Named>,
    /// Nodes that are never removed.
    #[serde(rename = "static")]
    fixed: Vec<Node>,
    steps: Vec<Step>,
    shutdown: Option<Listed>,
}

/// One update.
#[derive(Deserialize)]
struct Step {
    /// How many nodes of each type are to be there, in the order of the types.
    request: Vec<Count>,
    #[serde(flatten)]
    nodes: Listed,
    /// Addresses of nodes that take no more jobs.
    ignored: Option<Vec<String>>,
    /// At most so many nodes can be had.
    launch_cap: Option<Count>,
}

/// The nodes that the cloud lists from then on; without them they stay as they were.
#[derive(Deserialize)]
struct Listed {
    nodes: Option<Vec<Node>>,
}

impl Listed {
    fn replace(self, fleet: &mut Fleet) {
        if let Some(nodes) = self.nodes {
            fleet.nodes = nodes.into_iter().map(|Node(node)| node).collect();
        }
    }
}

/// `[ip, type, preemptible, workers, billing left, seen, in use]`.
#[derive(Deserialize)]
struct Row(String, String, Flag, Count, Number, Whole, Flag);

/// A node of the fleet.
#[derive(Deserialize)]
#[serde(try_from = "Row")]
struct Node(FleetNode);

impl TryFrom<Row> for Node {
    type Error = String;

    fn try_from(row: Row) -> Result<Self, String> {
        let Row(ip, kind, Flag(preemptible), Count(workers), Number(billing_left), Whole(seen), Flag(in_use)) =
            row;
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

fn ips(fleet: &Fleet) -> Value {
    fleet.nodes.iter().map(|node| json!(&*node.ip)).collect()
}

fn calls(done: &[Call]) -> Value {
    let each = done.iter().map(|call| match call {
        Call::Ignore(ip) => json!(["ignore", &**ip]),
        Call::Unignore(ip) => json!(["unignore", &**ip]),
        Call::Add { kind, preemptible, asked, got } => {
            json!(["add", &**kind, i32::from(*preemptible), asked, got])
        }
        Call::Terminate(ips) => json!(["terminate", ips.iter().map(|ip| &**ip).collect::<Vec<_>>()]),
    });
    each.collect()
}

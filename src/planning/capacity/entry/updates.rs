//! Updates of a fleet in sequence.

use serde_json::{Map, Value, json};

use crate::capacity::estimate::Fidelity;
use crate::capacity::fleet::{Call, Fleet, FleetNode, Seen, TargetCount};
use qscope_engine::cluster::Name;

use super::read::{At, EntryError};
use super::write;

pub(super) fn answer(at: &At<'_>, fidelity: Fidelity) -> Result<Value, EntryError> {
    let field = at.field("types")?;
    let mut types = Vec::new();
    for kind in field.items()? {
        types.push((kind.item(0)?.node_shape()?, Name::from(kind.item(1)?.text()?)));
    }
    types.sort_by(|(a, _), (b, _)| a.order(b));
    let order: Value = types.iter().map(|(shape, name)| json!([write::shape(shape), &**name])).collect();
    let fixed = nodes(&at.field("static")?)?.into_iter().map(|node| node.ip).collect();
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
    let field = at.field("steps")?;
    for step in field.items()? {
        let request = step.field("request")?;
        let mut targets = Vec::new();
        for (ix, item) in request.items()?.enumerate() {
            let want = i64::try_from(item.count()?).unwrap_or(i64::MAX);
            targets.push(target(want, ix).ok_or_else(|| item.error("there is no such type"))?);
        }
        steps.push(self::step(&step, &mut fleet, &targets)?);
    }
    let mut answer = json!({ "order": order, "steps": steps });
    if let (Some(last), Some(object)) = (at.optional("shutdown"), answer.as_object_mut()) {
        if let Some(listed) = last.optional("nodes") {
            fleet.nodes = nodes(&listed)?;
        }
        let all: Vec<TargetCount> = (0..types.len()).filter_map(|ix| target(0, ix)).collect();
        let done = fleet.shut_down(&all);
        object.insert("shutdown".to_owned(), json!({ "calls": calls(&done), "left": ips(&fleet) }));
    }
    Ok(answer)
}

fn step(at: &At<'_>, fleet: &mut Fleet, targets: &[TargetCount]) -> Result<Value, EntryError> {
    if let Some(listed) = at.optional("nodes") {
        fleet.nodes = nodes(&listed)?;
    }
    if let Some(listed) = at.optional("ignored") {
        fleet.ignored = listed.items()?.map(|item| Ok(item.text()?.into())).collect::<Result<_, _>>()?;
    }
    let cap = at.optional("launch_cap").map(|cap| cap.count()).transpose()?;
    let done = fleet.update(targets, cap);
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
    Ok(Value::Object(object))
}

/// `[ip, type, preemptible, workers, billing left, seen, in use]`.
fn nodes(at: &At<'_>) -> Result<Vec<FleetNode>, EntryError> {
    let mut all = Vec::new();
    for node in at.items()? {
        let seen = node.item(5)?;
        all.push(FleetNode {
            ip: node.item(0)?.text()?.into(),
            kind: node.item(1)?.text()?.into(),
            preemptible: node.item(2)?.flag()?,
            workers: u32::try_from(node.item(3)?.count()?).unwrap_or(u32::MAX),
            billing_left: node.item(4)?.number()?,
            seen: match seen.whole()? {
                0 => Seen::Never,
                1 => Seen::Stale,
                2 => Seen::Recently,
                other => return Err(seen.error(format!("is none of 0, 1, 2: {other}"))),
            },
            in_use: node.item(6)?.flag()?,
        });
    }
    Ok(all)
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

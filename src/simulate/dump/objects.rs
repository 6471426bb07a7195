//! Vnodes, queues, the server, the scheduler, reservations and usage.

use qscope_engine::cluster::{
    Epoch, License, Name, Node, Queue, Reservation, ReservationState, ResourceList, Snapshot, truth,
};
use qscope_source::attributes::{queue_settings, scheduler_settings, server_settings};
use serde_json::{Map, Value};

use super::{date, present_attributes, resources};

/// A name and its value, as `source` prints settings.
type SettingPair = (String, Option<String>);

/// Returns the vnodes as `pbsnodes -av -F json` prints them.
pub fn nodes(snap: &Snapshot) -> Map<String, Value> {
    snap.nodes.iter().map(|node| (node.name.to_string(), Value::Object(one_node(snap, node)))).collect()
}

fn one_node(snap: &Snapshot, node: &Node) -> Map<String, Value> {
    let names = |list: &[Name]| Value::from(list.iter().map(|name| &**name).collect::<Vec<_>>().join(","));
    let text = |name: &Option<Name>| name.as_deref().map(Value::from);
    let on = |on: bool| on.then(|| "True".into());
    let license = match node.license {
        License::Absent => None,
        License::Locked => Some("l".into()),
        License::Cloud => Some("c".into()),
        License::Other => Some("u".into()),
    };
    let jobs = || node.jobs.iter().map(|name| Value::from(&**name)).collect();
    present_attributes([
        ("Mom", Some(names(&node.moms))),
        ("state", Some(node.states.to_string().into())),
        ("sharing", Some(node.sharing.word().into())),
        ("resv_enable", Some(truth(node.resv_enable).into())),
        ("resources_available", Some(resources(snap, &node.available).into())),
        ("resources_assigned", Some(resources(snap, &node.assigned).into())),
        ("license", license),
        ("jobs", (!node.jobs.is_empty()).then(jobs)),
        ("resv", (!node.reservations.is_empty()).then(|| names(&node.reservations))),
        ("queue", text(&node.queue)),
        ("partition", text(&node.partition)),
        ("current_aoe", text(&node.current_aoe)),
        ("current_eoe", text(&node.current_eoe)),
        ("Priority", node.priority.map(Value::from)),
        ("max_running", node.max_running.map(Value::from)),
        ("max_user_run", node.max_user_run.map(Value::from)),
        ("max_group_run", node.max_group_run.map(Value::from)),
        ("last_used_time", node.last_used.map(|at| at.0.into())),
        ("no_multinode_jobs", on(node.no_multinode_jobs)),
        ("provision_enable", on(node.provision_enable)),
        ("in_multivnode_host", node.in_multivnode_host.map(|several| i64::from(several).into())),
    ])
}

/// Returns the queues as `qstat -Q -f -F json` prints them.
pub fn queues(snap: &Snapshot) -> Map<String, Value> {
    let one = |queue: &Queue| with_assigned(snap, tree(queue_settings(snap, queue)), &queue.assigned);
    snap.queues.iter().map(|queue| (queue.name.to_string(), one(queue).into())).collect()
}

/// Returns the server as `qstat -B -f -F json` prints it.
pub fn server(snap: &Snapshot) -> Map<String, Value> {
    let name = if snap.server.name.is_empty() { "server" } else { &*snap.server.name };
    let server = with_assigned(snap, tree(server_settings(snap)), &snap.server.assigned);
    Map::from_iter([(name.to_owned(), server.into())])
}

/// Adds what jobs hold of the queue or the server (days rule 4): limits on their resources count it.
fn with_assigned(
    snap: &Snapshot,
    mut settings: Map<String, Value>,
    assigned: &ResourceList,
) -> Map<String, Value> {
    settings.insert("resources_assigned".to_owned(), resources(snap, assigned).into());
    settings
}

/// Converts settings to an object: `resources_default.ncpus` becomes an entry of `resources_default`; the values of a
/// repeated name, such as limits, are joined.
fn tree(settings: Vec<SettingPair>) -> Map<String, Value> {
    let mut all = Map::new();
    for (name, value) in settings {
        let Some(value) = value else { continue };
        let slot = match name.split_once('.') {
            Some((key, resource)) => {
                let inner = all.entry(key.to_owned()).or_insert_with(|| Value::Object(Map::new()));
                let Some(inner) = inner.as_object_mut() else { continue };
                inner.entry(resource.to_owned())
            }
            None => all.entry(name),
        };
        let slot = slot.or_insert(Value::Null);
        *slot = match slot.as_str() {
            Some(before) => format!("{before}, {value}").into(),
            None => value.into(),
        };
    }
    all
}

/// Returns the output of `qmgr -c "list sched"`.
pub fn scheduler(snap: &Snapshot) -> String {
    let mut text = format!("Sched {}\n", snap.scheduler.name);
    for (name, value) in scheduler_settings(snap) {
        // The setting is formatted as a time, but the reader expects seconds.
        let value =
            if name == "opt_backfill_fuzzy" { Some(snap.scheduler.fuzzy.0.0.to_string()) } else { value };
        if let Some(value) = value {
            text += &format!("    {name} = {value}\n");
        }
    }
    text
}

/// Returns the output of `pbs_rstat -F`.
pub fn reservations(snap: &Snapshot) -> String {
    snap.reservations.iter().map(|resv| one_reservation(snap, resv)).collect()
}

fn one_reservation(snap: &Snapshot, resv: &Reservation) -> String {
    let mut text = format!("Resv ID: {}\n", resv.name);
    let mut put = |key: &str, value: Option<String>| {
        text.extend(value.map(|value| format!("{key} = {value}\n")));
    };
    let owner = format!("{}@{}", resv.owner, snap.server.name);
    put("Reserve_Owner", Some(owner.clone()));
    put("reserve_state", Some(state_name(resv.state).to_owned()));
    put("reserve_substate", Some((resv.substate as u8).to_string()));
    put("reserve_start", resv.start.map(|start| date(snap, start)));
    put("reserve_end", resv.end.map(|end| date(snap, end)));
    put("reserve_duration", resv.duration.map(|span| span.0.to_string()));
    put("queue", resv.queue.as_ref().map(ToString::to_string));
    for (name, value) in resources(snap, &resv.requested) {
        put(&format!("Resource_List.{name}"), Some(value.as_str().unwrap_or_default().to_owned()));
    }
    let select = resv.select.as_ref().map(|select| select.text.to_string());
    put("Resource_List.select", select.clone());
    put("schedselect", select);
    put("Resource_List.place", resv.place.as_ref().map(ToString::to_string));
    put("resv_nodes", resv.nodes.as_ref().map(ToString::to_string));
    let users: Vec<String> = resv.users.iter().map(|user| format!("{user}@{}", snap.server.name)).collect();
    put("Authorized_Users", Some(if users.is_empty() { owner } else { users.join(",") }));
    put("partition", resv.partition.as_ref().map(ToString::to_string));
    text + "\n"
}

fn state_name(state: ReservationState) -> &'static str {
    ReservationState::ALL.iter().find(|(one, _, _)| *one == state).map_or("RESV_NONE", |(_, name, _)| name)
}

/// Encodes the scheduler's `usage` file: a header with the time of the last decay, then a record of 64 bytes for each
/// leaf.
pub fn usage<'a>(decayed: Epoch, leaves: impl IntoIterator<Item = (&'a Name, f64)>) -> Vec<u8> {
    let mut bytes = b"PBS_MAG!".to_vec();
    bytes.resize(16, 0);
    bytes.extend_from_slice(&2.0f64.to_le_bytes());
    bytes.extend_from_slice(&decayed.0.to_le_bytes());
    for (name, amount) in leaves {
        let start = bytes.len();
        bytes.extend(name.bytes().take(49));
        bytes.resize(start + 56, 0);
        bytes.extend_from_slice(&amount.to_le_bytes());
    }
    bytes
}

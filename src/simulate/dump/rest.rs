//! Vnodes, queues, the server, the scheduler, reservations and usage.

use qscope_engine::cluster::{Epoch, License, Name, Node, Reservation, ReservationState, Snapshot, truth};
use qscope_source::attributes::{queue_settings, scheduler_settings, server_settings};
use serde_json::{Map, Value};

use super::{date, resources};

/// A name and its value, as `source` prints settings.
type Setting = (String, Option<String>);

/// Returns the vnodes as `pbsnodes -av -F json` prints them.
pub fn nodes(snap: &Snapshot) -> Map<String, Value> {
    snap.nodes.iter().map(|node| (node.name.to_string(), Value::Object(one_node(snap, node)))).collect()
}

fn one_node(snap: &Snapshot, node: &Node) -> Map<String, Value> {
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| {
        all.insert(key.to_owned(), value);
    };
    let names = |list: &[Name]| list.iter().map(|name| &**name).collect::<Vec<_>>().join(",");
    put("Mom", names(&node.moms).into());
    put("state", node.states.to_string().into());
    put("sharing", node.sharing.word().into());
    put("resv_enable", truth(node.resv_enable).into());
    put("resources_available", Value::Object(resources(snap, &node.available)));
    put("resources_assigned", Value::Object(resources(snap, &node.assigned)));
    match node.license {
        License::Absent => {}
        License::Locked => put("license", "l".into()),
        License::Cloud => put("license", "c".into()),
        License::Other => put("license", "u".into()),
    }
    if !node.jobs.is_empty() {
        put("jobs", node.jobs.iter().map(|name| Value::from(&**name)).collect::<Vec<_>>().into());
    }
    if !node.reservations.is_empty() {
        put("resv", names(&node.reservations).into());
    }
    let texts = [
        ("queue", &node.queue),
        ("partition", &node.partition),
        ("current_aoe", &node.current_aoe),
        ("current_eoe", &node.current_eoe),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            put(key, (&**text).into());
        }
    }
    let numbers = [
        ("Priority", node.priority),
        ("max_running", node.max_running.map(i64::from)),
        ("max_user_run", node.max_user_run.map(i64::from)),
        ("max_group_run", node.max_group_run.map(i64::from)),
        ("last_used_time", node.last_used.map(|at| at.0)),
    ];
    for (key, number) in numbers {
        if let Some(number) = number {
            put(key, number.into());
        }
    }
    for (key, on) in
        [("no_multinode_jobs", node.no_multinode_jobs), ("provision_enable", node.provision_enable)]
    {
        if on {
            put(key, "True".into());
        }
    }
    if let Some(several) = node.in_multivnode_host {
        put("in_multivnode_host", i64::from(several).into());
    }
    all
}

/// Returns the queues as `qstat -Q -f -F json` prints them.
pub fn queues(snap: &Snapshot) -> Map<String, Value> {
    snap.queues
        .iter()
        .map(|queue| (queue.name.to_string(), Value::Object(tree(queue_settings(snap, queue)))))
        .collect()
}

/// Returns the server as `qstat -B -f -F json` prints it.
pub fn server(snap: &Snapshot) -> Map<String, Value> {
    let name = if snap.server.name.is_empty() { "server" } else { &*snap.server.name };
    Map::from_iter([(name.to_owned(), Value::Object(tree(server_settings(snap))))])
}

/// Converts settings to an object: `resources_default.ncpus` becomes an entry of `resources_default`; the values of a
/// repeated name, such as limits, are joined.
fn tree(settings: Vec<Setting>) -> Map<String, Value> {
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
    let mut put = |key: &str, value: String| text += &format!("{key} = {value}\n");
    let owner = format!("{}@{}", resv.owner, snap.server.name);
    put("Reserve_Owner", owner.clone());
    put("reserve_state", state_name(resv.state).to_owned());
    put("reserve_substate", (resv.substate as u8).to_string());
    if let Some(start) = resv.start {
        put("reserve_start", date(snap, start));
    }
    if let Some(end) = resv.end {
        put("reserve_end", date(snap, end));
    }
    if let Some(span) = resv.duration {
        put("reserve_duration", span.0.to_string());
    }
    if let Some(queue) = &resv.queue {
        put("queue", queue.to_string());
    }
    for (name, value) in resources(snap, &resv.requested) {
        put(&format!("Resource_List.{name}"), value.as_str().unwrap_or_default().to_owned());
    }
    if let Some(select) = &resv.select {
        put("Resource_List.select", select.text.to_string());
        put("schedselect", select.text.to_string());
    }
    if let Some(place) = &resv.place {
        put("Resource_List.place", place.to_string());
    }
    if let Some(nodes) = &resv.nodes {
        put("resv_nodes", nodes.to_string());
    }
    let users: Vec<String> = resv.users.iter().map(|user| format!("{user}@{}", snap.server.name)).collect();
    put("Authorized_Users", if users.is_empty() { owner } else { users.join(",") });
    if let Some(partition) = &resv.partition {
        put("partition", partition.to_string());
    }
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

//! Writes a cluster as a folder of dumps that every reader of dumps can open.

mod native;
mod policies;

use qscope_engine::cluster::{Job, Reservation, ResourceId, Seconds, Snapshot, StartEstimate, truth};
use qscope_simulate::dump;
use qscope_source::MADE_WITH;
use serde_json::{Map, Value};

/// One file: its name in the folder, and its content.
pub type DumpFile = (&'static str, Vec<u8>);

/// Returns the files that make up a cluster. Objects that were assumed because no file showed them have no file here
/// either.
pub fn files(snap: &Snapshot) -> Vec<DumpFile> {
    let mut files = vec![
        ("now", format!("{}\n", snap.now.0).into_bytes()),
        ("nodes.json", lines(snap, "nodes", &dump::nodes(snap))),
        ("jobs.json", lines(snap, "Jobs", &jobs(snap))),
    ];
    if !snap.made_with.is_empty() {
        files.push((MADE_WITH, format!("{}\n", snap.made_with).into_bytes()));
    }
    if snap.queues.iter().any(|queue| !queue.assumed) {
        files.push(("queues.json", lines(snap, "Queue", &queues(snap))));
    }
    if !snap.server.assumed {
        files.push(("server.json", lines(snap, "Server", &dump::server(snap))));
    }
    if !snap.scheduler.assumed {
        files.push(("sched.txt", dump::scheduler(snap).into_bytes()));
    }
    if !snap.reservations.is_empty() {
        files.push(("resvs.txt", reservations(snap).into_bytes()));
    }
    if !snap.policy.assumed {
        files.push(("sched_config", dump::sched_config(&snap.policy).into_bytes()));
    }
    files.extend(native::files(snap));
    files.extend(policies::files(snap));
    files
}

/// The end of a dump in JSON after its last object.
pub(crate) const END: &str = "\n}\n}\n";

/// Writes a dump with a line for each object, so that two dumps can be compared line by line.
fn lines(snap: &Snapshot, key: &str, objects: &Map<String, Value>) -> Vec<u8> {
    let objects: Vec<String> =
        objects.iter().map(|(name, value)| format!("{}:{value}", Value::from(&**name))).collect();
    let (timestamp, server) = (snap.now.0, Value::from(&*snap.server.name));
    let version = snap.server.version.as_ref();
    let version = version.map(|version| format!("\"pbs_version\":{},\n", Value::from(&**version)));
    let (version, objects) = (version.unwrap_or_default(), objects.join(",\n"));
    format!("{{\n\"timestamp\":{timestamp},\n{version}\"pbs_server\":{server},\n\"{key}\":{{\n{objects}{END}")
        .into_bytes()
}

/// Returns the queues with who may use them.
fn queues(snap: &Snapshot) -> Map<String, Value> {
    let mut all = dump::queues(snap);
    for (name, queue) in &mut all {
        let (Some(queue), Some(id)) = (queue.as_object_mut(), snap.queue_named(name)) else { continue };
        let of = &snap.queues[id];
        queue.insert("hasnodes".to_owned(), truth(of.has_nodes).into());
        queue.insert("from_route_only".to_owned(), truth(of.access.from_route_only).into());
        let lists = [
            ("acl_users", "acl_user_enable", &of.access.users),
            ("acl_groups", "acl_group_enable", &of.access.groups),
            ("acl_hosts", "acl_host_enable", &of.access.hosts),
        ];
        if !of.destinations.is_empty() {
            queue.insert("route_destinations".to_owned(), of.destinations.join(",").into());
        }
        for (entries, enabled, list) in lists {
            if list.enabled {
                queue.insert(enabled.to_owned(), truth(true).into());
            }
            if !list.entries.is_empty() {
                queue.insert(entries.to_owned(), list.entries.join(",").into());
            }
        }
    }
    all
}

fn jobs(snap: &Snapshot) -> Map<String, Value> {
    snap.jobs.iter().map(|job| (job.name.to_string(), Value::Object(one_job(snap, job)))).collect()
}

/// Returns a job including attributes that a simulation does not use: the scheduler's comment and its estimate.
fn one_job(snap: &Snapshot, job: &Job) -> Map<String, Value> {
    let mut all = dump::job_attributes(snap, job);
    // Dates could mean another moment in another zone, so moments are written as seconds.
    for (key, at) in dump::moments(job) {
        if let Some(at) = at {
            all.insert(key.to_owned(), at.0.to_string().into());
        }
    }
    for time in [ResourceId::walltime(), ResourceId::soft_walltime()] {
        let length = job.requested.amount(time);
        if let (Some(length), Some(list)) =
            (length, all.get_mut("Resource_List").and_then(Value::as_object_mut))
        {
            let length = Seconds(length.0 as i64);
            list.insert(snap.catalogue.name(time).to_string(), length.to_string().into());
        }
    }
    if job.title.is_empty() {
        all.remove("Job_Name");
    }
    if job.derived.contains(&"euser") {
        all.remove("euser");
    }
    if let Some(comment) = &job.comment {
        all.insert("comment".to_owned(), (&**comment).into());
    }
    if let Some(top) = job.topjob {
        all.insert("topjob".to_owned(), truth(top).into());
    }
    if let Some(estimate) = &job.estimate {
        all.insert("estimated".to_owned(), Value::Object(estimated(estimate)));
    }
    all
}

fn estimated(estimate: &StartEstimate) -> Map<String, Value> {
    let mut all = Map::new();
    if let Some(nodes) = &estimate.exec_vnode {
        all.insert("exec_vnode".to_owned(), (&**nodes).into());
    }
    if let Some(start) = estimate.start {
        all.insert("start_time".to_owned(), start.0.to_string().into());
    }
    all
}

/// Returns the reservations, with moments in seconds since 1970.
fn reservations(snap: &Snapshot) -> String {
    let mut text = String::new();
    for one in &snap.reservations {
        let alone = Snapshot {
            reservations: std::iter::once(without_moments(one)).collect(),
            ..minimal_snapshot(snap)
        };
        text.push_str(dump::reservations(&alone).trim_end());
        text.push('\n');
        let moments = [("reserve_start", one.start), ("reserve_end", one.end), ("reserve_retry", one.retry)];
        for (key, at) in moments {
            if let Some(at) = at {
                text += &format!("{key} = {}\n", at.0);
            }
        }
        for (key, number) in [("reserve_index", one.index), ("reserve_count", one.count)] {
            if let Some(number) = number {
                text += &format!("{key} = {number}\n");
            }
        }
        text.push('\n');
    }
    text
}

fn without_moments(reservation: &Reservation) -> Reservation {
    Reservation { start: None, end: None, ..reservation.clone() }
}

/// Returns the part of a cluster that the text of a reservation depends on.
fn minimal_snapshot(snap: &Snapshot) -> Snapshot {
    Snapshot {
        server: snap.server.clone(),
        catalogue: snap.catalogue.clone(),
        zone: snap.zone.clone(),
        ..Snapshot::empty("", snap.now)
    }
}

//! Jobs, and their future events.

use qscope_engine::cluster::{
    ArrayAttributes, Epoch, Job, JobState, Name, Place, ResourceId, Seconds, truth,
};
use serde_json::{Map, Value};

use super::{date, present_attributes, resources};
use crate::arrivals::{
    ArrivalRow, ArrivalsFile, JobBehaviour, NodeLifecycleEvent, NodeLifecycleRow, StartRow,
};
use crate::clock::ClockEvent;
use crate::remaining::{fate_of, node_changes, open_depends};
use crate::server::SimulatedServer;
use crate::track::{SimulatedJob, SimulatedJobId};
use qscope_engine::cluster::Snapshot;

/// Returns the jobs at the server.
pub(super) fn all_jobs(server: &SimulatedServer) -> Map<String, Value> {
    let mut all = Map::new();
    for (id, job) in server.order.iter().zip(server.snap.jobs.iter()) {
        let mut attributes = attributes(&server.snap, job);
        let track = &server.tracks[*id];
        match open_depends(server, track) {
            Some(depend) => attributes.insert("depend".to_owned(), depend.into()),
            // Dependencies already met would be evaluated again for jobs that no longer exist.
            None if !track.depends.is_empty() => attributes.remove("depend"),
            None => None,
        };
        all.insert(job.name.to_string(), Value::Object(attributes));
    }
    all
}

/// Returns the attributes of a job as in a dump or in arrivals, without its comment.
pub fn attributes(snap: &Snapshot, job: &Job) -> Map<String, Value> {
    let text = |name: &Option<Name>| name.as_deref().map(Value::from);
    let holds = if job.holds.is_empty() { "n" } else { &*job.holds };
    let mut all = present_attributes([
        ("Job_Name", Some((&*job.title).into())),
        ("Job_Owner", Some(format!("{}@{}", job.owner, host(snap)).into())),
        ("job_state", Some(job.state.letter().to_string().into())),
        ("substate", Some(job.substate.0.into())),
        ("queue", Some((&*job.queue).into())),
        ("euser", Some((&*job.user).into())),
        ("egroup", Some((&*job.group).into())),
        ("project", Some((&*job.project).into())),
        ("Priority", Some(job.priority.into())),
        ("Hold_Types", Some(holds.into())),
        ("Rerunable", Some(truth(job.rerunable).into())),
        ("Checkpoint", Some(if job.checkpointable { "u" } else { "n" }.into())),
        ("run_count", Some(job.run_count.into())),
    ]);
    all.extend(present_attributes(moments(job).map(|(key, at)| (key, at.map(|at| date(snap, at).into())))));
    let timed = snap.server.eligible_time_enable;
    all.extend(present_attributes([
        ("Account_Name", text(&job.account)),
        ("reserve_ID", text(&job.reservation)),
        ("depend", text(&job.depend)),
        ("queue_rank", job.queue_rank.map(Value::from)),
        ("eligible_time", timed.then(|| job.eligible_time.to_string().into())),
        ("accrue_type", timed.then(|| job.accrue_type.unwrap_or(2).into())),
        ("topjob_ineligible", job.topjob_ineligible.then(|| truth(true).into())),
    ]));
    all.extend(of_request(snap, job));
    if let Some(array) = job.array.as_deref() {
        all.extend(of_array(job, array));
    }
    all
}

/// Returns the attributes of a job that are times.
pub fn moments(job: &Job) -> [(&'static str, Option<Epoch>); 5] {
    [
        ("ctime", job.created),
        ("qtime", job.queued),
        ("etime", job.eligible),
        ("stime", job.started),
        ("Execution_Time", job.execution_time),
    ]
}

/// Orders the resources of `Resource_List` as in the original dump, because the scheduler compares them in that
/// order.
fn order_resources(snap: &Snapshot, job: &Job, requested: Map<String, Value>) -> Map<String, Value> {
    let place = |name: &str| {
        job.requested_order.iter().position(|id| &**snap.catalogue.name(*id) == name).unwrap_or(usize::MAX)
    };
    let mut all: Vec<(String, Value)> = requested.into_iter().collect();
    all.sort_by_cached_key(|(name, _)| (place(name), name.to_ascii_lowercase()));
    all.into_iter().collect()
}

/// Stands for an unreadable select or place whose text is not known.
const UNREADABLE: &str = "+";

/// Whether a job's dump had no `Resource_List`, and nothing of it has been set since.
fn is_without_list(job: &Job) -> bool {
    job.request_assumed && job.requested.is_empty() && job.place == Some(Place::of_old_style())
}

/// Returns the attributes of its request, placement and usage.
fn of_request(snap: &Snapshot, job: &Job) -> Map<String, Value> {
    let mut all = Map::new();
    let mut put = |key: &str, value: Value| {
        all.insert(key.to_owned(), value);
    };
    // An unreadable select is written unchanged, so that the job still cannot run.
    let asked = job.asked.as_ref();
    let select = job.select.as_ref().map(|select| &select.text).or(asked);
    let is_listed = !is_without_list(job);
    if let Some(text) = select.filter(|_| is_listed || !job.select_derived) {
        put("schedselect", (&**text).into());
    }
    if is_listed {
        let mut requested = order_resources(snap, job, resources(snap, &job.requested));
        requested.insert("select".to_owned(), asked.or(select).map_or(UNREADABLE, |text| text).into());
        let place = job.place.as_ref().map_or_else(|| UNREADABLE.to_owned(), ToString::to_string);
        requested.insert("place".to_owned(), place.into());
        put("Resource_List", Value::Object(requested));
    }
    if !job.node_set.is_empty() {
        put("node_set", job.node_set.join(",").into());
    }
    if let Some(nodes) = &job.exec_vnode {
        put("exec_vnode", nodes.to_string().into());
        if let Some(part) = &job.released {
            put("resources_released", part.to_string().into());
        }
        let mut used = resources(snap, &job.used);
        for time in [ResourceId::walltime(), ResourceId::cput()] {
            if let Some(seconds) = job.used.amount(time) {
                let seconds = Seconds(seconds.0 as i64);
                used.insert(snap.catalogue.name(time).to_string(), seconds.to_string().into());
            }
        }
        put("resources_used", Value::Object(used));
    }
    all
}

fn of_array(job: &Job, array: &ArrayAttributes) -> Map<String, Value> {
    if !array.is_parent {
        return present_attributes([
            ("array_id", array.parent.as_deref().map(Value::from)),
            ("array_index", array.index.map(Value::from)),
        ]);
    }
    let remaining: Vec<String> = array.remaining.iter().map(u32::to_string).collect();
    let remaining = if remaining.is_empty() { "-".to_owned() } else { remaining.join(",") };
    let running = array.running.unwrap_or(0);
    let queued = if job.state == JobState::Held { 0 } else { array.remaining.len() };
    let counts = format!("Queued:{queued} Running:{running} Exiting:0 Expired:0 ");
    present_attributes([
        ("array", Some("True".into())),
        ("array_indices_remaining", Some(remaining.into())),
        ("array_state_count", Some(counts.into())),
        ("max_run_subjobs", array.max_run_subjobs.map(Value::from)),
    ])
}

/// Returns future events: those of jobs at the server, and arrivals.
pub(super) fn arrivals(server: &SimulatedServer) -> ArrivalsFile {
    let mut file = ArrivalsFile { format: ArrivalsFile::FORMAT.to_owned(), ..ArrivalsFile::default() };
    for id in &server.order {
        let track = &server.tracks[*id];
        file.start.insert(track.name.to_string(), start_row(server, *id, track));
    }
    file.nodes = node_changes(server).iter().map(node_row).collect();
    for (_, event) in server.clock.events_in_order() {
        let ClockEvent::Arrives(nth) = event else { continue };
        let Some(arrival) = server.arrivals.get(*nth).and_then(Option::as_ref) else { continue };
        let Some(job) = arrival.job.as_deref() else { continue };
        let StartRow { runtime, runtimes, exit, release, cancel } = row_of(&arrival.fate);
        file.jobs.push(ArrivalRow {
            id: arrival.name.to_string(),
            at: arrival.at.0,
            runtime,
            runtimes,
            exit,
            release,
            cancel,
            was: arrival.real_start.map(|was| was.0),
            job: arriving(&server.snap, job),
        });
    }
    file
}

fn node_row(change: &NodeLifecycleEvent) -> NodeLifecycleRow {
    let at = Some(change.at.0);
    let row = NodeLifecycleRow { node: change.node.to_string(), ..NodeLifecycleRow::default() };
    if change.is_ready {
        NodeLifecycleRow { ordered: at, ..row }
    } else {
        NodeLifecycleRow { removed: at, ..row }
    }
}

fn start_row(server: &SimulatedServer, id: SimulatedJobId, job: &SimulatedJob) -> StartRow {
    row_of(&fate_of(server, id, job))
}

fn row_of(behaviour: &JobBehaviour) -> StartRow {
    StartRow {
        runtime: behaviour.runtime,
        runtimes: behaviour.runtimes.clone(),
        exit: (behaviour.exit != 0).then_some(behaviour.exit),
        release: behaviour.release.map(|at| at.0),
        cancel: behaviour.cancel.map(|at| at.0),
    }
}

/// Returns the attributes of a job that has not arrived, without times, which follow from its arrival.
fn arriving(snap: &Snapshot, job: &Job) -> Map<String, Value> {
    let mut attributes = attributes(snap, job);
    for key in [
        "ctime",
        "qtime",
        "etime",
        "substate",
        "run_count",
        "eligible_time",
        "accrue_type",
        "array_state_count",
    ] {
        attributes.remove(key);
    }
    if let Some(indices) = attributes.get("array_indices_remaining").cloned() {
        attributes.insert("array_indices_submitted".to_owned(), indices);
    }
    attributes
}

/// Returns the host after the `@` of owners.
fn host(snap: &Snapshot) -> &str {
    if snap.server.name.is_empty() { "server" } else { &snap.server.name }
}

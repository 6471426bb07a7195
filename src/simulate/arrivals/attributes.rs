//! Converts attributes as in `jobs.json` to jobs, by reading them with the dump reader beside the rest of the folder.

use std::sync::Arc;

use qscope_engine::cluster::{
    Catalogue, Diagnostic, Epoch, Job, JobState, Name, ResourceDef, ResourceId, ResourceList, Severity,
    Snapshot,
};
use qscope_exits::json;
use qscope_source::{Files, LoadOptions, load};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::ArrivalRow;
use crate::SimulateError;

/// All names of job dumps. Each is replaced by the arrivals, because the reader may choose any of them.
const DUMPS_OF_JOBS: [&str; 4] = ["jobs-t.json", "jobs-t.txt", "jobs.json", "jobs.txt"];

/// Names of vnode dumps.
const DUMPS_OF_NODES: [&str; 2] = ["nodes.json", "nodes.txt"];

/// A dump of one vnode, used if the cluster has no vnode dump.
const ANY_NODE: &str = r#"{"nodes":{"any":{"state":"free"}}}"#;

/// One entry per row, `None` if it cannot be read; and the problems found.
type ParsedJobs = (Vec<Option<Box<Job>>>, Vec<String>);

/// Reads a job for each row, `None` if the row cannot be read, and returns the reader's warnings.
pub(super) fn jobs_of(
    rows: &[ArrivalRow],
    files: &Files,
    options: &LoadOptions,
    snapshot: &mut Snapshot,
) -> Result<ParsedJobs, SimulateError> {
    let mut files = files.clone();
    if !snapshot.files.iter().any(|file| DUMPS_OF_NODES.contains(&&*file.name)) {
        // A hand-written cluster: the reader accepts a job dump only beside a vnode dump.
        files.insert("nodes.json", ANY_NODE, None);
    }
    let dump = dump_of(rows, snapshot)?;
    for name in DUMPS_OF_JOBS {
        files.insert(name, dump.clone(), None);
    }
    let read = load(&files, &LoadOptions { now: Some(snapshot.now), ..options.clone() })?;
    // The server counts the jobs that it has, not those that arrive.
    let is_count = |one: &Diagnostic| [Diagnostic::CLIENT_FAILED, Diagnostic::INCOMPLETE].contains(&one.code);
    let is_odd = |one: &&Diagnostic| {
        DUMPS_OF_JOBS.contains(&&*one.file) && one.severity != Severity::Note && !is_count(one)
    };
    let words = |one: &Diagnostic| {
        let of = one.record.as_ref().map(|job| format!("{job}: ")).unwrap_or_default();
        format!("arrivals: {of}{}", one.message)
    };
    let notes = read.diagnostics.iter().filter(is_odd).map(words).collect();
    let same = same_resources(&read.catalogue, &mut snapshot.catalogue);
    let mut by_name: FxHashMap<Name, Job> =
        read.jobs.into_iter().map(|job| (job.name.clone(), Arc::unwrap_or_clone(job))).collect();
    // Of two rows with the same id, the second is not found here and is rejected.
    let jobs = rows.iter().map(|row| by_name.remove(row.id.as_str()).map(|job| arrived(job, row.at, &same)));
    Ok((jobs.collect(), notes))
}

/// Returns a job with its own attributes and those that follow from its time of arrival.
fn arrived(mut job: Job, at: i64, same: &[ResourceId]) -> Box<Job> {
    job.requested = renamed(&job.requested, same).into();
    job.used = ResourceList::default();
    (job.created, job.queued) = (Some(Epoch(at)), Some(Epoch(at)));
    job.eligible = matches!(job.state, JobState::Queued).then_some(Epoch(at));
    job.exec_vnode = None;
    job.started = None;
    Box::new(job)
}

/// Encodes the arrivals as a job dump, as the reader expects it.
fn dump_of(rows: &[ArrivalRow], snapshot: &Snapshot) -> Result<Vec<u8>, SimulateError> {
    let mut jobs = Map::new();
    for row in rows {
        if !jobs.contains_key(&row.id) {
            jobs.insert(row.id.clone(), Value::Object(with_defaults(row, snapshot)));
        }
    }
    let timestamp = ("timestamp".to_owned(), Value::from(snapshot.now.0));
    json::compact(&Map::from_iter([timestamp, ("Jobs".to_owned(), Value::Object(jobs))]))
        .map(String::into_bytes)
        .map_err(|error| SimulateError::form("jobs.json", "", error.to_string()))
}

/// Adds missing attributes as the server would set them.
fn with_defaults(row: &ArrivalRow, snapshot: &Snapshot) -> Map<String, Value> {
    let mut job = row.job.clone();
    let text = |job: &Map<String, Value>, key: &str| job.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut default = |key: &str, value: Option<String>| {
        if let Some(value) = value.filter(|_| !job.contains_key(key)) {
            job.insert(key.to_owned(), value.into());
        }
    };
    default("queue", snapshot.server.default_queue.as_deref().map(str::to_owned));
    default("job_state", Some("Q".to_owned()));
    default("Hold_Types", Some("n".to_owned()));
    default("Rerunable", Some("True".to_owned()));
    default("Checkpoint", Some("u".to_owned()));
    default("egroup", Some("users".to_owned()));
    default("project", Some("_pbs_project_default".to_owned()));
    let owner = text(&row.job, "Job_Owner").map(|owner| owner.split('@').next().unwrap_or(&owner).to_owned());
    default("euser", owner);
    let select = row.job.get("Resource_List").and_then(|list| list.get("select")).and_then(Value::as_str);
    default("schedselect", select.map(str::to_owned));
    default("array_indices_remaining", text(&row.job, "array_indices_submitted"));
    job
}

/// Returns the ids of one catalogue's resources in another, to which missing ones are added.
fn same_resources(from: &Catalogue, to: &mut Catalogue) -> Vec<ResourceId> {
    let same = |def: &ResourceDef| to.id(&def.name).unwrap_or_else(|| to.insert(def.clone()));
    from.iter().map(|(_, def)| def).map(same).collect()
}

fn renamed(list: &ResourceList, same: &[ResourceId]) -> ResourceList {
    let mut renamed = ResourceList::default();
    for (id, value) in list.iter() {
        if let Some(id) = same.get(id.0 as usize) {
            renamed.set(*id, value.clone());
        }
    }
    renamed
}

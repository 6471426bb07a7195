//! Writes the server at one time as a folder of dumps with its future events, which can be opened like any other and
//! from which the simulation continues (days rule 11).

mod jobs;
mod objects;
mod policy_toml;
mod sched_config;

pub use jobs::{attributes as job_attributes, moments};
pub use objects::{nodes, queues, reservations, scheduler, server, usage};
pub use policy_toml::maui_options;
pub use sched_config::sched_config;

use std::path::Path;

use qscope_engine::cluster::{Epoch, Name, ResourceList, Snapshot};
use qscope_engine::universe::Quirks;
use qscope_exits::json;
use qscope_source::{Files, MADE_WITH};
use qscope_system::folder::Folder;
use serde_json::{Map, Value};

use crate::arrivals::ArrivalsFile;
use crate::input::{ARRIVALS, OPTIONS};
use crate::server::SimulatedServer;
use crate::shares::FairshareUsage;
use crate::{SimulateError, SimulationOptions};

/// What the simulation was started from.
#[derive(Clone, Copy, Debug)]
pub struct DumpOrigin<'p> {
    /// Files of the cluster, from a folder, an archive or a recording.
    pub files: &'p Files,
    /// Whether settings were changed before the simulation, so that the files no longer contain the settings in
    /// force.
    pub is_changed: bool,
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulatedState<'s> {
    pub(crate) server: &'s SimulatedServer,
    pub(crate) shares: Option<&'s FairshareUsage>,
    /// The behaviour under which the cycles decide; one other than the default is stated in a file.
    pub(crate) quirks: Quirks,
}

/// Files that no simulation changes; they are copied.
const KEPT: [&str; 8] = [
    SCHED_CONFIG,
    "holidays",
    "dedicated_time",
    "resource_group",
    "resources.txt",
    "resources.json",
    "extra.toml",
    POLICY,
];
const SCHED_CONFIG: &str = "sched_config";
const POLICY: &str = "policy.toml";

/// Writes the folder and returns the number of its files.
///
/// # Errors
/// A dump cannot be created, or the folder or a file cannot be written.
pub(crate) fn write(
    state: SimulatedState<'_>,
    options: SimulationOptions,
    from: DumpOrigin<'_>,
    to: &Path,
) -> Result<usize, SimulateError> {
    let mut files = files(state, from)?;
    let file: ArrivalsFile = jobs::arrivals(state.server);
    let arrivals =
        json::compact(&file).map_err(|error| SimulateError::form(ARRIVALS, "", error.to_string()))?;
    let options =
        json::compact(&options).map_err(|error| SimulateError::form(OPTIONS, "", error.to_string()))?;
    files.extend([(OPTIONS, options.into_bytes()), (ARRIVALS, arrivals.into_bytes())]);
    let written = files.len();
    place(to, &files)?;
    Ok(written)
}

/// A file of the folder: name and contents.
type FolderFile = (&'static str, Vec<u8>);

/// Returns the files of the server's current state, without future events.
///
/// # Errors
/// A dump cannot be created.
pub(crate) fn files(
    state: SimulatedState<'_>,
    from: DumpOrigin<'_>,
) -> Result<Vec<FolderFile>, SimulateError> {
    let SimulatedState { server, shares, quirks } = state;
    let mut files: Vec<FolderFile> = Vec::new();
    let kept = |name| Some((name, from.files.contents(name)?.1.to_vec()));
    files.extend(KEPT.into_iter().filter_map(kept));
    let snap = &server.snap;
    if from.is_changed {
        state_settings(&mut files, snap);
    }
    files.extend([
        ("now", format!("{} simulated\n", snap.now.0).into_bytes()),
        written("nodes.json", snap, "nodes", objects::nodes(snap))?,
        written("queues.json", snap, "Queue", objects::queues(snap))?,
        written("server.json", snap, "Server", objects::server(snap))?,
        ("sched.txt", objects::scheduler(snap).into_bytes()),
        written("jobs.json", snap, "Jobs", jobs::all_jobs(server))?,
    ]);
    if !snap.reservations.is_empty() {
        files.push(("resvs.txt", objects::reservations(snap).into_bytes()));
    }
    let options = quirks.options();
    if !options.is_empty() {
        files.push((MADE_WITH, format!("{options}\n").into_bytes()));
    }
    if let Some(shares) = shares {
        let (usage, decayed) = shares.usage_and_decay();
        // A time of decay is read only from a file with a record, so `unknown`, which always exists, is written too.
        let unknown = Name::from("unknown");
        let leaves = usage.iter().map(|(name, amount)| (name, *amount)).chain([(&unknown, 1.0)]);
        files.push(("usage", objects::usage(decayed, leaves)));
    }
    Ok(files)
}

/// Encodes a dump as PBS prints it, on one line: objects by name, under PBS's key of their kind.
fn written(
    name: &'static str,
    snap: &Snapshot,
    key: &str,
    objects: Map<String, Value>,
) -> Result<FolderFile, SimulateError> {
    let mut dump = present_attributes([
        ("timestamp", Some(snap.now.0.into())),
        ("pbs_server", Some((&*snap.server.name).into())),
    ]);
    dump.insert(key.to_owned(), Value::Object(objects));
    let text = json::compact(&dump).map_err(|error| SimulateError::form(name, "", error.to_string()))?;
    Ok((name, text.into_bytes()))
}

/// Replaces the files with options by the settings in force.
fn state_settings(files: &mut Vec<FolderFile>, snap: &Snapshot) {
    files.retain(|(name, _)| *name != SCHED_CONFIG);
    files.push((SCHED_CONFIG, sched_config(&snap.policy).into_bytes()));
    if let Some((_, bytes)) = files.iter_mut().find(|(name, _)| *name == POLICY) {
        *bytes = policy_toml::as_changed(bytes, snap);
    }
}

/// Writes the files into a folder that only its owner can access; it must be new, empty or written by this before.
fn place(to: &Path, files: &[FolderFile]) -> Result<(), SimulateError> {
    let folder = Folder::private(to)?;
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    Ok(folder.fill(&files)?)
}

/// Returns the attributes that have a value, in their order.
fn present_attributes<const N: usize>(all: [(&str, Option<Value>); N]) -> Map<String, Value> {
    all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

/// Converts a list of resources, with values unabbreviated.
fn resources(snap: &Snapshot, list: &ResourceList) -> Map<String, Value> {
    let value = |(id, value): (_, &qscope_engine::cluster::Value)| {
        let kind = snap.catalogue.kind(id);
        (snap.catalogue.name(id).to_string(), Value::from(value.show(kind)))
    };
    list.iter().map(value).collect()
}

/// Formats a time as dumps do: a date in the zone in which the folder is read.
fn date(snap: &Snapshot, at: Epoch) -> String {
    let stamp = jiff::Timestamp::from_second(at.0).unwrap_or_default();
    stamp.to_zoned(snap.time_zone()).strftime("%a %b %d %H:%M:%S %Y").to_string()
}

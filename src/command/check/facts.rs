//! The remarks about a reading, in order, for text and JSON alike.

use rustc_hash::FxHashMap;
use serde::Serialize;

use qscope_engine::cluster::{FileRecord, Name, Node, Snapshot, found_or_added, skew, value_of};
use qscope_session::Generation;
use qscope_session::dump_times::DumpTimes;
use qscope_session::findings::{FindingGroup, findings, is_without_cycle};

/// Everything on the page.
pub(super) struct CheckFacts<'s> {
    /// The files in the order of the page: those read, dumps first, then those left aside.
    pub(super) files: Vec<&'s FileRecord>,
    /// Seconds between the oldest and the newest dump, of those that state when they were made.
    pub(super) skew: Option<i64>,
    /// Which of the dumps of nodes and jobs is newer, and by how much.
    pub(super) newer: Option<String>,
    /// Servers that the files name, each with the files that name it.
    pub(super) servers: Vec<StatedValue<'s>>,
    /// Versions that the files name, each with the files that name it.
    pub(super) versions: Vec<StatedValue<'s>>,
    /// Attributes that only managers see and that were inferred, with the number of jobs or vnodes concerned.
    pub(super) inferred: Vec<InferredAttribute>,
    /// Number of job ids on vnodes that the job dump lacks.
    pub(super) hidden_jobs: usize,
    /// Whether the scheduler's cycle is not run over these dumps; what only the cycle needs is then not assumed
    /// either.
    pub(super) without_cycle: bool,
    /// What was reported, by group and code.
    pub(super) findings: Vec<FindingGroup<'s>>,
}

/// One attribute that had to be inferred.
#[derive(Serialize)]
pub(super) struct InferredAttribute {
    pub(super) attribute: &'static str,
    pub(super) count: usize,
    /// `jobs` or `vnodes`.
    pub(super) of: &'static str,
    /// The attributes it was inferred from.
    pub(super) from: &'static str,
}

/// A value, and the files that state it.
#[derive(Serialize)]
pub(super) struct StatedValue<'s> {
    pub(super) value: &'s str,
    pub(super) files: Vec<&'s str>,
}

impl<'s> CheckFacts<'s> {
    /// Collects the facts of a reading.
    pub(super) fn of(generation: &'s Generation) -> Self {
        let snap = &*generation.snapshot;
        let mut files: Vec<&FileRecord> = snap.files.iter().collect();
        files.sort_by_key(|file| (!file.is_used(), rank(&file.name), file.name.clone()));
        let without_cycle = is_without_cycle(generation);
        let hidden = snap.tallies.iter().filter(|tally| tally.code == "job-unlisted");
        Self {
            skew: skew(&snap.files).map(|(_, apart)| apart.0),
            newer: DumpTimes::of(snap).skew(),
            servers: by_value(&files, |file| file.server.as_ref()),
            versions: by_value(&files, |file| file.version.as_ref()),
            inferred: if without_cycle { Vec::new() } else { inferred(snap) },
            hidden_jobs: hidden.map(|tally| tally.count).sum(),
            findings: findings(generation),
            without_cycle,
            files,
        }
    }
}

/// Returns the position of a file on the page.
fn rank(name: &str) -> usize {
    let order = ["nodes", "jobs", "queue", "server", "sched.", "resources", "resvs", "policy", "extra"];
    order.iter().position(|start| name.starts_with(start)).unwrap_or(order.len())
}

fn by_value<'s>(
    files: &[&'s FileRecord],
    value: impl Fn(&'s FileRecord) -> Option<&'s Name>,
) -> Vec<StatedValue<'s>> {
    let mut all: Vec<StatedValue<'_>> = Vec::new();
    for file in files.iter().filter(|file| file.is_used()) {
        let Some(found) = value(file) else { continue };
        let new = || StatedValue { value: found, files: Vec::new() };
        found_or_added(&mut all, |named| named.value == &**found, new).files.push(&file.name);
    }
    all
}

fn inferred(snap: &Snapshot) -> Vec<InferredAttribute> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for name in snap.jobs.iter().flat_map(|job| &job.derived) {
        *value_of(&mut counts, name) += 1;
    }
    let inferred_from = |attribute| match attribute {
        "euser" => "Job_Owner",
        "egroup" => "group_list",
        "queue_rank" => "qtime and the job's number",
        "schedselect" => "select and default_chunk",
        _ => "the rest of the record",
    };
    let mut all: Vec<InferredAttribute> = counts
        .into_iter()
        .map(|(attribute, count)| InferredAttribute {
            attribute,
            count,
            of: "jobs",
            from: inferred_from(attribute),
        })
        .collect();
    let hosts = shared_hosts(snap);
    if hosts > 0 {
        let (attribute, of, from) = ("in_multivnode_host", "vnodes", "equal resources_available.host");
        all.push(InferredAttribute { attribute, count: hosts, of, from });
    }
    all
}

/// Counts vnodes that share their host with others without stating so, since only managers see that.
fn shared_hosts(snap: &Snapshot) -> usize {
    let mut count: FxHashMap<&Name, usize> = FxHashMap::default();
    snap.nodes.iter().filter_map(Node::host).for_each(|host| *count.entry(host).or_default() += 1);
    let shares = |node: &&Node| {
        node.in_multivnode_host.is_none() && node.host().and_then(|host| count.get(host).copied()) > Some(1)
    };
    snap.nodes.iter().filter(shares).count()
}

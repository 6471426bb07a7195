//! The remarks about a reading, in order, for text and JSON alike.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::meaning::{MeaningGroup, group, is_of_the_cycle, may_change};
use qscope_engine::cluster::{
    FileRecord, FirstMet, Name, Node, Severity, Snapshot, Spot, found_or_added, skew, value_of,
};
use qscope_session::{Generation, NoVerdicts};

/// Number of places named in addition to the first.
const MORE_PLACES: usize = 3;

/// Everything on the page.
pub(super) struct CheckFacts<'s> {
    /// The files in the order of the page: those read, dumps first, then those left aside.
    pub(super) files: Vec<&'s FileRecord>,
    /// Seconds between the oldest and the newest dump, of those that state when they were made.
    pub(super) skew: Option<i64>,
    /// Servers that the files name, each with the files that name it.
    pub(super) servers: Vec<Named<'s>>,
    /// Versions that the files name, each with the files that name it.
    pub(super) versions: Vec<Named<'s>>,
    /// Attributes that only managers see and that were inferred, with the number of jobs or vnodes concerned.
    pub(super) inferred: Vec<Inferred>,
    /// Number of job ids on vnodes that the job dump lacks.
    pub(super) hidden_jobs: usize,
    /// Whether the scheduler's cycle is not run over these dumps; what only the cycle needs is then not assumed
    /// either.
    pub(super) without_cycle: bool,
    /// What was reported, by group and code.
    pub(super) findings: Vec<CheckFinding<'s>>,
}

/// One attribute that had to be inferred.
#[derive(Serialize)]
pub(super) struct Inferred {
    pub(super) attribute: &'static str,
    pub(super) count: usize,
    /// `jobs` or `vnodes`.
    pub(super) of: &'static str,
    /// The attributes it was inferred from.
    pub(super) from: &'static str,
}

/// A value, and the files that state it.
#[derive(Serialize)]
pub(super) struct Named<'s> {
    pub(super) value: &'s str,
    pub(super) files: Vec<&'s str>,
}

/// All reports of one code about one file.
pub(super) struct CheckFinding<'s> {
    pub(super) group: MeaningGroup,
    pub(super) severity: Severity,
    pub(super) code: &'static str,
    pub(super) file: &'s str,
    pub(super) count: usize,
    pub(super) first: Spot,
    /// The record of the first report.
    pub(super) record: Option<&'s str>,
    /// The message of the first report.
    pub(super) message: &'s str,
    /// A few more places, of further reports.
    pub(super) places: Vec<String>,
    pub(super) may_change: Option<&'static str>,
}

impl<'s> CheckFacts<'s> {
    /// Collects the facts of a reading.
    pub(super) fn of(generation: &'s Generation) -> Self {
        let snap = &*generation.snapshot;
        let mut files: Vec<&FileRecord> = snap.files.iter().collect();
        files.sort_by_key(|file| (!file.is_used(), rank(&file.name), file.name.clone()));
        let without_cycle = NoVerdicts::of(snap, generation.as_pbs) == Some(NoVerdicts::Torque);
        let hidden = snap.tallies.iter().filter(|tally| tally.code == "job-unlisted");
        Self {
            skew: skew(&snap.files).map(|(_, apart)| apart.0),
            servers: by_value(&files, |file| file.server.as_ref()),
            versions: by_value(&files, |file| file.version.as_ref()),
            inferred: if without_cycle { Vec::new() } else { inferred(snap) },
            hidden_jobs: hidden.map(|tally| tally.count).sum(),
            findings: findings(snap, |code| !(without_cycle && is_of_the_cycle(code))),
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
) -> Vec<Named<'s>> {
    let mut all: Vec<Named<'_>> = Vec::new();
    for file in files.iter().filter(|file| file.is_used()) {
        let Some(found) = value(file) else { continue };
        let new = || Named { value: found, files: Vec::new() };
        found_or_added(&mut all, |named| named.value == &**found, new).files.push(&file.name);
    }
    all
}

fn inferred(snap: &Snapshot) -> Vec<Inferred> {
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
    let mut all: Vec<Inferred> = counts
        .into_iter()
        .map(|(attribute, count)| Inferred { attribute, count, of: "jobs", from: inferred_from(attribute) })
        .collect();
    let hosts = shared_hosts(snap);
    if hosts > 0 {
        let (attribute, of, from) = ("in_multivnode_host", "vnodes", "equal resources_available.host");
        all.push(Inferred { attribute, count: hosts, of, from });
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

fn findings(snap: &Snapshot, counts: impl Fn(&str) -> bool) -> Vec<CheckFinding<'_>> {
    let mut all: FirstMet<(&str, &str), CheckFinding<'_>> = FirstMet::default();
    for reported in snap.diagnostics.iter().filter(|reported| counts(reported.code)) {
        let finding = all.of((&reported.file, reported.code), || CheckFinding {
            group: group(reported.code, reported.severity),
            severity: reported.severity,
            code: reported.code,
            file: &reported.file,
            count: 0,
            first: reported.spot,
            record: reported.record.as_deref(),
            message: &reported.message,
            places: Vec::new(),
            may_change: may_change(reported.code),
        });
        finding.count += 1;
        // The first place is stated separately.
        if finding.count > 1 && finding.places.len() < MORE_PLACES && reported.record.is_some() {
            finding.places.push(place_of(&reported.spot, reported.record.as_deref()));
        }
    }
    for tally in &snap.tallies {
        if let Some(finding) = all.met(&(&*tally.file, tally.code)) {
            finding.count = tally.count;
        }
    }
    let mut all = all.into_all();
    all.sort_by_key(|finding| finding.group);
    all
}

/// Formats a place without its file, such as `:12` or `@407 (1.svr)`.
pub(super) fn place_of(spot: &Spot, record: Option<&str>) -> String {
    let spot = match spot {
        Spot::File => String::new(),
        Spot::Line(line) => format!(":{line}"),
        Spot::Place { line, column } => format!(":{line}:{column}"),
        Spot::Byte(byte) => format!("@{byte}"),
    };
    match record {
        Some(record) if spot.is_empty() => record.to_owned(),
        Some(record) => format!("{spot} ({record})"),
        None => spot,
    }
}

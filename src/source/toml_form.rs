//! A hand-written cluster: `nodes.toml`, `queue.toml`, `policy.toml`, and `extra.toml`.
//!
//! The form is short and forgiving about values, and strict about names: an unknown key, node, reservation or
//! resource is an error with its place and the nearest known name. Everything that a server would fill in is filled
//! in: defaults for chunks, sums, ranks, and the effects of running jobs on their nodes.

mod clock;
mod indices;
mod job;
mod node;
mod occupancy;
mod overlays;
mod policy;
mod queue;
mod report;
mod request;
mod reservation;
pub(crate) mod table;
pub(crate) mod values;

use clock::TomlClock;
pub(crate) use node::NodeNameIndex;
pub(crate) use occupancy::{occupy_all, unknown_nodes};
pub use overlays::apply_extra;
pub(crate) use overlays::apply_policy;
pub(crate) use policy::PolicyPart;
use qscope_engine::cluster::{
    Diagnostic, Epoch, FileFormat, FilePosition, FileRecord, Name, Node, ResourceType, Severity, Snapshot,
};
use report::{TomlFile, TomlReport};
use table::TomlTable;

use super::zone::Zone;

/// The texts of the four files; missing files are `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TomlTexts<'a> {
    /// `nodes.toml`.
    pub nodes: Option<&'a str>,
    /// `queue.toml`.
    pub queue: Option<&'a str>,
    /// `policy.toml`.
    pub policy: Option<&'a str>,
    /// `extra.toml`.
    pub extra: Option<&'a str>,
    /// Whether a `sched_config` in the same folder has the options if `policy.toml` is missing.
    pub has_options: bool,
}

/// Sources of "now" other than `now` in `queue.toml`.
#[derive(Clone, Debug, Default)]
pub struct NowSources {
    /// Overrides the file: the time, and its origin in words.
    pub given: Option<(Epoch, String)>,
    /// Used if the file states no time.
    pub fallback: Option<(Epoch, String)>,
    /// Zone of dates, which overrides the one in `policy.toml`.
    pub(crate) zone: Option<Zone>,
}

/// Reads a cluster whose "now" is in `queue.toml`.
///
/// # Errors
/// All errors in the files, not only the first one.
pub fn read(
    nodes: Option<&str>,
    queue: Option<&str>,
    policy: Option<&str>,
    extra: Option<&str>,
    title: &str,
) -> Result<Snapshot, Vec<Diagnostic>> {
    read_at(&TomlTexts { nodes, queue, policy, extra, ..TomlTexts::default() }, title, &NowSources::default())
}

/// Reads a cluster.
///
/// # Errors
/// All errors in the files, not only the first one.
pub fn read_at(
    texts: &TomlTexts<'_>,
    title: &str,
    present: &NowSources,
) -> Result<Snapshot, Vec<Diagnostic>> {
    let report = TomlReport::default();
    let mut snap = empty(title);
    if let Some(text) = texts.policy {
        let file = TomlFile { name: "policy.toml", text, report: &report };
        let parsed = file.parse();
        policy::read(TomlTable::root(file, &parsed), &mut snap);
        record(&mut snap, "policy.toml", text, 1);
    }
    if let Some(zone) = &present.zone {
        snap.zone.clone_from(&zone.name);
        snap.zone_source.clone_from(&zone.source);
    }
    let queue = texts.queue.unwrap_or_default();
    let file = TomlFile { name: "queue.toml", text: queue, report: &report };
    let parsed = file.parse();
    let mut table = TomlTable::root(file, &parsed);
    let clock = read_clock(&mut table, &mut snap, present);
    let index = read_nodes(texts.nodes, &report, &mut snap, &clock);
    read_queue_file(table, &mut snap, &clock, &index);
    if texts.queue.is_some() {
        let records = snap.jobs.len() + snap.queues.len() + snap.reservations.len();
        record(&mut snap, "queue.toml", queue, records);
    }
    node::settle_partitions(&mut snap);
    occupancy::mark_busy(&mut snap);
    mark_hosts(&mut snap);
    let mut reported = report.into_diagnostics();
    if let Some(extra) = texts.extra
        && let Err(errors) = apply_extra(extra, &mut snap)
    {
        reported.extend(errors);
    }
    reported.extend(ignored_resources(&snap));
    finish(snap, reported, texts)
}

/// Returns a cluster with a default server and the options as shipped.
fn empty(title: &str) -> Snapshot {
    let mut snap = Snapshot::empty(title, Epoch(0));
    "no zone is given in policy.toml".clone_into(&mut snap.zone_source);
    snap.server.name = "server".into();
    snap.server.assumed = false;
    snap.server.scheduling = Some(true);
    snap.server.default_queue = Some("workq".into());
    snap.server.default_chunk = vec![("ncpus".into(), "1".into())];
    snap.scheduler.assumed = false;
    snap.policy.assumed = false;
    snap
}

/// Reads "now", and the zone of dates.
fn read_clock(table: &mut TomlTable<'_>, snap: &mut Snapshot, present: &NowSources) -> TomlClock {
    let zone = snap.time_zone();
    let expected = "epoch seconds or a date such as \"2026-01-31 12:00\"";
    let written = table.parse("now", expected, |text| clock::absolute(text, &zone));
    let written = written.map(|now| (now, "queue.toml".to_owned()));
    let found = present.given.clone().or(written).or_else(|| present.fallback.clone());
    let (now, source) = found.unwrap_or_else(|| {
        let message = "`now` is missing: taken for 2000-01-01 00:00 UTC".to_owned();
        table.remark_at("now", Severity::Warning, "now-missing", message);
        (Epoch(946_684_800), "nowhere".to_owned())
    });
    snap.now = now;
    snap.now_source = source;
    TomlClock { now, zone }
}

fn read_nodes(
    text: Option<&str>,
    report: &TomlReport,
    snap: &mut Snapshot,
    clock: &TomlClock,
) -> node::NodeNameIndex {
    let mut index = node::NodeNameIndex::default();
    let Some(text) = text else { return index };
    let file = TomlFile { name: "nodes.toml", text, report };
    let parsed = file.parse();
    let mut table = TomlTable::root(file, &parsed);
    for entry in table.tables("node") {
        node::read(entry, snap, clock, &mut index);
    }
    table.finish();
    let records = snap.nodes.len();
    record(snap, "nodes.toml", text, records);
    index
}

/// Reads queues, reservations and jobs, each of which depends on the earlier ones.
fn read_queue_file(
    mut table: TomlTable<'_>,
    snap: &mut Snapshot,
    clock: &TomlClock,
    index: &node::NodeNameIndex,
) {
    for entry in table.tables("queue") {
        queue::read(entry, snap);
    }
    let bound: Vec<Name> = snap.nodes.iter().filter_map(|node| node.queue.clone()).collect();
    for name in bound {
        job::want_queue(&table, snap, &name);
        if let Some(id) = snap.queue_named(&name) {
            snap.queues[id].has_nodes = true;
        }
    }
    let mut cx = job::JobContext { snap, clock, index, seen: rustc_hash::FxHashSet::default() };
    for entry in table.tables("reservation") {
        reservation::read(entry, &mut cx);
    }
    for entry in table.tables("job") {
        job::read(entry, &mut cx);
    }
    for name in job::link_subjobs(snap) {
        let message = format!("`{name}` is a subjob, but no job of its number has `array`");
        table.remark_at("job", Severity::Warning, "subjob-without-array", message);
    }
    table.finish();
}

/// Marks vnodes that share a host, as the server does.
fn mark_hosts(snap: &mut Snapshot) {
    let mut count: rustc_hash::FxHashMap<Name, usize> = rustc_hash::FxHashMap::default();
    for name in snap.nodes.iter().filter_map(Node::host) {
        *count.entry(name.clone()).or_default() += 1;
    }
    snap.nodes.change_all(|node| {
        let several = node.host().and_then(|name| count.get(name).copied()).is_some_and(|n| n > 1);
        node.in_multivnode_host = several.then_some(true);
    });
}

/// Reports requests that the scheduler ignores, since `resources` does not name them (rule 1.11).
fn ignored_resources(snap: &Snapshot) -> Vec<Diagnostic> {
    let Some(line) = &snap.policy.resources else { return Vec::new() };
    let mut reported: Vec<Name> = Vec::new();
    for job in &snap.jobs {
        for request in job.chunk_requests() {
            let name = &request.resource;
            let boolean =
                snap.catalogue.id(name).is_some_and(|id| snap.catalogue.kind(id) == ResourceType::Boolean);
            if !boolean && !line.contains(name) && !reported.contains(name) {
                reported.push(name.clone());
            }
        }
    }
    let message = |name: &Name| {
        format!("jobs ask for `{name}`, which is not on the `resources` line: the scheduler ignores it")
    };
    reported
        .iter()
        .map(|name| remark("policy.toml", Severity::Warning, "resource-ignored", message(name)))
        .collect()
}

fn remark(file: &str, severity: Severity, code: &'static str, message: String) -> Diagnostic {
    Diagnostic::new(severity, code, file, FilePosition::File, message)
}

fn record(snap: &mut Snapshot, name: &str, text: &str, records: usize) {
    snap.files.push(FileRecord::plain(name, FileFormat::Toml, text.as_bytes(), records));
}

/// Returns the cluster, or all reports if one of them is an error. If a file is not TOML, everything else follows
/// from that, so only that is reported.
fn finish(
    mut snap: Snapshot,
    mut reported: Vec<Diagnostic>,
    texts: &TomlTexts<'_>,
) -> Result<Snapshot, Vec<Diagnostic>> {
    if reported.iter().any(|d| d.code == "toml") {
        reported.retain(|d| d.code == "toml");
    }
    if reported.iter().any(|d| d.severity == Severity::Error) {
        return Err(reported);
    }
    let has_options = texts.policy.map_or(texts.has_options, |text| text.contains("[sched_config]"));
    if !has_options {
        let message = "no [sched_config]: the options are those of the file as shipped".to_owned();
        reported.push(remark("policy.toml", Severity::Note, "policy-as-shipped", message));
    }
    snap.diagnostics = reported;
    Ok(snap)
}

#[cfg(test)]
mod tests;

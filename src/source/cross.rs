//! Compares dumps with each other: nodes and jobs are read at different times, by users who may not see everything.

use std::cell::LazyCell;

use rustc_hash::FxHashSet;

use super::log::DiagnosticLog;
use super::overview::{Overview, is_negative};
use super::toml_form::{NodeNameIndex, unknown_nodes};
use qscope_engine::cluster::did_you_mean::unknown_resource;
use qscope_engine::cluster::{
    Diagnostic, Epoch, FilePosition, FileRecord, GhostKind, Job, Name, NodeJobSet, Reservation, ResourceList,
    Seconds, Snapshot, count, deduplicated, ghosts_on, is_on_nodes, made_of_nodes_and_jobs, skew,
};

/// Attribute with sums.
const ASSIGNED: &str = "resources_assigned";
/// Maximum difference in seconds between dumps of one generation.
pub(crate) const SKEW: i64 = 30;
/// Age in seconds beyond which an estimated start in the past is stale, since estimates are renewed every cycle.
const PAST: i64 = 3600;
/// Time ahead in seconds, ten years, beyond which an estimated start is implausible.
const FUTURE: i64 = 10 * 365 * 86_400;

/// Reports where the parts of a snapshot do not agree.
pub(crate) fn check(snapshot: &Snapshot, overview: &Overview, log: &mut DiagnosticLog) {
    let nodes_file = file_of(snapshot, "nodes.");
    let jobs_file = file_of(snapshot, "jobs");
    moments(snapshot, log);
    let is_mixed = servers(&snapshot.files, log);
    if let Some(jobs_file) = jobs_file {
        log.in_file(&jobs_file);
        jobs_without_nodes(snapshot, overview, nodes_file.as_ref().filter(|_| !is_mixed), log);
        log.in_file(&jobs_file);
        stale_estimates(snapshot, log);
        starts_to_come(snapshot, log);
        log.in_file(&nodes_file.unwrap_or_default());
        nodes_without_jobs(snapshot, overview, log);
    }
    reservations_without_nodes(snapshot, log);
    negative_amounts(snapshot, overview, log);
    group_sort_keys(snapshot, log);
}

/// Reports sort keys of placement sets that are not resources.
pub(crate) fn group_sort_keys(snapshot: &Snapshot, log: &mut DiagnosticLog) {
    let keys = &snapshot.policy.node_group_sort_key;
    let catalogue = &snapshot.catalogue;
    let mut unknown: Vec<&Name> = Vec::new();
    for key in keys.both_periods().into_iter().flatten() {
        if catalogue.id(&key.resource).is_none() && !unknown.contains(&&key.resource) {
            unknown.push(&key.resource);
        }
    }
    let options = file_of(snapshot, "sched_config").unwrap_or_else(|| "policy.toml".into());
    for name in unknown {
        log.in_file(&options);
        log.error("group-sort-key", FilePosition::File, || {
            format!("node_group_sort_key: {}", unknown_resource(name, catalogue))
        });
    }
}

/// Returns the name of the file that was read for a dump.
fn file_of(snapshot: &Snapshot, prefix: &str) -> Option<Name> {
    let used = snapshot.files.iter().find(|file| file.is_used() && file.name.starts_with(prefix));
    used.map(|file| file.name.clone())
}

/// Reports dumps made at different times: by their contents, else nodes and jobs by the file system.
fn moments(snapshot: &Snapshot, log: &mut DiagnosticLog) {
    if let Some((oldest, Seconds(apart))) = skew(&snapshot.files).filter(|(_, apart)| apart.0 > SKEW) {
        log.in_file(&oldest.name);
        return log.warn("skew", FilePosition::File, || {
            format!("made {apart} s before the newest dump; expected at most {SKEW}")
        });
    }
    let [Some(nodes), Some(jobs)] = made_of_nodes_and_jobs(&snapshot.files) else { return };
    let apart = (nodes - jobs).0.saturating_abs();
    if apart > SKEW {
        let (older, newer) = if nodes < jobs { ("nodes.", "jobs") } else { ("jobs", "nodes.") };
        let name = |prefix| file_of(snapshot, prefix).unwrap_or_default();
        log.in_file(&name(older));
        log.warn("skew", FilePosition::File, || {
            format!("written {apart} s before {}; expected at most {SKEW}", name(newer))
        });
    }
}

/// Reports dumps of different servers; returns whether there are any.
fn servers(files: &[FileRecord], log: &mut DiagnosticLog) -> bool {
    let short = |name: &Name| Name::from(name.split('.').next().unwrap_or_default());
    let mut known: Option<(&Name, Name)> = None;
    let mut is_mixed = false;
    for file in files.iter().filter(|file| file.is_used()) {
        let Some(server) = &file.server else { continue };
        match &known {
            None => known = Some((&file.name, short(server))),
            Some((other, have)) if *have != short(server) => {
                is_mixed = true;
                log.in_file(&file.name);
                log.error("two-servers", FilePosition::File, || {
                    format!("found a dump of server `{server}`; expected `{have}`, as in {other}")
                });
            }
            Some(_) => {}
        }
    }
    is_mixed
}

/// Reports running jobs whose nodes do not list them, and a dump of nodes that lacks some of their nodes.
fn jobs_without_nodes(
    snapshot: &Snapshot,
    overview: &Overview,
    nodes_file: Option<&Name>,
    log: &mut DiagnosticLog,
) {
    if !snapshot.jobs.iter().any(is_on_nodes) {
        return log.in_record("");
    }
    let listing = NodeJobSet::of(overview.with_jobs().filter_map(|id| snapshot.nodes.checked(id)));
    let known = LazyCell::new(|| NodeNameIndex::of(snapshot));
    let (mut absent, mut on_absent): (FxHashSet<&str>, Option<&Job>) = Default::default();
    for job in &snapshot.jobs {
        let (lacking, unknown): (Vec<&str>, Vec<&str>) =
            listing.lacking(job).into_iter().partition(|vnode| known.get(vnode).is_some());
        on_absent = on_absent.or((!unknown.is_empty()).then_some(job));
        absent.extend(unknown);
        if let Some(first) = lacking.first() {
            log.in_record(&job.name);
            log.warn(Diagnostic::NOT_ON_NODE, FilePosition::File, || {
                let nodes = match lacking.len() {
                    1 => format!("vnode {first}, which does not list it"),
                    many => format!("{many} vnodes that do not list it, such as {first}"),
                };
                format!("runs on {nodes}: the dumps are of different moments")
            });
        }
    }
    log.in_record("");
    let (Some(file), Some(job), Some(vnode)) = (nodes_file, on_absent, absent.iter().min()) else {
        return;
    };
    log.in_file(file);
    log.error(Diagnostic::INCOMPLETE, FilePosition::File, || {
        let (listed, others) = (count(snapshot.nodes.len(), "vnode"), count(absent.len(), "other vnode"));
        let job = job.short_name();
        format!(
            "lists {listed}, and jobs such as {job} run on {others} such as {vnode}: the dump is incomplete"
        )
    });
}

/// Reports reservations that have or will have vnodes which do not exist.
fn reservations_without_nodes(snapshot: &Snapshot, log: &mut DiagnosticLog) {
    let has_nodes = |one: &&Reservation| (one.is_running() || one.keeps_nodes()) && one.nodes.is_some();
    let mut reservations = snapshot.reservations.iter().filter(has_nodes).peekable();
    if snapshot.nodes.is_empty() || reservations.peek().is_none() {
        return;
    }
    let index = NodeNameIndex::of(snapshot);
    log.in_file(&file_of(snapshot, "resvs.").unwrap_or_default());
    for reservation in reservations {
        let unknown = reservation.nodes.iter().flat_map(|on| unknown_nodes(on, &index));
        let unknown = deduplicated(unknown);
        if let Some(first) = unknown.first() {
            log.in_record(&reservation.name);
            log.warn("reservation-nodes", FilePosition::File, || match unknown.len() {
                1 => format!("on vnode {first}, which does not exist"),
                many => format!("on {many} vnodes that do not exist, such as {first}"),
            });
        }
    }
    log.in_record("");
}

/// Reports implausible estimates, long past or years away, which servers may keep.
fn stale_estimates(snapshot: &Snapshot, log: &mut DiagnosticLog) {
    let is_far_off = |start: Epoch| start.0 < snapshot.now.0 - PAST || start.0 > snapshot.now.0 + FUTURE;
    let stale = |job: &&Job| job.estimate.as_ref().and_then(|e| e.start).is_some_and(is_far_off);
    let count = snapshot.jobs.iter().filter(stale).count();
    if let Some(first) = snapshot.jobs.iter().find(stale) {
        log.note("estimate-stale", FilePosition::File, || {
            format!(
                "{count} estimated starts such as that of {} are over or years away; shown, never used",
                first.name
            )
        });
    }
}

/// Reports jobs on nodes that are missing from the job dump.
fn nodes_without_jobs(snapshot: &Snapshot, overview: &Overview, log: &mut DiagnosticLog) {
    let nodes = overview.with_jobs().filter_map(|id| Some((id, snapshot.nodes.checked(id)?)));
    for ghost in ghosts_on(snapshot, nodes) {
        let first = ghost.nodes.first().map(|node| &*snapshot.nodes[*node].name).unwrap_or_default();
        let nodes = match ghost.nodes.len() {
            1 => format!("vnode {first}"),
            many => format!("{many} vnodes such as {first}"),
        };
        log.in_record(&ghost.job);
        let why = match ghost.kind {
            GhostKind::NotRunning(_) => continue,
            GhostKind::Subjob => {
                log.note("subjob-unlisted", FilePosition::File, || {
                    let vnodes = count(ghost.nodes.len(), "vnode");
                    format!("a subjob on {vnodes}; expected it in jobs-t, what `qstat -tf` prints")
                });
                continue;
            }
            GhostKind::Dead => "; no resources assigned; cleared by restarting pbs_server",
            GhostKind::Unlisted => "",
        };
        log.warn(Diagnostic::JOB_UNLISTED, FilePosition::File, || {
            format!("on {nodes}, but not in the job dump: ended meanwhile, or hidden from this user{why}")
        });
    }
    log.in_record("");
}

/// Reports negative amounts: sums that servers keep after lost updates, and values from damaged or edited dumps.
pub(crate) fn negative_amounts(snapshot: &Snapshot, overview: &Overview, log: &mut DiagnosticLog) {
    let remark = |log: &mut DiagnosticLog, name: &str, (attribute, list): (&str, &ResourceList)| {
        for (id, value) in list.iter().filter(|(_, value)| is_negative(value)) {
            let resource = snapshot.catalogue.name(id);
            let shown = value.show(snapshot.catalogue.kind(id));
            log.in_record(name);
            match attribute {
                ASSIGNED => log.warn("negative-sum", FilePosition::File, || {
                    format!("{attribute}.{resource} is {shown}; not believed")
                }),
                _ => log.warn("negative-amount", FilePosition::File, || {
                    format!("{attribute}.{resource} is {shown}; expected 0 or more")
                }),
            }
        }
    };
    log.in_file(&file_of(snapshot, "server.").unwrap_or_default());
    remark(log, &snapshot.server.name, (ASSIGNED, &snapshot.server.assigned));
    let by_hand = || file_of(snapshot, "queue.").unwrap_or_default();
    log.in_file(&file_of(snapshot, "queues.").unwrap_or_else(by_hand));
    snapshot.queues.iter().for_each(|queue| remark(log, &queue.name, (ASSIGNED, &queue.assigned)));
    log.in_file(&file_of(snapshot, "nodes.").unwrap_or_default());
    for node in overview.nodes_with_negative_amount().filter_map(|id| snapshot.nodes.checked(id)) {
        remark(log, &node.name, ("resources_available", &node.available));
        remark(log, &node.name, (ASSIGNED, &node.assigned));
    }
    log.in_file(&file_of(snapshot, "jobs").unwrap_or_else(by_hand));
    snapshot.jobs.iter().for_each(|job| remark(log, &job.name, ("Resource_List", &job.requested)));
    log.in_record("");
}

/// Reports running jobs whose start is in the future.
fn starts_to_come(snapshot: &Snapshot, log: &mut DiagnosticLog) {
    let soon = snapshot.now + Seconds(SKEW);
    for job in snapshot.jobs.iter().filter(|job| job.state.has_nodes()) {
        if let Some(started) = job.started.filter(|started| *started > soon) {
            log.in_record(&job.name);
            log.warn("start-to-come", FilePosition::File, || {
                let after = started - snapshot.now;
                format!("its start is {} s after the moment of the dumps", after.0)
            });
        }
    }
    log.in_record("");
}

//! Determines which facts of a cluster were observed, and infers others from jobs and vnodes.
//!
//! Most users cannot read `sched_config`. The file as shipped is assumed then, with two corrections that the dumps
//! prove or suggest: a resource that jobs request in `select` and vnodes have is assumed to be checked, and a comment
//! that the scheduler writes only with a certain setting proves that setting.

use memchr::memmem::Finder;

use super::files::Files;
use qscope_engine::cluster::{
    AssumptionReason, ByPeriod, DamageKind, Diagnostic, FileRecord, Job, Name, Origin, Snapshot,
    SnapshotFact, deduplicated, first_names, short_id, value_of,
};

/// Resources that the scheduler always checks: the file as shipped has them, and no site removes them.
const ALWAYS: [&str; 5] = ["ncpus", "mem", "arch", "host", "vnode"];
/// Text before the resource that vnodes lack, in the scheduler's comment.
const LACKS: &str = "Insufficient amount of resource: ";
/// Maximum number of jobs named.
const JOBS_NAMED: usize = 3;
/// The scheduler's comment on a job after another one with strict ordering.
const STRICT: &str = "Job would break strict sorted order";

/// Files that a folder can lack, with the facts they contain.
const SOURCES: [(&[&str], &[SnapshotFact]); 4] = [
    (
        &["sched_config"],
        &[
            SnapshotFact::CheckedResources,
            SnapshotFact::JobOrder,
            SnapshotFact::NodeOrder,
            SnapshotFact::StrictOrdering,
            SnapshotFact::FairShare,
            SnapshotFact::TimeWindows,
            SnapshotFact::Preemption,
            SnapshotFact::DynamicResources,
        ],
    ),
    (
        &["server.json", "server.txt"],
        &[
            SnapshotFact::ServerLimits,
            SnapshotFact::DefaultChunk,
            SnapshotFact::Formula,
            SnapshotFact::PlacementSets,
            // backfill_depth, and what suspended jobs release.
            SnapshotFact::StrictOrdering,
            SnapshotFact::Preemption,
        ],
    ),
    (
        &["queues.json", "queues.txt"],
        &[
            SnapshotFact::QueueLimits,
            SnapshotFact::QueueAttributes,
            SnapshotFact::DefaultChunk,
            SnapshotFact::PlacementSets,
            SnapshotFact::JobOrder,
            SnapshotFact::StrictOrdering,
        ],
    ),
    (
        &["sched.txt", "sched.json"],
        &[
            SnapshotFact::Partitions,
            SnapshotFact::Formula,
            SnapshotFact::PlacementSets,
            SnapshotFact::Preemption,
        ],
    ),
];

/// The dumps that list everything of a kind.
const LISTS: [(SnapshotFact, &[&str]); 2] = [
    (SnapshotFact::AllNodes, &["nodes.json", "nodes.txt"]),
    (SnapshotFact::AllJobs, &["jobs-t.json", "jobs-t.txt", "jobs.json", "jobs.txt"]),
];

/// Sets the origins of facts of a cluster of dumps, and infers those that can be inferred.
pub(crate) fn infer_origins(files: &Files, snapshot: &mut Snapshot) {
    let by_hand = sections_by_hand(files);
    let mut why: Vec<(SnapshotFact, Vec<Name>)> = Vec::new();
    for (names, facts) in SOURCES {
        let Some(first) = names.first() else { continue };
        let stem = first.split('.').next().unwrap_or(first);
        if is_read(&snapshot.files, names) || by_hand.iter().any(|section| section == stem) {
            continue;
        }
        let lacks = match files.unreadable_of(names) {
            Some((name, _)) => format!("{name} cannot be read"),
            None if stem == "sched_config" => "no sched_config".to_owned(),
            None => format!("no {stem} dump"),
        };
        for fact in facts {
            value_of(&mut why, *fact).push(lacks.as_str().into());
        }
    }
    for (fact, lacks) in why {
        snapshot.origins.set(fact, Origin::Assumed(AssumptionReason::Lacking(lacks)));
    }
    doubt_requests(snapshot);
    if snapshot.policy.assumed {
        infer_checked(snapshot);
        infer_strict(snapshot);
    }
}

/// Marks the requests of jobs without `Resource_List` as assumed.
fn doubt_requests(snapshot: &mut Snapshot) {
    let without = snapshot.jobs.iter().filter(|job| job.request_assumed);
    let names: Vec<&str> = without.map(Job::short_name).collect();
    if !names.is_empty() {
        let why = format!("no Resource_List of {}", first_names(&names, JOBS_NAMED));
        snapshot.origins.set(SnapshotFact::JobRequest, Origin::Assumed(AssumptionReason::Other(why.into())));
    }
}

/// Marks facts as doubtful once the readers' findings are known: truncated dumps and those with damaged records may lack
/// vnodes or jobs, as may empty ones if the server counts some, and dumps made at different times do not fit together.
pub(crate) fn doubt_dumps(files: &Files, snapshot: &mut Snapshot) {
    for (fact, names) in LISTS {
        if let Some(why) = doubt_of_list(files, snapshot, names) {
            snapshot.origins.set(fact, Origin::Assumed(AssumptionReason::Other(why.into())));
        }
    }
    let first = snapshot.reported(Diagnostic::NOT_ON_NODE).next().and_then(|found| found.record.clone());
    if let Some(job) = first {
        let why = format!("{} runs on vnodes that do not list it", short_id(&job));
        snapshot.origins.set(SnapshotFact::OneMoment, Origin::Assumed(AssumptionReason::Other(why.into())));
    }
}

/// Returns why the dump of a kind may lack records; `None` if nothing indicates it.
fn doubt_of_list(files: &Files, snapshot: &Snapshot, names: &[&str]) -> Option<String> {
    let used = snapshot.files.iter().find(|file| file.is_used() && names.contains(&&*file.name));
    let Some(used) = used else {
        // What a truncated archive lacks is unknown; a dump that is complete in it is not affected.
        let archive = snapshot.diagnostics_of(DamageKind::CutArchive).next()?;
        return Some(format!("{} ends too soon", archive.file));
    };
    let shown = files.display_name(&used.name);
    let damage = |is: fn(DamageKind) -> bool| {
        let mut of_it =
            snapshot.diagnostics.iter().filter(|found| found.file == used.name || *found.file == *shown);
        of_it.any(|found| DamageKind::of(found).is_some_and(is))
    };
    if damage(|damage| damage == DamageKind::Incomplete) {
        Some(format!("{shown} is incomplete"))
    } else if damage(DamageKind::is_cut) {
        Some(format!("{shown} ends too soon"))
    } else if damage(|damage| damage == DamageKind::LostRecord) {
        Some(format!("a record of {shown} is damaged"))
    } else {
        damage(DamageKind::is_no_dump).then(|| format!("nothing in {shown}"))
    }
}

fn is_read(files: &[FileRecord], names: &[&str]) -> bool {
    files.iter().any(|file| file.is_used() && names.contains(&&*file.name))
}

/// Returns the stems of dumps whose facts are in `policy.toml`.
fn sections_by_hand(files: &Files) -> Vec<String> {
    let bytes = files.get("policy.toml").and_then(|file| file.bytes.as_deref().ok());
    let table: Option<toml::Table> =
        bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(|text| text.parse().ok());
    let stem = |key: String| if key == "scheduler" { "sched".to_owned() } else { key };
    table.into_iter().flatten().map(|(key, _)| stem(key)).collect()
}

/// Marks resources as checked that comments name, or that jobs request in chunks and vnodes have.
fn infer_checked(snapshot: &mut Snapshot) {
    for name in ALWAYS {
        snapshot
            .origins
            .set_checked(&name.into(), Origin::Inferred("what the scheduler checks everywhere".into()));
    }
    let proved: Vec<(Name, Origin)> = snapshot.jobs.iter().filter_map(proved_by_comment).collect();
    let carried = carried(snapshot);
    let inferred: Vec<(Name, Origin)> = carried
        .into_iter()
        .map(|name| {
            (name, Origin::Assumed(AssumptionReason::Other("vnodes carry it and jobs request it".into())))
        })
        .filter(|(name, _)| proved.iter().all(|(have, _)| have != name))
        .chain(proved.iter().cloned())
        .collect();
    let known: Vec<(Name, Origin)> = inferred
        .into_iter()
        .filter(|(name, _)| snapshot.catalogue.id(name).is_some() && !ALWAYS.contains(&&**name))
        .collect();
    let Some(checked) = &mut snapshot.policy.resources else { return };
    for (name, origin) in known {
        if !checked.contains(&name) {
            checked.push(name.clone());
        }
        match origin {
            _ if snapshot.origins.of_checked(&name).is_some() => {}
            Origin::Inferred(_) => snapshot.origins.set_proved(&name, origin),
            _ => snapshot.origins.set_checked(&name, origin),
        }
    }
}

/// Returns the resource named in the scheduler's comment on a job, which is therefore checked.
fn proved_by_comment(job: &Job) -> Option<(Name, Origin)> {
    let comment = job.comment.as_deref()?.trim();
    let rest = comment.strip_prefix("Not Running: ").or_else(|| comment.strip_prefix("Can Never Run: "))?;
    let name = rest.strip_prefix(LACKS)?.split([' ', '(']).next().filter(|name| !name.is_empty())?;
    Some((name.into(), from_comment(job)))
}

fn from_comment(job: &Job) -> Origin {
    Origin::Inferred(format!("the comment of job {}", job.short_name()).into())
}

/// Returns the resources that some job requests in a chunk and some vnode has, each once, in the order of the jobs.
fn carried(snapshot: &Snapshot) -> Vec<Name> {
    let requests = snapshot.jobs.iter().flat_map(Job::chunk_requests);
    let asked = deduplicated(requests.map(|request| &request.resource));
    let is_carried = |name: &Name| {
        let id = snapshot.catalogue.id(name);
        id.is_some_and(|id| snapshot.is_on_nodes(id))
    };
    asked.into_iter().filter(|name| is_carried(name)).cloned().collect()
}

/// Infers strict ordering from the scheduler's comment on a job after another one.
fn infer_strict(snapshot: &mut Snapshot) {
    let strict = Finder::new(STRICT);
    let states = |job: &&Job| job.comment.as_deref().is_some_and(|c| strict.find(c.as_bytes()).is_some());
    let Some(origin) = snapshot.jobs.iter().find(states).map(from_comment) else { return };
    snapshot.policy.strict_ordering = ByPeriod::both(true);
    snapshot.origins.set(SnapshotFact::StrictOrdering, origin);
}

#[cfg(test)]
mod tests {
    use crate::{Files, LoadOptions, load};
    use qscope_engine::cluster::{Origin, Snapshot, SnapshotFact};

    fn read(comment: &str, more: &[(&str, &str)]) -> Snapshot {
        let mut files = Files::new("t");
        let node = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n     \
                    resources_available.ngpus = 4\n     resources_available.fpga = 1\n\n";
        let job = format!(
            "Job Id: 1.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = q\n    \
             Resource_List.select = 1:ncpus=1:ngpus=8\n    comment = {comment}\n\n"
        );
        files.insert("nodes.txt", node, None);
        files.insert("jobs.txt", job, None);
        for (name, text) in more {
            files.insert(name, *text, None);
        }
        load(&files, &LoadOptions::default()).unwrap()
    }

    fn checks(snapshot: &Snapshot, name: &str) -> bool {
        snapshot.policy.resources.as_ref().unwrap().iter().any(|have| **have == *name)
    }

    #[test]
    fn what_jobs_request_and_vnodes_carry_is_taken_as_checked() {
        let snapshot = read("none", &[]);
        assert!(checks(&snapshot, "ngpus") && !checks(&snapshot, "fpga"));
        assert!(matches!(snapshot.origins.of_checked("ngpus"), Some(Origin::Assumed(_))));
        assert!(matches!(snapshot.origins.of_checked("ncpus"), Some(Origin::Inferred(_))));
        assert_eq!(snapshot.origins.of(SnapshotFact::CheckedResources).words(), "assumed (no sched_config)");
    }

    #[test]
    fn a_comment_proves_what_it_names() {
        let snapshot = read("Not Running: Insufficient amount of resource: ngpus (R: 8 A: 4 T: 12)", &[]);
        assert_eq!(
            snapshot.origins.of_checked("ngpus"),
            Some(&Origin::Inferred("the comment of job 1".into()))
        );
        let snapshot = read("Not Running: Job would break strict sorted order", &[]);
        assert!(snapshot.policy.strict_ordering.prime);
        assert!(matches!(snapshot.origins.of(SnapshotFact::StrictOrdering), Origin::Inferred(_)));
    }

    #[test]
    fn what_was_read_was_seen() {
        let more = [
            ("sched_config", "resources: \"ncpus, mem\"\n"),
            ("server.txt", "Server: s\n    server_state = Active\n\n"),
            (
                "queues.txt",
                "Queue: q\n    queue_type = Execution\n    enabled = True\n    started = True\n\n",
            ),
            ("sched.txt", "Sched default\n    scheduling = True\n"),
        ];
        let snapshot = read("none", &more);
        assert!(snapshot.origins.are_all_seen(), "{:?}", snapshot.origins);
        assert!(!checks(&snapshot, "ngpus"), "sched_config counts as it is");
        let origins = read("none", &more[..3]).origins;
        assert_eq!(origins.of(SnapshotFact::Formula).words(), "assumed (no sched dump)");
        assert!(origins.of(SnapshotFact::JobOrder).is_seen());
    }
}

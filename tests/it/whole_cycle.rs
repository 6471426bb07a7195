//! The engine compared with a second, slow and simple scheduler (`tests/oracle/whole`) over whole random clusters
//! with combinations of rare features: soft limits, preemption of several kinds, hosts of several vnodes, calendars,
//! fair share.
//!
//! Both are written from the same rules. If they differ, one of them is wrong.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use qscope::cluster::Snapshot;
use qscope::cycle::{Outcome, Run, ServerAction, run_cycle};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::{Quirks, Semantics};

use super::agreement::cases_in;
use super::cases::{Case, read_files};
use qscope_oracle::{self as oracle, Path as OraclePath};

mod reduce;

/// The compared fields of a job: order, verdict, path, vnodes, comment, start of a top job.
type Row = BTreeMap<&'static str, String>;

#[test]
fn clusters_of_rare_features_agree_with_the_oracle() {
    assert_eq!(differing(0..500, oracle::generate::cluster), [] as [u64; 0]);
}

/// The same with jobs that pass through a queue, nodes named by a hook, a limit on considerations, conflicting
/// reservations, jobs about to end, suspended jobs that keep a part of their resources, nodes for single-node jobs,
/// jobs that go round the hosts (rules 4.1, 4.2.7, 4.3, 6.2, 6.3, 6.4.4, 6.10, 10.2).
#[test]
fn clusters_of_what_is_rarer_agree_with_the_oracle() {
    let differing = differing(0..150, oracle::generate::rarer_cluster);
    assert_eq!(differing, [] as [u64; 0]);
}

/// The same with prime and dedicated time, and queues for them (rules 6.7, 6.8, 11.4).
#[test]
fn clusters_with_times_of_day_agree_with_the_oracle() {
    let differing = differing(0..150, oracle::generate::timed_cluster);
    assert_eq!(differing, [] as [u64; 0]);
}

/// Nodes that a victim gave back while a limit still refused the job are examined once the limit no longer does: each
/// of these clusters has such a search.
#[test]
fn what_victims_gave_back_behind_a_limit_is_examined_again() {
    for seed in [20_982, 21_006] {
        assert_eq!(differences(seed), [] as [String; 0], "{seed}");
    }
}

/// The first host that a job reaches after its sets is not reported only if the sums by which it is checked count no
/// free node (rule M43).
#[test]
fn the_first_host_after_sets_is_read_by_its_sums() {
    for seed in [20_379, 20_998, 21_405, 21_607, 22_377] {
        assert_eq!(differences(seed), [] as [String; 0], "{seed}");
    }
}

/// Clusters on which one of the two, or both, once interpreted a rule wrongly: equal victims, lengths of preempted
/// jobs, the way back of one that started in the cycle, levels, sets that hold what may be unset, victims of other
/// projects (rule M22), sums computed anew (rule 5.2), sets made for a job under a sort by use (rule 4.3), overdue
/// ends (rule M9), jobs that start in a reservation after its end (rule 6.9), victims that could not go back at once
/// (rule M26), subjobs that started in the cycle (rule M48).
#[test]
fn clusters_that_once_differed_stay_mended() {
    let sums = [197, 226, 940, 1_211, 1_699];
    let victims = [56, 117, 156, 172, 290, 375, 30_307, 30_556, 31_188];
    let sets_of_jobs = [1_350, 3_637, 5_493, 7_583, 7_685, 9_092];
    let overdue = [3_207, 4_073, 6_304, 7_487];
    let subjobs = [736, 3_244, 9_037];
    let on_hosts_of_queues = [10_133, 12_128, 12_398, 13_439];
    let others = [611, 3_590, 6_742, 20_386, 20_703, 30_428, 30_919, 30_949, 31_072];
    let of_victims = victims.into_iter().chain(subjobs).chain(on_hosts_of_queues);
    for seed in of_victims.chain(sums).chain(sets_of_jobs).chain(overdue).chain(others) {
        assert_eq!(differences(seed), [] as [String; 0], "{seed}");
    }
}

/// A shrink-to-fit job in a reservation ends with it at the latest also where its shortest length is tried (rules 6.9,
/// 6.13): prime time after the reservation does not stop it.
#[test]
fn a_shortest_length_ends_with_the_reservation() {
    for seed in [40_113, 40_127, 41_536] {
        assert_eq!(differences_on(oracle::generate::timed_cluster(seed)), [] as [String; 0], "{seed}");
    }
}

/// Prints the differences: `QSCOPE_SEEDS=0..10000 cargo test --test it prints_the_differences -- --ignored
/// --nocapture`; `QSCOPE_KIND=rarer` uses clusters with rarer features, `timed` those with prime and dedicated time.
#[test]
#[ignore = "by hand, over as many clusters as wanted: QSCOPE_SEEDS names them"]
fn prints_the_differences_to_the_oracle() {
    let (make, seeds) = (kind(), seeds());
    let mut agreeing = 0;
    for seed in seeds.clone() {
        let found = differences_on(make(seed));
        agreeing += usize::from(found.is_empty());
        found.iter().take(4).for_each(|line| report(&format!("{seed}: {line}")));
    }
    report(&format!("{agreeing} of {} agree", seeds.end - seeds.start));
}

/// Returns the seeds that `QSCOPE_SEEDS=FROM..TO` names, by default five hundred.
fn seeds() -> std::ops::Range<u64> {
    let seeds = std::env::var("QSCOPE_SEEDS").unwrap_or_default();
    let (from, to) = seeds.split_once("..").unwrap_or(("0", "500"));
    from.parse().unwrap()..to.parse().unwrap()
}

/// Returns the generator of the clusters that `QSCOPE_KIND` names.
fn kind() -> fn(u64) -> Snapshot {
    match std::env::var("QSCOPE_KIND").as_deref() {
        Ok("rarer") => oracle::generate::rarer_cluster,
        Ok("timed") => oracle::generate::timed_cluster,
        _ => oracle::generate::cluster,
    }
}

/// Does the same over clusters that have no answers: `QSCOPE_CLUSTERS` names a folder with a folder of dumps for
/// each.
#[test]
#[ignore = "by hand, on a folder of clusters: QSCOPE_CLUSTERS names it"]
fn prints_the_differences_on_a_folder() {
    let Some(folder) = std::env::var_os("QSCOPE_CLUSTERS") else { return };
    let mut clusters: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    clusters.sort();
    let mut agreeing = 0;
    for path in &clusters {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut files = Files::new(&name);
        for (file, bytes) in read_files(path) {
            files.insert(&file, bytes, None);
        }
        let snap = load(&files, &LoadOptions::default()).unwrap();
        let found = differences_on(snap);
        agreeing += usize::from(found.is_empty());
        found.iter().take(4).for_each(|line| report(&format!("{name}: {line}")));
    }
    report(&format!("{agreeing} of {} agree", clusters.len()));
}

fn report(line: &str) {
    std::io::stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Returns the seeds whose clusters differ in any field.
fn differing(seeds: std::ops::Range<u64>, make: fn(u64) -> Snapshot) -> Vec<u64> {
    seeds.filter(|seed| !differences_on(make(*seed)).is_empty()).collect()
}

/// Returns the fields that differ, one line each.
fn differences(seed: u64) -> Vec<String> {
    differences_on(oracle::generate::cluster(seed))
}

fn differences_on(snap: Snapshot) -> Vec<String> {
    let answer = oracle::run(&snap, false, &BTreeMap::new());
    let run = run_cycle(Arc::new(snap), Quirks::of(Semantics::Observed));
    let engine = rows(&run);
    let mut found = Vec::new();
    for outcome in &answer.jobs {
        let expected = expected(outcome);
        for (field, got) in engine.get(&*outcome.name).into_iter().flatten() {
            let Some(expected) = expected.get(field).filter(|expected| *expected != got) else { continue };
            found.push(format!("{} {field}: engine {got}, oracle {expected}", outcome.name));
        }
    }
    if !found.is_empty() {
        // If the victims differ, everything else follows from that.
        let (ours, others) =
            (preempted(&run), answer.actions.iter().filter(|line| line.starts_with("preempt")));
        let others: Vec<&String> = others.collect();
        if !ours.iter().eq(others.iter().copied()) {
            found.insert(0, format!("preempted: engine {ours:?}, oracle {others:?}"));
        }
    }
    found
}

/// Prints the oracle's answer for each job, and the engine's if that differs.
fn report_whole(snap: &Snapshot) {
    let answer = oracle::run(snap, false, &BTreeMap::new());
    let run = run_cycle(Arc::new(snap.clone()), Quirks::of(Semantics::Observed));
    let engine = rows(&run);
    let mut jobs: Vec<_> = answer.jobs.iter().filter(|job| job.order.is_some()).collect();
    jobs.sort_by_key(|job| job.order);
    for job in jobs {
        let expected = expected(job);
        report(&format!("  {} {expected:?} {:?}", job.name, job.estimate));
        if let Some(got) = engine.get(&*job.name)
            && got.iter().any(|(field, got)| expected.get(field).is_some_and(|expected| expected != got))
        {
            report(&format!("    engine: {got:?}"));
        }
    }
    report(&format!("  {:?}", answer.actions));
}

/// Returns the jobs that were preempted, in the order sent to the server.
fn preempted(run: &Run) -> Vec<String> {
    let words = |action: &ServerAction| match action {
        ServerAction::Preempt(job, method) => {
            Some(format!("preempt {} {}", run.plan.snap.jobs[*job].name, method.letter()))
        }
        _ => None,
    };
    run.actions.iter().filter_map(words).collect()
}

/// Prints how often the oracle and the engine give the answers of the real scheduler: `QSCOPE_VECTORS` names a folder
/// of families as for `measures_a_folder`. If only one of them is right, that is a lead; for cases to work with, the
/// first difference of the oracle is printed.
#[test]
#[ignore = "by hand, on a folder of cases: QSCOPE_VECTORS names it"]
fn measures_the_oracle_on_a_folder() {
    let Some(folder) = std::env::var_os("QSCOPE_VECTORS") else { return };
    let mut counts: BTreeMap<(String, &str, bool, bool), usize> = BTreeMap::new();
    for (family, case, half) in cases_in(Path::new(&folder)) {
        let snap = case.snapshot();
        let answer = oracle::run(&snap, false, &BTreeMap::new());
        let by_oracle = answer.jobs.iter().map(|job| (job.name.to_string(), expected(job))).collect();
        let by_engine = rows(&run_cycle(snap, Quirks::of(Semantics::Observed)));
        let (oracle, engine) = (first_wrong(case, &by_oracle), first_wrong(case, &by_engine));
        if let Some(difference) = oracle.as_ref().filter(|_| half == "work") {
            report(&format!("{}: {difference}", case.name));
        }
        *counts.entry((family, half, engine.is_none(), oracle.is_none())).or_default() += 1;
    }
    for ((family, half, engine, oracle), count) in counts {
        let word = |right: bool| if right { "right" } else { "wrong" };
        report(&format!("{family} {half}: engine {}, oracle {}: {count}", word(engine), word(oracle)));
    }
}

/// Returns the first field that differs from the real scheduler's answer.
fn first_wrong(case: &Case, rows: &BTreeMap<String, Row>) -> Option<String> {
    case.expected["jobs"].as_array().unwrap().iter().find_map(|job| {
        let (id, row) = (job["id"].as_str()?, rows.get(job["id"].as_str()?)?);
        let differs = |(field, value): &(&str, String)| row.get(field).is_some_and(|have| have != value);
        let (field, value) = real(job).into_iter().find(differs)?;
        Some(format!("{id} {field}: real {value}, oracle {}", row[field]))
    })
}

/// Returns the answer of the real scheduler for a job, in the fields compared here.
fn real(job: &serde_json::Value) -> Row {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::Null => "-".to_owned(),
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut row: Row = ["order", "verdict", "path", "exec_vnode"]
        .into_iter()
        .map(|field| (field, text(&job[field])))
        .collect();
    if job["verdict"] != "run" {
        let comment = text(&job["comment"]);
        row.insert("comment", if comment.is_empty() { "-".to_owned() } else { comment });
    }
    row.insert("estimate", text(&job["estimated"]["start"]));
    row
}

/// Returns one row per job: a job that started, was preempted and was considered again is listed as it started, with
/// the path that it entered last and its planned start.
fn rows(run: &Run) -> BTreeMap<String, Row> {
    let snap = &run.plan.snap;
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for outcome in run.outcomes() {
        let later = row(run, snap, outcome);
        match rows.entry(snap.jobs[outcome.job].name.to_string()) {
            Entry::Vacant(place) => drop(place.insert(later)),
            Entry::Occupied(mut first) => {
                let known = later
                    .into_iter()
                    .filter(|(field, value)| *field == "estimate" || (*field == "path" && value != "-"));
                first.get_mut().extend(known);
            }
        }
    }
    rows
}

/// Returns the engine's answer for a job; for an array only its order, since its subjobs represent it.
fn row(run: &Run, snap: &Snapshot, outcome: &Outcome) -> Row {
    let mut row = Row::from([("order", or_dash(outcome.order))]);
    if snap.jobs[outcome.job].is_array() {
        return row;
    }
    let placed = outcome.placed.as_ref();
    row.insert("verdict", outcome.verdict.word().to_owned());
    row.insert("path", or_dash(outcome.path.map(qscope::placement::PlacementPath::word)));
    row.insert("exec_vnode", or_dash(placed.map(|placed| placed.allocation.exec_vnode(&run.plan))));
    if placed.is_none() {
        let comment = outcome.rejection.as_ref().map(|rejection| rejection.comment(&snap.catalogue));
        row.insert("comment", or_dash(comment));
    }
    row.insert("estimate", or_dash(outcome.estimate.as_ref().map(|top| top.start.0)));
    row
}

fn expected(outcome: &oracle::Outcome) -> Row {
    let path = outcome.path.map(|path| if path == OraclePath::Bucket { "bucket" } else { "node" });
    Row::from([
        ("order", or_dash(outcome.order)),
        ("verdict", outcome.verdict.word().to_owned()),
        ("path", or_dash(path)),
        ("exec_vnode", or_dash(outcome.exec_vnode.as_deref())),
        ("comment", or_dash(outcome.comment.as_deref())),
        ("estimate", or_dash(outcome.estimate.as_ref().map(|(start, _)| start))),
    ])
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

//! Facts that were not seen: what a verdict rests on, and that no verdict changes without being marked as likely.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qscope::cluster::SnapshotFact;
use qscope::cycle::{Run, Verdict, run_cycle};
use qscope::explain::{Assumption, Assumptions, Tier, causes, in_one_line, is_likely, rests_on};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

const SCHED_CONFIG: (&str, &str) = (
    "sched_config",
    "resources: \"ncpus, mem, ngpus\"\nprimetime_prefix: p_\nnonprimetime_prefix: np_\ndedicated_prefix: ded\n",
);
const SERVER: (&str, &str) = ("server.txt", "Server: s\n    server_state = Active\n\n");
const QUEUES: (&str, &str) =
    ("queues.txt", "Queue: q\n    queue_type = Execution\n    enabled = True\n    started = True\n\n");
const SCHED: (&str, &str) = ("sched.txt", "Sched default\n    scheduling = True\n");

/// Returns three vnodes of 8 cpus and 4 GPUs, and a job for each select, of which the last has the comment.
fn cycle(selects: &[&str], comment: &str, files: &[(&str, &str)]) -> Arc<Run> {
    let node = |at: usize| {
        format!(
            "n{at}\n     Mom = n{at}\n     state = free\n     license = l\n     resources_available.ncpus = 8\n     \
             resources_available.ngpus = 4\n\n"
        )
    };
    let job = |(at, select): (usize, &&str)| {
        format!(
            "Job Id: {at}.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = q\n    \
             Resource_List.place = free\n    Resource_List.select = {select}\n    comment = {comment}\n\n"
        )
    };
    let mut all = Files::new("t");
    all.insert("nodes.txt", (1..4).map(node).collect::<String>(), None);
    all.insert("jobs.txt", selects.iter().enumerate().map(job).collect::<String>(), None);
    all.insert("now", "1763700000\n", None);
    for (name, text) in files {
        all.insert(name, *text, None);
    }
    Arc::new(run_cycle(Arc::new(load(&all, &LoadOptions::default()).unwrap()), Quirks::default()))
}

fn judged(run: &Arc<Run>, job: &str) -> (Verdict, Vec<Assumption>) {
    let id = run.plan.snap.job_named(job).unwrap();
    (run.outcome(id).unwrap().verdict, rests_on(run, id))
}

/// The capacity of vnodes that were not read is unknown, so not even that a job can never run is certain.
#[test]
fn a_verdict_over_a_part_of_the_vnodes_is_likely() {
    let one = "n1\n     Mom = n1\n     state = free\n     license = l\n     resources_available.ncpus = 8\n";
    for (end, is_cut) in [("\n", false), ("\nn2\n     Mom = n2\n     resources_ava", true)] {
        let nodes = format!("{one}{end}");
        let files = [("nodes.txt", &*nodes), SCHED_CONFIG, SERVER, QUEUES, SCHED];
        let run = cycle(&["1:ncpus=9", "1:ncpus=1"], "-", &files);
        for (job, verdict) in [("0", Verdict::Never), ("1", Verdict::Run)] {
            let (found, rests) = judged(&run, job);
            assert_eq!((found, is_likely(&rests)), (verdict, is_cut), "{job} {rests:?}");
            assert_eq!(rests.iter().any(|one| one.fact == SnapshotFact::AllNodes), is_cut);
        }
    }
}

/// A vnode that does not list a job which runs there by the job dump may not be free: a start on it is only likely.
#[test]
fn a_start_on_a_node_that_another_job_is_on_is_likely() {
    let job = |id: &str, state: &str, more: &str| {
        format!(
            "Job Id: {id}.s\n    Job_Owner = ann@s\n    job_state = {state}\n    queue = q\n    \
             Resource_List.place = free\n    Resource_List.select = 1:ncpus=8\n{more}\n"
        )
    };
    let runs = "    exec_vnode = (n2:ncpus=8)\n    stime = Fri Nov 21 04:00:00 2025\n";
    // More than readers report one by one.
    let others: String = (10..70).map(|id| job(&id.to_string(), "R", runs)).collect();
    let jobs = ["0", "1", "2"].map(|id| job(id, "Q", "")).concat() + &job("9", "R", runs) + &others;
    let run = cycle(&[], "-", &[("jobs.txt", &jobs), SCHED_CONFIG, SERVER, QUEUES, SCHED]);
    let likely = ["0", "1", "2"].map(|id| is_likely(&judged(&run, id).1));
    assert_eq!(likely, [false, true, false]);
    let alerts = qscope::explain::alerts(&run);
    let found = alerts.iter().find(|alert| alert.kind == qscope::explain::AlertKind::NotOnNodes).unwrap();
    assert_eq!((found.items.len(), &*found.items[0].objects), (61, &["n2".to_owned()][..]));
    assert!(
        found.items[0].sentence.starts_with("9 runs on n2 by the job dump"),
        "{}",
        found.items[0].sentence
    );
}

#[test]
fn a_full_folder_rests_on_nothing() {
    let run = cycle(&["1:ncpus=1", "1:ngpus=8"], "-", &[SCHED_CONFIG, SERVER, QUEUES, SCHED]);
    for job in ["0", "1"] {
        assert_eq!(judged(&run, job).1, []);
    }
}

#[test]
fn more_cpus_than_any_vnode_has_is_never_whatever_the_options_say() {
    let run = cycle(&["1:ncpus=64"], "-", &[SERVER, QUEUES, SCHED]);
    assert_eq!(judged(&run, "0"), (Verdict::Never, vec![]));
}

#[test]
fn a_start_is_likely_where_limits_were_not_seen() {
    let run = cycle(&["1:ncpus=1"], "-", &[SCHED_CONFIG, QUEUES, SCHED]);
    let (verdict, found) = judged(&run, "0");
    assert_eq!(verdict, Verdict::Run);
    let line = in_one_line(&found).unwrap();
    assert!(line.starts_with("likely; rests on: server limits"), "{line}");
    assert!(line.contains("assumed (no server dump)"), "{line}");
}

#[test]
fn a_resource_that_a_comment_names_is_proved() {
    let comment = "Not Running: Insufficient amount of resource: ngpus (R: 8 A: 4 T: 12)";
    let run = cycle(&["1:ngpus=8:ncpus=1"], comment, &[SERVER, QUEUES, SCHED]);
    let (verdict, found) = judged(&run, "0");
    // The scheduler's own words are Not Running here, since a host of several vnodes could hold it.
    assert_eq!(verdict, Verdict::NotNow);
    assert_eq!(
        in_one_line(&found).unwrap(),
        "rests on: checked resources (ngpus) inferred from the comment of job 0"
    );
    let run = cycle(&["1:ngpus=8:ncpus=1"], "-", &[SERVER, QUEUES, SCHED]);
    let (verdict, found) = judged(&run, "0");
    // The scheduler's own words are Not Running here, since a host of several vnodes could hold it.
    assert_eq!(verdict, Verdict::NotNow);
    assert_eq!(
        in_one_line(&found).unwrap(),
        "likely; rests on: checked resources (ngpus) assumed (no sched_config)"
    );
}

#[test]
fn what_was_taken_by_a_job_ahead_depends_on_the_order() {
    let run = cycle(&["3:ncpus=8", "1:ncpus=8"], "-", &[SERVER, QUEUES, SCHED]);
    let (verdict, found) = judged(&run, "1");
    assert_eq!(verdict, Verdict::NotNow);
    assert!(found.iter().any(|one| one.fact == SnapshotFact::JobOrder && one.could_turn), "{found:?}");
}

/// Verdicts by job id, each with what it rests on.
type Verdicts = BTreeMap<String, (Verdict, Vec<Assumption>)>;

/// Returns the verdict on every job by id, and what it rests on, from these files without those whose names begin
/// with `gone`.
fn verdicts(files: &BTreeMap<String, Vec<u8>>, gone: &[&str]) -> (Arc<Run>, Verdicts) {
    let mut left = Files::new("t");
    for (name, bytes) in files.iter().filter(|(name, _)| !gone.iter().any(|start| name.starts_with(start))) {
        left.insert(name, bytes.clone(), None);
    }
    let run = Arc::new(run_cycle(Arc::new(load(&left, &LoadOptions::default()).unwrap()), Quirks::default()));
    let mut judge = Assumptions::new(&run);
    let one = |outcome: &qscope::cycle::Outcome| {
        (outcome.name(&run.plan.snap), (outcome.verdict, judge.of_outcome(outcome)))
    };
    let found = run.outcomes().map(one).collect();
    (run, found)
}

/// Returns whether nothing lets a job run, as `why` determines.
fn is_never(run: &Arc<Run>, job: &str) -> bool {
    let id = run.plan.snap.job_named(job);
    id.is_some_and(|id| causes(run, id).iter().any(|cause| cause.tier == Tier::Never))
}

/// The files that are removed, one after another.
const TAKEN: [&str; 4] = ["sched_config", "sched.", "server.", "queues."];

/// Verdicts of a folder with files removed, compared with those of the whole folder.
#[derive(Default, Debug, Clone, PartialEq, Eq)]
struct Score {
    equal_unmarked: usize,
    equal_marked: usize,
    different_marked: usize,
    different_unmarked: usize,
    /// For the equal verdicts that are marked, the facts by which they could change.
    facts: BTreeMap<String, usize>,
}

impl std::ops::AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.equal_unmarked += other.equal_unmarked;
        self.equal_marked += other.equal_marked;
        self.different_marked += other.different_marked;
        self.different_unmarked += other.different_unmarked;
        for (fact, times) in other.facts {
            *self.facts.entry(fact).or_default() += times;
        }
    }
}

impl Score {
    const HEAD: &str =
        "equal and unmarked / equal and marked / different and marked / different and unmarked";

    fn count(&mut self, is_equal: bool, verdict: Verdict, found: &[Assumption]) {
        let number = match (is_equal, is_likely(found)) {
            (true, false) => &mut self.equal_unmarked,
            (true, true) => &mut self.equal_marked,
            (false, true) => &mut self.different_marked,
            (false, false) => &mut self.different_unmarked,
        };
        *number += 1;
        for one in found.iter().filter(|one| is_equal && one.could_turn) {
            *self.facts.entry(format!("{verdict:?} {}", one.fact.word())).or_default() += 1;
        }
    }

    fn line(&self) -> String {
        let Self { equal_unmarked, equal_marked, different_marked, different_unmarked, .. } = self;
        format!("{equal_unmarked:>6} / {equal_marked:>6} / {different_marked:>6} / {different_unmarked:>6}")
    }
}

/// Compares the verdicts without some files with those of all files; every wrong one is recorded.
fn score(
    case: &str,
    files: &BTreeMap<String, Vec<u8>>,
    (full_run, full): &(Arc<Run>, Verdicts),
    gone: &[&str],
    wrong: &mut String,
) -> Score {
    let mut score = Score::default();
    for (job, (verdict, found)) in verdicts(files, gone).1 {
        // A subjob that starts on one side only: on the other one it waits with its array.
        let mut there = full.get(&job).map_or(Verdict::NotNow, |(verdict, _)| *verdict);
        // "Never" is true whatever the cycle meets first.
        if verdict == Verdict::Never && is_never(full_run, &job) {
            there = Verdict::Never;
        }
        score.count(there == verdict, verdict, &found);
        if there != verdict && !is_likely(&found) {
            let line = in_one_line(&found).unwrap_or_default();
            writeln!(wrong, "{case} without {gone:?}: {job} {verdict:?}, full {there:?} {line}").unwrap();
        }
    }
    score
}

#[allow(clippy::disallowed_macros, reason = "shown with the test's own output")]
fn measure(cases: &[(String, BTreeMap<String, Vec<u8>>)]) -> String {
    let together = (1..=TAKEN.len()).map(|taken| (TAKEN[..taken].join(", "), TAKEN[..taken].to_vec()));
    let alone = TAKEN[1..].iter().map(|alone| (format!("{alone} alone"), vec![*alone]));
    let mut sums: Vec<(String, Vec<&str>, Score)> =
        together.chain(alone).map(|(name, gone)| (name, gone, Score::default())).collect();
    let mut wrong = String::new();
    for (name, files) in cases {
        let full = verdicts(files, &[]);
        for (_, gone, sum) in &mut sums {
            *sum += score(name, files, &full, gone, &mut wrong);
        }
    }
    println!("verdicts without some files: {}", Score::HEAD);
    for (name, _, sum) in &sums {
        println!("  without {name:<40} {}", sum.line());
        if std::env::var_os("QSCOPE_FACTS").is_some() {
            println!("    marked by {:?}", sum.facts);
        }
    }
    wrong
}

/// Returns the live cases, with what clients printed before the cycle.
fn live() -> Vec<(String, BTreeMap<String, Vec<u8>>)> {
    let before = |case: &super::real::RealCase| {
        let files = case
            .files
            .iter()
            .filter_map(|(name, bytes)| Some((name.strip_prefix("before/")?.to_owned(), bytes.clone())));
        (case.name.clone(), files.collect())
    };
    super::real::all().iter().map(before).collect()
}

#[test]
fn no_verdict_turns_without_the_mark_on_live_clusters() {
    let wrong = measure(&live());
    assert!(wrong.is_empty(), "stated, and other than with all files:\n{wrong}");
}

#[test]
#[ignore = "takes a folder of cases: QSCOPE_VECTORS=FOLDER"]
fn no_verdict_turns_without_the_mark_in_a_folder_of_cases() {
    let Some(root) = std::env::var_os("QSCOPE_VECTORS").map(PathBuf::from) else {
        panic!("no QSCOPE_VECTORS")
    };
    let mut cases = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let inner = path.join("before");
        let folder: &Path = if inner.is_dir() { &inner } else { &path };
        if folder.join("sched_config").is_file() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            cases.push((name, super::cases::read_files(folder)));
        }
    }
    assert!(!cases.is_empty());
    let wrong = measure(&cases);
    assert!(wrong.is_empty(), "stated, and other than with all files:\n{wrong}");
}

/// A verdict has the same mark in every place: that a job can never run does not rest on a setting that only
/// determines which jobs start now.
#[test]
fn the_mark_of_a_job_that_can_never_run_is_one() {
    // More than all vnodes hold, behind a job that could preempt: not now for the scheduler, never in truth.
    let run = cycle(&["1:ncpus=1", "4:ncpus=8", "1:ncpus=9"], "-", &[SCHED_CONFIG, SERVER, QUEUES]);
    for job in ["1", "2"] {
        let id = run.plan.snap.job_named(job).unwrap();
        assert!(run.impossible_jobs().contains(id));
        let outcome = run.outcome(id).unwrap();
        let of_outcome = Assumptions::new(&run).of_outcome(outcome);
        assert_eq!((&of_outcome, &qscope::explain::why(&run, id).rests_on), (&vec![], &vec![]), "{job}");
    }
}

/// A job whose record has no `Resource_List` is placed by an assumed request, and its verdict rests on that.
#[test]
fn a_request_that_is_not_in_the_dump_is_assumed_and_stated() {
    let jobs = "Job Id: 0.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = q\n\n\
                Job Id: 1.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = q\n    \
                Resource_List.place = free\n    Resource_List.select = 1:ncpus=1\n\n";
    let with_defaults =
        ("server.txt", "Server: s\n    server_state = Active\n    default_chunk.ncpus = 1\n\n");
    for (server, verdict) in [(with_defaults, Verdict::Run), (SERVER, Verdict::NotConsidered)] {
        let run = cycle(&[], "-", &[("jobs.txt", jobs), SCHED_CONFIG, server, QUEUES, SCHED]);
        let (found, assumed) = judged(&run, "0");
        assert_eq!(found, verdict);
        let text = "job request assumed (no Resource_List of 0)";
        assert_eq!(assumed.iter().map(Assumption::text).collect::<Vec<_>>(), [text]);
        assert!(is_likely(&assumed) && assumed[0].fact == SnapshotFact::JobRequest);
        assert_eq!(judged(&run, "1").1, [], "the other has one");
        let told: Vec<_> = run.plan.snap.reported("no-resource-list").map(ToString::to_string).collect();
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("0.s") && told[0].contains("place=pack and no walltime"), "{told:?}");
    }
}

//! What was not seen, in the answer: what a verdict rests on, and that none turns without the mark.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qscope::cluster::Fact;
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

/// Three vnodes of 8 cpus and 4 GPUs, and a job for each select, with the last one's comment.
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
    assert!(found.iter().any(|one| one.fact == Fact::JobOrder && one.could_turn), "{found:?}");
}

/// Verdicts by the id of the job, with what they rest on.
type Verdicts = BTreeMap<String, (Verdict, Vec<Assumption>)>;

/// The verdict on every job by id, and what it rests on, of these files without those whose names begin so.
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

/// Whether nothing lets a job run, as `why` finds out.
fn is_never(run: &Arc<Run>, job: &str) -> bool {
    let id = run.plan.snap.job_named(job);
    id.is_some_and(|id| causes(run, id).iter().any(|cause| cause.tier == Tier::Never))
}

/// What is taken away, one after another.
const TAKEN: [&str; 4] = ["sched_config", "sched.", "server.", "queues."];

/// Verdicts equal, marked as likely and in fact other ones, and other ones that were stated.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
struct Score {
    equal: usize,
    equal_but_likely: usize,
    marked: usize,
    wrong: usize,
}

impl std::ops::AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.equal += other.equal;
        self.equal_but_likely += other.equal_but_likely;
        self.marked += other.marked;
        self.wrong += other.wrong;
    }
}

/// Compares the verdicts without some files with those of all files; every wrong one is written down.
fn score(case: &str, files: &BTreeMap<String, Vec<u8>>, gone: &[&str], wrong: &mut String) -> Score {
    let (full_run, full) = verdicts(files, &[]);
    let mut score = Score::default();
    for (job, (verdict, found)) in verdicts(files, gone).1 {
        // A subjob that starts on one side only: on the other one it waits with its array.
        let mut there = full.get(&job).map_or(Verdict::NotNow, |(verdict, _)| *verdict);
        // "Never" is true whatever the cycle meets first.
        if verdict == Verdict::Never && is_never(&full_run, &job) {
            there = Verdict::Never;
        }
        match (there == verdict, is_likely(&found)) {
            (true, false) => score.equal += 1,
            (true, true) => score.equal_but_likely += 1,
            (false, true) => score.marked += 1,
            (false, false) => {
                score.wrong += 1;
                let line = in_one_line(&found).unwrap_or_default();
                writeln!(wrong, "{case} without {gone:?}: {job} {verdict:?}, full {there:?} {line}").unwrap();
            }
        }
    }
    score
}

#[allow(clippy::disallowed_macros, reason = "shown with the test's own output")]
fn measure(cases: &[(String, BTreeMap<String, Vec<u8>>)]) -> String {
    let mut wrong = String::new();
    for taken in 1..=TAKEN.len() {
        let mut sum = Score::default();
        for (name, files) in cases {
            sum += score(name, files, &TAKEN[..taken], &mut wrong);
        }
        println!("rests-on without {:<45} {sum:?}", TAKEN[..taken].join(", "));
    }
    for alone in &TAKEN[1..] {
        let mut sum = Score::default();
        for (name, files) in cases {
            sum += score(name, files, &[alone], &mut wrong);
        }
        println!("rests-on without {:<45} {sum:?}", format!("{alone} alone"));
    }
    wrong
}

/// The live cases, by what clients printed before the cycle.
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

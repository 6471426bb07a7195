//! A job that starts in a cycle, is preempted in the same cycle and is considered again: an answer is about its last
//! turn.

use std::process::Command;
use std::sync::Arc;

use qscope::console::action::Action;
use qscope::cycle::{Run, Verdict, run_cycle};
use qscope::explain::{ForecastSource, JobTurn, causes, forecast, funnels, standing_starts, why};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use serde_json::Value;

use crate::console_cycle::Stage;
use crate::ran::folder_of;

const NODES: &str = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";

/// Returns jobs of which ann's second one exceeds the soft limit of the queue, so that both of hers may be preempted
/// for bob's.
fn queue(of_bob: &str) -> String {
    let job = |id: u8, user: &str, queue: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"{user}\"\nqueue = \"{queue}\"\nselect = \"1:ncpus=4\"\n\
             walltime = \"01:00:00\"\n"
        )
    };
    let queues = "[[queue]]\nname = \"first\"\npriority = 100\nmax_run_soft = \"[u:PBS_GENERIC=1]\"\n\
                  [[queue]]\nname = \"second\"\npriority = 10\n";
    let jobs = [job(1, "ann", "first"), job(2, "ann", "first"), job(3, "bob", of_bob)].concat();
    format!("now = 1763700000\n{queues}{jobs}")
}

fn policy(by_queue: bool) -> String {
    format!(
        "[sched_config]\npreemptive_sched = true\nby_queue = {by_queue}\n[scheduler]\npreempt_order = \"R\"\n\
         preempt_prio = \"express_queue, normal_jobs, queue_softlimits\"\n"
    )
}

/// Returns files in which the first job starts, is requeued for the third, and is considered again.
pub(crate) fn comes_again() -> [(&'static str, String); 3] {
    [("nodes.toml", NODES.to_owned()), ("queue.toml", queue("first")), ("policy.toml", policy(false))]
}

/// Returns the same with a queue that was already served by then: the job is not considered again.
fn goes_for_good() -> [(&'static str, String); 3] {
    [("nodes.toml", NODES.to_owned()), ("queue.toml", queue("second")), ("policy.toml", policy(true))]
}

fn run(files: [(&str, String); 3]) -> Arc<Run> {
    let mut all = Files::new("small");
    for (name, text) in files {
        all.insert(name, text, None);
    }
    Arc::new(run_cycle(Arc::new(load(&all, &LoadOptions::default()).unwrap()), Quirks::default()))
}

/// Returns a cycle in which job 1 starts, is requeued for job 3 and does not come up again.
pub(crate) fn undone_for_good() -> Arc<Run> {
    run(goes_for_good())
}

/// Returns the steps of the cycle, from 1, with the position in the order and whether the job starts.
fn steps(run: &Run) -> Vec<(&str, Option<u32>, bool)> {
    let step = |step: &qscope::cycle::Step| {
        let outcome = &step.outcome;
        (outcome.job, outcome.order, outcome.placed.is_some())
    };
    run.steps
        .iter()
        .map(step)
        .map(|(job, order, starts)| (run.plan.job(job).short_name(), order, starts))
        .collect()
}

#[test]
fn an_answer_is_about_the_last_turn_and_names_the_one_before() {
    let run = run(comes_again());
    assert_eq!(
        steps(&run),
        [("1", Some(1), true), ("2", Some(2), true), ("3", Some(3), true), ("1", Some(1), false)]
    );
    let job = run.plan.snap.job_named("1").unwrap();
    let answer = why(&run, job);
    let outcome = answer.outcome.as_ref().unwrap();
    assert_eq!((outcome.verdict, outcome.placed.is_some()), (Verdict::NotNow, false));
    // One turn throughout: no stage of the start, and no nodes of it.
    assert!(
        answer.decision.iter().all(|line| !format!("{line:?}").contains("placed on")),
        "{:?}",
        answer.decision
    );
    assert_eq!(
        answer.banners,
        [
            "it started in this cycle, at step 1, on n1, and was requeued at step 3 to make room for 3; the answer \
          is about its last turn, step 4, turn 2 of 2"
        ]
    );
    let first = &causes(&run, job)[0];
    assert_eq!(
        first.sentence,
        "2 jobs ahead of it (2, 3) took its nodes in this cycle: there was room for 1 when the cycle began"
    );
    let lost = funnels(&mut JobTurn::new(&run, job).unwrap());
    let on: Vec<&str> = lost[0]
        .steps
        .iter()
        .flat_map(|step| &step.groups)
        .flat_map(|lost| &lost.jobs)
        .map(String::as_str)
        .collect();
    assert!(!on.is_empty() && !on.contains(&"1"), "it is not on its nodes any more: {on:?}");
    let standing = |steps| {
        standing_starts(&run, steps)
            .map(|step| run.plan.job(step.outcome.job).short_name())
            .collect::<Vec<_>>()
    };
    assert_eq!((standing(2), standing(4)), (vec!["1", "2"], vec!["2", "3"]));
}

#[test]
fn a_job_that_does_not_come_up_again_does_not_keep_its_start() {
    let run = run(goes_for_good());
    assert_eq!(steps(&run), [("1", Some(1), true), ("2", Some(2), true), ("3", Some(3), true)]);
    let job = run.plan.snap.job_named("1").unwrap();
    let answer = why(&run, job);
    assert_eq!(
        answer.headline,
        "1 starts in this cycle on 1 node (node path), and is then requeued to make room for 3"
    );
    assert!(answer.banners[0].ends_with("it does not come up again in this cycle"), "{:?}", answer.banners);
    let starts = forecast(&run, job, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    assert_eq!((starts.source, starts.start.map(|at| at.0)), (ForecastSource::Forecast, Some(1_763_703_600)));
}

#[test]
fn programs_get_one_turn_under_the_same_keys() {
    let folder = folder_of(&comes_again());
    let answer = |job: &str| -> Value {
        let out = Command::new(env!("CARGO_BIN_EXE_qscope"))
            .args(["why", job, "--json"])
            .arg(folder.path())
            .output()
            .unwrap();
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let (again, once) = (answer("1"), answer("2"));
    assert_eq!(
        (&again["verdict"], &again["tier"], &again["path"]),
        (&"not_now".into(), &"order".into(), &Value::Null)
    );
    assert!(
        again["banners"][0].as_str().unwrap().contains("requeued at step 3 to make room for 3"),
        "{again}"
    );
    let stages: Vec<&str> =
        again["stages"].as_array().unwrap().iter().filter_map(|stage| stage["stage"].as_str()).collect();
    assert!(!stages.contains(&"placed"), "{stages:?}");
    let keys = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&again), keys(&once));
}

/// The queue has a row for each turn, the list of jobs one for each job.
#[test]
fn such_a_job_is_listed_once_and_waits() {
    let folder = folder_of(&comes_again());
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    stage.act(&[Action::View3]);
    let seen = stage.see();
    assert!(seen.contains("Jobs · 3 · 0 running 1 wait 0 not considered 2 start"), "{seen}");
    // No other view has it among those that start.
    stage.act(&[Action::View5]);
    let seen = stage.see();
    assert!(seen.contains("│ start          2 3 ") && seen.contains("│ wait           1 "), "{seen}");
    stage.act(&[Action::View9]);
    let seen = stage.see();
    assert!(seen.contains("jobs: 2 start, 2 nodes"), "{seen}");
    stage.act(&[Action::View6]);
    let seen = stage.see();
    assert!(seen.contains("selected 1") && !seen.contains("selected 1: starts now"), "{seen}");
}

/// Titles and header count jobs, not turns, and the row of the first turn states what happened to it.
#[test]
fn a_job_that_comes_up_twice_is_counted_once() {
    let folder = folder_of(&comes_again());
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    let seen = stage.see();
    assert!(seen.contains("3 jobs · 2 start · 1 wait"), "{seen}");
    assert!(seen.contains("n1, then requeued for 3"), "{seen}");
    stage.act(&[Action::StepForward, Action::StepForward]);
    assert!(stage.see().contains("2 started, 0 wait so far"), "{}", stage.see());
    for _ in 3..=4 {
        stage.act(&[Action::StepForward]);
        let seen = stage.see();
        assert!(seen.contains("2 started, 1 wait so far") && seen.contains("2 started, 1 wait, "), "{seen}");
    }
    stage.act(&[Action::StepInto]);
    assert!(stage.see().contains("number 1 of 3 jobs considered"), "{}", stage.see());
}

/// Below the reason come first the further facts that must be known; notes are below the sentence they are about.
#[test]
fn notes_stand_below_their_sentence() {
    let folder = folder_of(&comes_again());
    let output = qscope(&["why", "1", "--no-remedies"], &[folder.path()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in\n{text}"));
    assert!(place("! it started in this cycle") < place("2 jobs ahead of it"), "{text}");
    assert!(place("2 jobs ahead of it") < place("also insufficient ncpus"), "{text}");
    let between = text.get(place("2 jobs ahead of it")..place("also insufficient ncpus")).unwrap();
    assert!(!between.contains("! "), "{text}");
}

/// The comparison with the scheduler's comments is also about the last turn of a job.
#[test]
fn comments_are_compared_with_the_last_turn() {
    let [nodes, (name, queue), policy] = comes_again();
    let comment = "comment = \"Not Running: Not enough free nodes available\"\n";
    let queue = queue.replacen("[[job]]\n", &format!("[[job]]\n{comment}"), 1);
    let folder = folder_of(&[nodes, (name, queue), policy]);
    let output = qscope(&["agree", "--json"], &[folder.path()]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let job = &found["jobs"][0];
    assert_eq!((&job["id"], &job["class"]), (&"1".into(), &"equal".into()), "{found}");
}

/// A bundle is reduced as long as the answer stays, which is about the last turn.
#[test]
fn a_reduced_bundle_keeps_the_last_turn() {
    let folder = folder_of(&comes_again());
    let archive = folder.path().join("small.tar.gz");
    let bundle = qscope(&["bundle", "--reduce", "1", "-o"], &[&archive, folder.path()]);
    assert!(bundle.status.success(), "{bundle:?}");
    let found: Value = serde_json::from_slice(&qscope(&["why", "1", "--json"], &[&archive]).stdout).unwrap();
    assert_eq!(found["verdict"], "not_now", "{found}");
}

fn qscope(words: &[&str], paths: &[&std::path::Path]) -> std::process::Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    program.args(words).args(paths).env("TZ", "UTC").output().unwrap()
}

/// Difference lists a job only once that a cycle preempts more than once.
#[test]
fn a_job_that_is_preempted_again_is_listed_once() {
    let (mut again, mut listed) = (0, 0);
    for case in crate::cases::all() {
        let run = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let ran = |job: &qscope::cluster::JobId| run.plan.job(*job).state.has_nodes();
        let victims = run.steps.iter().flat_map(|step| step.outcome.victims.iter().map(|(job, _)| *job));
        let mut victims: Vec<_> = victims.filter(ran).collect();
        let all = victims.len();
        victims.sort_unstable();
        victims.dedup();
        again += usize::from(victims.len() < all);
        if victims.is_empty() {
            continue;
        }
        let lines = qscope::session::compare::in_cycle::changes(&run).1;
        let found = lines.iter().filter(|line| line.group == "preempted in this cycle").count();
        assert_eq!(found, victims.len(), "{}", run.plan.snap.title);
        listed += found;
    }
    assert!(again > 0 && listed > 50, "{again} {listed}");
}

/// A waiting subjob is in no dump separately: it is explained as part of its array.
#[test]
fn a_subjob_that_waits_is_meant_as_part_of_its_array() {
    let queue = r#"
        now = 1763700000
        [[queue]]
        name = "workq"
        [[job]]
        id = "5[]"
        user = "ann"
        queue = "workq"
        select = "1:ncpus=4"
        walltime = "02:00:00"
        array = "1-6"
    "#;
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8 }\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let why = |job: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
        let out = program.args(["why", job, "--no-remedies"]).arg(folder.path()).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    let (code, text) = why("5[2]");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("5[2] of the array 5[] starts in this cycle on 1 node (node path)"), "{text}");
    assert!(!text.contains("When"), "{text}");
    let (code, text) = why("5[6]");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("5[6] waits as one of its array: this is about 5[]"), "{text}");
    assert_eq!(why("5[7]").0, Some(2));
    // Folded, as every table shows them.
    let (code, text) = why("5[1-3]");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("5[1-3] of the array 5[] start in this cycle on 2 nodes (node path)"), "{text}");
    let (code, text) = why("5[5-6]");
    assert_eq!(code, Some(1), "{text}");
    assert!(!text.contains("this is about"), "{text}");
    let (code, text) = why("5[3-5]");
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("2 of the 3 subjobs start in this cycle: this is about the others of 5[]"),
        "{text}"
    );
}

#[test]
fn after_a_job_is_after_its_last_turn_in_every_command() {
    let folder = folder_of(&comes_again());
    let printed = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
        let output = command.args(words).arg(folder.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (at, turns) = {
        let run = run(comes_again());
        let of_first = |(at, (job, ..)): (usize, &(&str, Option<u32>, bool))| (*job == "1").then_some(at + 1);
        let turns: Vec<usize> = steps(&run).iter().enumerate().filter_map(of_first).collect();
        (*turns.last().unwrap(), turns.len())
    };
    assert!(turns > 1);
    let buckets = printed(&["buckets", "--after", "1"]);
    assert!(buckets.starts_with(&format!("step {at}, turn {turns} of {turns} of job 1: ")), "{buckets}");
    let tree: Value = serde_json::from_str(&printed(&["fairshare", "--after", "1", "--json"])).unwrap();
    assert_eq!(tree["after_step"], at);
}

#[test]
fn starts_taken_back_are_those_of_the_console_and_of_why() {
    let run = run(comes_again());
    let found = qscope::explain::undone_starts(&run);
    assert_eq!(found.len(), 1);
    let step = |at| run.plan.job(run.steps[at].outcome.job).short_name();
    assert_eq!((step(found[0].start), step(found[0].end)), ("1", "3"));
}

//! `qscope order`: in all cases every neighbouring pair is decided by the printed key, the printed terms of a formula
//! add up to its value, and every offered change moves the job ahead.

use std::fs;
use std::ops::ControlFlow;
use std::process::Output;
use std::sync::Arc;

use qscope::advice::order::{between, moves_ahead, queue_order};
use qscope::cluster::{Formula, JobId};
use qscope::cycle::job_order::DecidingKey;
use qscope::cycle::{Debugger, Precedence, Run, run_cycle};
use qscope::universe::Quirks;
use serde_json::Value;

use super::cases;
use crate::console_cycle::read;
use crate::ran::ran;
use crate::real;

fn order(arguments: &[&str]) -> Output {
    ran(["order"].iter().chain(arguments))
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the keys of a list up to and including one of them.
fn up_to(key: DecidingKey) -> Vec<DecidingKey> {
    use DecidingKey as K;
    let mut keys = vec![K::Runnable, K::PreemptPriority, K::Preempted, K::Formula, K::FairShare];
    keys.extend((0..16).map(K::SortKey));
    keys.extend([K::QueueRank, K::Queried]);
    let at = keys.iter().position(|have| *have == key).unwrap();
    keys.truncate(at + 1);
    keys
}

/// Checks every pair of a cycle against the agenda that picked it. Returns how many were checked, and how many of
/// them no key decides.
fn pairs_hold(run: &Run) -> [usize; 2] {
    let printed = queue_order(run);
    let [mut pairs, mut listed] = [0, 0];
    run.picks(|at, first, agenda, state| {
        let Some(decision) = &printed.jobs[at.0 as usize].before_next else {
            return ControlFlow::Continue(());
        };
        let second = run.steps.iter().nth(at.0 as usize + 1).unwrap().outcome.job;
        let (order, snap) = (agenda.order(), &run.plan.snap);
        let by = |key| order.compare_by(key, agenda.keys(first), agenda.keys(second));
        let title = &snap.title;
        pairs += 1;
        match decision.precedence {
            Precedence::Key(key) => {
                let keys = up_to(key);
                let (last, before) = keys.split_last().unwrap();
                assert!(
                    by(*last).is_lt() && before.iter().all(|key| by(*key).is_eq()),
                    "{title}: {decision:?}"
                );
                assert_ne!(decision.first, decision.second, "{title}: {decision:?}");
            }
            Precedence::SameJob => assert!(first == second && run.plan.job(first).is_array(), "{title}"),
            Precedence::NotReady => assert!(!agenda.is_waiting(state, second), "{title}"),
            Precedence::Reservation => assert!(run.plan.reservation_of(first).is_some(), "{title}"),
            Precedence::BeforeQueues => {
                assert!(decision.first != "-" && decision.second == "-", "{title}: {decision:?}");
            }
            Precedence::QueuePriority => {
                let priority = |job: JobId| snap.queues[run.plan.queue_of(job).unwrap()].priority;
                assert!(priority(first) > priority(second), "{title}: {decision:?}");
            }
            Precedence::QueueListed | Precedence::QueueTurn => {
                assert_ne!(decision.first, decision.second, "{title}");
            }
            Precedence::ListPosition => {
                listed += 1;
                let reserved = run.plan.reservation_of(first).is_some();
                assert!(run.setup.order.fair_share || reserved, "{title}: {first:?} {second:?}");
            }
        }
        ControlFlow::Continue(())
    });
    [pairs, listed]
}

/// Checks that the printed terms add up to the value that is compared.
fn terms_recombine(run: &Arc<Run>) -> usize {
    let mut start = Debugger::new(run.clone());
    start.seek(0);
    let agenda = run.first_agenda(start.state());
    let mut values = 0;
    for job in run.plan.snap.jobs.ids() {
        let Some(found) = agenda.formula_terms(job) else { continue };
        let text = run.setup.formula.as_ref().unwrap().text();
        let of = |name: &str| found.terms.iter().find(|term| &*term.name == name).and_then(|term| term.value);
        let again = Formula::parse(text).unwrap().evaluate(&of).map_or(0.0, |value| f64::from(value as f32));
        assert_eq!(again.to_bits(), agenda.keys(job).formula.to_bits(), "{}", run.plan.snap.title);
        values += 1;
    }
    values
}

#[test]
fn every_pair_of_every_case_is_decided_by_the_printed_key() {
    let mut sums = [0; 3];
    for case in cases::all() {
        let run = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let [pairs, listed] = pairs_hold(&run);
        for (sum, more) in sums.iter_mut().zip([pairs, listed, terms_recombine(&run)]) {
            *sum += more;
        }
    }
    let [pairs, listed, values] = sums;
    assert!(pairs > 5_000 && values > 500 && listed * 20 < pairs, "{sums:?}");
}

#[test]
fn every_move_moves() {
    let mut moves = 0;
    for case in cases::all().iter().step_by(9) {
        let run = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let jobs: Vec<JobId> = run.steps.iter().map(|step| step.outcome.job).take(2).collect();
        let [first, second] = jobs[..] else { continue };
        let Some(pair) = between(&run, first, second).filter(|_| first != second) else { continue };
        assert_eq!(pair.orders, [Some(1), Some(2)]);
        assert!(pair.keys.iter().filter(|row| row.decides).count() <= 1, "{pair:?}");
        for found in moves_ahead(&run, &pair, &|| true) {
            let again = run_cycle(Arc::new(run.plan.snap.with(&found.edits)), run.plan.quirks);
            assert!(again.step_of(second) < again.step_of(first), "{}: {found:?}", case.name);
            moves += 1;
        }
    }
    assert!(moves > 20, "{moves}");
}

/// A job below job_sort_formula_threshold is not considered; another priority moves it ahead all the same. A held job
/// moves ahead by its release.
#[test]
fn a_job_that_is_not_considered_can_move_ahead() {
    for (case, ids, change) in
        [("c10-formula", ["125", "123"], "Priority="), ("c06-limits", ["107", "106"], "release its holds")]
    {
        let disk = real::named(case).on_disk();
        let run = read(&disk.path().join("before"), 1).run.clone();
        let [first, second] = ids.map(|id| run.plan.snap.job_meant(id).unwrap());
        assert_eq!(run.step_of(second), None, "{case}");
        let pair = between(&run, first, second).unwrap();
        let moves = moves_ahead(&run, &pair, &|| true);
        let found = moves.iter().find(|found| found.change.starts_with(change));
        let edits = &found.unwrap_or_else(|| panic!("{case}: {moves:?}")).edits;
        let again = run_cycle(Arc::new(run.plan.snap.with(edits)), run.plan.quirks);
        assert!(again.step_of(second).is_some_and(|own| Some(own) < again.step_of(first)), "{case}");
    }
}

fn folder(policy: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let job = |id: u32, user: &str, ncpus: u32, queue: &str, priority: i64| {
        format!(
            "[[job]]\nid = {id}\nuser = \"{user}\"\nqueue = \"{queue}\"\nselect = \"1:ncpus={ncpus}\"\n\
             walltime = \"01:00:00\"\npriority = {priority}\n"
        )
    };
    let queue = [
        "now = 1763700000\n[[queue]]\nname = \"workq\"\npriority = 10\n[[queue]]\nname = \"fast\"\npriority = 50\n",
        &job(1, "ann", 2, "workq", 0),
        &job(2, "bob", 4, "workq", 0),
        &job(3, "cara", 2, "fast", 0),
        &job(4, "bob", 2, "workq", 0),
    ]
    .concat();
    fs::write(folder.path().join("nodes.toml"), "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n")
        .unwrap();
    fs::write(folder.path().join("queue.toml"), queue).unwrap();
    fs::write(folder.path().join("policy.toml"), policy).unwrap();
    folder
}

#[test]
fn the_queue_is_listed_pair_by_pair() {
    let policy = "[sched_config]\nby_queue = true\njob_sort_key = [\"ncpus HIGH\"]\n[server]\njob_sort_formula = \"ncpus + 100*job_priority\"\n";
    let folder = folder(policy);
    let at = folder.path().to_str().unwrap();
    let all = order(&[at]);
    assert_eq!(all.status.code(), Some(0), "{all:?}");
    insta::assert_snapshot!("order_queue", text(&all));
    assert!(text(&all).lines().all(|line| line.chars().count() <= 80));

    let pair = order(&["4", "2", at]);
    insta::assert_snapshot!("order_pair", text(&pair));
    let json: Value = serde_json::from_slice(&order(&["2", "4", at, "--json"]).stdout).unwrap();
    assert_eq!((&json["first"], &json["decided_by"]["by"]), (&"2".into(), &"formula".into()));
    assert_eq!(json["moves"][0]["by"], "owner");

    let one = text(&order(&["1", at, "--no-moves"]));
    assert!(one.starts_with("assumed") || one.contains("comes before 1 "), "{one}");
}

#[test]
fn bad_jobs_are_named() {
    let folder = folder("");
    let at = folder.path().to_str().unwrap();
    for (words, message) in [
        (vec!["77", at], "no job `77`"),
        (vec!["1", "2", "3", at], "expected at most two jobs"),
        (vec!["1", "1", at], "twice"),
    ] {
        let output = order(&words);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(message), "{error}");
    }
}

/// Numbers and verdicts are those of the cycle, including those of subjobs, which share the number of their array.
#[test]
fn places_and_verdicts_are_those_of_the_cycle() {
    let array = folder("");
    let queue = r#"
        now = 1763700000
        [[queue]]
        name = "workq"
        [[job]]
        id = "40[]"
        user = "ann"
        queue = "workq"
        select = "1:ncpus=1"
        walltime = "01:00:00"
        array = "1-3"
        [[job]]
        id = "41"
        user = "bob"
        queue = "workq"
        select = "99:ncpus=99"
        walltime = "01:00:00"
    "#;
    fs::write(array.path().join("queue.toml"), queue).unwrap();
    let json = |arguments: &[&str]| -> Value { serde_json::from_slice(&ran(arguments).stdout).unwrap() };
    let rows = |list: &Value, id: &str| -> Vec<[Value; 4]> {
        let considered = list.as_array().unwrap().iter().filter(|job| !job["order"].is_null());
        considered.map(|job| ["order", id, "verdict", "never"].map(|key| job[key].clone())).collect()
    };
    for at in [array.path().to_str().unwrap(), "samples/why", "samples/campus"] {
        let (cycle, order) = (json(&["cycle", at, "--json"]), json(&["order", at, "--json"]));
        let (cycle, order) = (rows(&cycle["jobs"], "id"), rows(&order["jobs"], "job"));
        assert!(order.len() >= 4);
        for row in order {
            assert!(cycle.contains(&row), "{row:?} in {at}");
        }
    }
}

//! A start that the server refuses does not count as a start: not in costs, published answers, counts or pasts.

use std::ops::ControlFlow;
use std::process::Command;
use std::sync::Arc;

use qscope::cluster::{Seconds, Snapshot};
use qscope::cycle::{Run, run_cycle};
use qscope::explain::remedies;
use qscope::session::compare::in_cycle;
use qscope::session::wait_history::Observations;
use qscope::share::published::{PublishedEffort, answers};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use serde_json::Value;

use super::cases;
use super::ran::sample;

/// Returns a cluster whose job 2 is given nodes of job 1, so that the server refuses it.
fn sets_36() -> Arc<Run> {
    let files = Files::from_folder(&sample("sets-36")).unwrap();
    let run = run_cycle(Arc::new(load(&files, &LoadOptions::default()).unwrap()), Quirks::default());
    let job = run.plan.snap.job_named("2").unwrap();
    assert!(run.is_refused(run.outcome(job).unwrap()));
    Arc::new(run)
}

#[test]
fn a_change_costs_nothing_to_a_job_that_waits_either_way() {
    let run = sets_36();
    let job = run.plan.snap.job_named("5").unwrap();
    let found = remedies(&run, job, &mut |_| ControlFlow::Continue(()));
    assert!(found.iter().any(|remedy| remedy.change.starts_with("qrun it")), "{found:?}");
    for remedy in &found {
        assert!(!remedy.delayed.iter().any(|name| name == "2"), "{remedy:?}");
        assert!(!remedy.costs.contains("2 wait"), "{remedy:?}");
    }
}

#[test]
fn a_published_answer_has_the_verdict_of_its_cause() {
    let run = sets_36();
    let all = answers(&run, PublishedEffort { cycles: 0, trials: 0 }, &|| false).unwrap();
    let answer = all.iter().find(|answer| answer.job == "2").unwrap();
    let found = (answer.final_verdict.as_deref(), answer.cause.as_deref());
    assert_eq!(found, (Some("not_now"), Some("refused-by-server")), "{answer:?}");
    assert_eq!(all.iter().find(|answer| answer.job == "1").unwrap().verdict.as_deref(), Some("run"));
}

#[test]
fn a_recorded_moment_names_the_refusal() {
    let run = sets_36();
    let mut seen = Observations::of_snapshots();
    seen.take(&run);
    let later = Snapshot { now: run.plan.snap.now + Seconds(60), ..(*run.plan.snap).clone() };
    seen.take(&run_cycle(Arc::new(later), Quirks::default()));
    let waited = seen.waited();
    let reasons = |job: &str| -> Vec<String> {
        let of_it = waited.iter().filter(|waited| *waited.job == *job);
        of_it.flat_map(|waited| &waited.spans).map(|span| span.reason.to_string()).collect()
    };
    assert!(reasons("2").contains(&"refused by the server".to_owned()), "{:?}", reasons("2"));
    assert!(reasons("1").contains(&"starts in the next cycle".to_owned()), "{:?}", reasons("1"));
}

#[test]
fn a_cycle_under_a_policy_counts_the_starts_that_stand() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let arguments = ["cycle", "--policy", "FASTEST", "--json"];
    let output = program.env("TZ", "UTC").args(arguments).arg(sample("sets-36")).output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let live = sets_36();
    assert_eq!(found["policy"]["live"]["starts"], live.starts().count(), "{}", found["policy"]);
    let refused = |job: &&Value| job["refused_by_server"].is_string();
    let started = found["jobs"].as_array().unwrap().iter();
    let stand = started.filter(|job| job["verdict"] == "run" && !refused(job)).count();
    assert_eq!(found["policy"]["under"]["starts"], stand, "{}", found["policy"]);
}

/// The nodes that a cycle changes are as the server has them afterwards.
#[test]
fn the_nodes_of_a_cycle_are_left_as_the_server_has_them() {
    let mut refused = 0;
    for case in cases::all() {
        let run = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        if run.refused().is_empty() {
            continue;
        }
        let end = run.end_at_server();
        refused += 1;
        for line in in_cycle::changes(&run).1 {
            for name in line.nodes() {
                let state = end.occupancy.states[run.plan.bit_named[name.as_str()]].to_string();
                let right = &line.sides.right.text;
                let is_same = *right == state || right.starts_with(&format!("{state}, "));
                assert!(is_same, "{}: {name}: {right}, and {state}", case.name);
            }
        }
    }
    assert!(refused >= 3, "{refused} cases with a start that is refused: too few to show a fault");
}

//! qrun of one job: rule 6.11.

use std::sync::Arc;

use qscope::cluster::{Edit, Snapshot};
use qscope::cycle::{Run, ServerAction, Verdict, run_cycle};
use qscope::placement::{PathRule, PlacementPath};
use qscope::source::toml_form;
use qscope::universe::{Quirks, Reason};

const NODES: &str = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";

fn cluster(queue: &str) -> Snapshot {
    let queue = format!("now = 1763700000\n{queue}");
    toml_form::read(Some(NODES), Some(&queue), None, None, "test").unwrap()
}

/// Runs the cycle that a qrun of a job starts.
fn qrun(snap: &Snapshot, name: &str) -> Run {
    let job = snap.job_named(name).unwrap();
    run_cycle(Arc::new(snap.with(&[Edit::Qrun(job)])), Quirks::default())
}

fn job(id: u32, select: &str, more: &str) -> String {
    format!("[[job]]\nid = {id}\nselect = \"{select}\"\nresources = {{ walltime = \"01:00:00\" }}\n{more}\n")
}

fn starts(run: &Run) -> Vec<&str> {
    let placed = run.outcomes().filter(|outcome| outcome.placed.is_some());
    placed.map(|outcome| run.plan.job(outcome.job).short_name()).collect()
}

/// No other job is considered, even those ahead; the node path is used, although the job would use buckets.
#[test]
fn one_job_is_considered_and_takes_the_node_path() {
    let snap = cluster(&(job(1, "1:ncpus=4", "") + &job(2, "1:ncpus=4", "place = \"scatter:excl\"")));
    let run = qrun(&snap, "2");
    assert_eq!(starts(&run), ["2"]);
    let choice = run.outcome(snap.job_named("2").unwrap()).unwrap().would_use.unwrap();
    assert_eq!((choice.path, choice.rule), (PlacementPath::Node, PathRule::Qrun));
    let other = run.outcome(snap.job_named("1").unwrap()).unwrap();
    assert_eq!(other.verdict, Verdict::NotConsidered);
}

/// Held jobs and jobs that wait for their time are treated as queued; limits and stopped queues do not apply.
#[test]
fn holds_times_limits_and_stopped_queues_do_not_count() {
    let queue = "[[queue]]\nname = \"workq\"\nstarted = false\nmax_run = \"[u:PBS_GENERIC=0]\"\n";
    for state in ["state = \"H\"\nholds = \"u\"", "state = \"W\"", ""] {
        let snap = cluster(&(queue.to_owned() + &job(1, "1:ncpus=4", state)));
        assert!(starts(&run_cycle(Arc::new(snap.clone()), Quirks::default())).is_empty(), "{state}");
        assert_eq!(starts(&qrun(&snap, "1")), ["1"], "{state}");
    }
}

/// An operator cannot get what nodes do not have: the failure is the reply.
#[test]
fn nodes_have_to_do() {
    let snap = cluster(&job(1, "1:ncpus=9", ""));
    let run = qrun(&snap, "1");
    assert_eq!(run.outcome(snap.job_named("1").unwrap()).unwrap().verdict, Verdict::Never);
}

/// A job under qrun is above every level, and preempts others.
#[test]
fn others_make_room() {
    let running = |id| job(id, "1:ncpus=4", &format!("on = \"(n{id}:ncpus=4)\""));
    let queue = "[[queue]]\nname = \"express\"\npriority = 500\n";
    let express = "queue = \"express\"\non = \"(n1:ncpus=4)\"";
    let all = [queue, &job(1, "1:ncpus=4", express), &running(2), &job(3, "2:ncpus=4", "")].concat();
    let run = qrun(&cluster(&all), "3");
    assert_eq!(starts(&run), ["3"]);
    let gone = run.actions.iter().filter(|action| matches!(action, ServerAction::Preempt(..))).count();
    assert_eq!(gone, 2);
}

/// Preempted jobs are not considered in that cycle, even if there is room for one of them elsewhere.
#[test]
fn victims_wait_for_the_next_cycle() {
    let running = job(1, "1:ncpus=2", "on = \"(n1:ncpus=2)\"");
    let run =
        qrun(&cluster(&(running + &job(2, "1:ncpus=4", "place = \"scatter:excl\"\npriority = 1"))), "2");
    assert_eq!(starts(&run), ["2"]);
    let steps: Vec<&str> = run.steps.iter().map(|step| run.plan.job(step.outcome.job).short_name()).collect();
    assert_eq!(steps, ["2"]);
}

/// With strict ordering and no backfill, the job's failure stops all other waiting jobs, also under qrun, except
/// those that would not be considered anyway.
#[test]
fn strict_order_stops_the_others_as_well() {
    let policy = "[sched_config]\nstrict_ordering = true\n[server]\nbackfill_depth = 0\n";
    let jobs = job(1, "1:ncpus=9", "")
        + &job(2, "1:ncpus=1", "")
        + &job(3, "1:ncpus=1", "state = \"H\"\nholds = \"u\"");
    let queue = format!("now = 1763700000\n{jobs}");
    let snap = toml_form::read(Some(NODES), Some(&queue), Some(policy), None, "test").unwrap();
    let run = qrun(&snap, "1");
    let reason = |name: &str| {
        let outcome = run.outcome(snap.job_named(name).unwrap()).unwrap();
        outcome.rejection.as_ref().map(|rejection| rejection.reason.clone())
    };
    assert_eq!(reason("2"), Some(Reason::StrictOrdering));
    assert_eq!(reason("3"), None);
    assert_eq!(run.not_considered.len(), 2, "each stands there once");
}

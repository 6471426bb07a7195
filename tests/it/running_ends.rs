//! Expected ends of running jobs: the assumptions about jobs past their walltimes, or without one, are stated.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cluster::Snapshot;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{forecast, in_one_line, why};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::{Quirks, planned_end};
use serde_json::{Value, json};

/// The moment of the dumps.
const NOW: i64 = 1_763_700_000;

/// Returns a job as `qstat` prints it, without its request.
pub(crate) fn bare_job(state: &str) -> Value {
    json!({"Job_Name": "a", "Job_Owner": "ann@h", "job_state": state, "substate": 10, "queue": "workq", "server": "svr",
        "euser": "ann", "egroup": "g", "ctime": NOW - 10_000, "qtime": NOW - 10_000, "etime": NOW - 10_000})
}

/// Returns the same job running on one node for 10,000 seconds, with this `Resource_List`, or without any.
pub(crate) fn running(node: &str, list: Option<Value>) -> Value {
    let mut job = bare_job("R");
    job["exec_vnode"] = format!("({node}:ncpus=8)").into();
    job["stime"] = (NOW - 10_000).into();
    if let Some(list) = list {
        job["Resource_List"] = list;
        job["schedselect"] = "1:ncpus=8".into();
    }
    job
}

/// Returns a job that waits for this select.
pub(crate) fn queued(select: &str) -> Value {
    let mut job = bare_job("Q");
    job["Resource_List"] = json!({"select": select, "place": "pack", "walltime": "01:00:00"});
    job["schedselect"] = select.into();
    job
}

/// Returns dumps of `nodes` nodes of eight cpus, each taken by the running job of its number, and of all jobs,
/// numbered from 1.
pub(crate) fn dumps(nodes: usize, jobs: &[Value]) -> Files {
    let node = |at: usize| {
        let resources = json!({"ncpus": 8, "mem": "16gb"});
        let node = json!({"Mom": format!("n{at}"), "state": "job-busy", "resources_available": resources,
            "resources_assigned": {"ncpus": 8}, "jobs": [format!("{at}.svr/0")]});
        (format!("n{at}"), node)
    };
    let nodes: serde_json::Map<String, Value> = (1..=nodes).map(node).collect();
    let named = |(at, job): (usize, &Value)| (format!("{}.svr", at + 1), job.clone());
    let jobs: serde_json::Map<String, Value> = jobs.iter().enumerate().map(named).collect();
    let whole =
        |key: &str, objects| json!({"timestamp": NOW, "pbs_server": "svr", key: Value::Object(objects)});
    let mut files = Files::new("dumps");
    files.insert("nodes.json", whole("nodes", nodes).to_string(), None);
    files.insert("jobs.json", whole("Jobs", jobs).to_string(), None);
    files
}

/// Reads the cluster of such files, in UTC.
pub(crate) fn read(files: &Files) -> Snapshot {
    load(files, &LoadOptions::in_zone("UTC")).unwrap()
}

fn cycle(nodes: usize, jobs: &[Value]) -> Arc<Run> {
    Arc::new(run_cycle(Arc::new(read(&dumps(nodes, jobs))), Quirks::default()))
}

fn list(times: &[(&str, &str)]) -> Option<Value> {
    let mut list = json!({"ncpus": 8, "select": "1:ncpus=8", "place": "pack"});
    times.iter().for_each(|(name, length)| list[*name] = (*length).into());
    Some(list)
}

fn headline(run: &Arc<Run>, job: &str) -> String {
    why(run, run.plan.snap.job_named(job).unwrap()).headline
}

#[test]
fn the_end_of_a_job_past_its_walltimes_is_where_the_cycle_has_it() {
    let both = list(&[("soft_walltime", "00:30:00"), ("walltime", "01:00:00")]);
    let run = cycle(
        2,
        &[running("n1", both), running("n2", list(&[("walltime", "01:00:00")])), queued("2:ncpus=8")],
    );
    // Started at 01:53:20.
    let over = "is running since 01:53:20 (2h46 ago), and overdue by 1h46: its walltime was over at 02:53:20, and its end \
                is assumed";
    let ends = [(1, " then, though it still runs", NOW - 6400), (2, " at 04:40:01 (in 1s)", NOW + 1)];
    for (job, words, at) in ends {
        assert_eq!(headline(&run, &job.to_string()), format!("{job} {over}{words}"));
        let id = run.plan.snap.job_named(&job.to_string()).unwrap();
        assert_eq!(planned_end(&run.plan, id).map(|at| at.0), Some(at), "{job}");
    }
    let waiting = run.plan.snap.job_named("3").unwrap();
    let found = forecast(&run, waiting, &mut |_| ControlFlow::Continue(())).unwrap();
    let words = "later if the 2 jobs that run, all overdue, go on: their ends are assumed in 1s, or when their walltimes \
                 were over";
    assert_eq!(found.declared.unwrap().words(), words);
}

#[test]
fn overdue_jobs_are_none_of_those_whose_walltimes_hold() {
    let of = |length| list(&[("walltime", length)]);
    let jobs = [
        running("n1", of("03:00:00")),
        running("n2", of("04:00:00")),
        running("n3", of("01:00:00")),
        running("n4", list(&[])),
        queued("4:ncpus=8"),
    ];
    let run = cycle(4, &jobs);
    let waiting = run.plan.snap.job_named("5").unwrap();
    let found = forecast(&run, waiting, &mut |_| ControlFlow::Continue(())).unwrap();
    let words = "sooner if jobs end early: of 4 jobs that run or start in this cycle 2 end by their walltimes, half of these \
                 within 1h13, the last after 1h13, 1 has no walltime: 5 years are assumed; later if 1 that is overdue goes \
                 on: its end is assumed in 1s";
    assert_eq!(found.declared.unwrap().words(), words);
}

#[test]
fn a_running_job_without_walltime_ends_by_none() {
    let soft = list(&[("soft_walltime", "04:00:00")]);
    let run = cycle(3, &[running("n1", list(&[])), running("n2", None), running("n3", soft)]);
    let since = "is running since 01:53:20 (2h46 ago), and";
    assert_eq!(headline(&run, "1"), format!("1 {since} has no walltime: the scheduler assumes 5 years"));
    assert_eq!(
        headline(&run, "2"),
        format!("2 {since} no walltime of it is known: the scheduler assumes 5 years")
    );
    assert_eq!(headline(&run, "3"), format!("3 {since} ends by its soft walltime at 05:53:20 (in 1h13)"));
    // What it requests is assumed: that is stated as of a job that waits.
    let rests_on = |job: &str| in_one_line(&why(&run, run.plan.snap.job_named(job).unwrap()).rests_on);
    assert_eq!(rests_on("2").as_deref(), Some("rests on: job request assumed (no Resource_List of 2)"));
    assert_eq!(rests_on("1"), None);
}

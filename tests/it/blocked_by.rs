//! The jobs whose end a job waits for.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cluster::Seconds;
use qscope::cycle::run_cycle;
use qscope::explain::{JobTurn, causes, find_blockers, forecast};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use super::checked_claims::made;

/// Returns the jobs that block a job, each with whether a limit counts it.
fn blockers(nodes: &str, queue: &str, job: &str) -> Vec<(String, bool)> {
    blockers_under("", nodes, queue, job)
}

/// Returns the same under a policy.
fn blockers_under(policy: &str, nodes: &str, queue: &str, job: &str) -> Vec<(String, bool)> {
    let run = made(policy, nodes, queue);
    let turn = JobTurn::new(&run, run.plan.snap.job_named(job).unwrap()).unwrap();
    let found = find_blockers(&turn, &causes(&run, turn.job));
    found.ends.into_iter().map(|end| (end.who, end.limit)).collect()
}

const NODE: &str = "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n";

/// A job that ends before the subjobs of the array do, on the same node.
const QUEUE: &str = r#"
    [[job]]
    id = "1"
    select = "1:ncpus=2"
    walltime = "00:12:00"
    started = "-00:10:00"
    on = "(n1:ncpus=2)"
    [[job]]
    id = "9[]"
    select = "1:ncpus=CPUS"
    walltime = "00:05:00"
    array = "1-6"
    max_run_subjobs = 2
"#;

#[test]
fn a_limit_that_alone_stops_an_array_names_only_whom_it_counts() {
    for cpus in ["2", "3"] {
        let ends = blockers(NODE, &QUEUE.replace("CPUS", cpus), "9[]");
        assert_eq!(ends, [("9[1]".to_owned(), true), ("9[2]".to_owned(), true)]);
    }
}

#[test]
fn whose_nodes_a_limited_job_needs_besides_is_named_too() {
    let limit = "[[queue]]\nname = \"workq\"\nmax_run = \"[u:ann=1]\"\n";
    let jobs = "[[job]]\nid = \"1\"\nselect = \"1:ncpus=6\"\nwalltime = \"00:30:00\"\nstarted = \"-00:10:00\"\n\
        on = \"(n1:ncpus=6)\"\n[[job]]\nid = \"2\"\nuser = \"ann\"\nselect = \"1:ncpus=2\"\n\
        walltime = \"00:20:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=2)\"\n\
        [[job]]\nid = \"3\"\nuser = \"ann\"\nselect = \"1:ncpus=8\"\nwalltime = \"00:05:00\"\n";
    let ends = blockers(NODE, &format!("{limit}{jobs}"), "3");
    assert_eq!(ends, [("2".to_owned(), true), ("1".to_owned(), false)]);
}

/// Nodes are not what a job that is not considered waits for: no end of another job makes it start.
#[test]
fn a_job_under_the_threshold_of_a_formula_waits_for_no_end() {
    let jobs = "[[job]]\nid = \"1\"\nselect = \"1:ncpus=8\"\nwalltime = \"00:30:00\"\nstarted = \"-00:10:00\"\n\
        on = \"(n1:ncpus=8)\"\n[[job]]\nid = \"2\"\nselect = \"1:ncpus=2\"\npriority = 5\nwalltime = \"00:20:00\"\n";
    let policy = |threshold: u32| {
        format!(
            "[server]\njob_sort_formula = \"job_priority\"\n[scheduler]\njob_sort_formula_threshold = {threshold}\n"
        )
    };
    assert_eq!(blockers_under(&policy(10), NODE, jobs, "2"), []);
    assert_eq!(blockers_under(&policy(1), NODE, jobs, "2"), [("1".to_owned(), false)]);
}

/// A limit that is the same for every user, group or project states which of these it is.
#[test]
fn a_generic_limit_names_its_own_scope() {
    for (letter, scope) in [("u", "user"), ("g", "group"), ("p", "project")] {
        let policy = format!("[server]\nmax_run = \"[{letter}:PBS_GENERIC=1]\"\n");
        let job = "\nuser = \"ann\"\nselect = \"1:ncpus=2\"\nwalltime = \"00:30:00\"\n";
        let runs = "started = \"-00:10:00\"\non = \"(n1:ncpus=2)\"\n";
        let run = made(&policy, NODE, &format!("[[job]]\nid = \"1\"{job}{runs}[[job]]\nid = \"2\"{job}"));
        let found = causes(&run, run.plan.snap.job_named("2").unwrap());
        let sentence = &found.first().unwrap().sentence;
        assert!(sentence.contains(&format!(", as for every {scope}")), "{sentence}");
    }
}

/// A job in a reservation gets its nodes from it: the reservation blocks nothing, and its end is no room.
#[test]
fn a_reservation_does_not_block_the_jobs_in_it() {
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8 }\n";
    let reservation = "[[reservation]]\nname = \"R1\"\nstart = \"-01:00:00\"\nduration = \"03:00:00\"\n\
        select = \"2:ncpus=8\"\non = \"(n1:ncpus=8)+(n2:ncpus=8)\"\nstate = \"RN\"\n";
    let taken = |walltime: &str| {
        format!(
            "{reservation}[[job]]\nid = \"1\"\nqueue = \"R1\"\nselect = \"1:ncpus=2\"\nwalltime = \"{walltime}\"\n\
             started = \"-00:30:00\"\non = \"(n2:ncpus=2)\"\n[[job]]\nid = \"2\"\nqueue = \"R1\"\n\
             select = \"2:ncpus=8\"\nplace = \"scatter:excl\"\nwalltime = \"00:20:00\"\n"
        )
    };
    assert_eq!(blockers(nodes, &taken("01:00:00"), "2"), [("1".to_owned(), false)]);
    assert_eq!(blockers(nodes, &taken("05:00:00"), "2"), []);
}

/// A job that only the strict order stops has nodes now: no end gives it any.
#[test]
fn a_job_behind_a_strict_order_with_room_waits_for_no_end() {
    let nodes = "[[node]]\nname = \"n[1-3]\"\navailable = { ncpus = 8 }\n";
    let policy = "[sched_config]\nstrict_ordering = true\n[server]\nbackfill_depth = 0\n";
    let jobs = "[[job]]\nid = \"1\"\nselect = \"1:ncpus=8\"\nwalltime = \"04:00:00\"\nstarted = \"-01:00:00\"\n\
        on = \"(n1:ncpus=8)\"\n[[job]]\nid = \"8\"\nselect = \"3:ncpus=8\"\nwalltime = \"01:00:00\"\n\
        place = \"scatter\"\n[[job]]\nid = \"9\"\nselect = \"1:ncpus=2\"\nwalltime = \"01:00:00\"\n";
    assert_eq!(blockers_under(policy, nodes, jobs, "9"), []);
    assert_eq!(blockers_under(policy, nodes, jobs, "8"), [("1".to_owned(), false)]);
}

/// Soft walltimes end nothing, though the scheduler plans by them.
#[test]
fn a_job_ends_by_its_walltime_and_not_by_its_soft_walltime() {
    let jobs = "[[job]]\nid = \"1\"\nselect = \"1:ncpus=8\"\nwalltime = \"02:00:00\"\nresources = { soft_walltime = \"00:20:00\" }\n\
        started = \"-00:10:00\"\non = \"(n1:ncpus=8)\"\n[[job]]\nid = \"2\"\nselect = \"1:ncpus=2\"\n\
        walltime = \"00:20:00\"\n";
    let mut files = Files::new("small");
    files.insert("nodes.toml", NODE.to_owned(), None);
    files.insert("queue.toml", format!("now = 1763700000\n{jobs}"), None);
    let snapshot = Arc::new(load(&files, &LoadOptions::default()).unwrap());
    let run = Arc::new(run_cycle(snapshot.clone(), Quirks::default()));
    let turn = JobTurn::new(&run, snapshot.job_named("2").unwrap()).unwrap();
    let found = find_blockers(&turn, &causes(&run, turn.job));
    let at: Vec<i64> = found.ends.iter().map(|end| end.at.0 - snapshot.now.0).collect();
    assert_eq!(at, [6600]);
    let later = forecast(&run, turn.job, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(
        (found.start_if_alone, later.start),
        (Some(snapshot.now + Seconds(6600)), found.start_if_alone)
    );
    assert!(later.declared.unwrap().words().ends_with("ends within 1h50 by its walltime"));
}

/// An exiting job ends in a second, although its walltimes are not over.
#[test]
fn an_exiting_job_ends_at_once_whatever_its_walltimes() {
    let jobs = "[[job]]\nid = \"1\"\nstate = \"E\"\nselect = \"1:ncpus=8\"\nwalltime = \"02:00:00\"\n\
        resources = { soft_walltime = \"00:20:00\" }\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=8)\"\n\
        [[job]]\nid = \"2\"\nselect = \"1:ncpus=2\"\nwalltime = \"00:20:00\"\n";
    let run = made("", NODE, jobs);
    let turn = JobTurn::new(&run, run.plan.snap.job_named("2").unwrap()).unwrap();
    let found = find_blockers(&turn, &causes(&run, turn.job));
    assert_eq!(found.start_if_alone, Some(run.plan.snap.now + Seconds(1)));
}

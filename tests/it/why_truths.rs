//! What an answer claims holds without exception: the cause that remains once others are gone, a start that no dump
//! shows, and changes that ask for no more than they need.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cluster::JobId;
use qscope::cycle::Run;
use qscope::explain::{
    Cause, Forecast, JobTurn, Remedy, Tier, causes, estimate_section, forecast, funnels, is_likely, remedies,
    rests_on, unknown_start, why,
};

use super::checked_claims::made;
use super::ran::{folder_of, ran};

fn job_of(run: &Run, name: &str) -> JobId {
    run.plan.snap.job_named(name).unwrap()
}

/// Returns the deepest cause of a job.
fn cause(run: &Arc<Run>, job: &str) -> Cause {
    causes(run, job_of(run, job)).remove(0)
}

fn remedies_of(run: &Arc<Run>, job: &str) -> Vec<Remedy> {
    remedies(run, job_of(run, job), &mut |_| ControlFlow::Continue(()))
}

fn forecast_of(run: &Arc<Run>, job: &str) -> Forecast {
    forecast(run, job_of(run, job), &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Returns the line that states when a job starts.
fn when_text(run: &Arc<Run>, job: &str) -> String {
    let section = estimate_section(&run.plan.snap, &forecast_of(run, job));
    section.lines.first().unwrap().text.clone()
}

/// Returns a node with amounts, all of TOML.
fn node(name: &str, available: &str) -> String {
    format!("[[node]]\nname = \"{name}\"\navailable = {{ {available} }}\n")
}

/// Returns a waiting job of some length.
fn lasting(length: &str, id: &str, select: &str, place: &str) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"u{id}\"\nselect = \"{select}\"\nplace = \"{place}\"\nwalltime = \"{length}\"\n"
    )
}

/// Returns a waiting job of an hour.
fn waiting(id: &str, select: &str, place: &str) -> String {
    lasting("01:00:00", id, select, place)
}

/// Returns a job that runs for another hour and a half.
fn running(id: &str, select: &str, place: &str, on: &str) -> String {
    format!("{}started = \"-00:30:00\"\non = \"{on}\"\n", lasting("02:00:00", id, select, place))
}

/// Sets of one resource, which only nodes with a value of it make up, and top jobs.
const SETS: &str = r#"
    [[resource]]
    name = "switch"
    type = "string"
    flag = "h"
    [server]
    node_group_enable = true
    node_group_key = ["switch"]
    [scheduler]
    only_explicit_psets = true
    [sched_config]
    strict_ordering = true
"#;

/// Without its sets the long job would delay the top job, so that the nodes do not hold it together either.
#[test]
fn what_is_planned_counts_where_no_set_holds_a_job() {
    let nodes = node("n1", "ncpus = 8, switch = \"s1\"") + &node("n2", "ncpus = 8");
    let queue = running("1", "1:ncpus=8", "free", "(n1:ncpus=8)")
        + &waiting("2", "2:ncpus=8", "scatter")
        + &lasting("03:00:00", "3", "1:ncpus=8", "free")
        + &waiting("4", "1:ncpus=8", "free");
    let run = made(SETS, &nodes, &queue);
    let long = cause(&run, "3");
    assert_eq!((long.tier, long.kind), (Tier::Calendar, "planned"));
    assert_eq!(
        long.sentence,
        "2 needs n[1-2] from 06:10:00 (in 1h30) on: without placement sets too, 3 would delay it"
    );
    assert_eq!(long.notes, ["no placement set holds it now"]);
    let short = cause(&run, "4");
    assert_eq!((short.tier, short.kind), (Tier::Fragmented, "sets"));
}

/// One host has the cpus on one vnode and the bandwidth on another: no chunk is placed there.
#[test]
fn chunks_that_find_no_node_are_counted_as_they_are_placed() {
    let policy = "[[resource]]\nname = \"bw\"\ntype = \"float\"\nflag = \"nh\"\n\
        [sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\", \"bw\"]\n";
    let nodes = node("ha0", "ncpus = 0, bw = 1.5, host = \"ha\"")
        + &node("ha1", "ncpus = 16, host = \"ha\"")
        + &node("hb0", "ncpus = 4, bw = 1.5, host = \"hb\"")
        + &node("hc0", "ncpus = 4, bw = 1.5, host = \"hc\"");
    let queue =
        running("1", "1:ncpus=4", "free", "(hc0:ncpus=4)") + &waiting("2", "2:ncpus=4:bw=0.5", "free");
    let run = made(policy, &nodes, &queue);
    let found = cause(&run, "2");
    assert_eq!(found.sentence, "2 chunks of ncpus=4:bw=0.5 requested, and nodes are found for 1 now");
    assert_eq!(found.numbers, [("wanted", "2".to_owned()), ("available", "1".to_owned())]);
}

#[test]
fn several_planned_jobs_need_their_nodes() {
    let policy = "[[resource]]\nname = \"color\"\ntype = \"string\"\nflag = \"h\"\n\
        [sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\", \"color\"]\nstrict_ordering = true\n\
        [server]\nbackfill_depth = 2\n";
    let nodes = node("n[1,3]", "ncpus = 8, color = \"red\"") + &node("n[2,4]", "ncpus = 8, color = \"blue\"");
    let spread = "scatter:excl";
    let queue = running("1", "2:ncpus=8", spread, "(n1:ncpus=8)+(n2:ncpus=8)")
        + &waiting("2", "2:ncpus=8:color=red", spread)
        + &waiting("3", "2:ncpus=8:color=blue", spread)
        + &lasting("03:00:00", "5", "2:ncpus=8", spread);
    assert_eq!(
        cause(&made(policy, &nodes, &queue), "5").sentence,
        "3h00 of walltime, and 2, 3 need n[1-4] from 06:10:00 (in 1h30) on: 5 would delay them; a walltime up \
         to 1h30 would fit now"
    );
}

/// The nodes and limits of another scheduler are not those of this one, and when it starts the job is not known.
#[test]
fn a_job_of_another_partition_waits_for_another_scheduler() {
    let nodes = node("n[1-2]", "ncpus = 8") + &node("p1", "ncpus = 8") + "partition = \"P2\"\n";
    let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"q6\"\npartition = \"P2\"\n".to_owned()
        + &running("1", "2:ncpus=8", "scatter", "(n1:ncpus=8)+(n2:ncpus=8)")
        + &waiting("5", "1:ncpus=2", "free")
        + "queue = \"q6\"\n";
    let run = made("", &nodes, &queue);
    let kinds: Vec<&str> = causes(&run, job_of(&run, "5")).iter().map(|cause| cause.kind).collect();
    assert_eq!(kinds, ["partition"]);
    assert!(funnels(&mut JobTurn::new(&run, job_of(&run, "5")).unwrap()).is_empty());
    assert_eq!(when_text(&run, "5"), "not known to this model: the scheduler of partition P2 decides");
    let why = why(&run, job_of(&run, "5"));
    assert!(is_likely(&why.rests_on) && is_likely(&rests_on(&run, job_of(&run, "5"))));
}

/// A held or waiting job whose time or dependency no dump shows.
const UNKNOWN: &str = r#"
    [[job]]
    id = "6"
    select = "1:ncpus=8"
    state = "W"
    walltime = "01:00:00"
    [[job]]
    id = "20"
    select = "1:ncpus=8"
    state = "H"
    holds = "s"
    depend = "afterok:999"
    walltime = "01:00:00"
    [[job]]
    id = "21"
    select = "1:ncpus=8"
    state = "H"
    depend = "afterok:6"
    walltime = "01:00:00"
"#;

#[test]
fn a_start_that_no_dump_shows_is_called_unknown() {
    let nodes = node("n[1-3]", "ncpus = 8");
    let run = made("", &nodes, UNKNOWN);
    let unknown = |job: &str| unknown_start(&run, job_of(&run, job));
    let time = "not before its start time, which no dump shows";
    let dependency = "not before its dependency is met · 999 is in no dump: if it has ended or was deleted, \
        afterok may never be met";
    assert_eq!((unknown("6").as_deref(), unknown("20").as_deref()), (Some(time), Some(dependency)));
    assert_eq!(
        (unknown("21"), when_text(&run, "6"), when_text(&run, "20")),
        (None, time.to_owned(), dependency.to_owned())
    );
    let folder = folder_of(&[("nodes.toml", nodes), ("queue.toml", format!("now = 1763700000\n{UNKNOWN}"))]);
    for (job, part) in [("6", "which no dump shows"), ("20", "999 is in no dump")] {
        let words = [std::ffi::OsStr::new("when"), job.as_ref(), folder.path().as_os_str()];
        let output = ran(words);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(&format!("{job}: start not known\n  not before its ")), "{text}");
        assert!(text.contains(part) && output.status.code() == Some(1), "{text}");
        let output = ran(words.into_iter().chain([std::ffi::OsStr::new("--json")]));
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(found["p50"].is_null() && found["started"] == 0, "{found}");
        assert!(found["estimate"]["waits_for"].as_str().unwrap().contains(part), "{found}");
    }
}

/// A file written by hand may leave out the server of a job, which a dependency names.
#[test]
fn a_dependency_on_a_job_without_a_server_is_found() {
    let run = made("", &node("n1", "ncpus = 8"), &UNKNOWN.replace("afterok:6", "afterok:6.svr@svr"));
    assert_eq!(unknown_start(&run, job_of(&run, "21")), None);
    assert_eq!(cause(&run, "21").notes, ["6 has a later time to start at"]);
}

/// An unmet dependency has the system hold, unless the file states another one.
#[test]
fn a_held_job_with_a_dependency_waits_for_it() {
    let run = made("", &node("n1", "ncpus = 8"), UNKNOWN);
    let found = cause(&run, "21");
    assert_eq!((found.kind, &*run.plan.job(job_of(&run, "21")).holds), ("dependency", "s"));
    let assumed = run.plan.snap.diagnostics.iter().filter(|found| found.code == "hold-assumed");
    assert_eq!(assumed.count(), 1);
    let users = UNKNOWN.replace("state = \"H\"\n    depend", "state = \"H\"\n    holds = \"u\"\n    depend");
    assert_eq!(cause(&made("", &node("n1", "ncpus = 8"), &users), "21").kind, "held");
}

/// A queue above all others, whose jobs preempt.
const EXPRESS: &str = "[sched_config]\npreemptive_sched = true\n[scheduler]\npreempt_order = \"R\"\n\
    preempt_prio = \"express_queue, normal_jobs\"\n";
const QUEUES: &str = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n";

#[test]
fn a_later_start_by_preemption_names_whom_it_preempts() {
    let queue = QUEUES.to_owned()
        + &running("1", "1:ncpus=8", "free", "(n1:ncpus=8)")
        + &waiting("2", "1:ncpus=8", "free")
        + "queue = \"express\"\nstate = \"W\"\nafter = \"+00:10:00\"\n";
    let run = made(EXPRESS, &node("n1", "ncpus = 8"), &queue);
    let found = forecast_of(&run, "2");
    assert_eq!(
        (found.start.map(|at| (at - run.plan.snap.now).0), found.preempts),
        (Some(600), vec!["1".to_owned()])
    );
    let text = when_text(&run, "2");
    assert!(text.ends_with("by running 1 cycle forward, by preempting 1"), "{text}");
}

/// With both nodes back, the job in the express queue preempts nobody.
#[test]
fn a_change_that_spares_a_job_says_so() {
    let nodes = node("n1", "ncpus = 8") + &node("n[2-3]", "ncpus = 8") + "state = \"offline\"\n";
    let queue = QUEUES.to_owned()
        + &running("1", "1:ncpus=8", "free", "(n1:ncpus=8)")
        + &waiting("2", "1:ncpus=8", "free")
        + "queue = \"express\"\n"
        + &waiting("3", "1:ncpus=8", "free");
    let run = made(EXPRESS, &nodes, &queue);
    let found = remedies_of(&run, "3");
    let back = found.iter().find(|remedy| remedy.change.starts_with("bring back 2 nodes")).unwrap();
    assert!(back.costs.ends_with("1 is no longer requeued"), "{}", back.costs);
}

/// With both large nodes back another job takes them; with one it does not.
#[test]
fn one_node_back_may_do_where_two_do_not() {
    let nodes = node("n1", "ncpus = 4") + &node("n[5-6]", "ncpus = 32") + "state = \"offline\"\n";
    let queue = waiting("3", "2:ncpus=32", "scatter:excl") + &waiting("7", "1:ncpus=8", "free");
    let run = made("", &nodes, &queue);
    let found = remedies_of(&run, "7");
    let changes: Vec<&str> = found.iter().map(|remedy| &*remedy.change).collect();
    assert!(changes.contains(&"bring back 1 node (n5)"), "{changes:?}");
}

/// A limit is raised for what the changed request needs, not for what the job requests now.
#[test]
fn limits_are_raised_for_the_changed_request() {
    let policy =
        "[server]\nmax_run_res = { ncpus = \"[u:PBS_GENERIC=10]\", mem = \"[u:PBS_GENERIC=10gb]\" }\n";
    let of_bob = |job: String| job.replace("user = \"u", "user = \"bob\" # u");
    let queue = of_bob(running("1", "1:ncpus=8:mem=9gb", "excl", "(n1:ncpus=8:mem=9gb)"))
        + &of_bob(waiting("4", "1:ncpus=4:mem=20gb", "free"));
    let run = made(policy, &node("n[1-3]", "ncpus = 8, mem = \"16gb\""), &queue);
    let found = remedies_of(&run, "4");
    let changes: Vec<&str> = found.iter().map(|remedy| &*remedy.change).collect();
    let cpus = "raise max_run_res.ncpus of bob at the server from 10 to 12";
    assert!(changes.contains(&&*format!("{cpus} and drop mem from the select")), "{changes:?}");
    let less = format!(
        "{cpus} and raise max_run_res.mem of bob at the server from 10gb to 25gb and ask for 16gb mem instead of \
         20gb in chunk 1"
    );
    assert!(changes.contains(&&*less), "{changes:?}");
}

/// Nodes of a rack hold the job, but its buckets do not: the quirk is named.
#[test]
fn the_quirk_by_which_buckets_hold_less_than_nodes_is_named() {
    let policy = "[[resource]]\nname = \"rack\"\ntype = \"string\"\nflag = \"h\"\n\
        [[resource]]\nname = \"ngpus\"\ntype = \"long\"\nflag = \"nh\"\n\
        [sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\", \"ngpus\"]\n\
        [server]\nnode_group_enable = true\nnode_group_key = [\"rack\"]\n[scheduler]\ndo_not_span_psets = true\n";
    let nodes = node("a[1-4]", "ncpus = 8, rack = \"r1\"")
        + &node("b[1-4]", "ncpus = 8, rack = \"r1\", ngpus = 2")
        + &node("c[1-2]", "ncpus = 8, rack = \"r2\"");
    let select = "2:ncpus=8+2:ncpus=4:ngpus=2";
    let run = made(policy, &nodes, &waiting("5", select, "scatter:excl:group=rack"));
    let found = cause(&run, "5");
    assert_eq!(
        found.sentence,
        "4 chunks, and the buckets of none of 2 placement sets hold them even when empty, though the nodes of \
         rack=r1 would (quirk one-sided-match), and it may not span sets: 5 can never run"
    );
    assert!(found.notes[0].starts_with("without quirk one-sided-match it would fit: a node joins"));
}

/// A node that is added sorts before the old ones; the other job keeps its node, and its number in the order changes.
#[test]
fn a_job_that_keeps_its_node_does_not_start_on_another_one() {
    let policy = "[sched_config]\nnode_sort_key = [\"ncpus HIGH\"]\n";
    let nodes = node("n1", "ncpus = 4") + &node("n2", "ncpus = 8");
    let queue = running("1", "1:ncpus=8", "free", "(n2:ncpus=8)")
        + &waiting("2", "1:ncpus=8", "free")
        + &waiting("3", "1:ncpus=4", "free");
    let run = made(policy, &nodes, &queue);
    let found = remedies_of(&run, "2");
    let added = found.iter().find(|remedy| remedy.change.starts_with("add 1 node")).unwrap();
    assert!(added.costs.contains("no other job changes"), "{}", added.costs);
}

/// The limit is full at the end of the cycle, because a later job of the same user took its place.
#[test]
fn a_hold_is_released_alone_where_that_suffices() {
    let of_bob = |job: String| job.replace("user = \"u", "user = \"bob\" # u");
    let held = of_bob(waiting("1", "1:ncpus=8", "free")) + "state = \"H\"\nholds = \"u\"\n";
    let run = made(
        "[server]\nmax_run = \"[u:PBS_GENERIC=1]\"\n",
        &node("n[1-2]", "ncpus = 8"),
        &(held + &of_bob(waiting("2", "1:ncpus=8", "free"))),
    );
    let found = remedies_of(&run, "1");
    let changes: Vec<&str> = found.iter().map(|remedy| &*remedy.change).collect();
    assert_eq!(changes, ["release the hold (u)"]);
}

/// A node has 8 cpus left; beside its other chunk the job may have 6 of them.
#[test]
fn a_chunk_is_made_no_smaller_than_needed() {
    let nodes = node("n1", "ncpus = 8") + &node("n2", "ncpus = 4");
    let run = made("", &nodes, &waiting("1", "1:ncpus=9+1:ncpus=2", "pack"));
    let found = remedies_of(&run, "1");
    let changes: Vec<&str> = found.iter().map(|remedy| &*remedy.change).collect();
    assert!(changes.contains(&"ask for 6 ncpus instead of 9 in chunk 1"), "{changes:?}");
}

/// Limits do not count for a job that an operator starts, but what the server has does.
#[test]
fn a_qrun_raises_no_limit() {
    let of_bob = |job: String| job.replace("user = \"u", "user = \"bob\" # u");
    let policy = "[server]\nmax_run = \"[u:PBS_GENERIC=1]\"\navailable = { ncpus = 16 }\n\
        [sched_config]\npreemptive_sched = false\n";
    let queue = of_bob(running("1", "1:ncpus=8", "free", "(n1:ncpus=8)"))
        + &waiting("2", "1:ncpus=8", "free")
        + &of_bob(waiting("3", "2:ncpus=8", "scatter"));
    let run = made(policy, &node("n[1-3]", "ncpus = 8"), &queue);
    let found = remedies_of(&run, "3");
    let changes: Vec<&str> = found.iter().map(|remedy| &*remedy.change).collect();
    let qrun = changes.iter().find(|change| change.contains("qrun it"));
    let qrun = qrun.unwrap_or_else(|| panic!("{changes:?}"));
    assert!(qrun.starts_with("set resources_available.ncpus of the server to 32 and qrun it"), "{changes:?}");
}

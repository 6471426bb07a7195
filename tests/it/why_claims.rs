//! What a cause or a remedy says of nodes, sets, limits and other jobs is true of the cluster.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cluster::{JobId, Seconds};
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{Remedy, board, causes, estimate_section, forecast, remedies, why};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use super::checked_claims::made;

/// Resources that the scheduler reads, and one of every kind that the tests request.
const POLICY: &str = r#"
    [sched_config]
    resources = ["ncpus", "mem", "host", "vnode", "color", "ngpus"]
    [[resource]]
    name = "color"
    type = "string"
    flag = "h"
    [[resource]]
    name = "ngpus"
    type = "long"
    flag = "nh"
"#;

fn job_of(run: &Run, name: &str) -> JobId {
    run.plan.snap.job_named(name).unwrap()
}

/// Returns the headline of a job.
fn headline(run: &Arc<Run>, job: &str) -> String {
    why(run, job_of(run, job)).headline
}

fn remedies_of(run: &Arc<Run>, job: &str) -> Vec<Remedy> {
    remedies(run, job_of(run, job), &mut |_| ControlFlow::Continue(()))
}

fn changes(run: &Arc<Run>, job: &str) -> Vec<String> {
    remedies_of(run, job).into_iter().map(|remedy| remedy.change).collect()
}

/// Returns a node with amounts, all of TOML.
fn node(name: &str, available: &str) -> String {
    format!("[[node]]\nname = \"{name}\"\navailable = {{ {available} }}\n")
}

/// Returns a waiting job of an hour.
fn waiting(id: &str, select: &str, place: &str) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"u{id}\"\nselect = \"{select}\"\nplace = \"{place}\"\nwalltime = \"01:00:00\"\n"
    )
}

/// Returns a job that runs for another hour and a half.
fn running(id: &str, select: &str, place: &str, on: &str) -> String {
    let job = waiting(id, select, place).replace("01:00:00", "02:00:00");
    format!("{job}started = \"-00:30:00\"\non = \"{on}\"\n")
}

#[test]
fn a_chunk_that_may_not_be_broken_is_compared_with_vnodes() {
    let nodes = node("ha[0-1]", "ncpus = 2, host = \"ha\"") + &node("hb[0-1]", "ncpus = 2, host = \"hb\"");
    let run = made(POLICY, &nodes, &waiting("2", "1:ncpus=3", "vscatter"));
    let expected = "3 ncpus in each chunk, and the most that any of 4 nodes has is 2 (ha0): 2 can never run";
    assert_eq!(headline(&run, "2"), expected);
}

#[test]
fn chunks_placed_in_order_are_no_shortage_and_another_order_is_offered() {
    let nodes = node("a1", "ncpus = 64, color = \"blue\"") + &node("a2", "ncpus = 4, color = \"red\"");
    let queue = waiting("1", "1:ncpus=2+1:ncpus=16", "vscatter")
        + &waiting("2", "1:ncpus=2+1:ncpus=2:color=blue", "scatter");
    let run = made(POLICY, &nodes, &queue);
    let order = "finds no node once those before it are on a1, and chunks are placed in this order";
    for (job, chunk) in [("1", "1 × ncpus=16"), ("2", "1 × ncpus=2:color=blue")] {
        let expected = format!("{job} does not fit even the empty cluster: chunk 2 ({chunk}) {order}");
        assert_eq!(headline(&run, job), expected);
        assert_eq!(changes(&run, job)[0], "put chunk 2 first in the select");
    }
}

#[test]
fn a_set_that_holds_each_chunk_alone_is_not_called_too_small() {
    let of = |name: &str, cpus: u32, host: &str, switch: &str| {
        node(name, &format!("ncpus = {cpus}, host = \"{host}\", switch = [\"{switch}\"]"))
    };
    let nodes = of("a1", 4, "ha", "s1")
        + &of("a2", 4, "ha", "s1")
        + &of("b1", 4, "hb", "s2")
        + &of("b2", 4, "hb", "s2")
        + &of("c1", 8, "hc", "s3")
        + &of("c2", 2, "hd", "s3");
    let policy = format!(
        "{POLICY}\n[[resource]]\nname = \"switch\"\ntype = \"string_array\"\nflag = \"h\"\n\
        [server]\nnode_group_enable = true\nnode_group_key = [\"switch\"]\n\
        [scheduler]\ndo_not_span_psets = true\n"
    );
    let queue = waiting("2", "1:ncpus=2+1:ncpus=8", "scatter") + &waiting("3", "2:ncpus=3+1:ncpus=6", "free");
    let run = made(&policy, &nodes, &queue);
    assert_eq!(
        headline(&run, "2"),
        "2 chunks, and none of 3 placement sets holds them together even when empty, not even switch=s3, which \
         has enough in sum, and it may not span sets: 2 can never run"
    );
    assert_eq!(
        headline(&run, "3"),
        "12 ncpus, and the nearest of 3 placement sets, switch=s3, has 10 even when empty, and it may not span \
         sets: 3 can never run"
    );
}

#[test]
fn the_host_that_is_named_as_too_small_is_smaller_than_what_is_requested() {
    let nodes = node("a[1-2]", "ncpus = 16, ngpus = 0, host = \"ha\"")
        + &node("b[1-2]", "ncpus = 4, ngpus = 4, host = \"hb\"");
    let queue = waiting("1", "1:ncpus=32:ngpus=1", "free")
        + &waiting("2", "1:ncpus=6:ngpus=1+1:ncpus=24", "pack")
        + &waiting("3", "1:ncpus=64", "free");
    let run = made(POLICY, &nodes, &queue);
    for (job, sentence) in [
        (
            "1",
            "32 ncpus in each chunk, and the most that any host with the rest of the chunk has is 8 (host hb, 2 \
             vnodes): 1 can never run",
        ),
        (
            "2",
            "place=pack requires all 2 chunks on one host, 30 ncpus together, and the most that any host with the \
             rest of the job has is 8 (host hb, 2 vnodes): 2 can never run",
        ),
        (
            "3",
            "64 ncpus in each chunk, and the most that any of 2 hosts has is 32 (host ha, 2 vnodes): 3 can never run",
        ),
    ] {
        assert_eq!(headline(&run, job), sentence);
    }
}

/// A job in a state of the dump, with nodes that it had.
fn with_nodes(state: &str, exec_vnode: &str) -> Arc<Run> {
    let mut files = Files::new("small");
    let head = r#""timestamp":1795226609,"pbs_version":"23.06.06","pbs_server":"s""#;
    let node = r#"{"Mom":"n1","state":"free","resources_available":{"ncpus":16,"host":"n1","vnode":"n1"}}"#;
    files.insert("nodes.json", format!(r#"{{{head},"nodes":{{"n1":{node}}}}}"#), None);
    let request = r#"{"select":"2:ncpus=4","place":"free","walltime":"01:00:00"}"#;
    let job = format!(
        r#""Job_Owner":"a@h","queue":"workq","job_state":"{state}","Hold_Types":"u","exec_vnode":"{exec_vnode}","Resource_List":{request}"#
    );
    files.insert("jobs.json", format!(r#"{{{head},"Jobs":{{"51.s":{{{job}}}}}}}"#), None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    Arc::new(run_cycle(Arc::new(snapshot), Quirks::default()))
}

#[test]
fn a_job_that_cannot_have_its_nodes_again_is_explained_in_every_state() {
    let lost = "it returns only to the 2 nodes that it had, and n2 is not in the dump: 51 can never run";
    for state in ["S", "U", "H", "W", "T", "Q", "X"] {
        for (nodes, expected) in [("(n1:ncpus=4)+(n2:ncpus=4)", Some(lost)), ("(n1:ncpus=40)", None)] {
            let run = with_nodes(state, nodes);
            let found = causes(&run, job_of(&run, "51"));
            let never = found.iter().find(|cause| cause.kind == "lost-nodes").map(|cause| &*cause.sentence);
            if state != "X" {
                assert_eq!(never, expected, "{state} {nodes}: {found:?}");
            }
            assert!(board(&run).rows.len() <= 1);
        }
    }
}

#[test]
fn what_the_queue_adds_to_each_chunk_cannot_be_dropped() {
    let nodes = node("n1", "ncpus = 4, color = \"red\"") + &node("n2", "ncpus = 4, color = \"blue\"");
    let queue = "[[queue]]\nname = \"workq\"\ndefault_chunk.color = \"red\"\n".to_owned()
        + &running("1", "1:ncpus=4:color=red", "free", "(n1:ncpus=4)")
        + &waiting("2", "1:ncpus=2", "free")
        + &waiting("3", "1:ncpus=2:color=green", "free");
    // The start that the change gives, if it is offered; `None` for a start in this cycle.
    let dropped = |run: &Arc<Run>, job: &str| {
        let found = remedies_of(run, job).into_iter();
        let mut dropped = found.filter(|remedy| remedy.change == "drop color from the select");
        dropped.next().map(|remedy| remedy.start)
    };
    let run = made(POLICY, &nodes, &queue);
    assert_eq!(dropped(&run, "2"), None);
    let later = dropped(&run, "3").unwrap().unwrap();
    assert_eq!(later, run.plan.snap.now + Seconds(5400), "the queue adds the color of the full node");
    // Without the default, the same change starts the job.
    let run = made(POLICY, &nodes, &queue.replace("default_chunk.color = \"red\"\n", ""));
    assert_eq!(dropped(&run, "3"), Some(None));
}

#[test]
fn a_generic_limit_is_raised_for_the_entity_that_is_named_only() {
    let nodes = node("n1", "ncpus = 4");
    let user = |job: String, user: &str| {
        let id = job.split('"').nth(1).unwrap().to_owned();
        job.replace(&format!("user = \"u{id}\""), &format!("user = \"{user}\""))
    };
    let queue = user(running("1", "1:ncpus=1", "free", "(n1:ncpus=1)"), "ann")
        + &user(running("2", "1:ncpus=1", "free", "(n1:ncpus=1)"), "bob")
        + &user(waiting("3", "1:ncpus=2", "free"), "bob")
        + &user(waiting("4", "1:ncpus=2", "free"), "ann");
    let policy = |max_run: &str| format!("{POLICY}\n[server]\nmax_run = \"{max_run}\"\n");
    let run = made(&policy("[u:PBS_GENERIC=1]"), &nodes, &queue);
    for (job, name) in [("3", "bob"), ("4", "ann")] {
        let raise = format!("raise max_run of {name} at the server from 1 to 2");
        assert!(changes(&run, job).contains(&raise), "{job}: {:?}", changes(&run, job));
        let done = made(&policy(&format!("[u:PBS_GENERIC=1],[u:{name}=2]")), &nodes, &queue);
        let starts = |job: &str| done.is_start(done.outcome(job_of(&done, job)).unwrap());
        assert_eq!((starts("3"), starts("4")), (job == "3", job == "4"));
    }
}

#[test]
fn the_costs_of_a_change_name_top_jobs_without_a_plan_and_jobs_that_start_too() {
    let nodes = node("n1", "ncpus = 4");
    let policy = POLICY.replace("[sched_config]", "[sched_config]\nstrict_ordering = true");
    let long = |id: &str| waiting(id, "1:ncpus=1", "free").replace("01:00:00", "09:00:00");
    let queue = running("1", "1:ncpus=2", "free", "(n1:ncpus=2)")
        + &waiting("2", "1:ncpus=4", "free")
        + &long("3")
        + &long("4");
    let run = made(&policy, &nodes, &queue);
    let found = remedies_of(&run, "3");
    let loose = found.iter().find(|remedy| remedy.change == "switch strict ordering off").unwrap();
    assert!(!loose.is_harmless, "{loose:?}");
    assert_eq!(loose.costs, "top job 2 loses its planned start at 06:10:00 (in 1h30); 4 starts too");
}

#[test]
fn a_running_job_that_is_preempted_keeps_its_request() {
    let nodes = node("n1", "ncpus = 4") + &node("n2", "ncpus = 2");
    let queue = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"express\"\npriority = 200\n".to_owned()
        + &running("1", "1:ncpus=4", "free", "(n1:ncpus=4)")
        + &waiting("2", "1:ncpus=4", "free").replace("user =", "queue = \"express\"\nuser =");
    let run = made(&format!("{POLICY}\n[scheduler]\npreempt_order = \"R\"\n"), &nodes, &queue);
    assert!(!causes(&run, job_of(&run, "1")).is_empty(), "it is preempted");
    let found = changes(&run, "1");
    assert!(!found.iter().any(|change| change.starts_with("ask for 2 ncpus")), "{found:?}");
}

#[test]
fn jobs_on_nodes_that_were_closed_from_the_beginning_took_nothing() {
    let nodes = node("n[1-3]", "ncpus = 4");
    let queue = running("1", "1:ncpus=1", "free", "(n1:ncpus=1)")
        + &waiting("2", "1:ncpus=3", "free")
        + &waiting("3", "2:ncpus=4", "scatter:excl")
        + &waiting("4", "1:ncpus=4", "free:excl");
    let run = made(POLICY, &nodes, &queue);
    let overtaken =
        causes(&run, job_of(&run, "4")).into_iter().find(|cause| cause.kind == "overtaken").unwrap();
    assert_eq!(overtaken.objects, ["3"], "{overtaken:?}");
}

/// With the node, another job takes what the first job of the user needs, so that the limit is not full.
#[test]
fn a_limit_that_need_not_be_raised_is_no_part_of_a_remedy() {
    let policy = format!("{POLICY}\n[server]\nmax_run = \"[u:PBS_GENERIC=1]\"\n");
    let nodes = node("n1", "ncpus = 4, mem = \"8gb\"")
        + &node("n2", "ncpus = 8, mem = \"1gb\"")
        + "state = \"offline\"\n";
    let by_ann = |id: &str, select: &str| waiting(id, select, "free").replace(&format!("u{id}"), "ann");
    let queue = waiting("1", "2:ncpus=4", "scatter")
        + &by_ann("2", "1:ncpus=4:mem=8gb")
        + &by_ann("3", "1:ncpus=4:mem=1gb");
    let run = made(&policy, &nodes, &queue);
    assert!(headline(&run, "3").contains("max_run"), "{}", headline(&run, "3"));
    let found = changes(&run, "3");
    assert!(found.contains(&"bring back 1 node (n2)".to_owned()), "{found:?}");
    assert!(found.iter().all(|change| !change.contains("raise") || !change.contains("n2")), "{found:?}");
}

/// The usage that starts cause is not charged while the cycle is run forward, which the estimate says.
#[test]
fn an_estimate_with_fairshare_states_that_usage_stays() {
    let estimate = |policy: &str| {
        let nodes = node("n1", "ncpus = 4");
        let run = made(
            policy,
            &nodes,
            &(running("1", "1:ncpus=4", "free", "(n1:ncpus=4)") + &waiting("2", "1:ncpus=4", "free")),
        );
        let found = forecast(&run, job_of(&run, "2"), &mut |_| ControlFlow::Continue(())).unwrap();
        let section = estimate_section(&run.plan.snap, &found);
        section.lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join("\n")
    };
    let by_usage = POLICY
        .replace("[sched_config]\n", "[sched_config]\n    fair_share = true\n    unknown_shares = 10\n");
    assert!(estimate(POLICY).contains("assumes walltimes hold and no new jobs, holds or limits"));
    assert!(estimate(&by_usage).contains("and unchanged fair-share usage"), "{}", estimate(&by_usage));
}

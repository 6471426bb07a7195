//! The numbers in the headline of a waiting job: what there is of what it requests, in one unit.

use std::sync::Arc;

use qscope::cycle::run_cycle;
use qscope::explain::{WaitReason, causes};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

/// Returns the headline and the first sentence of job 9 on three nodes of 8 cpus.
fn headline(others: &str, job: &str) -> (String, String) {
    let mut files = Files::new("small");
    files.insert("nodes.toml", "[[node]]\nname = \"n[1-3]\"\navailable = { ncpus = 8 }\n".to_owned(), None);
    let asked = format!("[[job]]\nid = \"9\"\nuser = \"ann\"\nwalltime = \"01:00:00\"\n{job}\n");
    files.insert("queue.toml", format!("now = 1763700000\n{others}{asked}"), None);
    let snapshot = Arc::new(load(&files, &LoadOptions::default()).unwrap());
    let run = Arc::new(run_cycle(snapshot.clone(), Quirks::default()));
    let found = causes(&run, snapshot.job_named("9").unwrap());
    (WaitReason::of(&found).unwrap().headline(), found[0].sentence.clone())
}

/// Returns a running job of so many cpus on a node.
fn running(id: u32, node: u32, ncpus: u32) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"1:ncpus={ncpus}\"\nwalltime = \"02:00:00\"\n\
         started = \"-01:00:00\"\non = \"(n{node}:ncpus={ncpus})\"\n"
    )
}

#[test]
fn what_a_limit_leaves_is_not_called_short() {
    let limited = |limit: u32| {
        let queue = format!("[[queue]]\nname = \"workq\"\nmax_run_res = {{ ncpus = \"[u:ann={limit}]\" }}\n");
        headline(&(queue + &running(1, 1, 6)), "select = \"1:ncpus=7\"").0
    };
    assert_eq!(limited(8), "limit max_run_res.ncpus: 6 of 8 ncpus, 7 requested");
    assert_eq!(limited(5), "limit max_run_res.ncpus: 6 of 5 ncpus, 7 requested");
}

#[test]
fn a_limit_under_which_a_job_never_runs_comes_before_one_that_passes() {
    let queue = "[[queue]]\nname = \"workq\"\nmax_run_res = { ncpus = \"[p:PBS_GENERIC=8],[u:ann=6],[o:PBS_ALL=8]\" }\n";
    let (_, sentence) = headline(&(queue.to_owned() + &running(1, 1, 4)), "select = \"1:ncpus=7\"");
    assert!(sentence.ends_with("it never runs under this limit"), "{sentence}");
}

#[test]
fn a_packed_job_lacks_a_resource_on_one_host() {
    let (text, _) = headline(
        &(running(1, 1, 6) + &running(2, 2, 6) + &running(3, 3, 4)),
        "select = \"2:ncpus=4\"\nplace = \"pack\"",
    );
    assert_eq!(text, "fragmented: 4 of 8 ncpus on one host, 4 short");
}

#[test]
fn whole_nodes_are_counted_for_all_chunks_that_need_one_each() {
    let others = running(2, 2, 1) + &running(3, 3, 1);
    let of = |select: &str, place: &str| {
        headline(&others, &format!("select = \"{select}\"\nplace = \"{place}:excl\""))
    };
    let (text, sentence) = of("2:ncpus=1+1:ncpus=2", "scatter");
    assert_eq!(text, "fragmented: 1 of 3 whole nodes, 2 short");
    assert!(
        sentence.starts_with("3 chunks need whole nodes (excl): of 3 usable 1 is free now,"),
        "{sentence}"
    );
    assert_eq!(of("3:ncpus=5", "free").0, "fragmented: 1 of 3 whole nodes, 2 short");
    // Two chunks fit on each node.
    assert_eq!(of("4:ncpus=4", "free").0, "fragmented: 2 of 4 chunks on whole nodes, 2 short");
}

#[test]
fn packed_chunks_need_one_whole_node() {
    let others = running(1, 1, 1) + &running(2, 2, 1) + &running(3, 3, 1);
    let (text, sentence) = headline(&others, "select = \"3:ncpus=2\"\nplace = \"pack:excl\"");
    assert_eq!(text, "fragmented: 0 of 1 whole node, 1 short");
    assert!(
        sentence.starts_with("3 chunks need one whole node (excl): of 3 usable 0 are free"),
        "{sentence}"
    );
}

#[test]
fn what_nodes_that_are_out_would_have_is_not_counted_as_nodes() {
    let mut files = Files::new("small");
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n[[node]]\nname = \"n2\"\nstate = \"offline\"\navailable = { ncpus = 32 }\n";
    files.insert("nodes.toml", nodes.to_owned(), None);
    let queue = "now = 1763700000\n[[job]]\nid = \"9\"\nselect = \"1:ncpus=32\"\nwalltime = \"01:00:00\"\n";
    files.insert("queue.toml", queue.to_owned(), None);
    let snapshot = Arc::new(load(&files, &LoadOptions::default()).unwrap());
    let run = Arc::new(run_cycle(snapshot.clone(), Quirks::default()));
    let found = causes(&run, snapshot.job_named("9").unwrap());
    let short = found.iter().find(|cause| cause.kind == "nodes").unwrap();
    assert_eq!(
        WaitReason::of(std::slice::from_ref(short)).unwrap().headline(),
        "insufficient nodes: 0 of 32 ncpus, 32 short"
    );
}

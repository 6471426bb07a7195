//! The page of a node begins with the node: its faults, since when, and the comment about them; then the jobs that
//! wait for it.

use std::sync::Arc;

use qscope::cycle::{Run, run_cycle};
use qscope::explain::decision::node_test_after;
use qscope::explain::{NodeReport, node_sections, why_node};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

/// Returns a node with four cpus: its name, its state, and more lines.
fn node(name: &str, state: &str, more: &[&str]) -> String {
    let mut text = format!(
        "{name}\n     Mom = {name}\n     ntype = PBS\n     state = {state}\n     sharing = default_shared\n     \
         resources_available.host = {name}\n     resources_available.vnode = {name}\n     resources_available.ncpus = 4\n"
    );
    more.iter().for_each(|line| text.push_str(&format!("     {line}\n")));
    text + "\n"
}

fn job(id: u32, state: char, ncpus: u32, place: &str, more: &str) -> String {
    format!(
        "Job Id: {id}.s\n    Job_Owner = ann@s\n    euser = ann\n    egroup = g\n    job_state = {state}\n    queue = workq\n    \
         Resource_List.ncpus = {ncpus}\n    Resource_List.select = 1:ncpus={ncpus}\n    Resource_List.place = {place}\n    \
         Resource_List.walltime = 10:00:00\n    schedselect = 1:ncpus={ncpus}\n{more}\n"
    )
}

fn troubled() -> Arc<Run> {
    let running = |on: &str| format!("    exec_vnode = ({on})\n    stime = Fri Nov 21 01:00:00 2025\n");
    let nodes = [
        node(
            "n1",
            "offline",
            &["comment = disk swap (root)", "last_state_change_time = Fri Nov 21 01:40:00 2025"],
        ),
        node("n2", "job-exclusive", &["jobs = 77.s/0", "resources_assigned.ncpus = 4"]),
        node("n3", "free", &["jobs = 5.s/0", "resources_assigned.ncpus = 8"]),
        node("n4", "job-exclusive", &["jobs = 6.s/0, 7.s/0", "resources_assigned.ncpus = 4"]),
        node("n5", "free", &["queue = other", "resources_available.switch = sw1,sw2"]),
        node("n6", "free", &["resources_available.switch = sw1,sw3", "resources_assigned.ncpus = 2"]),
    ];
    let jobs = [
        job(5, 'R', 8, "free", &running("n3:ncpus=8")),
        job(6, 'R', 2, "free:excl", &running("n4:ncpus=2")),
        job(7, 'R', 2, "free:excl", &running("n4:ncpus=2")),
        job(9, 'Q', 3, "free", ""),
    ];
    let queue = |name| {
        format!("Queue: {name}\n    queue_type = Execution\n    enabled = True\n    started = True\n\n")
    };
    let mut files = Files::new("t");
    files.insert("nodes.txt", nodes.concat(), None);
    files.insert("jobs.txt", jobs.concat(), None);
    files.insert("queues.txt", queue("workq") + &queue("other"), None);
    let server = "Server: s\n    server_state = Active\n    default_queue = workq\n    node_group_key = switch\n    node_group_enable = True\n";
    files.insert("server.txt", server, None);
    files.insert("resources.txt", "Resource switch\n    type = string_array\n    flag = h\n", None);
    files.insert("now", "1763700000\n", None);
    let options = LoadOptions::in_zone("UTC");
    Arc::new(run_cycle(Arc::new(load(&files, &options).unwrap()), Quirks::default()))
}

fn story(run: &Arc<Run>, name: &str) -> NodeReport {
    why_node(run, run.plan.snap.node_named(name).unwrap())
}

#[test]
fn what_is_wrong_with_a_node_comes_before_who_waits_for_it() {
    let run = troubled();
    for (name, first, alert) in [
        ("n1", "Node n1: offline, since 01:40:00 (3h00 ago)", None),
        ("n2", "Node n2: job-exclusive", Some("77 is listed on n2 and is not in the job dump")),
        ("n3", "Node n3: full (PBS: free)", Some("more is assigned on n3 than it has: ncpus 8 of 4")),
        ("n4", "Node n4: job-exclusive", Some("n4 has 6, which requests it alone, and 7")),
    ] {
        let found = story(&run, name);
        let sections = node_sections(&run, &found);
        assert_eq!(sections[0].title, first);
        let lines: Vec<&str> = sections[0].lines.iter().map(|line| &*line.text).collect();
        match alert {
            Some(alert) => assert!(lines[0].starts_with(alert), "{name}: {lines:?}"),
            None => assert_eq!(lines[0], "comment: disk swap (root)"),
        }
        assert!(
            sections.iter().skip(1).any(|section| section.title.contains("refused")),
            "{name}: {sections:?}"
        );
    }
}

#[test]
fn a_node_of_another_queue_or_out_of_service_does_not_have_what_a_chunk_wants() {
    let run = troubled();
    for name in ["n1", "n5"] {
        let found = story(&run, name);
        assert_eq!(found.could, Vec::<String>::new(), "{name}");
        assert_eq!(found.refusals.len(), 1, "{name}: {:?}", found.refusals);
    }
    assert!(story(&run, "n5").refusals[0].reason.contains("queue other"), "{:?}", story(&run, "n5").refusals);
}

#[test]
fn every_placement_set_of_a_node_is_shown() {
    let run = troubled();
    assert_eq!(story(&run, "n5").sets, ["switch=sw1", "switch=sw2"]);
    assert_eq!(story(&run, "n6").sets, ["switch=sw1", "switch=sw3"]);
}

/// Every condition of a chunk is listed in the order applied, with what the node has instead (console.md 3, Node
/// page).
#[test]
fn a_node_is_tested_for_a_waiting_job_as_the_cycle_leaves_it() {
    let run = troubled();
    let snap = &run.plan.snap;
    let job = snap.job_named("9.s").unwrap();
    let test = |node: &str| node_test_after(&run, job, run.plan.bit_named[node]).unwrap();
    let failed = |node: &str| {
        let test = test(node);
        let failed = test.conditions.into_iter().filter(|one| !one.passed);
        failed.map(|one| format!("{}: {}", one.label, one.found)).collect::<Vec<String>>()
    };
    assert_eq!(test("n1").part, "1 × ncpus=3");
    assert!(failed("n1").iter().any(|text| text.starts_with("up and licensed")), "{:?}", failed("n1"));
    assert!(failed("n6").iter().any(|text| text.starts_with("ncpus ≥ 3 left")), "{:?}", failed("n6"));
    assert!(failed("n5").iter().any(|text| text.starts_with("queue")), "{:?}", failed("n5"));
}

/// The word is that of the counts of nodes: a node with a job on it is not free, whatever PBS calls it.
#[test]
fn a_partly_used_node_is_not_called_free() {
    let disk = crate::real::named("c01").on_disk();
    let folder = disk.path().join("before");
    let (text, _, _) = crate::record::run(&["why-node", "cn025", folder.to_str().unwrap()], disk.path());
    assert!(text.contains("Node cn025: part after this cycle (PBS: free"), "{text}");
}

//! Whole folders, complete and not.

use super::jobs::NO_PROJECT;
use super::*;
use crate::reader::ReaderKind;
use qscope_engine::cluster::{
    Diagnostic, Node, NodeState, NodeStates, ResourceId, ResourceList, Severity, SnapshotFact,
};

#[test]
fn the_built_in_sample_loads_without_a_complaint() {
    let snapshot = load(&Files::built_in(), &LoadOptions::default()).unwrap();
    assert!(!snapshot.jobs.is_empty());
    let bad: Vec<_> = snapshot.diagnostics.iter().filter(|d| d.severity > Severity::Note).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn subjobs_have_their_arrays_project() {
    let mut files = Files::built_in();
    files.insert(
        "jobs-t.json",
        r#"{"Jobs":{"7[].s":{"Job_Name":"a","job_state":"B","project":"p","array":"True"},
            "7[1].s":{"Job_Name":"a","job_state":"R"},"8.s":{"Job_Name":"b","job_state":"Q"}}}"#,
        None,
    );
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let projects: Vec<_> = snapshot.jobs.iter().map(|job| &*job.project).collect();
    assert_eq!(projects, ["p", "p", NO_PROJECT]);
}

/// Selects and lists of resources are stored once for all jobs that request the same.
#[test]
fn jobs_that_request_the_same_share_it() {
    let job = |id: u32, cores: u32, list: &str| {
        format!(
            r#""{id}.s":{{"job_state":"Q","schedselect":"1:ncpus={cores}","Resource_List":{{{list},"place":"free"}}}}"#
        )
    };
    let (one, other) = (r#""walltime":"01:00:00""#, r#""walltime":"02:00:00""#);
    let jobs = [job(1, 1, one), job(2, 1, one), job(3, 1, other), job(4, 2, one)].join(",");
    let mut files = Files::built_in();
    files.insert("jobs-t.json", format!(r#"{{"Jobs":{{{jobs}}}}}"#), None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let found = |id: &str| &snapshot.jobs[snapshot.job_named(id).unwrap()];
    let select = |id| found(id).select.as_ref().unwrap().text.as_ptr();
    let list = |id| std::ptr::from_ref::<ResourceList>(&found(id).requested);
    let [first, second, third, fourth] = ["1.s", "2.s", "3.s", "4.s"].map(|id| (select(id), list(id)));
    assert_eq!(first, second);
    assert!(first.0 == third.0 && first.1 != third.1);
    assert!(first.0 != fourth.0 && first.1 == fourth.1);
}

#[test]
fn no_nodes_is_an_error_that_names_the_files() {
    let files = Files::new("here");
    let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("here") && error.contains("nodes.json"), "{error}");
    let mut files = Files::new("here");
    files.insert("nodes.txt", "", None);
    let error = load(&files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nodes.txt") && error.contains("pbsnodes -av"), "{error}");
}

/// A script states no use, so what runs is counted: for the server also running reservations, instead of the jobs in
/// them.
#[test]
fn what_a_script_does_not_state_is_counted_from_the_jobs() {
    let script = "create resource lic\nset resource lic type = long\nset resource lic flag = q\n\
                  create queue q\nset queue q queue_type = Execution\nset queue q resources_available.lic = 5\n\
                  set server resources_available.lic = 8\n";
    let job = |id: u32, state: char, queue: &str| {
        format!(
            "Job Id: {id}.s\n    Job_Name = a\n    job_state = {state}\n    queue = {queue}\n    \
             Resource_List.lic = {id}\n    Resource_List.select = 1:ncpus=1\n\n"
        )
    };
    let mut files = Files::new("t");
    files.insert(
        "nodes.txt",
        "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n",
        None,
    );
    files.insert("jobs.txt", [job(1, 'R', "q"), job(2, 'R', "other"), job(4, 'Q', "q")].concat(), None);
    for slot in ["server.txt", "queues.txt", "resources.txt"] {
        files.place(slot, "qmgr.out", ReaderKind::Script, Ok(script.into()), None);
    }
    let of_both = |files: &Files| {
        let snapshot = load(files, &LoadOptions::default()).unwrap();
        let lic = snapshot.catalogue.id("lic").unwrap();
        let queue = snapshot.queue_named("q").unwrap();
        let amounts = [&snapshot.server.assigned, &snapshot.queues[queue].assigned];
        (amounts.map(|list| list.amount(lic).map(|amount| amount.0)), snapshot)
    };
    let (amounts, snapshot) = of_both(&files);
    assert_eq!(amounts, [Some(3.0), Some(1.0)]);
    let reported: Vec<String> = snapshot.reported("server-counted").map(ToString::to_string).collect();
    assert_eq!(reported, ["qmgr.out: shows no use of lic; counted what running jobs request"]);
    // What a dump states counts as it is.
    let server = "Server: s\n    server_state = Active\n    resources_available.lic = 8\n    resources_assigned.lic = 7\n";
    files.insert("server.txt", server, None);
    let (amounts, snapshot) = of_both(&files);
    assert_eq!((amounts, snapshot.reported("server-counted").count()), ([Some(7.0), Some(1.0)], 0));
}

/// A script of vnodes lists no jobs, so what runs takes its vnodes by its exec_vnode (sites 3.4), each time it is read.
#[test]
fn what_runs_takes_the_vnodes_that_a_script_shows_free() {
    let script = "create node n1\nset node n1 resources_available.ncpus = 4\nset node n1 state = offline\n\
                  create node n2\nset node n2 resources_available.ncpus = 4\n";
    let job = |id: u32, state: char, place: &str| {
        format!(
            "Job Id: {id}.s\n    Job_Name = a\n    job_state = {state}\n    queue = q\n    \
             Resource_List.place = {place}\n    Resource_List.select = 1:ncpus=3\n    \
             exec_vnode = (n{id}:ncpus=3)\n\n"
        )
    };
    let mut files = Files::new("t");
    files.place("nodes.txt", "nodes.txt", ReaderKind::Script, Ok(script.into()), None);
    files.insert("jobs.txt", [job(1, 'R', "free"), job(2, 'R', "excl")].concat(), None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let taken = |node: &Node| (node.assigned.amount(ResourceId::ncpus()).unwrap().0, node.jobs.len());
    assert_eq!(snapshot.nodes.iter().map(taken).collect::<Vec<_>>(), [(3.0, 1), (3.0, 1)]);
    let states: Vec<NodeStates> = snapshot.nodes.iter().map(|node| node.states).collect();
    let [first, second] =
        [NodeState::Offline, NodeState::JobExclusive].map(|state| NodeStates::default().with(state));
    assert_eq!(states, [first, second]);
    let between = |found: &&Diagnostic| found.code.starts_with("job") || found.code.starts_with("node");
    let codes: Vec<&str> = snapshot.diagnostics.iter().filter(between).map(|found| found.code).collect();
    assert_eq!(codes, ["nodes-counted"], "vnodes and jobs agree");
}

/// A job that takes a whole host takes every vnode of it and no other; vnodes that did not change are those of the
/// last reading.
#[test]
fn vnodes_of_a_script_are_taken_by_host_and_shared_between_readings() {
    let node = |name: &str, host: &str| {
        let host = if host.is_empty() {
            String::new()
        } else {
            format!("set node {name} resources_available.host = {host}\n")
        };
        format!("create node {name}\nset node {name} resources_available.ncpus = 4\n{host}")
    };
    let script =
        [("a1", "a"), ("a2", "a"), ("b1", "b"), ("c", ""), ("d", "")].map(|(name, host)| node(name, host));
    let mut files = Files::new("t");
    files.place("nodes.txt", "nodes.txt", ReaderKind::Script, Ok(script.concat().into()), None);
    let job = |id: u32, on: &str, place: &str| {
        format!(
            "Job Id: {id}.s\n    Job_Name = a\n    job_state = R\n    queue = q\n    \
             Resource_List.place = {place}\n    Resource_List.select = 1:ncpus=1\n    exec_vnode = ({on}:ncpus=1)\n\n"
        )
    };
    let mut memory = ReadCache::default();
    let mut read = |jobs: &[String]| {
        files.insert("jobs.txt", jobs.concat(), None);
        load_again(&files, &LoadOptions::default(), &mut memory).unwrap()
    };
    let whole = [job(1, "a2", "exclhost"), job(2, "c", "exclhost")];
    let first = read(&whole);
    let taken: Vec<&str> = first
        .nodes
        .iter()
        .filter(|node| node.states.has(NodeState::JobExclusive))
        .map(|node| &*node.name)
        .collect();
    assert_eq!(taken, ["a1", "a2", "c"]);
    assert_eq!(read(&whole).nodes.not_shared_with(&first.nodes).count(), 0);
    let third = read(&[&whole[..], &[job(3, "b1", "free")]].concat());
    assert!(third.nodes.not_shared_with(&first.nodes).eq(third.node_named("b1")));
}

/// Without one readable job the answers would look as if there were none.
#[test]
fn a_dump_whose_jobs_are_all_left_out_holds_none() {
    let mut files = Files::new("t");
    files.insert(
        "nodes.txt",
        "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n",
        None,
    );
    let job =
        |state: &str| format!("Job Id: 1.s\n    Job_Name = a\n    job_state = {state}\n    queue = q\n\n");
    let found = |text: String| {
        let mut files = files.clone();
        files.insert("jobs.txt", text, None);
        let snapshot = load(&files, &LoadOptions::default()).unwrap();
        (snapshot.no_dumps().count(), snapshot.origins.of(SnapshotFact::AllJobs).is_seen())
    };
    assert_eq!(found(job("?")), (1, false));
    assert_eq!(found(job("F")), (0, true), "a finished job is none that waits");
    assert_eq!(found(job("Q")), (0, true));
}

#[test]
fn a_reservation_on_a_vnode_that_does_not_exist_is_reported() {
    let mut files = Files::new("t");
    files.insert(
        "nodes.txt",
        "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n",
        None,
    );
    let reservation = |id: u32, vnode: &str, state: &str| {
        format!(
            "Resv ID: R{id}.s\nreserve_state = {state}\nreserve_start = 1763700000\nreserve_end = 1763703600\n\
             resv_nodes = ({vnode}:ncpus=1)\n\n"
        )
    };
    let (soon, over) = ("RESV_CONFIRMED", "RESV_FINISHED");
    let all = [reservation(1, "n1", soon), reservation(2, "n9", soon), reservation(3, "n9", over)].concat();
    files.insert("resvs.txt", all, None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let reported: Vec<String> = snapshot.reported("reservation-nodes").map(ToString::to_string).collect();
    assert_eq!(reported, ["resvs.txt (R2.s): on vnode n9, which does not exist"]);
}

/// A table of `pbsnodes -aSj` lists jobs without their server.
#[test]
fn the_jobs_of_a_node_table_are_those_of_the_job_dump() {
    let table = "\
                                                        mem       ncpus   nmics   ngpus
vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs
--------------- --------------- ------ ----- ------ ------------ ------- ------- ------- -------
n1              free                 2     2      0    56gb/64gb    8/16     0/0     0/0 12,14[3]
";
    let mut files = Files::new("t");
    files.place("nodes.txt", "nodes.txt", ReaderKind::NodeTable, Ok(table.into()), None);
    files.insert(
        "jobs.txt",
        "Job Id: 12.s\n    job_state = R\n    exec_vnode = (n1:ncpus=2)\n    Resource_List.ncpus = 2\n\n",
        None,
    );
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let node = snapshot.nodes.iter().next().unwrap();
    assert_eq!(node.jobs.iter().map(|id| &**id).collect::<Vec<_>>(), ["12.s", "14[3].s"]);
}

#[test]
fn text_dumps_state_the_version_in_their_records() {
    let mut files = Files::new("t");
    files.insert("nodes.txt", "n1\n     Mom = n1\n     pbs_version = 23.06.06\n     state = free\n\n", None);
    files.insert("server.txt", "Server: s\n    server_state = Active\n    pbs_version = 23.06.06\n\n", None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    let versions: Vec<_> = snapshot.files.iter().map(|file| (&*file.name, file.version.as_deref())).collect();
    assert!(versions.contains(&("nodes.txt", Some("23.06.06"))), "{versions:?}");
    assert!(versions.contains(&("server.txt", Some("23.06.06"))), "{versions:?}");
}

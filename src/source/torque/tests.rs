use super::*;
use crate::record::Record;
use proptest::prelude::*;
use std::ops::ControlFlow;

type Read = Vec<(String, Vec<(String, String)>)>;

fn records(kind: DumpKind, beside: &TorqueContext, text: &str) -> (Read, Vec<String>) {
    let (mut all, mut log) = (Vec::new(), DiagnosticLog::default());
    let mut take = |record: &Record<'_>, _: &mut DiagnosticLog| {
        all.push((record.name.to_string(), record.pairs()));
        ControlFlow::Continue(())
    };
    let is_xml = text.starts_with('<');
    read(RawDump::new(kind, text.as_bytes()), is_xml, beside, &mut log, &mut take);
    (all, log.finish().0.iter().map(ToString::to_string).collect())
}

fn value<'r>(record: &'r (String, Vec<(String, String)>), name: &str) -> &'r str {
    record.1.iter().rev().find(|(have, _)| have == name).map_or("", |(_, value)| value)
}

const NODES: &str = "\
n1
     state = job-exclusive
     power_state = Running
     np = 8
     properties = fast,ib
     ntype = cluster
     jobs = 0-3,6/12.srv,4-5,7/13.srv
     status = rectime=1772440000,message=ERROR: disk full,check n1,loadave=7.50,physmem=65536kb,totmem=98304kb
     note = two, commas
     gpus = 2

n2
     state = offline
     power_state = Sleep
     np = 4
     ntype = cluster
";

#[test]
fn a_node_of_torque_in_words_of_pbs() {
    let (all, _) = records(DumpKind::Nodes, &TorqueContext::default(), NODES);
    assert_eq!(all.len(), 2);
    let n1 = &all[0];
    assert_eq!(value(n1, "state"), "job-busy");
    assert_eq!(value(n1, "resources_available.ncpus"), "8");
    assert_eq!(value(n1, "resources_available.ngpus"), "2");
    assert_eq!(value(n1, "resources_available.fast"), "True");
    assert_eq!(value(n1, "resources_available.mem"), "65536kb");
    assert_eq!(value(n1, "resources_assigned.ncpus"), "8");
    assert_eq!(value(n1, "jobs"), "12.srv/0, 13.srv/0");
    assert_eq!(value(n1, "loadave"), "7.50");
    assert_eq!(value(n1, "comment"), "two, commas");
    assert_eq!(value(&all[1], "state"), "offline,sleep");
}

#[test]
fn the_same_node_in_xml() {
    let text = "<Data><Node><name>n1</name><state>job-exclusive</state><np>8</np><properties>fast,ib</properties><ntype>cluster</ntype><jobs>0-3,6/12.srv,4-5,7/13.srv</jobs><status>loadave=7.50,physmem=65536kb</status></Node></Data>";
    let (all, _) = records(DumpKind::Nodes, &TorqueContext::default(), text);
    assert_eq!(value(&all[0], "resources_assigned.ncpus"), "8");
    assert_eq!(value(&all[0], "state"), "job-busy");
}

const JOBS: &str = "\
Job Id: 12.srv
    Job_Name = a
    Job_Owner = ann@head
    resources_used.walltime = 0:01:00:00
    job_state = R
    queue = batch
    exec_host = n1/0-3,6
    exec_gpus = n1-gpu/0+n1-gpu/1
    exec_port = 15003
    Resource_List.mem = 5gb
    Resource_List.neednodes = n1:ppn=5
    Resource_List.nodes = 1:ppn=5:fast
    Resource_List.walltime = 1:00:00:00
    Variable_List = SECRET=1
    start_time = Mon Mar  2 10:00:00 2026
    start_count = 1
    submit_args = -v SECRET=1

Job Id: 14.srv
    Job_Name = b
    job_state = Q
    queue = batch
    Resource_List.nodes = 2:ppn=4+n2
    x = FEATURE:ib;PREF:fast;NALLOCPOLICY:FASTEST;NACCESSPOLICY:SINGLEJOB

Job Id: 15.srv
    Job_Name = c
    job_state = C
    queue = batch
    Resource_List.procs = 6

Job Id: 16[].srv
    Job_Name = d
    job_state = Q
    job_array_request = 1-10,15%5
    Resource_List.nodes = 2
";

#[test]
fn jobs_of_torque_in_words_of_pbs() {
    let beside = TorqueContext {
        hosts: Arc::new(names(false, NODES.as_bytes())),
        node_match: TorqueNodeMatch::Unknown,
    };
    let (all, reported) = records(DumpKind::Jobs, &beside, JOBS);
    let [a, b, c, d] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(value(a, "exec_vnode"), "(n1:ncpus=5:ngpus=2)");
    assert_eq!(value(a, "Resource_List.select"), "1:ncpus=5:mem=5242880kb:fast=True");
    assert_eq!((value(a, "resources_used.walltime"), value(a, "Resource_List.walltime")), ("3600", "86400"));
    assert_eq!((value(a, "stime"), value(a, "run_count")), ("Mon Mar  2 10:00:00 2026", "1"));
    assert!(!format!("{a:?}").contains("SECRET"));
    assert_eq!(value(b, "Resource_List.select"), "2:ncpus=4:ib=True+1:ncpus=1:vnode=n2:ib=True");
    // A job with options of Maui is interpreted as by Maui.
    assert_eq!(value(b, "Resource_List.place"), "free:excl");
    assert_eq!((value(b, "PREF"), value(b, "NALLOCPOLICY")), ("fast", "FASTEST"));
    assert_eq!((value(c, "job_state"), value(c, "Resource_List.select")), ("F", "6:ncpus=1"));
    assert_eq!((value(d, "array_indices_remaining"), value(d, "max_run_subjobs")), ("1-10,15", "5"));
    assert_eq!(value(d, "Resource_List.place"), "scatter");
    assert_eq!(
        reported,
        ["nodes= of 1 job taken as distinct nodes, as Torque does, and of 1 job as tasks, as Maui does"]
    );
}

#[test]
fn a_request_that_cannot_be_read_is_unknown_and_reported() {
    let text = "Job Id: 1.s\n    job_state = Q\n    Resource_List.nodes = 2:ppn=many\n";
    let (all, reported) = records(DumpKind::Jobs, &TorqueContext::default(), text);
    assert_eq!(value(&all[0], "Resource_List.select"), "");
    assert!(reported[0].contains("found `2:ppn=many`; expected parts such as 2:ppn=4:fast"), "{reported:?}");
}

#[test]
fn what_is_left_of_the_time_shows_what_was_used() {
    let text = "Job Id: 1.s\n    job_state = R\n    Resource_List.walltime = 02:00:00\n    Walltime.Remaining = 600\n";
    let (all, _) = records(DumpKind::Jobs, &TorqueContext::default(), text);
    assert_eq!(value(&all[0], "resources_used.walltime"), "6600");
}

#[test]
fn silent_daemons_and_left_over_jobs_are_reported() {
    let node = |name: &str, state: &str, status: &str| {
        format!(
            "{name}\n     state = {state}\n     np = 8\n     ntype = cluster\n     jobs = 0-3/12.srv,4/13[2].srv\n     status = {status}\n\n"
        )
    };
    let text = [
        node("n1", "free", "rectime=1772440000,jobs=12.srv 13[2].srv 99.srv,state=free"),
        node("n2", "free", "rectime=1772439000,loadave=0.00"),
        node("n3", "down", "rectime=1772430000,jobs=,ncpus=8"),
    ]
    .concat();
    let (_, reported) = records(DumpKind::Nodes, &TorqueContext::default(), &text);
    assert_eq!(
        reported,
        [
            ":6 (n1): its daemon runs 99.srv, which the server does not list on it: left over",
            "its daemon is silent: last report 1000 s before the newest of all nodes; what it shows is stale"
        ]
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), is_xml: bool) {
        for kind in [DumpKind::Nodes, DumpKind::Jobs] {
            let mut log = DiagnosticLog::default();
            read(RawDump::new(kind, &bytes), is_xml, &TorqueContext::default(), &mut log, &mut |_, _| ControlFlow::Continue(()));
        }
    }

    #[test]
    fn a_damaged_attribute_costs_no_neighbour(junk in "[ -~]{0,60}") {
        let text = format!("Job Id: 1.s\n    job_state = Q\n    Resource_List.nodes = {junk}\n\nJob Id: 2.s\n    job_state = Q\n\n");
        let (all, _) = records(DumpKind::Jobs, &TorqueContext::default(), &text);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        prop_assert_eq!(names, ["1.s", "2.s"]);
    }
}

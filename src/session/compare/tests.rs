use std::sync::Arc;

use super::*;
use qscope_engine::cluster::{Edit, NodeState, Snapshot};
use qscope_engine::cycle::run_cycle;
use qscope_engine::universe::{Quirk, Quirks};
use qscope_source::{Files, LoadOptions, load};

const NODES: &str = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";
const START: &str = "now = 1763700000\n[[queue]]\nname = \"workq\"\n";

fn job(id: &str, rest: &str) -> String {
    format!("[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nwalltime = \"01:00:00\"\n{rest}\n")
}

fn read(nodes: &str, jobs: &[String]) -> Snapshot {
    let mut files = Files::new("t");
    files.insert("nodes.toml", nodes, None);
    files.insert("queue.toml", format!("{START}{}", jobs.concat()), None);
    load(&files, &LoadOptions::default()).unwrap()
}

fn cycle(snap: Snapshot) -> Run {
    run_cycle(Arc::new(snap), Quirks::default())
}

fn kinds(comparison: &Comparison) -> Vec<(&str, &str)> {
    comparison.jobs.iter().map(|change| (change.job.split('.').next().unwrap(), change.kind.word())).collect()
}

const RUNS: &str = "select = \"1:ncpus=4\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=4)\"";
const FOUR: &str = "select = \"1:ncpus=4\"";
const NINE: &str = "select = \"1:ncpus=9\"";

#[test]
fn a_cycle_does_not_differ_from_itself() {
    let run = cycle(read(NODES, &[job("1", RUNS), job("2", FOUR), job("3", FOUR), job("4", NINE)]));
    assert_eq!(
        Comparison::of(&run, &run),
        Comparison { from: run.plan.snap.now, to: run.plan.snap.now, ..Comparison::default() }
    );
}

/// Shows what made room for a job that starts, and what took the nodes of one that does not.
#[test]
fn a_changed_verdict_has_what_happened_on_its_nodes() {
    let old = cycle(read(NODES, &[job("1", RUNS), job("2", &FOUR.replace("1:", "2:")), job("3", FOUR)]));
    let new = cycle(read(NODES, &[job("2", &FOUR.replace("1:", "2:")), job("3", FOUR)]));
    let since_of = |found: &Comparison, id: &str| {
        let change = found.jobs.iter().find(|change| change.job.split('.').next() == Some(id));
        change.and_then(|change| change.since.clone())
    };
    assert_eq!(since_of(&Comparison::of(&old, &new), "2").as_deref(), Some("1 ended there"));
    let other = RUNS.replace("n1", "n2");
    let new = cycle(read(
        NODES,
        &[job("1", RUNS), job("2", &FOUR.replace("1:", "2:")), job("3", FOUR), job("4", &other)],
    ));
    let old = cycle(read(NODES, &[job("1", RUNS), job("3", FOUR), job("4", FOUR)]));
    assert_eq!(since_of(&Comparison::of(&old, &new), "3").as_deref(), Some("4 started there"));
}

#[test]
fn jobs_start_end_come_and_go() {
    let old = cycle(read(NODES, &[job("1", RUNS), job("2", FOUR), job("3", FOUR), job("5", NINE)]));
    let on_2 = RUNS.replace("n1", "n2");
    let new = cycle(read(NODES, &[job("2", &on_2), job("3", FOUR), job("4", FOUR)]));
    let found = Comparison::of(&old, &new);
    // Job 3 waited behind job 2, and starts now.
    assert_eq!(
        kinds(&found),
        [("2", "started"), ("1", "ended"), ("4", "new"), ("5", "left"), ("3", "verdict")]
    );
    let started = found.jobs_that(JobChangeKind::Started).next().unwrap();
    assert_eq!(started.after.as_ref().unwrap().nodes.as_deref(), Some("(n2:ncpus=4)"));
    let back = Comparison::of(&new, &old);
    assert_eq!(kinds(&back)[..3], [("1", "started"), ("2", "stopped"), ("5", "new")]);
}

#[test]
fn verdict_reason_and_numbers_are_distinguished() {
    let jobs = [job("1", FOUR), job("2", NINE)];
    let old = cycle(read(NODES, &jobs));
    let offline = NODES.replace("available", "state = \"offline\"\navailable");
    let found = Comparison::of(&old, &cycle(read(&offline, &jobs)));
    assert_eq!(kinds(&found)[0], ("1", "verdict"));
    let (small, nine) = (NODES.replace("ncpus = 4", "ncpus = 3"), &jobs[1..]);
    let found = Comparison::of(&cycle(read(NODES, nine)), &cycle(read(&small, nine)));
    assert_eq!(kinds(&found), [("2", "numbers")]);
    let altered = [jobs[0].replace("01:00:00", "02:00:00"), jobs[1].clone()];
    let found = Comparison::of(&old, &cycle(read(NODES, &altered)));
    assert_eq!(kinds(&found), [("1", "altered")]);
    assert_eq!(found.jobs[0].altered[0].name, "Resource_List.walltime");
}

#[test]
fn nodes_change_state_size_and_what_is_free() {
    let old = cycle(read(NODES, &[job("1", FOUR)]));
    let nodes = "[[node]]\nname = \"n1\"\nstate = \"offline\"\navailable = { ncpus = 4 }\n[[node]]\nname = \"n3\"\n\
                 available = { ncpus = 4 }\n";
    let found = Comparison::of(&old, &cycle(read(nodes, &[job("1", FOUR)])));
    let kinds: Vec<_> = found.nodes.iter().map(|node| (&*node.node, node.kind)).collect();
    assert_eq!(
        kinds,
        [("n1", NodeChangeKind::State), ("n3", NodeChangeKind::Added), ("n2", NodeChangeKind::Removed)]
    );
    assert!(found.nodes[0].after.unwrap().has(NodeState::Offline));

    let found = Comparison::of(&old, &cycle(read(NODES, &[job("1", RUNS)])));
    let node = found.nodes.iter().find(|node| &*node.node == "n1").unwrap();
    let free: Vec<_> = node.free.iter().map(|free| (&*free.resource, free.after.clone().unwrap())).collect();
    assert_eq!(free, [("ncpus", "0".to_owned())]);
    assert_eq!(node.arrived.len(), 1);
}

#[test]
fn settings_are_named_as_they_are_set() {
    let snap = read(NODES, &[job("1", FOUR)]);
    let old = cycle(snap.clone());
    let (mut server, mut policy) = (snap.server.clone(), snap.policy.clone());
    server.backfill_depth = Some(7);
    policy.strict_ordering.prime = !policy.strict_ordering.prime;
    let id = snap.queue_named("workq").unwrap();
    let mut queue = snap.queues[id].clone();
    queue.started = false;
    let edits =
        [Edit::Server(Box::new(server)), Edit::Policy(Box::new(policy)), Edit::Queue(id, Box::new(queue))];
    let mut quirks = Quirks::default();
    quirks.set(Quirk::ALL[0], !quirks.has(Quirk::ALL[0]));
    let found = Comparison::of(&old, &run_cycle(Arc::new(snap.with(&edits)), quirks));
    let names: Vec<_> = found.settings.iter().map(|change| (&*change.object, &*change.field.name)).collect();
    assert_eq!(
        names,
        [
            ("server", "backfill_depth"),
            ("sched_config", "strict_ordering"),
            ("queue workq", "started"),
            ("qscope", Quirk::ALL[0].name())
        ]
    );
    assert_eq!(found.settings[1].field.after.as_deref(), Some("True prime, False non_prime"));
}

/// Returns the dumps of one side; the queue is stopped if there is a dump of the queues.
fn dumps(with_queues: bool, moment: u32) -> Run {
    let mut files = Files::new("t");
    let nodes = r#""nodes":{"n1":{"Mom":"n1","state":"free","resources_available":{"ncpus":4}}}}"#;
    let jobs = r#""Jobs":{"1.s":{"Job_Owner":"ann@s","job_state":"Q","queue":"q","Resource_List":{"select":"1:ncpus=1","ncpus":1}}}}"#;
    files.insert("nodes.json", format!("{{\"timestamp\":{moment},{nodes}"), None);
    files.insert("jobs.json", format!("{{\"timestamp\":{moment},{jobs}"), None);
    if with_queues {
        let queue = r#"{"Queue":{"q":{"queue_type":"Execution","enabled":"True","started":"False"}}}"#;
        files.insert("queues.json", queue, None);
    }
    cycle(load(&files, &LoadOptions::default()).unwrap())
}

#[test]
fn what_one_side_lacks_is_no_change() {
    let found = Comparison::of(&dumps(true, 100), &dumps(false, 160));
    assert!(!found.differs(), "{found:?}");
    assert_eq!(found.uncertain.len(), 1, "the queue is stopped, and the other side has no record of it");
    assert_eq!(found.doubt.as_deref(), Some("read on one side only: queues"));
    assert_eq!(Comparison::of(&dumps(true, 100), &dumps(true, 160)).doubt, None);
}

#[test]
fn what_a_cycle_changes_is_itself_left_and_right() {
    let run = Arc::new(cycle(read(NODES, &[job("1", RUNS), job("2", FOUR), job("3", FOUR), job("4", NINE)])));
    let (title, lines) = in_cycle::changes(&run);
    assert_eq!(title, "jobs: 1 start, 1 node");
    let shown: Vec<String> = lines
        .iter()
        .map(|line| format!("{} | {} | {}", line.name, line.sides.left.text, line.sides.right.text))
        .collect();
    assert_eq!(shown, ["2 | waits | starts on n2", "n2 | free, 4 ncpus | job-busy, 0 ncpus"]);
}

/// Consecutive starts of subjobs on the same node are one line; an unaffected node has none.
#[test]
fn subjobs_that_start_alike_are_one_line() {
    let array = "select = \"1:ncpus=1\"\narray = \"1-3\"";
    let run = Arc::new(cycle(read(NODES, &[job("7[]", array)])));
    let (title, lines) = in_cycle::changes(&run);
    assert_eq!(title, "jobs: 3 start, 1 node");
    let names: Vec<(&str, &str)> = lines.iter().map(|line| (line.group, &*line.name)).collect();
    assert_eq!(names, [("start in this cycle", "7[1-3]"), ("nodes: what is left", "n1")]);
}

#[test]
fn a_subjob_that_runs_is_compared_with_its_start_in_the_cycle() {
    let array = "select = \"1:ncpus=4\"\narray = \"1-2\"";
    let old = cycle(read(NODES, &[job("7[]", array)]));
    let runs = "select = \"1:ncpus=4\"\nstarted = \"-00:00:10\"\non = \"(n1:ncpus=4)\"";
    let new = cycle(read(NODES, &[job("7[]", "select = \"1:ncpus=4\"\narray = \"2\""), job("7[1]", runs)]));
    let found = Comparison::of(&old, &new);
    let change = found.jobs.iter().find(|change| change.job.starts_with("7[1]")).unwrap();
    assert_eq!(change.kind, JobChangeKind::Started);
    assert_eq!(change.before.as_ref().and_then(|before| before.nodes.as_deref()), Some("(n1:ncpus=4)"));
}

/// An array whose subjobs change places uses the same nodes on both sides, which would not show the change.
#[test]
fn subjobs_that_change_places_are_named() {
    let node = |name: &str| format!("[[node]]\nname = \"{name}\"\navailable = {{ ncpus = 4 }}\n");
    let array = |nodes: &[String]| {
        cycle(read(&nodes.concat(), &[job("7[]", "select = \"1:ncpus=4\"\narray = \"1-2\"")]))
    };
    let (old, new) = (array(&[node("n1"), node("n2")]), array(&[node("n2"), node("n1")]));
    let found = Comparison::of(&old, &new);
    assert_eq!(kinds(&found), [("7[1]", "nodes"), ("7[2]", "nodes")]);
    let nodes = |side: &Option<JobSituation>| side.as_ref().and_then(|side| side.nodes.clone()).unwrap();
    assert_ne!(nodes(&found.jobs[0].before), nodes(&found.jobs[0].after));
}

#[test]
fn an_object_that_came_or_went_is_named_by_itself() {
    let change = |name: &str, before: Option<&str>, after: Option<&str>| {
        let value = |text: Option<&str>| text.map(ToOwned::to_owned);
        let field = FieldChange { name: name.to_owned(), before: value(before), after: value(after) };
        SettingChange { object: "reservation R1".to_owned(), queue: None, field }.subject()
    };
    assert_eq!(change(settings::THERE, Some("yes"), None), "reservation R1 is gone");
    assert_eq!(change(settings::THERE, None, Some("yes")), "reservation R1 is new");
    assert_eq!(change("reserve_end", Some("1"), Some("2")), "reserve_end");
}

#[test]
fn a_changed_reservation_is_no_setting() {
    let change = |object: &str| SettingChange {
        object: object.to_owned(),
        queue: None,
        field: FieldChange {
            name: "x".to_owned(),
            before: Some("1".to_owned()),
            after: Some("2".to_owned()),
        },
    };
    let settings = vec![change("reservation R1"), change("server")];
    let found = Comparison { settings, ..Comparison::default() };
    assert_eq!(changes::summary(&found), "1 setting, 1 reservation");
    let lines = changes::lines(&found, &read(NODES, &[]));
    let groups: Vec<&str> = lines.iter().map(|line| line.group).collect();
    assert_eq!(groups, ["settings", "reservations"]);
}

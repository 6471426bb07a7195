//! What-ifs about things that no dump has: another allocation policy, more nodes, a later moment; alone and combined.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Two half-taken nodes, one by each queue's job, and a free one that is faster and larger.
const NODES: &str = r#"
[[node]]
name = "a"
available = { ncpus = 8, mem = "16gb" }
procspeed = 2000
[[node]]
name = "b"
available = { ncpus = 8, mem = "16gb" }
procspeed = 2000
[[node]]
name = "c"
available = { ncpus = 16, mem = "64gb" }
procspeed = 3000
"#;

const QUEUE: &str = r#"
now = 1763700000
[[queue]]
name = "atlas"
[[queue]]
name = "cms"
[[job]]
id = "1"
queue = "atlas"
select = "1:ncpus=4"
walltime = "02:00:00"
started = "-01:00:00"
on = "(b:ncpus=4)"
[[job]]
id = "2"
queue = "cms"
select = "1:ncpus=4"
walltime = "04:00:00"
started = "-01:00:00"
on = "(a:ncpus=4)"
[[job]]
id = "3"
queue = "atlas"
select = "1:ncpus=2"
walltime = "01:00:00"
[[job]]
id = "4"
queue = "cms"
select = "1:ncpus=2"
walltime = "01:00:00"
[[job]]
id = "5"
queue = "cms"
select = "1:ncpus=24"
walltime = "01:00:00"
place = "pack"
"#;

fn cluster(nodes: &str, queue: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.path().join("queue.toml"), queue).unwrap();
    folder
}

fn qscope(command: &[&str], folder: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qscope")).args(command).arg(folder).args(more).output().unwrap()
}

fn json(command: &[&str], folder: &Path, more: &[&str]) -> Value {
    let output = qscope(command, folder, &[more, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"))
}

/// Returns the node of a job of one chunk; empty if it does not start.
fn node_of(cycle: &Value, id: &str) -> String {
    let jobs = cycle["jobs"].as_array().unwrap();
    let job = jobs.iter().find(|job| job["id"].as_str().unwrap().split('.').next() == Some(id)).unwrap();
    let on = job["exec_vnode"].as_str().unwrap_or_default();
    on.trim_start_matches('(').split(':').next().unwrap_or_default().to_owned()
}

fn nodes(folder: &TempDir, more: &[&str]) -> [String; 2] {
    let cycle = json(&["cycle"], folder.path(), more);
    [node_of(&cycle, "3"), node_of(&cycle, "4")]
}

#[test]
fn a_policy_is_for_the_cluster_a_queue_or_a_job() {
    let folder = cluster(NODES, QUEUE);
    assert_eq!(nodes(&folder, &[]), ["a", "a"]);
    assert_eq!(nodes(&folder, &["--policy", "fastest"]), ["c", "c"]);
    assert_eq!(nodes(&folder, &["--set", "queue.cms.policy=FASTEST"]), ["a", "c"]);
    assert_eq!(nodes(&folder, &["--set", "job.3.policy=FASTEST"]), ["c", "a"]);
    let but_one = ["--policy", "FASTEST", "--set", "job.4.policy="];
    assert_eq!(nodes(&folder, &but_one), ["c", "a"]);
}

/// A job without a policy keeps the scheduler's path and order.
#[test]
fn jobs_without_a_policy_keep_their_path() {
    let queue = QUEUE
        .replace("walltime = \"01:00:00\"\n[[job]]\nid = \"4\"", "place = \"excl\"\n[[job]]\nid = \"4\"");
    let folder = cluster(NODES, &queue);
    let path = |more: &[&str]| {
        let cycle = json(&["cycle"], folder.path(), more);
        let jobs = cycle["jobs"].as_array().unwrap().clone();
        jobs.iter().find(|job| job["id"].as_str().unwrap().starts_with('3')).unwrap()["path"].clone()
    };
    assert_eq!(path(&[]), "bucket");
    assert_eq!(path(&["--set", "job.4.policy=FASTEST"]), "bucket");
    assert_eq!(path(&["--set", "job.3.policy=FASTEST"]), "node");
}

#[test]
fn packing_policies_prefer_and_keep_out() {
    let folder = cluster(NODES, QUEUE);
    // Relaxed: atlas goes to where atlas runs, others are as free as ever.
    assert_eq!(nodes(&folder, &["--set", "queue.atlas.policy=relaxed"]), ["b", "a"]);
    // None: atlas goes to where atlas does not run; cms keeps the scheduler's order.
    assert_eq!(nodes(&folder, &["--set", "queue.atlas.policy=none"]), ["a", "a"]);
    assert_eq!(nodes(&folder, &["--policy", "none@queue"]), ["a", "b"]);
    // Exclusive: cms keeps off the nodes of atlas, and atlas still packs.
    let exclusive = ["--set", "queue.atlas.policy=exclusive"];
    assert_eq!(nodes(&folder, &exclusive), ["b", "a"]);
    let only_b = ["--set", "node.a.state=offline", "--set", "node.c.state=offline"];
    assert_eq!(nodes(&folder, &[&exclusive[..], &only_b].concat()), ["b", ""]);
    let why = json(&["why", "4"], folder.path(), &[&exclusive[..], &only_b].concat());
    let headline = why["headline"].as_str().unwrap();
    assert!(headline.contains("exclusive@queue") && headline.ends_with(": b"), "{headline}");
    assert!(
        why["remedies"].as_array().unwrap().iter().any(|remedy| remedy["change"] == "move it to queue atlas")
    );
    // The lifetime counts from the latest start there, and job 3 starts there now.
    let ttl = |ttl: &str, start: &[&str]| {
        let policy = format!("queue.atlas.policy=ttl:{ttl}");
        nodes(&folder, &[&["--set", &policy], &only_b[..], start].concat())
    };
    let held = ["--set", "job.3.Hold_Types=u"];
    assert_eq!(ttl("2h", &held), ["", ""]);
    assert_eq!(ttl("30m", &held), ["", "b"]);
    assert_eq!(ttl("30m", &[]), ["b", ""]);
}

#[test]
fn more_nodes_and_a_later_moment_are_as_if_they_were_so() {
    let folder = cluster(NODES, QUEUE);
    let starts = |more: &[&str]| node_of(&json(&["cycle"], folder.path(), more), "5");
    assert_eq!(starts(&[]), "");
    assert_eq!(starts(&["--add-nodes", "c=1"]), "");
    assert_eq!(starts(&["--add-nodes", "ncpus=32:mem=64gb=1"]), "new1");
    // The type as `capacity` names it.
    let capacity = json(&["capacity"], folder.path(), &[]);
    let name = capacity["types"][1]["name"].as_str().unwrap_or_else(|| panic!("{capacity}")).to_owned();
    let cycle = json(&["cycle"], folder.path(), &["--add-nodes", &format!("{name}=2")]);
    assert_eq!(cycle["what_if"][0], "add_nodes.c=2");
    // Job 1 ends within the hour, job 2 does not.
    let free = |more: &[&str]| {
        let buckets = json(&["buckets"], folder.path(), more);
        let taken = buckets.as_array().unwrap().iter();
        taken.flat_map(|bucket| bucket["busy"].as_array().unwrap().clone()).collect::<Vec<Value>>()
    };
    assert_eq!(free(&[]), ["a", "b"]);
    assert_eq!(free(&["--at", "+1h"]), ["a"]);
    assert_eq!(free(&["--at", "+3h"]), [""; 0]);
    let backwards = qscope(&["cycle"], folder.path(), &["--at", "1763699999"]);
    assert_eq!(backwards.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&backwards.stderr).contains("the clock moves forward only"));
}

#[test]
fn they_compose_on_every_command_that_runs_a_cycle() {
    let folder = cluster(NODES, QUEUE);
    let all =
        ["--set", "queue.cms.policy=FASTEST", "--policy", "relaxed", "--add-nodes", "c=1", "--at", "+1h"];
    let set = ["queue.cms.policy=FASTEST", "policy=relaxed", "add_nodes.c=1", "at=+1h"];
    for command in
        [&["cycle"][..], &["why", "5"], &["why-node", "a"], &["board"], &["buckets"], &["policies", "3"]]
    {
        let found = json(command, folder.path(), &all);
        let found = if found.is_array() { found[0].clone() } else { found };
        assert_eq!(found["what_if"], Value::from(set.to_vec()), "{command:?}: {found}");
    }
    let compared = qscope(&["compare"], folder.path(), &all);
    assert_eq!(compared.status.code(), Some(1), "{compared:?}");
    assert!(String::from_utf8_lossy(&compared.stdout).contains("60m later"), "{compared:?}");
    for (wrong, what) in [("job.3.policy=quick", "is no policy"), ("add_nodes.z=1", "no vnode is called `z`")]
    {
        let output = qscope(&["cycle"], folder.path(), &["--set", wrong]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(what), "{output:?}");
    }
}

/// The remedy is proved by the engine, and the equivalent what-if starts the job.
#[test]
fn more_nodes_are_a_remedy_and_the_board_counts_what_they_start() {
    let queue = QUEUE.replace("1:ncpus=24", "1:ncpus=16").replace("place = \"pack\"", "place = \"excl\"");
    let queue = format!(
        "{queue}\n[[job]]\nid = \"6\"\nqueue = \"cms\"\nselect = \"2:ncpus=16\"\nplace = \"excl\"\nwalltime = \"01:00:00\"\n"
    );
    let folder = cluster(NODES, &queue);
    let why = json(&["why", "6"], folder.path(), &[]);
    let changes: Vec<&str> =
        why["remedies"].as_array().unwrap().iter().map(|remedy| remedy["change"].as_str().unwrap()).collect();
    assert!(changes.contains(&"add 2 nodes like c (16 cpus, 64gb)"), "{changes:?}");
    let starts = |count: &str| {
        let cycle = json(&["cycle"], folder.path(), &["--add-nodes", &format!("c={count}")]);
        !node_of(&cycle, "6").is_empty()
    };
    assert_eq!([starts("1"), starts("2")], [false, true]);
    let board = json(&["board"], folder.path(), &[]);
    let more = board["more_nodes"].as_array().unwrap();
    let of_c: Vec<_> = more.iter().filter(|more| more["like"] == "c").collect();
    assert_eq!(
        (&of_c[0]["nodes"], &of_c[0]["starts"], &of_c[0]["share"]),
        (&2.into(), &1.into(), &1.0.into())
    );
}

/// Returns the nodes of the two jobs in a simulation without other arrivals.
fn simulated(folder: &TempDir, more: &[&str]) -> [String; 2] {
    let done = json(&["simulate"], folder.path(), more);
    let on = |id: &str| {
        let jobs = done["jobs"].as_array().unwrap();
        let job = jobs.iter().find(|job| job["id"].as_str().unwrap().split('.').next() == Some(id)).unwrap();
        let on = job["exec_vnode"].as_str().unwrap_or_default();
        on.trim_start_matches('(').split(':').next().unwrap_or_default().to_owned()
    };
    [on("3"), on("4")]
}

/// A simulation runs each of its cycles under the same policies: of the cluster, of a queue, of a job.
#[test]
fn a_simulation_keeps_the_policies() {
    let folder = cluster(NODES, QUEUE);
    for more in [
        &[][..],
        &["--policy", "fastest"],
        &["--set", "queue.cms.policy=FASTEST"],
        &["--set", "job.3.policy=FASTEST"],
        &["--policy", "FASTEST", "--set", "job.4.policy="],
    ] {
        assert_eq!(simulated(&folder, more), nodes(&folder, more), "{more:?}");
    }
    let when =
        json(&["when", "3"], folder.path(), &["--policy", "relaxed", "--runs", "3", "--back-test", "0"]);
    assert_eq!(when["started"], 1, "{when}");
    let capacity = qscope(&["capacity"], folder.path(), &["--policy", "relaxed"]);
    assert!(String::from_utf8_lossy(&capacity.stderr).contains("a node order changes nothing in it"));
}

/// Every answer to a what-if states that it is one, in text and in JSON.
#[test]
fn answers_over_time_state_their_settings_too() {
    let folder = cluster(NODES, QUEUE);
    for command in [&["capacity"][..], &["simulate"], &["when", "5"]] {
        let set = ["--set", "strict_ordering=True"];
        let text = String::from_utf8(qscope(command, folder.path(), &set).stdout).unwrap();
        assert!(
            text.contains("WHAT IF sched_config.strict_ordering=True (not the live cycle)\n\n"),
            "{command:?}: {text}"
        );
        assert_eq!(
            json(command, folder.path(), &set)["what_if"],
            serde_json::json!(["sched_config.strict_ordering=True"])
        );
        assert_eq!(json(command, folder.path(), &[])["what_if"], Value::Null);
    }
}

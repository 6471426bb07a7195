//! A site's settings of the allocation policies: errors with their line, classes, preferences, and no policy at all.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::ran::folder_of as folder;

fn run(words: &[&str], at: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_qscope")).args(words).arg(at).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn json(words: &[&str], at: &Path) -> Value {
    serde_json::from_str(&run(&[words, &["--json"]].concat(), at).1).unwrap()
}

const NODES: &str = "[[node]]\nname = 'n1'\navailable = { ncpus = 8 }\n[[node]]\nname = 'n2'\navailable = { ncpus = 8 }\nfeatures = ['FAST']\n";
const QUEUE: &str = "now = 1763700000\n[[queue]]\nname = 'long'\n[[queue]]\nname = 'short'\n[[job]]\nid = '1'\nqueue = 'long'\nselect = '1:ncpus=2'\nwalltime = '01:00:00'\nx = 'PREF(FEATURE:FAST,FEATURE:TAPE)'\n[[job]]\nid = '2'\nqueue = 'short'\nselect = '1:ncpus=2'\nwalltime = '01:00:00'\n";

#[test]
fn mistakes_are_errors_of_check_with_their_line() {
    let wrong = "# site\nNODEALLOCATIONPOLICY FASTES\nNODECFG[DEFAULT] PRIORITYF='SPEEED + 2'\nNODECFG[n7] SLOT=1\nNODEACCESSPOLICY[long] SHARED\nNODEALLOCATIONPOLICY[lng] FASTEST\nJOBNODEMATCHPOLICY NEVER\n";
    let at = folder(&[("nodes.toml", NODES), ("queue.toml", QUEUE), ("maui.cfg", wrong)]);
    let (code, text) = run(&["check"], at.path());
    assert_eq!(code, Some(1), "{text}");
    let found = json(&["check"], at.path()).to_string();
    for (line, what) in [
        (2, "`FASTES` is no node allocation policy"),
        (3, "SPEEED"),
        (4, "no node is called `n7`, did you mean"),
        (5, "NODEACCESSPOLICY takes no index"),
        (6, "no queue and no partition is called `lng`, did you mean `long`?"),
        (7, "`NEVER` is none of"),
    ] {
        assert!(
            found.contains(&format!("maui.cfg:{line}: ")) && found.contains(what),
            "{line} {what}: {found}"
        );
    }
    let right = "NODEALLOCATIONPOLICY FASTEST\nNODECFG[n1] SLOT=1\nNODEALLOCATIONPOLICY[long] CPULOAD\n";
    let at = folder(&[("nodes.toml", NODES), ("queue.toml", QUEUE), ("maui.cfg", right)]);
    assert_eq!(run(&["check"], at.path()).0, Some(0), "{}", run(&["check"], at.path()).1);
}

#[test]
fn the_policy_in_force_is_of_whoever_set_it() {
    let head = |files: &[(&str, &str)], job: &str| {
        let at = folder(&[&[("nodes.toml", NODES), ("queue.toml", QUEUE)], files].concat());
        let (_, text) = run(&["policies", job], at.path());
        text.lines().find(|line| line.starts_with("policy in force")).unwrap().to_owned()
    };
    assert_eq!(head(&[], "1"), "policy in force: LASTAVAILABLE (Maui's default, no site set one)");
    let site = ("maui.cfg", "NODEALLOCATIONPOLICY FASTEST\nNODEALLOCATIONPOLICY[long] CPULOAD\n");
    assert_eq!(head(&[site], "1"), "policy in force: CPULOAD (its class's)");
    assert_eq!(head(&[site], "2"), "policy in force: FASTEST (the site's)");
}

#[test]
fn fastest_without_speeds_cannot_rank() {
    let note = |nodes: &str| {
        let at = folder(&[("nodes.toml", nodes), ("queue.toml", QUEUE)]);
        let found = json(&["policies", "1"], at.path());
        let all = found["policies"].as_array().unwrap().clone();
        all.iter().find(|one| one["name"] == "FASTEST").unwrap()["note"].to_string()
    };
    assert!(note(NODES).contains("cannot rank"), "{}", note(NODES));
    assert!(!note(&format!("{NODES}procspeed = 2000\n")).contains("cannot rank"));
}

/// The example of the manual, section 5.2.5: the job prefers FAST or TAPE, and PRIORITY weights that.
#[test]
fn preferences_of_x_are_weighed_in_the_cycle() {
    let site = ("maui.cfg", "NODEALLOCATIONPOLICY PRIORITY\nNODECFG[DEFAULT] PRIORITYF='5 * PREF - LOAD'\n");
    let at = folder(&[("nodes.toml", NODES), ("queue.toml", QUEUE), site]);
    let nodes = |words: &[&str]| {
        let cycle = json(&[&["cycle"], words].concat(), at.path());
        let jobs = cycle["jobs"].as_array().unwrap().clone();
        jobs.iter().map(|job| job["exec_vnode"].as_str().unwrap()[1..3].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&[]), ["n1", "n1"]);
    assert_eq!(nodes(&["--policy", "PRIORITY"]), ["n2", "n1"]);
}

/// Both jobs prefer n2; only that of the class with PRIORITY gets it, the other one uses the scheduler's own order.
#[test]
fn what_is_set_for_a_class_stays_with_its_jobs() {
    let queue = QUEUE.replace("\nid = '2'", "\nid = '2'\nx = 'PREF(FEATURE:FAST)'");
    let site = ("maui.cfg", "NODECFG[DEFAULT] PRIORITYF='5 * PREF'\n");
    let at = folder(&[("nodes.toml", NODES), ("queue.toml", &queue), site]);
    let nodes = |setting: &[&str]| {
        let cycle = json(&[&["cycle"], setting].concat(), at.path());
        let jobs = cycle["jobs"].as_array().unwrap().clone();
        jobs.iter().map(|job| job["exec_vnode"].as_str().unwrap()[1..3].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&[]), ["n1", "n1"]);
    assert_eq!(nodes(&["--set", "queue.long.policy=PRIORITY"]), ["n2", "n1"]);
    assert_eq!(nodes(&["--set", "queue.short.policy=PRIORITY"]), ["n1", "n2"]);
    assert_eq!(nodes(&["--policy", "PRIORITY"]), ["n2", "n2"]);
}

/// Section 5.2.1.2: X on the fuller node leaves room for Y. No tie is involved, so the order of the dump does not
/// matter.
#[test]
fn the_example_of_fragments_holds_in_either_order_of_the_dump() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/policies-fragments");
    let read = |name: &str| std::fs::read_to_string(sample.join(name)).unwrap();
    let nodes = read("nodes.toml");
    let (_, b) = nodes.split_once("\n[[node]]\nname = \"B\"").unwrap();
    let a = nodes.split("\n[[node]]\nname = \"B\"").next().unwrap();
    let turned = format!("[[node]]\nname = \"B\"{b}\n{a}");
    for nodes in [&nodes, &turned] {
        let (queue, policy) = (read("queue.toml"), read("policy.toml"));
        let at = folder(&[("nodes.toml", nodes), ("queue.toml", &queue), ("policy.toml", &policy)]);
        let starts = |policy: &str| {
            let cycle = json(&["cycle", "--policy", policy], at.path());
            let jobs = cycle["jobs"].as_array().unwrap().clone();
            jobs.iter().filter(|job| job["verdict"] == "run").count()
        };
        assert_eq!([starts("PRIORITY"), starts("CPULOAD")], [2, 1]);
    }
}

/// A key that no resource has is an error wherever it is used, and the series of a pool are named.
#[test]
fn sets_are_sorted_by_resources_that_exist_and_their_series_are_shown() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-36-sorted");
    let set = |key: &str| {
        let setting = format!("node_group_sort_key={key}");
        Command::new(env!("CARGO_BIN_EXE_qscope"))
            .arg("pools")
            .arg(&sample)
            .args(["--set", &setting])
            .output()
            .unwrap()
    };
    let wrong = set("\"swich HIGH\" all");
    assert_eq!(wrong.status.code(), Some(2));
    let text = String::from_utf8(wrong.stderr).unwrap();
    assert!(text.contains("no resource is called `swich`, did you mean `switch`?"), "{text}");
    assert!(set("switch LOW").status.success());
    for file in ["policy.toml", "sched_config"] {
        let toml = "[sched_config]\nnode_group_sort_key = ['swich HIGH']\n";
        let text = if file == "policy.toml" { toml } else { "node_group_sort_key: \"swich HIGH\" all\n" };
        let at = folder(&[("nodes.toml", NODES), ("queue.toml", QUEUE), (file, text)]);
        let (code, found) = run(&["check"], at.path());
        assert_eq!(code, Some(1), "{file}: {found}");
        assert!(found.contains("node_group_sort_key: no resource is called `swich`"), "{file}: {found}");
    }
    let (_, shown) = run(&["pools"], &sample);
    for line in [
        "server: series of router,switch, 16 sets: rt4-sw1, rt4-sw3,",
        "server: series of router, 4 sets: rt4, rt3, rt2, rt1\n",
        "server: series of switch, 4 sets: sw1, sw3, sw2, sw4\n",
        "the set of all nodes: 36 nodes, no job spans sets",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let output =
        Command::new(env!("CARGO_BIN_EXE_qscope")).arg("pools").arg(&sample).arg("--json").output().unwrap();
    let sets: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let sets = sets.as_array().unwrap();
    let everything = sets.last().unwrap();
    assert_eq!((&everything["pool"], &everything["tot_nodes"]), (&"all nodes".into(), &36.into()));
    assert_eq!(everything["vnodes"].as_array().unwrap().len(), 36);
    assert_eq!(sets.iter().filter(|set| set["pool"] == "all nodes").count(), 1);
}

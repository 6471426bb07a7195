//! The samples: each is listed, every command that a README or the manual shows on one works, what-ifs show an
//! effect, and the statements of the READMEs are true.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::ran::ran;

const CHANGES: [&str; 4] = ["--set", "--add-nodes", "--policy", "--at"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(words: &[&str]) -> String {
    String::from_utf8(ran(words).stdout).unwrap()
}

fn json(words: &[&str]) -> Value {
    let output = ran([words, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{words:?}: {why}: {output:?}"))
}

fn folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("samples")).unwrap();
    let mut all: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    all.sort();
    all
}

fn name(folder: &Path) -> &str {
    folder.file_name().and_then(|name| name.to_str()).unwrap()
}

/// Returns the words of a command line up to the remark after it, which follows two or more spaces.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut blanks) = (Vec::new(), String::new(), false, 0);
    for sign in line.chars() {
        match sign {
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                blanks += 1;
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if blanks > 1 {
                    return words;
                }
                continue;
            }
            '#' if !quoted && word.is_empty() => return words,
            _ => word.push(sign),
        }
        blanks = 0;
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Returns the commands that pages show on a sample, one per line, except those that open the console, take minutes,
/// or begin with a variable.
fn examples() -> Vec<Vec<String>> {
    let mut pages: Vec<PathBuf> = folders().iter().map(|folder| folder.join("README")).collect();
    let manual = std::fs::read_dir(root().join("src/manual")).unwrap();
    pages.extend(manual.map(|entry| entry.unwrap().path()));
    let mut all = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(page).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("qscope "));
        all.extend(lines.map(words).filter(|words| {
            let on_sample = words.iter().any(|word| word.starts_with("samples/"));
            let console = words[0].starts_with("samples/") || words.iter().any(|word| word == "--view");
            let long = words.iter().any(|word| word.ends_with("-vo.toml"));
            on_sample && !console && !long && !words.iter().any(|word| word == "--lsf")
        }));
    }
    all
}

/// Returns the words without the options that make it a what-if.
fn unchanged(words: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if CHANGES.contains(word) {
            words.next();
        } else {
            kept.push((*word).to_owned());
        }
    }
    kept
}

/// Returns the output without the lines that name the what-if itself.
fn answer(words: &[&str]) -> Vec<String> {
    let states = |line: &&str| {
        !line.is_empty() && !["WHAT IF", "under ", "live: "].iter().any(|head| line.starts_with(head))
    };
    text(words).lines().filter(states).map(str::to_owned).collect()
}

#[test]
fn every_sample_is_listed_and_introduces_itself() {
    let list = std::fs::read_to_string(root().join("samples/README")).unwrap();
    let listed = |name: &str| list.split([' ', ',', ';', '\n']).any(|word| word == name);
    for folder in folders() {
        let name = name(&folder);
        let sorted = name.strip_suffix("-sorted").is_some_and(listed);
        assert!(listed(name) || sorted, "{name} is not in samples/README");
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let says = |path: PathBuf| {
            path.ends_with("README")
                || std::fs::read_to_string(path)
                    .is_ok_and(|text| text.lines().any(|line| line.starts_with("# ")))
        };
        assert!(files.into_iter().any(says), "{name} has neither README nor comments");
    }
}

#[test]
fn every_command_shown_on_a_sample_answers() {
    let examples = examples();
    for words in &examples {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = ran(&words);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{words:?}: {output:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{words:?}: {output:?}");
    }
    assert!(examples.len() >= 70, "{}", examples.len());
}

#[test]
fn every_what_if_shown_on_a_sample_has_an_effect() {
    let (mut seen, mut without) = (0, Vec::new());
    for words in examples() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let other = ["farm", "esub"].contains(&words[0]);
        if other || !words.iter().any(|word| CHANGES.contains(word)) {
            continue;
        }
        seen += 1;
        if words[0] == "compare" {
            let found = json(&words);
            let kinds = found["jobs"].as_object().unwrap().values();
            let touched = kinds.map(|kind| kind.as_array().unwrap().len()).sum::<usize>();
            without.extend((touched == 0).then(|| words.join(" ")));
            continue;
        }
        let before = unchanged(&words);
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        without.extend((answer(&words) == answer(&before)).then(|| words.join(" ")));
    }
    assert!(without.is_empty(), "without effect:\n{}", without.join("\n"));
    assert!(seen >= 20, "{seen}");
}

/// Returns a job of `cycle` on a sample.
fn job(cycle: &Value, id: &str) -> Value {
    let jobs = cycle["jobs"].as_array().unwrap();
    jobs.iter().find(|job| job["id"] == id).unwrap_or_else(|| panic!("{id}: {cycle}")).clone()
}

/// Returns the nodes of a job in a cycle, or `-` if it does not start.
fn nodes(cycle: &Value, id: &str) -> String {
    let job = job(cycle, id);
    let Some(on) = job["exec_vnode"].as_str() else { return "-".to_owned() };
    let name = |chunk: &str| chunk.trim_matches(['(', ')']).split(':').next().unwrap().to_owned();
    let mut names: Vec<String> = on.split('+').map(name).collect();
    names.dedup();
    names.join(" ")
}

/// Returns the nodes and the note of a policy's answer.
fn policy(sample: &str, job: &str, policy: &str, more: &[&str]) -> (String, String) {
    let found = json(&[&["policies", job, sample], more].concat());
    let all = found["policies"].as_array().unwrap();
    let answer = all.iter().find(|answer| answer["name"] == policy).unwrap();
    let placed = [&answer["nodes"], &answer["earliest"]["nodes"]];
    let picks = placed.iter().find_map(|nodes| nodes.as_array()).unwrap_or_else(|| panic!("{answer}"));
    let nodes: Vec<&str> = picks.iter().map(|pick| pick["node"].as_str().unwrap()).collect();
    (nodes.join(" "), answer["note"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn paths_has_a_job_for_each_rule() {
    let cycle = json(&["cycle", "samples/paths"]);
    let rules = [
        ("1", "bucket", "exclusive, and nothing forbids buckets"),
        ("2", "node", "not exclusive"),
        ("3", "node", "place=pack"),
        ("4", "node", "requests host"),
        ("5", "node", "requests vnode"),
        ("6", "node", "has previous placement"),
        ("7", "node", "in reservation"),
        ("8", "bucket", "exclusive, and nothing forbids buckets"),
        ("9", "bucket", "exclusive, and nothing forbids buckets"),
    ];
    for (id, path, rule) in rules {
        let job = job(&cycle, id);
        assert_eq!((&job["path"], &job["path_rule"]), (&path.into(), &rule.into()), "{id}");
    }
    let rule = |more: &[&str]| {
        let cycle = json(&[&["cycle", "samples/paths"], more].concat());
        job(&cycle, "1")["path_rule"].as_str().unwrap().to_owned()
    };
    assert_eq!(rule(&["--qrun", "1"]), "qrun");
    assert_eq!(rule(&["--set", "node_sort_key=ncpus HIGH unused"]), "node_sort_key is per-job");
    assert_eq!(rule(&["--set", "provision_policy=avoid_provision"]), "avoid_provision");
    assert_eq!(rule(&["--set", "node.n14.resources_available.host=n13"]), "multi-vnode host");
}

#[test]
fn bucket_kinds_has_a_bucket_for_each_difference() {
    let buckets = json(&["buckets", "samples/bucket-kinds"]);
    let names: Vec<&str> =
        buckets.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "ncpus=16:accelerator=False:disk=False:priority=20",
            "ncpus=8:accelerator=False:disk=False:priority=10",
            "ncpus=8:accelerator=False:disk=False",
            "ncpus=8:accelerator=False:disk=True",
            "ncpus=8:accelerator=False:disk=False:queue=own",
        ]
    );
    let cycle = json(&["cycle", "samples/bucket-kinds"]);
    assert_eq!(job(&cycle, "3")["exec_vnode"], "(n2:ncpus=8)+(n4:ncpus=4)");
    assert_eq!(job(&cycle, "2")["topjob"], true);
    assert_eq!(job(&cycle, "5")["never"], true);
    let after = text(&["buckets", "samples/bucket-kinds", "--after", "3"]);
    assert!(after.contains("n2: busy-later -> busy"), "{after}");
    // The effect of a qrun of job 1 is stated.
    let why = text(&["why", "2", "samples/bucket-kinds"]);
    assert!(why.replace("\n    ", " ").contains("preempts 1"), "{why}");
    // Two jobs of an hour start in this cycle beside job 1; the top job does not run.
    assert!(
        why.replace("\n    ", " ").contains("of 3 jobs that run or start in this cycle half end"),
        "{why}"
    );
    let qrun = text(&["cycle", "samples/bucket-kinds", "--qrun", "2"]);
    assert!(qrun.contains("job 1 is preempted: suspended"), "{qrun}");
}

#[test]
fn sets_unused_are_sorted_by_what_the_key_names() {
    let order = |key: &str| {
        let setting = format!("node_group_sort_key={key}");
        let found = json(&["pools", "samples/sets-unused", "--set", &setting]);
        let sets = found.as_array().unwrap().iter().filter(|set| set["pool"] == "server");
        sets.map(|set| set["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let none = "switch=\"\"";
    assert_eq!(order("ncpus HIGH unused"), ["switch=sw3", "switch=sw2", none, "switch=sw1"]);
    assert_eq!(order("ncpus HIGH total"), ["switch=sw1", "switch=sw3", "switch=sw2", none]);
    assert_eq!(order("ncpus LOW assigned"), [none, "switch=sw2", "switch=sw3", "switch=sw1"]);
    let cycle = json(&["cycle", "samples/sets-unused"]);
    assert_eq!((nodes(&cycle, "3"), nodes(&cycle, "4")), ("n7".into(), "n4 n5 n6".into()));
    let turned = json(&["cycle", "samples/sets-unused", "--set", "node_group_sort_key=ncpus LOW unused"]);
    assert_ne!(nodes(&turned, "3"), "n7");
}

#[test]
fn reservations_draw_their_users_before_any_policy() {
    let sample = "samples/policies-affinity";
    for name in ["FASTEST", "PRIORITY", "MAXBALANCE"] {
        assert_eq!(policy(sample, "1", name, &[]).0, "slow1 slow2", "{name}");
        assert_eq!(policy(sample, "2", name, &[]).0, "fast1 fast2", "{name}");
    }
    let drawn =
        |job| text(&["policies", job, sample]).matches("by the job's own reservation, then by").count();
    assert_eq!((drawn("1"), drawn("2")), (8, 0));
}

#[test]
fn the_nearest_policy_is_in_force() {
    let sample = "samples/policies-queues";
    for (job, policy) in
        [("1", "FASTEST (the site's)"), ("2", "MINRESOURCE (its class's)"), ("3", "CPULOAD (the job's own)")]
    {
        let found = text(&["policies", job, sample]);
        assert!(found.contains(&format!("policy in force: {policy}")), "{job}: {found}");
    }
    let at = |settings: &[&str]| {
        let cycle = json(&[&["cycle", sample], settings].concat());
        ["1", "2", "3"].map(|id| nodes(&cycle, id))
    };
    assert_eq!(at(&[]), ["mid", "mid", "mid"]);
    assert_eq!(at(&["--policy", "FASTEST"]), ["fast", "fast", "fast"]);
    assert_eq!(at(&["--set", "queue.small.policy=MINRESOURCE"]), ["mid", "little", "little"]);
    assert_eq!(at(&["--set", "job.3.policy=CPULOAD"]), ["mid", "mid", "idle"]);
}

#[test]
fn node_sets_hold_a_job_within_one_feature() {
    let nodes = |job, more: &[&str]| policy("samples/policies-nodesets", job, "FIRSTAVAILABLE", more).0;
    assert_eq!(nodes("1", &[]), "b1 b2");
    assert_eq!(nodes("2", &[]), "a1 a2");
    assert_eq!(nodes("1", &["--set", "maui.NODESETPRIORITYTYPE=WORSTFIT"]), "a1");
    assert_ne!(nodes("1", &["--set", "maui.NODESETATTRIBUTE=PROCSPEED"]), "b1 b2");
}

#[test]
fn load_counts_for_a_start_now_and_resources_for_a_later_one() {
    let sample = "samples/policies-load";
    assert_eq!(policy(sample, "2", "CPULOAD", &[]).0, "idle");
    assert_eq!(policy(sample, "2", "MINRESOURCE", &[]).0, "warm");
    let (nodes, note) = policy(sample, "3", "CPULOAD", &[]);
    assert_eq!(nodes, policy(sample, "3", "MINRESOURCE", &[]).0);
    assert!(note.ends_with("then CPULOAD -> MINRESOURCE (future start)"), "{note}");
    let found = text(&["policies", "3", sample]);
    assert_eq!(
        found.matches("by the fewest configured resources, equals in reverse order of the dump: ").count(),
        2,
        "{found}"
    );
    assert!(found.contains("not now: CPU: 2 of 3 tasks fit; then it cannot rank"), "{found}");
}

#[test]
fn local_takes_the_order_of_the_sites_program() {
    let hook = ["--local-policy", "samples/policies-local/last-slot.sh"];
    assert_eq!(policy("samples/policies-local", "1", "LOCAL", &hook).0, "n3 n2");
}

#[test]
fn packing_policies_place_the_jobs_of_a_cluster() {
    let at = |policy: &str| {
        let policy = format!("{policy}@group");
        let cycle = json(&["cycle", "samples/packing-cluster", "--policy", &policy]);
        ["11", "12", "14"].map(|id| nodes(&cycle, id))
    };
    assert_eq!(at("relaxed"), ["n2", "n2", "n1"]);
    assert_eq!(at("exclusive"), ["n2", "n2", "-"]);
    assert_eq!(at("none")[..2], ["n1", "n3"]);
    assert_eq!(at("ttl:2h"), at("exclusive"));
    assert_eq!(at("ttl:30m"), at("relaxed"));
    assert_eq!((at("ttl:0"), at("ttl:inf")), (at("relaxed"), at("exclusive")));
}

#[test]
fn the_pieces_for_lsf_follow_from_one_policy_file() {
    let policies = ["--policy-file", "samples/packing-lsf/packing.toml"];
    let elim = text(&[&["elim", "n2", "samples/packing-cluster"], &policies[..]].concat());
    assert_eq!(elim, "3 packing_atlas 0 packing_auger 2 packing_cms 0\n");
    let esub = text(&[&["esub", "11", "samples/packing-cluster"], &policies[..]].concat());
    let whole = "-R \"select[packing_atlas == 0 && packing_cms == 0] order[-packing_auger]\"";
    assert!(esub.contains(whole), "{esub}");
    let beside = tempfile::tempdir().unwrap();
    let modify = beside.path().join("modify");
    std::fs::write(&modify, "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_qscope"))
        .current_dir(root())
        .args(["esub", "--lsf"])
        .args(policies)
        .env("LSB_SUB_PARM_FILE", "samples/packing-lsf/submission.parm")
        .env("LSB_SUB_MODIFY_FILE", &modify)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    assert_eq!(
        std::fs::read_to_string(&modify).unwrap().trim(),
        "LSB_SUB_RES_REQ=\"select[(mem>100) && packing_cms == 0] order[-packing_atlas:ut]\""
    );
    let farm = text(&[
        "farm",
        "samples/packing-lsf/bhosts.txt",
        "samples/packing-lsf/bjobs.txt",
        "--class",
        "queue",
        "--pack",
        "auger",
    ]);
    assert!(farm.contains("5 nodes, 28 slots; 4 jobs, 7 running at the start; 3 classes by queue"), "{farm}");
}

#[test]
fn the_scaler_keeps_to_the_fewest_and_most_nodes() {
    let sample = "samples/scaler";
    let types = ["--types", "samples/scaler/types.toml"];
    let found = json(&[&["capacity", sample, "--over-time"], &types[..]].concat());
    let cycles = found["over_time"]["cycles"].as_array().unwrap();
    assert_eq!(found["over_time"]["end"], "done");
    // The type `steady` has at least one node, to the end; `spot` has none when nothing is left for it.
    let last = cycles.last().unwrap();
    assert_eq!((&last["wanted"], &last["held"]), (&serde_json::json!([0, 1]), &1.into()), "{last}");
    let need =
        |more: &[&str]| json(&[&["capacity", sample], more].concat())["types"][0]["need"].as_u64().unwrap();
    assert!(need(&["--target", "5m"]) > need(&[]));
    let ends = |more: &[&str]| {
        let found = json(&[&["capacity", sample, "--over-time"], more].concat());
        found["over_time"]["makespan"].as_f64().unwrap()
    };
    assert!(ends(&["--boot", "10m", "--interval", "5m"]) > ends(&[]));
    assert!(ends(&["--beta", "0.8"]) > ends(&[]));
}

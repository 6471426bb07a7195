//! Declarations: services, preemptible nodes and jobs, the maximum nodes of a type, lists of shapes; and the
//! loop over time.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

fn folder(nodes: &str, queue: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.path().join("queue.toml"), format!("now = 1763700000\n{queue}")).unwrap();
    folder
}

fn program(path: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qscope")).arg("capacity").arg(path).args(words).output().unwrap()
}

fn answer(path: &Path, words: &[&str]) -> Value {
    let output = program(path, &[words, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {output:?}"))
}

fn job(id: u32, rest: &str) -> String {
    format!("[[job]]\nid = '{id}'\nselect = '1:ncpus=4'\n{rest}\n")
}

const NODES: &str = "[[node]]\nname = 'n[1-4]'\navailable = { ncpus = 4 }\n";

#[test]
fn a_service_is_declared_and_not_guessed_from_its_walltime() {
    let long = job(1, "name = 'svc-db'\nwalltime = '90:00:00'") + &job(2, "walltime = '00:01:00'");
    let at = folder(NODES, &long);
    assert_eq!(answer(at.path(), &[])["services"]["services"], 0);
    assert_eq!(answer(at.path(), &["--services", "name:svc-*"])["services"]["services"], 1);
    let wrong = program(at.path(), &["--services", "svc"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("expected name:PATTERN"), "{wrong:?}");
    let declared = folder(NODES, &job(1, "service = true\nwalltime = '00:01:00'"));
    let found = answer(declared.path(), &[]);
    assert_eq!((&found["services"]["services"], &found["wall_times"]["service"]), (&json!(1), &json!(1)));
}

#[test]
fn what_can_be_taken_away_takes_only_jobs_that_allow_it() {
    let nodes = format!("{NODES}preemptible = true\n");
    let stays = folder(&nodes, &job(1, "walltime = '00:10:00'"));
    let found = answer(stays.path(), &[]);
    assert_eq!(found["types"][0]["shape"]["preemptible"], true);
    assert_eq!(found["never"][0]["types"][0]["lacks"][0]["what"], "preemptible");
    let goes = folder(&nodes, &job(1, "walltime = '00:10:00'\npreemptible = true"));
    assert_eq!(answer(goes.path(), &[])["never"], json!([]));
}

#[test]
fn the_most_of_a_type_and_settings_change_the_question() {
    let jobs: String = (1..=6).map(|id| job(id, "walltime = '02:00:00'")).collect();
    let at = folder(NODES, &jobs);
    let name = answer(at.path(), &[])["types"][0]["name"].as_str().unwrap().to_owned();
    let most = |words: &[&str]| {
        let found = answer(at.path(), words);
        let kind = &found["types"][0];
        (kind["need"].as_u64().unwrap(), kind["max"].as_u64().unwrap(), kind["wanted"].as_i64().unwrap())
    };
    assert_eq!(most(&[]), (6, 4, 4));
    assert_eq!(most(&["--max", &format!("{name}=10")]), (6, 10, 5));
    assert_eq!(most(&["--add-nodes", "n1=2"]), (6, 6, 6));
    assert_eq!(most(&["--set", "job.*.Resource_List.walltime=600"]), (2, 4, 4));
    let why = answer(at.path(), &["--max", &format!("{name}=10")])["types"][0]["wanted_why"].clone();
    assert!(why.as_str().unwrap().contains("6 needed, 5 wanted: inertia 0.1"), "{why}");
    let unknown = program(at.path(), &["--max", "huge=2"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no type is called `huge`"), "{unknown:?}");
}

#[test]
fn the_loop_over_time_is_printed_and_takes_its_times() {
    let jobs: String = (1..=4).map(|id| job(id, "walltime = '00:10:00'")).collect();
    let at = folder(NODES, &jobs);
    assert_eq!(answer(at.path(), &[])["over_time"], Value::Null);
    let slow = answer(at.path(), &["--over-time", "--boot", "10m", "--target", "1m"]);
    let quick = answer(at.path(), &["--boot", "0", "--interval", "30", "--target", "1m"]);
    let makespan = |found: &Value| found["over_time"]["makespan"].as_f64().unwrap();
    assert_eq!((makespan(&slow) - makespan(&quick), makespan(&quick)), (600.0, 600.0));
    assert_eq!(quick["over_time"]["end"], "done");
    let text = String::from_utf8(program(at.path(), &["--over-time"]).stdout).unwrap();
    assert!(text.contains("queued running  wanted") && text.contains("the last job ended after"), "{text}");
}

#[test]
fn a_list_of_shapes_needs_no_cluster() {
    let at = tempfile::tempdir().unwrap();
    let (csv, types) = (at.path().join("jobs.csv"), at.path().join("types.toml"));
    std::fs::write(&csv, "cores,memory,count\n2,8gb,40\n64,1gb,1\n").unwrap();
    std::fs::write(&types, "[[type]]\nname = 'small'\nncpus = 4\nmem = '16gb'\nmax = 30\n").unwrap();
    let words = ["--types", types.to_str().unwrap()];
    let found = answer(&csv, &words);
    assert_eq!(
        (&found["nodes"], &found["never"], &found["types"][0]["need"]),
        (&json!(20), &json!(1), &json!(20))
    );
    let without = program(&csv, &[]);
    assert_eq!(without.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&without.stderr).contains("--types FILE"), "{without:?}");
}

/// A list of shapes has no cluster over time: options that would be ignored are refused.
#[test]
fn what_is_about_a_cluster_is_refused_for_a_list() {
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/capacity");
    let run = |more: &[&str]| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
        program
            .current_dir(&sample)
            .args(["capacity", "jobs.csv", "--types", "types.toml"])
            .args(more)
            .output()
            .unwrap()
    };
    let text = String::from_utf8(run(&[]).stdout).unwrap();
    assert!(text.starts_with("10 nodes so that each of 274 jobs begins within 30m\n"), "{text}");
    let tight = String::from_utf8(run(&["--target", "10m"]).stdout).unwrap();
    assert!(tight.starts_with("15 nodes"), "{tight}");
    for more in [&["--over-time"][..], &["--interval", "1m"], &["--max", "small=2"], &["--on-top"]] {
        let output = run(more);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("is about a cluster: it needs a folder"), "{more:?}: {text}");
    }
}

/// Where the number of nodes differs by more than a fifth from the original's, both are shown.
#[test]
fn the_originals_answer_stands_beside_one_that_is_a_fifth_apart() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for (sample, is_apart) in
        [("campus", true), ("calendar", true), ("services", false), ("policies-memory", false)]
    {
        let run = |more: &[&str]| {
            let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
            program.arg("capacity").arg(samples.join(sample)).args(more).output().unwrap().stdout
        };
        let found: serde_json::Value = serde_json::from_slice(&run(&["--json"])).unwrap();
        let as_original: serde_json::Value = serde_json::from_slice(&run(&["--json", "--compat"])).unwrap();
        let [own, theirs] = [&found, &as_original].map(|answer| answer["nodes"].as_f64().unwrap());
        assert_eq!((own - theirs).abs() > theirs.max(1.0) / 5.0, is_apart, "{sample}: {own} and {theirs}");
        assert_eq!(found["original"].is_object(), is_apart, "{sample}: {}", found["original"]);
        let text = String::from_utf8(run(&[])).unwrap();
        assert_eq!(text.contains("differs from Toil"), is_apart, "{sample}: {text}");
    }
}

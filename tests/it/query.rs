//! The query language as a script uses it: `qscope cycle --where`.

use std::process::Output;

use crate::ran::ran;

fn cycle(query: &str, json: bool) -> Output {
    let words = ["cycle", "samples/campus", "--where", query];
    ran(words.into_iter().chain(json.then_some("--json")))
}

fn jobs(query: &str) -> Vec<serde_json::Value> {
    let out = cycle(query, true);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    answer["jobs"].as_array().unwrap().clone()
}

#[test]
fn the_jobs_that_fit_are_those_that_a_program_would_pick() {
    let all = jobs("");
    let picked = |keep: &dyn Fn(&serde_json::Value) -> bool| {
        all.iter().filter(|job| keep(job)).cloned().collect::<Vec<_>>()
    };
    assert_eq!(jobs("path:node"), picked(&|job| job["path"] == "node"));
    assert_eq!(
        jobs("path=node verdict=run"),
        picked(&|job| job["path"] == "node" && job["verdict"] == "run")
    );
    let order = |job: &serde_json::Value| job["order"].as_u64();
    assert_eq!(jobs("order>3 and order<=9"), picked(&|job| order(job).is_some_and(|n| n > 3 && n <= 9)));
    let on = |job: &serde_json::Value| job["exec_vnode"].as_str().is_some_and(|text| text.contains("(n015:"));
    assert_eq!(jobs("node=n015 verdict=run"), picked(&on));
    let set = |job: &serde_json::Value| !job["pset"].is_null();
    assert_eq!(jobs("set=* verdict=run"), picked(&|job| set(job) && job["verdict"] == "run"));
    assert!(!picked(&|job| job["path"] == "node").is_empty() && all.len() > 20);
}

#[test]
fn a_query_that_cannot_be_read_is_bad_input_with_its_place() {
    let out = cycle("user:ann waltime>2h", false);
    assert_eq!(out.status.code(), Some(2));
    assert!(out.stdout.is_empty());
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("\n           ^^^^^^^ there is no field waltime, did you mean `walltime`?"),
        "{said}"
    );
}

/// Console.md 6, Filter: a value that no job can have is pointed at, and the existing values are named.
#[test]
fn a_value_that_a_field_cannot_have_is_pointed_at() {
    let out = cycle("user:ann state=Z", false);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(text.contains("^ state has no value Z; values are Q R H W"), "{text}");
    assert_eq!(cycle("state=q or state!=R", false).status.code(), Some(0));
}

/// Returns the keys of the object that `cycle --json` prints with these arguments.
fn keys(words: &[&str]) -> Vec<String> {
    let output = ran(["cycle", "samples/campus", "--json"].iter().chain(words));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    answer.keys().cloned().collect()
}

#[test]
fn only_the_parts_asked_for_are_printed() {
    let head = ["case", "now", "semantics"];
    assert_eq!(keys(&["--only", "psets,warnings"]), [&head[..], &["psets", "warnings"]].concat());
    assert_eq!(keys(&["--only", "quirks"]), [&head[..], &["quirks"]].concat());
    let jobs = keys(&["--only", "jobs"]);
    assert_eq!(jobs, [&head[..], &["jobs", "run_order", "resv_confirms"]].concat());
    assert!(keys(&[]).len() > jobs.len() + 3);
}

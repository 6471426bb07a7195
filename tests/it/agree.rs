//! `qscope agree` on the cycles of a live scheduler: its comments, its log, and the jobs that had started afterwards.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use super::real::{self, RealCase};

/// Returns the program's answer for a case, with the log in the folder of the dump.
fn agree(case: &RealCase) -> Value {
    let root = case.on_disk();
    let [before, after, log] = ["before", "after", "sched_log"].map(|name| root.path().join(name));
    fs::copy(log, before.join("sched_log")).unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = program.arg("agree").args([&before, &after]).arg("--json").output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {complaint}", case.name);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn cases() -> impl Iterator<Item = &'static RealCase> {
    real::all().iter().filter(|case| case.files.contains_key("sched_log"))
}

/// Planned starts are read as moments on the clock, not as seconds since 1970.
#[test]
fn estimates_are_moments_on_the_clock() {
    let case = real::named("c04-calendar-strict");
    let root = case.on_disk();
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = program.arg("agree").arg(root.path().join("after")).arg("--json").output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let jobs = found["jobs"].as_array().unwrap();
    let estimates = || jobs.iter().filter_map(|job| job["estimate"]["said"].as_str());
    assert!(estimates().count() > 0, "{found}");
    assert!(estimates().all(|text| text.contains(':') && !text.starts_with("17")), "{found}");
}

/// The starts between the dump before and the dump after are predicted, with their nodes.
#[test]
fn starts_are_predicted() {
    let mut total = BTreeMap::<&str, u64>::new();
    let mut summary = String::new();
    for case in cases() {
        let prediction = agree(case)["prediction"].clone();
        for key in ["starts", "predicted", "same_nodes", "known", "right", "right_by_nothing"] {
            *total.entry(key).or_default() += prediction[key].as_u64().unwrap();
        }
        let count = |key: &str| prediction[key].clone();
        writeln!(
            summary,
            "prediction {:<24} {} of {} starts, {} on the same nodes; right on {} of {}, nothing {}",
            case.name,
            count("predicted"),
            count("starts"),
            count("same_nodes"),
            count("right"),
            count("known"),
            count("right_by_nothing"),
        )
        .unwrap();
        assert_eq!(prediction["predicted"], prediction["starts"], "{}: {prediction}", case.name);
        assert_eq!(prediction["same_nodes"], prediction["starts"], "{}: {prediction}", case.name);
        assert_eq!(prediction["missed"], json!([]), "{}", case.name);
    }
    std::io::stdout().write_all(summary.as_bytes()).unwrap();
    assert!(total["starts"] > 400 && total["right"] > total["right_by_nothing"], "{total:?}");
}

/// Order, path, verdict and reason of the cycle that followed the dump agree. Two logs continue with a further cycle,
/// of which there is no dump.
#[test]
fn the_log_agrees() {
    let mut turns = 0;
    for case in cases() {
        let log = agree(case)["log"].clone();
        assert_eq!(log["detailed"], true, "{}", case.name);
        assert_eq!(log["order"]["parting"], Value::Null, "{}", case.name);
        for turn in log["turns"].as_array().unwrap() {
            turns += 1;
            for part in ["path", "verdict", "reason"] {
                let class = turn[part]["class"].as_str().unwrap();
                assert!(["equal", "no_evidence"].contains(&class), "{} {turn}", case.name);
            }
        }
    }
    assert!(turns > 450, "{turns}");
}

/// Jobs that had just been queued had no comment yet: that is no agreement.
#[test]
fn what_was_not_said_is_no_evidence() {
    let case = cases().find(|case| case.name.starts_with("c01")).unwrap();
    let root = case.on_disk();
    let print = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_qscope")).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let before = root.path().join("before");
    let (code, text) = print(&["agree", before.to_str().unwrap()]);
    assert_eq!(code, Some(0));
    assert!(text.starts_with("before: no evidence\n"), "{text}");
    assert!(!text.contains('%'), "{text}");
    for what in
        ["comments    no evidence", "sched_log   no evidence: no sched_log", "prediction  no evidence"]
    {
        assert!(text.contains(what), "{text}");
    }
    let (_, printed) = print(&["agree", before.to_str().unwrap(), "--json"]);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["said"]["equal"], 0);
    assert_eq!((&printed["log"], &printed["prediction"]), (&Value::Null, &Value::Null));
}

/// Comments that the scheduler had left on waiting jobs are classed, also when one of them is changed.
#[test]
fn comments_are_classed() {
    let case = cases().find(|case| case.name.starts_with("c08")).unwrap();
    let root = case.on_disk();
    let before = root.path().join("before");
    let classes = || {
        let output =
            Command::new(env!("CARGO_BIN_EXE_qscope")).arg("agree").arg(&before).arg("--json").output();
        let printed: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let jobs = printed["jobs"].as_array().unwrap().clone();
        let class = |job: &Value| (job["id"].as_str().unwrap().to_owned(), job["class"].clone());
        jobs.iter().map(class).collect::<BTreeMap<_, _>>()
    };
    let equal = BTreeMap::from([
        ("108.pbs01".to_owned(), json!("equal")),
        ("110.pbs01".to_owned(), json!("equal")),
        ("114.pbs01".to_owned(), json!("no_evidence")),
    ]);
    assert_eq!(classes(), equal);
    let path = before.join("jobs-t.json");
    let dump = fs::read_to_string(&path).unwrap();
    let other =
        dump.replace("Not Running: No available resources on nodes", "Not Running: Queue not started.");
    assert_ne!(dump, other);
    fs::write(&path, other).unwrap();
    assert_eq!(classes()["110.pbs01"], "different");
}

//! Compares every number of every section with the original's answer.

use std::io::Read as _;
use std::path::Path;

use qscope::capacity::entry::{self, EntryError};
use qscope::capacity::estimate::Fidelity;
use serde_json::Value;

/// The sections with the number of problems in each, and the keys of the answers (none: the whole problem).
const SECTIONS: [(&str, usize, &[&str]); 10] = [
    ("binpack_peer", 9, &PACKING),
    ("binpack_edge", 42, &PACKING),
    ("binpack_random", 100, &PACKING),
    ("round", 24, &[]),
    ("overhead", 49, &[]),
    ("smooth", 25, &["steps"]),
    ("runtime", 15, &["events"]),
    ("estimate", 24, &["order", "after_overhead", "steps"]),
    ("update", 20, &["order", "steps", "shutdown"]),
    ("closed_loop", 12, &["makespan", "end", "node_seconds", "most_nodes", "killed", "trace"]),
];

const PACKING: [&str; 5] = ["order", "required", "reservations", "unfit", "error"];

fn answer(problem: &Value, fidelity: Fidelity) -> Result<Value, EntryError> {
    entry::answer(problem, fidelity).map(|answer| serde_json::to_value(answer).unwrap())
}

fn file() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/capacity/scaler.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    entry::read_text(&text).unwrap()
}

/// Returns whether two values are equal, numbers by value whatever their form; the question within a step is
/// not part of the answer.
fn same(want: &Value, got: &Value, section: &str) -> bool {
    match (want, got) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, section))
        }
        (Value::Object(a), Value::Object(b)) => a.iter().all(|(key, a)| {
            let asked: &[&str] = match section {
                "update" => &["nodes", "ignored", "launch_cap", "request"],
                "estimate" => &["jobs", "deficit"],
                _ => &[],
            };
            let given = asked.contains(&key.as_str());
            given || b.get(key).is_some_and(|b| same(a, b, section))
        }),
        (a, b) => a == b,
    }
}

#[test]
fn the_original_answers_every_problem_with_the_same_numbers() {
    let file = file();
    let mut differing = Vec::new();
    for (section, problems, keys) in SECTIONS {
        let list = file[section].as_array().unwrap();
        assert_eq!(list.len(), problems, "{section}");
        for problem in list {
            let got = answer(problem, Fidelity::Compat).unwrap();
            let name = format!("{section}/{}", problem.get("name").unwrap_or(&Value::Null));
            if keys.is_empty() {
                if !same(problem, &got, section) {
                    differing.push(name);
                }
                continue;
            }
            for key in keys {
                let (want, got) = (problem.get(*key), got.get(*key));
                let agree = match (want, got) {
                    (Some(want), Some(got)) => same(want, got, section),
                    (None, None) => true,
                    _ => false,
                };
                if !agree {
                    differing.push(format!("{name}.{key}"));
                }
            }
        }
    }
    assert!(differing.is_empty(), "{} differ: {differing:#?}", differing.len());
}

#[test]
fn a_change_in_any_answer_would_be_noticed() {
    let mut problem = file()["binpack_peer"][0].clone();
    let got = answer(&problem, Fidelity::Compat).unwrap();
    problem["reservations"][0][0][1][0][0] = 1001.into();
    assert!(!same(&problem["reservations"], &got["reservations"], "binpack_peer"));
}

/// Without its defects, the answer is the same wherever none of them matters: one type, whole numbers,
/// everything fits.
#[test]
fn the_default_differs_only_where_a_defect_is_touched() {
    let file = file();
    let (mut equal, mut differing) = (0, 0);
    for section in ["binpack_peer", "binpack_edge", "binpack_random"] {
        for problem in file[section].as_array().unwrap() {
            let compat = answer(problem, Fidelity::Compat).unwrap();
            let default = answer(problem, Fidelity::Corrected).unwrap();
            let same = PACKING.iter().all(|key| compat.get(*key) == default.get(*key));
            let said = !default["differs"].as_array().unwrap().is_empty();
            let whole = whole_numbers(problem);
            let one_type = problem["node_shapes"].as_array().unwrap().len() == 1;
            if whole && one_type {
                assert!(same, "{section}/{}", problem["name"]);
            }
            // Thousandths of a second differ from doubles in the last digits, which does not count as another
            // answer.
            assert!(same || said || !whole, "{section}/{} differs in silence", problem["name"]);
            if same { equal += 1 } else { differing += 1 }
        }
    }
    assert!(equal > 40 && differing > 10, "{equal} equal, {differing} differ");
}

fn whole_numbers(value: &Value) -> bool {
    match value {
        Value::Number(n) => n.as_f64().unwrap().fract() == 0.0,
        Value::Array(items) => items.iter().all(whole_numbers),
        Value::Object(items) => items.values().all(whole_numbers),
        _ => true,
    }
}

#[test]
fn every_lost_cycle_of_the_original_has_an_answer_here() {
    let mut lost = 0;
    for problem in file()["binpack_edge"].as_array().unwrap() {
        if problem.get("error").is_some() {
            lost += 1;
            let answer = answer(problem, Fidelity::Corrected).unwrap();
            assert!(answer["required"][0].as_u64().unwrap() > 0, "{}", problem["name"]);
            assert_eq!(answer["differs"][0]["defect"], "13.1");
        }
    }
    assert_eq!(lost, 10);
}

/// The whole file at once, and input that is not a problem.
#[test]
fn wrong_problems_name_the_item() {
    let error = |text: &str| {
        let problem = entry::read_text(text);
        problem.and_then(|problem| answer(&problem, Fidelity::Compat)).unwrap_err().to_string()
    };
    let packing = |nodes: &str, jobs: &str| {
        error(&format!(r#"{{"mode":"pack","target_time":1800,"node_shapes":[{nodes}],"jobs":[[{jobs}]]}}"#))
    };
    let node = "[3600,10,4,10,0]";
    assert_eq!(packing(node, "[60,1,1,1,0],[60,-5,1,1,0]"), "jobs[0][1]: memory is negative: -5");
    assert_eq!(packing(node, "[Infinity,1,1,1,0]"), "jobs[0][0][0]: is not a finite number: Infinity");
    assert_eq!(packing(node, "[1e999,1,1,1,0]"), "jobs[0][0][0]: is not a finite number: 1e999");
    assert!(packing(node, "[1e11,1,1,1,0]").starts_with("jobs[0]: a wall time of 100000000000 s needs"));
    assert!(packing("[0,10,4,10,0]", "").contains("node_shapes[0]: the slice"));
    assert!(packing(node, "[60,1,1]").starts_with("jobs[0][0]: invalid length 3"));
    let estimate = |config: &str| {
        error(&format!(
            r#"{{"types":[[[3600,10,4,10,0],"a"]],"config":{{{config}}},"steps":[{{"jobs":[]}}]}}"#
        ))
    };
    assert!(
        estimate(r#""target_time":1800,"max_nodes":[0]"#).starts_with("config.max_nodes: no node is allowed")
    );
    assert!(estimate(r#""target_time":0"#).contains("target time"));
    assert!(estimate(r#""beta":0.95"#).contains("beta"));
    let looped = r#"{"types":[[[3600,10,4,10,0],"a"]],"config":{"interval":0},"jobs":[[0,"x",1,1,1,1,0]]}"#;
    assert!(error(looped).contains("interval must be more than 0 s"));
    assert!(error("{}").contains("has none of the keys"));
    assert!(error("[").contains("not JSON"));
}

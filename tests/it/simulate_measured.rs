//! What `qscope simulate` measures on request, against numbers computed by hand: the load over time, core-hours waited by
//! reason, unfair starts, and the first difference of two settings.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::record::run;

pub(crate) const FROM: i64 = 1_763_712_000;

/// A job that arrives after some seconds, and would run 600 s of its 20 minutes.
pub(crate) fn job(id: &str, after: i64, cores: u32, queue: &str, rest: &Value) -> Value {
    let mut row = json!({"id": format!("{id}.svr"), "at": FROM + after, "runtime": 600, "job": {
        "Job_Owner": "ann@host", "queue": queue, "Resource_List": {"select": format!("1:ncpus={cores}"),
        "place": "free", "ncpus": cores, "nodect": 1, "walltime": "00:20:00"}}});
    for (key, value) in rest.as_object().into_iter().flatten() {
        match key.strip_prefix("job.") {
            Some(attribute) => row["job"][attribute] = value.clone(),
            None => row[key] = value.clone(),
        }
    }
    row
}

/// Writes vnodes of four cores, two queues of which `high` goes first, and jobs that arrive.
fn cluster(folder: &Path, nodes: &str, jobs: &[Value]) {
    let nodes = format!("[[node]]\nname = \"{nodes}\"\navailable = {{ ncpus = 4 }}\n");
    fs::write(folder.join("nodes.toml"), nodes).unwrap();
    let queues = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"high\"\npriority = 100\n";
    fs::write(folder.join("queue.toml"), format!("now = {FROM}\n{queues}")).unwrap();
    let arrivals = json!({"format": "arrivals 1", "jobs": jobs}).to_string();
    fs::write(folder.join("arrivals.json"), arrivals).unwrap();
}

pub(crate) fn simulate(words: &[&str], folder: &Path) -> (String, String, i32) {
    run(&[&["simulate", "."], words].concat(), folder)
}

pub(crate) fn answer(words: &[&str], folder: &Path) -> Value {
    let (text, wrong, code) = simulate(&[words, &["--json"]].concat(), folder);
    assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
    serde_json::from_str(&text).unwrap()
}

/// One vnode: 1 takes it for 600 s, 2 waits from 20 s on, and 3 is held from 30 s to 300 s.
fn held_and_waiting(folder: &Path) {
    let held = json!({"job.job_state": "H", "job.Hold_Types": "u", "release": FROM + 300});
    let none = json!({});
    cluster(
        folder,
        "n1",
        &[job("1", 0, 4, "workq", &none), job("2", 20, 2, "workq", &none), job("3", 30, 1, "workq", &held)],
    );
}

#[test]
fn core_hours_waited_are_those_of_the_reasons_of_each_cycle() {
    let folder = tempfile::tempdir().unwrap();
    held_and_waiting(folder.path());
    let found = answer(&["--reasons"], folder.path());
    // 2 waits 580 s with 2 cores, 3 waits 270 s held and 300 s queued with one.
    let expected = json!([
        {"reason_name": "insufficient ncpus", "core_hours": 0.405_556, "jobs": 2},
        {"reason_name": "held by user", "core_hours": 0.075, "jobs": 1},
    ]);
    assert_eq!(found["waited"], expected);
    let last = |nth: usize| found["jobs"][nth]["last_reason"].clone();
    assert_eq!(
        [last(0), last(1), last(2)],
        [json!(null), json!("insufficient ncpus"), json!("insufficient ncpus")]
    );
    let (csv, _, _) = simulate(&["--reasons", "--csv"], folder.path());
    let rows = "reason_name,core_hours,jobs\ninsufficient ncpus,0.405556,2\nheld by user,0.075,1\n";
    assert_eq!(csv, rows);
    assert!(answer(&[], folder.path()).get("waited").is_none());
}

#[test]
fn jobs_that_no_cycle_has_considered_are_not_yet_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    held_and_waiting(folder.path());
    // The cycle after that of the start is put off to 100 s, the next ones to 400 s and 700 s.
    let found = answer(&["--reasons", "--min-interval", "100"], folder.path());
    let waited = |reason: &str| {
        let rows = found["waited"].as_array().unwrap();
        rows.iter()
            .find(|row| row["reason_name"] == reason)
            .map(|row| row["core_hours"].as_f64().unwrap() * 3600.0)
    };
    // 2 is looked at after 80 s with 2 cores; 3 is looked at in the second of its release.
    assert!((waited("not yet looked at").unwrap() - 160.0).abs() < 0.01, "{found}");
    assert!((waited("held by user").unwrap() - 270.0).abs() < 0.01, "{found}");
}

#[test]
fn the_load_has_a_sample_for_each_second_with_a_change() {
    let folder = tempfile::tempdir().unwrap();
    held_and_waiting(folder.path());
    let found = answer(&["--series"], folder.path());
    let sample = |after: i64, busy: f64, queued: u32, waiting: f64, running: u32, free: u32| {
        json!({"at": FROM + after, "busy_cores": busy, "cores": 4.0, "queued": queued,
            "core_seconds_waiting": waiting, "running": running, "free_nodes": free,
            "largest_free_set": null, "stranded_cores": 0.0})
    };
    // Walltimes are 1200 s; a held job is not queued.
    let expected = json!([
        sample(0, 4.0, 0, 0.0, 1, 0),
        sample(20, 4.0, 1, 2400.0, 1, 0),
        sample(300, 4.0, 2, 3600.0, 1, 0),
        sample(600, 3.0, 0, 0.0, 2, 0),
        sample(1200, 0.0, 0, 0.0, 0, 1),
    ]);
    assert_eq!(found["series"], expected);
    let (csv, _, _) = simulate(&["--series", "--csv"], folder.path());
    assert_eq!(csv.lines().nth(2), Some("1763712020,4,4,1,2400,1,0,,,0"), "{csv}");
    assert!(answer(&[], folder.path()).get("series").is_none());
}

#[test]
fn cores_that_no_queued_job_fits_on_are_stranded() {
    let folder = tempfile::tempdir().unwrap();
    let none = json!({});
    // From 20 s on, 2 needs more than the two free cores; from 40 s on, they suffice for 3, which starts on one.
    let jobs =
        [job("1", 0, 2, "workq", &none), job("2", 20, 4, "workq", &none), job("3", 40, 1, "workq", &none)];
    cluster(folder.path(), "n1", &jobs);
    let stranded = |found: &Value| -> Vec<(i64, f64)> {
        let samples = found["series"].as_array().unwrap().iter();
        samples
            .map(|one| (one["at"].as_i64().unwrap() - FROM, one["stranded_cores"].as_f64().unwrap()))
            .collect()
    };
    let found = answer(&["--series"], folder.path());
    // Nothing is queued at the start; from 600 s on 3 has one core, and three are free.
    assert_eq!(stranded(&found), [(0, 0.0), (20, 2.0), (40, 1.0), (600, 3.0), (640, 0.0), (1240, 0.0)]);
}

#[test]
fn the_largest_free_set_is_one_of_placement_sets() {
    let folder = tempfile::tempdir().unwrap();
    let place = json!({"job.Resource_List": {"select": "1:ncpus=4", "place": "free", "ncpus": 4, "nodect": 1,
        "walltime": "00:20:00"}});
    cluster(folder.path(), "n1", &[job("1", 0, 4, "workq", &place)]);
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4, switch = \"a\" }\n\
                 [[node]]\nname = \"n3\"\navailable = { ncpus = 4, switch = \"b\" }\n";
    fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    let sets = ["--set", "node_group_enable=True", "--set", "node_group_key=switch"];
    let found = answer(&[&sets[..], &["--series"]].concat(), folder.path());
    let samples = found["series"].as_array().unwrap();
    // The job takes a node of the smaller set; at the end all three are free.
    let expected = json!({"name": "switch=a", "nodes": 2});
    assert_eq!((&samples[0]["free_nodes"], &samples[0]["largest_free_set"]), (&json!(2), &expected));
    assert_eq!((&samples[1]["free_nodes"], &samples[1]["largest_free_set"]), (&json!(3), &expected));
}

/// One vnode: 1 takes it, 2 waits, and 3 arrives later in the queue that goes first.
fn overtaken(folder: &Path) {
    let none = json!({});
    let jobs =
        [job("1", 0, 4, "workq", &none), job("2", 20, 4, "workq", &none), job("3", 30, 4, "high", &none)];
    cluster(folder, "n1", &jobs);
}

#[test]
fn a_job_overtaken_by_a_later_one_starts_unfairly() {
    let folder = tempfile::tempdir().unwrap();
    overtaken(folder.path());
    let found = answer(&["--unfair", "2,3.svr"], folder.path());
    let expected = json!([
        {"id": "2.svr", "start": FROM + 1200, "without_later": FROM + 600, "late": 600, "unfair": true},
        {"id": "3.svr", "start": FROM + 600, "without_later": FROM + 600, "late": 0, "unfair": false},
    ]);
    assert_eq!(found["unfair"], expected);
    let (text, _, code) = simulate(&["--unfair", "2,3"], folder.path());
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
    let (_, wrong, code) = simulate(&["--unfair", "9"], folder.path());
    assert!(
        code == 2 && wrong.contains("no job `9`, neither at the start nor among the arrivals"),
        "{wrong}"
    );
}

#[test]
fn a_job_that_never_starts_is_late_by_at_least_its_wait() {
    let folder = tempfile::tempdir().unwrap();
    overtaken(folder.path());
    let until = (FROM + 900).to_string();
    let words = ["--unfair", "2", "--until", until.as_str(), "--iteration", "100"];
    let found = answer(&words, folder.path());
    // Cycles go on until 900 s; without 3 it would have started at 600 s.
    assert_eq!(found["to"], FROM + 900);
    let expected =
        json!({"id": "2.svr", "start": null, "without_later": FROM + 600, "late": 300, "unfair": true});
    assert_eq!(found["unfair"][0], expected);
    let (text, _, _) = simulate(&words, folder.path());
    assert!(text.contains("00:05:00 or more") && text.contains("unfair starts: 1 of 1 named job,"), "{text}");
}

#[test]
fn two_settings_are_subtracted_and_the_first_difference_has_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    overtaken(folder.path());
    let words = ["--against", "queue.high.started=False", "--until", "2025-11-21T09:00"];
    let found = answer(&words, folder.path());
    // Waits are 0, 1180 and 570 s; in the second, 0 and 580 s.
    let less = &found["measures_difference"];
    assert_eq!(
        (&less["wait_max"], &less["started"], &less["censored"]),
        (&json!(-600), &json!(-1), &json!(1))
    );
    let mean = 290.0 - 1750.0 / 3.0;
    assert!((less["wait_mean"].as_f64().unwrap() - mean).abs() < 1e-6, "{less}");
    let first = &found["first"];
    assert_eq!((&first["at"], &first["job"]), (&json!(FROM + 600), &json!("2.svr")));
    assert_eq!((&first["a"]["starts"], &first["b"]["starts"]), (&json!(false), &json!(true)));
    assert_eq!(first["b"]["exec_vnode"], "(n1:ncpus=4)");
    assert!(first["a"]["rule"].is_string() && first["a"]["reason"].is_string(), "{first}");
    let (text, _, _) = simulate(&words, folder.path());
    insta::assert_snapshot!(text);
}

#[test]
fn requested_measures_are_tables_in_text() {
    let folder = tempfile::tempdir().unwrap();
    held_and_waiting(folder.path());
    let (text, _, code) = simulate(&["--series", "--reasons"], folder.path());
    assert_eq!(code, 0);
    insta::assert_snapshot!(text);
    let (_, wrong, code) = simulate(&["--series", "--reasons", "--csv"], folder.path());
    assert!(code == 2 && wrong.contains("--csv prints one table"), "{wrong}");
}

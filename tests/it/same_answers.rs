//! The same question to several commands has one answer, and options without effect are refused.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use qscope::cluster::Seconds;
use qscope::cycle::run_cycle;
use qscope::explain::{ForecastProgress, ForecastSource, all_starts, forecast};
use qscope::universe::Quirks;
use serde_json::Value;
use tempfile::TempDir;

use super::ran::ran as qscope;
use super::{cases, real};

fn text(args: &[&str]) -> String {
    String::from_utf8(qscope(args).stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = qscope(args);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|why| panic!("{args:?}: {why}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// Writes a live case to the disk: the cluster before its cycle is in `before`.
fn case(name: &str) -> (TempDir, String) {
    let found = real::named(name);
    let root = found.on_disk();
    let before = root.path().join("before").to_str().unwrap().to_owned();
    (root, before)
}

fn sample(name: &str) -> String {
    super::ran::sample(name).display().to_string()
}

/// Returns the published answer about a job.
fn published(root: &Path, folder: &str, job: &str) -> Value {
    let file = root.join("published");
    let made = qscope(["publish", folder, "--to", file.to_str().unwrap(), "--once"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let option = format!("--published={}", file.display());
    json(&["why", &option, job, "--json"])["answers"][0].clone()
}

#[test]
fn an_array_that_starts_in_part_has_one_start_for_what_is_left() {
    let (root, c04) = case("c04");
    for job in ["67[]", "67[2]"] {
        let start = &json(&["why", job, &c04, "--json"])["estimate"]["start"];
        assert!(start.is_i64(), "{job}: {start}");
        assert_eq!(&published(root.path(), &c04, job)["start"], start, "{job}");
        let when = text(&["when", job, &c04]);
        assert!(when.contains("02:08:31"), "{job}: {when}");
    }
}

#[test]
fn an_array_that_starts_in_part_has_one_final_verdict() {
    let (_root, c04) = case("c04");
    let id = "67[].pbs01";
    let cycle = json(&["cycle", &c04, "--json"]);
    let row = cycle["jobs"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
    assert_eq!((&row["verdict"], &row["final_verdict"]), (&"run".into(), &"not_now".into()));
    assert_eq!(json(&["why", "67[]", &c04, "--json"])["final_verdict"], "not_now");
    for (verdict, is_listed) in [("not_now", true), ("run", false)] {
        let found = json(&["cycle", &c04, "--json", "--where", &format!("verdict={verdict}")]);
        let has = found["jobs"].as_array().unwrap().iter().any(|row| row["id"] == id);
        assert_eq!(has, is_listed, "{verdict}");
    }
}

#[test]
fn two_jobs_have_the_places_of_the_whole_order() {
    let (_root, c04) = case("c04");
    assert_eq!(json(&["order", "67[]", "68", &c04, "--json"])["orders"], serde_json::json!([12, 13]));
    let (_root, c01) = case("c01");
    let head = text(&["order", "19", "4", &c01]);
    assert!(head.contains("not considered): only it was ready"), "{head}");
}

/// The cycle decides about an array at several turns; every answer has the verdict of the first one, and what becomes of
/// the array.
#[test]
fn an_array_that_starts_in_part_has_the_same_two_verdicts_everywhere() {
    let (root, c04) = case("c04");
    let cycle = json(&["cycle", &c04, "--json"]);
    let row = cycle["jobs"].as_array().unwrap().iter().find(|row| row["id"] == "67[].pbs01").unwrap();
    assert_eq!((&row["verdict"], &row["final_verdict"]), (&"run".into(), &"not_now".into()), "{row}");
    let answers = [json(&["why", "67[]", &c04, "--json"]), published(root.path(), &c04, "67[]")];
    for answer in answers {
        for key in ["verdict", "final_verdict"] {
            assert_eq!(answer[key], row[key], "{key}");
        }
    }
}

#[test]
fn a_published_answer_has_both_verdicts() {
    let (root, c01) = case("c01");
    let answer = published(root.path(), &c01, "12");
    let why = json(&["why", "12", &c01, "--json"]);
    for key in ["verdict", "final_verdict"] {
        assert_eq!(answer[key], why[key], "{key}");
    }
    assert_eq!((&answer["verdict"], &answer["final_verdict"]), (&"not_now".into(), &"never".into()));
}

/// The cases include starts that the current cycle takes back: of soft limits, with preemption.
#[test]
fn all_starts_are_those_of_each_job_by_itself() {
    let cases = cases::all()
        .iter()
        .filter(|case| ["d3104", "d3124", "d3160"].iter().any(|name| case.name.ends_with(name)));
    let mut compared = 0;
    for case in cases {
        let run = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let until = run.plan.snap.now + Seconds(6 * 3600);
        let mut to = |progress: ForecastProgress| match progress.at <= until {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let all = all_starts(&run, &mut to);
        for (job, start) in all.at.iter().take(12) {
            let one = forecast(&run, *job, &mut |_| ControlFlow::Continue(())).unwrap();
            // Of a top job it is the scheduler's own estimate.
            if one.source == ForecastSource::TopJob {
                continue;
            }
            assert_eq!(one.start, Some(*start), "{} {}", case.name, run.plan.snap.jobs[*job].name);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn metrics_count_the_core_hours_of_the_board() {
    let (_root, c04) = case("c04");
    let metrics = text(&["metrics", &c04, "--once"]);
    let of_waiting = metrics.lines().filter(|line| line.starts_with("qscope_waiting_core_hours{"));
    let sum: f64 = of_waiting.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum();
    let board = json(&["board", &c04, "--json"])["core_hours"].as_f64().unwrap();
    assert!((sum - board).abs() < 0.06, "{sum} {board}");
}

#[test]
fn the_window_of_a_simulation_ends_with_it() {
    let week = sample("week");
    let found = json(&["simulate", &week, "--until", "1763800000", "--json"]);
    assert_eq!(found["measures"]["window"][1], found["to"]);
    assert_eq!(qscope(["simulate", &week, "--until", "5"]).status.code(), Some(2));
}

#[test]
fn jobs_of_a_trace_of_another_time_have_ids_of_their_own() {
    let (root, c01) = case("c01");
    let trace = root.path().join("trace.swf");
    let rows = |number: u32| format!("{number} {number} -1 60 1 -1 -1 1 600 -1 1 1 1 -1 -1 -1 -1 -1\n");
    fs::write(&trace, (1..4).map(rows).collect::<String>()).unwrap();
    let found = json(&["simulate", &c01, "--arrivals", trace.to_str().unwrap(), "--json"]);
    assert_eq!(found["measures"]["arrived"], 3);
    assert!(found["jobs"].as_array().unwrap().iter().any(|job| job["id"] == "1-t.pbs01"));
}

#[test]
fn rejected_arrivals_are_counted_and_named() {
    let (root, c01) = case("c01");
    let file = root.path().join("later.json");
    let row = |id: &str, queue: &str| {
        let list = serde_json::json!({"select": "1:ncpus=1", "ncpus": "1", "walltime": "00:10:00"});
        let job = serde_json::json!({"Job_Owner": "ann@h", "queue": queue, "Resource_List": list});
        serde_json::json!({"id": id, "at": 1_795_226_300, "runtime": 10, "job": job})
    };
    let rows = [row("1.pbs01", "workq"), row("9001.pbs01", "nosuch")];
    fs::write(&file, serde_json::json!({"format": "arrivals 1", "jobs": rows}).to_string()).unwrap();
    let text = text(&["simulate", &c01, "--arrivals", file.to_str().unwrap()]);
    for words in [
        "every job that arrives is rejected",
        "1 arrival rejected, a job of the same id was there before: 1.pbs01",
        "1 arrival rejected, no execution queue of that name: 9001.pbs01",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn what_would_change_nothing_is_refused() {
    let (one, campus, week) = (sample("packing/1-empty.json"), sample("campus"), sample("week"));
    let refused: &[&[&str]] = &[
        &["farm", &one, "--nodes", "2x2"],
        &["farm", &one, "--seed", "7"],
        &["farm", &one, "--load", "0.1"],
        &["farm", &one, "--class", "user"],
        &["farm", &campus, "--nodes", "2x2"],
        &["farm", &campus, "--seed", "7"],
        &["farm", &campus, "--load", "0.1"],
        &["farm", &campus, "--scenario", "x"],
        &["simulate", &week, "--cycles", "--csv"],
        &["simulate", &week, "--cycles", "--swf"],
        &["simulate", &week, "--cycles", "--against", "backfill_depth=3"],
        &["simulate", &week, "--cores-per-node", "4"],
        &["simulate", &week, "--trace-memory", "none"],
        &["simulate", &week, "--queue-map", "1=nosuch"],
        &["report", &campus, "-o", "-"],
        &["bundle", &campus, "-o", "-"],
        &["cycle", &campus, "--add-nodes", "ncpus=4=0"],
    ];
    for args in refused {
        let output = qscope(*args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_folder_in_place_of_the_node_is_named() {
    let campus = sample("campus");
    let why = String::from_utf8(qscope(["elim", &campus]).stderr).unwrap();
    assert!(why.contains(&format!("which node? `{campus}` is a folder")), "{why}");
}

#[test]
fn the_least_that_is_kept_is_no_reason_to_want_less() {
    let (_root, c05) = case("c05");
    let text = text(&["capacity", &c05]);
    assert!(text.contains("42 needed, 19 wanted: inertia"), "{text}");
}

#[test]
fn a_report_names_subjobs_and_sets_causes_apart() {
    let (root, c04) = case("c04");
    let page = root.path().join("cycle.md");
    assert!(qscope(["report", &c04, "-o", page.to_str().unwrap()]).status.success());
    let page = fs::read_to_string(page).unwrap().replace('\\', "");
    assert!(page.contains("| end | 67[0].pbs01 |"), "{page}");
    let causes = page.lines().filter(|line| line.contains(" % | **"));
    for line in causes {
        assert!(line.contains(": "), "{line}");
    }
}

#[test]
fn options_stand_under_their_own_headings() {
    let simulate = text(&["simulate", "--help"]);
    let (_, under) = simulate.split_once("Nodes that come and go:").unwrap();
    assert!(!under.contains("--cycles") && under.contains("--boot"), "{under}");
    let collect = text(&["collect", "--help"]);
    let (before, _) = collect.split_once("Recording:").unwrap();
    assert!(before.contains("--once"), "{collect}");
    assert!(text(&["why", "--published", "--help"]).contains("Usage: qscope why "));
}

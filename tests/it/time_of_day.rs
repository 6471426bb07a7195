//! Prime and dedicated time: what waits for them, the lines of the files that make them, and how they are shown.

use std::fs;
use std::path::Path;

use qscope::console::action::Action::{Accept, Filter, Settings, View3, View6, WhatIf};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::console_cycle::{Stage, line};
use crate::real::program;

/// Dedicated time half an hour after the moment of the sample.
const DEDICATED: (&str, &str) = ("dedicated_time", "# site\n11/21/2026 02:30 11/21/2026 03:00\n");

/// Prime time soon after the moment of the sample, which is on a Saturday.
const PRIME: (&str, &str) =
    ("holidays", "YEAR 2026\n*\nweekday 0600 1730\nsaturday 0215 0315\nsunday none all\n");

/// Copies the sample `campus`, with other files.
fn campus(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir("samples/campus").unwrap().flatten() {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Replaces a text in a file of the folder.
fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}: {from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// The sample with prime time, at the end of which `backfill_prime` ends jobs.
fn prime() -> TempDir {
    let folder = campus(&[PRIME]);
    change(folder.path(), "sched_config", "backfill_prime:\tfalse", "backfill_prime:\ttrue");
    folder
}

/// The sample with job 24 in a queue of that name.
fn in_queue(folder: &Path, name: &str) {
    change(folder, "queues.json", "\"express\"", &format!("\"{name}\""));
    let jobs = fs::read_to_string(folder.join("jobs-t.json")).unwrap();
    let (before, after) = jobs.split_at(jobs.find("\"24.").unwrap());
    fs::write(
        folder.join("jobs-t.json"),
        format!("{before}{}", after.replacen("\"workq\"", &format!("\"{name}\""), 1)),
    )
    .unwrap();
}

/// Returns the places of the settings in the answer to why a job waits.
fn settings(why: &Value) -> Vec<String> {
    let words = |one: &Value| {
        format!("{} {}:{}", one["name"].as_str().unwrap(), one["file"].as_str().unwrap(), one["line"])
    };
    why["settings"].as_array().unwrap().iter().map(words).collect()
}

#[test]
fn a_boundary_of_dedicated_time_names_its_line() {
    let folder = campus(&[DEDICATED]);
    let why = program(&["why", "21"], &[folder.path()]);
    assert_eq!(why["tier"], "calendar");
    assert_eq!(settings(&why), ["dedicated_time dedicated_time:2", "dedicated_prefix sched_config:19"]);
    let mut stage = Stage::open_at(folder.path(), 120, 50);
    let seen = stage.command("job 21").see();
    let place = line(&seen, "set at");
    assert!(place.contains("dedicated_time:2 · dedicated_prefix sched_config:19"), "{seen}");
}

#[test]
fn a_boundary_of_prime_time_names_its_line_and_the_options_that_apply() {
    let folder = prime();
    let why = program(&["why", "21"], &[folder.path()]);
    assert_eq!((&why["tier"], &why["reason_name"]), (&json!("calendar"), &json!("calendar")));
    let expected = [
        "saturday holidays:4",
        "backfill_prime sched_config:5",
        "prime_exempt_anytime_queues sched_config:6",
    ];
    assert_eq!(settings(&why), expected);
}

#[test]
fn a_queue_closed_by_the_time_of_day_is_not_stopped() {
    let dedicated = campus(&[DEDICATED]);
    in_queue(dedicated.path(), "ded_x");
    let primes = prime();
    in_queue(primes.path(), "p_x");
    let places = [
        ["dedicated_time dedicated_time:2", "dedicated_prefix sched_config:19"],
        ["saturday holidays:4", "primetime_prefix sched_config:7"],
    ];
    for (folder, places) in [dedicated, primes].iter().zip(places) {
        let why = program(&["why", "24"], &[folder.path()]);
        assert_eq!((&why["tier"], &why["causes"][0]["kind"]), (&json!("calendar"), &json!("time-window")));
        assert_eq!(settings(&why), places);
        let seen = Stage::open_at(folder.path(), 200, 50).act(&[View3]).command("columns +tier").see();
        let row = line(&seen, "┃ 24 ");
        assert!(row.contains("calendar: waits for its time of day") && !row.contains("stopped"), "{row}");
    }
}

#[test]
fn room_beside_dedicated_time_comes_with_its_end() {
    let folder = campus(&[DEDICATED]);
    let mut stage = Stage::open_at(folder.path(), 200, 60);
    let seen = stage.command("why 10").see();
    let text = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("room once these have ended and dedicated time ends: 03:00:00, in 1h02"), "{seen}");
}

#[test]
fn the_lines_of_both_files_are_settings() {
    let folder = campus(&[DEDICATED, PRIME]);
    let mut stage = Stage::open_at(folder.path(), 160, 100);
    let seen = stage.act(&[Settings]).see();
    for (name, place) in [
        ("dedicated_time 2026-11-21 02:30", "dedicated_time:2"),
        ("holidays saturday", "holidays:4"),
        ("holidays weekday", "holidays:3"),
    ] {
        assert!(line(&seen, name).contains(place), "{seen}");
    }
    // They are no settings of a what-if.
    let seen = stage.act(&[Filter]).type_in("holidays").act(&[Accept, WhatIf]).see();
    assert!(seen.contains("a line of holidays is no setting of a what-if"), "{seen}");
}

#[test]
fn the_calendar_has_marks_of_their_own_for_prime_and_dedicated_time() {
    let folder = campus(&[DEDICATED, PRIME]);
    let seen = Stage::open_at(folder.path(), 120, 30).act(&[View6]).see();
    let legend = line(&seen, "▓ running");
    assert!(legend.contains("┊ prime time saturday holidays:4"), "{legend}");
    assert!(legend.contains("┈ dedicated time dedicated_time:2"), "{legend}");
    assert!(line(&seen, "n015").contains("┇┈┈┈┈┈"), "{seen}");
    assert!(line(&seen, "n015").contains('┊'), "{seen}");
    // The number of free nodes, below the picture of them.
    let numbers = seen.lines().skip_while(|line| !line.contains("free nodes")).nth(1).unwrap();
    let numbers: Vec<&str> = numbers.trim_matches(['┃', ' ']).split_whitespace().collect();
    assert_eq!(numbers, ["2", "10", "25", "26", "0", "30"]);
    // A narrow picture has fewer words, not a cut legend.
    let seen = Stage::open_at(folder.path(), 120, 50).command("why 10").see();
    let legend = line(&seen, "▓ running");
    assert!(legend.contains("┊ prime") && legend.contains("┈ dedicated"), "{legend}");
    assert!(!legend.split("▓ running").nth(1).unwrap().contains('…'), "{legend}");
}

//! Alerts on the first screen, and the board that explains them.

use std::sync::Arc;

use std::fs;
use std::path::PathBuf;

use qscope::console::action::Action;
use qscope::console::views::ViewName;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::console_cycle::Stage;
use crate::real::{self, program};

/// Returns the dumps of a live server whose cycle books nodes twice (quirk B1), with more faults added: two nodes
/// offline, one overfull, one that lists an ended job, a queue stopped, scheduling off.
pub(crate) fn troubled() -> (TempDir, PathBuf) {
    let case = real::named("c02-psets");
    let disk = case.on_disk();
    let folder = disk.path().join("before");
    for form in ["nodes.txt", "queues.txt", "server.txt"] {
        drop(fs::remove_file(folder.join(form)));
    }
    edit(&folder, "nodes.json", |nodes| {
        nodes["nodes"]["cn012"]["state"] = json!("offline");
        nodes["nodes"]["cn012"]["comment"] = json!("bad disk");
        nodes["nodes"]["cn013"]["state"] = json!("offline");
        nodes["nodes"]["cn024"]["resources_assigned"]["ncpus"] = json!(20);
        nodes["nodes"]["cn028"]["state"] = json!("job-exclusive");
        nodes["nodes"]["cn028"]["jobs"] = json!(["17.pbs01"]);
        nodes["nodes"]["cn028"]["resources_assigned"] = json!({});
    });
    edit(&folder, "queues.json", |queues| {
        queues["Queue"]["stopped"]["started"] = json!("True");
        queues["Queue"]["special"]["started"] = json!("False");
    });
    edit(&folder, "server.json", |server| server["Server"]["pbs01"]["scheduling"] = json!("False"));
    (disk, folder)
}

fn edit(folder: &std::path::Path, name: &str, change: impl Fn(&mut Value)) {
    let path = folder.join(name);
    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, serde_json::to_vec_pretty(&value).unwrap()).unwrap();
}

/// If a dump is broken and its other form is newer, the other is read, and an alert names the broken one.
#[test]
fn a_broken_dump_that_a_newer_one_replaces_is_named_in_an_alert() {
    let disk = tempfile::tempdir().unwrap();
    let folder = disk.path();
    let node = |name: &str| {
        format!("{name}\n     Mom = {name}\n     state = free\n     resources_available.ncpus = 8\n\n")
    };
    fs::write(folder.join("nodes.txt"), node("n1") + &node("n2")).unwrap();
    fs::write(folder.join("nodes.json"), "{\"nodes\": {\"n1\": {\"Mom\": \"n1\", \"sta").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options().write(true).open(folder.join("nodes.json")).unwrap().set_modified(long_ago).unwrap();
    let mut stage = Stage::open_at(folder, 120, 40);
    let seen = stage.see();
    assert!(seen.contains("nodes.json cut at byte 35, not used: nodes.txt is newer"), "{seen}");
    assert!(seen.contains("2 nodes: 2 free"), "both nodes are read from the other form\n{seen}");
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(seen.contains("file damaged") && !seen.contains("✗ data"), "listed once\n{seen}");
}

/// What has to be visible without pressing a key.
pub(crate) const TROUBLE: [&str; 6] = [
    "scheduling off",
    "3 double bookings: cn006 (38, 33), cn027 (39, 40)",
    "cn024 oversubscribed: ncpus 20 of 16",
    "queue \"special\" not started",
    "cn028 kept by job 17",
    "3 offline: cn[012-013,020]",
];

#[test]
fn a_real_folder_shows_what_is_wrong_without_a_key() {
    let (_disk, folder) = troubled();
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open_at(&folder, width, height);
        let seen = stage.see();
        // One line has them all where there is room; else the gravest, and how many there are besides.
        let all = TROUBLE.iter().filter(|words| seen.contains(**words)).count();
        assert!(seen.contains(TROUBLE[0]) && seen.contains(TROUBLE[1]) == (width > 80), "{seen}");
        assert!(all == TROUBLE.len() || seen.contains(" more\n"), "at {width}x{height}:\n{seen}");
        stage.screen(&format!("alerts-{width}x{height}"));
    }
    let mut stage = Stage::open_at(&folder, 80, 24);
    stage.act(&[Action::Warnings]);
    stage.screen("alerts-spelled-out-80x24");
}

#[test]
fn alerts_are_printed_with_names_for_programs() {
    let (_disk, folder) = troubled();
    let printed = program(&["board"], &[&folder]);
    let alerts = printed["alerts"].as_array().unwrap();
    let kinds: Vec<&str> = alerts.iter().map(|alert| alert["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["scheduling_off", "double_booking", "oversubscribed", "ghost", "offline", "stopped_queue"]
    );
    let of = |kind: &str| alerts.iter().find(|alert| alert["kind"] == kind).unwrap();
    assert_eq!(of("offline")["objects"], json!(["cn012", "cn013", "cn020"]));
    assert_eq!(of("ghost")["items"][0]["jobs"], json!(["17.pbs01"]));
    assert_eq!(of("double_booking")["items"][0]["jobs"].as_array().unwrap().len(), 2);
    let quiet = program(&["board"], &[&PathBuf::from("samples/calendar")]);
    assert_eq!(quiet["alerts"], json!([]));
}

/// Quirk B1, as a case that a real scheduler answered: one node, two jobs, and no such alert without the quirk.
#[test]
fn a_double_booking_names_the_node_and_both_jobs() {
    let folder = PathBuf::from("tests/cases/topics/pset_double_booking");
    let printed = program(&["board"], &[&folder]);
    let doubled =
        printed["alerts"].as_array().unwrap().iter().find(|a| a["kind"] == "double_booking").unwrap();
    let text = doubled["items"][0]["what"].as_str().unwrap();
    assert!(text.contains(" given to ") && text.contains(" again to "), "{text}");
    let fixed = program(&["board", "--semantics", "fixed"], &[&folder]);
    assert!(fixed["alerts"].as_array().unwrap().iter().all(|a| a["kind"] != "double_booking"));
}

#[test]
fn the_board_counts_causes_and_leads_into_their_jobs() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Action::Board]);
        assert_eq!(stage.app.view(), ViewName::Board);
        stage.screen(&format!("board-{width}x{height}"));
        stage.act(&[Action::Down, Action::Select]);
        stage.screen(&format!("board-jobs-{width}x{height}"));
    }
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Board, Action::Down, Action::Select, Action::Select]);
    assert_eq!(stage.app.view(), ViewName::Cycle, "Enter on a job leads to its turn");
    stage.act(&[Action::Back]);
    assert!(stage.see().contains("Jobs: "), "{}", stage.see());
    stage.act(&[Action::Back]);
    assert!(stage.see().contains("jobs wait after this cycle ·"), "{}", stage.see());
    stage.act(&[Action::Back]);
    assert_eq!(stage.app.view(), ViewName::Cycle);
    stage.act(&[Action::Forward, Action::Filter]).type_in("no such cause");
    assert!(stage.see().contains("No match"), "{}", stage.see());
}

#[test]
fn a_survey_that_pauses_after_every_kind_ends_as_one_that_does_not() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    let run = Arc::clone(&crate::console_cycle::read(&folder, 1).run);
    let whole = qscope::explain::board(&run);
    let mut survey = qscope::explain::BoardBuilder::new(run.clone());
    let first = survey.board();
    assert_eq!((first.waiting, first.analysed), (whole.waiting, 0), "all are counted at a glance");
    assert_eq!(first.jobs_by_first_condition, whole.waiting);
    assert!(first.sample().is_some() && whole.sample().is_none());
    while !survey.is_done() {
        let (before, of) = survey.progress();
        survey.analyse_groups(&mut || false);
        assert_eq!(survey.progress(), (before + 1, of));
    }
    assert_eq!(survey.board(), whole);
    let jobs: usize = whole.rows.iter().map(|row| row.jobs.len()).sum();
    assert_eq!(jobs as u64, whole.waiting, "every job has one cause");
}

//! One job has one name, verdict, reason and size on every screen, on the dumps of live servers.

use qscope::console::action::Action;
use qscope::console::app::AppInput;
use qscope::console::views::ViewName;

use crate::console_cycle::{Stage, line, read};
use crate::console_faults::stage;
use Action::{Accept, Close, Palette, StepForward};

const ARRAYS: &str = "c04-calendar-strict";

/// What rows call an array is accepted wherever an id is typed.
#[test]
fn an_array_is_found_by_the_name_of_its_row() {
    let (_disk, mut stage) = stage(ARRAYS, 80, 24);
    let seen = stage.command("why 67[2-5]").see();
    assert!(seen.contains("Why 67[2-5] does not run"), "{seen}");
    let seen = stage.command("job 67[2-5]").see();
    assert!(seen.contains("Job 67[] "), "{seen}");
    stage.command("67[2-5]");
    assert_eq!(stage.app.view(), ViewName::Why);
    stage.command("go 67[2-5]");
    assert_eq!(stage.subject(), "67[].pbs01");
    stage.act(&[Palette]).type_in("why 67[2-5]");
    let seen = stage.see();
    assert!(line(&seen, "▸why 67[2-5]").contains("wait  limit max_run_subjobs"), "{seen}");
    stage.act(&[Close, Action::View3]);
    let seen = stage.command("filter job=67[2-5]").see();
    assert!(seen.contains("1 of 25"), "{seen}");
    let seen = stage.command("filter 67[2-5]").see();
    assert!(seen.contains("1 of 25"), "{seen}");
}

/// A waiting subjob in the dump is considered as a part of its array, and waits for what that waits for.
#[test]
fn a_subjob_has_the_verdict_of_its_array_in_the_list_of_commands_and_on_its_page() {
    let (_disk, mut stage) = stage(ARRAYS, 80, 24);
    let seen = stage.act(&[Palette]).type_in("why 5").see();
    assert!(line(&seen, "why 67[5]").contains("wait  limit max_run_subjobs"), "{seen}");
    assert!(line(&seen, "why 66[5]").contains("run   cn017"), "{seen}");
    let seen = stage.act(&[Close]).command("job 67[5]").see();
    assert!(line(&seen, "Job 67[5]").contains("wait · limit max_run_subjobs · a: why"), "{seen}");
    assert!(seen.contains("considered as 67[2-5]") && !seen.contains("not considered"), "{seen}");
}

/// The amounts of an array are those of its remaining subjobs; a time limit is that of one.
#[test]
fn the_row_of_an_array_has_the_demand_of_its_remaining_subjobs() {
    let (_disk, mut stage) = stage(ARRAYS, 120, 40);
    let seen = stage.act(&[Action::View3]).see();
    let words: Vec<&str> = line(&seen, "67[2-5]").split_whitespace().collect();
    assert!(words.windows(3).any(|words| words == ["Q", "8", "5m"]), "{seen}");
    let seen = stage.command("filter ncpus=8 state=Q").see();
    assert!(seen.contains("67[2-5]"), "{seen}");
}

/// Subjobs count by themselves where they run, and with their array where they wait.
#[test]
fn a_queue_counts_the_jobs_and_the_subjobs_that_start() {
    let (_disk, mut stage) = stage(ARRAYS, 80, 24);
    let seen = stage.act(&[Action::View5]).see();
    assert!(line(&seen, "│ start ").contains("6 jobs, 7 subjobs: 58 59 61"), "{seen}");
}

/// Two limits of one attribute are two rows, which name whom they count and lead to their own jobs.
#[test]
fn limits_on_the_board_name_whom_they_count() {
    let (_disk, mut stage) = stage("c06-limits", 80, 24);
    let seen = stage.act(&[Action::View8]).see();
    let rows = [
        "limit max_run_res.ncpus: all small",
        "limit max_run_res.ncpus: bob",
        "limit max_run: g:carol special",
        "limit max_run: alice",
        "limit max_run: carol",
        "never: lic_cfd",
        "held by root",
    ];
    for row in rows {
        assert!(seen.contains(row), "{row}\n{seen}");
    }
    let seen = stage.act(&[Action::Down, Action::Select]).see();
    assert!(line(&seen, "Jobs: ").contains("limit max_run_res.ncpus · bob: 2 jobs"), "{seen}");
    assert!(seen.contains(" 94  ") && !seen.contains(" 97  "), "{seen}");
}

/// The queue of a reservation that has not begun is not stopped by an operator.
#[test]
fn a_job_in_a_reservation_that_has_not_begun_starts_later() {
    let (_disk, mut stage) = stage("c05-reservations", 80, 24);
    let seen = stage.see();
    assert!(line(&seen, "starts later").contains("1 job ") && !seen.contains("stopped"), "{seen}");
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains("starts later: R69"), "{seen}");
}

/// A job under the formula threshold is behind no other job.
#[test]
fn a_job_under_the_formula_threshold_is_not_eligible_with_its_numbers() {
    let (_disk, mut stage) = stage("c10-formula", 80, 24);
    let seen = stage.see();
    assert!(line(&seen, "not eligible").contains("2 jobs") && !seen.contains("order  "), "{seen}");
    assert!(seen.contains("123 124 · 123: formula value -871.9, threshold 20"), "{seen}");
    assert!(line(&seen, " 123  ").contains("skip"), "{seen}");
    let seen = stage.command("why 123").see();
    assert!(seen.contains("– not eligible"), "{seen}");
}

/// While the cycle is stepped through, counts of the finished cycle say so.
#[test]
fn counts_of_the_finished_cycle_name_their_moment_while_stepping() {
    let (_disk, mut stage) = stage(ARRAYS, 80, 24);
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains("Why 8 jobs wait · 412.8 core-hours"), "{seen}");
    let seen = stage.act(&[StepForward]).see();
    assert!(seen.contains("Why 8 jobs wait after this cycle · 412.8 core-hours"), "{seen}");
    let seen = stage.act(&[Action::View3]).see();
    assert!(seen.contains("Jobs after this cycle · 25"), "{seen}");
    let seen = stage.command("job 54").see();
    assert!(seen.contains("wait · fragmented after this cycle · a: why"), "{seen}");
}

/// The view of queues and the title of why call an array what its row does.
#[test]
fn a_limited_array_has_the_name_of_its_row() {
    let (_disk, mut stage) = stage("c06-limits", 120, 40);
    let seen = stage.command("why 105[]").see();
    assert!(seen.contains("Why 105[2-8] does not run"), "{seen}");
    stage.act(&[Action::LastStep, Action::View5]);
    let seen = stage.act(&[Action::Down; 3]).see();
    assert!(line(&seen, "keeps waiting").contains("105[2-8]"), "{seen}");
}

#[test]
fn that_scheduling_is_off_is_no_matter_to_a_running_job() {
    let (_disk, mut stage) = stage("c06-limits", 80, 24);
    let seen = stage.command("why 87").see();
    assert!(seen.contains("87 is running") && !seen.contains("scheduling is off"), "{seen}");
}

#[test]
fn subjobs_are_counted_apart_from_jobs_in_a_group_as_in_the_alert() {
    let (_disk, mut stage) = stage(ARRAYS, 80, 24);
    let seen = stage.see();
    assert!(seen.contains("scheduling off: 6 jobs, 7 subjobs would start"), "{seen}");
    let seen = stage.act(&[Action::View3, Action::ToggleMap]).see();
    assert!(seen.contains("6 jobs, 7 subjobs · starts now"), "{seen}");
}

/// Exports contain amounts and words, not the bars and signs of the screen.
#[test]
fn exports_have_neither_bars_nor_signs() {
    let disk = tempfile::tempdir().unwrap();
    let (_root, mut stage) = stage("c06-limits", 120, 40);
    let mut export = |view: Action, extra: &[Action]| {
        let to = disk.path().join(format!("{view:?}.csv"));
        stage.act(&[view]).act(extra).command(&format!("export csv {}", to.display())).see();
        std::fs::read_to_string(&to).unwrap()
    };
    let nodes = export(Action::View2, &[Action::Toggle]);
    assert!(nodes.starts_with("vnode,state,ncpus used,ncpus,used,"), "{nodes}");
    assert!(nodes.contains("\ncn001,part,2,16,0.125,"), "{nodes}");
    let queues = export(Action::View5, &[]);
    assert!(queues.contains(",run,run then,wait,wait then,held,held then,used,limit"), "{queues}");
    for table in [nodes, queues] {
        assert!(!table.contains(['█', '·', '▏', '→', '▇']), "{table}");
    }
}

/// What a row shows as the start of a running job is exported too.
#[test]
fn the_start_of_a_running_job_is_exported() {
    let (_disk, mut stage) = stage(ARRAYS, 120, 40);
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("jobs.json");
    stage.act(&[Action::View3, Palette]).type_in(&format!("export json {}", to.display()));
    stage.feed(AppInput::Action(Accept));
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(to).unwrap()).unwrap();
    let start = |job: &str| rows.iter().find(|row| row["job"] == job).unwrap()["start"].as_i64();
    let now = start("58").expect("a job that starts in this cycle does so now");
    assert!(start("50").is_some_and(|start| start <= now), "{rows:?}");
    assert_eq!(start("63"), None, "held");
}

/// The condition that the scheduler met first turns when a node goes offline; a difference has what the rows show. An array
/// whose subjobs start elsewhere is named with all their nodes.
#[test]
fn a_difference_has_the_reasons_of_the_rows_and_the_nodes_of_all_subjobs() {
    let (disk, mut stage) = stage(ARRAYS, 200, 60);
    let folder = disk.path().join("before");
    for form in ["nodes.txt", "pbsnodes.txt"] {
        drop(std::fs::remove_file(folder.join(form)));
    }
    let nodes = std::fs::read_to_string(folder.join("nodes.json")).unwrap();
    let mut nodes: serde_json::Value = serde_json::from_str(&nodes).unwrap();
    nodes["nodes"]["cn018"]["state"] = serde_json::json!("offline");
    std::fs::write(folder.join("nodes.json"), nodes.to_string()).unwrap();
    stage.load(read(&folder, 2));
    let seen = stage.act(&[Action::View9]).see();
    assert!(!seen.contains("No available resources on nodes"), "{seen}");
    let array = line(&seen, " 66[] ");
    assert!(array.contains("cn[017,030]") && array.contains("cn[017,031]"), "{seen}");
}

/// The words of the row about the first of the jobs, with its id: the sentence of why speaks of "it".
#[test]
fn the_board_names_the_job_whose_nodes_others_took() {
    let mut stage = Stage::open("campus", 200, 60);
    let seen = stage.act(&[Action::View8]).see();
    let example = line(&seen, "┃ order ");
    assert!(example.contains("job 11: nodes taken by 5") && !seen.contains("ahead of it"), "{seen}");
    let order = seen.lines().position(|line| line.starts_with("┃ order ")).unwrap();
    let first = seen.lines().position(|line| line.starts_with("┃▸")).unwrap();
    let seen = stage.act(&vec![Action::Down; order - first]).see();
    assert!(line(&seen, "│ order: 3 jobs").contains("core-hours"), "{seen}");
}

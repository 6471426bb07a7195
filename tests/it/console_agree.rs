//! Views that show the same fact agree on it: counts of the scheduler and of the nodes, and reasons in every view.

use std::fs;
use std::path::{Path, PathBuf};

use qscope::console::action::Action;
use qscope::console::views::ViewName;
use qscope::explain::board;
use qscope::session::ClusterSummary;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::console_cycle::{Stage, line, read};
use crate::real;
use Action::{Accept, StepForward};

/// Writes the dumps of a live server before a cycle to the disk.
fn folder(name: &str) -> (TempDir, PathBuf) {
    let case = real::named(name);
    let disk = case.on_disk();
    let folder = disk.path().join("before");
    (disk, folder)
}

/// Writes its configuration with the state that the server had after that cycle.
fn after(name: &str) -> (TempDir, PathBuf) {
    let (disk, folder) = folder(name);
    for form in ["jobs.json", "jobs.txt", "nodes.txt"] {
        drop(fs::remove_file(folder.join(form)));
    }
    for entry in fs::read_dir(disk.path().join("after")).unwrap() {
        let from = entry.unwrap().path();
        if from.extension().is_some_and(|extension| extension == "json") {
            fs::copy(&from, folder.join(from.file_name().unwrap())).unwrap();
        }
    }
    (disk, folder)
}

fn at(folder: &Path, width: u16, height: u16) -> Stage {
    Stage::open_at(folder, width, height)
}

/// Returns a cluster with one node that a job uses exclusively, and `waiting` waiting jobs, no two of one class.
fn unlike_jobs(waiting: usize) -> TempDir {
    let disk = tempfile::tempdir().unwrap();
    let node = json!({"Mom": "n1", "state": "job-busy", "resources_available": {"ncpus": 8, "mem": "900gb"},
        "resources_assigned": {"ncpus": 8, "mem": "1gb"}, "jobs": ["1.svr/0"]});
    let runs = json!({"job_state": "R", "queue": "workq", "Job_Owner": "u@h", "exec_vnode": "(n1:ncpus=8:mem=1gb)",
        "Resource_List": {"ncpus": 8, "mem": "1gb", "select": "1:ncpus=8:mem=1gb", "place": "pack",
        "walltime": "01:00:00"}, "stime": "Sat Nov 21 02:00:00 2026"});
    let mut jobs = serde_json::Map::new();
    jobs.insert("1.svr".to_owned(), runs);
    for n in 0..waiting {
        let mem = format!("{}mb", n + 1);
        let select = format!("1:ncpus=1:mem={mem}");
        // Later jobs have shorter walltimes.
        let walltime = format!("{:02}:{:02}:00", 1 + (waiting - n) / 60, (waiting - n) % 60);
        let job = json!({"job_state": "Q", "queue": "workq", "Job_Owner": "u@h", "schedselect": select,
            "Resource_List": {"ncpus": 1, "mem": mem, "select": select, "place": "pack", "walltime": walltime}});
        jobs.insert(format!("{}.svr", n + 2), job);
    }
    let whole =
        |key: &str, objects: Value| json!({"timestamp": 1_795_226_400, "pbs_server": "svr", key: objects});
    fs::write(disk.path().join("nodes.json"), whole("nodes", json!({"n1": node})).to_string()).unwrap();
    fs::write(disk.path().join("jobs.json"), whole("Jobs", Value::Object(jobs)).to_string()).unwrap();
    disk
}

#[test]
fn a_reason_that_an_answer_found_stands_in_every_view() {
    let disk = unlike_jobs(310);
    let mut stage = at(disk.path(), 80, 24);
    let limit = "limit: 300 of 310 job classes · r continues";
    assert!(stage.see().contains(limit), "{}", stage.see());
    stage.act(&[Action::Filter]).type_in("job=311");
    stage.act(&[Accept]);
    assert!(line(&stage.see(), "▸  311 ").contains('≈'), "{}", stage.see());
    assert!(stage.act(&[Action::AskWhy]).see().contains("Why 311 does not run"), "{}", stage.see());
    let seen = stage.act(&[Action::View1]).see();
    assert!(!line(&seen, "▸  311 ").contains('≈'), "{seen}");
    assert!(seen.contains("limit: 301 of 310 job classes · r continues"), "{seen}");
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains("limit: 301 of 310 job classes · r continues"), "{seen}");
    assert!(seen.contains("9 jobs by the first"), "{seen}");
    // The key goes on with the rest, for every view.
    let seen = stage.act(&[Action::Reload]).see();
    assert!(!seen.contains("limit: 3") && !seen.contains("9 jobs by the first"), "{seen}");
    let seen = stage.act(&[Action::View1]).see();
    assert!(!seen.contains("limit: 3") && !seen.contains('≈'), "{seen}");
}

#[test]
fn a_stale_count_of_the_scheduler_says_so() {
    let (_disk, folder) = folder("c02-psets");
    let mut stage = at(&folder, 200, 60);
    let seen = stage.command("go 37").see();
    assert!(seen.contains("23 of 28 nodes counted as free,"), "{seen}");
    assert!(seen.contains("(quirk last-set-only)"), "{seen}");
    assert!(!seen.contains("23 of 28 nodes free or part"), "{seen}");
}

#[test]
fn what_an_offline_node_has_is_not_assigned() {
    let (_disk, folder) = folder("c12-psets-one-key");
    let mut stage = at(&folder, 120, 40);
    let seen = stage.act(&[Action::View4]).see();
    let words = "ncpus 0 of 96 assigned; PBS counts 16, 80 left · nodes out count whole";
    assert!(seen.contains(words), "{seen}");
    let seen = stage.act(&[Action::Select]).see();
    assert!(seen.contains("96 in all, 0 assigned (16 counted): nodes out count whole"), "{seen}");
}

#[test]
fn a_set_that_lags_behind_its_nodes_says_so() {
    let mut stage = Stage::open("sets-36", 120, 40);
    stage.act(&[StepForward]);
    let seen = stage.command("set switch=sw3").see();
    assert!(line(&seen, "nodes ").contains("13 free 0 part 3 full"), "{seen}");
    let counted = "16 of 16 nodes counted as free, 13 free or part (quirk last-set-only)";
    assert!(line(&seen, "counted ").contains(counted), "{seen}");
    assert!(line(&seen, "ncpus ").contains("12 assigned (0 counted): quirk last-set-only"), "{seen}");
    assert!(seen.contains("full, and free in these bitmaps: vn"), "{seen}");
    // The row has both: the nodes as they are, and the scheduler's counts.
    let seen = stage.act(&[Action::View4]).see();
    let row = line(&seen, "switch=sw3 ");
    assert!(row.contains('◆') && row.contains("16/16"), "{seen}");
    assert!(line(&seen, "job at its turn").contains(" count "), "{seen}");
}

#[test]
fn an_array_whose_subjobs_all_run_does_not_wait() {
    let (_disk, folder) = after("c04-calendar-strict");
    let mut stage = at(&folder, 120, 40);
    let seen = stage.see();
    assert!(seen.contains("Why 8 jobs wait · 412.8 core-hours"), "{seen}");
    assert!(seen.contains("17 R 6 Q 2 H"), "{seen}");
    assert!(seen.contains("! scheduling off: no job would start"), "{seen}");
    assert!(
        stage.command("66[]").see().contains("Job 66[]"),
        "it has a page, and no answer\n{}",
        stage.see()
    );
    let seen = stage.command("why 66[]").see();
    assert!(seen.contains("66[] does not wait") && !seen.contains("never, as configured"), "{seen}");
    assert!(seen.contains("all subjobs of 66[] have been started: 66[1,3,5,7,9] run"), "{seen}");
    let generation = read(&folder, 1);
    let counted = (ClusterSummary::of(&generation.run).waiting as u64, board(&generation.run).waiting);
    assert_eq!(counted, (8, 8), "a recording counts as the pulse does");
}

#[test]
fn the_filter_has_the_words_of_the_column() {
    let (_disk, folder) = folder("c04-calendar-strict");
    let mut stage = at(&folder, 120, 40);
    stage.act(&[Action::View2, Action::Toggle]);
    for (filter, rows) in [("state=free", 9), ("state=part", 1), ("state=kept", 1), ("state=offline", 1)] {
        let seen = stage.command(&format!("filter {filter}")).see();
        assert!(seen.contains(&format!("{rows} of 32")), "{filter}\n{seen}");
    }
    let seen = stage.command("filter state=job-exclusive").see();
    assert!(seen.contains("cn001") && seen.contains("· full"), "{seen}");
    stage.act(&[Action::Close, Action::View3, Action::QuickFilter]);
    assert!(stage.see().contains("/verdict=wait or verdict=never"), "{}", stage.see());
    stage.act(&[Action::Close, Action::Filter]).type_in("verdict=x");
    stage.act(&[Accept]);
    assert!(stage.see().contains("values are run wait refused never skip runs"), "{}", stage.see());
}

#[test]
fn the_board_by_user_has_no_count_of_nodes() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View8]);
    assert!(line(&stage.see(), "insufficient ngpus").contains(" 8 "), "{}", stage.see());
    let seen = stage.act(&[Action::ToggleMap]).see();
    assert!(line(&seen, "cara ").contains(" - "), "{seen}");
}

#[test]
fn an_array_is_named_by_what_waits_of_it_at_the_moment() {
    let (_disk, folder) = folder("c04-calendar-strict");
    let mut stage = at(&folder, 120, 40);
    let seen = stage.command("fairshare").see();
    assert!(line(&seen, "│ wait ").contains("66[1,3,5,7,9] 67[0-5] 68"), "{seen}");
    let seen = stage.command("node cn001").see();
    assert!(seen.contains("67[2-5]") && !seen.contains("67[]"), "{seen}");
    assert!(seen.contains("Waiting jobs refused by this node after this cycle"), "{seen}");
    let seen = stage.command("why cn017").see();
    assert!(seen.contains("67[2-5]") && !seen.contains("67[]"), "{seen}");
    stage.act(&[Action::View1]);
    stage.act(&[StepForward; 5]);
    let seen = stage.act(&[Action::View5]).see();
    assert!(line(&seen, "│ wait ").contains("66[1,3,5,7,9] 67[0-5] 68"), "{seen}");
    assert!(seen.contains("Why they wait after this cycle"), "{seen}");
}

#[test]
fn a_node_in_part_looks_alike_in_every_map() {
    let (_disk, folder) = folder("c04-calendar-strict");
    let mut stage = at(&folder, 200, 60);
    let nodes = stage.act(&[Action::View2]).see();
    assert!(line(&nodes, "ncpus=16 gpu=False ").contains('▇') || nodes.contains(" ▇ "), "{nodes}");
    stage.act(&[Action::View1]);
    stage.act(&[StepForward, Action::NextPane, Action::ToggleMap, Action::ToggleMap]);
    assert_eq!(stage.app.view(), ViewName::Cycle);
    let seen = stage.see();
    assert!(seen.contains("▁…▇ part") && seen.contains('▇') && !seen.contains('▄'), "{seen}");
}

//! First questions about a cluster: every command gives the same answer, and errors state what is wrong.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::real::{self, program};

/// Writes a real cluster to the disk; its dumps are in `before`.
fn on_disk(name: &str) -> TempDir {
    let case = real::named(name);
    case.on_disk()
}

fn output(words: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    command.args(words).arg(folder).env_remove("COLUMNS").output().unwrap()
}

fn text(words: &[&str], folder: &Path) -> String {
    String::from_utf8(output(words, folder).stdout).unwrap()
}

fn complaint(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_qscope")).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// All commands that state starts.
const OF_STARTS: [&[&str]; 6] =
    [&["cycle"], &["fits"], &["when", "54"], &["simulate"], &["order"], &["capacity"]];

#[test]
fn that_scheduling_is_off_stands_above_every_answer_about_starts() {
    let disk = on_disk("c04");
    let folder = disk.path().join("before");
    let off = "scheduling is off at the server and at scheduler default: no job starts";
    for words in OF_STARTS {
        let shown = text(words, &folder);
        assert!(shown.starts_with(&format!("note: {off}\n")), "{words:?}: {shown}");
        assert_eq!(program(words, &[&folder])["banners"], serde_json::json!([off]), "{words:?}");
        let on = text(&[words, &["--set", "scheduling=True"]].concat(), &folder);
        assert!(!on.contains("scheduling is off"), "{words:?}: {on}");
    }
}

#[test]
fn without_nodes_no_simulation_is_made_and_cut_files_are_named() {
    let disk = on_disk("c04");
    let folder = disk.path().join("before");
    let jobs_alone = tempfile::tempdir().unwrap();
    fs::copy(folder.join("jobs-t.json"), jobs_alone.path().join("jobs-t.json")).unwrap();
    for words in [&["simulate"][..], &["when", "54"], &["capacity"]] {
        let found = output(words, jobs_alone.path());
        assert_eq!(found.status.code(), Some(1), "{words:?}");
        assert!(String::from_utf8(found.stdout).unwrap().contains("no verdict is given"), "{words:?}");
        let json = program(words, &[jobs_alone.path()]);
        assert_eq!(json["no_verdicts"], "no-nodes", "{words:?}");
    }
    let whole = fs::read(folder.join("nodes.json")).unwrap();
    fs::write(folder.join("nodes.json"), &whole[..5000]).unwrap();
    assert!(!folder.join("nodes.txt").exists(), "another dump of nodes would be read instead");
    for words in [&["simulate"][..], &["when", "54"]] {
        let shown = text(words, &folder);
        assert!(shown.starts_with("warning: nodes.json@5000: the file ends before"), "{words:?}: {shown}");
        assert_eq!(program(words, &[&folder])["cut"][0]["file"], "nodes.json", "{words:?}");
    }
}

#[test]
fn a_simulation_begins_with_files_of_any_kind_as_with_a_folder() {
    let disk = on_disk("c04");
    let folder = disk.path().join("before");
    let starts = |found: &Value| found["jobs"].clone();
    let whole = program(&["simulate"], &[&folder]);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    assert_eq!(starts(&program(&["simulate"], &files)), starts(&whole));
    let when = |paths: &[&Path]| program(&["when", "54"], paths)["p50"].clone();
    assert_eq!(when(&files), when(&[&folder]));
    // What its files state goes into the folder of a moment.
    let moment = disk.path().join("moment");
    let words: Vec<_> = ["simulate", "--stop-at", "2", moment.to_str().unwrap()].into();
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    assert!(command.args(words).args(&files).status().unwrap().success());
    let sched_config = |folder: &Path| fs::read(folder.join("sched_config")).unwrap();
    assert_eq!(sched_config(&moment), sched_config(&folder));
}

#[test]
fn a_start_without_draws_is_one_run_and_has_no_interval() {
    let disk = on_disk("c04");
    let found = program(&["when", "54"], &[&disk.path().join("before")]);
    assert_eq!((&found["drawn"], &found["runs"], &found["started"]), (&false.into(), &1.into(), &1.into()));
    assert!(found["p50"].is_i64(), "{found}");
    assert!(found["p10"].is_null() && found["p90"].is_null(), "{found}");
    assert_eq!(found["within"], serde_json::json!([]));
}

#[test]
fn a_start_behind_a_job_without_walltime_is_one_moment() {
    let disk = on_disk("c05");
    let folder = disk.path().join("before");
    let (when, why) = (program(&["when", "80"], &[&folder]), program(&["why", "80"], &[&folder]));
    assert!(when["p50"].is_null() && when["estimate"]["start"].is_i64(), "{when}");
    assert_eq!(when["estimate"]["start"], why["estimate"]["start"]);
    let shown = text(&["when", "80"], &folder);
    assert!(shown.contains("when a job without walltime ends, for which 5 years"), "{shown}");
}

#[test]
fn a_node_is_kept_by_a_dead_job_and_runs_none() {
    let disk = on_disk("c04");
    let shown = text(&["why-node", "cn025"], &disk.path().join("before"));
    assert!(shown.contains("\n  kept by jobs not in the dump: 40\n") && !shown.contains("runs:"), "{shown}");
}

#[test]
fn the_largest_amount_that_starts_is_offered_over_the_vnodes_of_a_host() {
    let disk = on_disk("c14");
    let folder = disk.path().join("before");
    let shown = text(&["why", "198"], &folder);
    assert!(shown.contains("ask for 32 ncpus instead of 40"), "{shown}");
    assert!(shown.contains("would pass if ncpus ≤ 32 (the 4 vnodes of its host together)"), "{shown}");
    let with = |ncpus: &str| {
        let setting = format!("job.198.Resource_List.select=1:ncpus={ncpus}");
        output(&["why", "198", "--fast", "--set", &setting], &folder).status.code()
    };
    assert_eq!((with("32"), with("33")), (Some(0), Some(1)));
}

#[test]
fn a_remedy_that_doubles_a_booking_states_it_and_what_the_server_refuses_is_none() {
    let disk = on_disk("c02");
    let folder = disk.path().join("before");
    let found = program(&["why", "36"], &[&folder]);
    let remedies = found["remedies"].as_array().unwrap();
    let fewer =
        remedies.iter().find(|one| one["change"].as_str().unwrap().starts_with("ask for 1 ")).unwrap();
    assert!(fewer["effect"].as_str().unwrap().ends_with("(with 2 the server refuses the start)"), "{fewer}");
    let doubled = "cn016 was given to 34 and again to 36";
    assert!(fewer["costs"].as_str().unwrap().contains(doubled), "{fewer}");
    let setting = "job.36.Resource_List.select=1:ncpus=8";
    let board = text(&["board", "--set", setting], &folder);
    assert!(board.contains(&format!("! {doubled}")), "{board}");
}

#[test]
fn a_job_that_only_the_server_refuses_has_no_funnel() {
    let disk = on_disk("c12");
    let folder = disk.path().join("before");
    let shown = text(&["why", "142", "--fast"], &folder);
    assert!(shown.starts_with("142 refused by server – cn[015-016] were given to 137"), "{shown}");
    assert!(!shown.contains("Nodes lost at each condition"), "{shown}");
}

#[test]
fn who_takes_the_nodes_before_the_first_job_is_named() {
    let disk = on_disk("c08");
    let folder = disk.path().join("before");
    let estimate = program(&["why", "108"], &[&folder])["estimate"].clone();
    let passing = &estimate["overtaken_by"][0];
    assert_eq!(passing["job"], "110.pbs01", "{estimate}");
    assert_eq!(passing["nodes"], serde_json::json!(["cn025"]));
    assert!(passing["at"].as_i64() < estimate["start"].as_i64(), "{estimate}");
    let shown = text(&["why", "108"], &folder);
    let sentence = "110, considered after it, starts at 02:15:29 on cn025, which it needs";
    assert!(shown.contains(sentence), "{shown}");
}

#[test]
fn the_report_counts_vnodes_by_their_use_as_the_console_does() {
    let disk = on_disk("c04");
    let page = disk.path().join("cycle.md");
    let words = ["report", "-o", page.to_str().unwrap()];
    assert!(output(&words, &disk.path().join("before")).status.success());
    let page = fs::read_to_string(page).unwrap();
    for count in ["- 20 full\n", "- 2 out\n"] {
        assert!(page.contains(count), "{count}: {page}");
    }
    let other = complaint(&["report", "-o", "cycle.pdf"]);
    assert!(other.contains("expected a name that ends with .html or .md"), "{other}");
}

#[test]
fn subjobs_count_with_their_arrays_wherever_jobs_are_not_considered() {
    let disk = on_disk("c06");
    let folder = disk.path().join("before");
    let words = "1 not considered (7 subjobs count with their arrays)";
    assert!(text(&["cycle"], &folder).contains(&format!("17 jobs considered, {words}\n")));
    assert!(text(&["order"], &folder).ends_with(&format!("{words}\n")));
    let order = program(&["order"], &[&folder]);
    assert_eq!((&order["not_considered"], &order["subjobs_of_arrays"]), (&1.into(), &7.into()));
}

#[test]
fn the_first_line_names_the_job_and_its_cause_and_no_list_is_cut_in_a_pipe() {
    let disk = on_disk("c04");
    let folder = disk.path().join("before");
    let first = |job: &str| text(&["why", job, "--fast"], &folder).lines().next().unwrap().to_owned();
    assert_eq!(first("54"), "54 waits: fragmented – 5 of 16 whole nodes, 11 short");
    assert_eq!(first("61"), "61 starts now");
    assert_eq!(first("63"), "63 waits: dependency – 63 is held until its dependency is met: afterok:53");
    let shown = text(&["why", "54", "--fast"], &folder);
    assert!(!shown.contains('…'), "{shown}");
}

#[test]
fn wrong_words_are_named_for_what_they_are() {
    let disk = on_disk("c04");
    let folder = disk.path().join("before");
    let folder = folder.to_str().unwrap();
    for (words, expected) in [
        (&["nodes", folder][..], "no command `nodes`; nearest: why-node"),
        (&["frobnicate", folder], "no command `frobnicate`; `qscope help` lists them"),
        (&["frobnicate"], "no command and no folder `frobnicate`"),
        (&["why", folder], "which job? "),
        (&["policies", folder], "which job? "),
        (&["why", "54", "55", folder], "`55` is a job, and why is about one"),
    ] {
        let found = complaint(words);
        assert!(found.contains(expected), "{words:?}: {found}");
    }
}

#[test]
fn a_published_array_is_found_by_its_number() {
    let disk = on_disk("c04");
    let file = disk.path().join("published");
    let to = file.to_str().unwrap();
    assert!(output(&["publish", "--once", "--to", to], &disk.path().join("before")).status.success());
    let asked = |job: &str| {
        let words = ["why", "--published", to, job];
        Command::new(env!("CARGO_BIN_EXE_qscope")).args(words).output().unwrap()
    };
    let answer = String::from_utf8(asked("67").stdout).unwrap();
    assert!(answer.contains("67[]"), "{answer}");
    let complaint = |job: &str| String::from_utf8(asked(job).stderr).unwrap();
    assert!(
        complaint("9").contains("no job `9`") && !complaint("9").contains("newer jobs"),
        "{}",
        complaint("9")
    );
    assert!(complaint("999").contains("newer jobs follow"), "{}", complaint("999"));
}

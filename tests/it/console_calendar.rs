//! The calendar: nodes over time, for any kind of job.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use qscope::console::action::Action::{self, *};
use qscope::console::views::ViewName;

use crate::console_cycle::Stage;

const NODES: &str = "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 8 }\n";

/// Returns a running job: its node, started ten minutes ago, and its walltime.
fn running(id: u32, node: &str, walltime: Option<&str>) -> String {
    let walltime = walltime.map_or_else(String::new, |length| format!("walltime = \"{length}\"\n"));
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"1:ncpus=8\"\nplace = \"free:excl\"\n\
         started = \"-00:10:00\"\non = \"({node}:ncpus=8)\"\n{walltime}\n"
    )
}

fn waiting(id: u32, nodes: u32, walltime: &str) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"bob\"\nselect = \"{nodes}:ncpus=8\"\nplace = \"scatter:excl\"\n\
         walltime = \"{walltime}\"\n\n"
    )
}

fn open(jobs: &[String], width: u16, height: u16) -> Stage {
    let disk = tempfile::tempdir().unwrap();
    // A folder of this name, since it names the cluster.
    let folder = disk.path().join("lab");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("nodes.toml"), NODES).unwrap();
    let queue = format!("now = 1763700000\n\n{}", jobs.concat());
    std::fs::write(folder.join("queue.toml"), queue).unwrap();
    let mut stage = Stage::open_at(&folder, width, height);
    let key = ViewName::Calendar.number().unwrap();
    let open = qscope::console::action::TABLE.iter().find(|entry| entry.action.view() == Some(key)).unwrap();
    stage.act(&[open.action]);
    stage
}

fn row(seen: &str, label: &str) -> String {
    seen.lines().find(|line| line.contains(label)).unwrap_or_default().to_owned()
}

#[test]
fn a_job_without_a_walltime_goes_to_the_edge_and_squeezes_no_other() {
    let jobs = [running(1, "n1", None), running(2, "n2", Some("01:00:00"))];
    let seen = open(&jobs, 80, 24).see();
    // The axis is an hour, not the years that "no walltime" stands for.
    assert!(seen.contains("04:40 to 05:40"), "{seen}");
    assert!(row(&seen, " n1 ").contains("▓1▓▓▓") && row(&seen, " n1 ").contains('→'), "{seen}");
    assert!(row(&seen, " n2 ").contains("▓2▓▓▓") && !row(&seen, " n2 ").contains('→'), "{seen}");
}

#[test]
fn before_the_first_step_it_shows_what_the_cycle_will_have_done() {
    let jobs = [running(1, "n1", Some("01:00:00")), waiting(2, 2, "00:30:00")];
    let mut stage = open(&jobs, 80, 24);
    let seen = stage.see();
    assert!(seen.contains("after this cycle") && seen.contains("▒2▒▒▒"), "{seen}");
    let seen = stage.act(&[StepForward]).see();
    assert!(seen.contains("after step 1") && seen.contains("▒2▒▒▒"), "{seen}");
}

#[test]
fn it_shows_where_the_selected_job_fits_and_goes_from_event_to_event() {
    let jobs =
        [running(1, "n1", Some("01:00:00")), running(2, "n2", Some("00:30:00")), waiting(3, 3, "00:20:00")];
    let mut stage = open(&jobs, 120, 40);
    stage.screen("calendar-fit-120x40");
    let seen = stage.see();
    assert!(seen.contains("first fit 05:00–05:20 on n[2-4]"), "{seen}");
    assert!(seen.contains("╎3┄┄"), "{seen}");
    let seen = stage.act(&[NextVerdict]).see();
    assert!(seen.contains("Calendar · after this cycle · 05:00 to"), "{seen}");
    let wide = stage.act(&[Action::Less]).see();
    assert!(wide.contains("05:00 to 07:00"), "{wide}");
    let seen = stage.act(&[Action::More, Action::PreviousVerdict]).see();
    assert!(seen.contains("· 04:40 to"), "{seen}");
}

#[test]
fn without_any_job_it_is_a_picture_of_free_nodes() {
    for (width, height) in [(40, 10), (60, 16), (80, 24), (200, 60), (300, 90)] {
        let mut stage = open(&[], width, height);
        stage.act(&[Down, Right, Left, NextVerdict, PreviousVerdict, Action::More, Action::Less, Home, End]);
        assert!(stage.see().contains("Calendar"), "{}", stage.see());
    }
    let seen = open(&[], 80, 24).see();
    assert!(seen.contains("free nodes  ███"), "{seen}");
}

/// If another job takes the first nodes that become free, both the tables and the calendar have the moment after it.
#[test]
fn the_calendar_names_the_start_that_tables_have() {
    let jobs = [
        running(1, "n1", Some("01:10:00")),
        running(2, "n2", Some("01:20:00")),
        running(3, "n3", None),
        running(4, "n4", None),
        waiting(5, 2, "01:00:00"),
        waiting(6, 1, "02:00:00"),
    ];
    let mut stage = open(&jobs, 120, 40);
    let seen = stage.see();
    assert!(seen.contains("selected 5: ~07:40"), "{seen}");
    assert!(seen.contains("5  first fit 05:50–06:50 on n[1-2] "), "{seen}");
    assert!(seen.contains(" ~07:40 by running the cycle forward: others start first"), "{seen}");
    assert!(row(&stage.act(&[View1]).see(), " 5    bob ").contains("~07:40"), "{}", stage.see());
}

/// No date is five years ahead, which is the length assumed without a walltime.
#[test]
fn a_start_behind_a_job_without_a_walltime_has_no_date() {
    let jobs = [running(1, "n1", None), running(2, "n2", Some("01:00:00")), waiting(5, 4, "01:00:00")];
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut stage = open(&jobs, size.0, size.1);
        let seen = stage.see();
        assert!(seen.contains("selected 5: no end known"), "{seen}");
        assert!(seen.contains("5  first fit when a job without walltime ends, on n[1-4]"), "{seen}");
        for view in [View1, View3] {
            let seen = stage.act(&[view]).see();
            assert!(seen.contains(" unknown "), "{seen}");
            assert!(!seen.contains("2030") && !seen.contains("years"), "{seen}");
        }
    }
}

/// A word of a filter is searched in the names of nodes, users and jobs.
#[test]
fn a_bare_word_finds_nodes_users_and_jobs() {
    let jobs = [running(1, "n1", Some("01:00:00")), running(2, "n2", Some("02:00:00"))];
    for (word, kept) in [("n1", "1 of 4"), ("n4", "1 of 4"), ("ann", "2 of 4"), ("zzz", "0 of 4")] {
        let mut stage = open(&jobs, 80, 24);
        stage.act(&[Filter]).type_in(word);
        let seen = stage.see();
        assert!(seen.contains(&format!("/{word}  {kept}")), "{word}\n{seen}");
    }
}

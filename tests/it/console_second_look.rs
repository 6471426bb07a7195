//! What views owe a reader who looks twice: pages of reservations, settings that differ, files with their times, the manual.

use qscope::console::Manual;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::ViewName;
use qscope::exits::Lines;
use qscope::session::SessionEvent;

use crate::console_cycle::{Stage, line};
use crate::console_faults::stage;
use Action::{Accept, Palette};

/// Without a file of jobs the cluster only looks idle.
#[test]
fn a_missing_job_file_is_an_alert_and_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "n1\n     Mom = n1\n     state = free\n\n";
    std::fs::write(folder.path().join("nodes.txt"), nodes).unwrap();
    let mut stage = Stage::open_at(folder.path(), 80, 24);
    assert!(stage.see().contains("✗ no job file: no jobs assumed"), "{}", stage.see());
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(line(&seen, "✗ assumed").contains("not there; assumed no jobs"), "{seen}");
}

/// Creates a folder with the dumps of one node and one job alone.
fn with_one_job() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.txt", "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 4\n\n");
    put("jobs.txt", "Job Id: 1.s\n    Job_Owner = ann@s\n    job_state = Q\n    queue = q\n\n");
    folder
}

/// Whatever is assumed stands in Problems, with what to do, in the words of `qscope check`.
#[test]
fn every_assumption_is_a_problem_with_its_remedy() {
    let folder = with_one_job();
    let mut stage = Stage::open_at(folder.path(), 200, 60);
    let seen = stage.act(&[Action::Warnings]).see();
    for (file, assumed, fix) in [
        (
            "server.json",
            "not there; assumed the server's defaults (nor server.txt); may",
            "qstat -B -f -F json > server.json",
        ),
        ("queues.json", "not there; assumed started queues", "qstat -Q -f -F json > queues.json"),
        ("sched.txt", "not there; assumed the scheduler's defaults", "qmgr -c \"list sched\" > sched.txt"),
        ("sched_config", "not there; assumed the file as shipped", "cp $PBS_HOME/sched_priv/sched_config ."),
        ("jobs.txt", "1.s: no Resource_List; assumed", "qstat -f -t -F json > jobs-t.json"),
        ("jobs.txt", "no time inside the dumps", "qstat -f -t -F json > jobs-t.json"),
    ] {
        let stands =
            |line: &str| line.contains("~ assumed ") && line.split_whitespace().any(|word| word == file);
        let is_whole = |line: &&str| stands(line) && line.contains(assumed) && line.contains(fix);
        assert!(seen.lines().any(|line| is_whole(&line)), "{file} {assumed} {fix}\n{seen}");
    }
}

#[test]
fn a_file_that_goes_is_a_problem_with_the_command_that_makes_it() {
    let mut stage = Stage::open("campus", 120, 40);
    let at = std::time::SystemTime::UNIX_EPOCH;
    let failed = SessionEvent::Failed {
        message: "the dump of the server is not there any more".to_owned(),
        missing_file: Some("server.json".to_owned()),
        at,
    };
    stage.app.update(AppInput::Message(failed.into()));
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(line(&seen, "✗ not read").contains("the dump of the server is not there any more"), "{seen}");
    assert!(line(&seen, "fix  ").contains("qstat -B -f -F json > server.json"), "{seen}");
}

#[test]
fn a_job_without_a_name_leaves_no_gap_in_a_title() {
    let folder = with_one_job();
    let seen = Stage::open_at(folder.path(), 80, 24).command("job 1").see();
    assert!(seen.contains("┏ Job 1 · ann ━"), "{seen}");
}

/// What the list of problems gives as the remedy works in the box that it names.
#[test]
fn the_box_of_files_can_be_read_anew() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::Files, Action::Reload]).see();
    assert!(seen.contains("reading again") && seen.contains("files of snapshot 1"), "{seen}");
}

#[test]
fn a_missing_file_is_named_while_it_is_waited_for() {
    let mut stage = Stage::open("campus", 80, 24);
    let at = std::time::SystemTime::UNIX_EPOCH;
    let waiting = SessionEvent::Waiting { reason: "nodes.json is not there".to_owned(), at };
    stage.app.update(AppInput::Message(waiting.into()));
    assert!(line(&stage.see(), "head1").contains("nodes.json is not there"), "{}", stage.see());
}

/// The moment shown has its origin; each file has its time, with its day, and whether that is when it was written.
#[test]
fn the_files_have_their_times_and_ages() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.act(&[Action::Files]).see();
    assert!(seen.contains("moment shown: 02:03:31, file now"), "{seen}");
    assert!(line(&seen, "┃nodes.json").contains("02:03:29") && seen.contains("written "), "{seen}");
    assert!(
        line(&seen, "┃sched_config").contains(" 19 ") && line(&seen, "┃holidays").contains(" 0 "),
        "{seen}"
    );
}

#[test]
fn a_job_that_a_node_keeps_is_one_problem() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(seen.contains("job not in dump") && !seen.contains("40.pbs01"), "{seen}");
}

/// A page begins with its own troubles and has its jobs; the list of reservations tells them apart.
#[test]
fn a_reservation_has_its_jobs_and_is_found_by_its_name() {
    let (_disk, mut stage) = stage("c05-reservations", 80, 40);
    let seen = stage.command("resv R71").see();
    assert!(line(&seen, "state ").contains("running · ends in 59m"), "{seen}");
    assert!(line(&seen, "ncpus ").contains("16 of 32 in use after this cycle"), "{seen}");
    assert!(line(&seen, "starts ").contains("75 now on cn006"), "{seen}");
    assert!(seen.contains("Waiting after this cycle · 1") && line(&seen, "┃ 77").contains("never"), "{seen}");
    // It has no Why, which the keys do not offer.
    assert!(!seen.lines().last().unwrap().contains("a why"), "{seen}");
    assert!(stage.act(&[Action::AskWhy]).see().contains("this is a reservation"));
    let seen = stage.command("why R69").see();
    assert!(seen.contains("Reservation R69") && seen.contains("starts in 6m"), "{seen}");
    assert!(seen.contains("┃ 78"), "the job that waits for it to begin: {seen}");
    let seen = stage.command("queue R71").see();
    assert!(line(&seen, "reservation ").contains("R71 · running"), "{seen}");
    let seen = stage.act(&[Palette]).type_in("resv ").see();
    assert!(line(&seen, "resv R69").contains("02:11-02:41 cn[001-004] confirmed"), "{seen}");
    stage.act(&[Action::Close, Palette]).type_in("R69").act(&[Accept]);
    assert!(stage.see().contains("Reservation R69"), "{}", stage.see());
}

#[test]
fn a_reservation_that_the_cycle_confirms_has_its_state_from_the_dump() {
    let mut stage = Stage::open("reservation", 80, 24);
    let seen = stage.command("R1").see();
    assert!(seen.contains("Reservation R1") && seen.contains("unconfirmed in the dump"), "{seen}");
}

#[test]
fn a_filter_on_a_page_leaves_its_facts() {
    let (_disk, mut stage) = stage("c05-reservations", 80, 24);
    stage.command("resv R69").act(&[Action::Filter]).type_in("Resou");
    let seen = stage.act(&[Accept]).see();
    assert!(seen.contains("owner     alice") && seen.contains("Resource_List.ncpus"), "{seen}");
    assert!(!seen.contains("Reserve_Name") && !seen.contains("No match"), "{seen}");
}

/// A value that nothing shipped has is a difference; of two settings of one name each has its section.
#[test]
fn settings_of_the_site_differ_and_those_of_one_name_are_told_apart() {
    let (_disk, mut stage) = stage("c10-formula", 80, 40);
    let seen = stage.act(&[Action::Settings, Action::QuickFilter]).see();
    for name in ["server.job_sort_formula", "job_sort_formula_threshold", "scheduler.scheduling"] {
        assert!(line(&seen, name).contains('●'), "{name}: {seen}");
    }
    assert!(line(&seen, "job_sort_formula_threshold").contains("(not set)"), "{seen}");
    assert!(!seen.contains("pbs_version") && !seen.contains("default_queue"), "{seen}");
    // The columns that have no room are listed as hidden, and can be shown.
    let seen = stage.act(&[Action::Columns]).see();
    assert!(seen.contains("○ section") && seen.contains("○ meaning") && seen.contains("● from"), "{seen}");
}

#[test]
fn a_whole_value_is_replaced_by_another_one() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Settings, Action::Down, Action::Down, Action::WhatIf]);
    let seen = stage.see();
    assert!(seen.contains("1 of 1") && seen.contains("sched_config.strict_ordering=True"), "{seen}");
    assert!(seen.lines().last().unwrap().contains("Enter applies, Esc cancels"), "{seen}");
    let seen = stage.act(&[Action::Complete]).see();
    assert!(seen.lines().last().unwrap().contains("strict_ordering=True"), "{seen}");
}

/// The key of the difference shows what settings change, as long as there are any.
#[test]
fn the_difference_is_that_of_the_what_if() {
    let mut stage = Stage::open("calendar", 80, 24);
    stage.act(&[Action::WhatIf]).type_in("strict_ordering=False").act(&[Accept, Action::View1]);
    let seen = stage.act(&[Action::View9]).see();
    assert_eq!(stage.app.view(), ViewName::WhatIf);
    assert!(seen.contains("strict_ordering True "), "the old value is whole: {seen}");
    stage.act(&[Action::View9]);
    assert_eq!(stage.app.view(), ViewName::Compare);
}

#[test]
fn jobs_are_sorted_by_their_state() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::View3]).command("sort -state").see();
    assert!(seen.contains("sort S ▾"), "{seen}");
}

/// One page is enough for sets of one name, which pools of several queues have.
#[test]
fn a_set_is_offered_once() {
    let (_disk, mut stage) = stage("c02-psets", 80, 24);
    let seen = stage.act(&[Palette]).type_in("set switch=sw3").see();
    assert_eq!(seen.matches("switch=sw3 set").count(), 1, "{seen}");
}

#[test]
fn a_page_of_the_manual_opens_in_the_console() {
    let mut stage = Stage::open("campus", 80, 24);
    let page = |name: &str, width: usize| {
        (name == "why").then(|| Lines::from_iter([format!("Why a job waits, within {width}")]))
    };
    stage.app.shows_manual(Manual { topics: vec!["why", "keys"], page });
    let seen = stage.command("help why").see();
    assert!(seen.contains("Manual: why") && seen.contains("Why a job waits, within 78"), "{seen}");
    let seen = stage.act(&[Action::Close]).command("help wy").see();
    assert!(seen.contains("no page wy; pages: why keys"), "{seen}");
}

/// The hints come one at a time, until the first key, and in the first run only.
#[test]
fn a_first_run_has_hints() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("state/campus.toml");
    for is_first in [true, false] {
        let mut stage = Stage::empty(80, 24, crate::console_cycle::sample("campus").snapshot.now);
        stage.app.restore_state(Some(file.clone()));
        stage.load(crate::console_cycle::sample("campus"));
        let seen = stage.see();
        assert_eq!(seen.contains("a explains the selected job"), is_first, "{seen}");
        assert!(!stage.act(&[Action::Down]).see().contains("explains the selected"));
        assert!(file.exists());
    }
}

/// Without a job, no hint is about one.
#[test]
fn a_first_run_without_jobs_has_the_hints_that_apply() {
    let home = tempfile::tempdir().unwrap();
    let week = crate::console_cycle::sample("week");
    let mut stage = Stage::empty(80, 24, week.snapshot.now);
    stage.app.restore_state(Some(home.path().join("state/week.toml")));
    stage.load(week);
    let seen = stage.see();
    assert!(seen.contains("? lists keys") && !seen.contains("explains the selected"), "{seen}");
}

/// Nothing can be closed where there is one moment only.
#[test]
fn the_view_of_one_moment_offers_no_key_to_close_it() {
    let mut stage = Stage::open("campus", 200, 60);
    let seen = stage.act(&[Action::Time]).see();
    assert!(!seen.lines().last().unwrap().contains("Esc close"), "{seen}");
}

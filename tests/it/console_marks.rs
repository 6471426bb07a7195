//! What has no room is counted, and nothing is cut next to blank cells: lists below a list, planning views, names of
//! buckets and of nodes, titles (console.md 1.5, 8.2).

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::sync::Arc;

use crossterm::event::{MouseButton, MouseEventKind};
use qscope::console::action::Action;
use qscope::console::app::App;
use qscope::console::views::ViewName;
use qscope::session::agreement::Agreement;
use qscope::session::{Generation, SchedLogLocation};

use crate::console_cycle::{Stage, mouse, read};
use crate::console_views::open;
use Action::{AskWhy, Down, End, Home, Left, NextPane, Right, Sort, Toggle, View1, View2, View4, View5};

/// Opens nodes, a queue and jobs that are written as a folder.
fn cluster(nodes: &str, jobs: &str, size: (u16, u16)) -> Stage {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("made");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("nodes.toml"), nodes).unwrap();
    let jobs = format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{jobs}");
    std::fs::write(folder.join("queue.toml"), jobs).unwrap();
    let mut generation = Generation::clone(&read(&folder, 1));
    generation.agreement =
        Some(Arc::new(Agreement::new(&generation.run, &SchedLogLocation::Folder(folder), 10)));
    let generation = Arc::new(generation);
    let mut stage = Stage::empty(size.0, size.1, generation.snapshot.now);
    stage.load(generation);
    stage
}

fn job(id: usize, select: &str, place: &str) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"{select}\"\n\
         place = \"{place}\"\nwalltime = \"01:00:00\"\n"
    )
}

/// The jobs below the queues: the named and the counted ones together are all that wait, however many there are.
#[test]
fn jobs_that_wait_in_a_queue_are_all_named_or_counted() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n";
    for (waiting, size) in
        [(3, (80, 24)), (12, (80, 24)), (250, (80, 24)), (250, (200, 60)), (250, (120, 200))]
    {
        let jobs: String = (1..=waiting).map(|id| job(id, "1:ncpus=8", "free")).collect();
        let mut stage = cluster(nodes, &jobs, size);
        let seen = stage.act(&[View5]).see();
        let (_, list) = seen.split_once("Why they wait after this cycle, in the order considered").unwrap();
        let named = list.lines().filter(|line| line.contains(" ann ")).count();
        let more =
            list.split_once('+').and_then(|(_, rest)| rest.split_once(" more")?.0.parse::<usize>().ok());
        assert!(named > 0, "{seen}");
        assert_eq!(named + more.unwrap_or(0), waiting, "{seen}");
    }
    let mut campus = Stage::open("campus", 80, 24);
    let seen = campus.act(&[View5]).see();
    assert!(seen.contains("+10 more"), "{seen}");
}

/// The whole name of a bucket is shown below the list of buckets.
#[test]
fn the_whole_name_of_a_bucket_goes_on_in_further_lines() {
    let mut stage = Stage::open("campus", 80, 24);
    open(&mut stage, ViewName::Buckets);
    let seen = stage.see();
    let (_, detail) = seen.split_once("Bucket 1").unwrap();
    for part in ["bw=1.5:", "gpu=False:", "priority=10 ", "busy "] {
        assert!(detail.contains(part), "{part}\n{seen}");
    }
}

/// The planning views state how many lines follow, and at the end that none do.
#[test]
fn planning_views_count_what_follows() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Palette]).type_in("capacity").act(&[Action::Accept]);
    for tab in ["[Need]", "[Timeline]"] {
        let seen = stage.act(&[Home]).see();
        assert!(seen.contains(tab) && seen.contains(" PgDn: ") && seen.contains(" more line"), "{seen}");
        let seen = stage.act(&[End]).see();
        assert!(!seen.contains(" PgDn: "), "{seen}");
        stage.act(&[NextPane]);
    }
    let nodes = "[[node]]\nname = \"n[01-30]\"\navailable = { ncpus = 4 }\n";
    let mut stage = cluster(nodes, &job(1, "20:ncpus=4", "scatter"), (80, 24));
    let seen = stage.act(&[Action::Palette]).type_in("policies").act(&[Action::Accept]).see();
    let shown = seen.lines().filter(|line| line.starts_with("│ n")).count() - 1;
    assert!(seen.contains(&format!(" +{} lines ", 20 - shown)), "{seen}");
}

/// A title names the order of the rows only while they are in that order.
#[test]
fn a_title_names_an_order_only_while_no_column_sorts() {
    let mut stage = Stage::open("campus", 120, 40);
    assert!(stage.act(&[View2, Toggle]).see().contains(", problems first"));
    let seen = stage.act(&[Sort]).see();
    assert!(seen.contains("sort vnode") && !seen.contains("problems first"), "{seen}");
    let mut stage = Stage::open("sets-8", 200, 60);
    assert!(stage.act(&[View4]).see().contains(", in the order tried"));
    let seen = stage.act(&[Sort]).see();
    assert!(seen.contains("sort ") && !seen.contains(", in the order tried"), "{seen}");
    open(&mut stage, ViewName::Buckets);
    assert!(stage.see().contains(", in the order tried"));
    assert!(!stage.act(&[Sort]).see().contains(", in the order tried"));
}

/// If a line of an answer has several names, the one that is clicked is chosen.
#[test]
fn a_click_on_a_name_in_an_answer_chooses_it() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[View1, Down, Down, Down, Down, Down, Down, Down, AskWhy]);
    let second = loop {
        let seen = stage.act(&[Right]).see();
        let chosen = |rest: &str| {
            let (of, what) = rest.split_once(": Enter: ")?;
            of.parse::<usize>().ok()?;
            what.split(' ').nth(1).map(str::to_owned)
        };
        let line = seen.lines().find(|line| line.starts_with("┃▸")).unwrap_or_default();
        let is_named = |name: &String| line.contains(&format!(" {name} "));
        if let Some(name) = seen.split(" 2 of ").skip(1).find_map(chosen).filter(is_named) {
            break name;
        }
        let before = stage.see();
        assert_ne!(stage.act(&[Down]).see(), before, "no line with two names\n{before}");
    };
    let seen = stage.act(&[Left]).see();
    assert!(seen.contains(" 1 of "), "{seen}");
    let (y, line) = seen.lines().enumerate().find(|(_, line)| line.starts_with("┃▸")).unwrap();
    let at = line.find(&format!(" {second} ")).unwrap() + 1;
    let x = line.get(..at).unwrap().chars().count();
    let (x, y) = (u16::try_from(x).unwrap(), u16::try_from(y).unwrap());
    stage.app.update(mouse(MouseEventKind::Down(MouseButton::Left), x, y));
    assert!(stage.see().contains(" 2 of "), "{second} at {x}:\n{}", stage.see());
}

/// Without any record there is nothing to compare job by job, and a sentence states that.
#[test]
fn an_agreement_without_evidence_lists_no_jobs() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n";
    let jobs: String = (1..=40).map(|id| job(id, "1:ncpus=8", "free")).collect();
    let mut stage = cluster(nodes, &jobs, (80, 24));
    open(&mut stage, ViewName::Agreement);
    let seen = stage.see();
    assert!(seen.contains("No comment or estimate of the scheduler for 40 jobs."), "{seen}");
    assert!(!seen.contains("unknown"), "{seen}");
}

/// The boxes over the panes: a list that is longer than the screen states that, and follows its cursor.
#[test]
fn boxes_count_the_lines_below_and_follow_their_cursor() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::View3, Action::Columns]).see();
    assert!(seen.contains(" PgDn: "), "{seen}");
    let seen = stage.act(&[End]).see();
    assert!(!seen.contains(" PgDn: "), "{seen}");
    stage.act(&[Action::Close]);
    for at in 1..=30 {
        stage.act(&[Action::Palette]).type_in(&format!("break job={at}")).act(&[Action::Accept]);
    }
    let seen = stage.act(&[Action::Breakpoints, Home]).see();
    assert!(seen.contains(" PgDn: ") && seen.contains("job=1 ") && seen.contains("Enter adds one"), "{seen}");
    let seen = stage.act(&[End]).see();
    assert!(!seen.contains(" PgDn: ") && seen.contains("job=30 "), "{seen}");
    let seen = stage.act(&[Action::Close, Action::Help]).see();
    assert!(seen.contains(" PgDn: "), "{seen}");
    let seen = stage.act(&[End]).see();
    assert!(!seen.contains(" PgDn: "), "{seen}");
}

/// The resources that a job does not use of its exclusive node are not left for others.
#[test]
fn nothing_is_left_of_a_node_that_a_job_has_to_itself() {
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 64 }\n";
    let mut stage = cluster(nodes, &job(1, "1:ncpus=16", "excl"), (80, 24));
    stage.act(&[Action::StepForward]);
    open(&mut stage, ViewName::Buckets);
    let seen = stage.act(&[Action::Select]).see();
    assert!(seen.contains("full  16 of 64 ncpus in use, takes no more"), "{seen}");
    assert!(seen.contains("free  64 of 64 ncpus left"), "{seen}");
}

/// Console.md 6: the wheel scrolls the pane under it, and leaves the cursor of the other pane where it is.
#[test]
fn the_wheel_scrolls_the_pane_under_it() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View3, Action::Select]);
    let cursors = |stage: &mut Stage| -> Vec<String> {
        stage.see().lines().filter_map(|line| Some(line.split_once('▸')?.1.to_owned())).collect()
    };
    let before = cursors(&mut stage);
    let row = stage.see().lines().position(|line| line.contains("All attributes")).unwrap() + 2;
    stage.app.update(mouse(MouseEventKind::ScrollDown, 20, u16::try_from(row).unwrap()));
    let after = cursors(&mut stage);
    assert_eq!((after.len(), &after[0]), (2, &before[0]), "{after:?}");
    assert_ne!(after[1], before[1]);
    let mut stage = Stage::open("campus", 200, 60);
    stage.act(&[Action::Palette]).type_in("capacity").act(&[Action::Accept]);
    let before = stage.see();
    let x = before.lines().find(|line| line.contains("┌ Timeline ")).unwrap();
    let x = u16::try_from(x.split("┌ Timeline ").next().unwrap().chars().count()).unwrap() + 5;
    stage.app.update(mouse(MouseEventKind::ScrollDown, x, 10));
    let seen = stage.see();
    assert!(before.contains("type 1 #1 ") && !seen.contains("type 1 #1 "), "{seen}");
    assert!(seen.contains("┏ Capacity"), "{seen}");
    stage.app.update(mouse(MouseEventKind::Down(MouseButton::Left), x, 10));
    assert!(stage.see().contains("┏ Timeline "), "{}", stage.see());
}

/// Reasons with the same name are distinguished in the list itself: jobs that can never run for their cpus and for a
/// colour.
#[test]
fn reasons_of_one_name_differ_in_the_list_of_the_board() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::View8]).see();
    assert!(seen.contains("never: ncpus ") && seen.contains("never: color=red "), "{seen}");
}

/// The filter line and the page of a queue count rows: a waiting subjob shares that of its array.
#[test]
fn subjobs_that_wait_are_counted_with_their_array() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n");
    let jobs = "[[job]]\nid = \"5[]\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\n\
                walltime = \"01:00:00\"\narray = \"1-9\"\n";
    put("queue.toml", &format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{jobs}"));
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    stage.act(&[Action::Filter]).type_in("user=");
    assert!(stage.see().contains("Tab ann 3"), "{}", stage.see());
    stage.act(&[Action::Close, Action::Palette]).type_in("queue workq").act(&[Action::Accept]);
    assert!(stage.see().contains("3 jobs · Enter shows them"), "{}", stage.see());
}

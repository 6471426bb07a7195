//! The mouse outside the panes: alerts open what they name, rows of boxes are chosen, a click beside a box closes it;
//! and the same by keys.

use std::path::Path;

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use qscope::console::action::{Action, Context};
use qscope::console::keymap::Keymap;
use qscope::console::views::ViewName;

use crate::console_cycle::{Stage, mouse};

/// Clicks on a text of the screen.
fn click(stage: &mut Stage, text: &str) {
    let seen = stage.see();
    let (row, line) = seen.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap_or_else(|| {
        panic!("no {text} in\n{seen}");
    });
    let column = line.split(text).next().unwrap().chars().count() + 1;
    let (column, row) = (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), column, row));
}

fn wheel_down(stage: &mut Stage) {
    stage.feed(mouse(MouseEventKind::ScrollDown, 40, 12));
}

/// Writes a cluster with these nodes offline, a stopped queue and an option that cannot be read.
fn cluster(folder: &Path, offline: &str) {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let nodes = format!(
        "[[node]]\nname = \"a[1-4]\"\navailable = {{ ncpus = 8 }}\n\n\
         [[node]]\nname = \"{offline}\"\nstate = \"offline\"\navailable = {{ ncpus = 8 }}\n"
    );
    write("nodes.toml", &nodes);
    write(
        "queue.toml",
        "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"slow\"\nstarted = false\n\n\
         [[job]]\nid = \"1\"\nqueue = \"slow\"\nselect = \"1:ncpus=4\"\n",
    );
    write("sched_config", "by_queue: True ALL\nstrict_ordering: perhaps ALL\n");
}

#[test]
fn a_click_on_an_alert_opens_what_it_names() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), "b7");
    for (width, height) in [(120, 40), (200, 60)] {
        let mut stage = Stage::open_at(folder.path(), width, height);
        click(&mut stage, "b7 offline");
        assert_eq!(stage.app.view(), ViewName::Page, "{}", stage.see());
        assert!(stage.see().contains("Node b7"), "{}", stage.see());
        stage.act(&[Action::View1]);
        click(&mut stage, "queue \"slow\" not started");
        assert_eq!(stage.app.view(), ViewName::Queue);
        assert!(stage.see().contains("▸slow"), "{}", stage.see());
    }
}

#[test]
fn an_alert_about_scheduling_leads_to_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), "b7");
    std::fs::write(folder.path().join("policy.toml"), "[server]\nscheduling = false\n").unwrap();
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    click(&mut stage, "scheduling off");
    let seen = stage.see();
    assert!(seen.contains("/scheduling") && seen.contains("▸● server.scheduling "), "{seen}");
}

#[test]
fn a_click_on_an_alert_about_a_damaged_file_shows_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let node = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 8\n\n";
    std::fs::write(path("nodes.txt"), node).unwrap();
    std::fs::write(path("nodes.json"), "{\"nodes\": {\"n1\": {\"Mom\": \"n1\", \"sta").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::options().write(true).open(path("nodes.json")).unwrap().set_modified(long_ago).unwrap();
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    click(&mut stage, "nodes.json cut at byte");
    assert!(stage.see().contains("Files and clients"), "{}", stage.see());
}

#[test]
fn a_click_on_an_alert_about_several_nodes_lists_them() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), "b[7-8]");
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    click(&mut stage, "2 offline: b[7-8]");
    assert_eq!(stage.app.view(), ViewName::Problems);
    let seen = stage.see();
    let row = seen.lines().find(|line| line.contains('▸') && line.contains("offline"));
    assert!(row.is_some_and(|row| row.contains("b7")), "{seen}");
    // Enter on the line opens the node.
    stage.act(&[Action::Select]);
    assert!(stage.see().contains("Node b7"), "{}", stage.see());
}

#[test]
fn enter_on_a_problem_of_a_file_shows_its_lines() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), "b7");
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    stage.act(&[Action::Warnings, Action::End]);
    assert!(stage.see().contains("▸✗ data"), "{}", stage.see());
    // The line stands beside the file, and the words do not repeat them.
    let seen = stage.see();
    assert!(seen.contains("sched_config:2 `strict_ordering` has the value `perhaps`"), "{seen}");
    stage.act(&[Action::Select]);
    let seen = stage.see();
    assert!(seen.contains("sched_config:2") && seen.contains("2  strict_ordering: perhaps ALL"), "{seen}");
    // A click beside the box closes it.
    stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), 1, 38));
    assert!(!stage.see().contains("2  strict_ordering: perhaps ALL"), "{}", stage.see());
    assert_eq!(stage.app.view(), ViewName::Problems);
}

#[test]
fn a_click_on_a_command_runs_it_and_the_wheel_goes_through_them() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Action::Palette]);
        let first = stage.see();
        wheel_down(&mut stage);
        assert!(first.contains("▸cycle") && stage.see().contains("▸pools"), "{}", stage.see());
        click(&mut stage, " queues ");
        assert_eq!(stage.app.view(), ViewName::Queue, "{}", stage.see());
        stage.act(&[Action::Palette]);
        click(&mut stage, "1 Cycle");
        assert!(!stage.see().contains("Command"), "a click beside the box closes it: {}", stage.see());
        assert_eq!(stage.app.view(), ViewName::Queue, "and does nothing else");
    }
}

#[test]
fn a_click_on_a_column_shows_or_hides_it() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View3, Action::Columns]);
    click(&mut stage, "● user");
    wheel_down(&mut stage);
    assert!(stage.see().contains("○ user"), "{}", stage.see());
    stage.act(&[Action::Close]);
    assert!(!stage.see().contains(" user "), "{}", stage.see());
}

#[test]
fn a_click_on_a_line_of_the_help_does_what_it_says() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Action::Help, Action::Filter]).type_in("open board");
        stage.act(&[Action::Accept]);
        click(&mut stage, "Open Board");
        assert_eq!(stage.app.view(), ViewName::Board, "{}", stage.see());
        stage.act(&[Action::Help]);
        let top = stage.cells();
        (0..6).for_each(|_| wheel_down(&mut stage));
        assert!(stage.cells() != top, "the wheel moves through the help");
        stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), 0, 0));
        assert!(!stage.see().contains("Keys in"), "{}", stage.see());
    }
}

#[test]
fn a_click_on_a_breakpoint_edits_it() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Palette]).type_in("break verdict=wait");
    stage.act(&[Action::Accept, Action::Breakpoints]);
    click(&mut stage, "verdict=wait");
    assert!(stage.see().contains("edit verdict=wait"), "{}", stage.see());
    stage.act(&[Action::Close]);
    click(&mut stage, "Enter adds one");
    assert!(stage.see().contains("new  "), "{}", stage.see());
    stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), 0, 0));
    assert!(!stage.see().contains("Breakpoints"), "{}", stage.see());
}

#[test]
fn a_click_beside_the_filter_line_applies_it() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[Action::View3, Action::Filter]).type_in("user=bob");
    click(&mut stage, " 15  ");
    let seen = stage.see();
    assert!(seen.contains("/user=bob") && seen.contains("▸15"), "{seen}");
    assert!(!seen.contains("Enter applies"), "{seen}");
    // One with a mistake in it is cleared.
    stage.act(&[Action::Filter, Action::DeleteAll]).type_in("usr=bob");
    click(&mut stage, "━━");
    assert!(!stage.see().contains("usr=bob"), "{}", stage.see());
}

#[test]
fn enter_in_the_help_runs_also_what_the_program_does_by_itself() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[Action::Help, Action::Filter]).type_in("leave qscope");
    stage.act(&[Action::Accept]);
    let update = qscope::console::app::App::update(
        &mut stage.app,
        qscope::console::app::AppInput::Action(Action::Select),
    );
    assert!(format!("{:?}", update.effects).contains("Quit"), "{:?}", update.effects);
}

#[test]
fn esc_leaves_the_jobs_of_a_reason() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View8]);
    let list = stage.see();
    stage.act(&[Action::Select]);
    assert_ne!(stage.see(), list);
    stage.act(&[Action::Close]);
    assert_eq!(stage.see(), list);
}

/// On the first screen every line of the reasons leads to its jobs, by keys and by the mouse.
#[test]
fn a_reason_of_the_first_screen_leads_to_its_jobs() {
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        stage.act(&[Action::NextPane]);
        let seen = stage.see();
        assert!(seen.contains("Enter its jobs") && seen.contains("┃▸insufficient ngpus"), "{seen}");
        stage.act(&[Action::Select]);
        assert!(stage.see().contains("/reason=\"insufficient ngpus\"  1 of 29"), "{}", stage.see());
        stage.act(&[Action::Close]);
        assert!(stage.see().contains("▸ 1/29"), "the job selected before is selected again: {}", stage.see());
        click(&mut stage, "order  ");
        click(&mut stage, "order  ");
        assert!(stage.see().contains("/reason=\"order\"  3 of 29"), "{}", stage.see());
        stage.act(&[Action::AskWhy]);
        assert!(stage.see().contains("Why 11 does not run"), "{}", stage.see());
    }
    let mut stage = Stage::open("campus", 200, 60);
    click(&mut stage, "in use");
    click(&mut stage, "in use");
    assert_eq!(stage.app.view(), ViewName::Nodes);
}

/// A bar of the nodes over time stands for its job: a click selects the job, and every view shows it.
#[test]
fn a_click_on_a_bar_selects_its_job() {
    let mut stage = Stage::open("campus", 120, 40);
    click(&mut stage, "▒4▒▒");
    stage.act(&[Action::View6]);
    assert!(stage.see().contains("selected 4: starts now"), "{}", stage.see());
    click(&mut stage, "▓1▓▓");
    assert!(stage.see().contains("selected 1: ends 02:57"), "{}", stage.see());
    stage.act(&[Action::Select]);
    assert!(stage.see().contains("Job 1 "), "{}", stage.see());
    // A right click asks why about it, one on the name of a row about its node.
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.see();
    let row = seen.lines().position(|line| line.contains("▒5▒▒")).unwrap();
    let column = seen.lines().nth(row).unwrap().split("▒5▒▒").next().unwrap().chars().count() + 1;
    let at = (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    stage.feed(mouse(MouseEventKind::Down(MouseButton::Right), at.0, at.1));
    assert!(stage.see().contains("5 does not wait"), "{}", stage.see());
}

/// If a line of a page names several jobs, each can be opened.
#[test]
fn each_job_that_a_line_of_a_page_names_is_a_link() {
    let open = || {
        let mut stage = Stage::open("campus", 120, 40);
        stage.act(&[Action::Palette]).type_in("node n012").act(&[Action::Accept]);
        stage
    };
    let mut stage = open();
    assert!(stage.see().contains("14 25 27 19 20 +1"), "{}", stage.see());
    click(&mut stage, "25 27 19");
    stage.act(&[Action::Select]);
    assert!(stage.see().contains("Job 25 "), "{}", stage.see());
    let mut stage = open();
    click(&mut stage, "14 25 27");
    assert!(stage.see().contains("h l choose link"), "{}", stage.see());
    stage.act(&[Action::Right, Action::Right, Action::Select]);
    assert!(stage.see().contains("Job 27 "), "{}", stage.see());
}

/// The word of the footer's first key can be clicked too, after one space.
#[test]
fn a_click_on_the_word_of_the_first_key_runs_it() {
    let mut stage = Stage::open("campus", 80, 24);
    for column in [1, 3, 5] {
        let before = stage.position();
        stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), column, 23));
        assert_eq!(stage.position(), before + 1, "{column}\n{}", stage.see());
    }
}

/// Console.md 6, Alerts: Tab reaches them after the last pane, h and l move along them, Enter opens.
#[test]
fn alerts_are_walked_by_keys() {
    use Action::{Close, Left, NextPane, PreviousPane, Right, Select, View1};
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), "b7");
    let mut stage = Stage::open_at(folder.path(), 80, 24);
    let alerts = |stage: &mut Stage| stage.see().lines().nth(2).unwrap().to_owned();
    assert!(!alerts(&mut stage).contains(" of "), "{}", stage.see());
    stage.act(&[NextPane, NextPane, NextPane]);
    assert!(alerts(&mut stage).contains("· 1 of "), "{}", stage.see());
    assert!(stage.see().contains(" Enter open  h l other alert "), "{}", stage.see());
    let first = alerts(&mut stage);
    stage.act(&[Right]);
    assert!(alerts(&mut stage).contains("· 2 of "), "{}", stage.see());
    stage.act(&[Left]);
    assert_eq!(alerts(&mut stage), first);
    stage.act(&[Right, Right]);
    assert!(alerts(&mut stage).ends_with("! b7 offline · 2 of 2"), "{}", stage.see());
    stage.act(&[Select]);
    assert!(stage.app.view() == ViewName::Page && stage.see().contains("Node b7"), "{}", stage.see());
    // On with Tab, and back with the other key.
    let mut stage = Stage::open_at(folder.path(), 80, 24);
    let rest = stage.see();
    assert_eq!(stage.act(&[NextPane, NextPane, NextPane, NextPane]).see(), rest);
    assert_eq!(stage.act(&[PreviousPane, NextPane]).see(), rest);
    stage.act(&[PreviousPane, Close]);
    assert_eq!(stage.see(), rest);
    stage.act(&[PreviousPane, Action::View3, View1]);
    assert_eq!(stage.see(), rest);
}

/// The same in views of one pane, of several, and on pages: Tab goes there behind the last pane, and on to the first one.
#[test]
fn tab_comes_to_the_alerts_in_every_view() {
    use Action::{AskWhy, Board, NextPane, PreviousPane, Select, Toggle, View2, View3, View4, View6};
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), "b7");
    let in_alerts = |stage: &mut Stage| stage.see().lines().nth(2).unwrap().contains(" 1 of 2");
    for (width, height) in [(120, 40), (200, 60), (300, 90)] {
        for opens in [
            &[View2][..],
            &[View2, Toggle],
            &[View2, Select],
            &[View3],
            &[View3, Select],
            &[View4],
            &[View6],
            &[AskWhy],
            &[Board],
        ] {
            let mut stage = Stage::open_at(folder.path(), width, height);
            stage.act(opens);
            let (view, rest) = (stage.app.view(), stage.see());
            let tab = Keymap::default().resolve(Context::View(view), KeyCode::Tab.into());
            assert_eq!(tab, Some(NextPane), "{view:?}");
            let mut panes = 0;
            while !in_alerts(&mut stage) {
                stage.act(&[NextPane]);
                panes += 1;
                assert!(panes < 6, "{view:?} {opens:?} at {width}: {}", stage.see());
            }
            stage.act(&[NextPane]);
            assert_eq!(stage.see(), rest, "{view:?} {opens:?} at {width}: on to the first pane");
            stage.act(&[PreviousPane]);
            assert!(in_alerts(&mut stage), "{view:?} {opens:?} at {width}: {}", stage.see());
            stage.act(&[NextPane]);
            assert_eq!(stage.see(), rest, "{view:?} {opens:?} at {width}: back");
        }
    }
}

/// At rest Tab goes through the panes that are on the screen.
#[test]
fn tab_brings_up_no_pane_that_has_no_place() {
    let mut stage = Stage::open("campus", 200, 60);
    for _ in 0..4 {
        stage.act(&[Action::NextPane]);
        let seen = stage.see();
        assert!(!seen.contains(" Node n") && seen.contains("Nodes × time"), "{seen}");
    }
}

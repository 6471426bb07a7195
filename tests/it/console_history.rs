//! The generations that are kept: walking back through them, and the changes from one to another.

use std::fs;
use std::sync::Arc;

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::shell::ShellMessage;
use qscope::console::task::Task;
use qscope::console::views::Effect;
use qscope::session::{Generation, SessionEvent};

use crate::console_cycle::{Stage, read};

const NOW: i64 = 1_763_700_000;
const RUNS: &str = "started = \"-00:10:00\"\non = \"(n1:ncpus=4)+(n2:ncpus=4)\"";

fn job(id: &str, cpus: u32, rest: &str) -> String {
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"2:ncpus={cpus}\"\n\
         place = \"scatter\"\nwalltime = \"01:00:00\"\n{rest}\n"
    )
}

/// Returns a generation of a cluster of these nodes, a minute after the previous one.
fn generation(number: u64, nodes: &str, started: bool, jobs: &[String]) -> Arc<Generation> {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("lab");
    fs::create_dir(&folder).unwrap();
    let now = NOW + 60 * i64::try_from(number).unwrap();
    let queue = format!("now = {now}\n[[queue]]\nname = \"workq\"\nstarted = {started}\n{}", jobs.concat());
    fs::write(folder.join("nodes.toml"), nodes).unwrap();
    fs::write(folder.join("queue.toml"), queue).unwrap();
    read(&folder, number)
}

const FREE: &str = "[[node]]\nname = \"n[1-8]\"\navailable = { ncpus = 4 }\n";
const TWO_OFF: &str = "[[node]]\nname = \"n[1-6]\"\navailable = { ncpus = 4 }\n[[node]]\nname = \"n[7-8]\"\n\
                       state = \"offline\"\navailable = { ncpus = 4 }\n";

/// Returns three generations: a job starts, one ends, one arrives, two nodes go offline; then the queue is stopped.
fn three() -> [Arc<Generation>; 3] {
    let (one, two) = (job("1", 4, ""), job("2", 4, ""));
    let later = [job("1", 4, RUNS), job("2", 4, ""), job("3", 9, ""), job("5", 4, "")];
    [
        generation(
            1,
            FREE,
            true,
            &[one, two, job("3", 9, ""), job("4", 4, &RUNS.replace("n1", "n7").replace("n2", "n8"))],
        ),
        generation(2, TWO_OFF, true, &later),
        generation(3, TWO_OFF, false, &later),
    ]
}

fn open(width: u16, height: u16) -> Stage {
    let all = three();
    let mut stage = Stage::empty(width, height, all[2].snapshot.now);
    all.into_iter().for_each(|generation| stage.load(generation));
    stage
}

#[test]
fn one_walks_back_and_the_cursor_stays_on_its_job() {
    let mut stage = open(200, 40);
    stage.act(&[Action::Down]);
    let job = stage.subject();
    let seen = stage.act(&[Action::OlderSnapshot]).see();
    assert!(seen.contains("BACK 1 of 3"), "{seen}");
    assert!(seen.contains("1 newer"), "{seen}");
    assert_eq!(stage.subject(), job);
    let seen = stage.act(&[Action::OlderSnapshot]).see();
    assert!(seen.contains("BACK 2 of 3"), "{seen}");
    assert_eq!(stage.subject(), job);
    let seen = stage.act(&[Action::OlderSnapshot]).see();
    assert!(seen.contains("nothing was read before this one"), "{seen}");
    let seen = stage.act(&[Action::NewerSnapshot]).see();
    assert!(seen.contains("BACK 1 of 3"), "{seen}");
    let seen = stage.act(&[Action::Follow]).see();
    assert!(!seen.contains("BACK") && seen.contains("SNAPSHOT"), "{seen}");
    assert_eq!(stage.subject(), job);
}

/// Offline nodes come first in the table, so that the nodes after them change their position.
#[test]
fn the_cursor_stays_on_its_node_where_another_snapshot_has_it_elsewhere() {
    let after = generation(2, TWO_OFF, true, &[]);
    let mut stage = Stage::empty(200, 40, after.snapshot.now);
    stage.load(generation(1, FREE, true, &[]));
    let row = |seen: &str| {
        let line = seen.lines().find(|line| line.starts_with("┃▸")).unwrap_or_else(|| panic!("{seen}"));
        line.split_whitespace().next().unwrap().to_owned()
    };
    let place = |seen: &str| seen.split_once("▸ ").unwrap().1.split_whitespace().next().unwrap().to_owned();
    let seen = stage.act(&[Action::View2, Action::Toggle, Action::Down, Action::Down, Action::Down]).see();
    let (node, at) = (row(&seen), place(&seen));
    stage.load(after);
    let seen = stage.see();
    assert_eq!(row(&seen), node, "{seen}");
    assert_ne!(place(&seen), at, "{seen}");
}

#[test]
fn what_comes_while_one_looks_back_is_kept_and_counted() {
    let mut stage = open(200, 40);
    stage.act(&[Action::OlderSnapshot]);
    stage.load(generation(4, FREE, true, &[job("9", 4, "")]));
    let seen = stage.see();
    assert!(seen.contains("BACK 2 of 4") && seen.contains("2 newer"), "{seen}");
    // The last good one counting again is no newer one.
    let again = stage.act(&[Action::Follow]).app.screen().unwrap().generation.clone();
    assert_eq!(again.number, 4);
    stage.act(&[Action::Freeze]);
    stage.app.update(AppInput::Message(ShellMessage::Session(SessionEvent::Loaded(again))));
    assert!(!stage.see().contains("newer"), "{}", stage.see());
}

/// A recording that cannot be written is reported in the first line and above the panes; the console continues.
#[test]
fn a_recording_is_marked_and_so_is_one_that_fails() {
    let recorded = |how: Result<u64, String>| AppInput::Message(SessionEvent::Recorded(how).into());
    for (width, good, bad) in [(80, " REC ", "NO REC"), (120, "REC #7", "NOT RECORDED")] {
        let mut stage = open(width, 30);
        assert!(!stage.see().contains("REC"));
        assert!(stage.feed(recorded(Ok(7))));
        assert!(stage.see().lines().next().unwrap().contains(good), "{}", stage.see());
        assert!(stage.feed(recorded(Err("no space left on device".to_owned()))));
        let seen = stage.see();
        assert!(seen.lines().next().unwrap().contains(bad), "{seen}");
        assert!(seen.contains("not recorded: no space left on device"), "{seen}");
        assert!(stage.feed(recorded(Ok(8))));
        assert!(!stage.see().contains("not recorded"), "{}", stage.see());
    }
}

#[test]
fn older_ones_are_dropped_and_that_is_reported() {
    let one = generation(1, FREE, true, &[job("1", 4, "")]);
    let mut stage = Stage::empty(200, 40, one.snapshot.now);
    for number in 1..=25 {
        stage.load(Arc::new(Generation { number, ..(*one).clone() }));
    }
    stage.act(&[Action::OlderSnapshot; 19]);
    assert!(stage.see().contains("BACK 19 of 20"));
    let seen = stage.act(&[Action::OlderSnapshot]).see();
    assert!(seen.contains("5 older ones were dropped: the last 20 are kept"), "{seen}");
}

#[test]
fn what_changed_is_listed_under_headings() {
    let mut stage = open(80, 24);
    stage.act(&[Action::Changes]).screen("compare_queue_stopped_80x24");
    stage.act(&[Action::CompareOlder]).screen("compare_with_the_first_80x24");
    open(200, 30).act(&[Action::OlderSnapshot, Action::Changes]).screen("compare_back_200x30");
    let seen = stage.act(&[Action::CompareOlder]).see();
    assert!(seen.contains("there is no older snapshot"), "{seen}");
}

/// The right side is the snapshot on the screen, which `<` and `>` change.
#[test]
fn the_right_side_of_a_difference_walks_with_the_screen() {
    let mut stage = open(80, 24);
    let sides = |seen: &str| -> Vec<String> {
        let side = |line: &str| Some(line.strip_prefix("│ ")?.split(',').next()?.trim_end().to_owned());
        seen.lines().filter_map(side).take(2).collect()
    };
    let seen = stage.act(&[Action::View9]).see();
    assert_eq!(sides(&seen), ["left   snapshot 2", "right  snapshot 3"], "{seen}");
    let seen = stage.act(&[Action::OlderSnapshot]).see();
    assert!(seen.contains("BACK 1 of 3"), "{seen}");
    assert_eq!(sides(&seen), ["left   snapshot 1", "right  snapshot 2"], "{seen}");
    // Before the first there is none: its own cycle.
    let seen = stage.act(&[Action::OlderSnapshot]).see();
    assert!(seen.contains("BACK 2 of 3"), "{seen}");
    assert_eq!(sides(&seen), ["left   snapshot 1", "right  the same at the end of its cycle"], "{seen}");
    let seen = stage.act(&[Action::NewerSnapshot, Action::CompareNewer, Action::CompareNewer]).see();
    assert_eq!(sides(&seen), ["left   snapshot 3", "right  snapshot 2"], "{seen}");
    assert!(seen.contains("earlier"), "{seen}");
}

#[test]
fn a_change_leads_to_its_job_and_its_node() {
    let mut stage = open(120, 40);
    stage.act(&[Action::OlderSnapshot, Action::Changes]);
    // The first change: job 1 has started. What runs is in the calendar.
    let seen = stage.act(&[Action::Select]).see();
    assert!(seen.contains("Calendar"), "{seen}");
    stage.act(&[Action::Changes]);
    let at = |stage: &mut Stage, name: &str| {
        stage.act(&[Action::Filter, Action::DeleteAll]).type_in(name).act(&[Action::Accept, Action::Home]);
    };
    at(&mut stage, "new in the queue");
    stage.act(&[Action::Select]);
    assert!(stage.subject().starts_with('5'), "{}", stage.see());
    stage.act(&[Action::Changes]);
    at(&mut stage, "ended");
    let seen = stage.act(&[Action::Select]).see();
    assert!(seen.contains("not in this snapshot"), "{seen}");
    at(&mut stage, "offline");
    let seen = stage.act(&[Action::Select]).see();
    assert!(seen.contains("n7"), "{seen}");
}

#[test]
fn one_generation_alone_is_compared_with_what_its_cycle_leaves() {
    let one = generation(1, FREE, true, &[job("1", 4, "")]);
    let mut stage = Stage::empty(80, 24, one.snapshot.now);
    stage.load(one);
    let seen = stage.act(&[Action::Changes]).see();
    assert!(seen.contains("starts on n[1-2]") && seen.contains("at the end of its cycle"), "{seen}");
    let none = generation(1, FREE, true, &[]);
    let mut stage = Stage::empty(80, 24, none.snapshot.now);
    stage.load(none);
    let seen = stage.act(&[Action::Changes]).see();
    assert!(seen.contains("This cycle starts no job and plans none."), "{seen}");
}

/// Console.md 2.2: the selected job is the same in the whole program.
#[test]
fn the_job_of_an_answer_is_the_selected_one_in_other_views() {
    let one = generation(1, FREE, true, &[job("1", 4, ""), job("2", 4, ""), job("3", 9, "")]);
    let mut stage = Stage::empty(120, 40, one.snapshot.now);
    stage.load(one);
    let seen = stage.act(&[Action::View3, Action::End, Action::View6]).see();
    assert!(seen.contains("selected 3"), "{seen}");
    let seen = stage.act(&[Action::View3]).see();
    assert!(seen.contains("▸3 "), "the list of jobs has its cursor there: {seen}");
    let seen = stage.act(&[Action::Up, Action::AskWhy, Action::View6]).see();
    assert!(seen.contains("selected 2"), "{seen}");
}

#[test]
fn dumps_that_are_apart_are_named_in_the_first_line() {
    let root = tempfile::tempdir().unwrap();
    let nodes =
        r#"{"timestamp":1000,"nodes":{"n1":{"Mom":"n1","state":"free","resources_available":{"ncpus":4}}}}"#;
    fs::write(root.path().join("nodes.json"), nodes).unwrap();
    fs::write(root.path().join("jobs.json"), r#"{"timestamp":1045,"Jobs":{}}"#).unwrap();
    fs::write(root.path().join("server.txt"), "Server: s\n    server_state = Scheduling\n\n").unwrap();
    let mut stage = Stage::empty(200, 60, qscope::cluster::Epoch(1045));
    stage.load(read(root.path(), 1));
    let seen = stage.see();
    assert!(seen.contains("jobs 45s newer than nodes") && seen.contains("mid-cycle"), "{seen}");
}

/// Older cycles are not kept; a worker runs one again before its snapshot is shown. Keys that arrive meanwhile count
/// from the snapshot that is being computed, and following the newest abandons it.
#[test]
fn cycles_that_were_given_up_run_again_when_one_walks_back() {
    let six = || -> Stage {
        let all: Vec<_> =
            (1..=6).map(|number| generation(number, FREE, number % 2 == 0, &[job("1", 4, "")])).collect();
        let mut stage = Stage::empty(200, 40, all[5].snapshot.now);
        all.into_iter().for_each(|generation| stage.load(generation));
        stage
    };
    let mut stage = six();
    let steps = ["BACK 1 of 6", "BACK 2 of 6", "BACK 3 of 6", "BACK 4 of 6", "BACK 5 of 6"];
    for (nth, step) in steps.iter().enumerate() {
        let seen = stage.act(&[Action::OlderSnapshot]).see();
        assert!(seen.contains(step) && seen.contains(&format!("{} newer", nth + 1)), "{seen}");
        // The queue was started in every second one: the cycle is that of the snapshot.
        assert_eq!(seen.contains("✓ run "), nth % 2 == 1, "{seen}");
    }
    for step in steps.iter().rev().skip(1) {
        let seen = stage.act(&[Action::NewerSnapshot]).see();
        assert!(seen.contains(step), "{seen}");
    }
    // What workers were asked for stays undone for a while.
    let mut stage = six();
    let ask = |stage: &mut Stage, action| {
        let update = stage.app.update(AppInput::Action(action));
        let tasks = update.effects.into_iter().filter_map(|effect| match effect {
            Effect::Compute(task) => Some(task),
            _ => None,
        });
        tasks.collect::<Vec<_>>()
    };
    let run = |stage: &mut Stage, tasks: Vec<Task>| {
        for task in tasks {
            let received = std::cell::RefCell::new(Vec::new());
            task.run(&|news| received.borrow_mut().push(news));
            received.into_inner().into_iter().for_each(|news| {
                stage.feed(AppInput::Message(news.into()));
            });
        }
    };
    let tasks: Vec<_> = (0..3).flat_map(|_| ask(&mut stage, Action::OlderSnapshot)).collect();
    assert!(stage.see().contains("running the cycle of snapshot 3 again"), "{}", stage.see());
    run(&mut stage, tasks);
    assert!(stage.see().contains("BACK 3 of 6"), "{}", stage.see());
    let tasks = ask(&mut stage, Action::OlderSnapshot);
    ask(&mut stage, Action::Follow);
    run(&mut stage, tasks);
    let seen = stage.see();
    assert!(!seen.contains("BACK") && seen.contains("SNAPSHOT"), "{seen}");
}

/// A file that was broken and is then restored yields the same snapshot: the results of its analysis are kept.
#[test]
fn the_same_snapshot_again_keeps_its_analysis() {
    let one = read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/why"), 1);
    let mut stage = Stage::empty(120, 40, one.snapshot.now);
    stage.load(one.clone());
    let before = stage.see();
    assert!(before.contains("4 of 6 whole nodes") && !before.contains("≈"), "{before}");
    stage.load(one);
    assert_eq!(stage.see(), before);
}

#[test]
fn the_next_change_in_a_difference_is_the_first_of_the_next_kind() {
    let one = generation(1, FREE, true, &[job("1", 4, "")]);
    let mut stage = Stage::empty(80, 24, one.snapshot.now);
    stage.load(one);
    let row =
        |seen: &str| seen.lines().find(|line| line.contains('▸') && line.contains('┃')).map(str::to_owned);
    let first = row(&stage.act(&[Action::Changes]).see()).unwrap();
    let seen = stage.act(&[Action::NextVerdict]).see();
    let second = row(&seen).unwrap();
    assert!(first.contains("starts on n[1-2]") && second.contains("job-busy"), "{first}\n{second}");
    assert!(seen.contains("SNAPSHOT"), "the cycle is not stepped: {seen}");
    assert_eq!(row(&stage.act(&[Action::PreviousVerdict]).see()).unwrap(), first);
}

/// A held job has no moment in the calendar, and one that fits has it after all that starts in the cycle.
#[test]
fn the_calendar_has_the_moment_that_the_whole_cycle_leaves() {
    let jobs = [job("1", 4, ""), job("2", 4, ""), job("3", 4, "state = \"H\"")];
    let one = generation(1, FREE, true, &jobs);
    let mut stage = Stage::empty(120, 40, one.snapshot.now);
    stage.load(one);
    let seen = stage.act(&[Action::View3, Action::End, Action::View6]).see();
    assert!(seen.contains("not considered: it is held"), "{seen}");
}

/// Returns a generation with free nodes and these jobs, which ask for more cores than a node has, but for the first.
fn waiting(number: u64, ids: &[&str]) -> Arc<Generation> {
    let cpus = |at| if at == 0 { 4 } else { 9 };
    let jobs: Vec<String> = ids.iter().enumerate().map(|(at, id)| job(id, cpus(at), "")).collect();
    generation(number, FREE, true, &jobs)
}

/// Even while the workers are behind, and while the row above takes the cursor of the queue.
#[test]
fn an_answer_stays_with_its_job_when_the_job_leaves() {
    for is_behind in [false, true] {
        let (all, without) = (["1", "2", "3", "5"], ["1", "2", "5"]);
        let mut stage = Stage::empty(100, 30, waiting(1, &all).snapshot.now);
        let load = |stage: &mut Stage, next| match is_behind {
            false => stage.load(next),
            true => {
                let loaded = AppInput::Message(ShellMessage::Session(SessionEvent::Loaded(next)));
                stage.app.update(loaded);
            }
        };
        load(&mut stage, waiting(1, &all));
        stage.app.update(AppInput::Action(Action::Palette));
        stage.type_in("why 3").app.update(AppInput::Action(Action::Accept));
        assert!(stage.see().contains("Why 3 does not run"), "{}", stage.see());
        for number in 2..=3 {
            load(&mut stage, waiting(number, &without));
            let seen = stage.see();
            assert!(seen.contains("3 is not in this snapshot; last seen"), "{is_behind} {number}\n{seen}");
        }
        // The cursor of the queue is on the job that stands in its place, not on the first one.
        assert_eq!(stage.act(&[Action::View1]).subject(), "5", "{is_behind}");
    }
}

#[test]
fn why_of_a_job_that_left_is_not_about_another() {
    let mut stage = Stage::empty(100, 30, waiting(1, &["1", "2", "3"]).snapshot.now);
    stage.load(waiting(1, &["1", "2", "3"]));
    stage.command("job 3");
    stage.load(waiting(2, &["1", "2"]));
    let seen = stage.act(&[Action::AskWhy]).see();
    assert!(seen.contains("3 is not in this snapshot; last seen"), "{seen}");
}

/// Console.md 6, Live: with a new snapshot every minute a long answer can be read.
#[test]
fn a_page_stays_where_it_is_when_a_snapshot_comes() {
    let jobs: Vec<String> = ["1", "2", "3"].map(|id| job(id, 9, "")).to_vec();
    let root = tempfile::tempdir().unwrap();
    // The files stay, as a page shows the attributes in them.
    let generation = |number: i64| {
        let queue = format!("now = {}\n[[queue]]\nname = \"workq\"\n{}", NOW + 60 * number, jobs.concat());
        fs::write(root.path().join("nodes.toml"), FREE).unwrap();
        fs::write(root.path().join("queue.toml"), queue).unwrap();
        read(root.path(), u64::try_from(number).unwrap())
    };
    let marked = |seen: &str| -> Vec<String> {
        seen.lines().filter(|line| line.starts_with("┃▸")).map(str::to_owned).collect()
    };
    for (command, keys) in [
        ("why 2", vec![Action::PageDown, Action::Down]),
        ("job 2", vec![Action::Down; 4]),
        ("job 2", [vec![Action::NextPane], vec![Action::Down; 4]].concat()),
        ("node n3", [vec![Action::NextPane], vec![Action::Down; 2]].concat()),
        ("node n3", vec![Action::Down; 2]),
    ] {
        let mut stage = Stage::empty(80, 20, generation(1).snapshot.now);
        stage.load(generation(1));
        let before = stage.command(command).act(&keys).see();
        for number in 2..=3 {
            stage.load(generation(number));
            let seen = stage.see();
            assert_eq!(marked(&seen), marked(&before), "{command} {keys:?}\n{before}\n{seen}");
            assert!(!marked(&seen).is_empty(), "{command}\n{seen}");
        }
    }
}

//! What takes longer than a key is done after the picture, in parts or by a worker, and the result is the same as if
//! done at once (console.md 6, Large).

use std::fmt::Write;
use std::sync::Arc;

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::task::Task;
use qscope::console::views::{Effect, Update};
use qscope::session::SessionEvent;

use crate::console_cycle::{Stage, read};
use Action::{Accept, Down, Home, Palette, Sort, SortReverse, StepForward, Toggle, ToggleMap, View2, View3};

/// The name under which a part of the work between two keys is requested.
const TURN: &str = "the next part of what is shown";

/// Writes a cluster of `nodes` nodes in three racks, with these jobs.
fn folder(nodes: usize, jobs: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let mut text = String::new();
    for at in 0..nodes {
        let (cpus, rack) = (4 + at % 3, at / 3 % 3);
        writeln!(text, "[[node]]\nname = \"n{at:05}\"\navailable = {{ ncpus = {cpus}, rack = \"r{rack}\" }}")
            .unwrap();
    }
    put("nodes.toml", &text);
    put("queue.toml", &format!("now = 1763700000\n[[queue]]\nname = \"q\"\n{jobs}"));
    folder
}

/// Returns the requests to workers after an action.
fn asked(stage: &mut Stage, action: Action) -> Vec<Task> {
    tasks_of(stage.app.update(AppInput::Action(action)))
}

/// What a worker is asked for.
fn tasks_of(update: Update) -> Vec<Task> {
    let task = |effect| if let Effect::Compute(task) = effect { Some(task) } else { None };
    update.effects.into_iter().filter_map(task).collect()
}

/// Returns the lines of the table on the screen, without its frame.
fn rows(stage: &mut Stage, begin: &str) -> Vec<String> {
    let seen = stage.see();
    seen.lines().filter(|line| line.contains(begin)).map(str::to_owned).collect()
}

#[test]
fn a_long_table_is_sorted_some_keys_at_a_time() {
    let folder = folder(20_500, "");
    let mut stage = Stage::open_at(folder.path(), 160, 40);
    stage.act(&[View2, Toggle, Sort, Down]);
    let up = rows(&mut stage, "─ n");
    let turns = stage.computed(TURN);
    let tasks = asked(&mut stage, SortReverse);
    assert!(stage.see().contains("sorting ... · sort vnode ▾"), "{}", stage.see());
    assert_eq!(rows(&mut stage, "─ n"), up, "they stay as they are until all keys are made");
    for task in tasks {
        stage.compute(task);
    }
    assert_eq!(stage.computed(TURN) - turns, 2);
    assert!(stage.see().contains("20499/20500 · sort vnode ▾"), "the cursor on its node\n{}", stage.see());
    stage.act(&[Home]);
    assert!(stage.see().contains("▸n20499"), "{}", stage.see());
}

#[test]
fn a_long_table_is_sorted_anew_after_a_step() {
    let job = "[[job]]\nid = \"1\"\nuser = \"ann\"\nqueue = \"q\"\nselect = \"2:ncpus=4\"\nplace = \"scatter:excl\"\nwalltime = \"1h\"\n";
    let folder = folder(20_500, job);
    let sorted = [true, false].map(|before| {
        let mut stage = Stage::open_at(folder.path(), 160, 40);
        stage.act(&[View2, Toggle]);
        let orders = [Sort, Sort, SortReverse];
        stage.act(if before { &orders } else { &[] });
        let tasks = asked(&mut stage, StepForward);
        assert_eq!(stage.see().contains("sorting ..."), before, "{}", stage.see());
        for task in tasks {
            stage.compute(task);
        }
        stage.act(if before { &[] } else { &orders }).act(&[Home]);
        assert!(stage.see().contains("sort state ▾"), "{}", stage.see());
        rows(&mut stage, "n0")
    });
    assert_eq!(sorted[0], sorted[1]);
    assert!(sorted[0].len() > 10);
}

#[test]
fn jobs_are_sorted_by_their_nodes_as_a_worker_wrote_these() {
    let mut jobs = String::new();
    for id in 0..6_200 {
        let on = if id % 3 == 0 {
            format!("started = \"-01:00:00\"\non = \"(n{:05}:ncpus=1)\"\n", id % 50)
        } else {
            String::new()
        };
        writeln!(jobs, "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"q\"\nselect = \"1:ncpus=1\"\nwalltime = \"02:00:00\"\n{on}").unwrap();
    }
    let folder = folder(60, &jobs);
    let mut stage = Stage::open_at(folder.path(), 200, 40);
    stage.act(&[View3, Palette]).type_in("sort reason, or where");
    let tasks = asked(&mut stage, Accept);
    assert!(stage.see().contains("sorting ... · sort reason, or where ▴"), "{}", stage.see());
    for task in tasks {
        stage.compute(task);
    }
    stage.act(&[Home]);
    let written = rows(&mut stage, " ann ");
    assert!(written.len() > 10 && !stage.see().contains("sorting"), "{}", stage.see());
    // Of another snapshot of the same files they are written at once.
    let next = read(folder.path(), 2);
    stage.app.update(AppInput::Message(qscope::session::SessionEvent::Loaded(next).into()));
    assert!(!stage.see().contains("sorting"), "{}", stage.see());
    assert_eq!(rows(&mut stage, " ann "), written);
    stage.act(&[SortReverse, Home]);
    assert_ne!(rows(&mut stage, " ann "), written);
}

#[test]
fn nodes_stand_in_the_groups_that_a_worker_made_before() {
    let folder = folder(20_000, "");
    let generation = read(folder.path(), 1);
    let pictures = [true, false].map(|works| {
        let mut stage = Stage::empty(160, 40, generation.snapshot.now);
        stage.load(Arc::clone(&generation));
        let mut seen = Vec::new();
        for action in [View2, ToggleMap, ToggleMap, ToggleMap, ToggleMap] {
            let tasks = asked(&mut stage, action);
            let made = |task: &Task| works || task.description() != "the nodes in other groups";
            for task in tasks.into_iter().filter(made) {
                stage.compute(task);
            }
            seen.push(stage.see());
        }
        assert_eq!(stage.computed("the nodes in other groups"), if works { 3 } else { 0 });
        seen
    });
    assert!(pictures[0].iter().any(|seen| seen.contains("rack=r1")), "{}", pictures[0].join("\n"));
    assert_eq!(pictures[0], pictures[1]);
}

/// What the analysis of the queue is asked for as, for the first view and for the board.
const ANALYSIS: [&str; 2] = ["why the queue waits", "what keeps the queue waiting"];

/// Does what workers were asked for, but puts the next slices of the analysis aside.
fn up_to_analysis(stage: &mut Stage, tasks: Vec<Task>) -> Vec<Task> {
    let mut aside = Vec::new();
    for task in tasks {
        let is_analysis = ANALYSIS.contains(&task.description());
        let received = std::cell::RefCell::new(Vec::new());
        task.run(&|news| received.borrow_mut().push(news));
        drop(task);
        for news in received.into_inner() {
            let effects = stage.app.update(AppInput::Message(news.into())).effects;
            let tasks = effects.into_iter().filter_map(|effect| match effect {
                Effect::Compute(task) => Some(task),
                _ => None,
            });
            match is_analysis {
                true => aside.extend(tasks),
                false => tasks.for_each(|task| {
                    stage.compute(task);
                }),
            }
        }
    }
    aside
}

/// Console.md 6, Loading: Esc stops the analysis of the queue, the screen states how far it is, and r continues it.
#[test]
fn the_analysis_of_the_queue_is_stopped_and_continued() {
    let job = |id: usize| format!("[[job]]\nid = \"{id}\"\nqueue = \"q\"\nselect = \"{id}:ncpus=9\"\n");
    let folder = folder(6, &(1..=5).map(job).collect::<String>());
    for (view, width, height) in
        [(None, 80, 24), (Some(Action::Board), 80, 24), (Some(Action::AskWhy), 200, 60)]
    {
        let generation = read(folder.path(), 1);
        let mut stage = Stage::empty(width, height, generation.snapshot.now);
        let loaded = SessionEvent::Loaded(generation).into();
        let mut tasks = tasks_of(stage.app.update(AppInput::Message(loaded)));
        tasks.extend(view.into_iter().flat_map(|view| asked(&mut stage, view)));
        let next = up_to_analysis(&mut stage, tasks);
        assert!(!next.is_empty(), "{view:?}: a slice is to come");
        if view != Some(Action::AskWhy) {
            assert!(stage.see().contains("analysed 0 of 5 job classes · Esc stops"), "{}", stage.see());
        }
        assert!(asked(&mut stage, Action::Close).is_empty());
        assert!(stage.see().contains("stopped · r continues"), "{}", stage.see());
        // What was under way comes to its end; what was found besides is read, and no more.
        let mut next = next;
        for _ in 0..4 {
            next = up_to_analysis(&mut stage, next);
        }
        assert!(next.is_empty(), "{view:?}: no slice follows");
        stage.act(&[Action::View1]);
        let seen = stage.see();
        assert!(seen.contains(" of 5 · r continues") && !seen.contains("stopped at 5"), "{view:?}: {seen}");
        let tasks = asked(&mut stage, Action::Reload);
        let is_analysis = |task: &Task| ANALYSIS.contains(&task.description());
        assert!(tasks.iter().any(is_analysis), "{view:?}: it goes on");
        for task in tasks {
            stage.compute(task);
        }
        let seen = stage.see();
        assert!(!seen.contains("Esc stops") && !seen.contains("r continues"), "{view:?}: {seen}");
        // Where nothing is under way, the key does what it does otherwise.
        stage.act(&[Action::Close]);
        assert!(stage.see().contains("nothing to close"), "{view:?}: {}", stage.see());
    }
}

/// Of very many jobs a worker writes where they run and start; the queue is sorted by that then, as it would be at once.
#[test]
fn a_long_queue_is_sorted_by_where_jobs_start_once_a_worker_has_written_it() {
    let job = |id: usize| {
        format!("[[job]]\nid = \"{id}\"\nqueue = \"q\"\nselect = \"1:ncpus=4\"\nplace = \"excl\"\n")
    };
    let folder = folder(40, &(1..=6_100).map(job).collect::<String>());
    const WORDS: &str = "where jobs run and start";
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    // The nodes of the jobs that start, as they stand below each other.
    let nodes = |stage: &mut Stage| -> Vec<String> {
        let words = rows(stage, "✓ run").into_iter();
        words.filter_map(|row| Some(row.split_whitespace().rev().nth(1)?.to_owned())).collect()
    };
    let considered = nodes(&mut stage);
    stage.act(&[Palette]).type_in("sort -why, or where");
    let tasks = asked(&mut stage, Accept);
    let seen = stage.see();
    assert!(seen.contains("sorting ... · sort why, or where ▾"), "{seen}");
    assert_eq!(nodes(&mut stage), considered, "they stay as they are until then");
    assert_eq!(tasks.iter().filter(|task| task.description() == WORDS).count(), 1);
    for task in tasks {
        stage.compute(task);
    }
    let down = nodes(&mut stage);
    assert!(!stage.see().contains("sorting ..."), "{}", stage.see());
    assert!(down.len() > 5 && down.is_sorted_by(|a, b| a > b), "{down:?}");
    assert!(!considered.is_sorted_by(|a, b| a > b), "{considered:?}");
    // The words are at hand from then on.
    stage.act(&[SortReverse]);
    assert!(!stage.see().contains("sorting ..."), "{}", stage.see());
    assert_eq!(stage.computed(WORDS), 1);
}

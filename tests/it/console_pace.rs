//! Snapshots that arrive faster than they are analysed: a running analysis is finished and shown with its moment.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::task::Task;
use qscope::console::views::Effect;
use qscope::session::{Generation, SessionEvent};

use crate::console_cycle::{Stage, read};

/// Returns the sample as read at a moment, `number` minutes later.
fn campus(number: u64) -> Arc<Generation> {
    let generation = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus"), number);
    let mut later = (*generation.snapshot).clone();
    later.now = Epoch(later.now.0 + 60 * i64::try_from(number).unwrap());
    let run = qscope::cycle::run_cycle(Arc::new(later), generation.run.plan.quirks);
    let snapshot = run.plan.snap.clone();
    Arc::new(Generation { number, snapshot, run: Arc::new(run).into(), ..(*generation).clone() })
}

/// Returns a console that keeps the pace, and the computations of its first snapshot, which no worker has taken yet.
fn under_way() -> (Stage, Vec<Task>) {
    let mut stage = Stage::empty(120, 40, campus(1).snapshot.now);
    stage.app.limit_analysis_rate();
    let tasks = load(&mut stage, 1);
    assert!(!tasks.is_empty());
    (stage, tasks)
}

fn load(stage: &mut Stage, number: u64) -> Vec<Task> {
    tasks_of(stage, AppInput::Message(SessionEvent::Loaded(campus(number)).into()))
}

fn tasks_of(stage: &mut Stage, input: AppInput<qscope::console::shell::ShellMessage>) -> Vec<Task> {
    let effects = stage.app.update(input).effects.into_iter();
    effects.filter_map(|effect| if let Effect::Compute(task) = effect { Some(task) } else { None }).collect()
}

fn number(stage: &Stage) -> u64 {
    stage.app.screen().unwrap().generation.number
}

#[test]
fn what_is_under_way_is_finished_while_newer_snapshots_are_shown() {
    let (mut stage, tasks) = under_way();
    assert_eq!(load(&mut stage, 2), Vec::<Task>::new(), "given up for a newer one");
    assert_eq!(number(&stage), 2);
    assert!(stage.see().contains("analysed at "), "{}", stage.see());
    // Workers finish it, and it is shown with its moment.
    for task in tasks {
        stage.compute(task);
    }
    let seen = stage.see();
    assert!(seen.contains("jobs wait ·") && seen.contains("analysed at "), "{seen}");
    assert!(!seen.contains("analysed 0 of"), "{seen}");
}

#[test]
fn a_screen_that_stands_still_is_analysed_at_once() {
    let (mut stage, _under_way) = under_way();
    load(&mut stage, 2);
    assert!(!tasks_of(&mut stage, AppInput::Action(Action::Freeze)).is_empty());
    assert!(!stage.see().contains("analysed at "), "{}", stage.see());
}

/// Changing views does not restart the analysis each time.
#[test]
fn a_view_that_is_opened_shows_what_is_under_way() {
    let (mut stage, tasks) = under_way();
    load(&mut stage, 2);
    assert!(stage.app.update(AppInput::Action(Action::Board)).changed);
    assert!(stage.see().contains("analysed at "), "{}", stage.see());
    for task in tasks {
        stage.compute(task);
    }
    assert!(stage.see().contains("analysed at "), "over, and young");
}

/// Without a pace each snapshot is analysed, as it is when moments are walked through.
#[test]
fn what_is_asked_for_is_analysed_at_once() {
    let (mut stage, _under_way) = under_way();
    load(&mut stage, 2);
    let tasks = tasks_of(&mut stage, AppInput::Action(Action::OlderSnapshot));
    assert_eq!(number(&stage), 1);
    assert!(!tasks.is_empty() && !stage.see().contains("analysed at "), "{}", stage.see());
}

/// Returns the tasks of a view for a selected job, and those that the next snapshot requests for it.
fn in_a_view(keys: &[Action], what: &str) -> (Stage, Vec<Task>, Vec<Task>) {
    let (mut stage, _first) = under_way();
    stage.act(&[Action::Palette]).type_in("job 16");
    stage.act(&[Action::Accept]);
    let mut tasks: Vec<Task> =
        keys.iter().flat_map(|key| tasks_of(&mut stage, AppInput::Action(*key))).collect();
    tasks.retain(|task| task.description().starts_with(what));
    let mut more = load(&mut stage, 2);
    more.retain(|task| task.description().starts_with(what));
    (stage, tasks, more)
}

/// Performs a request to a worker, but none of the requests that follow: they take their own time.
fn finish(stage: &mut Stage, task: Task) {
    let received = std::cell::RefCell::new(Vec::new());
    task.run(&|news| received.borrow_mut().push(news));
    drop(task);
    for news in received.into_inner() {
        tasks_of(stage, AppInput::Message(news.into()));
    }
}

#[test]
fn the_calendar_goes_on_to_find_where_the_selected_job_fits() {
    // What was found is shown with its moment until the workers have rested, which is some milliseconds: a machine that is
    // busy elsewhere may not draw it in time.
    let shows_it = |_| {
        let (mut stage, tasks, more) = in_a_view(&[Action::View6], "where the selected job fits");
        assert_eq!((tasks.len(), more.len()), (1, 0));
        assert!(stage.see().contains("selected 16: computing"), "{}", stage.see());
        for task in tasks {
            finish(&mut stage, task);
        }
        let seen = stage.see();
        assert!(seen.contains("selected 16: fits"), "{seen}");
        seen.contains(", analysed at ")
    };
    assert!((0..20).any(shows_it));
}

/// Returns a cluster with more nodes than are examined before a picture, and jobs that some of them fit.
fn wide() -> Arc<Generation> {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"n[00000-30000]\"\navailable = { ncpus = 16, mem = \"64gb\" }\n";
    let mut jobs = "now = 1763700000\n[[queue]]\nname = \"workq\"\n".to_owned();
    for (id, select) in [(1, "1:ncpus=4"), (2, "40000:ncpus=1:mem=60gb"), (3, "2:ncpus=16")] {
        jobs.push_str(&format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"{select}\"\nplace = \"scatter\"\n\
             walltime = \"06:00:00\"\n"
        ));
    }
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.path().join("queue.toml"), jobs).unwrap();
    read(folder.path(), 1)
}

#[test]
fn on_many_nodes_a_step_has_its_picture_before_its_nodes_are_examined_again() {
    let wide = wide();
    let mut stage = Stage::empty(120, 40, wide.snapshot.now);
    stage.load(wide);
    let at_once = Some(Duration::ZERO);
    // Two keys before the program has time: of the last one the picture.
    stage.act(&[Action::StepForward, Action::StepForward]);
    assert_eq!(stage.app.wake_in(), at_once);
    let first = stage.see();
    assert!(first.contains("examining 30001 vnodes ..."), "{first}");
    stage.feed(AppInput::Tick);
    let seen = stage.see();
    assert!(!seen.contains("examining") && seen.contains("no equal job has failed"), "{seen}");
    assert_ne!(stage.app.wake_in(), at_once);
    // There and back it is to be examined anew, and a tick with nothing to examine changes nothing.
    stage.act(&[Action::StepForward, Action::StepBack]);
    assert!(stage.see().contains("examining 30001 vnodes ..."));
    stage.feed(AppInput::Tick);
    let again = stage.see();
    assert!(again.contains("no equal job has failed"), "{again}");
    stage.feed(AppInput::Tick);
    assert_eq!(stage.see(), again);
}

/// An answer for a page that is not on the screen any more arrives after a snapshot with fewer jobs.
#[test]
fn an_answer_about_a_larger_snapshot_is_not_taken_for_the_smaller_one() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    let job = |id: usize| {
        format!("[[job]]\nid = \"{id}\"\nqueue = \"q\"\nselect = \"1:ncpus=2\"\nwalltime = \"1:00:00\"\n")
    };
    let queue = |jobs: usize| {
        let jobs: String = (1..=jobs).map(job).collect();
        format!("now = 1763700000\n[[queue]]\nname = \"q\"\n{jobs}")
    };
    put("queue.toml", &queue(20));
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    stage.act(&[Action::View3, Action::Home]);
    let tasks = tasks_of(&mut stage, AppInput::Action(Action::Select));
    assert!(!tasks.is_empty(), "{}", stage.see());
    stage.act(&[Action::View8]);
    put("queue.toml", &queue(3));
    stage.load(read(folder.path(), 2));
    for task in tasks {
        stage.compute(task);
    }
    let seen = stage.act(&[Action::View3]).see();
    assert!(seen.contains("Jobs · 3"), "{seen}");
}

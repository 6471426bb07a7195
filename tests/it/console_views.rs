//! The views other than the cycle, and the links between them.

use std::sync::Arc;

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::{Effect, ViewName};
use qscope::session::SchedLogLocation;
use qscope::session::agreement::Agreement;

use crate::console_cycle::{Stage, read};
use crate::real;
use Action::{Back, Close, Copy, Down, Filter, Forward, Palette, Select, StepForward, View1, View9};

/// Opens a view by its name, as `:` does.
pub(crate) fn open(stage: &mut Stage, view: ViewName) {
    stage.act(&[Palette]).type_in(view.word());
    stage.act(&[Action::Accept]);
    assert_eq!(stage.app.view(), view);
}

#[test]
fn every_view_opens_draws_at_every_size_and_goes_back() {
    for view in ViewName::ALL.iter().copied().filter(|view| *view != ViewName::Cycle) {
        for (width, height) in [(80, 24), (200, 60), (40, 10), (60, 16), (300, 90)] {
            let mut stage = Stage::open("campus", width, height);
            open(&mut stage, view);
            stage.act(&[StepForward, Down, Select, Back, Back]);
            stage.see();
        }
        let mut stage = Stage::open("sets-8", 120, 30);
        open(&mut stage, view);
        assert!(stage.see().contains(view.title()), "{}", stage.see());
        stage.act(&[Back]);
        assert_eq!(stage.app.view(), ViewName::Cycle);
        stage.act(&[Forward]);
        assert_eq!(stage.app.view(), view);
        // A view with a number key is a place of its own, which Esc does not leave.
        stage.act(&[Close]);
        let stays = view.number().is_some() && view != ViewName::Why;
        assert_eq!(stage.app.view(), if stays { view } else { ViewName::Cycle });
    }
}

/// Between the moment when a terminal is made smaller and the event that reports it, the screen is laid out for its
/// previous size.
#[test]
fn every_view_draws_what_fits_while_its_terminal_is_made_smaller() {
    for view in ViewName::ALL.iter().copied() {
        for (sample, width, height) in [("campus", 80, 24), ("calendar", 200, 60)] {
            let mut stage = Stage::open(sample, width, height);
            if view != ViewName::Cycle {
                open(&mut stage, view);
            }
            stage.act(&[StepForward]);
            let heights = [0, 1, 2, 3, 5, height / 4, height / 2, height - 2, height - 1];
            for across in [0, 1, 2, 5, width / 4, width / 2, width - 1, width] {
                for down in heights {
                    stage.resized(across, down);
                    stage.see();
                }
            }
        }
    }
}

#[test]
fn the_buckets_follow_the_steps_and_lead_to_their_nodes() {
    let mut stage = Stage::open("campus", 80, 24);
    open(&mut stage, ViewName::Buckets);
    stage.act(&[StepForward, StepForward, Down]);
    stage.screen("buckets-80x24");
    let Some(Effect::Copy(_, bucket)) = stage.app.update(AppInput::Action(Copy)).effects.pop() else {
        panic!("nothing is copied")
    };
    assert!(bucket.as_str().contains("ncpus="), "{bucket}");
    stage.act(&[Filter]).type_in("no such bucket");
    assert!(stage.see().contains("No match. Esc clears"));
    stage.act(&[Close, Select]);
    assert_eq!(stage.app.view(), ViewName::Page);
    assert!(stage.see().contains("Bucket ") && stage.see().contains(" ncpus left"), "{}", stage.see());
    stage.act(&[Back]);
    assert_eq!(stage.app.view(), ViewName::Buckets);
}

#[test]
fn every_view_is_useful_on_small_and_large_screens() {
    for (width, height) in [(80, 24), (200, 60)] {
        for (view, sample) in [
            (ViewName::Nodes, "campus"),
            (ViewName::Pools, "sets-8"),
            (ViewName::Queue, "campus"),
            (ViewName::Calendar, "calendar"),
        ] {
            let mut stage = Stage::open(sample, width, height);
            open(&mut stage, view);
            stage.act(&[StepForward, Down]);
            stage.screen(&format!("view-{}-{width}x{height}", view.word()));
        }
    }
}

#[test]
fn idle_buckets_say_why_with_the_share_of_every_rule() {
    let mut stage = Stage::open("idle-buckets", 80, 24);
    open(&mut stage, ViewName::Buckets);
    stage.screen("idle-buckets-80x24");
    assert!(stage.see().contains("buckets are unused: 3 jobs"), "{}", stage.see());
}

#[test]
fn a_node_leads_to_its_page_and_its_jobs_and_a_queue_to_its_jobs() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Palette]).type_in("node n015");
    stage.act(&[Action::Accept]);
    assert_eq!(stage.app.view(), ViewName::Page);
    stage.screen("page-node-80x24");
    while !stage.see().contains("▸starts") {
        stage.act(&[Down]);
    }
    stage.act(&[Select]);
    assert!(stage.see().contains("Job 6 "), "{}", stage.see());
    stage.screen("page-job-80x24");
    stage.act(&[Back]);
    assert!(stage.see().contains("Node n015"), "{}", stage.see());
    stage.act(&[Palette]).type_in("queue special");
    stage.act(&[Action::Accept]);
    assert!(stage.see().contains("Queue special"), "{}", stage.see());
    while !stage.see().contains("▸jobs") {
        stage.act(&[Down]);
    }
    stage.act(&[Select]);
    assert_eq!(stage.app.view(), ViewName::Cycle);
    assert!(stage.see().contains("/queue=\"special\""), "{}", stage.see());
}

/// The page of a node has its conditions for the selected job, its neighbours, and its timeline (console.md 3, Node
/// page).
#[test]
fn a_node_page_tests_the_selected_job_and_shows_neighbours_and_time() {
    let mut stage = Stage::open("campus", 200, 60);
    stage.act(&[Palette]).type_in("job 16");
    stage.act(&[Action::Accept, Palette]).type_in("node n025");
    stage.act(&[Action::Accept]);
    let screen = stage.see();
    for part in ["Conditions for a chunk of 16", "✗", "Neighbours in its bucket", "Nodes × time"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
}

#[test]
fn the_palette_finds_a_job_by_its_number() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Palette]).type_in("job 6");
    stage.screen("palette-80x24");
    stage.act(&[Action::Accept]);
    assert_eq!(stage.subject(), "6.head1");
    stage.act(&[Back]);
    assert_eq!(stage.subject(), "28.head1");
}

#[test]
fn number_keys_open_what_there_is_and_say_what_there_is_not() {
    let mut stage = Stage::open("sets-8", 80, 24);
    if ViewName::numbered(9).is_none() {
        stage.act(&[View9]);
        assert!(stage.see().contains("there is no view 9"), "{}", stage.see());
    }
    stage.act(&[View1]);
    assert_eq!(stage.app.view(), ViewName::Cycle);
}

#[test]
fn the_list_of_files_gives_way_to_a_view_and_its_own_key_closes_it() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::Files, Action::View5]).see();
    assert!(seen.contains("Queues after this cycle") && !seen.contains("Files and clients"), "{seen}");
    assert!(stage.act(&[Action::Files]).see().contains("Files and clients"));
    assert!(!stage.act(&[Action::Files]).see().contains("Files and clients"));
}

/// Comments that the scheduler had left, one of them different from the model's, and no other record.
#[test]
fn the_agreement_shows_what_differs_first_and_leads_to_the_job() {
    let case = real::named("c08");
    let root = case.on_disk();
    let folder = root.path().join("before");
    let path = folder.join("jobs-t.json");
    let dump = std::fs::read_to_string(&path).unwrap();
    let other = dump.replace("No available resources on nodes", "Queue not started.");
    assert_ne!(dump, other);
    std::fs::write(&path, other).unwrap();
    let mut generation = (*read(&folder, 1)).clone();
    generation.agreement =
        Some(Arc::new(Agreement::new(&generation.run, &SchedLogLocation::Folder(folder.clone()), 10)));
    let generation = Arc::new(generation);
    let mut stage = Stage::empty(100, 24, generation.snapshot.now);
    stage.load(generation.clone());
    assert!(stage.see().contains("agrees 1/2"), "{}", stage.see());
    let mut stage = Stage::empty(80, 24, generation.snapshot.now);
    stage.load(generation);
    open(&mut stage, ViewName::Agreement);
    stage.screen("agreement-80x24");
    stage.act(&[Filter]).type_in("equal");
    stage.act(&[Action::Accept]);
    assert!(!stage.see().contains("differs"), "{}", stage.see());
    stage.act(&[Close, Action::Home, Select]);
    assert_eq!(stage.app.view(), ViewName::Cycle);
    assert_eq!(stage.subject(), "110.pbs01");
}

/// Queue, jobs, and the queue below an answer have the same planned starts: they are computed only once.
#[test]
fn planned_starts_are_computed_once_for_all_views() {
    let mut stage = Stage::open("campus", 200, 60);
    stage.act(&[Action::LastStep, Action::View3, Action::View7, Action::View1]);
    assert_eq!(stage.computed("when waiting jobs start"), 1);
    stage.act(&[Action::View3]);
    assert!(stage.see().contains(" ~0"), "{}", stage.see());
}

/// Console.md 2.2: the selected job is the same in the whole program. Viewing the list of jobs selects none; moving
/// the cursor to one does, also for the answer.
#[test]
fn a_job_chosen_in_the_list_is_the_one_that_why_explains() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View7]);
    let before = stage.see().lines().nth(2).unwrap_or_default().to_owned();
    assert!(before.contains(" does not "), "{before}");
    let seen = stage.act(&[View1, Action::View3, Action::View7]).see();
    assert!(seen.contains(&before), "{seen}");
    let seen = stage.act(&[Action::View3, Action::End]).see();
    let last = seen.lines().find_map(|line| line.strip_prefix("┃▸")?.split(' ').next()).unwrap().to_owned();
    let seen = stage.act(&[Action::View7]).see();
    assert!(
        seen.contains(&format!("Why {last} does not run"))
            || seen.contains(&format!(" {last} does not wait"))
    );
    assert!(!seen.contains(&before), "{seen}");
}

/// A node that one job uses exclusively is full although cpus are left: the table names the job. A queue without jobs
/// has none to explain.
#[test]
fn a_node_taken_whole_names_its_job_and_an_empty_queue_no_why() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("nodes.toml", "[[node]]\nname = \"n[1-3]\"\navailable = { ncpus = 16 }\n");
    let job = |id: u8, more: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\n\
             place = \"excl\"\nwalltime = \"01:00:00\"\n{more}"
        )
    };
    let runs = job(1, "started = \"-00:10:00\"\non = \"(n1:ncpus=4)\"\n");
    let queues = "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"unused\"\n";
    write("queue.toml", &format!("{queues}{runs}{}", job(2, "")));
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    stage.act(&[Action::View2, Action::Toggle]);
    let row = |seen: &str, node: &str| {
        seen.lines().find(|line| line.contains(&format!("{node} "))).unwrap_or_default().to_owned()
    };
    let seen = stage.see();
    assert!(row(&seen, "n1").contains("taken whole by 1"), "{seen}");
    assert!(!row(&seen, "n2").contains("taken whole"), "{seen}");
    stage.act(&[Action::StepForward]);
    let seen = stage.see();
    assert!(row(&seen, "n2").contains("taken whole by 2"), "{seen}");
    stage.act(&[Action::View5, Action::End]);
    let seen = stage.see();
    assert!(seen.contains("┌ unused") && !seen.contains("a: why"), "{seen}");
    stage.act(&[Action::Up]);
    assert!(stage.see().contains("Enter: queue page"), "{}", stage.see());
}

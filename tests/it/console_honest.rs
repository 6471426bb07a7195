//! Missing, old and contradictory data: each screen, `!` and `qscope check` state what is known, and what is not.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use qscope::cluster::{Edit, Epoch, JobState, NodeState, NodeStates};
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::Effect;
use qscope::cycle::run_cycle;
use qscope::session::{Generation, Opening, OpeningOrigin, SubstituteFile, load_generation};
use qscope::source::LoadOptions;
use qscope::universe::Quirks;

use crate::console_cycle::{Stage, line, sample};
use crate::console_faults::stage;
use crate::real;
use crate::record::{run, three_minutes};

fn first_line(seen: &str) -> String {
    seen.lines().next().unwrap_or_default().to_owned()
}

/// The dumps of c04 in a folder, without the moment that was recorded beside them.
fn dumps() -> (tempfile::TempDir, std::path::PathBuf) {
    let disk = real::named("c04").on_disk();
    let folder = disk.path().join("before");
    fs::remove_file(folder.join("now")).unwrap();
    (disk, folder)
}

/// A file that went and whose other form is read is a problem of its own, with the command that makes it again.
#[test]
fn a_file_that_another_one_stands_in_for_is_a_problem() {
    let one = SubstituteFile { previous_file: "jobs-t.json".into(), used: "jobs.json".into() };
    let generation = Generation { substitutes: [one].into(), ..(*sample("campus")).clone() };
    let mut stage = Stage::empty(160, 40, generation.snapshot.now);
    stage.load(Arc::new(generation));
    assert!(stage.see().contains("! jobs-t.json is gone: jobs.json is read"), "{}", stage.see());
    let seen = stage.act(&[Action::Warnings]).see();
    let row = line(&seen, "~ file gone");
    assert!(row.contains("jobs-t.json") && row.contains("jobs.json is read instead"), "{seen}");
    assert!(row.contains("qstat -f -t -F json > jobs-t.json"), "{seen}");
}

/// A file that goes or comes back brings no newer data, so that the moment stays a snapshot; only data that came and
/// stopped coming are stale, which Problems explains, and which ends with the next ones.
#[test]
fn only_data_that_stopped_coming_are_stale() {
    let generation = sample("campus");
    let aged = |number, seconds: i64| {
        let mut snapshot = (*generation.snapshot).clone();
        snapshot.now = Epoch(snapshot.now.0 + seconds);
        snapshot.now_source = "timestamp of jobs.json".to_owned();
        Arc::new(Generation { number, snapshot: Arc::new(snapshot), ..(*generation).clone() })
    };
    let mut stage = Stage::empty(160, 40, Epoch(generation.snapshot.now.0 + 7200));
    stage.load(aged(1, 0));
    stage.load(aged(2, 1));
    assert!(first_line(&stage.see()).contains("SNAPSHOT"), "{}", stage.see());
    stage.load(aged(3, 600));
    assert!(first_line(&stage.see()).contains("STALE"), "{}", stage.see());
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(line(&seen, "~ old data").contains("STALE: data of "), "{seen}");
    assert!(line(&seen, "~ old data").contains("until then new data came every "), "{seen}");
    stage.load(aged(4, 7200));
    assert!(first_line(&stage.see()).contains("LIVE"), "{}", stage.see());
}

/// Times inside of dumps and times of files are not compared: a copy has a new time.
#[test]
fn a_copied_dump_is_not_days_apart_from_the_others() {
    let (_disk, folder) = dumps();
    fs::remove_file(folder.join("nodes.json")).unwrap();
    fs::write(folder.join("nodes.txt"), "cn001\n     Mom = cn001\n     state = free\n\n").unwrap();
    let load = || Stage::open_at(&folder, 160, 40);
    assert!(!first_line(&load().see()).contains("skew"), "{}", load().see());
    let page = run(&["check", folder.to_str().unwrap()], &folder).0;
    assert!(!page.contains("skew:"), "{page}");
    // Written an hour after the other: all three agree.
    let file = fs::File::options().write(true).open(folder.join("nodes.txt")).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(3600)).unwrap();
    let page = run(&["check", folder.to_str().unwrap()], &folder).0;
    assert!(page.contains("nodes 1h00 newer than jobs"), "{page}");
    assert!(page.contains("* skew: jobs-t.json"), "{page}");
    let opening =
        Opening { load: LoadOptions::in_zone("UTC"), ..Opening::of(OpeningOrigin::Folder(folder.clone())) };
    let generation = Arc::new(load_generation(&opening, 1).unwrap());
    let mut stage = Stage::empty(200, 40, generation.snapshot.now);
    stage.load(generation);
    assert!(first_line(&stage.see()).contains("! nodes 1h00 newer than jobs"), "{}", stage.see());
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(seen.contains("s before nodes.txt; expected at most 30"), "{seen}");
}

/// An old dump of the queues is a warning in the first line too.
#[test]
fn an_old_dump_of_queues_is_in_the_first_line() {
    let (_disk, folder) = dumps();
    let queues = fs::read_to_string(folder.join("queues.json")).unwrap();
    let at = queues.find("\"timestamp\":").unwrap() + "\"timestamp\":".len();
    let digits: String = queues[at..].chars().filter(char::is_ascii_digit).take(10).collect();
    let older = (digits.parse::<i64>().unwrap() - 7200).to_string();
    fs::write(folder.join("queues.json"), queues.replacen(&digits, &older, 1)).unwrap();
    let seen = Stage::open_at(&folder, 200, 40).see();
    assert!(first_line(&seen).contains("! dumps 2h apart"), "{seen}");
}

/// The last line of `qscope check` does not hide what is missing or assumed.
#[test]
fn a_check_ends_with_what_is_missing_or_assumed() {
    let (_disk, folder) = dumps();
    let last = |page: &str| {
        let lines: Vec<&str> = page.lines().collect();
        lines[lines.len() - 2].to_owned()
    };
    let check = || run(&["check", folder.to_str().unwrap()], &folder).0;
    let nodes = fs::read(folder.join("nodes.json")).unwrap();
    fs::remove_file(folder.join("nodes.json")).unwrap();
    let page = check();
    assert_eq!(last(&page), "the nodes are missing: no file of them", "{page}");
    let assumed = page.split("\nassumed").nth(1).unwrap_or_else(|| panic!("{page}"));
    assert!(assumed.contains("* no-nodes: nodes.json"), "{page}");
    assert!(
        assumed.contains("not there; assumed no nodes: what needs them is not known (nor nodes.txt)"),
        "{page}"
    );
    assert!(assumed.contains("fix: pbsnodes -av -F json > nodes.json"), "{page}");
    fs::write(folder.join("nodes.json"), nodes).unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with("jobs") {
            fs::remove_file(path).unwrap();
        }
    }
    let page = check();
    assert_eq!(last(&page), "the jobs are missing: no file of them", "{page}");
    assert!(page.contains("not there; assumed no jobs (nor jobs-t.txt, jobs.json, jobs.txt)"), "{page}");
    let of_sample = run(&["check", "samples/sets-8"], Path::new(env!("CARGO_MANIFEST_DIR"))).0;
    assert_eq!(last(&of_sample), "everything was read, some of it repaired or assumed", "{of_sample}");
}

/// With nodes dumped after the jobs started and jobs dumped before, no start is ruled out.
#[test]
fn a_race_between_two_dumps_is_no_never() {
    let disk = real::named("c04").on_disk();
    let (before, after) = (disk.path().join("before"), disk.path().join("after"));
    fs::copy(after.join("nodes.json"), before.join("nodes.json")).unwrap();
    let text = run(&["why", "57", before.to_str().unwrap()], disk.path()).0;
    assert!(!text.contains("never, as configured"), "{text}");
    assert!(text.contains("no start found: 14 cycles run forward to the last event"), "{text}");
    assert!(text.contains("hold nodes by the node dump and do not run by the job dump"), "{text}");
    let mut stage = Stage::open_at(&before, 120, 40);
    let seen = stage.command("node cn018").see();
    assert!(!seen.contains("in 0s") && line(&seen, "┃ state ").contains("(now)"), "{seen}");
}

/// A time before the first snapshot shows the first one and a message; each one has its place in the recording.
#[test]
fn a_time_before_the_recording_opens_the_first_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    three_minutes(&folder.path().join("rec"));
    let load = LoadOptions::in_zone("UTC");
    let opening =
        Opening { load, ..Opening::of(OpeningOrigin::of(&[folder.path().join("rec")], None).unwrap()) };
    let mut stage = Stage::on(opening, 120, 40);
    assert!(first_line(&stage.see()).contains("REPLAY 21 Nov 08:02  · snapshot 3 of 3"), "{}", stage.see());
    let seen = stage.command("at 08:01").see();
    assert!(first_line(&seen).contains("· snapshot 2 of 3"), "{seen}");
    assert!(seen.contains("snapshot of 08:01:00"), "{seen}");
    let seen = stage.command("at #1").see();
    assert!(first_line(&seen).contains("· snapshot 1 of 3"), "{seen}");
    let seen = stage.command("at 2025-11-21 09:01:00 +01:00").see();
    assert!(first_line(&seen).contains("· snapshot 2 of 3"), "{seen}");
    let seen = stage.command("at 1763712120").see();
    assert!(first_line(&seen).contains("· snapshot 3 of 3"), "{seen}");
    assert!(seen.contains("snapshot of 08:02:00"), "{seen}");
    let seen = stage.command("at 15:00").see();
    assert!(seen.contains("nothing was recorded after 08:02:00, the last snapshot"), "{seen}");
    let seen = stage.command("at first").see();
    assert!(first_line(&seen).contains("· snapshot 1 of 3"), "{seen}");
    let seen = stage.command("at 07:00").see();
    assert!(first_line(&seen).contains("REPLAY 21 Nov 08:00  · snapshot 1 of 3"), "{seen}");
    assert!(seen.contains("nothing was recorded before 08:00:00, the first snapshot"), "{seen}");
}

/// Old data have their date in the first line, at a step too.
#[test]
fn the_first_line_of_a_step_has_the_date_of_old_data() {
    let generation = sample("campus");
    let mut stage = Stage::empty(200, 60, Epoch(generation.snapshot.now.0 + 9 * 86_400));
    stage.load(generation);
    let seen = stage.act(&[Action::StepForward]).see();
    assert!(first_line(&seen).contains("· data 11-21 01:57:26"), "{seen}");
}

/// Only a command is copied as the fix.
#[test]
fn only_a_command_is_copied_as_the_fix() {
    let copied = |stage: &mut Stage| {
        let update = stage.app.update(AppInput::Action(Action::Copy));
        update.effects.into_iter().find_map(|effect| match effect {
            Effect::Copy(_, clip) => Some(format!("{clip:?}")),
            _ => None,
        })
    };
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.act(&[Action::Warnings, Action::Down]).see();
    assert!(seen.contains("y: copy the fix"), "{seen}");
    let clip = copied(&mut stage).unwrap();
    assert!(clip.contains("qstat -f 40") && !clip.contains("restart"), "{clip}");
    let mut stage = Stage::open("sets-8", 120, 40);
    let seen = stage.act(&[Action::Warnings, Action::Down]).see();
    assert!(line(&seen, "┃▸").contains("a table [sched_config] in policy.toml"), "{seen}");
    assert!(seen.contains("y: copy the text") && !seen.contains("copy the fix"), "{seen}");
    let clip = copied(&mut stage).unwrap();
    assert!(clip.contains("no [sched_config]"), "{clip}");
}

/// A number opens its view from the box of files too.
#[test]
fn numbers_open_their_views_from_the_box_of_files() {
    let mut stage = Stage::open("campus", 120, 40);
    assert!(stage.act(&[Action::Files]).see().contains("Files and clients"));
    let key = KeyEvent::new(KeyCode::Char('2'), KeyModifiers::NONE);
    let action = stage.app.keymap().resolve(stage.app.context(), key).unwrap();
    let seen = stage.act(&[action]).see();
    assert!(!seen.contains("Files and clients") && seen.contains("┏ Nodes"), "{seen}");
}

/// A job that keeps its node is in the job dump or it is not.
#[test]
fn a_node_kept_by_a_job_of_the_dump_has_its_state() {
    let generation = sample("campus");
    let snapshot = &generation.snapshot;
    let job = snapshot.jobs.iter().find(|job| job.state == JobState::Queued).unwrap().name.clone();
    let id = snapshot.node_named("n028").unwrap();
    let mut node = snapshot.nodes[id].clone();
    node.jobs = vec![job.clone()];
    node.states = NodeStates::FREE.with(NodeState::JobExclusive);
    let snapshot = snapshot.with(&[Edit::Node(id, Box::new(node))]);
    let run = run_cycle(Arc::new(snapshot), Quirks::default());
    let snapshot = run.plan.snap.clone();
    let generation = Generation { snapshot, run: Arc::new(run).into(), ..(*generation).clone() };
    let mut stage = Stage::empty(200, 60, generation.snapshot.now);
    stage.load(Arc::new(generation));
    let seen = stage.act(&[Action::View2, Action::Toggle]).see();
    let short = job.split('.').next().unwrap();
    assert!(line(&seen, " n028 ").contains(&format!("kept by job {short}, Q in the job dump")), "{seen}");
}

/// The pane of the node under the cursor leaves out starts that a later step preempted, as the table of nodes does.
#[test]
fn the_pane_of_a_node_leaves_out_preempted_starts() {
    let folder = crate::ran::folder_of(&crate::turns::comes_again());
    let mut stage = Stage::open_at(folder.path(), 200, 60);
    // The pane has the nodes as the step found them.
    let seen = stage.act(&[Action::StepForward; 3]).see();
    assert!(seen.contains("jobs 1 (started)"), "{seen}");
    let seen = stage.act(&[Action::StepForward]).see();
    assert!(seen.contains("3 (started)") && !seen.contains("1 (started)"), "{seen}");
}

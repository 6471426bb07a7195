//! A verdict that could change with a fact that no file shows is marked in every row; one that could not is not
//! marked.

use std::path::Path;

use qscope::console::action::Action;

use crate::console_cycle::{Stage, read};

/// Writes the sample as an ordinary user has it: without the scheduler's own files.
fn as_a_user() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    for entry in std::fs::read_dir(sample).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap();
        if name != "sched_config" && name != "sched.txt" {
            std::fs::copy(&from, folder.path().join(name)).unwrap();
        }
    }
    folder
}

/// Returns the line of a job in a list: it also has a user, since words of other panes contain ids.
fn row(seen: &str, job: &str) -> String {
    let words = |line: &str| -> Vec<String> {
        line.split_whitespace().map(|word| word.trim_start_matches(['│', '┃', '▸']).to_owned()).collect()
    };
    let is_row = |line: &&str| {
        let words = words(line);
        words.iter().any(|word| word == job)
            && ["ann", "bob", "cara"].iter().any(|user| words.iter().any(|word| word == user))
    };
    seen.lines().find(is_row).unwrap_or_else(|| panic!("{job}: {seen}")).to_owned()
}

#[test]
fn likely_verdicts_are_marked_in_queue_jobs_and_page() {
    let folder = as_a_user();
    for (width, height) in [(80, 24), (200, 60)] {
        let generation = read(folder.path(), 1);
        let mut stage = Stage::empty(width, height, generation.snapshot.now);
        stage.load(generation);
        assert!(row(&stage.see(), "28").contains("run?"), "{}", stage.see());
        assert!(stage.see().contains(" · ?: could turn"), "{}", stage.see());
        stage.act(&[Action::View3]);
        let seen = stage.see();
        assert!(row(&seen, "28").contains("run?") && row(&seen, "10").contains("wait?"), "{seen}");
        stage.act(&[Action::Down, Action::Down, Action::Down, Action::Select]);
        assert!(
            stage.see().contains("likely: it could turn with a fact that no file shows"),
            "{}",
            stage.see()
        );
    }
}

/// A request for more nodes than exist: no setting changes that. If every fact was seen, nothing is marked.
#[test]
fn what_no_setting_can_turn_is_stated() {
    let folder = as_a_user();
    let generation = read(folder.path(), 1);
    let mut stage = Stage::empty(200, 60, generation.snapshot.now);
    stage.load(generation);
    let seen = stage.see();
    assert!(row(&seen, "14").contains("never ") && row(&seen, "13").contains("never?"), "{seen}");
    let seen = Stage::open("campus", 200, 60).see();
    assert!(
        row(&seen, "28").contains("run ") && !seen.contains("wait?") && !seen.contains("could turn"),
        "{seen}"
    );
}

/// If no verdict can be given, the screen states why, and shows the plain facts.
#[test]
fn the_plain_facts_stand_below_why_there_is_no_verdict() {
    use qscope::session::{Session, SessionEvent, open};
    let opening = |folder: &Path| qscope::session::Opening {
        load: qscope::source::LoadOptions::in_zone("UTC"),
        ..qscope::session::Opening::of(qscope::session::OpeningOrigin::Folder(folder.to_owned()))
    };
    let message = |folder: &Path| {
        let (send, events) = std::sync::mpsc::channel();
        let _session: Session = open(opening(folder), move |event| send.send(event).is_ok()).unwrap();
        loop {
            let event = events.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
            if let SessionEvent::Failed { message, .. } = event {
                return message;
            }
        }
    };
    let torque = message(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/sites/torque-text"));
    assert!(torque.contains("no verdict is given") && torque.contains("\n3 nodes: "), "{torque}");
    let jobs = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    for name in ["jobs-t.json", "now"] {
        std::fs::copy(sample.join(name), jobs.path().join(name)).unwrap();
    }
    let jobs = message(jobs.path());
    assert!(
        jobs.contains("no nodes file") && jobs.contains("running, ") && jobs.contains("10.head1"),
        "{jobs}"
    );
    let mut stage = Stage::empty(80, 24, qscope::cluster::Epoch(0));
    let failed =
        SessionEvent::Failed { message: jobs, missing_file: None, at: std::time::SystemTime::UNIX_EPOCH };
    stage.feed(qscope::console::app::AppInput::Message(failed.into()));
    let seen = stage.see();
    assert!(seen.contains("no nodes file") && seen.contains("r reads it again"), "{seen}");
    assert!(seen.contains(" waiting\n") && seen.contains("ann        workq"), "{seen}");
}

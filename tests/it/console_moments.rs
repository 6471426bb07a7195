//! The moment on the screen, and the word for it in the first line (console.md 6): recordings, simulations, folders
//! that disappear, data without a time.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;

use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::AppInput;
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::session::{LoadProgress, Opening, OpeningOrigin, SessionEvent, load_generation, open};
use qscope::source::{LoadOptions, RecordState};

use crate::console_cycle::{Stage, read};
use crate::console_program::Program;
use crate::record::{run, three_minutes};

fn first_line(seen: &str) -> String {
    seen.lines().next().unwrap_or_default().to_owned()
}

/// `:at TIME` reads the snapshot of a recording that was current then, and the first one with a message if
/// there was none.
#[test]
fn a_recording_is_walked_by_time() {
    let folder = tempfile::tempdir().unwrap();
    three_minutes(&folder.path().join("rec"));
    let mut program = Program::start_in(folder.path(), &["rec@#1", "--tz", "UTC"], 120, 40);
    let seen = program.wait_for("Queue, in the order");
    assert!(first_line(&seen).contains("REPLAY 21 Nov 08:00"), "{seen}");
    assert!(seen.contains("1 R") && seen.contains("1 Q"), "{seen}");
    program.press(":at 08:02\r");
    let seen = program.wait_for("REPLAY 21 Nov 08:02");
    assert!(!first_line(&seen).contains("BACK") && seen.contains("0 Q"), "{seen}");
    // Between two snapshots the earlier one was current.
    program.press(":at 11-21 08:01:30\r");
    program.wait_for("REPLAY 21 Nov 08:01");
    program.press(":at 07:00\r");
    program.wait_for("nothing was recorded before 08:00:00, the first snapshot");
    let seen = program.wait_for("REPLAY 21 Nov 08:00");
    assert!(!seen.contains("ERROR"), "{seen}");
    program.press("q");
    assert_eq!(program.code(), 0);
}

/// The output of a simulation has its own word, both as a recording and as a folder.
#[test]
fn the_moment_of_a_simulation_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/week");
    let sample = sample.to_str().unwrap();
    let until = (1_763_712_000 + 4_000).to_string();
    let (_, wrong, code) = run(&["simulate", sample, "--until", &until, "--record", "rec"], folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0));
    let (_, wrong, code) = run(&["replay", "rec", "--at", "first", "--into", "moment"], folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0));
    let origins = [
        OpeningOrigin::of(&[folder.path().join("rec@first")], None).unwrap(),
        OpeningOrigin::Folder(folder.path().join("moment")),
    ];
    for origin in origins {
        let load = LoadOptions::in_zone("UTC");
        let opening = Opening { load, ..Opening::of(origin) };
        let generation = std::sync::Arc::new(load_generation(&opening, 1).unwrap());
        let mut stage = Stage::empty(120, 40, generation.snapshot.now);
        stage.load(generation.clone());
        let head = first_line(&stage.see());
        assert!(head.contains("SIM 21 Nov 08:") && !head.contains("REPLAY"), "{head}");
        let mut stage = Stage::empty(80, 24, generation.snapshot.now);
        stage.load(generation);
        assert!(first_line(&stage.see()).contains("SIM 08:"), "{}", stage.see());
        assert!(first_line(&stage.act(&[Action::StepForward]).see()).contains("STEP 1/"));
    }
}

/// A folder that disappears while the console runs is reported, the last good data stays, and its return is noticed.
#[test]
fn a_folder_that_goes_is_named_and_may_come_back() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, away) = (parent.path().join("lab"), parent.path().join("away"));
    std::fs::create_dir(&folder).unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    for entry in std::fs::read_dir(sample).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    let mut program = Program::start_in(parent.path(), &["lab"], 120, 40);
    program.wait_for("Queue, in the order");
    std::fs::rename(&folder, &away).unwrap();
    let seen = program.wait_for("folder is gone");
    assert!(first_line(&seen).contains("STALE"), "{seen}");
    assert!(seen.contains("Queue, in the order"), "the last good data stays\n{seen}");
    std::fs::rename(&away, &folder).unwrap();
    program.wait_until("the folder again", |seen| !first_line(seen).contains("folder is gone"));
    program.press("q");
    assert_eq!(program.code(), 0);
}

/// A cluster without jobs, nodes or any time has no age, and no invented date.
#[test]
fn an_empty_cluster_has_no_age() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    let of_toml = read(folder.path(), 1);
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("nodes.txt"), "n1\n     Mom = n1\n     state = free\n").unwrap();
    std::fs::write(other.path().join("jobs.txt"), "").unwrap();
    for generation in [of_toml, read(other.path(), 1)] {
        for clock in [generation.snapshot.now, Epoch(1_795_305_700)] {
            for (width, height) in [(80, 24), (200, 60)] {
                let mut stage = Stage::empty(width, height, clock);
                stage.load(generation.clone());
                for view in VIEWS {
                    let seen = stage.act(&[view]).see();
                    let old = seen.lines().find(|line| age_in_days(line).is_some_and(|days| days > 2));
                    assert_eq!(old, None, "{view:?}\n{seen}");
                    stage.act(&[Action::Close]);
                }
            }
        }
    }
}

/// The keys of all views with a number or their own box.
pub(crate) const VIEWS: [Action; 13] = [
    Action::View1,
    Action::View2,
    Action::View3,
    Action::View4,
    Action::View5,
    Action::View6,
    Action::View7,
    Action::View8,
    Action::View9,
    Action::Warnings,
    Action::Settings,
    Action::Files,
    Action::Help,
];

/// Returns the number before a `d old`.
fn age_in_days(line: &str) -> Option<u64> {
    let before = line.split_once(" d old").or_else(|| line.split_once("d old"))?.0;
    let digits = before.rsplit(|letter: char| !letter.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Returns whether the body has the line of a file with this many queued jobs.
fn has_line(seen: &str, name: &str, percent: u8, queued: usize) -> bool {
    let unit = if queued == 1 { "job" } else { "jobs" };
    let line = format!(" {percent:>3} %  {queued} {unit:<6}   {queued} queued");
    seen.contains(&line) && seen.contains(name)
}

/// While a large folder is read for the first time, the first line shows the file and the percentage read.
#[test]
fn the_first_reading_shows_how_far_it_has_come() {
    let folder = large_folder();
    let (sender, events) = std::sync::mpsc::channel();
    let load = LoadOptions::in_zone("UTC");
    let origin = OpeningOrigin::Folder(folder.path().to_owned());
    let opening = Opening { load, ..Opening::of(origin) };
    let session = open(opening, move |event| sender.send(event).is_ok()).unwrap();
    let mut stage = Stage::empty(80, 24, Epoch(0));
    let (mut percents, mut counted, mut seen) = (Vec::new(), false, 0);
    loop {
        let event = events.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        let (at, is_over) = match &event {
            SessionEvent::ReadingAt(at) => (Some(at.clone()), false),
            SessionEvent::Loaded(_) => (None, true),
            SessionEvent::Failed { message, .. } => panic!("{message}"),
            _ => (None, false),
        };
        stage.feed(AppInput::Message(event.into()));
        let head = first_line(&stage.see());
        match at {
            Some(LoadProgress::File { name, percent, so_far }) => {
                assert!(head.contains(&format!("READING {name} {percent} %")), "{head}");
                let queued = so_far.records();
                assert!(queued == 0 || has_line(&stage.see(), &name, percent, queued), "{}", stage.see());
                seen += usize::from(queued > 0);
                percents.push(percent);
            }
            Some(LoadProgress::Cycle { nodes, .. }) => {
                assert!(nodes == 3000 && head.contains("READING 3000N"), "{head}");
                counted = true;
            }
            None => {}
        }
        if is_over {
            assert!(!head.contains("READING"), "{head}");
            break;
        }
    }
    drop(session);
    assert!(
        percents.len() > 20 && percents.is_sorted() && counted && seen > 20,
        "{percents:?} {counted} {seen}"
    );
}

/// Writes dumps of some size: 3,000 vnodes, and 20,000 jobs of which one in twenty waits.
fn large_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let nodes: String = (0..3000)
        .map(|node| {
            format!("n{node}\n     Mom = n{node}\n     state = free\n     resources_available.ncpus = 4\n\n")
        })
        .collect();
    let jobs: String = (0..20_000)
        .map(|job| {
            let state = if job % 20 == 0 { 'Q' } else { 'F' };
            format!(
                "Job Id: {job}.svr\n    job_state = {state}\n    Resource_List.ncpus = 1\n    queue = workq\n\n"
            )
        })
        .collect();
    std::fs::write(folder.path().join("nodes.txt"), nodes).unwrap();
    std::fs::write(folder.path().join("jobs.txt"), jobs).unwrap();
    folder
}

/// The body while a large cluster is read: a line for each file, with aligned columns.
#[test]
fn what_was_read_so_far_stands_in_columns() {
    let file = |name: &str, percent, counts: &[(RecordState, usize)]| LoadProgress::File {
        name: name.to_owned(),
        percent,
        so_far: counts.iter().copied().collect(),
    };
    use RecordState as S;
    let nodes = [(S::Free, 61_204), (S::PartUsed, 1_032), (S::Full, 3_418), (S::Out, 97)];
    let jobs = [(S::Running, 318), (S::Queued, 7_004), (S::Held, 12)];
    for glyphs in [GlyphSet::Unicode, GlyphSet::Ascii] {
        let theme = Theme::built_in("default-dark", ThemeOptions { depth: ColorDepth::None, glyphs }).0;
        let mut stage = Stage::empty_in(100, 20, Epoch(0), theme);
        for at in [file("nodes.json", 66, &nodes), file("jobs-t.json", 73, &jobs), file("resvs.txt", 4, &[])]
        {
            stage.feed(AppInput::Message(SessionEvent::ReadingAt(at).into()));
        }
        stage.screen(if glyphs == GlyphSet::Ascii { "so-far-100x20-ascii" } else { "so-far-100x20" });
    }
}

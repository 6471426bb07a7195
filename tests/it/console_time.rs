//! A recording and a simulation in the console: as a whole, by snapshot, and with any cycle opened.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::{Effect, ViewName};
use qscope::record::{RecordLimits, RecordingWriter, SnapshotFile, SnapshotFiles, SnapshotSelector};
use qscope::session::{
    LogHistory, Opening, OpeningOrigin, SessionEvent, SimulationHistory, TapeTarget, load_generation,
};
use qscope::simulate::{SimulationFiles, SimulationInput as Simulation, SimulationOptions};
use qscope::source::LoadOptions;
use qscope::universe::Quirks;

use crate::console_cycle::Stage;

const FROM: i64 = 1_763_712_000;

fn opening(origin: OpeningOrigin) -> Opening {
    let load = LoadOptions::in_zone("UTC");
    Opening { load, ..Opening::of(origin) }
}

/// Records `count` snapshots, ten minutes apart: each has one more waiting job, and from the fourth on a node is
/// offline.
pub(crate) fn recording(folder: &Path, count: i64) -> Opening {
    recorded_later(folder, count, 0)
}

/// The same, with data that were so many seconds old when recorded.
fn recorded_later(folder: &Path, count: i64, later: i64) -> Opening {
    let kept = |text: String| SnapshotFile { bytes: text.into_bytes(), modified: None };
    let mut recorder = RecordingWriter::new(folder, RecordLimits::default()).unwrap();
    for nth in 0..count {
        let now = FROM + nth * 600;
        let state = if nth < 3 { "free" } else { "offline" };
        let nodes = format!(
            "[[node]]\nname = \"n1\"\navailable = {{ ncpus = 4 }}\n[[node]]\nname = \"n2\"\nstate = \"{state}\"\navailable = {{ ncpus = 4 }}\n"
        );
        let runs = "[[job]]\nid = \"1\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\nwalltime = \"09:00:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=4)\"\n";
        let waits: String = (0..=nth)
            .map(|job| {
                format!(
                    "[[job]]\nid = \"{}\"\nuser = \"bob\"\nqueue = \"workq\"\nselect = \"3:ncpus=4\"\nwalltime = \"00:30:00\"\n",
                    10 + job
                )
            })
            .collect();
        let queue = format!("now = {now}\n[[queue]]\nname = \"workq\"\n{runs}{waits}");
        let files = [("nodes.toml".to_owned(), kept(nodes)), ("queue.toml".to_owned(), kept(queue))];
        recorder.append(Epoch(now + later), SnapshotFiles(BTreeMap::from(files))).unwrap();
    }
    opening(OpeningOrigin::Recording { folder: folder.to_owned(), at: SnapshotSelector::Last })
}

/// Returns the first ten hours of a sample, simulated.
pub(crate) fn simulation() -> Opening {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/week");
    let mut input =
        Simulation::read(&SimulationFiles::folder(&folder).unwrap(), &LoadOptions::default()).unwrap();
    input.options = SimulationOptions { until: Some(FROM + 36_000), ..input.options };
    let simulated = SimulationHistory::run("week".to_owned(), input, Quirks::default(), &mut |_, _| true);
    opening(OpeningOrigin::Simulation { simulated: Arc::new(simulated), nth: 0 })
}

#[test]
fn from_the_curve_of_a_simulation_it_is_two_keys_to_a_why() {
    let opening = simulation();
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::on(opening.clone(), width, height);
        stage.act(&[Action::Time, Action::End]).screen(&format!("time_simulation_{width}x{height}"));
        let seen = stage.act(&[Action::Select]).see();
        assert_eq!(stage.app.view(), ViewName::Cycle);
        let word = if width < 100 { "SIM 17:51" } else { "SIM 21 Nov 17:51" };
        assert!(seen.lines().next().unwrap().contains(word), "{seen}");
        // The cycle of that moment, at its start, and it can be stepped forth and back.
        let all = stage.app.screen().unwrap().debugger.len();
        assert!(all > 0 && stage.app.screen().unwrap().debugger.position() == 0, "{seen}");
        let seen = stage.act(&[Action::StepForward]).see();
        assert!(seen.contains(&format!("STEP 1/{all}")), "{seen}");
        stage.act(&[Action::StepBack]);
        stage.screen(&format!("time_simulation_opened_{width}x{height}"));
        stage.act(&[Action::AskWhy]).screen(&format!("time_simulation_why_{width}x{height}"));
        assert_eq!(stage.app.view(), ViewName::Why);
        // Back on the curve, at the moment that was opened.
        let shown = stage.app.screen().unwrap().generation.number;
        let seen = stage.act(&[Action::Time]).see();
        assert!(seen.contains(&format!("cycle {shown} of {shown}")), "{seen}");
    }
}

/// An opened cycle of a simulation shows the state before it: its cycle starts what the simulation started.
#[test]
fn a_cycle_opened_of_a_simulation_starts_what_the_simulation_started() {
    let opening = simulation();
    let OpeningOrigin::Simulation { simulated, .. } = &opening.origin else { unreachable!() };
    let levels = simulated.levels();
    assert!(levels.len() > 40 && levels.iter().any(|level| level.starts > 0));
    let shown = load_generation(&opening, 1).unwrap();
    for nth in (0..levels.len()).step_by(5) {
        let found = opening.load_moment(TapeTarget::Index(nth), &shown).unwrap();
        let level = qscope::session::ClusterSummary::of(&found.run);
        assert_eq!(level, levels[nth], "cycle {nth}");
        assert_eq!(found.number, nth as u64 + 1);
    }
}

#[test]
fn a_recording_is_shown_from_end_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let opening = recording(&folder.path().join("rec"), 12);
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::on(opening.clone(), width, height);
        stage.act(&[Action::Time]).screen(&format!("time_recording_{width}x{height}"));
    }
    // In ASCII no sign is lost; without a recording the view states what it is for.
    let seen = Stage::open("campus", 80, 24).act(&[Action::Time]).see();
    assert!(seen.contains("no recording and no simulation"), "{seen}");
    // All of it can be read, and no key is offered that needs one.
    assert!(seen.contains("qscope DIR opens    ┃") && seen.contains("┃them."), "{seen}");
    let footer = seen.lines().last().unwrap();
    assert!(["older", "newer", "open", "why", "change"].iter().all(|word| !footer.contains(word)), "{seen}");
}

/// The header, the rows and the comparison show the time of the data, so that leads to a snapshot too.
#[test]
fn a_recording_of_old_data_is_walked_by_the_time_of_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let opening = recorded_later(&folder.path().join("rec"), 12, 9 * 86_400);
    let shown = load_generation(&opening, 1).unwrap();
    let found =
        |at: i64| opening.load_moment(TapeTarget::At(Epoch(FROM + at)), &shown).map(|found| found.number);
    assert_eq!(found(1200).unwrap(), 3);
    assert_eq!(found(1799).unwrap(), 3);
    assert_eq!(found(9 * 86_400 + 600).unwrap(), 2, "the time taken counts first");
    assert_eq!(found(-600).unwrap(), 1, "nothing is older than the first one");
}

#[test]
fn snapshots_of_a_recording_are_walked_and_played_in_the_order_of_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::on(recording(&folder.path().join("rec"), 12), 120, 30);
    let now = |stage: &Stage| (stage.app.screen().unwrap().generation.snapshot.now.0 - FROM) / 600;
    let number = |stage: &Stage| stage.app.screen().unwrap().generation.number;
    stage.act(&[Action::Time]);
    stage.act(&[Action::OlderSnapshot, Action::OlderSnapshot]);
    assert_eq!((now(&stage), number(&stage)), (9, 10));
    stage.act(&[Action::NewerSnapshot]);
    assert_eq!(now(&stage), 10);
    let seen = stage.act(&[Action::NewerSnapshot, Action::NewerSnapshot]).see();
    assert!(now(&stage) == 11 && seen.contains("no other moment"), "{seen}");
    // A click on the strip selects the moment there, a second one opens it.
    let click = |stage: &mut Stage, column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        stage.feed(AppInput::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    };
    click(&mut stage, 14, 6);
    assert!(stage.see().contains("snapshot 1 of 12"), "{}", stage.see());
    assert_eq!(now(&stage), 11, "a click opens nothing yet");
    click(&mut stage, 14, 6);
    assert_eq!((now(&stage), stage.app.view()), (0, ViewName::Cycle));
    // Played, a snapshot at each tick, with its moment and the speed in the first line.
    stage.act(&[Action::Time, Action::Play]);
    stage.feed(AppInput::Tick);
    stage.feed(AppInput::Tick);
    let seen = stage.see();
    assert_eq!(now(&stage), 2);
    assert!(seen.lines().next().unwrap().contains("REPLAY 21 Nov 08:20 ×1"), "{seen}");
    assert!(stage.act(&[Action::More]).see().contains("08:20 ×2"));
    assert!(!stage.act(&[Action::Play]).see().contains("×2"));
    stage.act(&[Action::End, Action::Select, Action::Time, Action::Play]);
    stage.feed(AppInput::Tick);
    let seen = stage.see();
    assert!(!seen.contains("×") && seen.contains("no other moment"), "the end stops it: {seen}");
}

#[test]
fn any_two_snapshots_of_a_recording_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let opening = recording(&folder.path().join("rec"), 12);
    // At once it is the snapshot before.
    let seen = Stage::on(opening.clone(), 120, 30).act(&[Action::Changes]).see();
    assert!(seen.contains("left   snapshot 11, 09:40:00") && seen.contains("right  snapshot 12"), "{seen}");
    let mut stage = Stage::on(opening, 120, 30);
    stage.act(&[Action::Time, Action::Home]);
    let seen = stage.act(&[Action::Changes]).see();
    assert_eq!(stage.app.view(), ViewName::Compare);
    assert!(
        seen.contains("left   snapshot 1, 08:00:00")
            && seen.contains("right  snapshot 12, 09:50:00, 1h50 later"),
        "{seen}"
    );
    assert!(seen.contains("11 new") && seen.contains("n2"), "{seen}");
    stage.act(&[Action::Palette]).type_in("left 09:00");
    let seen = stage.act(&[Action::Accept]).see();
    assert!(
        seen.contains("left   snapshot 7, 09:00:00") && seen.contains("right  snapshot 12, 09:50:00"),
        "{seen}"
    );
    stage.act(&[Action::Palette]).type_in("at 08:10");
    stage.act(&[Action::Accept]);
    let seen = stage.act(&[Action::Changes]).see();
    assert!(
        seen.contains("left   snapshot 7, 09:00:00")
            && seen.contains("right  snapshot 2, 08:10:00, 50m earlier"),
        "{seen}"
    );
}

/// With logs of the past, Why states the start as a distribution, and how well such statements held; without them it
/// does not.
#[test]
fn why_states_the_start_as_a_distribution_where_there_is_a_past() {
    let folder = tempfile::tempdir().unwrap();
    crate::when::log_and_cluster(folder.path());
    let opening = opening(OpeningOrigin::Folder(folder.path().join("now")));
    let why = |stage: &mut Stage| stage.act(&[Action::AskWhy]).see();
    let mut stage = Stage::on(opening.clone(), 160, 60);
    let seen = why(&mut stage);
    assert!(!seen.contains("as a distribution"), "{seen}");
    let mut stage = Stage::on(opening.clone(), 160, 60);
    stage.app.set_log_history(LogHistory::new(&opening, vec![folder.path().join("log.swf")]));
    let seen = why(&mut stage);
    assert!(
        seen.contains("When, as a distribution") && seen.contains("p10 ") && seen.contains("p90 "),
        "{seen}"
    );
    assert!(seen.contains("back-test: "), "{seen}");
    let mut stage = Stage::on(opening.clone(), 160, 60);
    stage.app.set_log_history(LogHistory::new(&opening, vec![folder.path().join("none.swf")]));
    let seen = why(&mut stage);
    assert!(seen.contains("none: ") && seen.contains("none.swf"), "{seen}");
    // What takes long is stopped by Esc, and goes on with r.
    let mut stage = Stage::on(opening.clone(), 160, 60);
    stage.app.set_log_history(LogHistory::new(&opening, vec![folder.path().join("log.swf")]));
    for effect in stage.app.update(AppInput::Action(Action::AskWhy)).effects {
        let Effect::Compute(task) = effect else { continue };
        let received = std::cell::RefCell::new(Vec::new());
        if !format!("{task:?}").contains("over many runs") {
            task.run(&|news| received.borrow_mut().push(news));
        }
        received
            .into_inner()
            .into_iter()
            .for_each(|news| drop(stage.app.update(AppInput::Message(news.into()))));
    }
    let seen = stage.see();
    assert!(seen.contains("reading the past · Esc stops"), "{seen}");
    stage.app.update(AppInput::Action(Action::Close));
    let seen = stage.see();
    assert!(seen.contains("stopped · r continues"), "{seen}");
    assert!(stage.act(&[Action::Reload]).see().contains("p10 "), "{}", stage.see());
}

/// While the left side is the snapshot before, the keys for older snapshots move both sides, as in a live folder.
#[test]
fn both_sides_of_a_difference_go_back_in_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::on(recording(&folder.path().join("rec"), 5), 120, 30);
    let mut seen = stage.act(&[Action::OlderSnapshot, Action::Changes]).see();
    for right in [4, 3, 2] {
        let sides = [format!("left   snapshot {},", right - 1), format!("right  snapshot {right},")];
        assert!(sides.iter().all(|side| seen.contains(side)), "{right}\n{seen}");
        seen = stage.act(&[Action::OlderSnapshot]).see();
    }
    assert!(seen.contains("left   snapshot 1, 08:00:00, as read"), "{seen}");
}

/// Once the snapshot shown is the one that was chosen for the left side, it is not compared with itself.
#[test]
fn a_recording_is_not_compared_with_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::on(recording(&folder.path().join("rec"), 5), 120, 30);
    stage.command("left #3");
    let seen = stage.act(&[Action::OlderSnapshot, Action::OlderSnapshot]).see();
    assert!(seen.contains("left   snapshot 2,") && seen.contains("right  snapshot 3,"), "{seen}");
}

/// A live folder whose snapshots are recorded is not called a single moment without a recording.
#[test]
fn the_view_of_times_states_that_the_snapshots_are_recorded() {
    let mut stage = Stage::open("campus", 120, 30);
    let seen = stage.act(&[Action::Time]).see();
    assert!(seen.contains("One moment is open here") && seen.contains("--record DIR"), "{seen}");
    stage.feed(AppInput::Message(SessionEvent::Recorded(Ok(2)).into()));
    let next = (*stage.app.screen().unwrap().generation).clone();
    stage.load(Arc::new(qscope::session::Generation { number: 2, ..next }));
    let seen = stage.see();
    assert!(!seen.contains("One moment") && seen.contains("< and > walk the snapshots kept"), "{seen}");
    assert!(!seen.contains("--record DIR") && seen.contains("is recorded"), "{seen}");
}

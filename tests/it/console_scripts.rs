//! Scripts of keys, clicks, sizes and new snapshots on every kind of session: no script panics, no screen changes
//! without reporting it, and the debugger is at the step that the screen shows.
//!
//! `QSCOPE_SCRIPTS` sets the number of scripts.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crossterm::event::{MouseButton, MouseEventKind};
use proptest::prelude::*;
use qscope::console::action::Action;
use qscope::console::app::AppInput;
use qscope::console::shell::ShellMessage;
use qscope::cycle::Debugger;
use qscope::session::{Generation, Opening, SessionEvent, load_generation};

use crate::console_cycle::{Do, Stage, anything, mouse, read};
use crate::console_moments::VIEWS;
use crate::console_time::{recording, simulation};

/// An open session.
struct Session {
    generation: Arc<Generation>,
    /// The snapshot that arrives while it is open.
    next: Arc<Generation>,
    opening: Option<Opening>,
    /// The keys that are pressed first, and the text typed into the command line.
    begins: &'static [Action],
    line: &'static str,
}

impl Session {
    fn of_sample(name: &str, next: &str, begins: &'static [Action]) -> Self {
        let read = |name: &str, number| {
            read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name), number)
        };
        Self { generation: read(name, 1), next: read(next, 2), opening: None, begins, line: "" }
    }

    fn of(opening: Opening, begins: &'static [Action]) -> Self {
        let generation = Arc::new(load_generation(&opening, 1).unwrap());
        Self { next: generation.clone(), generation, opening: Some(opening), begins, line: "" }
    }

    fn open(&self, width: u16, height: u16) -> Stage {
        let mut stage = Stage::empty(width, height, self.generation.snapshot.now);
        if let Some(opening) = &self.opening {
            stage.app.reads(opening.clone());
        }
        stage.load(self.generation.clone());
        stage.act(self.begins);
        if !self.line.is_empty() {
            stage.act(&[Action::Palette]).type_in(self.line).act(&[Action::Accept]);
        }
        stage
    }
}

/// Returns one session of every kind, each read once.
fn sessions() -> &'static [Session] {
    static ALL: OnceLock<(tempfile::TempDir, Vec<Session>)> = OnceLock::new();
    &ALL.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let recorded = recording(&folder.path().join("rec"), 6);
        let all = vec![
            Session::of_sample("campus", "campus", &[]),
            Session::of_sample("campus", "calendar", &[Action::View8]),
            Session::of_sample("calendar", "reservation", &[Action::View6]),
            Session::of_sample("reservation", "calendar", &[]),
            Session::of_sample("preempt", "campus", &[Action::AskWhy]),
            Session::of_sample("bucket-kinds", "sets-36", &[Action::View2]),
            Session { line: "capacity", ..Session::of_sample("services", "scaler", &[]) },
            Session { line: "packing", ..Session::of_sample("packing-cluster", "campus", &[]) },
            Session { line: "policies", ..Session::of_sample("policies-f1", "campus", &[]) },
            Session::of(recorded, &[Action::Time]),
            Session::of(simulation(), &[Action::Time]),
        ];
        (folder, all)
    })
    .1
}

/// Texts typed into the command line and into filters: valid, half valid and invalid. None of them writes a file.
const LINES: [&str; 40] = [
    "why 10",
    "why n001",
    "why n001 10",
    "10",
    "n001",
    "workq",
    "go 3",
    "go 99999",
    "go 02:43",
    "at 08:10",
    "at 21 Nov 09:00",
    "left 08:00",
    "right now",
    "sort wait",
    "sort -ncpus",
    "sort nothing",
    "columns +mem -user",
    "columns +nothing",
    "filter wait",
    "filter user=ann ncpus>=2",
    "filter name~^n0[1",
    "filter walltime>soon",
    "group switch",
    "group user",
    "group nothing",
    "break verdict=never",
    "break node=n001 taken",
    "break list",
    "set strict_ordering=True",
    "set node.n001.state=offline",
    "set nothing=1",
    "step next waiting",
    "step 2",
    "theme default-light",
    "theme nothing",
    "quirks",
    "packing",
    "capacity",
    "policies",
    "fairshare",
];

/// A part of a script.
#[derive(Debug, Clone)]
enum Part {
    One(Do),
    Line(&'static str),
    Filter(&'static str),
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        8 => anything().prop_map(Part::One),
        1 => prop::sample::select(LINES.to_vec()).prop_map(Part::Line),
        1 => prop::sample::select(LINES.to_vec()).prop_map(Part::Filter),
    ]
}

/// Types a line into the prompt that an action opens, letter by letter; the screen is drawn after every letter.
fn type_in(stage: &mut Stage, opens: Action, line: &str) -> AppInput<ShellMessage> {
    stage.act(&[opens]);
    for letter in line.chars() {
        stage.key(letter).see();
    }
    AppInput::Action(Action::Accept)
}

/// Plays one part of a script.
fn input(stage: &mut Stage, one: &Do, session: &Session) -> AppInput<ShellMessage> {
    let press = |kind, (x, y): (u16, u16)| mouse(kind, x, y);
    match one {
        Do::Act(action) => AppInput::Action(*action),
        Do::Letter(letter) => AppInput::Letter(*letter),
        Do::Size(width, height) => stage.resized(*width, *height),
        Do::Load(newer) => {
            let generation = if *newer { &session.next } else { &session.generation };
            AppInput::Message(SessionEvent::Loaded(generation.clone()).into())
        }
        Do::Click(x, y) => press(MouseEventKind::Down(MouseButton::Left), (*x, *y)),
        Do::RightClick(x, y) => press(MouseEventKind::Down(MouseButton::Right), (*x, *y)),
        Do::Wheel(x, y) => press(MouseEventKind::ScrollDown, (*x, *y)),
        Do::Drag(from, to) => {
            stage.feed(press(MouseEventKind::Down(MouseButton::Left), *from));
            stage.feed(press(MouseEventKind::Drag(MouseButton::Left), *to));
            press(MouseEventKind::Up(MouseButton::Left), *to)
        }
        Do::Tick => AppInput::Tick,
    }
}

/// Plays a script, and compares the state shown with that of a debugger that went there directly.
fn play(which: usize, size: (u16, u16), script: &[Part]) -> Result<(), TestCaseError> {
    let session = &sessions()[which];
    let mut stage = session.open(size.0, size.1);
    for one in script {
        let input = match one {
            Part::One(one) => input(&mut stage, one, session),
            Part::Line(line) => type_in(&mut stage, Action::Palette, line),
            Part::Filter(line) => {
                type_in(&mut stage, Action::Filter, line.split_once(' ').map_or(*line, |(_, rest)| rest))
            }
        };
        let before = stage.see();
        let changed = stage.feed(input);
        let after = stage.see();
        prop_assert!(
            changed || before == after,
            "changed without reporting it by {:?}:\n{}\n{}",
            one,
            before,
            after
        );
    }
    let shown = stage.app.screen().unwrap();
    let mut fresh = Debugger::new(Arc::clone(&shown.generation.run));
    let all = |debugger: &Debugger| {
        let state = debugger.state();
        // Buckets of sets are made when they are first looked at.
        state.sets.iter().for_each(|set| assert!(set.buckets(&state.plan).len() < usize::MAX));
        format!("{:?}", (&state.occupancy, &state.buckets, &state.sets))
    };
    for there in [&shown.debugger, &shown.subject_state] {
        fresh.seek(there.position());
        prop_assert_eq!(all(there), all(&fresh));
    }
    Ok(())
}

/// The size changes before the event that reports it.
#[test]
fn every_view_is_drawn_on_a_screen_that_is_smaller_already() {
    for begins in VIEWS.into_iter().chain([Action::AskWhy, Action::Palette]) {
        let mut stage = sessions()[0].open(120, 40);
        stage.act(&[Action::StepForward, begins]).see();
        for size in [(3, 0), (90, 1), (20, 7), (119, 39), (160, 50)] {
            stage.resized(size.0, size.1);
            stage.see();
        }
    }
}

fn cases() -> u32 {
    std::env::var("QSCOPE_SCRIPTS").ok().and_then(|text| text.parse().ok()).unwrap_or(18)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_script_panics_on_any_kind_of_session(
        which in 0..11usize,
        size in prop::sample::select(vec![(40, 12), (60, 20), (80, 24), (120, 40), (200, 60), (300, 90)]),
        script in prop::collection::vec(part(), 0..50),
    ) {
        play(which, size, &script)?;
    }
}

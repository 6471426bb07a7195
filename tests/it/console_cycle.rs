//! The cycle view, driven by actions on a screen in memory.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;
use qscope::cluster::Epoch;
use qscope::console::action::{Action, TABLE};
use qscope::console::app::{App, AppInput};
use qscope::console::screen::{CycleLine, CycleRow, QueueSection};
use qscope::console::shell::{Shell, ShellMessage};
use qscope::console::task::Task;
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::console::views::cycle::CycleView;
use qscope::console::views::{Effect, ViewName};
use qscope::cycle::Debugger;
use qscope::session::{Generation, Opening, OpeningOrigin, SessionEvent, load_generation};
use qscope::source::LoadOptions;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

/// The app and the screen it draws on.
pub(crate) struct Stage {
    pub(crate) app: Shell,
    paper: Terminal<TestBackend>,
    /// The requests to workers, in words.
    computed: Vec<String>,
}

/// The assumed modification time of every file of the tests: 2025-11-21 04:40 UTC.
const WRITTEN: Epoch = Epoch(1_763_700_000);

pub(crate) fn read(folder: &Path, number: u64) -> Arc<Generation> {
    let load = LoadOptions::in_zone("UTC");
    let opening = Opening { load, ..Opening::of(OpeningOrigin::Folder(folder.to_owned())) };
    let mut generation = load_generation(&opening, number).unwrap();
    // The screens show when a file was written, which in a checkout is when it was made.
    for file in &mut Arc::make_mut(&mut generation.snapshot).files {
        file.modified = file.modified.map(|_| WRITTEN);
    }
    Arc::new(generation)
}

/// Returns the line of a screen that contains a text.
pub(crate) fn line<'s>(seen: &'s str, text: &str) -> &'s str {
    seen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text} in\n{seen}"))
}

pub(crate) fn sample(name: &str) -> Arc<Generation> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name), 1)
}

impl Stage {
    /// Creates an app that has read nothing, 41 seconds after its cluster was dumped.
    pub(crate) fn empty(width: u16, height: u16, now: Epoch) -> Self {
        let theme_options = ThemeOptions { depth: ColorDepth::None, glyphs: GlyphSet::Unicode };
        Self::empty_in(width, height, now, Theme::built_in("default-dark", theme_options).0)
    }

    /// Does the same in a theme.
    pub(crate) fn empty_in(width: u16, height: u16, now: Epoch, theme: Theme) -> Self {
        let clock = Epoch(now.0 + 41);
        let app = Shell::new("a folder", theme, Box::new(move || clock));
        let paper = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut stage = Self { app, paper, computed: Vec::new() };
        stage.app.update(AppInput::Resize(Size { width, height }));
        stage
    }

    pub(crate) fn open(name: &str, width: u16, height: u16) -> Self {
        Self::open_at(&Path::new("samples").join(name), width, height)
    }

    /// Puts the same app on a screen of another size; returns the event that reports it.
    pub(crate) fn resized(&mut self, width: u16, height: u16) -> AppInput<ShellMessage> {
        self.paper = Terminal::new(TestBackend::new(width, height)).unwrap();
        AppInput::Resize(Size { width, height })
    }

    /// Opens an app on a folder of the repository.
    pub(crate) fn open_at(folder: &Path, width: u16, height: u16) -> Self {
        let generation = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), 1);
        let mut stage = Self::empty(width, height, generation.snapshot.now);
        stage.load(generation);
        stage
    }

    /// Opens an app on the result of an opening.
    pub(crate) fn on(opening: Opening, width: u16, height: u16) -> Self {
        let generation = Arc::new(load_generation(&opening, 1).unwrap());
        let mut stage = Self::empty(width, height, generation.snapshot.now);
        stage.app.reads(opening);
        stage.load(generation);
        stage
    }

    /// Returns the view that the app begins with.
    pub(crate) fn cycle(&self) -> &CycleView {
        self.app.opened(ViewName::Cycle).unwrap()
    }

    pub(crate) fn load(&mut self, generation: Arc<Generation>) {
        assert!(self.feed(AppInput::Message(SessionEvent::Loaded(generation).into())));
    }

    pub(crate) fn act(&mut self, actions: &[Action]) -> &mut Self {
        for action in actions {
            self.feed(AppInput::Action(*action));
        }
        self
    }

    /// Handles an input and performs the requests to workers at once.
    pub(crate) fn feed(&mut self, input: AppInput<ShellMessage>) -> bool {
        let update = self.app.update(input);
        let mut changed = update.changed;
        for effect in update.effects {
            let Effect::Compute(task) = effect else { continue };
            changed |= self.compute(task);
        }
        changed
    }

    /// Performs a request to a worker.
    pub(crate) fn compute(&mut self, task: Task) -> bool {
        self.computed.push(task.description().to_owned());
        let received = std::cell::RefCell::new(Vec::new());
        task.run(&|news| received.borrow_mut().push(news));
        // With it the worker is done.
        drop(task);
        let mut changed = false;
        for news in received.into_inner() {
            changed |= self.feed(AppInput::Message(news.into()));
        }
        changed
    }

    /// Returns how often a worker was requested to do something, described in its words.
    pub(crate) fn computed(&self, what: &str) -> usize {
        self.computed.iter().filter(|asked| *asked == what).count()
    }

    pub(crate) fn type_in(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            self.app.update(AppInput::Letter(letter));
        }
        self
    }

    /// Types a command and runs it.
    pub(crate) fn command(&mut self, line: &str) -> &mut Self {
        self.act(&[Action::Palette]).type_in(line).act(&[Action::Accept])
    }

    /// Types a letter after a key that waits for one.
    pub(crate) fn key(&mut self, letter: char) -> &mut Self {
        self.feed(AppInput::Letter(letter));
        self
    }

    /// Returns the screen as lines.
    pub(crate) fn see(&mut self) -> String {
        self.paper.draw(|frame| self.app.render(frame)).unwrap();
        let buffer = self.paper.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(|y| row(y).trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the cells of the screen as it was last drawn.
    pub(crate) fn cells(&mut self) -> Vec<ratatui::buffer::Cell> {
        self.paper.draw(|frame| self.app.render(frame)).unwrap();
        self.paper.backend().buffer().content().to_vec()
    }

    /// Returns the screen for a snapshot: without the line of tabs, which would make a new view change all of them.
    pub(crate) fn seen(&mut self) -> String {
        let seen = self.see();
        let lines = seen.lines().map(|line| if line.starts_with(" 1 Cycle") { " (tabs)" } else { line });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Compares the screen with the snapshot of that name.
    pub(crate) fn screen(&mut self, name: &str) {
        insta::assert_snapshot!(name, self.seen());
    }

    pub(crate) fn subject(&self) -> String {
        self.app.screen().unwrap().subject_name().unwrap()
    }

    pub(crate) fn position(&self) -> usize {
        self.app.screen().unwrap().debugger.position()
    }
}

fn assert_screen(name: &str, stage: &mut Stage) {
    stage.screen(name);
}

use Action::{
    Close, Copy, Down, End, Filter, FirstStep, Follow, Freeze, Help, Home, LastStep, NextPane, NextVerdict,
    PageDown, PreviousVerdict, Quit, Reload, Select, StepBack, StepForward, ToggleMap, Up, Warnings,
};

#[test]
fn the_samples_at_80_by_24() {
    assert_screen("campus-80x24", Stage::open("campus", 80, 24).act(&[NextVerdict, NextVerdict]));
    assert_screen("campus-80x24-refused", Stage::open("campus", 80, 24).act(&[Down; 10]));
    assert_screen("campus-80x24-map", Stage::open("campus", 80, 24).act(&[NextPane, NextPane]));
    assert_screen("chunks-80x24", Stage::open("chunks-12-24", 80, 24).act(&[StepForward, StepForward]));
    assert_screen("sets-80x24", Stage::open("sets-8", 80, 24).act(&[End, ToggleMap, ToggleMap]));
}

#[test]
fn the_samples_at_200_by_60() {
    assert_screen("campus-200x60", Stage::open("campus", 200, 60).act(&[LastStep]));
    assert_screen("chunks-200x60", Stage::open("chunks-12-24", 200, 60).act(&[StepForward]));
    assert_screen("sets-200x60", Stage::open("sets-8", 200, 60).act(&[End, Select, ToggleMap]));
}

#[test]
fn overlays_and_small_screens() {
    assert_screen("help-80x24", Stage::open("sets-8", 80, 24).act(&[Help]));
    assert_screen("warnings-80x24", Stage::open("campus", 80, 24).act(&[Warnings]));
    assert_screen("one-pane-60x16", Stage::open("campus", 60, 16).act(&[StepForward, NextPane]));
    assert_screen("too-small", &mut Stage::open("campus", 39, 9));
}

#[test]
fn stepping_freezes_and_follow_shows_the_newest_with_the_cursor_on_the_same_job() {
    let mut stage = Stage::open("sets-8", 80, 24);
    assert!(stage.see().contains("SNAPSHOT"));
    stage.act(&[StepForward, StepForward]);
    let (subject, scroll) = (stage.subject(), stage.cycle().table);
    assert!(stage.see().contains("STEP 2/6"));
    for number in 2..=4 {
        stage.load(Arc::new(Generation { number, ..(*sample("sets-8")).clone() }));
    }
    assert!(stage.see().contains("3 newer"), "{}", stage.see());
    assert_eq!((stage.position(), stage.subject()), (2, subject.clone()));
    stage.act(&[Follow]);
    assert!(stage.see().contains("SNAPSHOT") && stage.see().contains("0/6"));
    assert_eq!((stage.subject(), stage.cycle().table), (subject, scroll));
}

/// A file may be half-written when the folder is opened: what is shown meanwhile can be stepped like any snapshot.
#[test]
fn a_step_stays_while_the_files_are_still_being_written() {
    let preview = |seconds: i64| {
        let mut generation = (*sample("sets-8")).clone();
        let mut snapshot = (*generation.snapshot).clone();
        snapshot.now = Epoch(snapshot.now.0 + seconds);
        (generation.number, generation.snapshot) = (0, Arc::new(snapshot));
        let why = "nodes.json is not finished".to_owned();
        AppInput::Message(SessionEvent::Preview { generation: Arc::new(generation), why }.into())
    };
    let now = |stage: &Stage| stage.app.screen().unwrap().generation.snapshot.now;
    let mut stage = Stage::empty(100, 24, sample("sets-8").snapshot.now);
    stage.feed(preview(0));
    let first = now(&stage);
    // Nothing was stepped: a better picture takes its place.
    stage.feed(preview(1));
    assert_eq!(now(&stage), first + qscope::cluster::Seconds(1));
    stage.act(&[StepForward, StepForward]);
    stage.feed(preview(2));
    let seen = stage.see();
    assert!(seen.contains("STEP 2/6") && seen.contains("1 newer snapshot"), "{seen}");
    assert_eq!((stage.position(), now(&stage)), (2, first + qscope::cluster::Seconds(1)));
    stage.act(&[Follow]);
    assert_eq!((stage.position(), now(&stage)), (0, first + qscope::cluster::Seconds(2)));
    stage.act(&[StepForward]);
    stage.load(sample("sets-8"));
    let seen = stage.see();
    assert!(
        seen.contains("STEP 2/6") && seen.contains("1 newer snapshot"),
        "job 2 is selected still\n{seen}"
    );
    stage.act(&[Follow]);
    assert!(stage.see().contains("1 newer, shown now") && now(&stage) == first, "{}", stage.see());
}

/// The age of the data shown counts from the reading, and advances by itself.
#[test]
fn the_age_of_the_last_good_reading_counts_by_itself() {
    let generation = sample("campus");
    let read = generation.snapshot.now.0 + 41;
    let time = Arc::new(AtomicI64::new(read));
    let clock = time.clone();
    let mut stage = Stage::empty(80, 24, Epoch(read));
    let theme_options = ThemeOptions { depth: ColorDepth::None, glyphs: GlyphSet::Unicode };
    let theme = Theme::built_in("default-dark", theme_options).0;
    stage.app = Shell::new("a folder", theme, Box::new(move || Epoch(clock.load(Ordering::Relaxed))));
    stage.app.update(AppInput::Resize(Size { width: 80, height: 24 }));
    stage.load(generation);
    time.store(read + 10, Ordering::Relaxed);
    let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(read + 10).unwrap());
    let failed = SessionEvent::Failed { message: "jobs-t.json@9000: cut".to_owned(), missing_file: None, at };
    stage.feed(AppInput::Message(failed.into()));
    let seen = stage.see();
    assert!(seen.contains("last good reading 10s ago") && seen.contains("ERROR 01:57"), "{seen}");
    assert!(stage.app.wake_in().unwrap() <= std::time::Duration::from_secs(1), "it counts without a key");
    time.store(read + 13, Ordering::Relaxed);
    stage.feed(AppInput::Tick);
    assert!(stage.see().contains("last good reading 13s ago"), "{}", stage.see());
    stage.act(&[StepForward, StepForward]);
    assert!(stage.see().contains("ERROR STEP 2/23 job 4"), "{}", stage.see());
}

#[test]
fn a_new_generation_marks_the_jobs_whose_verdict_changed() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["nodes.toml", "queue.toml", "policy.toml"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-8").join(file);
        std::fs::copy(from, folder.path().join(file)).unwrap();
    }
    let first = read(folder.path(), 1);
    let mut stage = Stage::empty(80, 24, first.snapshot.now);
    stage.load(first);
    stage.act(&[Down, Down, Down, Down, Down]);
    assert_eq!(stage.subject(), "6");
    // Without job 1 no job holds the set that job 6 needs.
    let queue = std::fs::read_to_string(folder.path().join("queue.toml")).unwrap();
    let without = queue.replace("ncpus=8:mem=1gb", "ncpus=80");
    std::fs::write(folder.path().join("queue.toml"), without).unwrap();
    stage.load(read(folder.path(), 2));
    assert_eq!(stage.subject(), "6");
    let changed = stage.app.screen().unwrap().changed();
    assert_eq!(changed.len(), 2, "{changed:?}");
    assert!(stage.see().contains('Δ'), "{}", stage.see());
    // The marks stay on the next snapshot, in which nothing changed.
    stage.load(read(folder.path(), 3));
    assert_eq!(stage.app.screen().unwrap().changed().len(), 2);
}

/// Returns the lines of the queue's table that are marked as jobs that left.
fn left_rows(seen: &str) -> Vec<&str> {
    seen.lines().filter(|line| line.contains('−') && line.contains("left")).collect()
}

#[test]
fn the_row_of_a_job_that_left_stays_for_a_refresh_and_five_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-8");
    for file in ["nodes.toml", "queue.toml", "policy.toml"] {
        std::fs::copy(from.join(file), folder.path().join(file)).unwrap();
    }
    let first = read(folder.path(), 1);
    let clock = Arc::new(AtomicI64::new(first.snapshot.now.0));
    let theme_options = ThemeOptions { depth: ColorDepth::None, glyphs: GlyphSet::Unicode };
    let theme = Theme::built_in("default-dark", theme_options).0;
    let mut stage = Stage::empty(120, 40, first.snapshot.now);
    let now = clock.clone();
    stage.app = Shell::new("a folder", theme, Box::new(move || Epoch(now.load(Ordering::Relaxed))));
    stage.feed(AppInput::Resize(Size { width: 120, height: 40 }));
    stage.load(first);
    stage.act(&[Down, Down]);
    assert_eq!(stage.subject(), "3");
    assert!(left_rows(&stage.see()).is_empty());
    let queue = std::fs::read_to_string(folder.path().join("queue.toml")).unwrap();
    let jobs: Vec<&str> = queue.split("[[job]]").collect();
    let without = |gone: &[&str]| {
        let stays = |job: &&&str| !gone.iter().any(|id| job.contains(&format!("id = \"{id}\"")));
        let left: Vec<&str> = jobs.iter().filter(stays).copied().collect();
        std::fs::write(folder.path().join("queue.toml"), left.join("[[job]]")).unwrap();
    };
    without(&["2"]);
    stage.load(read(folder.path(), 2));
    assert_eq!(stage.subject(), "3");
    let seen = stage.see();
    assert_eq!(left_rows(&seen).len(), 1, "{seen}");
    assert!(
        left_rows(&seen)[0].contains("bob") && seen.contains("gone since the snapshot last shown"),
        "{seen}"
    );
    // Where it stood: between its neighbours.
    let lines: Vec<&str> = seen.lines().collect();
    let at = lines.iter().position(|line| *line == left_rows(&seen)[0]).unwrap();
    assert!(lines[at - 1].contains(" 1 ") && lines[at + 1].contains("▸"), "{seen}");
    assert!(seen.contains("▸ 2/5"), "it is none of the five jobs: {seen}");
    // The cursor goes past it both ways, and to no row that is not there from the end.
    assert_eq!(stage.act(&[Up]).subject(), "1");
    assert_eq!(stage.act(&[Down]).subject(), "3");
    // A filter is about it too.
    stage.act(&[Filter]).type_in("user=ann");
    assert!(left_rows(&stage.act(&[Action::Accept]).see()).is_empty());
    stage.act(&[Close]);
    assert_eq!(left_rows(&stage.see()).len(), 1);
    // It left before a snapshot less than five seconds old; the last row leaves beside it.
    clock.fetch_add(3, Ordering::Relaxed);
    without(&["2", "6"]);
    stage.load(read(folder.path(), 3));
    assert_eq!(left_rows(&stage.see()).len(), 2);
    assert_eq!(stage.act(&[End]).subject(), "5");
    assert_eq!(stage.act(&[Down]).subject(), "5");
    clock.fetch_add(4, Ordering::Relaxed);
    stage.load(read(folder.path(), 4));
    let seen = stage.see();
    assert_eq!(left_rows(&seen).len(), 1, "{seen}");
    clock.fetch_add(5, Ordering::Relaxed);
    stage.load(read(folder.path(), 5));
    assert!(left_rows(&stage.see()).is_empty(), "{}", stage.see());
}

#[test]
fn an_action_that_cannot_work_reports_why() {
    let mut stage = Stage::open("sets-8", 120, 40);
    for (actions, text) in [
        (&[StepBack][..], "the cycle starts here; . steps"),
        (&[Follow], "following already"),
        (&[Close], "nothing to close; Backspace goes back, q quits"),
        (&[LastStep, StepForward], "the cycle ends here; , steps back, 0 goes to its start"),
        (&[NextVerdict], "every job that way has the same verdict"),
        (&[FirstStep, Freeze], "frozen already; F follows again"),
    ] {
        stage.act(actions);
        assert!(stage.see().contains(text), "{text}\n{}", stage.see());
    }
    let key = "x".parse().unwrap();
    assert!(stage.app.update(AppInput::Unbound(key)).changed);
    assert!(stage.see().contains("x is not used in Cycle; ? lists keys"));
}

#[test]
fn steps_go_by_verdict_and_back() {
    let mut stage = Stage::open("sets-8", 80, 24);
    stage.act(&[NextVerdict, NextVerdict]);
    assert_eq!((stage.position(), &*stage.subject()), (5, "5"));
    stage.act(&[NextVerdict]);
    assert_eq!(stage.position(), 6);
    stage.act(&[PreviousVerdict]);
    assert_eq!(stage.position(), 5);
    stage.act(&[Home, Select]);
    assert_eq!((stage.position(), &*stage.subject()), (1, "1"));
    stage.act(&[StepBack]);
    assert_eq!(stage.position(), 0);
}

#[test]
fn the_filter_keeps_what_matches_and_lets_go() {
    let mut stage = Stage::open("sets-8", 80, 24);
    stage.act(&[Filter]).type_in("BOB");
    assert_eq!(stage.cycle().rows.len(), 2);
    stage.act(&[Action::Accept, StepForward, StepForward, StepForward]);
    assert!(stage.see().contains("the filter hides 4; Esc clears it"), "{}", stage.see());
    assert_eq!(stage.subject(), "4");
    stage.act(&[Filter]).type_in("zz");
    assert!(stage.see().contains("No match"));
    stage.act(&[Close]);
    assert_eq!(stage.cycle().rows.len(), 6);
}

#[test]
fn the_filter_knows_fields_and_points_at_what_is_wrong() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Filter]).type_in("path:node wait");
    let rows = |stage: &Stage| stage.cycle().rows.len();
    let kept = rows(&stage);
    assert!((1..27).contains(&kept), "{kept}");
    stage.app.update(AppInput::Paste(" walltime>soon".to_owned()));
    assert_eq!(rows(&stage), kept, "what was kept stays while the filter cannot be read");
    stage.screen("filter-wrong-80x24");
    stage.act(&[Action::Accept]);
    assert!(stage.see().contains("walltime takes a time"));
    stage.act(&[Close]);
    assert_eq!(rows(&stage), 31);
}

#[test]
fn what_is_copied_depends_on_the_pane() {
    let mut stage = Stage::open("sets-8", 120, 40);
    let copied = |stage: &mut Stage| match stage.app.update(AppInput::Action(Copy)).effects.as_slice() {
        [Effect::Copy(_, clip)] => clip.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(copied(&mut stage), "1");
    stage.act(&[StepForward, NextPane]);
    assert!(copied(&mut stage).contains("exec_vnode (vn6:ncpus=8:mem=1048576kb)"));
    stage.act(&[NextPane]);
    assert_eq!(copied(&mut stage), "vn6", "the map's cursor stands on what the decision took");
    assert!(matches!(stage.app.update(AppInput::Action(Reload)).effects[..], [Effect::Reload]));
    assert!(matches!(stage.app.update(AppInput::Action(Quit)).effects[..], [Effect::Quit]));
}

#[test]
fn a_failed_reading_keeps_the_last_good_one() {
    let mut stage = Stage::empty(80, 24, Epoch(1_763_700_000));
    assert!(stage.see().contains("reading a folder"));
    let failed = |message: &str| {
        AppInput::Message(
            SessionEvent::Failed {
                message: message.to_owned(),
                missing_file: None,
                at: SystemTime::UNIX_EPOCH,
            }
            .into(),
        )
    };
    stage.app.update(failed("nodes.json: line 7: found `}`"));
    assert!(stage.see().contains("nodes.json: line 7") && stage.see().contains("ERROR"));
    assert!(stage.app.has_failed(), "leaving now is no success");
    stage.load(sample("sets-8"));
    assert!(!stage.see().contains("nodes.json") && !stage.app.has_failed());
    stage.app.update(failed("nodes.json: gone"));
    let screen = stage.see();
    assert!(
        screen.contains("nodes.json: gone") && screen.contains("ERROR") && screen.contains("vn6"),
        "{screen}"
    );
}

#[test]
fn clicks_select_and_the_wheel_scrolls_what_is_under_it() {
    let mut stage = Stage::open("sets-8", 120, 40);
    let mouse =
        |kind, column, row| AppInput::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let seen = stage.see();
    let row = seen.lines().position(|line| line.contains("Queue, in the order")).unwrap();
    // Below the pane's line stand the headings.
    let row = u16::try_from(row).unwrap() + 2;
    assert!(stage.app.update(mouse(MouseEventKind::Down(MouseButton::Left), 10, row + 2)).changed);
    assert_eq!(stage.subject(), "3");
    stage.app.update(mouse(MouseEventKind::ScrollDown, 10, row));
    assert_eq!(stage.subject(), "6");
    assert!(!stage.app.update(mouse(MouseEventKind::Up(MouseButton::Left), 10, row)).changed);
}

#[test]
fn nothing_is_drawn_when_nothing_changed() {
    let mut stage = Stage::open("sets-8", 80, 24);
    for quiet in [
        AppInput::Action(Up),
        AppInput::Action(Home),
        AppInput::Message(SessionEvent::Reading.into()),
        AppInput::Message(SessionEvent::Unchanged.into()),
        AppInput::Resize(Size { width: 80, height: 24 }),
    ] {
        assert!(!stage.app.update(quiet.clone()).changed, "{quiet:?}");
    }
    stage.act(&[End]);
    for quiet in [Down, PageDown, End] {
        assert!(!stage.app.update(AppInput::Action(quiet)).changed, "{quiet:?}");
    }
}

#[test]
fn jobs_that_were_not_considered_have_a_place_after_the_gap() {
    let mut stage = Stage::open("campus", 80, 50);
    // The last rows are of jobs that run.
    stage.act(&[End, Up, Up, Up]);
    let shown = stage.app.screen().unwrap();
    assert!(matches!(shown.subject, Some(CycleRow::NotConsidered(_))));
    assert!(stage.see().contains("not considered "), "{}", stage.see());
    let gap = stage
        .cycle()
        .rows
        .iter()
        .position(|line| *line == CycleLine::Heading(QueueSection::NotConsidered))
        .unwrap();
    for _ in 0..4 {
        stage.act(&[Up]);
        assert_ne!(stage.cycle().table.selected, gap);
    }
}

#[test]
fn names_from_dumps_reach_the_screen_harmless() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("nodes.toml"),
        "[[node]]\nname = \"n\\u0007x\"\navailable = { ncpus = 4 }\n",
    )
    .unwrap();
    let queue = "now = 1763700000\n[[job]]\nid = \"1\"\nuser = \"\\u001b]52;c;x\\u0007\"\nselect = \"1:ncpus=2\"\nwalltime = \"01:00:00\"\n";
    std::fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let mut stage = Stage::empty(200, 60, Epoch(1_763_700_000));
    stage.load(read(folder.path(), 1));
    let screen = stage.see();
    assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen}");
    assert!(screen.contains("␛]52;c;x␇") && screen.contains("n␇x"), "{screen}");
}

#[derive(Debug, Clone)]
pub(crate) enum Do {
    Act(Action),
    Letter(char),
    Size(u16, u16),
    Load(bool),
    Click(u16, u16),
    /// A button held from one position to another, and released there.
    Drag((u16, u16), (u16, u16)),
    RightClick(u16, u16),
    Wheel(u16, u16),
    Tick,
}

pub(crate) fn anything() -> impl Strategy<Value = Do> {
    // An export would leave its file where the tests run.
    let actions: Vec<Action> =
        TABLE.iter().map(|entry| entry.action).filter(|action| *action != Action::Export).collect();
    prop_oneof![
        12 => prop::sample::select(actions).prop_map(Do::Act),
        4 => prop::sample::select(vec!['a', '1', '7', 'n', '.', 'k', '\'']).prop_map(Do::Letter),
        1 => Just(Do::Tick),
        1 => (0u16..310, 0u16..100).prop_map(|(width, height)| Do::Size(width, height)),
        1 => any::<bool>().prop_map(Do::Load),
        1 => (0u16..120, 0u16..60).prop_map(|(x, y)| Do::Click(x, y)),
        1 => (0u16..120, 0u16..60).prop_map(|(x, y)| Do::RightClick(x, y)),
        1 => (0u16..120, 0u16..60).prop_map(|(x, y)| Do::Wheel(x, y)),
        2 => ((0u16..210, 0u16..64), (0u16..210, 0u16..64)).prop_map(|(from, to)| Do::Drag(from, to)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_script_panics_and_the_debugger_stands_where_the_screen_shows(
        script in prop::collection::vec(anything(), 0..60), big: bool
    ) {
        let (width, height) = if big { (200, 60) } else { (80, 24) };
        let mut stage = Stage::open("sets-8", width, height);
        let generations = [sample("sets-8"), sample("chunks-12-24")];
        for one in script {
            let input = match one {
                Do::Act(action) => AppInput::Action(action),
                Do::Letter(letter) => AppInput::Letter(letter),
                Do::Size(width, height) => {
                    stage.paper = Terminal::new(TestBackend::new(width, height)).unwrap();
                    AppInput::Resize(Size { width, height })
                }
                Do::Load(which) => AppInput::Message(SessionEvent::Loaded(generations[usize::from(which)].clone()).into()),
                Do::Click(column, row) => mouse(MouseEventKind::Down(MouseButton::Left), column, row),
                Do::RightClick(column, row) => mouse(MouseEventKind::Down(MouseButton::Right), column, row),
                Do::Wheel(column, row) => mouse(MouseEventKind::ScrollDown, column, row),
                Do::Drag((x, y), to) => {
                    stage.feed(mouse(MouseEventKind::Down(MouseButton::Left), x, y));
                    stage.feed(mouse(MouseEventKind::Drag(MouseButton::Left), to.0, to.1));
                    mouse(MouseEventKind::Up(MouseButton::Left), to.0, to.1)
                }
                Do::Tick => AppInput::Tick,
            };
            let before = stage.see();
            let changed = stage.feed(input);
            let after = stage.see();
            prop_assert!(changed || before == after, "changed without saying so:\n{}\n{}", before, after);
        }
        let shown = stage.app.screen().unwrap();
        let mut fresh = Debugger::new(Arc::clone(&shown.generation.run));
        fresh.seek(shown.debugger.position());
        let looked_at = |debugger: &Debugger| {
            let state = debugger.state();
            state.sets.iter().map(|set| set.buckets(&state.plan).len()).sum::<usize>()
        };
        prop_assert_eq!(looked_at(&shown.debugger), looked_at(&fresh));
        let floor = |debugger: &Debugger| format!("{:?}", (&debugger.state().occupancy, &debugger.state().buckets, &debugger.state().sets));
        prop_assert_eq!(floor(&shown.debugger), floor(&fresh));
        fresh.seek(shown.subject_state.position());
        prop_assert_eq!(looked_at(&shown.subject_state), looked_at(&fresh));
        prop_assert_eq!(floor(&shown.subject_state), floor(&fresh));
    }
}

pub(crate) fn mouse(kind: MouseEventKind, column: u16, row: u16) -> AppInput<ShellMessage> {
    AppInput::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })
}

#[test]
fn a_node_that_a_job_uses_in_part_is_not_drawn_as_full() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"n[1-3]\"\navailable = { ncpus = 8 }\n";
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    let job = |id: u32, cpus: u32, place: &str, rest: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"1:ncpus={cpus}\"\nplace = \"{place}\"\n\
             walltime = \"01:00:00\"\n{rest}\n"
        )
    };
    let runs = |node: &str, cpus: u32| format!("started = \"-00:10:00\"\non = \"({node}:ncpus={cpus})\"\n");
    let jobs = [
        job(1, 4, "free", &runs("n1", 4)),
        job(2, 8, "free:excl", &runs("n2", 8)),
        job(3, 8, "free:excl", ""),
    ];
    std::fs::write(folder.path().join("queue.toml"), format!("now = 1763700000\n\n{}", jobs.concat()))
        .unwrap();
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    let seen = stage.see();
    assert!(seen.contains("3 nodes: 1 free 1 part 1 full 0 out"), "{seen}");
    let seen = stage.act(&[StepForward]).see();
    assert!(seen.contains("▄·◆"), "{seen}");
}

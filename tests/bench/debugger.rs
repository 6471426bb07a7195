//! What one waits for in the console: going to any position, explaining one job, drawing a frame.
//!
//!     cargo bench --bench debugger                10,000 nodes and 10,000 jobs
//!     cargo bench --bench debugger -- 1000x1000   rows whose names hold all the words
//!
//! The slowest of a spread of positions and jobs, one thread; the bars are 50 ms to seek, 20 ms to explain and 5 ms
//! for a frame.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

mod cluster;

use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cluster::{Kind, Row, Sets};
use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::{App, Input};
use qscope::console::shell::Shell;
use qscope::console::theme::{Depth, GlyphSet, Taste, Theme};
use qscope::cycle::{CycleStart, Debugger, Run};
use qscope::session::{Generation, SessionEvent};
use qscope::universe::Quirks;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

/// So many positions and jobs are tried.
const SAMPLES: usize = 40;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    say("row                        seek any    explain one       step key          frame   whole screen");
    let chosen = |row: &Row| match words.as_slice() {
        [] => (row.nodes, row.jobs) == (10_000, 10_000) && row.kind == Kind::Mixed && row.sets != Sets::Two,
        words => words.iter().all(|word| row.name().split('-').any(|part| part == word)),
    };
    for row in Row::all().filter(chosen) {
        measure(&row);
    }
}

fn measure(row: &Row) {
    let snap = Arc::new(row.snapshot());
    let run = Arc::new(CycleStart::new(snap.clone(), Quirks::default()).run());
    let mut debugger = Debugger::new(run.clone());
    let len = debugger.len();
    // Back and forth over large and small distances, so that no order is in favour of the journal.
    let positions: Vec<usize> = (0..SAMPLES).map(|at| (at * 7919 + at % 2 * len / 2) % (len + 1)).collect();
    let seek = slowest(&positions, |at| debugger.seek(*at));
    let explain = slowest(&positions, |at| {
        debugger.seek((*at).min(len.saturating_sub(1)));
        let start = Instant::now();
        black_box(debugger.explain_next());
        start
    });
    let (step, frame, whole) = console(&run);
    say(&format!(
        "{:<24} {} {} {} {} {}",
        row.name(),
        shown(seek),
        shown(explain),
        shown(step),
        shown(frame),
        shown(whole)
    ));
}

/// The slowest step key with all that it makes, the slowest frame after one, and the slowest frame drawn anew.
fn console(run: &Arc<Run>) -> (Duration, Duration, Duration) {
    let taste = Taste { depth: Depth::None, glyphs: GlyphSet::Unicode };
    let now = run.plan.snap.now;
    let theme = Theme::built_in("default-dark", taste).0;
    let mut app = Shell::new("a bench", theme, Box::new(move || Epoch(now.0 + 41)));
    let generation = Generation {
        number: 1,
        snapshot: run.plan.snap.clone(),
        run: run.clone(),
        alerts: [].into(),
        waits: [].into(),
        loaded: SystemTime::now(),
        read_took: Duration::ZERO,
        build_took: Duration::ZERO,
        cycle_took: Duration::ZERO,
        agreement: Default::default(),
        half: None,
        local: None,
        what_if: None,
    };
    let size = Size { width: 200, height: 60 };
    app.update(Input::Resize(size));
    app.update(Input::Message(SessionEvent::Loaded(Arc::new(generation)).into()));
    let mut screen = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
    let keys: Vec<Action> =
        [Action::StepForward, Action::NextWaiting, Action::NextNodePath, Action::StepForward]
            .into_iter()
            .cycle()
            .take(SAMPLES)
            .collect();
    let mut step = Duration::ZERO;
    let mut frame = Duration::ZERO;
    let mut whole = Duration::ZERO;
    for key in keys {
        let start = Instant::now();
        app.update(Input::Action(key));
        step = step.max(start.elapsed());
        let start = Instant::now();
        screen.draw(|frame| app.render(frame)).unwrap();
        frame = frame.max(start.elapsed());
        screen.clear().unwrap();
        let start = Instant::now();
        screen.draw(|frame| app.render(frame)).unwrap();
        whole = whole.max(start.elapsed());
    }
    (step, frame, whole)
}

/// What a piece of work returns: when its own part began.
trait Began {
    fn began(self) -> Option<Instant>;
}

impl Began for () {
    fn began(self) -> Option<Instant> {
        None
    }
}

impl Began for Instant {
    fn began(self) -> Option<Instant> {
        Some(self)
    }
}

fn slowest<T, R: Began>(over: &[T], mut work: impl FnMut(&T) -> R) -> Duration {
    let time = |one: &T| {
        let start = Instant::now();
        let began = work(one).began().unwrap_or(start);
        began.elapsed()
    };
    over.iter().map(time).max().unwrap_or_default()
}

fn shown(time: Duration) -> String {
    format!("{:>11.2} ms", time.as_secs_f64() * 1000.0)
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

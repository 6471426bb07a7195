//! Measures what a user of the console waits for: going to any position, explaining one job, drawing a frame,
//! asking why a job waits, and the board of the whole queue.
//!
//!     cargo bench --bench debugger                10,000 nodes and 10,000 jobs
//!     cargo bench --bench debugger -- 1000x1000   rows whose names have all the words
//!
//! Prints the slowest of a spread of positions and jobs, on one thread; each is measured three times and the
//! best counts, since a busy machine interrupts. The limits are 50 ms to seek, 20 ms to explain and for a
//! step key, 5 ms for a frame, and a second for a why without forecasts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

mod cluster;
mod opened;

use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::{Kind, Row, Sets};
use qscope::cluster::JobId;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::theme::ColorDepth;
use qscope::cycle::{CycleStart, Debugger, Outcome, Run, Verdict};
use qscope::explain::{Explanation, Funnel, JobTurn, board, funnels, why};
use qscope::universe::Quirks;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

/// Number of positions and jobs that are tried.
const SAMPLES: usize = 40;
const SIZE: Size = Size { width: 200, height: 60 };

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    say(
        "row                        seek any    explain one       step key          frame   whole screen     why, fast          board",
    );
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
    // Back and forth over large and small distances, so that no order favours the journal.
    let positions: Vec<usize> = (0..SAMPLES).map(|at| (at * 7919 + at % 2 * len / 2) % (len + 1)).collect();
    let seek = positions.windows(2).map(|pair| {
        best(|| {
            debugger.seek(pair[0]);
            timed(|| debugger.seek(pair[1]))
        })
    });
    let seek = seek.max().unwrap_or_default();
    let explain = positions.iter().map(|at| {
        debugger.seek((*at).min(len.saturating_sub(1)));
        best(|| timed(|| drop(black_box(debugger.explain_next()))))
    });
    let explain = explain.max().unwrap_or_default();
    let console = console(&run);
    let why = waiting(&run).into_iter().map(|job| best(|| timed(|| drop(black_box(fast_why(&run, job))))));
    let why = why.max().unwrap_or_default();
    let board = best(|| timed(|| drop(black_box(board(&run)))));
    let all = [seek, explain, console.step, console.frame, console.whole, why, board].map(shown);
    say(&format!("{:<24} {}", row.name(), all.join(" ")));
}

/// Returns a spread of waiting jobs.
fn waiting(run: &Run) -> Vec<JobId> {
    let waits = |outcome: &&Outcome| outcome.verdict != Verdict::Run;
    let all: Vec<JobId> = run.outcomes().filter(waits).map(|outcome| outcome.job).collect();
    all.iter().copied().step_by((all.len() / SAMPLES).max(1)).collect()
}

/// Computes what `qscope why JOB --fast` shows.
fn fast_why(run: &Arc<Run>, job: JobId) -> (Explanation, Vec<Funnel>) {
    let mut turn = JobTurn::new(run, job);
    (why(run, job), turn.as_mut().map(funnels).unwrap_or_default())
}

/// The longest waits of the user for a key.
#[derive(Default)]
struct Console {
    /// A step key with all its work.
    step: Duration,
    /// A frame after the key.
    frame: Duration,
    /// A full redraw.
    whole: Duration,
}

/// Measures a console that steps. The same keys are pressed in five rounds, each in a newly opened console.
fn console(run: &Arc<Run>) -> Console {
    let rounds: Vec<Vec<Console>> = (0..5).map(|_| presses(run)).collect();
    let slowest = |of: fn(&Console) -> Duration| {
        let least = |at: usize| rounds.iter().map(|round| of(&round[at])).min().unwrap_or_default();
        (0..SAMPLES).map(least).max().unwrap_or_default()
    };
    Console {
        step: slowest(|press| press.step),
        frame: slowest(|press| press.frame),
        whole: slowest(|press| press.whole),
    }
}

/// Measures some keys, one after the other.
fn presses(run: &Arc<Run>) -> Vec<Console> {
    let mut app = opened::shell(run, ColorDepth::None, SIZE);
    let mut screen = Terminal::new(TestBackend::new(SIZE.width, SIZE.height)).unwrap();
    let keys = [Action::StepForward, Action::NextWaiting, Action::NextVerdict, Action::StepForward];
    let mut press = |key| {
        let step = timed(|| drop(app.update(AppInput::Action(key))));
        let frame = timed(|| {
            screen.draw(|frame| app.render(frame)).unwrap();
        });
        screen.clear().unwrap();
        let whole = timed(|| {
            screen.draw(|frame| app.render(frame)).unwrap();
        });
        Console { step, frame, whole }
    };
    keys.into_iter().cycle().take(SAMPLES).map(&mut press).collect()
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Returns the best of three times.
fn best(mut work: impl FnMut() -> Duration) -> Duration {
    work().min(work()).min(work())
}

fn shown(time: Duration) -> String {
    format!("{:>11.2} ms", time.as_secs_f64() * 1000.0)
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

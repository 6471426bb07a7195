//! Measures the console at its largest sizes: a frame of every view, a key and the frame after it, and the
//! bytes written to the terminal (console.md 6).
//!
//!     cargo bench --bench console                 10,000 and 100,000 nodes with 10,000 jobs, 10,000 with 100,000
//!     cargo bench --bench console -- 100000x10000 one of them
//!     cargo bench --bench console -- 100000x10000 nodes, map
//!     cargo bench --bench console -- 100000x10000 steps
//!     cargo bench --bench console -- 100000x10000 calendar, steps each
//!
//! The same keys are pressed in three consoles, one after the other, each with its workers; for every key and
//! frame the best of the three counts, since a busy machine interrupts. The limits are 5 ms for a frame, 16
//! ms for a key with its frame (99 of 100), 30,000 bytes for a change of view at 200×60, 4,000 for a step
//! there and 2,000 at 80×24, and none when idle.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

#[allow(dead_code, reason = "other benches use more of it")]
mod cluster;
mod driver;
mod opened;

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::{Kind, Row, Sets};
use driver::{Console, Press, Sample};
use qscope::console::action::Action as A;
use qscope::cycle::{CycleStart, Run};
use qscope::universe::Quirks;
use ratatui::layout::Size;

use Press::{Idle, Key, Text};

const ROUNDS: usize = 3;
/// Last word of the command with which the time of each key, its processor time and that of worker messages
/// are printed too.
const EACH: &str = "each";
const SMALL: Size = Size { width: 80, height: 24 };
const SIZES: [Size; 2] = [Size { width: 200, height: 60 }, Size { width: 300, height: 90 }];

/// Moves that are made in every view: far and near.
const MOVES: [A; 10] =
    [A::Down, A::Down, A::PageDown, A::PageDown, A::End, A::Up, A::PageUp, A::Home, A::Down, A::Right];

/// A view: its name, the keys that open it, and the keys specific to it.
type View = (&'static str, &'static [Press], &'static [Press]);

const FILTER: &[Press] = &[Key(A::Filter), Text("user=user7"), Key(A::Accept), Key(A::Close)];
const SORT: &[Press] = &[Key(A::Sort), Key(A::SortReverse), Key(A::Sort)];
const STEPS: &[Press] = &[Key(A::StepForward), Key(A::StepForward), Key(A::NextWaiting), Key(A::StepBack)];

const VIEWS: [View; 14] = [
    ("cycle", &[Key(A::View1)], FILTER),
    ("cycle, sorted", &[Key(A::View1)], SORT),
    (
        "nodes, map",
        &[Key(A::View2)],
        &[Key(A::ToggleMap), Key(A::ToggleMap), Key(A::ToggleMap), Key(A::More)],
    ),
    ("nodes, table", &[Key(A::View2), Key(A::Toggle)], SORT),
    ("nodes, filter", &[Key(A::View2)], &[Key(A::Filter), Text("ncpus>=32 state=free"), Key(A::Close)]),
    ("jobs", &[Key(A::View3)], SORT),
    ("jobs, filter", &[Key(A::View3)], FILTER),
    ("pools", &[Key(A::View4)], STEPS),
    ("queues", &[Key(A::View5)], STEPS),
    ("calendar", &[Key(A::View6)], &[Key(A::More), Key(A::Less), Key(A::NextVerdict)]),
    ("why", &[Key(A::View1), Key(A::NextWaiting), Key(A::AskWhy)], &[Key(A::NextLine)]),
    ("board", &[Key(A::View8)], &[Key(A::ToggleMap), Key(A::Sort)]),
    ("problems", &[Key(A::Warnings)], &[]),
    ("settings", &[Key(A::Settings)], &[]),
];

/// Keys whose work grows with the nodes or the sets, measured after [`VIEWS`].
const HEAVY: [View; 11] = [
    (
        "jobs, by reason",
        &[Key(A::View3)],
        &[Key(A::Palette), Text("sort reason, or where"), Key(A::Accept), Key(A::SortReverse)],
    ),
    ("nodes, groups", &[Key(A::View2)], &[Key(A::ToggleMap); 6]),
    ("nodes, table, sorted", &[Key(A::View2), Key(A::Toggle)], &[Key(A::Sort); 10]),
    ("nodes, table, steps", &[Key(A::View2), Key(A::Toggle)], STEPS),
    ("nodes, table, sorted steps", &[Key(A::View2), Key(A::Toggle), Key(A::Sort)], STEPS),
    ("cycle, orders", &[Key(A::View1)], &[Key(A::Sort); 14]),
    ("nodes, map, steps", &[Key(A::View2)], STEPS),
    ("buckets of a set", &[Key(A::View4), Key(A::Down)], &[Key(A::ToggleMap), Key(A::StepForward)]),
    ("calendar, steps", &[Key(A::View6)], STEPS),
    ("cycle, again", &[Key(A::View1), Key(A::View3)], AGAIN),
    ("jobs, sorted", &[Key(A::View3)], &[Key(A::Sort); 12]),
];

/// Opens the Cycle view after steps, and after steps back to the beginning, made in other views.
const AGAIN: &[Press] = &[
    Key(A::StepForward),
    Key(A::View1),
    Key(A::View3),
    Key(A::StepForward),
    Key(A::View1),
    Key(A::View3),
    Key(A::StepBack),
    Key(A::StepBack),
    Key(A::View1),
    Key(A::View2),
    Key(A::NextWaiting),
    Key(A::View1),
    Key(A::View2),
    Key(A::StepForward),
    Key(A::View1),
];

const PAGES: [View; 3] = [
    ("page of a job", &[Key(A::View3), Key(A::Select)], &[]),
    ("page of a node", &[Key(A::View2), Key(A::Select), Key(A::Select)], &[]),
    ("command line", &[Key(A::View1), Key(A::Palette)], &[Text("why 51"), Key(A::Close)]),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let row = |nodes, jobs, kind| Row { nodes, jobs, kind, sets: Sets::One };
    let rows = [
        row(10_000, 10_000, Kind::Mixed),
        row(100_000, 10_000, Kind::Mixed),
        row(10_000, 100_000, Kind::Excl),
    ];
    for row in rows {
        let (of_row, of_view): (Vec<&String>, Vec<&String>) =
            words.iter().partition(|word| word.contains('x'));
        if of_row.iter().all(|word| row.name().split('-').any(|part| part == *word)) {
            let view = of_view.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
            let (view, each) =
                view.strip_suffix(EACH).map_or((&*view, false), |view| (view.trim_end(), true));
            measure(&row, view, each);
        }
    }
}

/// Measures all views whose names begin with `begin`.
fn measure(row: &Row, begin: &str, each: bool) {
    let snap = Arc::new(row.snapshot());
    let start = Instant::now();
    let run = Arc::new(CycleStart::new(snap, Quirks::default()).run());
    say(&format!("\n{} (cycle {:.1?})", row.name(), start.elapsed()));
    for size in SIZES.into_iter().filter(|_| begin != "steps") {
        views(&run, size, begin, each);
    }
    for size in [SMALL, SIZES[0], SIZES[1]].into_iter().filter(|_| "steps".starts_with(begin)) {
        steps(&run, size);
    }
}

/// Prints the frame and key times of every view in a console.
fn views(run: &Arc<Run>, size: Size, begin: &str, each: bool) {
    say(&format!(
        "\n{}x{}\n{:<19} {:>9} {:>9} {:>9} {:>9}  {:<16} {:>9} {:>9} {:>8} {:>6}",
        size.width,
        size.height,
        "view",
        "frame",
        "opening",
        "key, mean",
        "slowest",
        "",
        "processor",
        "news",
        "bytes",
        "idle"
    ));
    let (mut keys, mut work) = (Vec::new(), Vec::new());
    let mut over = Vec::new();
    for view in VIEWS.iter().chain(&HEAVY).chain(&PAGES).filter(|view| view.0.starts_with(begin)) {
        let found = best_of(view, run, size);
        let frame = found.iter().filter_map(|sample| sample.frame).max().unwrap_or_default();
        let news = found.iter().map(|sample| sample.news).max().unwrap_or_default();
        let (opening, rest) = found.split_at(view.1.len());
        let opened = opening.last().unwrap();
        let pressed: Vec<&Sample> = rest.iter().filter(|sample| sample.key.is_some()).collect();
        let mean = pressed.iter().map(|sample| sample.took).sum::<Duration>() / pressed.len().max(1) as u32;
        let slowest = pressed.iter().max_by_key(|sample| sample.took).unwrap();
        let most = found.iter().map(|sample| sample.cpu).max().unwrap_or_default();
        let idle: usize = rest.iter().filter(|sample| sample.key.is_none()).map(|sample| sample.bytes).sum();
        say(&format!(
            "{:<19} {} {} {} {}  {:<16} {} {} {:>8} {:>6}",
            view.0,
            ms(frame),
            ms(opened.took),
            ms(mean),
            ms(slowest.took),
            slowest.name(),
            ms(most),
            ms(news),
            opened.bytes,
            idle
        ));
        for one in found.iter().filter(|_| each) {
            say(&format!("    {:<16} {} {} {}", one.name(), ms(one.took), ms(one.cpu), ms(one.news)));
        }
        let with_key = || found.iter().filter(|sample| sample.key.is_some());
        keys.extend(with_key().map(|sample| sample.took));
        work.extend(with_key().map(|sample| sample.cpu));
        if frame > Duration::from_millis(5) {
            over.push(view.0);
        }
    }
    say(&format!(
        "{} keys: {}; of that the processor {}; frames over 5 ms: {over:?}",
        keys.len(),
        shares(keys),
        shares(work)
    ));
}

/// Formats the median, the 90th and 99th percentiles, and the maximum.
fn shares(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    let [half, most, nearly, all] = [50, 90, 99, 100].map(|share| ms(at(share)));
    format!("half {} 90 % {} 99 % {} all {}", half.trim(), most.trim(), nearly.trim(), all.trim())
}

/// Presses the keys of a view in one console per round; returns the best sample of each key.
fn best_of(view: &View, run: &Arc<Run>, size: Size) -> Vec<Sample> {
    let presses = view.1.iter().copied().chain(view.2.iter().copied());
    let script: Vec<Press> = presses.chain(MOVES.map(Key)).chain([Idle]).collect();
    let rounds = (0..ROUNDS).map(|_| {
        let mut console = Console::open(run, size);
        // The opening keys come first, one sample each.
        script.iter().flat_map(|press| console.press(*press)).collect::<Vec<Sample>>()
    });
    rounds.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| a.best(&b)).collect()).unwrap_or_default()
}

/// Prints bytes and times of steps through the cycle, and the bytes of changes of view.
fn steps(run: &Arc<Run>, size: Size) {
    let mut console = Console::open(run, size);
    console.press(Key(A::StepForward));
    let walked: Vec<Sample> = (0..40).flat_map(|_| console.press(Key(A::StepForward))).collect();
    let back: Vec<Sample> = (0..40).flat_map(|_| console.press(Key(A::StepBack))).collect();
    let all: Vec<usize> = walked.iter().chain(&back).map(|sample| sample.bytes).collect();
    let mean = all.iter().sum::<usize>() / all.len();
    let times = walked.iter().chain(&back).map(|sample| sample.took).collect();
    let whole = walked.iter().chain(&back).map(|sample| sample.whole).collect();
    let work = walked.iter().chain(&back).map(|sample| sample.cpu).collect();
    let views =
        [A::View2, A::View3, A::View4, A::View5, A::View6, A::View8, A::Warnings, A::Settings, A::View1];
    let changes: Vec<usize> =
        views.iter().flat_map(|view| console.press(Key(*view))).map(|one| one.bytes).collect();
    let idle: usize = (0..5).flat_map(|_| console.press(Idle)).map(|one| one.bytes).sum();
    say(&format!(
        "{}x{}: a step {mean} bytes, at most {}; {}; of that the processor {}; until all is examined {}; another view {:?} bytes; idle {idle}",
        size.width,
        size.height,
        all.iter().max().unwrap(),
        shares(times),
        shares(work),
        shares(whole),
        changes
    ));
}

fn ms(time: Duration) -> String {
    format!("{:>6.2} ms", time.as_secs_f64() * 1000.0)
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

//! Measures one change of the files, from the changed bytes to the finished cycle, and compares it with a
//! reading from nothing.
//!
//!     cargo bench --bench changes               10,000 vnodes and 10,000 jobs, synthetic
//!     cargo bench --bench changes -- 2000 500   that many vnodes and jobs
//!     cargo bench --bench changes -- FOLDER…    folders of dumps in JSON
//!
//! A single change is a vnode that goes down or comes back, or a job that is held, ends or comes; a broad one
//! changes one vnode and one job in a hundred at once. Prints medians and worst times of each, and the ratio
//! of the medians; one thread reads and runs, with the files in memory.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

#[expect(dead_code, reason = "dumps in text are for other benches")]
mod dumps;
mod edited;
#[expect(dead_code, reason = "medians of three are for other benches")]
mod timing;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use edited::Dumps;
use qscope::cycle::{CycleStart, Universe};
use qscope::source::{Files, LoadOptions, ReadCache, load, load_again};
use qscope::universe::Quirks;
use timing::{say, shown};

/// Number of single changes.
const SINGLE: usize = 200;
/// Number of broad changes, and of readings from nothing.
const BROAD: usize = 9;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let folders: Vec<&String> = words.iter().filter(|word| Path::new(word).is_dir()).collect();
    for folder in &folders {
        measure(folder, Dumps::of_folder(Path::new(folder)));
    }
    if folders.is_empty() {
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(10_000);
        let (nodes, jobs) = (number(0), number(1));
        let files = vec![
            ("nodes.json".to_owned(), dumps::nodes_json(nodes)),
            ("jobs.json".to_owned(), dumps::jobs_json(jobs)),
        ];
        measure(&format!("{nodes} x {jobs}"), Dumps::new(files));
    }
}

/// Time of each part.
#[derive(Clone, Copy)]
struct Cost {
    read: Duration,
    derive: Duration,
    run: Duration,
}

impl Cost {
    fn total(self) -> Duration {
        self.read + self.derive + self.run
    }
}

fn measure(name: &str, mut dumps: Dumps) {
    say(&format!(
        "{name}\n                     read      derive       cycle      median       worst  times less"
    ));
    let options = LoadOptions::default();
    let afresh: Vec<Cost> =
        (0..BROAD).map(|_| cost(&dumps, &mut None, |files| load(files, &options).unwrap())).collect();
    let whole = row("from nothing", &afresh, None);
    let (mut memory, mut before) = (ReadCache::default(), None);
    cost(&dumps, &mut before, |files| load_again(files, &options, &mut memory).unwrap());
    // A sequence without a pattern, of places that are far apart.
    let places = |nth: usize| (nth + 1) * 7919;
    let mut single = Vec::new();
    for nth in 0..SINGLE {
        if nth.is_multiple_of(2) {
            dumps.turn_node(places(nth));
        } else {
            dumps.turn_job(places(nth));
        }
        single.push(cost(&dumps, &mut before, |files| load_again(files, &options, &mut memory).unwrap()));
    }
    row("one change", &single, Some(whole));
    let mut broad = Vec::new();
    for nth in 0..BROAD {
        dumps.turn_one_in_a_hundred(places(nth));
        broad.push(cost(&dumps, &mut before, |files| load_again(files, &options, &mut memory).unwrap()));
    }
    row("one in a hundred", &broad, Some(whole));
}

fn cost(
    dumps: &Dumps,
    before: &mut Option<Universe>,
    read: impl FnOnce(&Files) -> qscope::cluster::Snapshot,
) -> Cost {
    let files = dumps.files();
    let begin = Instant::now();
    let snapshot = Arc::new(read(&files));
    let read = begin.elapsed();
    let start = CycleStart::after(before.as_ref(), snapshot, Quirks::default(), None);
    let derive = begin.elapsed() - read;
    let universe = start.universe();
    let run = start.run();
    let cost = Cost { read, derive, run: begin.elapsed() - read - derive };
    // The state of the previous cycle is dropped here, outside the measured times.
    *before = Some(universe);
    drop(run);
    cost
}

/// Prints a row; returns its median.
fn row(name: &str, costs: &[Cost], whole: Option<Duration>) -> Duration {
    let median = |of: fn(&Cost) -> Duration| {
        let mut all: Vec<Duration> = costs.iter().map(of).collect();
        all.sort_unstable();
        all[all.len() / 2]
    };
    let total = median(|cost| cost.total());
    let worst = costs.iter().map(|cost| cost.total()).max().unwrap();
    let ratio =
        whole.map_or(String::new(), |whole| format!("{:.1}", whole.as_secs_f64() / total.as_secs_f64()));
    say(&format!(
        "{name:<17} {} {} {} {} {} {ratio:>6}",
        shown(median(|cost| cost.read)),
        shown(median(|cost| cost.derive)),
        shown(median(|cost| cost.run)),
        shown(total),
        shown(worst),
    ));
    total
}

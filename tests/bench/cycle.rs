//! Measures the time of a cycle, on synthetic clusters of every size and on folders.
//!
//!     cargo bench --bench cycle                    a short selection
//!     cargo bench --bench cycle -- all             every row
//!     cargo bench --bench cycle -- 10000x1000 one  rows whose names have all the words
//!     cargo bench --bench cycle -- FOLDER…         folders of dumps
//!
//! Medians of three, one thread. Machines differ, so every time is also given as a ratio to a plain reference
//! measured in the same run: a scan of one byte per node for each queued job. `seek` goes to the end of the
//! cycle and back.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

mod cluster;
mod timing;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cluster::{Kind, Row, Sets};
use qscope::cluster::{JobState, Snapshot};
use qscope::cycle::{CycleStart, Debugger};
use qscope::source::{LoadOptions, load_folder};
use qscope::universe::Quirks;
use timing::{median, say, shown};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    say(
        "row                        run  wait       read      build      cycle       seek  reference  ratios: build cycle seek",
    );
    let (folders, words): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| Path::new(word).is_dir());
    for folder in &folders {
        let load = || load_folder(Path::new(folder), &LoadOptions::default()).unwrap();
        let (read, snap) = median(load);
        measure(folder.rsplit('/').next().unwrap_or(folder), Some(read), &Arc::new(snap));
    }
    let rows = Row::all().filter(|row| chosen(row, &words));
    for row in rows.filter(|_| folders.is_empty() || !words.is_empty()) {
        measure(&row.name(), None, &Arc::new(row.snapshot()));
    }
}

/// Returns whether a row is selected. Without words, these are what takes about a minute: every kind at
/// 10,000 nodes without sets and with one key; the calendar, the backlog and preemption with 1,000 jobs.
fn chosen(row: &Row, words: &[String]) -> bool {
    let small = matches!(row.kind, Kind::Calendar | Kind::Backlog | Kind::Preempt);
    match words {
        [] => row.nodes == 10_000 && row.sets != Sets::Two && (row.jobs == 1000) == small,
        [all] if all == "all" => true,
        words => words.iter().all(|word| row.name().split('-').any(|part| part == word)),
    }
}

fn measure(name: &str, read: Option<Duration>, snap: &Arc<Snapshot>) {
    let waiting = snap.jobs.iter().filter(|job| job.state == JobState::Queued).count();
    let (reference, _) = median(|| scan(snap.nodes.len(), waiting));
    let mut starts = Vec::new();
    let (build, ()) = median(|| starts.push(CycleStart::new(snap.clone(), Quirks::default())));
    let (cycle, run) = median(|| starts.pop().unwrap().run());
    let run = Arc::new(run);
    let mut debugger = Debugger::new(run.clone());
    let (seek, ()) = median(|| {
        debugger.seek(debugger.len());
        debugger.seek(0);
    });
    let started = run.outcomes().filter(|outcome| outcome.placed.is_some()).count();
    let ratio = |time: Duration| time.as_secs_f64() / reference.as_secs_f64();
    say(&format!(
        "{name:<24} {started:>5} {:>5} {} {} {} {} {}          {:>6.1} {:>6.1} {:>6.1}",
        waiting - started.min(waiting),
        read.map_or(format!("{:>10}", "-"), shown),
        shown(build),
        shown(cycle),
        shown(seek),
        shown(reference),
        ratio(build),
        ratio(cycle),
        ratio(seek)
    ));
}

/// Scans one byte per node, once for each job.
fn scan(nodes: usize, jobs: usize) -> usize {
    let bytes: Vec<u8> = (0..nodes).map(|node| u8::from(node % 5 == 0)).collect();
    (0..jobs).map(|_| black_box(&bytes).iter().map(|byte| usize::from(*byte)).sum::<usize>()).sum()
}

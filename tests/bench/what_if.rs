//! Measures what a user waits for after a change of a setting: reading the settings, the whole cycle over the
//! changed cluster, the comparison with the live one, and the lines of the view.
//!
//!     cargo bench --bench what_if               a synthetic cluster of 1,000 nodes and 1,000 jobs
//!     cargo bench --bench what_if -- FOLDER…    folders of dumps
//!
//! Prints the slowest of a few settings, each of which changes the cycle in another way; the limit is 300 ms.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

mod cluster;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::{Kind, Row, Sets};
use qscope::cluster::Snapshot;
use qscope::cycle::CycleStart;
use qscope::session::WhatIfEffects;
use qscope::session::compare::Comparison;
use qscope::session::compare::changes;
use qscope::source::{LoadOptions, SettingEdits, load_folder};
use qscope::universe::Quirks;

/// Settings that sort, span, forbid spanning, and change lengths.
const SETTINGS: [&[&str]; 5] = [
    &["strict_ordering=True"],
    &["node_sort_key=ncpus LOW unused"],
    &["node_group_enable=False"],
    &["node_group_enable=True", "node_group_key=switch,router", "do_not_span_psets=True"],
    &["job.*.Resource_List.walltime=1:00:00", "backfill_depth=5"],
];

fn main() {
    let folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|word| !word.starts_with("--")).map(PathBuf::from).collect();
    say("cluster                          slowest what-if   of which the cycle   jobs that differ");
    if folders.is_empty() {
        let is_row = |row: &Row| row.nodes == 1000 && row.jobs == 1000 && row.kind == Kind::Mixed;
        Row::all().filter(|row| is_row(row) && row.sets == Sets::One).for_each(|row| measure(row.snapshot()));
    }
    for folder in folders {
        measure(load_folder(&folder, &LoadOptions::default()).unwrap());
    }
}

fn measure(snap: Snapshot) {
    let snap = Arc::new(snap);
    let live = Arc::new(CycleStart::new(snap.clone(), Quirks::default()).run());
    let mut slowest = (Duration::ZERO, Duration::ZERO, 0);
    for texts in SETTINGS {
        let start = Instant::now();
        // A setting of something that the cluster does not have, such as a router, is skipped.
        let Ok(settings) = SettingEdits::read(texts, &snap) else { continue };
        let edited = Arc::new(snap.with(settings.edits()));
        let began = Instant::now();
        let run = Arc::new(CycleStart::new(edited, Quirks::default()).run());
        let cycle = began.elapsed();
        let found = Comparison::of(&live, &run);
        let effects = WhatIfEffects::of(&live, &run, &found);
        let lines = changes::lines(&found, &run.plan.snap);
        let took = start.elapsed();
        drop((effects, lines));
        if took > slowest.0 {
            slowest = (took, cycle, found.jobs.len());
        }
    }
    let (took, cycle, jobs) = slowest;
    say(&format!("{:<30} {:>14.1} ms {:>17.1} ms {jobs:>18}", snap.title, ms(took), ms(cycle)));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

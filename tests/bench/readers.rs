//! Measures the speed of the readers, and compares it with a plain scan of the same bytes in the same run.
//!
//!     cargo bench --bench readers               10,000 vnodes and 10,000 jobs, synthetic
//!     cargo bench --bench readers -- 2000 500   that many vnodes and jobs
//!     cargo bench --bench readers -- FOLDER…    folders of dumps
//!
//! `load` makes a whole snapshot of a folder, typed and checked. It is compared with two scans: `step` visits
//! every byte in turn and counts newlines, one byte after the other; `sum` adds up all bytes, which the
//! compiler turns into vector instructions. Medians of nine, one thread, the file in memory.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

mod dumps;

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use qscope::source::{Files, LoadOptions, load};

const DUMPS: [&str; 6] = ["nodes.json", "jobs.json", "jobs-t.json", "nodes.txt", "jobs.txt", "jobs-t.txt"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    say("file            MB   step MB/s    sum MB/s");
    let folders: Vec<&String> = words.iter().filter(|word| Path::new(word).is_dir()).collect();
    for folder in &folders {
        measure(|name| std::fs::read(Path::new(folder).join(name)).ok());
    }
    if folders.is_empty() {
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(10_000);
        let (nodes, jobs) = (number(0), number(1));
        measure(|name| match name {
            "nodes.json" => Some(dumps::nodes_json(nodes)),
            "nodes.txt" => Some(dumps::nodes_text(nodes)),
            "jobs.json" => Some(dumps::jobs_json(jobs)),
            "jobs.txt" => Some(dumps::jobs_text(jobs)),
            _ => None,
        });
    }
}

fn measure(bytes_of: impl Fn(&str) -> Option<Vec<u8>>) {
    let mut whole = Files::new("bench");
    for name in DUMPS {
        let Some(bytes) = bytes_of(name) else { continue };
        let (step, _) = median(|| step(&bytes));
        let (sum, _) = median(|| sum(&bytes));
        let speed = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
        say(&format!(
            "{name:<11} {:>6.1} {:>11.0} {:>11.0}",
            bytes.len() as f64 / 1e6,
            speed(step),
            speed(sum),
        ));
        whole.insert(name, bytes, None);
    }
    for (form, other) in [("json", ".txt"), ("text", ".json")] {
        let mut files = Files::new("bench");
        let mut length = 0;
        for name in DUMPS.iter().filter(|name| !name.ends_with(other)) {
            if let Some(bytes) = bytes_of(name) {
                length += bytes.len();
                files.insert(name, bytes, None);
            }
        }
        if length > 0 {
            let (time, snapshot) = median(|| load(&files, &LoadOptions::default()).unwrap());
            let speed = length as f64 / 1e6 / time.as_secs_f64();
            say(&format!(
                "load {form}   {:>6.1} MB in {:>7.1} ms, {speed:.0} MB/s: {} vnodes, {} jobs",
                length as f64 / 1e6,
                time.as_secs_f64() * 1000.0,
                snapshot.nodes.len(),
                snapshot.jobs.len(),
            ));
        }
    }
}

/// Counts newlines byte by byte: the count goes through memory, so that no two bytes are processed at once.
fn step(bytes: &[u8]) -> usize {
    let mut newlines = 0;
    for byte in black_box(bytes) {
        newlines = black_box(newlines) + usize::from(*byte == b'\n');
    }
    newlines
}

/// Adds up all bytes, in whatever way the compiler finds best.
fn sum(bytes: &[u8]) -> usize {
    black_box(bytes).iter().map(|byte| usize::from(*byte)).sum()
}

/// Returns the median time of nine, and the last result.
fn median<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut last = None;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..9 {
        drop(last.take());
        let start = Instant::now();
        last = Some(black_box(work()));
        times.push(start.elapsed());
    }
    times.sort_unstable();
    (times[4], last.unwrap())
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

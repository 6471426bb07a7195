//! Measures time and memory of each command over attributes at their extremes: the limits are 2 s and 500 MB.
//!
//!     cargo bench --bench extremes

#![allow(clippy::unwrap_used, clippy::panic, reason = "a bench fails as tests do")]

#[path = "../it/extremes/folders.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod folders;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Maximum address space of a command, in kB.
const MEMORY: u32 = 500_000;
const BAR: Duration = Duration::from_secs(2);

fn main() {
    let under = tempfile::tempdir().unwrap();
    let mut slow = 0;
    for place in folders::PLACES {
        let (path, _, jobs) = folders::chunks(under.path(), &place.replace(':', "-"), place, "");
        slow += ask_all(&path, &jobs);
    }
    let by_key = "node_sort_key: \"ncpus HIGH unused\" ALL";
    let (path, _, jobs) = folders::chunks(under.path(), "sorted", "free", by_key);
    slow += ask_all(&path, &jobs);
    let (path, last) = folders::jobs(under.path());
    slow += ask_all(&path, &[last]);
    let (path, last) = folders::arrays(under.path());
    slow += ask_all(&path, &[last]);
    let (path, last) = folders::nodes_and_queues(under.path());
    slow += ask_all(&path, &[last]);
    for (nth, value) in folders::values().iter().enumerate() {
        let (path, last) = folders::server(under.path(), nth, value);
        slow += ask_all(&path, &[last]);
    }
    say(&format!("{slow} over {} s", BAR.as_secs()));
}

/// Runs every command over a folder, and the commands for single jobs; returns how many exceeded the limits.
fn ask_all(folder: &Path, jobs: &[u32]) -> usize {
    let path = folder.to_str().unwrap();
    let mut slow = 0;
    for words in [
        &["cycle", path, "--json"][..],
        &["pools", path, "--fragmentation"],
        &["buckets", path],
        &["board", path],
        &["check", path],
        &["agree", path],
        &["quirks", path],
        &["capacity", path],
        &["compare", path, path],
        &["farm", path],
        &["elim", "n1", path],
        &["why-node", "n1", path],
    ] {
        slow += time(words);
    }
    for job in jobs.iter().map(ToString::to_string) {
        slow += time(&["why", &job, path]) + time(&["policies", &job, path]);
    }
    slow
}

/// Prints a command that took longer than the limit or failed within its memory; returns 1 for it, else 0.
fn time(words: &[&str]) -> usize {
    let shell = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &shell, env!("CARGO_BIN_EXE_qscope")]).args(words);
    let start = Instant::now();
    let output = command.output().unwrap();
    let took = start.elapsed();
    let is_well = matches!(output.status.code(), Some(0..=2));
    if took <= BAR && is_well {
        return 0;
    }
    say(&format!("{took:>8.2?}  {}  {}", output.status, words.join(" ")));
    1
}

fn say(line: &str) {
    writeln!(std::io::stdout().lock(), "{line}").unwrap();
}

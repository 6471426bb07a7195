//! Every attribute of a job, a node, a queue and a server, one at a time, at each of its extremes, through
//! every answer: a sample with the other tests, all of it on request, with the slowest.

use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folders::{Folder, JOB, NODE, QUEUE, RUNNING, SERVER, values};
use crate::fuzz::chain::ask_about;

/// Maximum time for one cell, whatever the machine and its load.
const LONGEST: Duration = Duration::from_secs(60);
/// One of this many cells is tested with the other tests.
const SAMPLE: usize = 61;

const OBJECTS: [(&str, &[&str]); 5] =
    [("job", &JOB), ("running", &RUNNING), ("node", &NODE), ("queue", &QUEUE), ("server", &SERVER)];

/// Returns the extremes of the folders, and values of other forms; twenty in all.
fn extremes() -> Vec<String> {
    let mut all = values();
    all.retain(|value| value.len() < 100);
    all.push("x".repeat(100_000));
    let others = ["4294967296", "1pb", "a,b=c:d+e", "[u:PBS_GENERIC=-1],[o:PBS_ALL=9223372036854775807]"];
    all.extend(others.map(str::to_owned));
    all
}

/// Writes a small cluster in which one attribute has this value.
fn folder(under: &Path, object: &str, name: &str, value: &str) -> PathBuf {
    let mut folder = Folder::new(under, "cell");
    let odd = [(name, value)];
    match object {
        "job" => {
            folder.job(&odd);
        }
        "running" => {
            let usual = [("job_state", "R"), ("substate", "42"), ("exec_vnode", "(n2:ncpus=1)")];
            let usual = usual.into_iter().filter(|(have, _)| *have != name);
            folder.job(&usual.chain(odd).collect::<Vec<_>>());
        }
        "node" => folder.node("odd", &odd),
        "queue" => {
            folder.queue("odd", &odd);
            folder.job(&[("queue", "odd")]);
        }
        _ => folder.server(&odd),
    }
    folder.write().0
}

/// Tests one of every `every` cells; returns their number, the slowest, and those that panicked.
fn table(every: usize) -> (usize, Vec<(Duration, String)>, Vec<String>) {
    let extremes = extremes();
    let (mut asked, mut cells, mut times, mut failed) = (0, 0, Vec::new(), Vec::new());
    for (object, names) in OBJECTS {
        for name in names {
            for value in &extremes {
                cells += 1;
                if cells % every != 0 {
                    continue;
                }
                asked += 1;
                let under = tempfile::tempdir().unwrap();
                let path = folder(under.path(), object, name, value);
                let started = Instant::now();
                let outcome = panic::catch_unwind(AssertUnwindSafe(|| ask_about(&path)));
                let short: String = value.chars().take(30).collect();
                let cell = format!("{object} {name} = {short}");
                times.push((started.elapsed(), cell.clone()));
                if outcome.is_err() {
                    failed.push(cell);
                }
            }
        }
    }
    times.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
    (asked, times, failed)
}

#[test]
fn a_sample_of_all_extremes_is_answered() {
    let (asked, times, failed) = table(SAMPLE);
    assert!(asked > 25 && failed.is_empty(), "{asked}: {failed:?}");
    assert!(times[0].0 < LONGEST, "{:?}", times[0]);
}

#[test]
#[ignore = "all cells, some minutes; prints the slowest"]
fn all_extremes_are_answered() {
    let (asked, times, failed) = table(1);
    let mut out = std::io::stdout();
    writeln!(out, "{asked} cells; the slowest:").unwrap();
    for (took, cell) in times.iter().take(10) {
        writeln!(out, "{:>8.0} ms  {cell}", took.as_secs_f64() * 1e3).unwrap();
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(times[0].0 < LONGEST, "{:?}", times[0]);
}

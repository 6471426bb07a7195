//! Measures the memory of the snapshots that a session keeps: of one, and of the maximum number kept, where
//! one vnode and one job in a hundred change from each to the next. The folder is followed as by the console,
//! in a process of its own, so that the memory for making the dumps is not counted. For the maximum number,
//! the median, the minimum and the maximum are printed.
//!
//!     cargo bench --bench kept               10,000 vnodes and 10,000 jobs, synthetic
//!     cargo bench --bench kept -- 2000 500   that many vnodes and jobs

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

#[expect(dead_code, reason = "dumps in text are for other benches")]
mod dumps;
#[expect(dead_code, reason = "single changes are for another bench")]
mod edited;
#[expect(dead_code, reason = "processor time is for another bench")]
mod process;
#[expect(dead_code, reason = "times are for other benches")]
mod timing;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};
use edited::Dumps;
use process::resident;
use qscope::session::history::{History, MAX_GENERATIONS};
use qscope::session::{Opening, OpeningOrigin, SessionEvent, open};
use timing::say;

/// Number of snapshots beyond those that are kept, after each of which the memory is measured.
const BEYOND: usize = 20;
/// Time after which the memory of a replaced snapshot has been released.
const SETTLED: Duration = Duration::from_secs(1);
/// First argument, before the folder's name, of the process that follows the folder.
const FOLLOW: &str = "follow";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if let [FOLLOW, folder] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return follow(Path::new(folder));
    }
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(10_000);
    let (nodes, jobs) = (number(0), number(1));
    let mut dumps = Dumps::new(vec![
        ("nodes.json".to_owned(), dumps::nodes_json(nodes)),
        ("jobs.json".to_owned(), dumps::jobs_json(jobs)),
    ]);
    let folder = tempfile::tempdir().unwrap();
    write(&dumps, folder.path());
    let mut follower = Follower::of(folder.path());
    let (one, _) = follower.next();
    let mut taken = Vec::new();
    let mut estimated = 0.0;
    for nth in 1..=MAX_GENERATIONS + BEYOND {
        // Every second change reverts the previous one: the cluster stays the same overall.
        dumps.turn_one_in_a_hundred(nth.div_ceil(2) * 7919);
        write(&dumps, folder.path());
        let (now, estimate) = follower.next();
        taken.push(now);
        estimated = estimate;
    }
    // The additional memory for reading is in use at some of these moments and not at others.
    let mut all = taken.split_off(MAX_GENERATIONS - 1);
    all.sort_by(f64::total_cmp);
    let (least, half, most) = (all[0], all[all.len() / 2], all[all.len() - 1]);
    say(&format!(
        "{nodes} x {jobs}: one snapshot {one:.1} MB, {MAX_GENERATIONS} snapshots {half:.1} MB ({least:.1} to {most:.1}), \
         {:.2} times; estimated {estimated:.1} MB",
        half / one,
    ));
}

/// A process that follows a folder.
struct Follower {
    process: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Follower {
    fn of(folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(FOLLOW).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// Returns the memory it uses after the next snapshot, and its own estimate, in megabytes.
    fn next(&mut self) -> (f64, f64) {
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let line = self.lines.next().unwrap().unwrap();
        let (held, estimated) = line.split_once(' ').unwrap();
        (held.parse().unwrap(), estimated.parse().unwrap())
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the folder at each line of the input, and prints the memory of all snapshots.
fn follow(folder: &Path) {
    let (sender, events) = unbounded();
    let before = resident("self");
    let opening = Opening::of(OpeningOrigin::Folder(folder.to_owned()));
    let session = open(opening, move |event| sender.send(event).is_ok()).unwrap();
    let mut history = History::with_max_bytes(usize::MAX);
    for (nth, _) in std::io::stdin().lines().enumerate() {
        if nth > 0 {
            session.reload();
        }
        take(&events, &mut history);
        std::thread::sleep(SETTLED);
        say(&format!("{} {}", resident("self") - before, history.bytes() as f64 / 1e6));
    }
}

/// Waits for the next snapshot.
fn take(events: &Receiver<SessionEvent>, history: &mut History) {
    loop {
        if let SessionEvent::Loaded(generation) = events.recv().unwrap() {
            return history.add(generation);
        }
    }
}

fn write(dumps: &Dumps, folder: &Path) {
    for (name, bytes) in &dumps.files {
        let next = folder.join(".next");
        std::fs::write(&next, bytes).unwrap();
        std::fs::rename(next, folder.join(name)).unwrap();
    }
}

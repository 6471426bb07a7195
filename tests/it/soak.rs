//! A stress test of a minute: twenty changes a second on two thousand vnodes, by renames, by rewriting in place and
//! by truncation. In the end the model equals a fresh reading, nothing failed meanwhile, and memory has not grown.
//!
//! `.ci/run soak` runs it; `QSCOPE_SOAK_SECONDS=600` makes it ten minutes, and `QSCOPE_SOAK_SIZE=10000x10000x10` sets
//! the numbers of vnodes, jobs and changes a second.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do"
)]

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use qscope::explain::board;
use qscope::session::compare::Comparison;
use qscope::session::history::{History, MAX_GENERATIONS};
use qscope::session::{Generation, Opening, OpeningOrigin, SessionEvent, load_generation, open};
use qscope::share::metrics::metrics;

use super::share_commands::read_metrics;

#[path = "../bench/process.rs"]
pub(super) mod process;

use process::{processor_time, resident};

/// The size of the folder, and how often it changes.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) vnodes: usize,
    pub(super) jobs: usize,
    pub(super) changes_a_second: u32,
}

impl Size {
    /// Returns the requested size, or the usual one.
    pub(super) fn asked(usual: &str) -> Self {
        let text = std::env::var("QSCOPE_SOAK_SIZE").unwrap_or_else(|_| usual.to_owned());
        let numbers: Vec<usize> = text.split('x').map(|number| number.parse().unwrap()).collect();
        let [vnodes, jobs, changes] = numbers[..] else { panic!("VNODESxJOBSxCHANGES, not {text}") };
        Self { vnodes, jobs, changes_a_second: changes.try_into().unwrap() }
    }
}

/// Returns how long the folder is written: a minute, or the requested number of seconds.
pub(super) fn length() -> Duration {
    let asked = std::env::var("QSCOPE_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(asked.unwrap_or(60))
}

/// The first second of both dumps.
const EPOCH: usize = 1_795_226_000;

/// The intended contents of the dumps, and the state of their changes.
pub(super) struct Writer {
    folder: PathBuf,
    size: Size,
    random: u64,
    /// Whether each vnode is offline.
    offline: Vec<bool>,
    /// Whether each job runs, on the vnode of its number.
    running: Vec<bool>,
    changes: usize,
    renamed: usize,
    rewritten: usize,
    truncated: usize,
}

impl Writer {
    pub(super) fn new(folder: &Path, size: Size) -> Self {
        let running = (0..size.jobs).map(|job| job % 2 == 0).collect();
        Self {
            folder: folder.to_owned(),
            size,
            random: 88_172_645_463_325_252,
            offline: vec![false; size.vnodes],
            running,
            changes: 0,
            renamed: 0,
            rewritten: 0,
            truncated: 0,
        }
    }

    /// Returns the next number of a sequence that is the same in every run.
    fn next(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % below as u64).unwrap()
    }

    fn nodes(&self) -> String {
        let mut text = format!("{{\"timestamp\":{},\"pbs_server\":\"head1\",\"nodes\":{{\n", self.moment());
        for at in 0..self.size.vnodes {
            let state = if self.offline[at] { "offline" } else { "free" };
            let runs = self.running.get(at).copied().unwrap_or(false);
            let jobs = if runs { format!("\"jobs\":[\"{}.head1/0\"],", at + 1) } else { String::new() };
            writeln!(
                text,
                "\"n{at:04}\":{{\"Mom\":\"n{at:04}\",\"ntype\":\"PBS\",\"state\":\"{state}\",\"pcpus\":64,{jobs}\"resources_available\":{{\"arch\":\"linux\",\"host\":\"n{at:04}\",\"mem\":\"256gb\",\"ncpus\":64,\"switch\":\"sw{}\",\"vnode\":\"n{at:04}\"}},\"resources_assigned\":{{\"ncpus\":{}}},\"resv_enable\":\"True\",\"sharing\":\"default_shared\",\"license\":\"l\"}}{}",
                at / 50,
                if runs { 64 } else { 0 },
                if at + 1 == self.size.vnodes { "" } else { "," }
            )
            .unwrap();
        }
        text + "}}\n"
    }

    fn jobs(&self) -> String {
        let mut text = format!("{{\"timestamp\":{},\"pbs_server\":\"head1\",\"Jobs\":{{\n", self.moment());
        for at in 0..self.size.jobs {
            let how = if self.running[at] {
                format!(
                    "\"job_state\":\"R\",\"substate\":42,\"stime\":\"Fri Nov 20 03:40:01 2026\",\"exec_vnode\":\"(n{at:04}:ncpus=64)\""
                )
            } else {
                "\"job_state\":\"Q\",\"substate\":10".to_owned()
            };
            writeln!(
                text,
                "\"{}.head1\":{{\"Job_Name\":\"j{at}\",\"Job_Owner\":\"user{}@head1\",\"queue\":\"workq\",{how},\"Resource_List\":{{\"ncpus\":64,\"place\":\"scatter:excl\",\"select\":\"1:ncpus=64\",\"walltime\":\"04:00:00\"}},\"euser\":\"user{}\",\"egroup\":\"users\",\"queue_rank\":{at},\"project\":\"_pbs_project_default\"}}{}",
                at + 1,
                at % 50,
                at % 50,
                if at + 1 == self.size.jobs { "" } else { "," }
            )
            .unwrap();
        }
        text + "}}\n"
    }

    /// Returns the moment of both dumps, which advances every second.
    fn moment(&self) -> usize {
        EPOCH + self.changes / self.size.changes_a_second as usize
    }

    /// Changes the cluster, and writes one of the two dumps anew in one of three ways.
    fn change(&mut self) {
        self.changes += 1;
        let (node, job) = (self.next(self.size.vnodes), self.next(self.size.jobs));
        self.offline[node] = !self.offline[node];
        self.running[job] = !self.running[job];
        let (name, text) =
            if self.next(3) == 0 { ("jobs.json", self.jobs()) } else { ("nodes.json", self.nodes()) };
        let path = self.folder.join(name);
        match self.next(4) {
            0 => self.rewrite(&path, &text),
            1 => self.truncate(&path, &text),
            _ => self.rename(&path, &text),
        }
    }

    fn rename(&mut self, path: &Path, text: &str) {
        let next = self.folder.join(".next");
        fs::write(&next, text).unwrap();
        fs::rename(&next, path).unwrap();
        self.renamed += 1;
    }

    /// Writes as a shell's redirection does: the file is emptied, then filled in parts.
    fn rewrite(&mut self, path: &Path, text: &str) {
        let mut file = File::create(path).unwrap();
        for part in text.as_bytes().chunks(256 * 1024) {
            file.write_all(part).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        self.rewritten += 1;
    }

    /// Truncates the dump at some byte; the next change of that dump makes it whole.
    fn truncate(&mut self, path: &Path, text: &str) {
        let at = self.next(text.len());
        OpenOptions::new().write(true).open(path).unwrap().set_len(at as u64).unwrap();
        self.truncated += 1;
    }

    /// Returns how often it changed something.
    pub(super) fn changes(&self) -> usize {
        self.changes
    }

    /// Lets a second of the cluster pass without a change.
    pub(super) fn wait(&mut self) {
        self.changes += self.size.changes_a_second as usize;
    }

    /// Writes both dumps completely, at rest.
    pub(super) fn finish(&mut self) {
        let (nodes, jobs) = (self.nodes(), self.jobs());
        self.rename(&self.folder.join("nodes.json"), &nodes);
        self.rename(&self.folder.join("jobs.json"), &jobs);
    }
}

/// The events of the session.
#[derive(Default)]
struct Told {
    history: History,
    loads: usize,
    waits: usize,
    failures: Vec<String>,
}

impl Told {
    fn take(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Loaded(generation) => {
                self.loads += 1;
                sums_are_the_queue(&generation);
                self.history.add(generation);
            }
            SessionEvent::Waiting { .. } => self.waits += 1,
            SessionEvent::Failed { message, .. } => self.failures.push(message),
            _ => {}
        }
    }

    /// Receives events until then.
    fn listen(&mut self, events: &Receiver<SessionEvent>, until: Instant) {
        loop {
            match events.recv_deadline(until) {
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => panic!("the session is gone"),
            }
        }
    }
}

/// Checks that the metrics of a snapshot count every waiting job once.
fn sums_are_the_queue(generation: &Generation) {
    let board = board(&generation.run);
    let series = read_metrics(metrics(generation, &board, generation.snapshot.now.0).as_str());
    let counted = series.iter().filter(|(name, ..)| name == "qscope_waiting_jobs").map(|(.., value)| value);
    assert_eq!(counted.sum::<f64>(), board.waiting as f64);
}

fn opening(folder: &Path) -> Opening {
    Opening::of(OpeningOrigin::Folder(folder.to_owned()))
}

/// Writes at its pace until the time is over; returns the writer, and the processor time it took.
pub(super) fn write_for(mut writer: Writer, length: Duration) -> (Writer, f64) {
    let (began, pause) = (Instant::now(), Duration::from_secs(1) / writer.size.changes_a_second);
    while began.elapsed() < length {
        writer.change();
        let due = pause * u32::try_from(writer.changes).unwrap();
        thread::sleep(due.saturating_sub(began.elapsed()));
    }
    writer.finish();
    (writer, processor_time("thread-self"))
}

/// Returns whether a generation is what the folder holds.
fn is_fresh(have: &Generation, fresh: &Generation) -> bool {
    have.snapshot.nodes == fresh.snapshot.nodes
        && have.snapshot.jobs == fresh.snapshot.jobs
        && !Comparison::of(&have.run, &fresh.run).differs()
}

/// Prints the figures of the writer and of the session.
fn tell(written: &Writer, length: Duration, told: &Told, settled: Duration) {
    let mut out = std::io::stdout();
    writeln!(
        out,
        "soak: {} changes in {:.0} s ({:.1} a second) on {} vnodes and {} jobs: {} renamed, {} rewritten in \
         place, {} truncated",
        written.changes,
        length.as_secs_f64(),
        written.changes as f64 / length.as_secs_f64(),
        written.size.vnodes,
        written.size.jobs,
        written.renamed,
        written.rewritten,
        written.truncated
    )
    .unwrap();
    writeln!(
        out,
        "soak: {} generations, {} waits for a file, {} failures; {} kept of about {:.0} MB, {} dropped; the model was \
         that of a fresh reading {:.2} s after the last change was read back",
        told.loads,
        told.waits,
        told.failures.len(),
        told.history.len(),
        told.history.bytes() as f64 / 1_048_576.0,
        told.history.dropped(),
        settled.as_secs_f64()
    )
    .unwrap();
}

#[test]
#[ignore = "takes a minute; .ci/run soak runs it"]
fn a_folder_under_fire_is_followed_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::new(folder.path(), Size::asked("2000x1000x20"));
    writer.finish();
    let (sender, events) = unbounded();
    let session = open(opening(folder.path()), move |event| sender.send(event).is_ok()).unwrap();
    let (began, taken) = (Instant::now(), processor_time("self"));
    let length = length();
    let writing = thread::spawn(move || write_for(writer, length));

    // Memory is compared from when the history is full: what it keeps is bounded, and growing until then is its task. By then
    // every thread has had its part of the heap too.
    let mut told = Told::default();
    while (told.history.dropped() == 0 || began.elapsed() < length / 6) && !writing.is_finished() {
        told.listen(&events, Instant::now() + Duration::from_millis(200));
    }
    let (full_after, start) = (began.elapsed(), resident("self"));
    let mut most = start;
    while !writing.is_finished() {
        told.listen(&events, Instant::now() + Duration::from_secs(1));
        most = most.max(resident("self"));
    }
    let ((written, by_writer), done) = (writing.join().unwrap(), Instant::now());
    let share = (processor_time("self") - taken - by_writer) / began.elapsed().as_secs_f64();
    let fresh = load_generation(&opening(folder.path()), 0).unwrap();
    let until = done + Duration::from_secs(20);
    while !told.history.newest().is_some_and(|newest| is_fresh(newest, &fresh)) {
        assert!(Instant::now() < until, "the model is not what the folder holds; {} loads", told.loads);
        told.listen(&events, Instant::now() + Duration::from_millis(20));
    }
    let (settled, end) = (done.elapsed(), resident("self"));
    drop(session);

    tell(&written, length, &told, settled);
    let grown = most.max(end) / start;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "soak: memory {start:.0} MB when {MAX_GENERATIONS} generations were kept (after {:.0} s), {most:.0} MB at \
         most, {end:.0} MB at the end: {grown:.2} times; {:.0} % of a core beside the writer",
        full_after.as_secs_f64(),
        100.0 * share
    )
    .unwrap();
    assert_eq!(told.failures, Vec::<String>::new());
    assert!(told.history.dropped() > 0, "the history never filled: {} loads", told.loads);
    assert!(grown <= 1.3, "{start:.0} MB at the start, {most:.0} MB at most");
}

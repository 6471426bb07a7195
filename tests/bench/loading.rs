//! Measures keys while new snapshots load (console.md 6, Loading): the program in a pseudo-terminal, over a
//! folder whose dumps are rewritten each second.
//!
//!     cargo bench --bench loading                    10,000 nodes with 10,000 jobs, a minute, 200×60
//!     cargo bench --bench loading -- 2000x2000 20    another size, 20 seconds
//!     cargo bench --bench loading -- 600 10/s        ten minutes, written ten times a second
//!
//! The time of a key is from its byte to the screen that shows its effect, as read from the terminal. The
//! limits are 5 ms for half of the keys and 16 ms for 99 of 100. At the end, the program's memory at the
//! start, at most and at the end is printed, with its share of a core, and the last picture is compared with
//! that of a fresh start.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

#[allow(dead_code, reason = "dumps in text are for other benches")]
mod dumps;
#[allow(dead_code, reason = "other benches turn more over at once")]
mod edited;
mod process;
#[path = "../it/whole_frames.rs"]
mod whole_frames;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use edited::Dumps;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};
use process::{processor_time, resident};
use whole_frames::WholeFrames;

const COLUMNS: u16 = 200;
const ROWS: u16 = 60;
/// Time between the answer to a key and the next key.
const PAUSE: Duration = Duration::from_millis(40);
/// Number of vnodes and jobs that change each time.
const TURNED: usize = 20;

/// What the screen shows after a key has done its work.
#[derive(Clone, Copy)]
enum Seen {
    /// The cursor is on another row.
    Moved,
    /// A title, or the typed text.
    Text(&'static str),
}

use Seen::{Moved, Text};

/// Goes through the views with typical keys in each, and back to the first.
const KEYS: [(&str, Seen); 31] = [
    ("j", Moved),
    ("j", Moved),
    ("k", Moved),
    ("G", Moved),
    ("g", Moved),
    ("j", Moved),
    ("3", Text("Jobs ·")),
    ("j", Moved),
    ("G", Moved),
    ("g", Moved),
    ("s", Text("sort")),
    ("2", Text("Nodes ")),
    ("t", Text("problems first")),
    ("j", Moved),
    ("G", Moved),
    ("g", Moved),
    ("t", Text("a cell")),
    ("5", Text("Queues ")),
    ("6", Text("Calendar")),
    ("4", Text("Placement sets")),
    ("8", Text("core-hours")),
    ("1", Text("Queue, in the order")),
    ("/", Text("filter")),
    ("u", Text("/u")),
    ("s", Text("/us")),
    ("e", Text("/use")),
    ("r", Text("/user")),
    ("=", Text("/user=")),
    ("u", Text("/user=u")),
    ("\x1b", Text("▸ ")),
    ("j", Moved),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let size = words.iter().find_map(|word| word.split_once('x'));
    let (nodes, jobs) =
        size.map_or((10_000, 10_000), |(nodes, jobs)| (nodes.parse().unwrap(), jobs.parse().unwrap()));
    let seconds = words.iter().find_map(|word| word.parse().ok()).unwrap_or(60);
    let pace: u32 =
        words.iter().find_map(|word| word.strip_suffix("/s")).map_or(1, |times| times.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let dumps = Dumps::new(vec![
        ("nodes.json".to_owned(), dumps::nodes_json(nodes)),
        ("jobs.json".to_owned(), dumps::jobs_json(jobs)),
    ]);
    write(&dumps, folder.path());
    let mut program = Program::start(folder.path());
    program.wait(&|screen| row_of(screen).is_some());
    let written = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let (count, stop, place) = (written.clone(), is_over.clone(), folder.path().to_owned());
    let (began, taken, first) = (Instant::now(), processor_time(&program.id()), resident(&program.id()));
    let writer =
        thread::spawn(move || rewrite(dumps, &place, Duration::from_secs(1) / pace, (&count, &stop)));
    let (times, most) = press(&mut program, Duration::from_secs(seconds));
    let share = (processor_time(&program.id()) - taken) / began.elapsed().as_secs_f64();
    is_over.store(true, Ordering::Relaxed);
    writer.join().unwrap();
    report(&times, &format!("{nodes} vnodes, {jobs} jobs, {COLUMNS}x{ROWS}"));
    say(&format!(
        "the dumps were written {} times; {} different pictures of the nodes were seen at keys",
        written.load(Ordering::Relaxed),
        program.states.len()
    ));
    say(&format!(
        "memory {first:.0} MB at the start, {most:.0} MB at most, {:.0} MB at the end; {:.0} % of a core",
        resident(&program.id()),
        100.0 * share
    ));
    compare(&mut program, folder.path());
}

/// Compares the counts of the last picture with those of a fresh start.
fn compare(program: &mut Program, folder: &Path) {
    let mut fresh = Program::start(folder);
    let expected = counts(&fresh.wait(&|screen| row_of(screen).is_some()));
    program.wait(&|screen| counts(screen) == expected);
    say(&format!("the last picture is that of a fresh start: {}", expected.unwrap_or_default()));
}

/// Presses the keys for a time; returns each with its time, and the maximum memory in megabytes.
fn press(program: &mut Program, time: Duration) -> (Vec<(Duration, &'static str)>, f64) {
    let until = Instant::now() + time;
    let (mut times, mut most) = (Vec::new(), 0.0_f64);
    for (key, seen) in KEYS.iter().cycle() {
        if Instant::now() > until {
            break;
        }
        program.settle(PAUSE);
        let before = program.screen.screen().contents();
        program.states.extend(counts(&before));
        // If the job under the cursor has ended, the cursor is on the first row and cannot go up.
        if *key == "k" && row_of(&before) == Some("1") {
            continue;
        }
        let start = Instant::now();
        program.keys.write_all(key.as_bytes()).unwrap();
        program.wait(&|screen| match seen {
            Moved => row_of(screen).is_some() && cursor_of(screen) != cursor_of(&before),
            Text(text) => screen.contains(text),
        });
        times.push((start.elapsed(), *key));
        most = most.max(resident(&program.id()));
    }
    (times, most)
}

/// Returns what the first line shows of the nodes.
fn counts(screen: &str) -> Option<String> {
    screen.lines().next()?.split(" · ").find(|fact| fact.contains("free")).map(str::to_owned)
}

/// Returns the row of the cursor, as in the title.
fn row_of(screen: &str) -> Option<&str> {
    let number = |(_, rest): (usize, &str)| -> Option<usize> {
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        (end > 0 && rest[end..].starts_with('/')).then_some(end)
    };
    screen.match_indices("▸ ").find_map(|(at, mark)| {
        let rest = &screen[at + mark.len()..];
        number((at, rest)).map(|end| &rest[..end])
    })
}

/// Returns the position of the cursor: the number of its row and the row's subject. A snapshot that removes
/// rows at the time of a key may leave the number unchanged.
fn cursor_of(screen: &str) -> (Option<&str>, Option<&str>) {
    let row = screen.lines().find_map(|line| line.split_once("┃▸"));
    // In the cycle, the row begins with its position in the order.
    let nth = usize::from(screen.contains("in the order"));
    (row_of(screen), row.and_then(|(_, cells)| cells.split_whitespace().nth(nth)))
}

fn report(times: &[(Duration, &str)], what: &str) {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = |share: usize| sorted[(sorted.len() * share / 100).min(sorted.len() - 1)].0;
    say(&format!(
        "{what}: {} keys while snapshots load: half {:.1?}, 90 % {:.1?}, 99 % {:.1?}, all {:.1?}",
        sorted.len(),
        at(50),
        at(90),
        at(99),
        at(100)
    ));
    let slowest = sorted.iter().rev().take(8);
    let slowest: Vec<String> = slowest.map(|(time, key)| format!("{key:?} {time:.1?}")).collect();
    say(&format!("the slowest: {}", slowest.join(", ")));
}

/// Rewrites the dumps repeatedly, each time with some records changed.
fn rewrite(mut dumps: Dumps, folder: &Path, every: Duration, (written, is_over): (&AtomicU64, &AtomicBool)) {
    let began = Instant::now();
    for round in 0.. {
        let due = every * u32::try_from(round + 1).unwrap();
        thread::sleep(due.saturating_sub(began.elapsed()));
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        for nth in 0..TURNED {
            dumps.turn_node(round * 31 + nth * 97);
            dumps.turn_job(round * 37 + nth * 89);
        }
        write(&dumps, folder);
        written.fetch_add(1, Ordering::Relaxed);
    }
}

/// Replaces each file as a whole by a rename.
fn write(dumps: &Dumps, folder: &Path) {
    for (name, bytes) in &dumps.files {
        let draft: PathBuf = folder.join(format!(".{name}.part"));
        // The folder no longer exists when the bench ends.
        if std::fs::write(&draft, bytes).is_ok() {
            drop(std::fs::rename(&draft, folder.join(name)));
        }
    }
}

/// The program, and the screen that its output makes.
struct Program {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    bytes: Receiver<Vec<u8>>,
    frames: WholeFrames,
    screen: vt100::Parser,
    /// Everything that the first line showed of the nodes so far.
    states: BTreeSet<String>,
}

impl Program {
    fn start(folder: &Path) -> Self {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_qscope"));
        command.arg(folder);
        for (name, value) in [("LC_ALL", "C.UTF-8"), ("TERM", "xterm-256color"), ("COLORTERM", "truecolor")] {
            command.env(name, value);
        }
        // Nothing is kept from an earlier run.
        command.env("XDG_STATE_HOME", folder.join(".state"));
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, bytes) = channel();
        thread::spawn(move || {
            // The terminal stays open as long as something is read.
            let _pair = pair;
            let mut buffer = vec![0; 1 << 16];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let (frames, screen) = (WholeFrames::default(), vt100::Parser::new(ROWS, COLUMNS, 0));
        Self { child, keys, bytes, frames, screen, states: BTreeSet::new() }
    }

    /// Returns its process id.
    fn id(&self) -> String {
        self.child.process_id().unwrap_or_default().to_string()
    }

    /// Processes its output until the screen is as expected; fails after 30 s.
    fn wait(&mut self, expected: &dyn Fn(&str) -> bool) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let seen = self.screen.screen().contents();
            if expected(&seen) {
                return seen;
            }
            let more = self.bytes.recv_timeout(until.saturating_duration_since(Instant::now()));
            assert!(more.is_ok(), "never came; the screen is\n{seen}");
            self.screen.process(&self.frames.take(&more.unwrap()));
        }
    }

    /// Processes its output for a time.
    fn settle(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Ok(more) = self.bytes.recv_timeout(until.saturating_duration_since(Instant::now())) {
            self.screen.process(&self.frames.take(&more));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

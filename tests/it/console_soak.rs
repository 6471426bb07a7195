//! A stress test of a minute: the program runs in a pseudo-terminal over a folder that changes ten times a second.
//! Memory must not grow, no core may be kept busy, and the last picture must be that of a fresh start.
//!
//! `.ci/run soak` runs it; `QSCOPE_SOAK_SECONDS` and `QSCOPE_SOAK_SIZE` make it longer and larger, and
//! `QSCOPE_PROGRAM` names the build of the program.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::Write as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::console_program::Program;
use super::soak::process::{processor_time, resident};
use super::soak::{Size, Writer, length, write_for};

/// Time from which memory is compared: by then the maximum number of snapshots is kept.
const FULL: Duration = Duration::from_secs(20);
/// Maximum factor by which memory at the end may exceed that of then. Memory does not grow with the number of changes;
/// the rest is what the allocator keeps of freed memory, which differs from moment to moment.
const END: f64 = 1.1;
/// Maximum factor by which memory may exceed that of then at any moment. While a snapshot is replaced, its parts that
/// changed, their texts and the cycles over both are in memory together.
const PEAK: f64 = 1.35;
/// Maximum share of one core. The program rests four times as long as it read and analysed.
const SHARE: f64 = 0.8;
/// A screen that stays unchanged this long is finished: workers look ahead for at most three seconds.
const FINISHED: Duration = Duration::from_secs(5);
/// Maximum duration of a computation.
const LONGEST: Duration = Duration::from_secs(60);

fn start(folder: &Path) -> Program {
    let program = std::env::var("QSCOPE_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_qscope").to_owned());
    let mut console = Program::start_built(&program, folder, &["."], (200, 60));
    console.wait_for("Queue, in the order");
    console
}

/// Returns the screen once it stays unchanged.
fn finished(console: &mut Program) -> String {
    let until = Instant::now() + LONGEST;
    let mut seen = console.watch(FINISHED);
    while Instant::now() < until {
        let next = console.watch(FINISHED);
        if std::mem::replace(&mut seen, next) == seen {
            break;
        }
    }
    seen
}

/// Returns the lines in which two screens differ. Of the first line only the counts are compared: the age of the
/// picture, and how far predictions held, do not depend on the files.
fn differing<'a>(one: &'a str, other: &'a str) -> Vec<(&'a str, &'a str)> {
    fn counts(screen: &str) -> Option<&str> {
        screen.lines().next()?.split(" · ").find(|fact| fact.contains("nodes:"))
    }
    // Blanks at the end of a line are written or erased.
    let lines = |screen: &'a str| screen.lines().skip(1).map(str::trim_end);
    let pairs = |one, other| lines(one).zip(lines(other));
    let first = counts(one).zip(counts(other));
    first.into_iter().chain(pairs(one, other)).filter(|(one, other)| one != other).collect()
}

#[test]
#[ignore = "takes a minute and a half; .ci/run soak runs it"]
fn soak_of_a_console_on_a_folder_under_fire() {
    let (folder, length) = (tempfile::tempdir().unwrap(), length());
    let mut writer = Writer::new(folder.path(), Size::asked("2000x2000x10"));
    writer.finish();
    let mut console = start(folder.path());
    let id = console.id();
    let (began, taken) = (Instant::now(), processor_time(&id));
    let writing = thread::spawn(move || write_for(writer, length));
    console.watch(FULL.min(length / 2));
    let first = resident(&id);
    let mut most = first;
    while !writing.is_finished() {
        console.watch(Duration::from_secs(1));
        most = most.max(resident(&id));
    }
    let share = (processor_time(&id) - taken) / began.elapsed().as_secs_f64();
    let (mut writer, _) = writing.join().unwrap();
    console.watch(FINISHED);
    // Once more as it is, a moment later: what differs from the snapshot before is marked, and after a start nothing is.
    writer.wait();
    writer.finish();
    // The cursor stayed with its job, wherever that went; after a start it is on the first one.
    console.press("g");
    let (live, fresh) = (finished(&mut console), finished(&mut start(folder.path())));
    let end = resident(&id);
    let mut out = std::io::stdout();
    writeln!(
        out,
        "soak of the console: {} changes in {:.0} s; memory {first:.0} MB after {:.0} s, {most:.0} MB at most, {end:.0} MB \
         at the end; {:.0} % of a core; {} lines other than after a fresh start",
        writer.changes(),
        length.as_secs_f64(),
        FULL.min(length / 2).as_secs_f64(),
        100.0 * share,
        differing(&live, &fresh).len()
    )
    .unwrap();
    assert_eq!(differing(&live, &fresh), Vec::new());
    assert!(end <= first * END, "{first:.0} MB at the start, {end:.0} MB at the end");
    assert!(most <= first * PEAK, "{first:.0} MB at the start, {most:.0} MB at most");
    assert!(share <= SHARE, "{:.0} % of a core", 100.0 * share);
}

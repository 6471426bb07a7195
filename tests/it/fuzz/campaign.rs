//! Runs all fuzz targets for a time, each in a process of its own with bounded memory.
//!
//! `QSCOPE_FUZZ_MINUTES` is the total time, `QSCOPE_FUZZ_ONLY` selects targets, `QSCOPE_FUZZ_SEED` is the
//! first seed. Inputs that fail are kept in `target/fuzz`; once fixed they go to `tests/fuzz/found`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::corpus::corpus;
use super::mutate::{Edit, edited};
use super::targets::{TARGETS, Target};

/// Maximum address space of a process, in kB.
const MEMORY: u32 = 4_000_000;
/// Time after which an input counts as endless.
const LONGEST: Duration = Duration::from_secs(60);

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Generator by Steele and Lea (SplitMix64), with one number of state.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn edits(&mut self) -> Vec<Edit> {
        let count = 1 + self.next() % 6;
        let edit = |draws: &mut Self| {
            let (kind, both) = (draws.next(), draws.next());
            ((kind % 256) as u8, both as u32, (both >> 32) as u32)
        };
        (0..count).map(|_| edit(self)).collect()
    }
}

/// The result of one process.
#[derive(Default)]
struct Found {
    executions: u64,
    bytes: u64,
    slowest: Duration,
    slowest_bytes: usize,
    /// The largest growth of the process for one input, in bytes, and the input's length.
    memory: (u64, usize),
    /// The places of panics, with their counts.
    panics: BTreeMap<String, u64>,
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz")
}

/// Returns an amount of memory in this process's status, in bytes.
fn status(name: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

static PLACE: Mutex<String> = Mutex::new(String::new());

fn campaign(target: &Target, seconds: u64, seed: u64, folder: &Path) -> Found {
    panic::set_hook(Box::new(|about| {
        let place = about.location().map(ToString::to_string).unwrap_or_default();
        *PLACE.lock().unwrap() = place;
    }));
    let seeds = corpus().of(target.seeds);
    let (mut draws, mut found) = (Draws(seed), Found::default());
    // What is made only once, such as tables and the time zone, does not count as an input's memory.
    for seed in &seeds {
        let _ = panic::catch_unwind(|| (target.run)(seed));
    }
    let until = Instant::now() + Duration::from_secs(seconds);
    let current = folder.join("current");
    let begun = std::sync::Arc::new(Mutex::new(Instant::now()));
    let clock = begun.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if clock.lock().unwrap().elapsed() > LONGEST {
                // The input stays in `current`; the parent reports the process that ended this way.
                std::process::abort();
            }
        }
    });
    while Instant::now() < until {
        let chosen = seeds[draws.next() as usize % seeds.len()];
        let input = edited(chosen, &draws.edits(), corpus());
        fs::write(&current, &input).unwrap();
        let reset = fs::write("/proc/self/clear_refs", "5").is_ok();
        let before = status("VmRSS");
        *begun.lock().unwrap() = Instant::now();
        let started = Instant::now();
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        let took = started.elapsed();
        found.executions += 1;
        found.bytes += input.len() as u64;
        if took > found.slowest {
            (found.slowest, found.slowest_bytes) = (took, input.len());
            fs::write(folder.join("slowest"), &input).unwrap();
        }
        let grown = status("VmHWM").saturating_sub(before);
        if reset && grown > found.memory.0 {
            found.memory = (grown, input.len());
            fs::write(folder.join("largest"), &input).unwrap();
        }
        if outcome.is_err() {
            let place = PLACE.lock().unwrap().clone();
            let times = found.panics.entry(place).or_default();
            *times += 1;
            if *times == 1 {
                fs::write(folder.join(format!("{}-{}", target.name, found.executions)), &input).unwrap();
            }
        }
    }
    found
}

#[test]
#[ignore = "the process of its own that the next test starts for each target"]
fn one_target() {
    let Some(name) = variable("QSCOPE_FUZZ_TARGET") else { return };
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let number = |name| variable(name).unwrap().parse::<u64>().unwrap();
    let folder = kept().join(&name);
    fs::create_dir_all(&folder).unwrap();
    let found = campaign(target, number("QSCOPE_FUZZ_SECONDS"), number("QSCOPE_FUZZ_SEED"), &folder);
    let mut text = format!(
        "{:<18} {:>9} runs {:>7} MB  slowest {:>7.0} ms ({:>6} B)  memory {:>6.1} MB ({:>6} B)",
        target.name,
        found.executions,
        found.bytes >> 20,
        found.slowest.as_secs_f64() * 1e3,
        found.slowest_bytes,
        found.memory.0 as f64 / 1e6,
        found.memory.1,
    );
    for (place, times) in &found.panics {
        text.push_str(&format!("\n    PANIC at {place}, {times} times"));
    }
    fs::write(folder.join("summary"), text).unwrap();
    assert!(found.panics.is_empty());
}

fn child(target: &str, seconds: u64, seed: u64) -> Output {
    let shell = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(shell).arg(std::env::current_exe().unwrap());
    command.args(["fuzz::campaign::one_target", "--exact", "--ignored", "--nocapture"]);
    command.env("QSCOPE_FUZZ_TARGET", target).env("QSCOPE_FUZZ_SECONDS", seconds.to_string());
    command.env("QSCOPE_FUZZ_SEED", seed.to_string()).output().unwrap()
}

#[test]
#[ignore = "runs for as long as QSCOPE_FUZZ_MINUTES says; tests/fuzz/run starts it"]
fn for_minutes() {
    let minutes: f64 = variable("QSCOPE_FUZZ_MINUTES").map_or(2.0, |text| text.parse().unwrap());
    let seed: u64 = variable("QSCOPE_FUZZ_SEED").map_or(1, |text| text.parse().unwrap());
    let only = variable("QSCOPE_FUZZ_ONLY").unwrap_or_default();
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|target| only.split(',').any(|part| target.name.contains(part))).collect();
    let seconds = ((minutes * 60.0 / chosen.len() as f64) as u64).max(1);
    let (mut failed, mut out) = (Vec::new(), std::io::stdout());
    for target in chosen {
        let folder = kept().join(target.name);
        drop(fs::remove_file(folder.join("summary")));
        let output = child(target.name, seconds, seed);
        match fs::read_to_string(folder.join("summary")) {
            Ok(summary) => writeln!(out, "{summary}").unwrap(),
            // The process did not finish: out of memory, out of stack, or an endless input.
            Err(_) => {
                let kept = folder.join(format!("{}-{seed}", target.name));
                let _moved = fs::rename(folder.join("current"), &kept);
                writeln!(out, "{:<18} ENDED {}: {}", target.name, output.status, kept.display()).unwrap();
            }
        }
        if !output.status.success() {
            failed.push(target.name);
        }
    }
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

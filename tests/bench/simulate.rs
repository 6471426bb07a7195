//! Measures the speed of simulated days.
//!
//!     cargo bench --bench simulate                 a day and `when`, on 2,000 vnodes
//!     cargo bench --bench simulate -- month        30 days with 100,000 jobs as well
//!     cargo bench --bench simulate -- FOLDER…      folders of simulated days
//!
//! One thread, except for `when`, which uses all. Each row has jobs, cycles and the time, the time of one
//! event (an arrival, an end, a cycle of the timer), and its ratio to one whole cycle over the state in the
//! middle: below 1 the simulator does less than to derive everything anew at each event.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

mod timing;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use qscope::cycle::run_cycle;
use qscope::simulate::runtimes::RuntimeRatios;
use qscope::simulate::start_distribution::{SamplingOptions, starts, waiting};
use qscope::simulate::{Simulation, SimulationFiles, SimulationInput, StopPoint};
use qscope::source::{Files, LoadOptions};
use qscope::universe::Quirks;
use serde_json::{Value, json};
use timing::{median, say, shown};

const FROM: i64 = 1_763_712_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    say("row                 jobs   cycles       time     events/s      event  one cycle  ratio");
    let (folders, words): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| Path::new(word).is_dir());
    for folder in &folders {
        let input = SimulationInput::read(
            &SimulationFiles::folder(Path::new(folder)).unwrap(),
            &LoadOptions::in_zone("UTC"),
        )
        .unwrap();
        measure(folder.rsplit('/').next().unwrap_or(folder), &input);
    }
    if !folders.is_empty() {
        return;
    }
    measure("day 2000", &made(2000, 3_333, 86_400));
    when();
    if words.iter().any(|word| word == "month") {
        measure("month 2000", &made(2000, 100_000, 30 * 86_400));
    }
}

/// Returns vnodes of 32 cores, and jobs that need several times what these offer, so that a long queue waits.
fn made(nodes: u32, jobs: u32, span: i64) -> SimulationInput {
    let mut state = 11u64;
    let mut next = move |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let rows: Vec<Value> = (0..jobs)
        .map(|id| {
            let at = FROM + i64::from(id) * span / i64::from(jobs);
            let wide = next(10) < 3;
            let (chunks, cores) = if wide { (1 + next(64), 32) } else { (1, 1 + next(32)) };
            let walltime = 3600 * (1 + i64::try_from(next(24)).unwrap());
            let runtime = walltime * i64::try_from(1 + next(100)).unwrap() / 100;
            let place = if wide { "scatter:excl" } else { "free" };
            json!({"id": format!("{id}.svr"), "at": at, "runtime": runtime, "job": {
                "Job_Owner": format!("user{}@host", next(60)), "queue": (if wide { "large" } else { "small" }),
                "Resource_List": {"select": format!("{chunks}:ncpus={cores}"), "place": place,
                    "ncpus": chunks * cores, "nodect": chunks, "walltime": format!("{:02}:00:00", walltime / 3600)}}})
        })
        .collect();
    let mut files = Files::new("made");
    files.insert(
        "nodes.toml",
        format!("[[node]]\nname = \"n[1-{nodes}]\"\navailable = {{ ncpus = 32, mem = \"128gb\" }}\n"),
        None,
    );
    files.insert(
        "queue.toml",
        format!("now = {FROM}\n[[queue]]\nname = \"small\"\n[[queue]]\nname = \"large\"\n"),
        None,
    );
    files.insert("policy.toml", "[server]\ndefault_queue = \"small\"\nbackfill_depth = 5\n[sched_config]\nstrict_ordering = true\nbackfill = true\n", None);
    let arrivals = json!({"format": "arrivals 1", "jobs": rows}).to_string();
    SimulationInput::of_files(&files, &LoadOptions::in_zone("UTC"), Some(arrivals.as_bytes()), None).unwrap()
}

fn measure(name: &str, input: &SimulationInput) {
    let started = Instant::now();
    let done = Simulation::new(input.clone(), Quirks::default()).run(&mut ());
    let took = started.elapsed();
    let jobs = done.jobs.len();
    let cycles = done.counters.cycles + done.counters.empty_cycles;
    // Every job has an arrival and an end; the timer's cycles are events too.
    let events = 2 * jobs as u64 + cycles.saturating_sub(2 * jobs as u64);
    let event = took.checked_div(u32::try_from(events).unwrap().max(1)).unwrap();
    let cycle = one_cycle(input, done.counters.cycles / 2);
    say(&format!(
        "{name:<16}{jobs:>8}{cycles:>9} {}{:>13.0} {} {} {:>6.2}",
        shown(took),
        events as f64 / took.as_secs_f64(),
        shown(event),
        shown(cycle),
        event.as_secs_f64() / cycle.as_secs_f64(),
    ));
}

/// Measures a whole cycle over the state before cycle `number`.
fn one_cycle(input: &SimulationInput, number: u64) -> Duration {
    let mut going = Simulation::new(input.clone(), Quirks::default());
    if !going.run_to(StopPoint::Cycle(number.max(1)), &mut ()) {
        return Duration::from_nanos(1);
    }
    let snap = Arc::new(going.remaining().start);
    median(|| run_cycle(Arc::clone(&snap), Quirks::default())).0
}

/// Measures 100 runs for the last job of a queue of about 500.
fn when() {
    let input = made(2000, 6_000, 86_400);
    let mut going = Simulation::new(input.clone(), Quirks::default());
    let mut hour = 1;
    let rest = loop {
        assert!(
            going.run_to(StopPoint::At(qscope::cluster::Epoch(FROM + hour * 3600)), &mut ()),
            "no queue of 500"
        );
        let rest = going.remaining();
        if waiting(&rest).len() >= 500 {
            break rest;
        }
        going = going.resumed();
        hour += 1;
    };
    let mut rest = rest;
    rest.arrivals.jobs.clear();
    let queue = waiting(&rest);
    let ratios = RuntimeRatios::of(&input.arrivals.jobs);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let sampling = SamplingOptions {
        ratios: &ratios,
        days: None,
        seed: 1,
        runs: 100,
        threads,
        quirks: Quirks::default(),
    };
    let started = Instant::now();
    let seen = starts(&rest, &queue[queue.len() - 1..], &sampling, &|_| true);
    say(&format!(
        "when: {} runs, queue of {}, 2,000 vnodes, {threads} threads: {:.1} s",
        seen.runs,
        queue.len(),
        started.elapsed().as_secs_f64()
    ));
}

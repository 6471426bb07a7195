//! Measures very many placement sets: 10,000 vnodes with four values under each of three keys make about
//! 120,000 combined sets.
//!
//!     cargo bench --bench sets              as designed, without the bugs of the real scheduler
//!     cargo bench --bench sets -- observed  with them
//!
//! Prints the time to build the sets, the memory of the sets and of the cycle, and the slowest step: of the
//! cycle itself (a job is considered and started, and the sets are sorted again), and of the debugger
//! forwards and backwards.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

#[allow(dead_code, reason = "the cycle's bench uses the rest")]
mod cluster;
#[allow(dead_code, reason = "the cycle's bench uses the rest")]
mod timing;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::{Kind, Random, Row, Sets};
use qscope::cluster::{
    ByPeriod, GroupSortKey, ResourceDef, ResourceFlags, ResourceType as ResourceKind, Snapshot, Value,
};
use qscope::cycle::{Agenda, ConsiderationMode, CycleStart, Debugger, Setup, consider};
use qscope::placement::Probe;
use qscope::universe::{Occupant, Plan, Quirks, Semantics, State};
use timing::{say, shown};

const KEYS: [&str; 3] = ["router", "switch", "rack"];

fn main() {
    let observed = std::env::args().any(|word| word == "observed");
    let quirks = Quirks::of(if observed { Semantics::Observed } else { Semantics::Design });
    for kind in [Kind::Mixed, Kind::Excl, Kind::Shared] {
        measure(&format!("{kind:?}").to_lowercase(), &Arc::new(many_sets(kind)), quirks);
    }
}

/// Returns the vnodes and jobs of the cycle bench, with four of fifty values under each key, and sets sorted
/// by value and by unused ncpus.
fn many_sets(kind: Kind) -> Snapshot {
    let mut snap = Row { nodes: 10_000, jobs: 1000, kind, sets: Sets::None }.snapshot();
    let flags = ResourceFlags::from_letters("h");
    let name = "rack".into();
    snap.catalogue.insert(ResourceDef {
        name,
        kind: ResourceKind::TextArray,
        flags,
        built_in: false,
        guessed: false,
    });
    snap.server.node_group_enable = true;
    snap.server.node_group_key = KEYS.map(Into::into).to_vec();
    let keys = ["router HIGH", "ncpus HIGH unused"].map(|key| GroupSortKey::parse(key).unwrap());
    snap.policy.node_group_sort_key = ByPeriod::both(keys.to_vec());
    snap.policy.node_group_sort_requested = true;
    let mut random = Random(7);
    let ids = KEYS.map(|key| snap.catalogue.id(key).unwrap());
    snap.nodes.change_all(|node| {
        for (key, id) in KEYS.into_iter().zip(ids) {
            let mut values: Vec<u64> = Vec::new();
            while values.len() < 4 {
                let value = random.next() % 50;
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            let texts = values.iter().map(|value| format!("{key}{value:02}").into()).collect();
            node.available.set(id, Value::Texts(texts));
        }
    });
    snap
}

fn measure(name: &str, snap: &Arc<Snapshot>, quirks: Quirks) {
    let before = resident();
    let begin = Instant::now();
    let start = CycleStart::new(snap.clone(), quirks);
    let built = begin.elapsed();
    let after_build = resident();
    let begin = Instant::now();
    let run = Arc::new(start.run());
    let cycle = begin.elapsed();
    let after_cycle = resident();
    let started = run.outcomes().filter(|outcome| outcome.placed.is_some()).count();
    say(&format!(
        "{name}: {} sets, {} jobs, {started} start, {} changes of {} bytes",
        run.end.sets.len(),
        run.steps.len(),
        run.end.journal().len(),
        size_of::<qscope::universe::StateChange>(),
    ));
    say(&format!("  build      {}   {} MB", shown(built), (after_build - before) / 1024));
    say(&format!("  cycle      {}   {} MB with the build", shown(cycle), (after_cycle - before) / 1024));
    let runs = [(); 3].map(|()| steps(&run.plan, &run.setup));
    let quickest = |at: usize| runs.iter().map(|steps| steps[at]).min().unwrap();
    let mut quickest: Vec<Duration> = (0..run.steps.len()).map(quickest).collect();
    say(&format!("  a step     {}, each the fastest of three runs", spread(&mut quickest)));
    let mut debugger = Debugger::new(run.clone());
    let mut on: Vec<Duration> = (1..=run.steps.len()).map(|at| timed(|| debugger.seek(at))).collect();
    let mut back: Vec<Duration> = (0..run.steps.len()).rev().map(|at| timed(|| debugger.seek(at))).collect();
    say(&format!("  debugger   {} on", spread(&mut on)));
    say(&format!("             {} back", spread(&mut back)));
    let mut told = |at: usize| {
        debugger.seek(at);
        timed(|| drop(debugger.explain_next()))
    };
    let mut told: Vec<Duration> = (0..run.steps.len()).step_by(20).map(&mut told).collect();
    say(&format!("  explained  {}", spread(&mut told)));
}

/// Measures each step of the cycle.
fn steps(plan: &Arc<Plan>, setup: &Arc<Setup>) -> Vec<Duration> {
    let mut state = State::new(plan.clone(), setup.classes.count);
    let mut agenda = Agenda::new(&state, &setup.settings);
    let mut times = Vec::new();
    while let Some(job) = agenda.next(&state) {
        let mut starts = false;
        times.push(timed(|| {
            let outcome = consider(&mut state, setup, job, ConsiderationMode::Main, &mut Probe::off());
            let Ok(request) = plan.request(job, None) else { return };
            match (outcome.placed, outcome.rejection) {
                (Some(placed), _) => {
                    let end = state.now + request.duration;
                    state.start(Occupant::Job(job, None), request.place.sharedness, &placed.allocation, end);
                    starts = true;
                }
                (None, Some(rejection)) => {
                    state.refuse(job, setup.classes.by_job[job].map(|class| (class, &rejection)));
                }
                (None, None) => {}
            }
        }));
        if starts {
            agenda.after_start(job);
        }
    }
    times
}

fn timed(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// Formats the median, the 99th percentile, and the largest.
fn spread(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().unwrap_or_default();
    let largest = times.last().copied().unwrap_or_default();
    format!("{} median {} 99 % {} largest", shown(at(0.5)), shown(at(0.99)), shown(largest))
}

/// Returns the resident memory in kilobytes.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

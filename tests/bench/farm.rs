//! Measures the speed of the farm simulator, and its memory.
//!
//!     cargo bench --bench farm
//!
//! The work is `samples/packing/one-vo.toml`: 800 nodes of 8 slots, 187,181 jobs. Prints medians of five, on
//! one thread, for each policy: with figures only, and with job table and series as kept by the console. Then
//! a change of the lifetime in the packing view, from the key to the drawn screen. Then the increase of
//! resident memory for arrivals of two lengths, one ten times the other, whose jobs are drawn during the
//! simulation and not kept.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a bench fails as tests do")]

#[path = "../it/farm/stage.rs"]
mod stage;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use qscope::console::action::Action;
use qscope::console::theme::ColorDepth;
use qscope::farm::summary::SummaryObserver;
use qscope::farm::synthetic::SyntheticSettings;
use qscope::farm::{FarmInput, FarmPolicy, FarmRun, FarmRunOptions, FarmWindow, run, simulate};
use ratatui::layout::Size;
use stage::Stage;

fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/packing/one-vo.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let settings = SyntheticSettings::parse("one-vo.toml", &text).unwrap();
    let farm = settings.workload();
    let (packing, arrivals) = (settings.packing(&farm), farm.arrivals());
    say(&format!("{} jobs on {} slots", farm.jobs.len(), farm.total_slots()));
    say("policy       events   figures  million events/s   with table and series");
    for policy in ["relaxed", "exclusive", "none", "ttl:300", "ttl:3600", "ttl:6h"] {
        let ask = FarmRunOptions::with_one_policy(&farm, &packing, FarmPolicy::parse(policy).unwrap());
        let go = |ask: FarmRunOptions| run(&farm, &arrivals, ask, || true).unwrap();
        let (plain, done) = median(|| go(ask.clone()));
        let (whole, _) = median(|| go(ask.clone().keep_series(packing.clone())));
        let rate = done.summary.events as f64 / plain.as_secs_f64() / 1e6;
        say(&format!(
            "{policy:<10} {:>8} {:>6} ms {rate:>17.1} {:>20} ms",
            done.summary.events,
            plain.as_millis(),
            whole.as_millis()
        ));
    }
    drop((farm, arrivals));
    slider(&path);
    memory(&text);
}

/// Measures from a key on the slider of lifetimes to the redrawn screen.
fn slider(path: &Path) {
    let (mut view, first) = Stage::new(path, Size { width: 200, height: 60 }, ColorDepth::True);
    let began = Instant::now();
    view.compute(&first);
    say(&format!("opened, all lifetimes swept, in {} ms", began.elapsed().as_millis()));
    let mut times = Vec::new();
    for action in
        [Action::LongerTtl, Action::LongerTtl, Action::ShorterTtl, Action::ShorterTtl, Action::ShorterTtl]
    {
        let began = Instant::now();
        view.act(&[action]).draw();
        times.push(began.elapsed());
    }
    times.sort_unstable();
    let millis: Vec<String> = times.iter().map(|time| time.as_millis().to_string()).collect();
    say(&format!("another lifetime, from key to screen: {} ms", millis.join(" ")));
}

/// Measures the memory of simulations in which only running and waiting jobs are kept.
fn memory(text: &str) {
    for span in ["6d", "60d"] {
        let mut settings = SyntheticSettings::parse("one-vo.toml", text).unwrap();
        settings.span = span.to_owned();
        settings.load = 0.95;
        let farm = settings.farm();
        let ask = FarmRunOptions::with_one_policy(&farm, &settings.packing(&farm), FarmPolicy::Exclusive);
        let setting = FarmInput {
            nodes: &farm.nodes,
            policies: &ask.policies,
            residents: &[],
            from: 0,
            options: ask.options,
        };
        let mut summing = SummaryObserver::new(&farm, FarmWindow { from: 0, to: 6 * 86_400 });
        let before = resident();
        let events = simulate(setting, settings.arrivals(), &mut summing).unwrap();
        say(&format!(
            "{span:>4} of arrivals: {events:>8} events, {} kB more resident memory",
            resident().saturating_sub(before)
        ));
    }
}

/// Returns the resident memory in kilobytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

fn median(mut go: impl FnMut() -> FarmRun) -> (Duration, FarmRun) {
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..5 {
        let began = Instant::now();
        last = Some(go());
        times.push(began.elapsed());
    }
    times.sort_unstable();
    (times.get(2).copied().unwrap_or_default(), last.expect("five runs"))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).unwrap();
}

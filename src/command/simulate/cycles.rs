//! What every cycle decided: starts, top jobs, preemptions, and why the others wait.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::Epoch;
use qscope_engine::cycle::{Run, Verdict};
use qscope_exits::Lines;
use qscope_simulate::{CycleCounters, CycleObserver, SimulationInput};
use qscope_source::civil_time;

use crate::command::meter::Meter;

/// Keeps what cycles decide, if requested.
#[derive(Debug)]
pub(super) struct CycleRecorder {
    decided: Option<Vec<SimulatedCycleJson>>,
}

/// What one cycle decided.
#[derive(Default, Debug, Serialize)]
pub(super) struct SimulatedCycleJson {
    at: i64,
    /// Its number, from 1; empty cycles are not counted.
    cycle: u64,
    started: Vec<String>,
    /// The top jobs, and when they are to start.
    top: Vec<(String, i64)>,
    /// The jobs that were preempted, and the letter of the method.
    preempted: Vec<(String, char)>,
    /// The number of waiting jobs by the scheduler's comment.
    waiting: BTreeMap<String, usize>,
}

impl CycleRecorder {
    pub(super) fn new(kept: bool) -> Self {
        Self { decided: kept.then(Vec::new) }
    }

    /// Returns what was kept.
    pub(super) fn decided(&self) -> Option<&[SimulatedCycleJson]> {
        self.decided.as_deref()
    }

    /// Returns a line for each cycle.
    pub(super) fn to_text(&self, zone: &str) -> Lines {
        let mut text = Lines::new();
        for cycle in self.decided.iter().flatten() {
            let dated = |(job, at): &(String, i64)| (job.clone(), civil_time(Epoch(*at), zone));
            let top: Vec<(String, String)> = cycle.top.iter().map(dated).collect();
            let what = [
                ("starts", cycle.started.join(" ")),
                ("preempts", join(&cycle.preempted)),
                ("top", join(&top)),
            ];
            let parts: Vec<String> = what
                .iter()
                .filter(|(_, names)| !names.is_empty())
                .map(|(what, names)| format!("{what} {names}"))
                .collect();
            let reasons: Vec<String> =
                cycle.waiting.iter().map(|(reason, jobs)| wait(*jobs, reason)).collect();
            let parts: Vec<String> =
                [parts.join(", "), reasons.join(", ")].into_iter().filter(|part| !part.is_empty()).collect();
            let at = civil_time(Epoch(cycle.at), zone);
            text.line(format_args!("{at} cycle {}: {}", cycle.cycle, parts.join("; ")));
        }
        text
    }
}

fn wait(jobs: usize, comment: &str) -> String {
    let reason = comment.strip_prefix("Not Running: ").unwrap_or(comment);
    if jobs == 1 { format!("1 waits: {reason}") } else { format!("{jobs} wait: {reason}") }
}

fn join<T: std::fmt::Display>(pairs: &[(String, T)]) -> String {
    pairs.iter().map(|(name, what)| format!("{name} ({what})")).collect::<Vec<_>>().join(" ")
}

impl CycleObserver for CycleRecorder {
    fn cycle(&mut self, run: &Arc<Run>, counters: &CycleCounters) -> bool {
        let Some(decided) = &mut self.decided else { return true };
        let snap = &run.plan.snap;
        let (at, number) = (snap.now.0, counters.cycles);
        let mut cycle = SimulatedCycleJson { at, cycle: number, ..SimulatedCycleJson::default() };
        for outcome in run.outcomes() {
            let victims = outcome.victims.iter();
            cycle
                .preempted
                .extend(victims.map(|(job, method)| (snap.jobs[*job].name.to_string(), method.letter())));
            if outcome.verdict == Verdict::Run {
                cycle.started.push(outcome.name(snap));
                continue;
            }
            if let Some(top) = &outcome.estimate {
                cycle.top.push((outcome.name(snap), top.start.0));
            }
            if let Some(rejection) = &outcome.rejection {
                *cycle.waiting.entry(rejection.comment(&snap.catalogue)).or_default() += 1;
            }
        }
        decided.push(cycle);
        true
    }
}

/// Keeps what cycles decide, and shows how far the clock is; Ctrl-C ends the simulation with the results so far.
pub(super) struct ProgressObserver<'a> {
    cycles: &'a mut CycleRecorder,
    meter: &'a Meter,
    from: Epoch,
    last: Epoch,
}

impl<'a> ProgressObserver<'a> {
    /// Measures progress from the start to the last arrival.
    pub(super) fn new(input: &SimulationInput, cycles: &'a mut CycleRecorder, meter: &'a Meter) -> Self {
        let from = input.start.now;
        Self { cycles, meter, from, last: input.arrivals.last().unwrap_or(from).max(from) }
    }
}

impl CycleObserver for ProgressObserver<'_> {
    fn reads_usage(&self) -> bool {
        false
    }

    fn cycle(&mut self, run: &Arc<Run>, counters: &CycleCounters) -> bool {
        let passed = (run.plan.snap.now - self.from).0 as f64;
        let all = (self.last - self.from).0.max(1) as f64;
        self.meter.show(passed / all, counters.cycles, "cycles");
        self.cycles.cycle(run, counters) && self.meter.should_continue()
    }
}

//! The scaler over time: the nodes it would hold after each cycle until the queue is done.

use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use qscope_engine::cluster::{count, show_duration};
use qscope_exits::Lines;
use qscope_planning::capacity::sweep::{self, MAX_SIMULATED};
use qscope_planning::capacity::{CapacityReport, LoopEnd, LoopOutcome, LoopState};

use crate::command::capacity::CapacityArgs;

/// Default number of seconds between cycles, and until a node accepts jobs.
const INTERVAL: f64 = 60.0;
const BOOT: f64 = 120.0;

/// Runs the scaler over the queue, if that is requested.
pub(super) fn of(report: &CapacityReport, args: &CapacityArgs) -> Result<Option<LoopOutcome>> {
    if !args.over_time && args.interval.is_none() && args.boot.is_none() {
        return Ok(None);
    }
    let (interval, boot) = (args.interval.unwrap_or(INTERVAL), args.boot.unwrap_or(BOOT));
    let scenario = sweep::scenario(&report.snap, &report.case, interval, boot).ok_or_else(|| {
        eyre!("--over-time: more than {MAX_SIMULATED} chunks wait, too many to pack in every cycle")
    })?;
    Ok(Some(sweep::run(&scenario, &|| false)?))
}

/// The loop as JSON.
#[derive(Serialize)]
pub(super) struct LoopRunJson<'a> {
    /// How it ended: `done`, `deadlock`, `stuck` or `ended`.
    end: &'static str,
    /// When it ended, in seconds from the beginning.
    ended: f64,
    /// When the last job ended; null if not all did.
    makespan: Option<f64>,
    /// Nodes times seconds, from launch to termination.
    node_seconds: f64,
    most_nodes: usize,
    /// The states after cycles in which something changed.
    cycles: &'a [LoopState],
}

pub(super) fn to_json(outcome: &LoopOutcome) -> LoopRunJson<'_> {
    let (end, ended) = ending(outcome);
    LoopRunJson {
        end,
        ended,
        makespan: outcome.makespan,
        node_seconds: outcome.node_seconds,
        most_nodes: outcome.max_nodes,
        cycles: &outcome.trace,
    }
}

fn ending(outcome: &LoopOutcome) -> (&'static str, f64) {
    match outcome.end {
        LoopEnd::Done(at) => ("done", at),
        LoopEnd::Deadlock(at) => ("deadlock", at),
        LoopEnd::Stuck(at) => ("stuck", at),
        LoopEnd::CycleLimit(at) => ("ended", at),
    }
}

/// Returns one line for each cycle in which something changed.
pub(super) fn to_text(outcome: &LoopOutcome) -> Lines {
    let mut text = Lines::new();
    text.line("over time, from no node on:");
    text.line("     time  queued running  wanted  ready   held draining");
    for moment in &outcome.trace {
        let wanted: Vec<String> = moment.wanted.iter().map(ToString::to_string).collect();
        text.line(format_args!(
            "{:>9} {:>7} {:>7} {:>7} {:>6} {:>6} {:>8}",
            show_duration(moment.time),
            moment.queued,
            moment.running,
            wanted.join("+"),
            moment.ready,
            moment.held,
            moment.ignored
        ));
    }
    let (end, at) = ending(outcome);
    let last = outcome.makespan.map_or("some jobs never ended".to_owned(), |end| {
        format!("the last job ended after {}", show_duration(end))
    });
    text.line(format_args!(
        "{end} after {}; {last}; {:.1} node-hours, {} at most",
        show_duration(at),
        outcome.node_seconds / 3600.0,
        count(outcome.max_nodes, "node")
    ));
    text
}

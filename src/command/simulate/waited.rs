//! Core-hours waited by reason.

use serde::Serialize;

use qscope_exits::{Lines, csv_cell};
use qscope_simulate::WaitedForReason;
use qscope_simulate::figures::rounded;

/// Waits for one reason, over the whole simulation and all jobs.
#[derive(Serialize)]
pub(super) struct WaitedJson<'a> {
    /// The reason as `board` names it: `insufficient ncpus`, `order`; also `not yet looked at` (no cycle has considered
    /// the job since it arrived or was released), `preempted`, `held by user` and its like, `dependency`, `starts later`.
    reason_name: &'a str,
    /// Hours waited times cores requested; for an array, the cores of the subjobs that are left.
    core_hours: f64,
    /// How many jobs waited for it at any time; an array counts as one.
    jobs: usize,
}

/// Returns the reasons for programs, the largest first.
pub(super) fn to_json<'a>(waited: &'a [WaitedForReason]) -> Vec<WaitedJson<'a>> {
    let row = |waited: &'a WaitedForReason| WaitedJson {
        reason_name: &waited.reason,
        core_hours: rounded(hours(waited), 6),
        jobs: waited.jobs,
    };
    waited.iter().map(row).collect()
}

/// Returns the reasons as a table for other programs.
pub(super) fn csv(waited: &[WaitedForReason]) -> Lines {
    let mut text = Lines::new();
    text.line("reason_name,core_hours,jobs");
    for row in to_json(waited) {
        text.line(format_args!("{},{},{}", csv_cell(row.reason_name), row.core_hours, row.jobs));
    }
    text
}

/// Returns the reasons as a table, the largest first.
pub(super) fn to_text(waited: &[WaitedForReason]) -> Lines {
    let mut text = Lines::new();
    let all: f64 = waited.iter().map(hours).sum();
    if waited.is_empty() {
        text.line("no job waited");
        text.blank();
        return text;
    }
    text.line(format_args!("{all:.1} core-hours waited, from start to end of the simulation, all jobs:"));
    text.line("  core-hours    share    jobs  reason");
    for row in waited {
        let share = if all > 0.0 { hours(row) / all * 100.0 } else { 0.0 };
        text.line(format_args!("{:>12.1}  {share:>5.1} %  {:>6}  {}", hours(row), row.jobs, row.reason));
    }
    text.blank();
    text
}

fn hours(waited: &WaitedForReason) -> f64 {
    waited.core_seconds / 3600.0
}

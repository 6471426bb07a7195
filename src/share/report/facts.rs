//! The header of a report.

use qscope_engine::cluster::JobState;
use qscope_engine::cycle::Run;
use qscope_explain::{Board, scheduling_is_off};

/// Names and values, in the order shown.
pub(super) fn facts(run: &Run, board: &Board) -> Vec<(&'static str, String)> {
    let snap = &run.plan.snap;
    let date = snap
        .date(snap.now)
        .map_or_else(|| snap.now.0.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S %:z").to_string());
    let running = snap.jobs.iter().filter(|job| job.state == JobState::Running).count();
    let starts = run.starts().count();
    let scheduling = if scheduling_is_off(snap) { "OFF: nothing starts until it is on" } else { "on" };
    vec![
        ("Snapshot of", format!("{date} (zone {})", snap.zone)),
        ("Server", snap.server.name.to_string()),
        ("Scheduler", snap.scheduler.name.to_string()),
        ("Scheduling", scheduling.to_owned()),
        ("Vnodes", snap.nodes.len().to_string()),
        ("Jobs running", running.to_string()),
        ("Jobs that start in this cycle", starts.to_string()),
        ("Jobs that wait", format!("{} for {:.1} core-hours", board.waiting, board.core_hours)),
        ("Made by", concat!("qscope ", env!("CARGO_PKG_VERSION")).to_owned()),
    ]
}

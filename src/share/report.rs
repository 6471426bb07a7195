//! A cycle as one page that can be sent to anyone who may see it: HTML without network access or scripts, or
//! Markdown.
//!
//! The same snapshot gives the same bytes: nothing on the page depends on the clock or the machine.

mod calendar;
mod html;
mod markdown;
mod nodes;
mod queue;

pub use html::html;
pub use markdown::markdown;

use std::sync::Arc;

use qscope_engine::cluster::JobState;
use qscope_engine::cycle::Run;
use qscope_explain::{Alert, Board, in_one_line, scheduling_is_off, unseen};

use qscope_explain::words::no_waiting_jobs;

use calendar::CalendarRow;
use nodes::NodeCell;
use queue::QueueRow;

/// The content of the page.
#[derive(Debug)]
pub struct Report {
    /// The name of the cluster.
    title: String,
    /// The lines that distinguish a what-if from the live cycle.
    what_if: Vec<String>,
    /// Names and values of the header.
    facts: Vec<(&'static str, String)>,
    /// The facts that were not seen, in lines.
    unseen: Vec<String>,
    alerts: Vec<String>,
    causes: Vec<CauseBar>,
    /// What it states instead of causes.
    no_cause: &'static str,
    /// A note if only a part of the queue was analysed.
    sample: Option<String>,
    nodes: Vec<NodeCell>,
    calendar: Vec<CalendarRow>,
    /// Number of events that are not listed.
    more_events: usize,
    queue: Vec<QueueRow>,
}

/// A cause of the board.
#[derive(Debug)]
struct CauseBar {
    title: String,
    object: String,
    example: String,
    jobs: usize,
    core_hours: f64,
    /// Its share of all waiting core-hours, in percent.
    share: f64,
}

impl Report {
    /// Creates the report of a cycle, its alerts and its board.
    pub fn new(run: &Arc<Run>, alerts: &[Alert], board: &Board) -> Self {
        let snap = &run.plan.snap;
        let (calendar, more_events) = calendar::rows(run);
        Self {
            title: snap.title.to_string(),
            what_if: Vec::new(),
            facts: facts(run, board),
            unseen: in_one_line(&unseen(&snap.origins)).into_iter().collect(),
            alerts: alerts
                .iter()
                .flat_map(|alert| &alert.items)
                .map(|item| item.sentence.clone())
                .take(200)
                .collect(),
            causes: causes(board),
            no_cause: no_waiting_jobs(snap, "No job waits."),
            sample: board.sample(),
            nodes: nodes::cells(run),
            calendar,
            more_events,
            queue: queue::rows(run),
        }
    }

    /// Makes the page begin with these lines, by which an answer to a what-if differs from one about the live cycle.
    pub fn with_what_if(self, lines: impl Iterator<Item = String>) -> Self {
        Self { what_if: lines.collect(), ..self }
    }
}

fn causes(board: &Board) -> Vec<CauseBar> {
    let all = board.core_hours.max(f64::MIN_POSITIVE);
    let bar = |row: &qscope_explain::BoardRow| CauseBar {
        title: row.title().to_owned(),
        object: row.cause_object().to_owned(),
        example: row.example.clone(),
        jobs: row.jobs.len(),
        core_hours: row.core_hours,
        share: row.core_hours / all * 100.0,
    };
    board.rows.iter().map(bar).collect()
}

/// Returns the names and values of the header, in the order shown.
fn facts(run: &Run, board: &Board) -> Vec<(&'static str, String)> {
    let snap = &run.plan.snap;
    let date = snap
        .date(snap.now)
        .map_or_else(|| snap.now.0.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S %:z").to_string());
    let running = snap.jobs.iter().filter(|job| job.state == JobState::Running).count();
    let starts = run.starts().count();
    let options = run.plan.quirks.options();
    let options = if options.is_empty() { options } else { format!(" with {options}") };
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
        ("Made by", format!("qscope {}{options}", env!("CARGO_PKG_VERSION"))),
    ]
}

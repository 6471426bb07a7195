//! Future events on the nodes: ends of jobs, reservations, top jobs.

use qscope_engine::cluster::short_id;
use qscope_engine::cycle::Run;
use qscope_engine::universe::{EventKey, EventKind, Occupant};
use qscope_explain::{Overdue, occupant_id, words};

/// Maximum number of events that are listed.
const MOST: usize = 200;

/// One event.
#[derive(Debug)]
pub(super) struct CalendarRow {
    pub(super) at: String,
    /// `start` or `end`.
    pub(super) kind: &'static str,
    /// The job or reservation.
    pub(super) who: String,
    /// The job's id without the server, if the page has a decision for that job.
    pub(super) job: Option<String>,
    pub(super) nodes: usize,
    /// The share of all vnodes, in percent.
    pub(super) share: f64,
}

/// Describes when an event occurs; the end of an overdue job is assumed.
fn event_time_text(run: &Run, key: &EventKey, occupant: Occupant) -> String {
    let at = words::moment(&run.plan.snap, key.at);
    let overdue = match (key.kind, occupant) {
        (EventKind::End, Occupant::Job(job, _)) => Overdue::of(&run.plan, job),
        _ => None,
    };
    let by = overdue.map(|overdue| format!(", assumed: overdue by {}", words::duration(overdue.duration)));
    at + &by.unwrap_or_default()
}

/// Returns the next events, and the number of those not listed.
pub(super) fn rows(run: &Run) -> (Vec<CalendarRow>, usize) {
    let snap = &run.plan.snap;
    let all = snap.nodes.len().max(1);
    let end = run.end_at_server();
    let rows = end.timeline.iter().take(MOST).map(|(key, event)| {
        let nodes = event.allocation.nodes().len();
        let who = run.plan.occupant_name(event.occupant);
        let is_judged = matches!(event.occupant, Occupant::Job(job, _) if run.outcome(job).is_some());
        CalendarRow {
            at: event_time_text(run, key, event.occupant),
            kind: if key.kind == EventKind::End { "end" } else { "start" },
            who: occupant_id(&run.plan, event.occupant),
            job: is_judged.then(|| short_id(who).to_owned()),
            nodes,
            share: nodes as f64 / all as f64 * 100.0,
        }
    });
    (rows.collect(), end.timeline.iter().count().saturating_sub(MOST))
}

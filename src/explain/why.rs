//! The answer to "why is my job still queued?".

use std::sync::Arc;

use crate::cluster::{JobId, JobState};
use crate::cycle::{Debugger, Outcome, Run, Standing, Verdict};
use crate::universe::Reason;

use super::stages::{ChunkOffer, StageText, stages};
use super::tier::Tier;

/// A decision, explained.
#[derive(Clone, Debug)]
pub struct Why {
    /// What became of the job; none if it runs already.
    pub outcome: Option<Outcome>,
    /// The kind of cause; none for jobs that start or run.
    pub tier: Option<Tier>,
    /// What the cause is about, by its name in the batch system.
    pub objects: Vec<String>,
    /// The cause in one line.
    pub headline: String,
    /// The stages in order.
    pub stages: Vec<StageText>,
    /// What each bucket offered.
    pub chunks: Vec<ChunkOffer>,
    /// The scheduler's own comment in the dump.
    pub scheduler_said: Option<String>,
}

/// Explains what became of a job.
#[must_use]
pub fn why(run: &Arc<Run>, job: JobId) -> Why {
    let plan = &run.plan;
    let debugger = Debugger::new(run.clone());
    let (outcome, stages, chunks) = match debugger.explain(job) {
        Some((outcome, events)) => {
            let (told, offers) = stages(plan, &outcome, &events);
            (Some(Outcome { order: run.outcome(job).and_then(|o| o.order), ..outcome }), told, offers)
        }
        None => (run.outcome(job).cloned(), Vec::new(), Vec::new()),
    };
    Why {
        tier: outcome.as_ref().and_then(Tier::of),
        objects: outcome.as_ref().map(|outcome| objects(run, outcome)).unwrap_or_default(),
        headline: headline(run, job, outcome.as_ref()),
        stages,
        chunks,
        scheduler_said: plan.job(job).comment.clone(),
        outcome,
    }
}

/// The cause in one line.
fn headline(run: &Run, job: JobId, outcome: Option<&Outcome>) -> String {
    let plan = &run.plan;
    let name = plan.job(job).short_name();
    if let Standing::Out(_, words) = &run.standing[job] {
        return format!("{name} is not considered: {words}");
    }
    let Some(outcome) = outcome else {
        let state = plan.job(job).state;
        let word = if state == JobState::Running { "is running" } else { "is not waiting" };
        return format!("{name} {word}");
    };
    let path = outcome.path.map_or("before any path", |path| path.word());
    match (&outcome.placed, &outcome.rejection) {
        (Some(placed), _) => {
            let nodes = placed.allocation.nodes().len();
            format!("{name} starts in this cycle on {nodes} nodes ({path} path)")
        }
        (None, Some(rejection)) => {
            let text = rejection.reason.text(&plan.snap.catalogue);
            let text =
                if text.is_empty() { "too few nodes of the right kind in all".to_owned() } else { text };
            let verb = if outcome.verdict == Verdict::Never { "can never run" } else { "waits" };
            format!("{name} {verb}: {} ({path})", text.trim_end())
        }
        (None, None) => format!("{name} waits"),
    }
}

/// What the cause is about.
fn objects(run: &Run, outcome: &Outcome) -> Vec<String> {
    let catalogue = &run.plan.snap.catalogue;
    let job = run.plan.job(outcome.job);
    match outcome.rejection.as_ref().map(|rejection| &rejection.reason) {
        Some(Reason::Resource(s) | Reason::ServerResource(s)) => vec![catalogue.name(s.resource).to_string()],
        Some(Reason::QueueResource(s)) => vec![job.queue.to_string(), catalogue.name(s.resource).to_string()],
        Some(Reason::SetTooSmall(set)) => vec![set.to_string()],
        Some(Reason::QueueNotStarted) => vec![job.queue.to_string()],
        _ => Vec::new(),
    }
}

//! Starts that a later step of the same cycle undoes by preemption.

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;

use crate::undone_starts::LastUndoneStart;
use crate::{Cause, Tier, decided, words};

/// Returns the cause of a job that this cycle starts and then preempts, and does not consider again.
pub(crate) fn undone(run: &Run, job: JobId) -> Option<Cause> {
    let outcome = decided(run, job).filter(|outcome| run.is_undone(outcome))?;
    let placed = outcome.placed.as_ref()?;
    let undone = LastUndoneStart::of(run, job)?;
    let nodes = words::count(placed.allocation.nodes().len(), "node");
    let path = outcome.entered().map_or("", |path| path.word());
    let after = if outcome.by_preemption { ", after a preemption" } else { "" };
    let predicate =
        format!("starts in this cycle on {nodes} ({path} path{after}), and is then {}", undone.end_words());
    let name = run.plan.job(job).short_name();
    let cause = Cause::of_job(Tier::Order, "preempted", name, predicate);
    Some(cause.with_short_sentence(undone.brief()).with_objects([undone.by().name.to_string()]))
}

//! Starts that a later step of the same cycle undoes by preemption.

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::Run;

use crate::undone_starts::LastUndoneStart;
use crate::{Cause, Tier, decided, words};

/// Returns the cause of a job that this cycle starts and then preempts, and does not consider again.
pub(crate) fn undone(run: &Run, job: JobId) -> Option<Cause> {
    let outcome = decided(run, job).filter(|outcome| run.is_undone(outcome))?;
    let on = words::start_on_nodes(outcome)?;
    let undone = LastUndoneStart::of(run, job)?;
    let predicate = format!("starts in this cycle {on}, and is then {}", undone.end_words());
    let name = run.plan.job(job).short_name();
    let cause = Cause::of_job(Tier::Order, "preempted", name, predicate);
    Some(cause.with_short_sentence(undone.brief()).with_objects([undone.by().name.to_string()]))
}

//! Starts that the server refuses, since a cycle gave their nodes away twice.

use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Outcome, Run};

use crate::double_booking::GivenTwice;
use crate::{Cause, Tier, decided, words};

/// The kind of that cause.
pub(crate) const REFUSED_BY_SERVER: &str = "refused-by-server";

/// The cause that keeps a job waiting which the server refuses to start: a job ahead took a node of it alone.
pub(crate) fn refused(run: &Run, job: JobId) -> Option<Cause> {
    refused_with(run, decided(run, job)?)
}

/// The same where it is known what became of the job.
pub(crate) fn refused_with(run: &Run, outcome: &Outcome) -> Option<Cause> {
    let placed = outcome.placed.as_ref()?;
    let booking = run.refusal(outcome)?;
    // Of an array its subjobs are refused one by one.
    let name = outcome.name(&run.plan.snap);
    let (name, why) = (short_id(&name), GivenTwice::new(run, booking).sentence());
    let path = outcome.entered().map_or("", |path| path.word());
    let after = if outcome.by_preemption { ", after a preemption" } else { "" };
    let nodes = words::count(placed.allocation.nodes().len(), "node");
    let what = format!("started on {nodes} ({path} path{after}), and the server refuses it: {why}");
    let first = booking.first.map(|job| run.plan.job(job).name.to_string());
    let nodes = booking.nodes.iter().map(|bit| run.plan.node_name(*bit).to_string());
    let cause = Cause::of_job_that_is(Tier::Order, REFUSED_BY_SERVER, name, what).in_brief(why);
    Some(cause.about(first.into_iter().chain(nodes)))
}

/// Why the server refuses a start that the cycle decided on; of an array its subjobs are refused one by one.
pub fn refused_by_server(run: &Run, outcome: &Outcome) -> Option<String> {
    run.refusal(outcome).map(|booking| GivenTwice::new(run, booking).sentence())
}

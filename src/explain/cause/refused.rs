//! Starts that the server refuses because a cycle assigned their nodes twice.

use qscope_engine::cluster::{JobId, short_id};
use qscope_engine::cycle::{Outcome, Run};

use crate::double_booking::DoubleBookingWords;
use crate::{Cause, Tier, decided, words};

/// The kind of this cause.
pub(crate) const REFUSED_BY_SERVER: &str = "refused-by-server";

/// Returns the cause of a job whose start the server refuses because a job ahead has one of its nodes exclusively.
pub(crate) fn refused(run: &Run, job: JobId) -> Option<Cause> {
    refused_with(run, decided(run, job)?)
}

/// Like [`refused`], for a known outcome.
pub(crate) fn refused_with(run: &Run, outcome: &Outcome) -> Option<Cause> {
    let on = words::start_on_nodes(outcome)?;
    let booking = run.refusal(outcome)?;
    // Subjobs of an array are refused one by one.
    let name = outcome.name(&run.plan.snap);
    let (name, why) = (short_id(&name), DoubleBookingWords::new(run, booking).sentence());
    let what = format!("started {on}, and the server refuses it: {why}");
    let first = booking.first.map(|job| run.plan.job(job).name.to_string());
    let nodes = booking.nodes.iter().map(|bit| run.plan.node_name(*bit).to_string());
    let cause = Cause::of_job_that_is(Tier::Order, REFUSED_BY_SERVER, name, what).with_short_sentence(why);
    Some(cause.with_objects(first.into_iter().chain(nodes)))
}

/// Returns why the server refuses a start decided by the cycle; subjobs of an array are refused one by one.
pub fn refused_by_server(run: &Run, outcome: &Outcome) -> Option<String> {
    run.refusal(outcome).map(|booking| DoubleBookingWords::new(run, booking).sentence())
}

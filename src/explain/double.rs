//! Nodes that a cycle gives away twice, in words.

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{DoubleBooking, Outcome, Run, refusal};

use super::cause::Cause;
use super::tier::Tier;
use super::turn::decided;
use super::words;

/// Why the server refuses to start a job that the cycle starts; none of any other job.
pub fn refused_by_server(run: &Run, job: JobId) -> Option<String> {
    refusal(run, job).map(|booking| given(run, booking))
}

/// The same as the cause that keeps the job waiting: a job ahead took a node of it alone.
pub(super) fn refused(run: &Run, job: JobId) -> Option<Cause> {
    refused_with(run, decided(run, job)?)
}

/// The same where it is known what became of the job.
pub(super) fn refused_with(run: &Run, outcome: &Outcome) -> Option<Cause> {
    let placed = outcome.placed.as_ref().filter(|_| run.is_refused(outcome))?;
    let booking = refusal(run, outcome.job)?;
    let (name, why) = (run.plan.job(outcome.job).short_name(), given(run, booking));
    let path = outcome.entered().map_or("", |path| path.word());
    let after = if outcome.by_preemption { ", after a preemption" } else { "" };
    let nodes = words::count(placed.allocation.nodes().len(), "node");
    let sentence =
        format!("{name} is started on {nodes} ({path} path{after}), and the server refuses it: {why}");
    let first = booking.first.map(|job| run.plan.job(job).name.to_string());
    let nodes = booking.nodes.iter().map(|bit| run.plan.node_name(*bit).to_string());
    let cause = Cause { brief: Some(why), ..Cause::new(Tier::Order, "refused-by-server", sentence) };
    Some(cause.about(first.into_iter().chain(nodes)))
}

/// What was given away twice, and to whom.
pub(super) fn given(run: &Run, booking: &DoubleBooking) -> String {
    let plan = &run.plan;
    let nodes: Vec<String> = booking.nodes.iter().map(|bit| plan.node_name(*bit).to_string()).collect();
    let verb = if nodes.len() == 1 { "was" } else { "were" };
    let nodes = words::some(&nodes, 4);
    let again = plan.job(booking.again).short_name();
    match booking.first.map(|job| plan.job(job).short_name()) {
        Some(first) => {
            format!("{nodes} {verb} given to {first} and again to {again} (quirk {})", booking.quirk.name())
        }
        None => format!("{nodes} {verb} given to {again} although not free"),
    }
}

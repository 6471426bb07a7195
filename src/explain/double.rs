//! Nodes that a cycle gives away twice, in words.

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::{DoubleBooking, Run, refusal};

use super::words;

/// Why the server refuses to start a job that the cycle starts; none of any other job.
pub fn refused_by_server(run: &Run, job: JobId) -> Option<String> {
    refusal(run, job).map(|booking| given(run, booking))
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

//! Resources of the queue and of the server (rule 6.4 steps 8 and 9).

use crate::cluster::{Amount, JobId, ResourceList};
use crate::universe::{Plan, Reason, Rejection, Shortage};

use super::outcome::Stage;

/// Whether the queue and the server have what the job asks for, as the dump counts it.
///
/// # Errors
/// The stage and the first resource missing; never, when there is too little in all.
pub(super) fn check_resources(plan: &Plan, job: JobId) -> Result<(), (Stage, Rejection)> {
    let snap = &plan.snap;
    if let Some(queue) = snap.queue_named(&plan.job(job).queue) {
        let queue = &snap.queues[queue];
        let missing = first_missing(plan, job, &queue.available, &queue.assigned);
        missing.map_err(|(s, never)| {
            (Stage::QueueResources, Rejection { reason: Reason::QueueResource(s), never })
        })?;
    }
    let missing = first_missing(plan, job, &snap.server.available, &snap.server.assigned);
    missing.map_err(|(s, never)| {
        (Stage::ServerResources, Rejection { reason: Reason::ServerResource(s), never })
    })
}

fn first_missing(
    plan: &Plan,
    job: JobId,
    available: &ResourceList,
    assigned: &ResourceList,
) -> Result<(), (Shortage, bool)> {
    let Ok(request) = &plan.requests[job] else { return Ok(()) };
    for (resource, wanted) in &request.totals {
        let Some(total) = available.amount(*resource) else { continue };
        let used = assigned.amount(*resource).unwrap_or(Amount::ZERO);
        let left = Amount((total.0 - used.0).max(0.0));
        if wanted.0 > 0.0 && left < *wanted {
            let never = total < *wanted;
            let left = if never { total } else { left };
            return Err((Shortage::amounts(*resource, *wanted, left, total), never));
        }
    }
    Ok(())
}

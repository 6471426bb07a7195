//! In which order jobs are considered (rule 6.5), for the plain cases: queue by queue, or one list.

use std::cmp::Reverse;

use crate::cluster::{JobId, QueueId};
use crate::universe::Plan;

use super::eligible::{Standing, standing};

/// The jobs of a cycle in the order considered.
#[must_use]
pub(super) fn considered_order(plan: &Plan) -> Vec<JobId> {
    let snap = &plan.snap;
    let mut jobs: Vec<JobId> =
        snap.jobs.ids().filter(|id| standing(plan, *id) == Standing::Considered).collect();
    jobs.sort_by_cached_key(|id| rank(plan, *id));
    if !*snap.policy.by_queue.get(plan.period) {
        return jobs;
    }
    let mut queues: Vec<QueueId> = snap.queues.ids().collect();
    queues.sort_by_key(|queue| Reverse(snap.queues[*queue].priority));
    let of_queue = |queue: &QueueId| {
        let name = snap.queues[*queue].name.clone();
        jobs.iter().copied().filter(move |id| plan.job(*id).queue == name).collect::<Vec<_>>()
    };
    queues.iter().flat_map(of_queue).collect()
}

/// The rank of a job within one list: `queue_rank`, else when it was queued; then its number.
fn rank(plan: &Plan, id: JobId) -> (i64, u64, u32) {
    let job = plan.job(id);
    let rank = job.queue_rank.or(job.queued.map(|at| at.0)).unwrap_or(i64::MAX);
    let sequence = if job.queue_rank.is_some() { 0 } else { job.sequence };
    (rank, sequence, id.0)
}

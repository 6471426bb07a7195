//! The preemption level of a job, from the soft limits that its entities exceed (rule 6.10).

use crate::cluster::{Column, JobId, LimitScope, Limits, QueueId};

use crate::universe::{
    JobLevel, JobStatus, Ledger, LevelBits, MeterIx, MeterKey, Plan, entity_of, is_express_queue,
};

/// Tests the soft limits of every running job, then reads the level of every job (rule 6.10).
pub(super) fn read_levels(plan: &Plan, ledger: &mut Ledger) {
    if plan.has_soft_limits {
        let running = |job: &JobId| plan.job(*job).state.has_nodes();
        let outside = plan.snap.jobs.ids().filter(|job| plan.reservation_of(*job).is_none());
        for job in outside.filter(running) {
            for (meter, over) in soft_bits(plan, ledger, job) {
                ledger.exceeded_soft_limits[meter] = over;
            }
        }
    }
    let plain = |queue| level_in(plan, Some(queue), LevelBits::default(), false);
    let plain: Column<QueueId, JobLevel> = plan.snap.queues.ids().map(plain).collect();
    let level = |job| {
        let over_share = plan.over_share.checked(job).copied().unwrap_or(false);
        match plan.queue_of(job) {
            Some(queue) if is_plain(plan, job) && !over_share => plain[queue],
            _ => level_of(plan, &ledger.exceeded_soft_limits, job, over_share),
        }
    };
    ledger.levels = plan.snap.jobs.ids().map(level).collect();
    ledger.by_place = running_by_place(plan, ledger).into();
}

/// Returns the level of a job by the soft limits that its entities exceeded when last tested.
pub(in crate::universe) fn level_of(
    plan: &Plan,
    over: &Column<MeterIx, bool>,
    job: JobId,
    over_share: bool,
) -> JobLevel {
    if plan.snap.qrun == Some(job) {
        return JobLevel::QRUN;
    }
    let mut bits = LevelBits::default();
    for (meter, _) in plan.meters.charges_of(job).iter().filter(|(meter, _)| over[*meter]) {
        let at_queue = plan.meters.is_of_queue(*meter);
        bits = bits.with(if at_queue { LevelBits::QUEUE_SOFT } else { LevelBits::SERVER_SOFT });
    }
    level_in(plan, plan.queue_of(job), bits, over_share)
}

/// Whether a job's level depends only on its queue and share: no meter counts it, and it was not started by qrun.
fn is_plain(plan: &Plan, job: JobId) -> bool {
    plan.meters.charges_of(job).is_empty() && plan.snap.qrun != Some(job)
}

/// Returns the level of a job in a queue, with these bits and whether it is over its share.
fn level_in(plan: &Plan, queue: Option<QueueId>, mut bits: LevelBits, over_share: bool) -> JobLevel {
    if queue.is_some_and(|queue| is_express_queue(&plan.snap, queue)) {
        bits = bits.with(LevelBits::EXPRESS);
    }
    let priority = queue.map_or(0, |queue| plan.snap.queues[queue].priority);
    plan.levels.level(bits, over_share, priority)
}

/// Returns the meters with soft limits for a job's entities, each with whether it now exceeds its limit.
pub(in crate::universe) fn soft_bits(plan: &Plan, ledger: &Ledger, job: JobId) -> Vec<(MeterIx, bool)> {
    let snap = &plan.snap;
    let mut bits = Vec::new();
    let queue = plan.queue_of(job).map(|queue| (Some(queue), &snap.queues[queue].limits));
    for (queue, limits) in [Some((None, &snap.server.limits)), queue].into_iter().flatten() {
        at_place(plan, ledger, job, queue, limits, &mut bits);
    }
    bits
}

/// The same for the limits of the server or a queue. Once an overall limit on a resource is exceeded, no further one
/// is tested.
fn at_place(
    plan: &Plan,
    ledger: &Ledger,
    job: JobId,
    queue: Option<QueueId>,
    limits: &Limits,
    bits: &mut Vec<(MeterIx, bool)>,
) {
    let of = plan.job(job);
    let mut exceeded = false;
    for entry in limits.entries.iter().filter(|entry| entry.soft) {
        let of_all = entry.scope == LimitScope::Overall && entry.resource.is_some();
        let requested = entry.resource.is_none_or(|resource| of.requested.amount(resource).is_some());
        if (of_all && exceeded) || !requested {
            continue;
        }
        let entity = entity_of(of, entry.scope);
        let is_generic_of_all = entry.scope == LimitScope::Overall && entry.entity.is_none();
        if !is_generic_of_all && !limits.is_for(entry, &entity) {
            continue;
        }
        let key = MeterKey::Limit { queue, scope: entry.scope, entity, resource: entry.resource };
        let Some(meter) = plan.meters.meter(&key) else { continue };
        let over = ledger.meters[meter] > entry.amount.0;
        exceeded |= of_all && over;
        bits.push((meter, over));
    }
}

/// Returns the number of running jobs in each level, by place.
pub(in crate::universe) fn running_by_place(plan: &Plan, ledger: &Ledger) -> Vec<u32> {
    let mut counts: Vec<u32> = Vec::new();
    for (job, status) in ledger.jobs.enumerate() {
        // Most jobs wait, which the books show alone.
        if !matches!(status, JobStatus::Running(_)) && ledger.started[job] == 0 {
            continue;
        }
        // Subjobs started in this cycle have no record of their own.
        let runs = if plan.job(job).is_array() { ledger.started[job] } else { ledger.runs(plan, job).into() };
        if runs == 0 {
            continue;
        }
        let place = ledger.levels[job].place.map_or(0, |place| place as usize + 1);
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        if let Some(count) = counts.get_mut(place) {
            *count += runs;
        }
    }
    counts
}

//! What starts and ends do to soft limits and levels (rule 6.10).
//!
//! Whether an entity is over a soft limit is a bit that only its own jobs' starts and ends set and clear. A job's level is
//! read from these bits, and only for jobs that have something in common with the one that started or ended.

use crate::cluster::{JobId, LimitScope, Limits, QueueId};

use crate::universe::level::{Level, level_of};
use crate::universe::plan::Plan;
use crate::universe::plan::meters::{MeterIx, MeterKey, entity_of};
use crate::universe::state::State;
use crate::universe::state::change::Change;
use crate::universe::state::ledger::{Ledger, LedgerChange};
use crate::universe::timeline::Occupant;

/// The bits of a job's entities as they are now: over the limit or not.
pub(in crate::universe) fn soft_bits(plan: &Plan, ledger: &Ledger, job: JobId) -> Vec<(MeterIx, bool)> {
    let snap = &plan.snap;
    let mut bits = Vec::new();
    let queue = plan.queue_of(job).map(|queue| (Some(queue), &snap.queues[queue].limits));
    for (queue, limits) in [Some((None, &snap.server.limits)), queue].into_iter().flatten() {
        at_place(plan, ledger, job, queue, limits, &mut bits);
    }
    bits
}

/// The same at the server or the queue. Of the overall limits on resources none is tested after the first that is
/// exceeded.
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

/// How many jobs run in each level, by place, as their levels stand.
pub(in crate::universe) fn running_by_place(plan: &Plan, ledger: &Ledger) -> Vec<u32> {
    let mut counts: Vec<u32> = Vec::new();
    for job in plan.snap.jobs.ids() {
        // Subjobs that started in this cycle have no record of their own.
        let runs = if plan.job(job).is_array() { ledger.started[job] } else { ledger.runs(plan, job).into() };
        if runs == 0 {
            continue;
        }
        let place = ledger.levels[job].place.map_or(0, |place| place + 1);
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        if let Some(count) = counts.get_mut(place) {
            *count += runs;
        }
    }
    counts
}

impl State {
    /// Brings soft limits and levels up to date after a job started or ended. Copies of the universe in which only the
    /// calendar comes true read no levels.
    pub(in crate::universe) fn level_anew(&mut self, occupant: Occupant, starts: bool) {
        let Occupant::Job(job, _) = occupant else { return };
        if self.simulated || !self.plan.has_soft_limits || self.plan.reservation_of(job).is_some() {
            return;
        }
        let plan = self.plan.clone();
        for (meter, over) in soft_bits(&plan, &self.ledger, job) {
            if self.ledger.over[meter] != over {
                self.change(Change::Ledger(LedgerChange::Over(meter, over)));
            }
        }
        if starts {
            self.read_level(job, self.ledger.levels[job].over_share);
        }
        for other in plan.snap.jobs.ids().filter(|other| shares_limits(&plan, job, *other)) {
            self.read_level(other, self.ledger.levels[other].over_share);
        }
    }

    /// Counts anew how many jobs run in each level, where soft limits of the server or of this job's queue make it so.
    pub(in crate::universe) fn count_levels(&mut self, occupant: Occupant) {
        let Occupant::Job(job, _) = occupant else { return };
        if self.simulated || !has_soft_limits_of(&self.plan, job) {
            return;
        }
        let counts = running_by_place(&self.plan, &self.ledger);
        if *counts != *self.ledger.by_place {
            self.change(Change::Ledger(LedgerChange::ByPlace(counts.into())));
        }
    }

    pub fn read_level(&mut self, job: JobId, over_share: bool) {
        let level: Level = level_of(&self.plan, &self.ledger.over, job, over_share);
        if level != self.ledger.levels[job] {
            self.change(Change::Ledger(LedgerChange::Level(job, Box::new(level))));
        }
    }
}

/// Whether the server or the queue of a job has any soft limit.
pub fn has_soft_limits_of(plan: &Plan, job: JobId) -> bool {
    let soft = |limits: &Limits| limits.entries.iter().any(|entry| entry.soft);
    let queue = plan.queue_of(job);
    plan.has_soft_limits
        && (soft(&plan.snap.server.limits)
            || queue.is_some_and(|queue| soft(&plan.snap.queues[queue].limits)))
}

/// Whether the level of a job is read anew when this one starts or ends: the same user, where the server or the queue of
/// the one that starts or ends limits users, or the same group or project, likewise. Overall limits make nothing common.
fn shares_limits(plan: &Plan, job: JobId, other: JobId) -> bool {
    let queue = plan.queue_of(job);
    let limited = |scope| {
        let any = |limits: &Limits| limits.entries.iter().any(|entry| entry.scope == scope);
        any(&plan.snap.server.limits) || queue.is_some_and(|queue| any(&plan.snap.queues[queue].limits))
    };
    let (a, b) = (plan.job(job), plan.job(other));
    (a.user == b.user && limited(LimitScope::User))
        || (a.group == b.group && limited(LimitScope::Group))
        || (a.project == b.project && limited(LimitScope::Project))
}

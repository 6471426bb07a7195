//! The effects of starts and ends on soft limits and levels (rule 6.10).
//!
//! Whether an entity exceeds a soft limit is a bit that only starts and ends of its own jobs update. A job's level is
//! read from these bits, and only for jobs that share an entity with the one that started or ended.

use crate::cluster::{JobId, LimitScope, Limits};

use crate::universe::state::levels::{level_of, running_by_place, soft_bits};
use crate::universe::{JobLevel, LedgerChange, Occupant, Plan, State, StateChange};

impl State {
    /// Updates soft limits and levels after a job started or ended. Copies of the universe that simulate the calendar
    /// read no levels.
    pub(in crate::universe) fn update_levels(&mut self, occupant: Occupant, starts: bool) {
        let Occupant::Job(job, index) = occupant else { return };
        if self.is_of_calendar() || !self.plan.has_soft_limits {
            return;
        }
        let plan = self.plan.clone();
        // A start in a reservation updates no bit, but levels are still read.
        let bits = match plan.reservation_of(job) {
            None => soft_bits(&plan, &self.ledger, job),
            Some(_) => Vec::new(),
        };
        for (meter, over) in bits {
            if self.ledger.exceeded_soft_limits[meter] != over {
                self.change(StateChange::Ledger(LedgerChange::SoftLimitExceeded(meter, over)));
            }
        }
        // A start of an array is that of a subjob; the array itself is among the jobs that share an entity with it.
        if starts && index.is_none() {
            self.read_level(job, self.ledger.levels[job].over_share);
        }
        for other in plan.snap.jobs.ids().filter(|other| shares_limits(&plan, job, *other)) {
            self.read_level(other, self.ledger.levels[other].over_share);
        }
    }

    /// Recounts the running jobs in each level, if the server or this job's queue has soft limits.
    pub(in crate::universe) fn count_levels(&mut self, occupant: Occupant) {
        let Occupant::Job(job, _) = occupant else { return };
        if self.is_of_calendar() || !has_soft_limits_of(&self.plan, job) {
            return;
        }
        let counts = running_by_place(&self.plan, &self.ledger);
        if *counts != *self.ledger.by_place {
            self.change(StateChange::Ledger(LedgerChange::ByPlace(counts.into())));
        }
    }

    pub fn read_level(&mut self, job: JobId, over_share: bool) {
        let level: JobLevel = level_of(&self.plan, &self.ledger.exceeded_soft_limits, job, over_share);
        if level != self.ledger.levels[job] {
            self.change(StateChange::Ledger(LedgerChange::Level(job, Box::new(level))));
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

/// Whether `other`'s level is read again when `job` starts or ends: they have the same user, and the server or the
/// queue of `job` limits users, or likewise for group or project. Overall limits do not count.
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

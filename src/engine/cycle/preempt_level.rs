//! Preemption levels: which jobs go before which, and may take whose nodes (rule 6.10).

use crate::cluster::{JobId, LimitScope};
use crate::universe::{MeterKey, Plan, State, entity_of};

/// The bits that decide a job's level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LevelBits(u8);

impl LevelBits {
    /// In an express queue.
    pub const EXPRESS: Self = Self(1);
    /// Over a soft limit of the server.
    pub const SERVER_SOFT: Self = Self(2);
    /// Over a soft limit of its queue.
    pub const QUEUE_SOFT: Self = Self(4);
    /// Over its fair share.
    pub const FAIRSHARE: Self = Self(8);
    /// Nothing special.
    pub const NORMAL: Self = Self(16);

    /// Both sets of bits.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all bits of `other` are here.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// `preempt_prio`: combinations of bits, highest level first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreemptLevels {
    levels: Vec<LevelBits>,
    uses_soft_limits: bool,
    uses_fairshare: bool,
}

/// The value of the highest level; each one below is a thousand lower.
const TOP: i64 = 100_000;
const STEP: i64 = 1_000;
/// Above every level and every priority of an express queue: an operator started the job by qrun.
const QRUN: i64 = 10 * TOP;

impl PreemptLevels {
    /// Reads the list; unknown words are left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let bits = |word: &str| match word.trim() {
            "express_queue" => Some(LevelBits::EXPRESS),
            "server_softlimits" => Some(LevelBits::SERVER_SOFT),
            "queue_softlimits" => Some(LevelBits::QUEUE_SOFT),
            "fairshare" => Some(LevelBits::FAIRSHARE),
            "normal_jobs" => Some(LevelBits::NORMAL),
            _ => None,
        };
        let combine = |entry: &str| entry.split('+').filter_map(bits).reduce(LevelBits::with);
        let mut levels: Vec<(usize, LevelBits)> = text.split(',').filter_map(combine).enumerate().collect();
        let anywhere = |bit| levels.iter().any(|(_, level)| level.has(bit));
        let uses_soft_limits = anywhere(LevelBits::SERVER_SOFT) || anywhere(LevelBits::QUEUE_SOFT);
        let uses_fairshare = anywhere(LevelBits::FAIRSHARE);
        // The value goes by place in the list; the search goes by number of bits first.
        levels.sort_by_key(|(at, level)| (std::cmp::Reverse(level.0.count_ones()), *at));
        Self {
            levels: levels.into_iter().map(|(_, level)| level).collect(),
            uses_soft_limits,
            uses_fairshare,
        }
    }

    /// Whether soft limits decide any level, so that starts can change the order of jobs.
    #[must_use]
    pub fn uses_soft_limits(&self) -> bool {
        self.uses_soft_limits
    }

    /// Whether fair share decides any level.
    #[must_use]
    pub fn uses_fairshare(&self) -> bool {
        self.uses_fairshare
    }

    /// The priority of a set of bits: that of the first level whose bits are all there.
    #[must_use]
    pub fn priority(&self, bits: LevelBits) -> i64 {
        let at = |bits: LevelBits| self.levels.iter().position(|level| *level == bits);
        let found = self.levels.iter().position(|level| bits.has(*level));
        let place = found.or_else(|| at(LevelBits::NORMAL)).unwrap_or(self.levels.len());
        TOP - STEP * i64::try_from(place).unwrap_or(0)
    }

    /// The priority of a job that nothing sets apart.
    #[must_use]
    pub fn normal(&self) -> i64 {
        self.priority(LevelBits::NORMAL)
    }

    /// The priority of a job now; `over_share` is whether its entity is over its share.
    #[must_use]
    pub fn of_job(&self, state: &State, job: JobId, over_share: bool) -> i64 {
        if state.plan.snap.qrun == Some(job) {
            return QRUN;
        }
        let bits = self.bits(state, job, over_share);
        let express = if bits.has(LevelBits::EXPRESS) { queue_priority(&state.plan, job) } else { 0 };
        self.priority(bits).saturating_add(express)
    }

    fn bits(&self, state: &State, job: JobId, over_share: bool) -> LevelBits {
        let plan = &state.plan;
        let mut bits = LevelBits::default();
        if is_express(plan, job) {
            bits = bits.with(LevelBits::EXPRESS);
        }
        if self.uses_soft_limits {
            let queue = plan.queue_of(job);
            if is_over_soft_limit(state, job, None) {
                bits = bits.with(LevelBits::SERVER_SOFT);
            }
            if queue.is_some() && is_over_soft_limit(state, job, queue) {
                bits = bits.with(LevelBits::QUEUE_SOFT);
            }
        }
        if self.uses_fairshare && over_share {
            bits = bits.with(LevelBits::FAIRSHARE);
        }
        if bits == LevelBits::default() { LevelBits::NORMAL } else { bits }
    }
}

/// Whether a job's queue is an express queue.
#[must_use]
pub fn is_express(plan: &Plan, job: JobId) -> bool {
    plan.queue_of(job).is_some() && queue_priority(plan, job) >= plan.snap.scheduler.preempt_queue_prio
}

fn queue_priority(plan: &Plan, job: JobId) -> i64 {
    plan.queue_of(job).map_or(0, |queue| plan.snap.queues[queue].priority)
}

/// Whether any soft limit that holds for a job is exceeded: used > limit (rule 6.6).
fn is_over_soft_limit(state: &State, job: JobId, queue: Option<crate::cluster::QueueId>) -> bool {
    let plan = &state.plan;
    let limits = match queue {
        None => &plan.snap.server.limits,
        Some(queue) => &plan.snap.queues[queue].limits,
    };
    let of = plan.job(job);
    limits.entries.iter().filter(|entry| entry.soft).any(|entry| {
        let entity = entity_of(of, entry.scope);
        let named = |other: &crate::cluster::LimitEntry| {
            other.soft
                && other.scope == entry.scope
                && other.resource == entry.resource
                && other.entity.as_ref() == Some(&entity)
        };
        let applies = match &entry.entity {
            Some(name) => *name == entity,
            None => entry.scope == LimitScope::Overall || !limits.entries.iter().any(named),
        };
        let key = MeterKey::Limit { queue, scope: entry.scope, entity, resource: entry.resource };
        let used = plan.meters.meter(&key).map_or(0.0, |meter| state.ledger.meters[meter]);
        applies && used > entry.amount.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_go_by_bits_then_place() {
        let levels = PreemptLevels::read("express_queue, normal_jobs, server_softlimits+fairshare");
        assert!(levels.uses_soft_limits());
        let both = LevelBits::SERVER_SOFT.with(LevelBits::FAIRSHARE);
        assert_eq!(levels.priority(both.with(LevelBits::EXPRESS)), 100_000);
        assert!(levels.priority(LevelBits::EXPRESS) > levels.priority(LevelBits::NORMAL));
        assert_eq!(levels.priority(LevelBits::QUEUE_SOFT), levels.normal());
    }
}

//! Preemption levels: which jobs go before which, and may take whose nodes (rule 6.10).
//!
//! A level is read when the scheduler reads it, and remembered until it is read anew: soft limits are bits that starts
//! and ends of jobs set and clear, not sums that are compared whenever a level is needed.

use crate::cluster::{QueueId, Snapshot};

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

    /// These bits but those of `other`.
    #[must_use]
    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all bits of `other` are here.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The level of one job as it was read last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// What sets it apart; [`LevelBits::NORMAL`] alone where no entry of `preempt_prio` is for it.
    pub bits: LevelBits,
    /// Whether its entity had used more than its share when that was read.
    pub over_share: bool,
    /// The place of its entry in `preempt_prio`, the highest first; none above all of them, for a job of qrun.
    pub place: Option<u32>,
    /// The number that orders jobs; higher goes first.
    pub priority: i64,
}

/// `preempt_prio`: combinations of bits. The value of an entry goes by its place in the list, the highest first; a job
/// gets the first entry whose bits it has all, when entries with more bits are tried first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreemptLevels {
    /// Each entry with its place, in the order tried.
    tried: Vec<(u32, LevelBits)>,
    normal: u32,
}

/// The value of the highest level; each one below is a thousand lower.
const TOP: i64 = 100_000;
const STEP: i64 = 1_000;
/// Above every level and every priority of an express queue: an operator started the job by qrun.
const QRUN: i64 = 10 * TOP;

impl PreemptLevels {
    /// Reads the list; unknown words are left out.
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
        let mut tried: Vec<(u32, LevelBits)> = (0..).zip(text.split(',').filter_map(combine)).collect();
        let after = tried.last().map_or(0, |(place, _)| place + 1);
        let normal =
            tried.iter().find(|(_, bits)| *bits == LevelBits::NORMAL).map_or(after, |(place, _)| *place);
        tried.sort_by_key(|(place, bits)| (std::cmp::Reverse(bits.0.count_ones()), *place));
        Self { tried, normal }
    }

    /// The level of a job that these bits set apart, in a queue of this priority.
    pub fn level(&self, bits: LevelBits, over_share: bool, queue_priority: i64) -> Level {
        let mut all = if over_share { bits.with(LevelBits::FAIRSHARE) } else { bits };
        // A list that names no express queues knows no express jobs.
        if !self.tried.iter().any(|(_, entry)| entry.has(LevelBits::EXPRESS)) {
            all = all.without(LevelBits::EXPRESS);
        }
        if all == LevelBits::default() {
            all = LevelBits::NORMAL;
        }
        let (place, entry, bits) = match self.tried.iter().find(|(_, entry)| all.has(*entry)) {
            Some((place, entry)) => (*place, *entry, all),
            None => (self.normal, LevelBits::NORMAL, LevelBits::NORMAL),
        };
        let express = if entry.has(LevelBits::EXPRESS) { queue_priority } else { 0 };
        Level { bits, over_share, place: Some(place), priority: value(place).saturating_add(express) }
    }

    /// The priority of a job that nothing sets apart.
    pub fn normal(&self) -> i64 {
        value(self.normal)
    }
}

impl Level {
    /// The level of the job of a qrun.
    pub(in crate::universe) const QRUN: Self =
        Self { bits: LevelBits::NORMAL, over_share: false, place: None, priority: QRUN };
}

fn value(place: u32) -> i64 {
    TOP - STEP * i64::from(place)
}

pub fn is_express_queue(snap: &Snapshot, queue: QueueId) -> bool {
    snap.queues[queue].priority >= snap.scheduler.preempt_queue_prio
}

/// How many queues are express queues.
pub fn express_queues(snap: &Snapshot) -> usize {
    snap.queues.ids().filter(|queue| is_express_queue(snap, *queue)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule 6.10: the value goes by place, the search by number of bits.
    #[test]
    fn levels_go_by_bits_then_place() {
        let levels = PreemptLevels::read("express_queue, normal_jobs, server_softlimits+fairshare");
        let priority = |bits, over_share| levels.level(bits, over_share, 200).priority;
        assert_eq!(priority(LevelBits::EXPRESS, false), 100_200);
        assert_eq!(priority(LevelBits::default(), true), 99_000);
        assert_eq!(priority(LevelBits::SERVER_SOFT.with(LevelBits::EXPRESS), true), 98_000);
        assert_eq!(priority(LevelBits::QUEUE_SOFT, false), levels.normal());
    }

    /// Rule 6.10: a list without express queues knows no express jobs.
    #[test]
    fn express_is_what_the_list_names() {
        let levels = PreemptLevels::read("normal_jobs, fairshare");
        for bits in [LevelBits::default(), LevelBits::SERVER_SOFT] {
            let express = levels.level(bits.with(LevelBits::EXPRESS), false, 200);
            assert_eq!(express, levels.level(bits, false, 0));
        }
    }
}

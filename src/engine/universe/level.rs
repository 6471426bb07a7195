//! Preemption levels: the order of jobs by level, and which jobs may preempt which (rule 6.10).
//!
//! A job's level is kept from one reading by the scheduler to the next. Soft limits are therefore bits that starts
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
    /// None of the others.
    pub const NORMAL: Self = Self(16);

    /// Returns the union of both sets of bits.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns these bits without those of `other`.
    #[must_use]
    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all bits of `other` are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The level of a job when it was last read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobLevel {
    /// Bits that hold for the job; [`LevelBits::NORMAL`] alone if no entry of `preempt_prio` matches.
    pub bits: LevelBits,
    /// Whether the job's entity had used more than its fair share when the level was read.
    pub over_share: bool,
    /// Index of the matching entry in `preempt_prio`, 0 being the highest; `None` for a job started by qrun, which is
    /// above all entries.
    pub place: Option<u32>,
    /// Number by which jobs are ordered; higher goes first.
    pub priority: i64,
}

/// `preempt_prio`: combinations of bits. The value of an entry follows from its place in the list, highest first. A
/// job gets the first entry whose bits it all has; entries with more bits are tried first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreemptLevels {
    /// Each entry with its place in the list, in the order in which entries are tried.
    tried: Vec<(u32, LevelBits)>,
    normal: u32,
}

/// Value of the highest entry; each entry below it is lower by `STEP`.
const TOP: i64 = 100_000;
const STEP: i64 = 1_000;
/// Priority of a job started by qrun: above every entry plus any express queue's priority.
const QRUN: i64 = 10 * TOP;

impl PreemptLevels {
    /// Parses the list; unknown words are ignored.
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

    /// Returns the level of a job with these bits in a queue of priority `queue_priority`.
    pub fn level(&self, bits: LevelBits, over_share: bool, queue_priority: i64) -> JobLevel {
        let mut all = if over_share { bits.with(LevelBits::FAIRSHARE) } else { bits };
        // Without an entry for express queues the bit has no effect.
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
        JobLevel { bits, over_share, place: Some(place), priority: value(place).saturating_add(express) }
    }

    /// Returns the priority of a job with no special bits.
    pub fn normal(&self) -> i64 {
        value(self.normal)
    }
}

impl JobLevel {
    /// Level of a job started by qrun.
    pub(in crate::universe) const QRUN: Self =
        Self { bits: LevelBits::NORMAL, over_share: false, place: None, priority: QRUN };
}

fn value(place: u32) -> i64 {
    TOP - STEP * i64::from(place)
}

pub fn is_express_queue(snap: &Snapshot, queue: QueueId) -> bool {
    snap.queues[queue].priority >= snap.scheduler.preempt_queue_prio
}

/// Returns the number of express queues.
pub fn express_queues(snap: &Snapshot) -> usize {
    snap.queues.ids().filter(|queue| is_express_queue(snap, *queue)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rule 6.10: the value follows from the place, the order of the search from the number of bits.
    #[test]
    fn levels_go_by_bits_then_place() {
        let levels = PreemptLevels::read("express_queue, normal_jobs, server_softlimits+fairshare");
        let priority = |bits, over_share| levels.level(bits, over_share, 200).priority;
        assert_eq!(priority(LevelBits::EXPRESS, false), 100_200);
        assert_eq!(priority(LevelBits::default(), true), 99_000);
        assert_eq!(priority(LevelBits::SERVER_SOFT.with(LevelBits::EXPRESS), true), 98_000);
        assert_eq!(priority(LevelBits::QUEUE_SOFT, false), levels.normal());
    }

    /// Rule 6.10: a list without express queues ignores the bit.
    #[test]
    fn express_is_what_the_list_names() {
        let levels = PreemptLevels::read("normal_jobs, fairshare");
        for bits in [LevelBits::default(), LevelBits::SERVER_SOFT] {
            let express = levels.level(bits.with(LevelBits::EXPRESS), false, 200);
            assert_eq!(express, levels.level(bits, false, 0));
        }
    }
}

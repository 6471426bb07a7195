//! The order of jobs in a list (rule 6.5).
//!
//! Compares two jobs by precomputed keys.

use std::cmp::Ordering;

use super::fairshare::{EntityId, EntityRanks, FairshareTree};
use crate::cluster::{Epoch, SortDirection};

/// The keys that decide a job's position.
#[derive(Clone, PartialEq, Debug)]
pub struct JobKeys {
    /// Whether it can be considered at all: queued, or suspended by the scheduler.
    pub runnable: bool,
    /// Its preemption priority; higher goes first.
    pub preempt_priority: i64,
    /// When it was preempted, if it was; earlier goes first, and before jobs that were not preempted.
    pub preempted: Option<Epoch>,
    /// The value of `job_sort_formula`, 0 without one.
    pub formula: f64,
    /// Its fair share entity.
    pub entity: Option<EntityId>,
    /// The values of the `job_sort_key`s in force, in configured order.
    pub sort_values: Vec<f64>,
    /// `queue_rank`; lower goes first.
    pub queue_rank: i64,
    /// Its index, from 0, among all jobs as the scheduler reads them; lower goes first.
    pub queried: u32,
}

impl JobKeys {
    /// Whether no value is NaN.
    pub fn are_numbers(&self) -> bool {
        !self.formula.is_nan() && !self.sort_values.iter().any(|value| value.is_nan())
    }
}

/// The first key in which two jobs differ, which decides their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidingKey {
    /// Only one of them can be considered.
    Runnable,
    PreemptPriority,
    /// Only one was preempted, or one was preempted earlier.
    Preempted,
    Formula,
    FairShare,
    /// The `job_sort_key` with this index.
    SortKey(usize),
    /// The queueing time.
    QueueRank,
    /// The order in the dump.
    Queried,
}

/// How the fair share of two jobs is compared.
#[derive(Clone, Copy, Debug)]
pub enum ShareOrder<'a> {
    /// Not compared: fair share is off in this period.
    Off,
    /// By the paths of their entities.
    Tree(&'a FairshareTree),
    /// By the ranks of their entities, with the same result.
    Ranks(&'a EntityRanks),
}

/// The ordering policy for jobs.
#[derive(Clone, Copy, Debug)]
pub struct JobOrder<'a> {
    pub shares: ShareOrder<'a>,
    /// The directions of the `job_sort_key`s in force.
    pub directions: &'a [SortDirection],
}

impl JobOrder<'_> {
    const BEFORE_SORT_KEYS: [DecidingKey; 5] = [
        DecidingKey::Runnable,
        DecidingKey::PreemptPriority,
        DecidingKey::Preempted,
        DecidingKey::Formula,
        DecidingKey::FairShare,
    ];

    /// Compares two jobs. Not a total order if fair share takes part (see [`FairshareTree::compare`]), so sort with
    /// the merge sort of `universe`.
    pub fn compare(&self, left: &JobKeys, right: &JobKeys) -> Ordering {
        let sort_keys = || (0..self.directions.len()).map(|place| self.by_sort_key(place, left, right));
        // Same keys as in `decide`, but faster: sorting compares often and does not need to know which key decided.
        (right.runnable.cmp(&left.runnable))
            .then_with(|| right.preempt_priority.cmp(&left.preempt_priority))
            .then_with(|| preempted_first(left.preempted, right.preempted))
            .then_with(|| high_first(left.formula, right.formula))
            .then_with(|| self.by_share(left, right))
            .then_with(|| sort_keys().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
            .then_with(|| left.queue_rank.cmp(&right.queue_rank))
            .then_with(|| left.queried.cmp(&right.queried))
    }

    /// Compares two jobs and returns the key that decided. A job compared with itself is equal by `Queried`.
    pub fn decide(&self, left: &JobKeys, right: &JobKeys) -> (Ordering, DecidingKey) {
        let sort_keys = (0..self.directions.len()).map(DecidingKey::SortKey);
        let keys = Self::BEFORE_SORT_KEYS.into_iter().chain(sort_keys).chain([DecidingKey::QueueRank]);
        let decided =
            keys.map(|key| (self.compare_by(key, left, right), key)).find(|(order, _)| order.is_ne());
        decided.unwrap_or_else(|| (self.compare_by(DecidingKey::Queried, left, right), DecidingKey::Queried))
    }

    /// Compares two jobs by a single key.
    pub fn compare_by(&self, key: DecidingKey, left: &JobKeys, right: &JobKeys) -> Ordering {
        match key {
            DecidingKey::Runnable => right.runnable.cmp(&left.runnable),
            DecidingKey::PreemptPriority => right.preempt_priority.cmp(&left.preempt_priority),
            DecidingKey::Preempted => preempted_first(left.preempted, right.preempted),
            DecidingKey::Formula => high_first(left.formula, right.formula),
            DecidingKey::FairShare => self.by_share(left, right),
            DecidingKey::SortKey(place) => self.by_sort_key(place, left, right),
            DecidingKey::QueueRank => left.queue_rank.cmp(&right.queue_rank),
            DecidingKey::Queried => left.queried.cmp(&right.queried),
        }
    }

    fn by_share(&self, left: &JobKeys, right: &JobKeys) -> Ordering {
        let Some((left, right)) = left.entity.zip(right.entity) else { return Ordering::Equal };
        match self.shares {
            ShareOrder::Off => Ordering::Equal,
            ShareOrder::Tree(tree) => tree.compare(left, right),
            ShareOrder::Ranks(places) => places[left].cmp(&places[right]),
        }
    }

    fn by_sort_key(&self, place: usize, left: &JobKeys, right: &JobKeys) -> Ordering {
        let values = left.sort_values.get(place).zip(right.sort_values.get(place));
        match values.zip(self.directions.get(place)) {
            Some(((x, y), SortDirection::High)) => high_first(*x, *y),
            Some(((x, y), SortDirection::Low)) => high_first(*y, *x),
            None => Ordering::Equal,
        }
    }
}

/// Compares descending. NaN equals everything; 0 and −0 are equal.
fn high_first(left: f64, right: f64) -> Ordering {
    right.partial_cmp(&left).unwrap_or(Ordering::Equal)
}

fn preempted_first(left: Option<Epoch>, right: Option<Epoch>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => left.cmp(&right),
        (left, right) => right.is_some().cmp(&left.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> JobKeys {
        JobKeys {
            runnable: true,
            preempt_priority: 1000,
            preempted: None,
            formula: 0.0,
            entity: None,
            sort_values: vec![5.0, 5.0],
            queue_rank: 7,
            queried: 3,
        }
    }

    const BOTH: [SortDirection; 2] = [SortDirection::High, SortDirection::Low];

    /// Rule 6.5: every key, most significant first, against all less significant ones.
    #[test]
    fn keys_decide_in_their_order() {
        let order = JobOrder { shares: ShareOrder::Off, directions: &BOTH };
        let firsts = [
            (JobKeys { runnable: true, ..keys() }, DecidingKey::Runnable),
            (JobKeys { preempt_priority: 2000, ..keys() }, DecidingKey::PreemptPriority),
            (JobKeys { preempted: Some(Epoch(9)), ..keys() }, DecidingKey::Preempted),
            (JobKeys { formula: 0.5, ..keys() }, DecidingKey::Formula),
            (JobKeys { sort_values: vec![6.0, 5.0], ..keys() }, DecidingKey::SortKey(0)),
            (JobKeys { sort_values: vec![5.0, 4.0], ..keys() }, DecidingKey::SortKey(1)),
            (JobKeys { queue_rank: 6, ..keys() }, DecidingKey::QueueRank),
            (JobKeys { queried: 2, ..keys() }, DecidingKey::Queried),
        ];
        for (place, (first, by)) in firsts.iter().enumerate().skip(1) {
            for (second, _) in firsts.iter().skip(place + 1) {
                assert_eq!(order.decide(first, second), (Ordering::Less, *by));
                assert_eq!(order.decide(second, first), (Ordering::Greater, *by));
                assert_eq!(order.compare(first, second), Ordering::Less);
            }
        }
        let held = JobKeys { runnable: false, preempt_priority: 9000, formula: 9.0, ..keys() };
        assert_eq!(order.decide(&keys(), &held), (Ordering::Less, DecidingKey::Runnable));
    }

    /// Rule 6.5: of two preempted jobs the one preempted earlier goes first.
    #[test]
    fn earlier_preemption_goes_first() {
        let order = JobOrder { shares: ShareOrder::Off, directions: &[] };
        let at = |epoch| JobKeys { preempted: Some(Epoch(epoch)), ..keys() };
        assert_eq!(order.compare(&at(5), &at(6)), Ordering::Less);
    }

    /// Rule 6.5: fair share comes between the formula and the sort keys, and only when it is on.
    #[test]
    fn shares_decide_before_sort_keys() {
        let (mut tree, _) = FairshareTree::new(&[], 1.0);
        let [ann, bob] = ["ann", "bob"].map(|name| Some(tree.entity(&name.into())));
        tree.charge(ann.unwrap(), 10.0);
        let first = JobKeys { entity: bob, sort_values: vec![1.0, 9.0], ..keys() };
        let second = JobKeys { entity: ann, ..keys() };
        let on = JobOrder { shares: ShareOrder::Tree(&tree), directions: &BOTH };
        assert_eq!(on.decide(&first, &second), (Ordering::Less, DecidingKey::FairShare));
        let off = JobOrder { shares: ShareOrder::Off, ..on };
        assert_eq!(off.decide(&first, &second), (Ordering::Greater, DecidingKey::SortKey(0)));
        let formula = JobKeys { formula: 1.0, ..second };
        assert_eq!(on.decide(&first, &formula), (Ordering::Greater, DecidingKey::Formula));
    }
}

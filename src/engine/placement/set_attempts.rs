//! The sets that a job tried. Sets are tried in order, so this is a prefix of the order.

use std::sync::Arc;

use crate::cluster::Name;
use crate::universe::{SetIx, State};

/// Maximum length of an order that is kept whole. Longer orders change with every start and would fill the memory, so
/// only their first [`KEPT`] sets are kept.
const VERY_MANY: usize = 10_000;
const KEPT: usize = 2000;

/// The sets that one job tried, in order. Thousands of jobs may try hundreds of sets each, so the order is shared
/// between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SetAttempts {
    /// One stretch per attempt; an array has one for every subjob.
    attempts: Vec<SetAttempt>,
}

/// An order in which sets are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SetOrder {
    /// Sets of the state.
    Sets(Arc<[SetIx]>),
    /// Sets of a pool created for the job, by name.
    Names(Arc<[Name]>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct SetAttempt {
    order: SetOrder,
    /// Number of leading sets that were tried.
    tried: usize,
    /// Number of leading sets whose names are kept.
    named_sets: usize,
    /// Bitmap of the sets whose sums were too small, so that their nodes were not examined; missing words are zero.
    too_small_sets: Vec<u64>,
}

impl SetAttempt {
    fn is_too_small(&self, at: usize) -> bool {
        self.too_small_sets.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn name(&self, state: &State, at: usize) -> Option<Name> {
        match &self.order {
            SetOrder::Sets(sets) => state.sets.checked(*sets.get(at)?).map(|set| set.shape.name.clone()),
            SetOrder::Names(names) => names.get(at).cloned(),
        }
    }
}

impl SetAttempts {
    /// Creates the record of an order with no set tried yet.
    pub(super) fn from_order(order: SetOrder) -> Self {
        let kept = match &order {
            SetOrder::Sets(sets) if sets.len() > VERY_MANY => KEPT,
            _ => usize::MAX,
        };
        Self { attempts: vec![SetAttempt { order, tried: 0, named_sets: kept, too_small_sets: Vec::new() }] }
    }

    /// Drops the untried rest of very long orders, once the search is over.
    pub(super) fn drop_untried(&mut self) {
        for stretch in &mut self.attempts {
            if let SetOrder::Sets(sets) = &mut stretch.order
                && stretch.named_sets < sets.len()
            {
                *sets = sets.iter().copied().take(stretch.tried.min(stretch.named_sets)).collect();
            }
        }
    }

    /// Number of sets tried.
    pub fn len(&self) -> usize {
        self.attempts.iter().map(|stretch| stretch.tried).sum()
    }

    /// Whether no set was tried.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names of the sets in the order tried, each with whether its sums were too small. Of very long
    /// orders only the first 2000 are named.
    pub fn named(&self, state: &State) -> Vec<(Name, bool)> {
        let of = |stretch: &SetAttempt| -> Vec<(Name, bool)> {
            let named = |at| Some((stretch.name(state, at)?, stretch.is_too_small(at)));
            (0..stretch.tried.min(stretch.named_sets)).filter_map(named).collect()
        };
        self.attempts.iter().flat_map(of).collect()
    }

    /// Returns the set whose nodes were examined last.
    pub fn last_examined_set(&self, state: &State) -> Option<Name> {
        let last = |attempt: &SetAttempt| {
            let at = (0..attempt.tried).rev().find(|at| !attempt.is_too_small(*at))?;
            attempt.name(state, at)
        };
        self.attempts.iter().rev().find_map(last)
    }

    /// Adds the sets tried by a later subjob of the same array.
    pub fn extend(&mut self, other: &Self) {
        self.attempts.extend_from_slice(&other.attempts);
    }

    /// Adds the next set of the order as examined.
    pub(super) fn add(&mut self) {
        self.pass(1, false);
    }

    /// Adds the next `count` sets of the order, all skipped for the same reason.
    pub(super) fn pass(&mut self, count: usize, too_small: bool) {
        let Some(last) = self.attempts.last_mut() else { return };
        let all = last.tried + count;
        let until = all.min(last.named_sets);
        if too_small && last.too_small_sets.len() * 64 < until {
            last.too_small_sets.resize(until.div_ceil(64), 0);
        }
        let mut at = last.tried;
        while too_small && at < until {
            let end = until.min((at / 64 + 1) * 64);
            if let Some(word) = last.too_small_sets.get_mut(at / 64) {
                *word |= (u64::MAX >> (64 - (end - at))) << (at % 64);
            }
            at = end;
        }
        last.tried = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_set_passed_over_is_marked_and_no_other(
            steps in prop::collection::vec((0usize..150, any::<bool>()), 0..8),
        ) {
            let mut tries = SetAttempts::from_order(SetOrder::Sets(Arc::default()));
            let mut marks = Vec::new();
            for (count, too_small) in steps {
                tries.pass(count, too_small);
                marks.extend(std::iter::repeat_n(too_small, count));
            }
            prop_assert_eq!(tries.len(), marks.len());
            let found: Vec<bool> = (0..marks.len()).map(|at| tries.attempts[0].is_too_small(at)).collect();
            prop_assert_eq!(found, marks);
        }
    }
}

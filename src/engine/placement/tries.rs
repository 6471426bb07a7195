//! Which sets a job tried: the first so many of an order, since sets are tried in turn.

use std::sync::Arc;

use crate::cluster::Name;
use crate::universe::{SetIx, State};

/// Of an order of more sets than this, which changes with every start, only the first [`KEPT`] are kept: whole
/// orders would fill the memory, and they are not read.
const VERY_MANY: usize = 10_000;
const KEPT: usize = 2000;

/// The sets that one job tried, in order. A job can try hundreds, and thousands of jobs do, so the order is
/// shared with all that have it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tries {
    /// One stretch, or one for every subjob of an array.
    stretches: Vec<Stretch>,
}

/// An order in which sets are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Sets of the state.
    Sets(Arc<[SetIx]>),
    /// Sets of a pool made for the job, by name.
    Names(Arc<[Name]>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Stretch {
    order: Order,
    /// How many of the order were tried.
    tried: usize,
    /// How many of them are kept by name.
    kept: usize,
    /// Which of them had sums too small, so that their nodes were not considered: one bit for each, as far
    /// as there is one.
    too_small: Vec<u64>,
}

impl Stretch {
    fn is_too_small(&self, at: usize) -> bool {
        self.too_small.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn name(&self, state: &State, at: usize) -> Option<Name> {
        match &self.order {
            Order::Sets(sets) => state.sets.checked(*sets.get(at)?).map(|set| set.shape.name.clone()),
            Order::Names(names) => names.get(at).cloned(),
        }
    }
}

impl Tries {
    /// No set yet of an order.
    pub(super) fn along(order: Order) -> Self {
        let kept = match &order {
            Order::Sets(sets) if sets.len() > VERY_MANY => KEPT,
            _ => usize::MAX,
        };
        Self { stretches: vec![Stretch { order, tried: 0, kept, too_small: Vec::new() }] }
    }

    /// Lets go of what was not tried of orders of very many sets: nothing more will be.
    pub(super) fn settle(&mut self) {
        for stretch in &mut self.stretches {
            if let Order::Sets(sets) = &mut stretch.order
                && stretch.kept < sets.len()
            {
                *sets = sets.iter().copied().take(stretch.tried.min(stretch.kept)).collect();
            }
        }
    }

    /// How many sets were tried.
    pub fn len(&self) -> usize {
        self.stretches.iter().map(|stretch| stretch.tried).sum()
    }

    /// Whether no set was tried.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names of the sets in the order tried, of very many only the first thousands, and whether each was too small by its sums.
    pub fn named(&self, state: &State) -> Vec<(Name, bool)> {
        let of = |stretch: &Stretch| -> Vec<(Name, bool)> {
            let named = |at| Some((stretch.name(state, at)?, stretch.is_too_small(at)));
            (0..stretch.tried.min(stretch.kept)).filter_map(named).collect()
        };
        self.stretches.iter().flat_map(of).collect()
    }

    /// The set whose nodes were examined last.
    pub fn last_looked_into(&self, state: &State) -> Option<Name> {
        let last = |stretch: &Stretch| {
            let at = (0..stretch.tried).rev().find(|at| !stretch.is_too_small(*at))?;
            stretch.name(state, at)
        };
        self.stretches.iter().rev().find_map(last)
    }

    /// Adds what a later subjob of the same array tried.
    pub fn extend(&mut self, other: &Self) {
        self.stretches.extend_from_slice(&other.stretches);
    }

    /// Adds the next set of the order, which was examined.
    pub(super) fn add(&mut self) {
        self.pass(1, false);
    }

    /// Adds the next sets of the order, all passed over for the same reason.
    pub(super) fn pass(&mut self, count: usize, too_small: bool) {
        let Some(last) = self.stretches.last_mut() else { return };
        let all = last.tried + count;
        let until = all.min(last.kept);
        if too_small && last.too_small.len() * 64 < until {
            last.too_small.resize(until.div_ceil(64), 0);
        }
        let mut at = last.tried;
        while too_small && at < until {
            let end = until.min((at / 64 + 1) * 64);
            if let Some(word) = last.too_small.get_mut(at / 64) {
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
            let mut tries = Tries::along(Order::Sets(Arc::default()));
            let mut marks = Vec::new();
            for (count, too_small) in steps {
                tries.pass(count, too_small);
                marks.extend(std::iter::repeat_n(too_small, count));
            }
            prop_assert_eq!(tries.len(), marks.len());
            let found: Vec<bool> = (0..marks.len()).map(|at| tries.stretches[0].is_too_small(at)).collect();
            prop_assert_eq!(found, marks);
        }
    }
}

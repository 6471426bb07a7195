//! The sets of one pool in the designed order (rule 5.6 N2, N4): a row of numbers for each set, kept as its sums
//! change, and the order made again where rows changed. A pool may have a hundred thousand sets and a start changes
//! hundreds, so the others keep their places.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::{Column, Id};

use super::group_order::GroupOrder;
use super::node_set::BitSet;
use super::set::{PlacementSet, SetIx};

/// The rows of sets with consecutive numbers.
#[derive(Clone, Debug)]
pub struct SetRanks {
    first: SetIx,
    width: usize,
    rows: Vec<f64>,
}

impl SetRanks {
    /// The rows of these sets, numbered from `first` on.
    pub(super) fn of(order: &GroupOrder, sets: &[PlacementSet], first: SetIx) -> Self {
        let rows = sets.iter().flat_map(|set| order.row(set)).collect();
        Self { first, width: order.width(), rows }
    }

    fn row(&self, set: SetIx) -> &[f64] {
        let at = (set.ix() - self.first.ix()) * self.width;
        self.rows.get(at..at + self.width).unwrap_or_default()
    }

    /// Which of two sets comes first; those alike in the order made.
    pub(super) fn compare(&self, a: SetIx, b: SetIx) -> Ordering {
        let numbers = self.row(a).iter().zip(self.row(b));
        let unlike = numbers.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        unlike.unwrap_or_else(|| a.cmp(&b))
    }

    /// All sets in order.
    pub(super) fn sorted(&self, sets: usize) -> Vec<SetIx> {
        let mut order: Vec<SetIx> = (0..sets).map(|at| SetIx::at(self.first.ix() + at)).collect();
        order.sort_unstable_by(|a, b| self.compare(*a, *b));
        order
    }

    /// Takes over what sets say now; the order that follows, or none if it stays.
    pub(super) fn follow(
        &mut self,
        by: &GroupOrder,
        order: &[SetIx],
        sets: &Column<SetIx, PlacementSet>,
        changed: &BitSet<SetIx>,
    ) -> Option<Arc<[SetIx]>> {
        let mine = self.first.ix()..self.first.ix() + order.len();
        let mut moved: Vec<SetIx> = changed.iter().filter(|set| mine.contains(&set.ix())).collect();
        moved.retain(|set| self.take(by, *set, &sets[*set]));
        if moved.is_empty() {
            return None;
        }
        if moved.len() * 8 > order.len() {
            let sorted = self.sorted(order.len());
            return (sorted != order).then(|| sorted.into());
        }
        moved.sort_unstable_by(|a, b| self.compare(*a, *b));
        let leaves = BitSet::of(mine.end, moved.iter().copied());
        let rest: Vec<SetIx> = order.iter().copied().filter(|set| !leaves.contains(*set)).collect();
        let mut merged = Vec::with_capacity(order.len());
        let mut rest = rest.as_slice();
        for set in moved {
            let until = rest.partition_point(|other| self.compare(*other, set).is_lt());
            let (before, after) = rest.split_at_checked(until).unwrap_or((rest, &[]));
            merged.extend_from_slice(before);
            merged.push(set);
            rest = after;
        }
        merged.extend_from_slice(rest);
        (merged != order).then(|| merged.into())
    }

    /// Takes over the row of one set; whether it changed.
    fn take(&mut self, by: &GroupOrder, set: SetIx, now: &PlacementSet) -> bool {
        let at = (set.ix() - self.first.ix()) * self.width;
        let Some(row) = self.rows.get_mut(at..at + self.width) else { return false };
        let mut changed = false;
        for (slot, number) in row.iter_mut().zip(by.row(now)) {
            changed |= *slot != number;
            *slot = number;
        }
        changed
    }
}

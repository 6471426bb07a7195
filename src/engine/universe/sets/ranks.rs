//! The sets of one pool in the designed order (rule 5.6 N2, N4): one row of numbers per set, updated as sums change,
//! and the order updated where rows changed. A pool may have a hundred thousand sets while a start changes hundreds,
//! so the others keep their places.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::{Column, Id};

use crate::universe::rows::Rows;
use crate::universe::{BitSet, GroupOrder, PlacementSet, SetIx};

/// The rows of consecutively numbered sets.
#[derive(Clone, Debug)]
pub struct SetRanks {
    first: SetIx,
    rows: Rows<f64>,
    /// The start of every row as one integer that compares as the rows do; most comparisons need only this. All 0 if
    /// there are too many classes.
    hints: Vec<u128>,
    /// Number of leading values of a row that never change.
    fixed: usize,
}

/// Number of bits of a hint that encode the class of a row's fixed values; the rest encode the two numbers after
/// those.
const CLASS_BITS: u32 = 20;
const LOW_BITS: u128 = u128::MAX >> CLASS_BITS;

impl SetRanks {
    /// Builds the rows of these sets, numbered from `first`.
    pub(in crate::universe) fn of(order: &GroupOrder, sets: &[PlacementSet], first: SetIx) -> Self {
        let rows = Rows::new(order.width(), sets.iter().flat_map(|set| order.row(set)).collect());
        let mut ranks = Self { first, rows, hints: vec![0; sets.len()], fixed: order.fixed() };
        ranks.classify();
        ranks
    }

    /// Computes the hint of every set; leaves them 0 if there are too many classes.
    fn classify(&mut self) {
        let fixed = self.fixed;
        let mut starts: Vec<&[f64]> = self.rows.iter().filter_map(|row| row.get(..fixed)).collect();
        starts.sort_unstable_by(|a, b| compare_rows(a, b));
        starts.dedup_by(|a, b| compare_rows(a, b).is_eq());
        if starts.len() > 1 << CLASS_BITS {
            return;
        }
        let class = |row: &[f64]| {
            let start = row.get(..fixed).unwrap_or_default();
            starts.partition_point(|other| compare_rows(other, start).is_lt())
        };
        let hint = |row: &[f64]| ((class(row) as u128) << (128 - CLASS_BITS)) | low_bits(row, fixed);
        self.hints = self.rows.iter().map(hint).collect();
    }

    /// Returns the index of a set in this pool.
    fn place(&self, set: SetIx) -> usize {
        set.ix() - self.first.ix()
    }

    fn row(&self, set: SetIx) -> &[f64] {
        self.rows.row(self.place(set))
    }

    /// Compares two sets; equal rows keep the order of creation.
    pub(in crate::universe) fn compare(&self, a: SetIx, b: SetIx) -> Ordering {
        let hint = |set: SetIx| self.hints.get(self.place(set));
        let hints = hint(a).cmp(&hint(b));
        hints.then_with(|| compare_rows(self.row(a), self.row(b))).then_with(|| a.cmp(&b))
    }

    /// Returns all sets in order.
    pub(in crate::universe) fn sorted(&self, sets: usize) -> Vec<SetIx> {
        let mut order: Vec<SetIx> = (0..sets).map(|at| SetIx::at(self.first.ix() + at)).collect();
        order.sort_unstable_by(|a, b| self.compare(*a, *b));
        order
    }

    /// Updates the rows of changed sets; returns the new order, or `None` if it stays.
    pub(in crate::universe) fn follow(
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
        let mut rest: Vec<SetIx> = Vec::with_capacity(order.len());
        rest.extend(order.iter().copied().filter(|set| !leaves.contains(*set)));
        let mut merged = Vec::with_capacity(order.len());
        let mut rest = rest.as_slice();
        for set in moved {
            let until = leading_count(rest, |other| self.compare(other, set).is_lt());
            let (before, after) = rest.split_at_checked(until).unwrap_or((rest, &[]));
            merged.extend_from_slice(before);
            merged.push(set);
            rest = after;
        }
        merged.extend_from_slice(rest);
        (merged != order).then(|| merged.into())
    }

    /// Updates the row of one set; returns whether it changed.
    fn take(&mut self, order: &GroupOrder, set: SetIx, now: &PlacementSet) -> bool {
        let at = self.place(set);
        let row = self.rows.row_mut(at);
        let mut changed = false;
        for (slot, number) in row.iter_mut().zip(order.row(now)) {
            changed |= *slot != number;
            *slot = number;
        }
        if let Some(hint) = self.hints.get_mut(at).filter(|hint| **hint != 0) {
            *hint = (*hint & !LOW_BITS) | low_bits(row, self.fixed);
        }
        changed
    }
}

/// Encodes the first two numbers of a row that may change as the lower bits of a hint.
fn low_bits(row: &[f64], fixed: usize) -> u128 {
    let ordered = |at: usize| {
        let bits = row.get(at).copied().unwrap_or(0.0).to_bits();
        u128::from(if bits >> 63 == 0 { bits | 1 << 63 } else { !bits })
    };
    (ordered(fixed) << 64 | ordered(fixed + 1)) >> CLASS_BITS
}

fn compare_rows(a: &[f64], b: &[f64]) -> Ordering {
    let unlike = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    unlike.unwrap_or(Ordering::Equal)
}

/// Returns the number of leading sets for which `is_before` holds, by galloping search: `is_before` must be
/// monotonic, and the cost grows with the logarithm of the result.
fn leading_count(sets: &[SetIx], is_before: impl Fn(SetIx) -> bool) -> usize {
    let mut step = 1;
    while sets.get(step - 1).is_some_and(|set| is_before(*set)) {
        step *= 2;
    }
    let from = step / 2;
    let near = sets.get(from..sets.len().min(step)).unwrap_or_default();
    from + near.partition_point(|set| is_before(*set))
}

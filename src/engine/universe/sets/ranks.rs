//! The sets of one pool in the designed order (rule 5.6 N2, N4): a row of numbers for each set, kept as its sums
//! change, and the order made again where rows changed. A pool may have a hundred thousand sets and a start changes
//! hundreds, so the others keep their places.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::{Column, Id};

use crate::universe::rows::Rows;
use crate::universe::{BitSet, GroupOrder, PlacementSet, SetIx};

/// The rows of sets with consecutive numbers.
#[derive(Clone, Debug)]
pub struct SetRanks {
    first: SetIx,
    rows: Rows<f64>,
    /// The start of every row in one number, which is never larger for the set that comes first: most comparisons
    /// need no row.
    hints: Vec<u128>,
    /// How many numbers at the start of a row stay as they are.
    fixed: usize,
}

/// So many bits of a hint encode which rows start alike in what never changes, and the others are for the two numbers after
/// it.
const CLASS_BITS: u32 = 20;
const LOW_BITS: u128 = u128::MAX >> CLASS_BITS;

impl SetRanks {
    /// The rows of these sets, numbered from `first` on.
    pub(in crate::universe) fn of(order: &GroupOrder, sets: &[PlacementSet], first: SetIx) -> Self {
        let rows = Rows::new(order.width(), sets.iter().flat_map(|set| order.row(set)).collect());
        let mut ranks = Self { first, rows, hints: vec![0; sets.len()], fixed: order.fixed() };
        ranks.classify();
        ranks
    }

    /// Gives every set its hint; none where too many rows start unlike.
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

    /// The place of a set among these.
    fn place(&self, set: SetIx) -> usize {
        set.ix() - self.first.ix()
    }

    fn row(&self, set: SetIx) -> &[f64] {
        self.rows.row(self.place(set))
    }

    /// Which of two sets comes first; those alike in the order made.
    pub(in crate::universe) fn compare(&self, a: SetIx, b: SetIx) -> Ordering {
        let hint = |set: SetIx| self.hints.get(self.place(set));
        let hints = hint(a).cmp(&hint(b));
        hints.then_with(|| compare_rows(self.row(a), self.row(b))).then_with(|| a.cmp(&b))
    }

    /// All sets in order.
    pub(in crate::universe) fn sorted(&self, sets: usize) -> Vec<SetIx> {
        let mut order: Vec<SetIx> = (0..sets).map(|at| SetIx::at(self.first.ix() + at)).collect();
        order.sort_unstable_by(|a, b| self.compare(*a, *b));
        order
    }

    /// Takes over the sums of sets now; the order that follows, or none if it stays.
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
            let until = until(rest, |other| self.compare(other, set).is_lt());
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
        let at = self.place(set);
        let row = self.rows.row_mut(at);
        let mut changed = false;
        for (slot, number) in row.iter_mut().zip(by.row(now)) {
            changed |= *slot != number;
            *slot = number;
        }
        if let Some(hint) = self.hints.get_mut(at).filter(|hint| **hint != 0) {
            *hint = (*hint & !LOW_BITS) | low_bits(row, self.fixed);
        }
        changed
    }
}

/// The first number of a row that may change and the next one, as the lower bits of a hint.
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

/// How many sets at the start are before something, of sets that are before it and then are not; it takes as long as
/// they are few.
fn until(sets: &[SetIx], is_before: impl Fn(SetIx) -> bool) -> usize {
    let mut step = 1;
    while sets.get(step - 1).is_some_and(|set| is_before(*set)) {
        step *= 2;
    }
    let from = step / 2;
    let near = sets.get(from..sets.len().min(step)).unwrap_or_default();
    from + near.partition_point(|set| is_before(*set))
}

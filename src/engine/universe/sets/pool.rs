//! Pools: the placement sets of one owner, in the order in which they are tried (rule 5.1).

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, Name, QueueId, ResourceId};

use crate::universe::rows::shift;
use crate::universe::sets::set::{PlacementSet, compare_sets};
use crate::universe::{Bit, Plan, SetBuilder, SetIx, SetRanks, SetTable, Tallies, merge_sort};

/// Owner of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolOwner {
    Server,
    Queue(QueueId),
}

/// The sets of one owner.
#[derive(Clone, Debug)]
pub struct Pool {
    pub owner: PoolOwner,
    /// The sets in the order of creation.
    pub sets: Vec<SetIx>,
    /// The sets in the order in which they are tried.
    pub order: Arc<[SetIx]>,
    /// Whether the scheduler updates the pool at all: a queue's pool without a key of its own keeps the sums of the
    /// cycle's start (rule 5.1).
    pub refreshed: bool,
    /// Whether every set has all amounts by which sets are compared.
    pub comparable: bool,
    /// Rows by which the sets are sorted if the designed order is in force.
    pub ranks: Option<SetRanks>,
    /// Number of memberships of the combinations that were left out, if there were too many.
    pub omitted_memberships: Option<usize>,
}

/// A pool for jobs with `place=group=`, discarded when anything starts or ends.
#[derive(Clone, Debug)]
pub struct GroupPool {
    /// The sets in the order in which they are tried.
    pub sets: Vec<PlacementSet>,
    /// Names of the sets in that order.
    pub names: Arc<[Name]>,
    /// Sums of the sets, by column.
    pub tallies: Tallies,
}

impl GroupPool {
    /// Creates the sets of a list of nodes by one key, sorted.
    pub fn new(builder: &SetBuilder<'_>, list: &[Bit], key: &Name) -> Self {
        let mut sets = builder.by_keys(list, std::slice::from_ref(key)).sets;
        sort_sets(builder.plan, &mut sets);
        let names = sets.iter().map(|set| set.shape.name.clone()).collect();
        Self { tallies: Tallies::of(builder.plan, &sets), sets, names }
    }
}

/// Pools by list of nodes (a queue's, or the unbound ones) and key.
pub type GroupPools = FxHashMap<(Option<QueueId>, ResourceId), Arc<GroupPool>>;

/// Sorts sets into the order in which they are tried.
fn sort_sets(plan: &Plan, sets: &mut Vec<PlacementSet>) {
    match &plan.group_order {
        Some(order) => {
            let sorted = SetRanks::of(order, sets, SetIx::at(0)).sorted(sets.len());
            let all: Column<SetIx, PlacementSet> = std::mem::take(sets).into_iter().collect();
            *sets = sorted.iter().map(|set| all[*set].clone()).collect();
        }
        None => merge_sort(sets, &mut |a, b| compare_sets(plan, a, b)),
    }
}

/// Whether every set has all amounts by which sets are compared. Then the order is total, and any stable sort gives
/// the scheduler's result.
pub(crate) fn is_comparable(plan: &Plan, arena: &Column<SetIx, PlacementSet>, sets: &[SetIx]) -> bool {
    let has_all =
        |set: &SetIx| plan.set_order.iter().flatten().all(|ix| !arena[*set].shape.available[*ix].is_nan());
    sets.iter().all(has_all)
}

impl Pool {
    /// Returns today's sets in today's order by their current sums (rules 5.1, 5.3): what would be tried without
    /// `node_group_sort_key`.
    pub fn usual_order(&self, plan: &Plan, arena: &Column<SetIx, PlacementSet>) -> Vec<SetIx> {
        if self.ranks.is_none() {
            return self.order.to_vec();
        }
        let flat = self.sets.iter().copied().filter(|set| arena[*set].shape.dims <= 1);
        let mut order: Vec<SetIx> = flat.collect();
        merge_sort(&mut order, &mut |a, b| compare_sets(plan, &arena[*a], &arena[*b]));
        order
    }

    /// Returns the sets sorted again after anything may have changed.
    pub(crate) fn sorted(&self, plan: &Plan, arena: &Column<SetIx, PlacementSet>) -> Arc<[SetIx]> {
        if let Some(ranks) = &self.ranks {
            return ranks.sorted(self.sets.len()).into();
        }
        let mut order = self.order.to_vec();
        let mut compare = |a: &SetIx, b: &SetIx| compare_sets(plan, &arena[*a], &arena[*b]);
        if self.comparable {
            order.sort_by(&mut compare);
        } else {
            merge_sort(&mut order, &mut compare);
        }
        order.into()
    }

    /// The same after only these sets changed; `None` if the order stays.
    pub(crate) fn sorted_after(
        &self,
        plan: &Plan,
        arena: &SetTable,
        changed: &[SetIx],
    ) -> Option<Arc<[SetIx]>> {
        if !self.comparable || changed.len() * 4 > self.order.len() {
            return Some(self.sorted(plan, arena)).filter(|order| *order != self.order);
        }
        let compare = |a: SetIx, b: SetIx| {
            let order = arena.tallies().compare(plan, a, b);
            debug_assert_eq!(order, compare_sets(plan, &arena[a], &arena[b]), "one order of comparable sets");
            order
        };
        let place = |set: &SetIx| self.order.iter().position(|other| other == set);
        let mut moved: Vec<(usize, SetIx)> =
            changed.iter().filter_map(|set| Some((place(set)?, *set))).collect();
        let in_order = |a: usize| match (self.order.get(a), self.order.get(a + 1)) {
            (Some(a), Some(b)) => compare(*a, *b).is_le(),
            _ => true,
        };
        // All other sets are still in order.
        if moved.iter().all(|(at, _)| in_order(*at) && at.checked_sub(1).is_none_or(in_order)) {
            return None;
        }
        if let [(at, _)] = moved[..] {
            return Some(with_moved(&self.order, at, compare));
        }
        moved.sort_by(|a, b| compare(a.1, b.1).then(a.0.cmp(&b.0)));
        let stay = |(_, set): &(usize, SetIx)| !moved.iter().any(|(_, other)| other == set);
        let rest: Vec<(usize, SetIx)> = self.order.iter().copied().enumerate().filter(stay).collect();
        let mut order = Vec::with_capacity(self.order.len());
        let mut from = 0;
        for (at, set) in &moved {
            // Ties keep their previous order.
            let goes_before = |other: &(usize, SetIx)| compare(other.1, *set).then(other.0.cmp(at)).is_lt();
            let until = rest.partition_point(goes_before);
            order.extend(rest.get(from..until).unwrap_or_default().iter().map(|(_, other)| *other));
            order.push(*set);
            from = until;
        }
        order.extend(rest.get(from..).unwrap_or_default().iter().map(|(_, other)| *other));
        Some(order.into())
    }
}

/// Returns the list with the item at `at` moved to its place among the others, which are in order; ties keep their
/// previous order.
fn with_moved<T: Copy>(order: &[T], at: usize, compare: impl Fn(T, T) -> Ordering) -> Arc<[T]> {
    let mut moved: Arc<[T]> = order.into();
    let (before, rest) = order.split_at(at.min(order.len()));
    if let (Some((item, after)), Some(moved)) = (rest.split_first(), Arc::get_mut(&mut moved)) {
        let first = before.partition_point(|other| compare(*other, *item).is_le());
        let behind = after.partition_point(|other| compare(*other, *item).is_lt());
        let to = if first < at { first } else { at + behind };
        shift(moved, at, to, 1);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the same result as a stable sort of all items.
    #[test]
    fn one_that_changed_is_moved_behind_those_that_it_ties_with_before_it() {
        let order: Vec<(i32, usize)> = [1, 1, 2, 2, 2, 3, 5, 5].into_iter().zip(0..).collect();
        for (at, value) in (0..order.len()).flat_map(|at| (0..7).map(move |value| (at, value))) {
            let mut changed = order.clone();
            changed[at].0 = value;
            let moved = with_moved(&changed, at, |a, b| a.0.cmp(&b.0));
            changed.sort_by_key(|(value, _)| *value);
            assert_eq!(*moved, *changed, "the one at {at} is {value} now");
        }
    }
}

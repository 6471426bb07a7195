//! One chunk with the matching columns of node amounts, prepared for comparison with many nodes.

use crate::cluster::{Column, ResourceId};
use crate::universe::{Bit, ConsIx, Plan, ShapeId, State};

use super::used_amounts::UsedAmounts;

pub(super) struct PreparedChunk<'a> {
    /// The shape of the chunk.
    pub shape: ShapeId,
    /// The positive amounts requested, each with the amounts of the nodes.
    amounts: Vec<(f64, ConsumableAmounts<'a>)>,
    /// Whether it requests a host or vnode by name.
    pub has_names: bool,
    /// Whether it requests an operating environment.
    pub has_aoe: bool,
}

impl<'a> PreparedChunk<'a> {
    /// Prepares a shape.
    pub(super) fn new(state: &'a State, shape: ShapeId) -> Self {
        let plan = &*state.plan;
        let amounts = |(ix, requested): &(ConsIx, f64)| (*requested, ConsumableAmounts::new(state, *ix));
        Self {
            shape,
            amounts: plan.needs[shape]
                .iter()
                .filter(|(_, requested)| *requested > 0.0)
                .map(amounts)
                .collect(),
            has_names: plan.shapes[shape].conditions().any(|(r, _)| r.is_node_name()),
            has_aoe: plan.shapes[shape].requirement(ResourceId::aoe()).is_some(),
        }
    }

    /// Returns how many of these chunks a node of a fitting signature holds now, if division gives the exact answer:
    /// whole numbers and no names.
    pub(super) fn times_on(&self, bit: Bit) -> Option<u32> {
        if self.has_names || self.has_aoe {
            return None;
        }
        let mut times = u32::MAX;
        for (requested, amounts) in self.amounts() {
            let left = amounts.left_now(bit);
            if left == f64::INFINITY {
                continue;
            }
            if !is_whole(requested) || !is_whole(left) {
                return None;
            }
            // The cast saturates, so larger quotients become `u32::MAX`.
            times = times.min((left / requested) as u32);
        }
        Some(times)
    }

    /// Returns the requested amount of each consumable with the amounts of the nodes.
    pub(super) fn amounts(&self) -> impl Iterator<Item = (f64, &ConsumableAmounts<'a>)> {
        self.amounts.iter().map(|(requested, amounts)| (*requested, amounts))
    }
}

/// Whether an amount is a whole number, so that division is as exact as repeated subtraction.
pub(super) fn is_whole(amount: f64) -> bool {
    (amount as i64) as f64 == amount && amount < 2f64.powi(53)
}

/// The amounts of one consumable on all nodes.
pub(super) struct ConsumableAmounts<'a> {
    ix: ConsIx,
    plan: &'a Plan,
    available: &'a Column<Bit, f64>,
    assigned: &'a Column<Bit, f64>,
    /// The amount of a node on which the resource is not set.
    unset: f64,
}

impl<'a> ConsumableAmounts<'a> {
    /// Selects the columns of a consumable.
    pub(super) fn new(state: &'a State, ix: ConsIx) -> Self {
        let plan = &*state.plan;
        let endless = plan.unset_ok.contains(&plan.consumables.resource(ix));
        Self {
            ix,
            plan,
            available: plan.capacity.column(ix),
            assigned: &state.occupancy.assigned[ix],
            unset: if endless { f64::INFINITY } else { 0.0 },
        }
    }

    /// The index of the consumable.
    pub(super) fn ix(&self) -> ConsIx {
        self.ix
    }

    /// Returns what a node has left after subtracting the job's own usage.
    #[inline]
    pub(super) fn left(&self, bit: Bit, used: &UsedAmounts) -> f64 {
        self.left_now(bit) - used.of(self.ix, self.plan.capacity.keeper(self.ix, bit))
    }

    /// Returns what a node has left.
    #[inline]
    pub(super) fn left_now(&self, bit: Bit) -> f64 {
        let available = self.available[bit];
        if available.is_nan() {
            return self.unset;
        }
        (available - self.assigned[self.plan.capacity.keeper(self.ix, bit)]).max(0.0)
    }
}

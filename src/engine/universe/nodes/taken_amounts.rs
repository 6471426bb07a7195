//! Amounts that a job being placed takes of nodes, in addition to what is assigned.

use rustc_hash::FxHashMap;

use crate::universe::{Bit, ConsIx};

/// Returns the amount taken of a consumable on the node that keeps it.
pub type TakenAmountFn<'a> = &'a dyn Fn(ConsIx, Bit) -> f64;

/// Amounts taken, by consumable and by the node that keeps it.
#[derive(Clone, Debug, Default)]
pub struct TakenAmounts(FxHashMap<(ConsIx, Bit), f64>);

impl TakenAmounts {
    /// Returns the amount taken of a consumable on the node that keeps it.
    #[inline]
    pub fn of(&self, ix: ConsIx, home: Bit) -> f64 {
        self.0.get(&(ix, home)).copied().unwrap_or(0.0)
    }

    /// Adds to the amount taken.
    pub fn add(&mut self, ix: ConsIx, home: Bit, amount: f64) {
        *self.0.entry((ix, home)).or_insert(0.0) += amount;
    }

    /// Removes all amounts.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Id;

    #[test]
    fn amounts_add_up_by_node_until_they_are_given_back() {
        let (cpus, mem, node) = (ConsIx::at(0), ConsIx::at(1), Bit(3));
        let mut taken = TakenAmounts::default();
        taken.add(cpus, node, 2.0);
        taken.add(cpus, node, 0.5);
        assert_eq!([taken.of(cpus, node), taken.of(mem, node), taken.of(cpus, Bit(4))], [2.5, 0.0, 0.0]);
        taken.clear();
        assert_eq!(taken.of(cpus, node), 0.0);
    }
}

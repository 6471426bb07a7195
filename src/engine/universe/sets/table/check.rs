//! Checks of the invariants of the sets, for tests.

use crate::universe::sets::builder::{assigned, free_nodes};
use crate::universe::{SetIx, State, Tallies};

impl State {
    /// Returns an invariant of the sets that is violated, if any. Recomputes everything that follows from the sets,
    /// which takes as long as creating the state.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        let table = &self.sets;
        if *table.tallies() != Tallies::of(&self.plan, table.as_slice()) {
            return Some("tallies differ from the sets");
        }
        let refreshed = self.pools.iter().filter(|pool| pool.refreshed).flat_map(|pool| &pool.sets).copied();
        let refreshed: Vec<SetIx> = refreshed.collect();
        if refreshed.iter().any(|set| !table.is_dirty(*set) && self.differs(*set)) {
            return Some("a set that differs from its nodes is not dirty");
        }
        if refreshed.iter().any(|set| self.has_misplaced_node(*set)) {
            return Some("a node that stands elsewhere than it belongs is not dirty");
        }
        if !self.is_designed_order_followed() {
            return Some("a pool is not in the designed order");
        }
        let is_member =
            |(bit, sets): (_, &[SetIx])| sets.iter().all(|set| table[*set].shape.nodes.contains(bit));
        (!table.by_node().enumerate().all(is_member)).then_some("a node is not in its sets")
    }

    /// Whether the sums of a set differ from those of its nodes.
    fn differs(&self, set: SetIx) -> bool {
        let set = &self.sets[set];
        let sums = assigned(&self.plan, &self.occupancy, set);
        set.free_nodes != free_nodes(&self.occupancy, set)
            || self.plan.consumables.ids().any(|ix| sums[ix] != set.assigned[ix])
    }

    /// Whether a node that is not dirty has an outdated bitmap in a set.
    fn has_misplaced_node(&self, set: SetIx) -> bool {
        let Some(dirty) = self.sets.dirty_members(set) else { return false };
        let mut clean = self.sets[set].shape.members.iter().filter(|bit| !dirty.contains(bit));
        clean.any(|bit| self.place_in_set(set, *bit).is_some())
    }

    fn is_designed_order_followed(&self) -> bool {
        let ranked = self.pools.iter().filter(|pool| pool.refreshed && pool.ranks.is_some());
        let is_clean = |set: &SetIx| !self.sets.disordered().contains(*set);
        ranked
            .into_iter()
            .all(|pool| !pool.sets.iter().all(is_clean) || pool.sorted(&self.plan, &self.sets) == pool.order)
    }
}

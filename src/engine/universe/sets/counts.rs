//! What the scheduler counts of a set beside what its nodes add up to: its counts may lag behind, or be of states alone.

use crate::universe::sets::builder::free_nodes;
use crate::universe::{ConsIx, NodeUse, PlacementSet, State};

/// How many nodes of a set can take a job, counted in three ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetCounts {
    /// As the scheduler counts them; less than none where nodes were taken twice.
    pub counted: i32,
    /// Nodes in the state free, counted now.
    pub in_state_free: i32,
    /// Nodes that are free or part.
    pub free_or_part: usize,
}

impl SetCounts {
    /// Whether the scheduler's count is of another moment than this one.
    pub fn lags(self) -> bool {
        self.counted != self.in_state_free
    }
}

impl State {
    /// How many nodes of a set can take a job, as the scheduler counts them and as they are.
    pub fn counts_of(&self, set: &PlacementSet) -> SetCounts {
        let is_open = |bit: &&_| matches!(self.node_use(**bit), NodeUse::Free | NodeUse::Part);
        SetCounts {
            counted: set.free_nodes,
            in_state_free: free_nodes(&self.floor, set),
            free_or_part: set.shape.members.iter().filter(is_open).count(),
        }
    }

    /// What the nodes of a set have assigned of a consumable, whatever the scheduler counts.
    pub fn assigned_on_nodes(&self, set: &PlacementSet, ix: ConsIx) -> f64 {
        let has = |bit: &&_| !self.floor.total(&self.plan, ix, **bit).is_nan();
        let members = set.shape.members.iter().filter(has);
        members.map(|bit| self.floor.assigned_of(&self.plan, ix, *bit)).sum()
    }
}

//! The scheduler's node counts of a set next to the actual ones: its counts may be outdated, or be by state only.

use crate::universe::sets::builder::free_nodes;
use crate::universe::{ConsIx, NodeUse, PlacementSet, State};

/// Number of nodes of a set that can take a job, counted in three ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetCounts {
    /// As the scheduler counts them; negative if nodes were taken twice.
    pub counted: i32,
    /// Nodes that are now in state free.
    pub in_state_free: i32,
    /// Nodes that are free or partly used.
    pub free_or_part: usize,
}

impl SetCounts {
    /// Whether the scheduler's count differs from the current one.
    pub fn is_outdated(self) -> bool {
        self.counted != self.in_state_free
    }
}

impl State {
    /// Returns the node counts of a set.
    pub fn counts_of(&self, set: &PlacementSet) -> SetCounts {
        let is_open = |bit: &&_| matches!(self.node_use(**bit), NodeUse::Free | NodeUse::Part);
        SetCounts {
            counted: set.free_nodes,
            in_state_free: free_nodes(&self.occupancy, set),
            free_or_part: set.shape.members.iter().filter(is_open).count(),
        }
    }

    /// Returns the amount of a consumable assigned on the nodes of a set, regardless of what the scheduler counts.
    pub fn assigned_on_nodes(&self, set: &PlacementSet, ix: ConsIx) -> f64 {
        let has = |bit: &&_| !self.occupancy.total(&self.plan, ix, **bit).is_nan();
        let members = set.shape.members.iter().filter(has);
        members.map(|bit| self.occupancy.assigned_of(&self.plan, ix, *bit)).sum()
    }
}

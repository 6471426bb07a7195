//! How many nodes are free: one definition for headers, tables and reports.

use super::State;

/// All nodes of the dump, each counted once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeCounts {
    /// Every node of the dump.
    pub all: usize,
    /// Wholly free: open to jobs, and nothing on it.
    pub free: usize,
    /// Partly free: open to jobs, and something on it.
    pub part: usize,
    /// In service and closed: taken whole, by a job or a reservation, or busy.
    pub full: usize,
    /// Out of service, without a licence, or of another scheduler.
    pub out: usize,
}

impl State {
    /// The nodes as they stand now.
    pub fn node_counts(&self) -> NodeCounts {
        let (plan, floor) = (&self.plan, &self.floor);
        let mut counts = NodeCounts { all: plan.snap.nodes.len(), ..NodeCounts::default() };
        let part = floor.open.count_common(&floor.occupied);
        (counts.part, counts.free) = (part, floor.open.count() - part);
        let is_full = |bit: &crate::universe::Bit| {
            !floor.open.contains(*bit)
                && plan.licensed.contains(*bit)
                && !floor.states[*bit].is_out_of_service()
        };
        counts.full = plan.nodes.ids().filter(is_full).count();
        counts.out = counts.all.saturating_sub(counts.free + counts.part + counts.full);
        counts
    }
}

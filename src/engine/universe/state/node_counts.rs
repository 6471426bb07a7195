//! Counts of free, part, full and out nodes: one definition for headers, tables, maps and reports.

use crate::cluster::NodeState;
use crate::universe::{Bit, ConsIx, State};

/// What a node has left for jobs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum NodeUse {
    /// Open to jobs and empty.
    Free,
    /// Open to jobs and in use, with some left of every consumable that jobs request.
    Part,
    /// In service with nothing left: busy, exclusively used, without cpus, or out of a consumable that jobs request.
    Full,
    /// Out of service, without a licence, in another partition, or kept by a job that no longer exists.
    Out,
}

impl NodeUse {
    /// Returns the word for display and output.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Counts of all nodes of the dump, each in one category.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeCounts {
    /// All nodes of the dump.
    pub all: usize,
    /// [`NodeUse::Free`].
    pub free: usize,
    /// [`NodeUse::Part`].
    pub part: usize,
    /// [`NodeUse::Full`].
    pub full: usize,
    /// [`NodeUse::Out`].
    pub out: usize,
}

impl State {
    /// Returns the current counts.
    pub fn node_counts(&self) -> NodeCounts {
        let (plan, floor) = (&self.plan, &self.occupancy);
        let occupied = floor.open_nodes.common(&floor.occupied);
        let mut counts = NodeCounts { all: plan.snap.nodes.len(), ..NodeCounts::default() };
        let cpuless = floor.open_nodes.common(&plan.masks.cpuless);
        let cpuless = cpuless.iter().filter(|bit| !occupied.contains(*bit)).count();
        counts.free = floor.open_nodes.count() - occupied.count() - cpuless;
        counts.part = occupied.iter().filter(|bit| self.has_some(*bit)).count();
        counts.full = occupied.count() - counts.part + cpuless;
        let closed = plan.nodes.ids().filter(|bit| !floor.open_nodes.contains(*bit));
        counts.full += closed.filter(|bit| self.closed(*bit) == NodeUse::Full).count();
        counts.out = counts.all.saturating_sub(counts.free + counts.part + counts.full);
        counts
    }

    /// Returns the current use of one node.
    pub fn node_use(&self, bit: Bit) -> NodeUse {
        match (self.occupancy.open_nodes.contains(bit), self.occupancy.occupied.contains(bit)) {
            (true, false) if self.is_cpuless(bit) => NodeUse::Full,
            (true, false) => NodeUse::Free,
            (true, true) if self.has_some(bit) => NodeUse::Part,
            (true, true) => NodeUse::Full,
            (false, _) => self.closed(bit),
        }
    }

    /// Returns the current use of every node of the partition, in scheduling order.
    pub fn node_uses(&self) -> crate::cluster::Column<Bit, NodeUse> {
        self.plan.nodes.ids().map(|bit| self.node_use(bit)).collect()
    }

    /// Returns the use of a node that takes no job: out if it would not take one even when empty.
    fn closed(&self, bit: Bit) -> NodeUse {
        let (plan, states) = (&self.plan, self.occupancy.states[bit]);
        let gone = states.without(NodeState::Busy).is_out_of_service() || !plan.masks.licensed.contains(bit);
        if gone || self.is_kept(bit) { NodeUse::Out } else { NodeUse::Full }
    }

    /// Whether a node is job-exclusive for a job that does not run in any dump, with nothing assigned: the job no
    /// longer exists, and the node stays closed until the server restarts.
    pub fn is_kept(&self, bit: Bit) -> bool {
        if !self.occupancy.states[bit].has(NodeState::JobExclusive) || self.occupancy.load[bit].is_busy() {
            return false;
        }
        let node = self.plan.node(bit);
        let mut assigned = node.assigned.iter();
        !node.jobs.is_empty() && assigned.all(|(_, value)| value.amount().is_none_or(|have| have.0 <= 0.0))
    }

    /// Whether a node has no cpus at all, so that no job that needs one can use it.
    pub fn is_cpuless(&self, bit: Bit) -> bool {
        self.plan.masks.cpuless.contains(bit)
    }

    /// Whether something is left of every consumable that jobs request and the node has.
    fn has_some(&self, bit: Bit) -> bool {
        let plan = &self.plan;
        if self.is_cpuless(bit) {
            return false;
        }
        let spent = |ix: &ConsIx| {
            plan.capacity.available(*ix, bit) > 0.0 && self.occupancy.left(plan, *ix, bit) <= 0.0
        };
        !plan.requested_consumables().iter().any(spent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::cluster::{Amount, Epoch, Node, NodeStates, Period, ResourceId, Snapshot, Value};
    use crate::universe::{Plan, Quirks};

    fn counts_of(snap: Snapshot) -> NodeCounts {
        let plan = Arc::new(Plan::new(Arc::new(snap), Quirks::default(), Period::Prime));
        let state = State::new(plan, 0);
        let counts = state.node_counts();
        let used = |what| state.node_uses().iter().filter(|one| **one == what).count();
        assert_eq!((used(NodeUse::Free), used(NodeUse::Full)), (counts.free, counts.full));
        counts
    }

    #[test]
    fn a_node_is_free_part_full_or_out_and_the_four_add_up() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        let node = |name: &str, states: NodeStates| Node { name: name.into(), states, ..Node::default() };
        let mut kept = node("n3", NodeStates::FREE.with(NodeState::JobExclusive));
        kept.jobs = vec!["40.s".into()];
        snap.nodes = [
            node("n1", NodeStates::FREE),
            node("n2", NodeStates::FREE.with(NodeState::Offline)),
            kept,
            node("n4", NodeStates::FREE.with(NodeState::Busy)),
        ]
        .into_iter()
        .collect();
        let mut counts = counts_of(snap.clone());
        assert_eq!(counts, NodeCounts { all: 4, free: 1, part: 0, full: 1, out: 2 });
        // A vnode without cpus counts as full.
        let mut bare = node("n5", NodeStates::FREE);
        bare.available.set(ResourceId::ncpus(), Value::Amount(Amount(0.0)));
        snap.nodes.push(bare);
        counts = NodeCounts { all: 5, full: 2, ..counts };
        assert_eq!(counts_of(snap), counts);
    }
}

//! The placement sets of one node, for display.

use crate::cluster::{Name, deduplicated};
use crate::universe::{Bit, State};

impl State {
    /// Returns the names of the placement sets that a node is in, each once; all of them, even if the node keeps only
    /// the last one up to date (quirk B1). Sets of whole hosts, of all nodes and of all nodes of a queue are not
    /// included.
    pub fn set_names(&self, bit: Bit) -> Vec<&Name> {
        let host = self.host_sets.get(&self.plan.nodes[bit].host);
        let is_placement_set = |set: &&_| {
            **set != self.all_nodes_set
                && Some(*set) != host
                && !self.queue_everything.iter().flatten().any(|whole| whole == *set)
        };
        let sets = self.sets.by_node()[bit].iter().filter(is_placement_set);
        deduplicated(sets.map(|set| &self.sets[*set].shape.name))
    }
}

//! Which sets each node is in, found out when somebody asks.

use std::sync::{Arc, OnceLock};

use crate::cluster::Column;

use crate::universe::nodes::node_set::Bit;
use crate::universe::plan::quirk::Quirk;
use crate::universe::sets::set::SetIx;
use crate::universe::state::State;

/// The sets of every node. It follows from the sets, and is no part of what the state is.
#[derive(Clone, Default)]
pub struct SetsByNode(Arc<OnceLock<Column<Bit, Vec<SetIx>>>>);

impl std::fmt::Debug for SetsByNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Around")
    }
}

/// Of more sets than this, nobody waits for it in the middle of a cycle.
const VERY_MANY: usize = 10_000;

impl State {
    /// Finds out which sets each node is in where that takes long.
    pub(in crate::universe) fn prepare_sets_by_node(self) -> Self {
        if self.sets.len() > VERY_MANY {
            let _made = self.sets_by_node();
        }
        self
    }

    /// All lasting sets that each node is in, whether or not it keeps them up to date.
    #[must_use]
    pub fn sets_by_node(&self) -> &Column<Bit, Vec<SetIx>> {
        if !self.plan.has(Quirk::LastSetOnly) {
            return &self.sets_of;
        }
        self.sets_by_node.0.get_or_init(|| {
            let mut sets_by_node = Column::filled(self.plan.nodes.len(), Vec::new());
            for (set, placement) in self.sets.enumerate() {
                placement.shape.members.iter().for_each(|bit| sets_by_node[*bit].push(set));
            }
            sets_by_node
        })
    }
}

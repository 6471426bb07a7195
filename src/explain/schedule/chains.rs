//! The occupants of each node in order. Nodes with the same occupants share their chain: there may be a hundred
//! thousand nodes, and comparing separate lists for each would take most of the time.

use qscope_engine::cluster::Column;
use qscope_engine::universe::Bit;

qscope_engine::id!(
    /// The occupants of a node, in order.
    Chain
);

/// The last occupant of a chain, with the chain of those before it.
struct ChainLink {
    previous: Option<Chain>,
    occupancy_index: usize,
    /// The last extension of the chain: the index added and the resulting chain.
    longer: Option<(usize, Chain)>,
}

/// The chains of all nodes; two nodes share a chain if they have the same occupants.
pub(super) struct OccupantChains {
    links: Column<Chain, ChainLink>,
    none: Chain,
    by_node: Column<Bit, Chain>,
}

impl OccupantChains {
    /// Creates the chains of this many nodes without occupants.
    pub(super) fn new(nodes: usize) -> Self {
        let mut links = Column::new();
        let none = links.push(ChainLink { previous: None, occupancy_index: 0, longer: None });
        Self { links, none, by_node: Column::filled(nodes, none) }
    }

    /// Adds the occupant at an index of a list to a node; indices must not decrease from call to call.
    pub(super) fn add_occupant(&mut self, bit: Bit, place: usize) {
        let before = self.by_node[bit];
        let next = match self.links[before].longer {
            Some((by, chain)) if by == place => chain,
            _ => self.links.push(ChainLink { previous: Some(before), occupancy_index: place, longer: None }),
        };
        self.links[before].longer = Some((place, next));
        self.by_node[bit] = next;
    }

    /// Returns the chain of a node; `None` if it has no occupants.
    pub(super) fn of(&self, bit: Bit) -> Option<Chain> {
        Some(self.by_node[bit]).filter(|chain| *chain != self.none)
    }

    /// Returns the indices of the occupants in a chain, in order.
    pub(super) fn places(&self, chain: Option<Chain>) -> Vec<usize> {
        let links = std::iter::successors(chain, |chain| self.links[*chain].previous);
        let mut places: Vec<usize> = links
            .filter(|chain| *chain != self.none)
            .map(|chain| self.links[chain].occupancy_index)
            .collect();
        places.reverse();
        places
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use qscope_engine::cluster::Id;

    use super::*;

    proptest! {
        /// Chains agree with a separate list for each node.
        #[test]
        fn nodes_have_one_chain_where_the_same_ones_hold_them(
            holds in prop::collection::vec(prop::collection::vec(0usize..6, 0..5), 0..8),
        ) {
            let mut chains = OccupantChains::new(6);
            let mut lists = vec![Vec::new(); 6];
            for (place, nodes) in holds.iter().enumerate() {
                for node in nodes {
                    chains.add_occupant(Bit::at(*node), place);
                    lists[*node].push(place);
                }
            }
            for (node, list) in lists.iter().enumerate() {
                let chain = chains.of(Bit::at(node));
                prop_assert_eq!(&chains.places(chain), list);
                prop_assert_eq!(chain.is_none(), list.is_empty());
                for (other, than) in lists.iter().enumerate() {
                    prop_assert_eq!(chain == chains.of(Bit::at(other)), list == than, "{} {}", node, other);
                }
            }
        }
    }
}

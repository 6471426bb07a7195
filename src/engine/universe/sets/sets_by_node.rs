//! The sets of every node in one vector: a list per node would need as many allocations as there are nodes.

use std::ops::Index;

use crate::cluster::{Column, number_of};
use crate::universe::{Bit, SetIx};

/// Sets by node.
#[derive(Clone, Debug)]
pub struct SetsByNode {
    /// Start and end of each node's sets in `sets`.
    spans: Column<Bit, (u32, u32)>,
    sets: Vec<SetIx>,
}

impl SetsByNode {
    /// Builds the table for this number of nodes; each node's sets keep the order given.
    pub(in crate::universe) fn of(nodes: usize, sets: &[(SetIx, &[Bit])]) -> Self {
        let mut spans = Column::filled(nodes, (0, 0));
        for bit in sets.iter().flat_map(|(_, members)| *members) {
            spans[*bit].1 += 1;
        }
        let mut all: u32 = 0;
        for (begin, count) in spans.iter_mut() {
            *begin = all;
            all += std::mem::replace(count, all);
        }
        let mut by_node = vec![SetIx(0); all as usize];
        for (set, members) in sets {
            for bit in *members {
                let (_, end) = &mut spans[*bit];
                if let Some(place) = by_node.get_mut(*end as usize) {
                    *place = *set;
                }
                *end += 1;
            }
        }
        Self { spans, sets: by_node }
    }

    /// Builds the table with only the last of these sets for each node.
    pub(in crate::universe) fn last_of(nodes: usize, sets: &[(SetIx, &[Bit])]) -> Self {
        let mut last: Column<Bit, Option<SetIx>> = Column::filled(nodes, None);
        for (set, members) in sets {
            members.iter().for_each(|bit| last[*bit] = Some(*set));
        }
        let mut sets = Vec::with_capacity(nodes);
        let span = |set: &Option<SetIx>| {
            let begin = number_of(sets.len());
            sets.extend(*set);
            (begin, number_of(sets.len()))
        };
        Self { spans: last.iter().map(span).collect(), sets }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the sets of each node in turn.
    pub fn enumerate(&self) -> impl Iterator<Item = (Bit, &[SetIx])> {
        self.spans.ids().map(|bit| (bit, &self[bit]))
    }
}

impl Index<Bit> for SetsByNode {
    type Output = [SetIx];

    #[inline]
    fn index(&self, bit: Bit) -> &[SetIx] {
        let (begin, end) = self.spans[bit];
        self.sets.get(begin as usize..end as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_its_sets_in_order_or_the_last_one() {
        let (all, odd) = ([Bit(0), Bit(1), Bit(2)], [Bit(1)]);
        let sets = [(SetIx(0), &all[..]), (SetIx(1), &odd[..]), (SetIx(2), &odd[..])];
        let listed = |by_node: &SetsByNode| -> Vec<Vec<u32>> {
            by_node.enumerate().map(|(_, sets)| sets.iter().map(|set| set.0).collect()).collect()
        };
        assert_eq!(listed(&SetsByNode::of(4, &sets)), [vec![0], vec![0, 1, 2], vec![0], vec![]]);
        assert_eq!(listed(&SetsByNode::last_of(4, &sets)), [vec![0], vec![2], vec![0], vec![]]);
    }
}

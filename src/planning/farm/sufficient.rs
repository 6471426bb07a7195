//! The smallest number of nodes that would suffice.

use qscope_engine::cluster::Column;

use super::workload::{FarmNode, NodeNo};

/// The smallest number of nodes whose slots sum to a number, largest nodes first (packing rule 3). With jobs
/// of several slots it is a bound: it counts slots and does not pack bins.
#[derive(Clone, Debug, Default)]
pub struct SufficientNodes {
    /// Sum of the slots of the 1, 2, 3… largest nodes.
    sums: Vec<u64>,
    /// The slots of each node, if all nodes have equally many.
    uniform: Option<u64>,
}

impl SufficientNodes {
    /// Creates the table for these nodes.
    pub fn of(nodes: &Column<NodeNo, FarmNode>) -> Self {
        let mut slots: Vec<u64> = nodes.iter().map(|node| u64::from(node.slots)).collect();
        slots.sort_unstable_by(|a, b| b.cmp(a));
        let uniform = match (slots.first(), slots.last()) {
            (Some(most), Some(least)) if most == least && *most > 0 => Some(*most),
            _ => None,
        };
        let sums = slots.iter().scan(0u64, |sum, slots| {
            *sum += slots;
            Some(*sum)
        });
        Self { sums: sums.collect(), uniform }
    }

    /// Returns the smallest number of nodes with this many slots; all nodes if even they have too few.
    #[inline]
    pub fn nodes(&self, slots: u64) -> u32 {
        let count = match (self.uniform, slots) {
            (_, 0) => 0,
            (Some(each), _) => usize::try_from(slots.div_ceil(each)).unwrap_or(usize::MAX),
            (None, _) => self.sums.partition_point(|sum| *sum < slots) + 1,
        };
        u32::try_from(count.min(self.sums.len())).unwrap_or(u32::MAX)
    }
}

//! What every node gives to one job, summed over all chunks.

use rustc_hash::FxHashMap;

use crate::universe::{Allocation, AllocationPiece, Bit, ConsIx, Plan};

/// What one node gives to a job.
#[derive(Clone, Copy)]
pub(in crate::universe) struct NodeAmounts<'a> {
    pub bit: Bit,
    pub amounts: &'a [(ConsIx, f64)],
}

/// What every node gives to a job, in the order of first mention.
pub(in crate::universe) struct AmountsByNode {
    /// Each node, and the end of its amounts in `amounts`.
    nodes: Vec<(Bit, usize)>,
    amounts: Vec<(ConsIx, f64)>,
}

impl AmountsByNode {
    pub(in crate::universe) fn of(plan: &Plan, allocation: &Allocation) -> Self {
        let pieces = &allocation.pieces;
        let mut shares =
            Self { nodes: Vec::with_capacity(pieces.len()), amounts: Vec::with_capacity(pieces.len()) };
        if pieces.is_sorted_by_key(|piece| piece.bit) || are_on_different_nodes(pieces) {
            pieces.iter().for_each(|piece| shares.add(plan, piece));
        } else {
            let mut first: FxHashMap<Bit, usize> = FxHashMap::default();
            let mut ranked: Vec<(usize, &AllocationPiece)> = pieces
                .iter()
                .enumerate()
                .map(|(at, piece)| (*first.entry(piece.bit).or_insert(at), piece))
                .collect();
            ranked.sort_by_key(|(rank, _)| *rank);
            ranked.into_iter().for_each(|(_, piece)| shares.add(plan, piece));
        }
        shares
    }

    /// Adds a piece; pieces of one node must be consecutive.
    fn add(&mut self, plan: &Plan, piece: &AllocationPiece) {
        if self.nodes.last().is_none_or(|(bit, _)| *bit != piece.bit) {
            self.nodes.push((piece.bit, self.amounts.len()));
        }
        let before = self.nodes.len().checked_sub(2).and_then(|at| self.nodes.get(at));
        let from = before.map_or(0, |(_, end)| *end);
        for (ix, amount) in Allocation::consumables_of_piece(plan, piece) {
            let here = self.amounts.get_mut(from..).unwrap_or_default();
            match here.iter_mut().find(|(have, _)| *have == ix) {
                Some((_, sum)) => *sum += amount,
                None => self.amounts.push((ix, amount)),
            }
        }
        if let Some((_, end)) = self.nodes.last_mut() {
            *end = self.amounts.len();
        }
    }

    /// Returns the number of nodes.
    pub(in crate::universe) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of amounts of all nodes.
    pub(in crate::universe) fn amounts(&self) -> usize {
        self.amounts.len()
    }

    pub(in crate::universe) fn iter(&self) -> impl Iterator<Item = NodeAmounts<'_>> {
        let mut from = 0;
        self.nodes.iter().map(move |(bit, end)| {
            let amounts = self.amounts.get(from..*end).unwrap_or_default();
            from = *end;
            NodeAmounts { bit: *bit, amounts }
        })
    }
}

/// Whether every piece is on a different node.
fn are_on_different_nodes(pieces: &[AllocationPiece]) -> bool {
    let mut bits: Vec<Bit> = pieces.iter().map(|piece| piece.bit).collect();
    bits.sort_unstable();
    bits.is_sorted_by(|a, b| a < b)
}

//! The orders in which the node path examines nodes, and its marks on them.

use std::borrow::Cow;

use crate::cluster::{Column, Id};
use crate::universe::{
    Bit, BitSet, NodeSet, Plan, ShapeId, SigId, Slot, SortedNodes, SparseIx, SparseSet, State, TakenAmountFn,
};

/// An order of nodes. Marks are kept by an id that the order assigns to each node; positions count from its head.
pub(super) trait NodeTraversal {
    /// Identifies a node in a set of marks.
    type Id: Id;

    /// Returns the node with an id.
    fn bit(&self, id: Self::Id) -> Bit;

    /// Returns the first marked node at or after a position, with its position.
    fn next(&self, marked: &BitSet<Self::Id>, from: usize) -> Option<(usize, Self::Id)> {
        marked.next_from(from).map(|id: Self::Id| (id.ix(), id))
    }

    /// Like [`NodeTraversal::next`], for nodes that are in one set and not in another.
    fn next_outside(
        &self,
        marked: &BitSet<Self::Id>,
        other: &BitSet<Self::Id>,
        from: usize,
    ) -> Option<(usize, Self::Id)> {
        marked.next_outside(other, from).map(|id: Self::Id| (id.ix(), id))
    }

    /// Returns the position of a node, by default the index of its id.
    fn position(&self, id: Self::Id) -> usize {
        id.ix()
    }

    /// Returns the nodes whose signature could hold a chunk when empty; covers at least the marked ones.
    fn fitting<'p>(
        &self,
        plan: &'p Plan,
        marked: &BitSet<Self::Id>,
        shape: ShapeId,
    ) -> Cow<'p, BitSet<Self::Id>>;

    /// Takes the first node of each signature that cannot hold a chunk, and returns the last of these at or after
    /// `start`.
    fn last_misfit(
        &self,
        plan: &Plan,
        marked: &BitSet<Self::Id>,
        fitting: &BitSet<Self::Id>,
        shape: ShapeId,
        start: usize,
    ) -> Option<Self::Id> {
        let _ = shape;
        last_of_first_misfits(self, plan, marked, fitting, start)
    }

    /// Whether the nodes must be re-sorted after every chunk.
    fn is_sorted_anew(&self) -> bool {
        false
    }

    /// Returns itself if unused or assigned amounts order the nodes, so that they must be re-sorted after every
    /// chunk.
    fn per_job(&mut self) -> Option<&mut PerJobOrder> {
        None
    }
}

/// Goes over all nodes that cannot hold a chunk and returns the last one that is the first of its signature.
fn last_of_first_misfits<W: NodeTraversal + ?Sized>(
    walk: &W,
    plan: &Plan,
    marked: &BitSet<W::Id>,
    fitting: &BitSet<W::Id>,
    start: usize,
) -> Option<W::Id> {
    let mut seen: Vec<SigId> = Vec::new();
    let mut best = None;
    let mut from = 0;
    while let Some((at, id)) = walk.next_outside(marked, fitting, from) {
        from = at + 1;
        let sig = plan.nodes[walk.bit(id)].sig;
        if !seen.contains(&sig) {
            seen.push(sig);
            if at >= start {
                best = Some(id);
            }
        }
    }
    best
}

/// All nodes of the complex, in bit order.
pub(super) struct BitOrder;

impl NodeTraversal for BitOrder {
    type Id = Bit;

    fn bit(&self, id: Bit) -> Bit {
        id
    }

    fn fitting<'p>(&self, plan: &'p Plan, _: &NodeSet, shape: ShapeId) -> Cow<'p, NodeSet> {
        Cow::Borrowed(plan.fit_nodes(shape))
    }

    fn last_misfit(
        &self,
        plan: &Plan,
        marked: &NodeSet,
        fitting: &NodeSet,
        shape: ShapeId,
        start: usize,
    ) -> Option<Bit> {
        let Some(by_sig) = plan.sig_nodes() else {
            return last_of_first_misfits(self, plan, marked, fitting, start);
        };
        let misfits = by_sig.enumerate().filter(|(sig, _)| !plan.fit(shape, *sig).fits());
        let first = |(_, members): (SigId, &NodeSet)| marked.first_common(members);
        misfits.filter_map(first).filter(|bit| bit.ix() >= start).max()
    }
}

/// A few nodes, in bit order.
pub(super) struct SparseBitOrder<'a>(pub &'a SparseSet);

impl NodeTraversal for SparseBitOrder<'_> {
    type Id = SparseIx;

    fn bit(&self, place: SparseIx) -> Bit {
        self.0.bit(place)
    }

    fn fitting<'p>(
        &self,
        plan: &'p Plan,
        marked: &BitSet<SparseIx>,
        shape: ShapeId,
    ) -> Cow<'p, BitSet<SparseIx>> {
        Cow::Owned(self.0.among(marked, plan.fit_nodes(shape)))
    }

    fn last_misfit(
        &self,
        plan: &Plan,
        marked: &BitSet<SparseIx>,
        fitting: &BitSet<SparseIx>,
        shape: ShapeId,
        start: usize,
    ) -> Option<SparseIx> {
        match plan.sig_nodes() {
            None => last_of_first_misfits(self, plan, marked, fitting, start),
            Some(by_sig) => by_sig
                .enumerate()
                .filter(|(sig, _)| !plan.fit(shape, *sig).fits())
                .filter_map(|(_, members)| self.0.first_among(marked, members))
                .filter(|place| place.ix() >= start)
                .max(),
        }
    }
}

/// Some nodes, in the order of a list.
pub(super) struct ListOrder(pub Column<Slot, Bit>);

impl NodeTraversal for ListOrder {
    type Id = Slot;

    fn bit(&self, slot: Slot) -> Bit {
        self.0[slot]
    }

    fn fitting<'p>(&self, plan: &'p Plan, marked: &BitSet<Slot>, shape: ShapeId) -> Cow<'p, BitSet<Slot>> {
        let fit = plan.fit_nodes(shape);
        let fitting = marked.iter().filter(|slot| fit.contains(self.bit(*slot)));
        Cow::Owned(BitSet::of(self.0.len(), fitting))
    }
}

/// Nodes in an order of their own, re-sorted after every chunk.
pub(super) enum PerJobOrder {
    /// In the order they had when the last job started.
    LastOrder(Vec<Bit>),
    /// Sorted with the chunks placed so far taken into account.
    Sorted(SortedNodes),
}

impl PerJobOrder {
    fn nodes(&self) -> &[Bit] {
        match self {
            Self::LastOrder(nodes) => nodes,
            Self::Sorted(sorted) => sorted.nodes(),
        }
    }

    /// Re-sorts the nodes after a chunk was placed on one.
    pub(super) fn resort(&mut self, state: &State, bit: Bit, taken: TakenAmountFn<'_>) {
        match self {
            Self::LastOrder(nodes) => {
                *self = Self::Sorted(SortedNodes::new(
                    &state.plan,
                    &state.occupancy,
                    std::mem::take(nodes),
                    taken,
                ));
            }
            Self::Sorted(sorted) => sorted.follow(&state.plan, &state.occupancy, bit, taken),
        }
    }

    fn find(&self, from: usize, accepts: impl Fn(Bit) -> bool) -> Option<(usize, Bit)> {
        self.nodes().iter().copied().enumerate().skip(from).find(|(_, bit)| accepts(*bit))
    }
}

impl NodeTraversal for PerJobOrder {
    type Id = Bit;

    fn bit(&self, id: Bit) -> Bit {
        id
    }

    fn next(&self, marked: &NodeSet, from: usize) -> Option<(usize, Bit)> {
        self.find(from, |bit| marked.contains(bit))
    }

    fn next_outside(&self, marked: &NodeSet, other: &NodeSet, from: usize) -> Option<(usize, Bit)> {
        self.find(from, |bit| marked.contains(bit) && !other.contains(bit))
    }

    fn position(&self, bit: Bit) -> usize {
        let at = self.nodes().iter().position(|b| *b == bit);
        debug_assert!(at.is_some(), "only nodes of the list are found in it");
        at.unwrap_or(usize::MAX)
    }

    fn fitting<'p>(&self, plan: &'p Plan, _: &NodeSet, shape: ShapeId) -> Cow<'p, NodeSet> {
        Cow::Borrowed(plan.fit_nodes(shape))
    }

    fn is_sorted_anew(&self) -> bool {
        true
    }

    fn per_job(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

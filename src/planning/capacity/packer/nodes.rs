//! The nodes of one type: the search for one with room for a job, and new nodes.

use crate::capacity::timeline::{SliceId, TimelineRequest};
use crate::capacity::{
    CapacityShape, Packer, PackerPlacement, PackingAmounts, PackingNumber, ShapeKey, TypeIx,
};
use qscope_engine::cluster::number_of;

impl<N: PackingNumber> Packer<N> {
    /// Places a job on the first existing node of a type that has room.
    pub(super) fn on_nodes_of(
        &mut self,
        kind: TypeIx,
        job: &CapacityShape,
        extend: bool,
    ) -> Option<PackerPlacement<N>> {
        let need = self.need(kind, job);
        let pool = &mut self.pools[kind];
        let fresh = extend.then_some((pool.slice, pool.total_amounts));
        let ask = TimelineRequest { wall: N::of(job.wall_time), need, target: self.target, fresh };
        let key = job.key();
        let mut from = pool.resume.filter(|(last, _)| *last == key).map(|(_, from)| from);
        // The node that took the last job of this shape is tried first; this does not need any window.
        if let Some(node) = from.filter(|node| *node < pool.first_slices.len()) {
            if let Some(placed) = self.try_node(kind, node, &ask, key) {
                return Some(placed);
            }
            from = Some(node + 1);
        }
        self.update_stale_window(kind);
        let mut from = from.unwrap_or(0);
        while let Some(node) = self.pools[kind].windows.first(from, &need, ask.wall) {
            if let Some(placed) = self.try_node(kind, node, &ask, key) {
                return Some(placed);
            }
            from = node + 1;
        }
        let pool = &mut self.pools[kind];
        pool.resume = Some((key, pool.first_slices.len()));
        None
    }

    pub(super) fn try_node(
        &mut self,
        kind: TypeIx,
        node: usize,
        request: &TimelineRequest<N>,
        key: ShapeKey,
    ) -> Option<PackerPlacement<N>> {
        let head = self.pools[kind].first_slices.get(node).copied()?;
        let begin = self.timeline.attempt(head, request)?;
        let pool = &mut self.pools[kind];
        pool.stale = Some(node);
        pool.resume = Some((key, node));
        Some(PackerPlacement::On { kind, node: number_of(node), begin })
    }

    /// Recomputes the window of the node that changed last.
    pub(super) fn update_stale_window(&mut self, kind: TypeIx) {
        let pool = &mut self.pools[kind];
        if let Some(node) = pool.stale.take()
            && let Some(head) = pool.first_slices.get(node).copied()
        {
            let window = self.timeline.window(head, self.target, pool.windows.durations());
            pool.windows.set(node, &window);
        }
    }

    /// Opens a node for a job that begins at once.
    pub(super) fn on_new_node(&mut self, kind: TypeIx, job: &CapacityShape) -> PackerPlacement<N> {
        let need = self.need(kind, job);
        let node = self.open_node(kind, N::of(job.wall_time), &need);
        self.pools[kind].resume = Some((job.key(), node as usize));
        PackerPlacement::On { kind, node, begin: N::default() }
    }

    /// Creates a node with a job on it from the beginning. A job shorter than the type's slice splits it; for
    /// a longer one the reservation is extended to the next multiple of the slice.
    pub(super) fn open_node(&mut self, kind: TypeIx, wall: N, need: &PackingAmounts<N>) -> u32 {
        let (slice, full) = (self.pools[kind].slice, self.pools[kind].total_amounts);
        let head = self.timeline.node(slice, full);
        self.timeline.subtract_amounts(head, wall, need);
        let reduced = full.without(need);
        let (mut allotted, mut last) = (slice, head);
        while allotted < wall {
            last = self.timeline.insert_after(last, slice, reduced);
            allotted = allotted.plus(slice);
        }
        self.push_node(kind, head)
    }

    pub(super) fn push_node(&mut self, type_ix: TypeIx, head: SliceId) -> u32 {
        self.update_stale_window(type_ix);
        let pool = &mut self.pools[type_ix];
        pool.stale = Some(pool.first_slices.len());
        pool.first_slices.push(head);
        pool.windows.push();
        pool.resume = None;
        number_of(pool.first_slices.len() - 1)
    }
}

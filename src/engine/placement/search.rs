//! Finds nodes for the chunks of one job on one list of nodes, over bitmaps, without multi-vnode hosts (rules 4.4 A,
//! 4.5).
//!
//! The real search starts at the head of the list for every chunk and skips the nodes it has marked. Marks last for a
//! whole chunk spec, so resuming where the last chunk was placed examines exactly the same nodes. Nodes whose
//! signature cannot hold the chunk are excluded at once, and only looked up again to find which node was examined
//! last.

mod one_node;

use crate::cluster::{ProvisionPolicy, number_of};
use crate::universe::{
    AllocationPiece, Bit, BitSet, JobRequest, NodeSet, PieceResources, Plan, Reason, ShapeId, State,
};

use super::bound::MAX_STEPS;
use super::chunk::PreparedChunk;
use super::traversal::NodeTraversal;
use super::used_amounts::UsedAmounts;
use super::{Probe, ProbeEvent, TimeCheck};

pub(super) struct NodeSearch<'a, W: NodeTraversal> {
    state: &'a State,
    request: &'a JobRequest,
    /// Nodes that may still be examined.
    alive: BitSet<W::Id>,
    /// The order of nodes.
    traversal: W,
    /// The check against planned events.
    time: &'a TimeCheck,
    /// Nodes that the job would use exclusively.
    exclusive: &'a NodeSet,
    used: UsedAmounts,
    /// The node examined last and its reason, unless it was accepted.
    pub last_refusal: Option<(Bit, Reason)>,
    /// Number of nodes examined, counted over the bitmaps.
    pub examined: u64,
    /// Whether any chunk was placed.
    pub placed_some: bool,
    /// Whether the nodes are copies in a reservation, whose totals are not checked.
    is_in_reservation: bool,
}

/// The start of the search for one chunk, and the last node that failed.
struct SearchStart<I> {
    start: usize,
    last_failed: Option<I>,
}

impl<'a, W: NodeTraversal> NodeSearch<'a, W> {
    /// Creates a search over these nodes.
    pub(super) fn new(
        state: &'a State,
        request: &'a JobRequest,
        alive: BitSet<W::Id>,
        order: W,
        time: &'a TimeCheck,
    ) -> Self {
        let exclusive = state.plan.exclusive_nodes(request.place.sharedness);
        let used = UsedAmounts::new(&state.plan, request, order.is_sorted_anew());
        Self {
            state,
            request,
            alive,
            traversal: order,
            time,
            exclusive,
            used,
            last_refusal: None,
            examined: 0,
            placed_some: false,
            is_in_reservation: false,
        }
    }

    /// Sets whether the nodes are copies in a reservation.
    pub(super) fn set_in_reservation(self, is_in_reservation: bool) -> Self {
        Self { is_in_reservation, ..self }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Places all chunks, or none.
    pub(crate) fn run(&mut self, probe: &mut Probe) -> Option<Vec<AllocationPiece>> {
        let mut pieces =
            Vec::with_capacity(usize::try_from(self.request.total_chunks()).unwrap_or(0).min(64));
        for at in 0..self.request.specs.len() {
            if !self.place_spec(at, &mut pieces, probe) {
                return None;
            }
        }
        Some(pieces)
    }

    /// Places all chunks of one chunk spec.
    fn place_spec(&mut self, at: usize, pieces: &mut Vec<AllocationPiece>, probe: &mut Probe) -> bool {
        let Some(spec) = self.request.specs.get(at) else { return true };
        let spread = self.request.is_spread();
        let spec_ix = number_of(at);
        let fitting = self.traversal.fitting(self.plan(), &self.alive, spec.shape);
        let mut candidates = self.alive.clone();
        candidates.intersect(&fitting);
        let chunk = PreparedChunk::new(self.state, spec.shape);
        // Nodes that do not fit and were examined for an earlier chunk; without a sort they lie before the next
        // start.
        let mut passed = BitSet::new(self.alive.capacity());
        let mut start = 0;
        let mut placed = 0;
        while placed < spec.count {
            let mut trail = SearchStart { start, last_failed: None };
            let found = self.find(&mut candidates, &chunk, &mut start, &mut trail);
            let Some(id) = found else {
                self.last_refusal = self.last_examined(spec.shape, &fitting, &trail, &passed);
                let last = || self.last_refusal.clone().map(|(bit, reason)| (bit, reason.not_now()));
                probe.record(|| ProbeEvent::ChunkFailed { spec: at, placed, last: last() });
                return false;
            };
            self.last_refusal = None;
            self.placed_some = true;
            let bit = self.traversal.bit(id);
            if pieces.len() >= MAX_STEPS {
                self.last_refusal = Some((bit, Reason::TooManyChunks));
                return false;
            }
            let times = self.times_now(bit, &chunk, spec.count - placed, pieces.is_empty());
            self.used.take(self.plan(), bit, spec.shape, times);
            let number = pieces.last().map_or(0, |last| last.chunk.saturating_add(last.times));
            let gives = PieceResources::Shape(spec.shape);
            pieces.push(AllocationPiece { bit, chunk: number, times, spec: spec_ix, gives });
            probe.record(|| ProbeEvent::ChunkPlaced { spec: at, node: bit, times });
            placed += times;
            if spread {
                self.alive.remove(id);
                candidates.remove(id);
            }
            if self.sorts_between_chunks() {
                self.pass(&fitting, start, &mut passed);
                self.resort(bit, &mut start);
            }
        }
        true
    }

    /// Whether the list is re-sorted after every chunk (rule 4.3).
    fn sorts_between_chunks(&self) -> bool {
        self.traversal.is_sorted_anew() && self.plan().snap.policy.provision != ProvisionPolicy::Avoid
    }

    /// Marks the nodes before a position that cannot hold the chunk, and all nodes with the same signatures.
    fn pass(&self, fitting: &BitSet<W::Id>, until: usize, passed: &mut BitSet<W::Id>) {
        let sig = |id: W::Id| self.plan().nodes[self.traversal.bit(id)].sig;
        let mut seen = Vec::new();
        let mut from = 0;
        while let Some((at, id)) =
            self.traversal.next_outside(&self.alive, fitting, from).filter(|(at, _)| *at < until)
        {
            from = at + 1;
            if !seen.contains(&sig(id)) {
                seen.push(sig(id));
            }
        }
        for id in self.alive.iter().filter(|id| !fitting.contains(*id) && seen.contains(&sig(*id))) {
            passed.insert(id);
        }
    }

    /// Returns the next node that holds a chunk now; nodes that do not are marked.
    fn find(
        &mut self,
        candidates: &mut BitSet<W::Id>,
        chunk: &PreparedChunk<'_>,
        from: &mut usize,
        trail: &mut SearchStart<W::Id>,
    ) -> Option<W::Id> {
        loop {
            let (position, id) = self.traversal.next(candidates, *from)?;
            *from = position;
            self.examined += 1;
            if self.holds(self.traversal.bit(id), chunk) {
                return Some(id);
            }
            candidates.remove(id);
            trail.last_failed = Some(id);
        }
    }

    /// Returns the node examined last in a failed search (rule 4.5): the last candidate, or the first node of a
    /// signature that cannot hold the chunk, whichever comes later.
    fn last_examined(
        &self,
        shape: ShapeId,
        fitting: &BitSet<W::Id>,
        start: &SearchStart<W::Id>,
        passed: &BitSet<W::Id>,
    ) -> Option<(Bit, Reason)> {
        let mut open = self.alive.clone();
        open.subtract(passed);
        let misfit = match self.is_in_reservation {
            false => self.traversal.last_misfit(self.plan(), &open, fitting, shape, start.start),
            // Nodes before the start were marked for an earlier chunk of this chunk spec (rule M35).
            true => {
                let unmarked =
                    |id: &W::Id| !fitting.contains(*id) && self.traversal.position(*id) >= start.start;
                open.iter().filter(unmarked).max_by_key(|id| self.traversal.position(*id))
            }
        };
        let both = [misfit, start.last_failed].into_iter().flatten();
        let last = self.traversal.bit(both.max_by_key(|id| self.traversal.position(*id))?);
        self.reason(last, shape).map(|reason| (last, reason))
    }

    /// Re-sorts the list after a chunk was placed, if the sort key reads unused or assigned amounts (rule 4.3).
    fn resort(&mut self, bit: Bit, from: &mut usize) {
        let Some(nodes) = self.traversal.per_job() else { return };
        let used = &self.used;
        nodes.resort(self.state, bit, &|ix, home| used.of(ix, home));
        *from = 0;
    }
}

//! The capacity of one node during the search: whether it holds a chunk, how many, or the reason why not.

use crate::universe::{Bit, ChunkFit, ConsIx, Reason, ShapeId};

use super::NodeSearch;
use crate::placement::bound::{MAX_STEPS, largest_where};
use crate::placement::chunk::{ConsumableAmounts, PreparedChunk};
use crate::placement::traversal::NodeTraversal;
use crate::placement::why_not::{lacks_condition, needs_provisioning, refusal};

impl<W: NodeTraversal> NodeSearch<'_, W> {
    /// Returns how many chunks of the only chunk spec a node holds, and how often it is examined if they are not
    /// enough. Each node must be checked only once.
    pub(in crate::placement) fn chunks_on(&mut self, bit: Bit, chunk: &PreparedChunk<'_>) -> (u32, u32) {
        let most = self
            .request
            .specs
            .first()
            .map_or(0, |spec| if self.request.is_spread() { 1 } else { spec.count });
        let counted = if self.time.is_empty() { chunk.times_on(bit) } else { None };
        let mut held = counted.map_or(0, |times| times.min(most));
        let mut examined = u32::from(held > 0);
        while counted.is_none() && held < most && (examined as usize) < MAX_STEPS && self.holds(bit, chunk) {
            let times = self.times_now(bit, chunk, most - held, false);
            self.used.take(self.plan(), bit, chunk.shape, times);
            held += times;
            examined += 1;
        }
        (held, if self.request.is_spread() { 1 } else { examined + 1 })
    }

    /// Returns how many of `requested` equal chunks a node takes in a row, given that it holds one. One at a time if
    /// the next may go elsewhere, or if adding up loses digits.
    pub(super) fn times_now(
        &mut self,
        bit: Bit,
        chunk: &PreparedChunk<'_>,
        requested: u32,
        is_first: bool,
    ) -> u32 {
        let is_free = self.plan().needs[chunk.shape].iter().all(|(_, amount)| *amount == 0.0);
        // The list is sorted after the job's first chunk, whatever that takes.
        let moves = self.traversal.is_sorted_anew() && (is_first || !is_free);
        if moves || self.request.is_spread() || !self.plan().is_counted(chunk.shape) {
            return 1;
        }
        largest_where(requested, |times| self.holds_repeatedly(bit, chunk, times - 1))
    }

    /// Whether a node of a fitting signature holds a chunk now and throughout planned events.
    pub(super) fn holds(&self, bit: Bit, chunk: &PreparedChunk<'_>) -> bool {
        self.holds_repeatedly(bit, chunk, 0)
    }

    /// Like [`holds`](Self::holds), after `times` equal chunks were placed on the node.
    fn holds_repeatedly(&self, bit: Bit, chunk: &PreparedChunk<'_>, times: u32) -> bool {
        let has = |(requested, amounts): (f64, &ConsumableAmounts<'_>)| {
            amounts.left(bit, &self.used) - self.noted(amounts.ix(), bit, requested, times) >= requested
        };
        chunk.amounts().all(has)
            && (!chunk.has_names || self.is_named(bit, chunk.shape))
            && !(chunk.has_aoe && needs_provisioning(self.plan(), chunk.shape, bit))
            && self.fits_until_events(bit, chunk.shape, times)
    }

    /// Returns what `times` more chunks would take of a node, as seen by the next chunk.
    fn noted(&self, ix: ConsIx, bit: Bit, each: f64, times: u32) -> f64 {
        let is_seen = times > 0 && self.plan().capacity.keeper(ix, bit) == bit;
        if is_seen { f64::from(times) * each } else { 0.0 }
    }

    fn fits_until_events(&self, bit: Bit, shape: ShapeId, times: u32) -> bool {
        let needs = &self.plan().needs[shape];
        let each = |ix| needs.iter().find(|(have, _)| *have == ix).map_or(0.0, |(_, amount)| *amount);
        self.time.is_empty()
            || self.time.allows(bit, self.exclusive.contains(bit), needs, &|ix| {
                self.left(ix, bit) - self.noted(ix, bit, each(ix), times)
            })
    }

    /// Whether a node has the host or vnode name that a chunk requests.
    fn is_named(&self, bit: Bit, shape: ShapeId) -> bool {
        let plan = self.plan();
        let mut names = plan.shapes[shape].conditions().filter(|(resource, _)| resource.is_node_name());
        names.all(|(resource, requirement)| lacks_condition(plan, *resource, requirement, bit).is_none())
    }

    fn left(&self, ix: ConsIx, bit: Bit) -> f64 {
        self.used.left(self.state, ix, bit)
    }

    /// Returns why an examined node was refused.
    pub(super) fn reason(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        let plan = self.plan();
        // A node that cannot hold the chunk even when empty is checked a second time by its totals, ignoring host and
        // vnode names, and the result of that check is used.
        if !self.is_in_reservation
            && let ChunkFit::Refused(reason) = plan.fit(shape, plan.nodes[bit].sig)
        {
            return Some(reason.clone().erased());
        }
        let fits_until_events = || self.fits_until_events(bit, shape, 0);
        refusal(plan, shape, bit, |ix| self.left(ix, bit), fits_until_events)
    }
}

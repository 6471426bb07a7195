//! Finding nodes for the chunks of one job on one list of nodes, without multi-vnode hosts (rules 4.4 A,
//! 4.5), over bitmaps.
//!
//! The real search starts at the head of the list for every chunk and skips the nodes that it has marked.
//! Marks last for a whole part of the select, so resuming where the last chunk was placed examines exactly
//! the same nodes; nodes whose signature cannot hold the chunk are left out at once, and only looked up
//! again to say which node was examined last.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Arrangement, Id, ResourceId};
use crate::universe::{
    Bit, ConsIx, Fit, Gives, JobRequest, NodeSet, Piece, Plan, Reason, ShapeId, State, merge_sort,
};

use super::probe::{Event, Probe};
use super::time_check::TimeCheck;
use super::why_not::{lacks_amount, lacks_condition};

/// In which order nodes are looked at.
#[derive(Clone, Debug)]
pub(super) enum Walk {
    /// In the order of their bits.
    ByBit,
    /// In an order of its own, sorted anew after every chunk.
    PerJob(Vec<Bit>),
}

/// What the chunks of the job itself have used up so far.
#[derive(Clone, Debug, Default)]
struct Used {
    amounts: FxHashMap<(ConsIx, Bit), f64>,
}

/// One search.
pub(super) struct Search<'a> {
    /// The state.
    pub state: &'a State,
    /// What the job asks for.
    pub request: &'a JobRequest,
    /// Nodes that may still be looked at.
    pub alive: NodeSet,
    /// The order.
    pub walk: Walk,
    /// What is planned.
    pub time: &'a TimeCheck,
    /// Nodes that would be exclusive to the job.
    pub exclusive: &'a NodeSet,
    used: Used,
    /// The first failure ever remembered.
    pub first: Option<Reason>,
    /// The failure of the node examined last, unless that one was fine.
    pub last: Option<(Bit, Reason)>,
    /// How many nodes were examined, as the bitmaps see it.
    pub examined: u64,
}

/// Where one search for one chunk began and what it met.
struct Trail {
    start: usize,
    first_failed: Option<Bit>,
    last_failed: Option<Bit>,
}

impl<'a> Search<'a> {
    /// A search over these nodes.
    pub(crate) fn new(
        state: &'a State,
        request: &'a JobRequest,
        alive: NodeSet,
        walk: Walk,
        time: &'a TimeCheck,
    ) -> Self {
        let exclusive = state.plan.exclusive_nodes(request.place.sharedness);
        Self {
            state,
            request,
            alive,
            walk,
            time,
            exclusive,
            used: Used::default(),
            first: None,
            last: None,
            examined: 0,
        }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Places all chunks, or none.
    pub(crate) fn run(&mut self, probe: &mut Probe) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        for at in 0..self.request.specs.len() {
            if !self.place_spec(at, &mut pieces, probe) {
                return None;
            }
        }
        Some(pieces)
    }

    /// Places all chunks of one part.
    fn place_spec(&mut self, at: usize, pieces: &mut Vec<Piece>, probe: &mut Probe) -> bool {
        let Some(spec) = self.request.specs.get(at) else { return true };
        let spread = matches!(self.request.place.arrangement, Arrangement::Scatter | Arrangement::Vscatter);
        let spec_ix = u32::try_from(at).unwrap_or(u32::MAX);
        let mut candidates = self.alive.clone();
        candidates.intersect(self.plan().fit_nodes(spec.shape));
        let mut from = 0;
        for placed in 0..spec.count {
            let mut trail = Trail { start: from, first_failed: None, last_failed: None };
            let found = self.find(&mut candidates, spec.shape, &mut from, &mut trail);
            self.remember_first(spec.shape, &trail, found);
            let Some(bit) = found else {
                self.last = self.last_examined(spec.shape, &trail);
                let last = || self.last.clone().map(|(bit, reason)| (bit, reason.not_now()));
                probe.hear(|| Event::ChunkFailed { spec: at, placed, last: last() });
                return false;
            };
            self.last = None;
            self.use_up(bit, spec.shape);
            let chunk = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
            pieces.push(Piece { bit, chunk, spec: spec_ix, gives: Gives::Shape(spec.shape) });
            probe.hear(|| Event::ChunkPlaced { spec: at, node: bit });
            if spread {
                self.alive.remove(bit);
                candidates.remove(bit);
            }
            self.resort(&mut from);
        }
        true
    }

    /// The next node that holds a chunk now; those that do not are marked.
    fn find(
        &mut self,
        candidates: &mut NodeSet,
        shape: ShapeId,
        from: &mut usize,
        trail: &mut Trail,
    ) -> Option<Bit> {
        loop {
            let (position, bit) = self.next(candidates, *from)?;
            *from = position;
            self.examined += 1;
            if self.holds(bit, shape) {
                return Some(bit);
            }
            candidates.remove(bit);
            trail.first_failed.get_or_insert(bit);
            trail.last_failed = Some(bit);
        }
    }

    /// The next candidate at or after a position of the walk.
    fn next(&self, candidates: &NodeSet, from: usize) -> Option<(usize, Bit)> {
        match &self.walk {
            Walk::ByBit => candidates.next_from(from).map(|bit: Bit| (bit.ix(), bit)),
            Walk::PerJob(order) => {
                order.iter().copied().enumerate().skip(from).find(|(_, bit)| candidates.contains(*bit))
            }
        }
    }

    /// Where a node stands in the walk.
    fn position(&self, bit: Bit) -> usize {
        match &self.walk {
            Walk::ByBit => bit.ix(),
            Walk::PerJob(order) => order.iter().position(|b| *b == bit).unwrap_or(usize::MAX),
        }
    }

    fn left(&self, ix: ConsIx, bit: Bit) -> f64 {
        let left = self.state.floor.left(self.plan(), ix, bit);
        if self.used.amounts.is_empty() {
            return left;
        }
        let home = self.plan().capacity.home(ix, bit);
        left - self.used.amounts.get(&(ix, home)).copied().unwrap_or(0.0)
    }

    /// Whether a node has the host's or vnode's name that a chunk asks for.
    fn is_named(&self, bit: Bit, shape: ShapeId) -> bool {
        let plan = self.plan();
        let named = [ResourceId::host(), ResourceId::vnode()];
        let mut wants =
            plan.shapes.get_shape(shape).conditions().filter(|(resource, _)| named.contains(resource));
        wants.all(|(resource, want)| lacks_condition(plan, *resource, want, bit).is_none())
    }

    /// Whether a node of a fitting signature holds a chunk now and through what is planned.
    fn holds(&self, bit: Bit, shape: ShapeId) -> bool {
        let needs = &self.plan().needs[shape];
        self.is_named(bit, shape)
            && needs.iter().all(|(ix, wanted)| *wanted <= 0.0 || self.left(*ix, bit) >= *wanted)
            && self.in_time(bit, shape)
    }

    fn in_time(&self, bit: Bit, shape: ShapeId) -> bool {
        self.time.is_empty()
            || self.time.allows(bit, self.exclusive.contains(bit), &self.plan().needs[shape], &|ix| {
                self.left(ix, bit)
            })
    }

    fn use_up(&mut self, bit: Bit, shape: ShapeId) {
        for (ix, amount) in &self.plan().needs[shape] {
            let home = self.plan().capacity.home(*ix, bit);
            *self.used.amounts.entry((*ix, home)).or_insert(0.0) += amount;
        }
    }

    /// Why an examined node would not do.
    fn reason(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        let plan = self.plan();
        // A node that cannot hold the chunk even when empty is checked a second time by its totals, names of
        // hosts and vnodes left out, and what that check says is what stands.
        if let Fit::No(reason) = plan.fit(shape, plan.nodes[bit].sig) {
            return Some(reason.clone().erased());
        }
        let lacking = plan.shapes.get_shape(shape).requests.iter().find_map(|(resource, want)| match want {
            crate::universe::Want::Amount(wanted) => {
                let ix = plan.consumables.ix(*resource)?;
                lacks_amount(plan, bit, *resource, ix, *wanted, self.left(ix, bit))
            }
            _ => lacks_condition(plan, *resource, want, bit),
        });
        lacking.map(Reason::erased).or_else(|| (!self.in_time(bit, shape)).then_some(Reason::Conflict))
    }

    /// Nodes that may be looked at and cannot hold the chunk even when empty.
    fn misfits(&self, shape: ShapeId) -> NodeSet {
        let mut misfits = self.alive.clone();
        misfits.subtract(self.plan().fit_nodes(shape));
        misfits
    }

    /// Keeps the very first failure, for when the last node examined was fine.
    fn remember_first(&mut self, shape: ShapeId, trail: &Trail, found: Option<Bit>) {
        if self.first.is_some() {
            return;
        }
        let misfit = self.next(&self.misfits(shape), trail.start).map(|(_, bit)| bit);
        let until = found.map_or(usize::MAX, |bit| self.position(bit));
        let failed =
            [misfit, trail.first_failed].into_iter().flatten().filter(|bit| self.position(*bit) < until);
        let earliest = failed.min_by_key(|bit| self.position(*bit));
        self.first = earliest.and_then(|bit| self.reason(bit, shape));
    }

    /// The node examined last in a search that found nothing (rule 4.5): the last candidate, or the first
    /// node of a signature that cannot hold the chunk, whichever stands later.
    fn last_examined(&self, shape: ShapeId, trail: &Trail) -> Option<(Bit, Reason)> {
        let misfit = self.last_misfit(shape, trail.start);
        let last = [misfit, trail.last_failed].into_iter().flatten().max_by_key(|bit| self.position(*bit))?;
        self.reason(last, shape).map(|reason| (last, reason))
    }

    /// The last examined node among those that cannot hold the chunk: one for each signature, the first.
    fn last_misfit(&self, shape: ShapeId, start: usize) -> Option<Bit> {
        let misfits = self.misfits(shape);
        let after = |bit: &Bit| self.position(*bit) >= start;
        if let (Walk::ByBit, Some(by_sig)) = (&self.walk, self.plan().sig_nodes()) {
            let mut best = None;
            for (sig, members) in by_sig.enumerate() {
                if !self.plan().fit(shape, sig).fits() {
                    best = best.max(first_common(&misfits, members).filter(after));
                }
            }
            return best;
        }
        let mut seen = FxHashSet::default();
        let mut position = 0;
        let mut best = None;
        while let Some((at, bit)) = self.next(&misfits, position) {
            position = at + 1;
            if seen.insert(self.plan().nodes[bit].sig) && after(&bit) {
                best = Some(bit);
            }
        }
        best
    }

    /// Sorts the list anew after a chunk, where the sort looks at what is unused or assigned (rule 4.3).
    fn resort(&mut self, from: &mut usize) {
        let Walk::PerJob(order) = &self.walk else { return };
        let mut order = order.clone();
        let keys = self.plan().snap.policy.node_sort_key.get(self.plan().period);
        let value = |bit: &Bit| {
            let used = |ix, bit| {
                let home = self.plan().capacity.home(ix, bit);
                self.used.amounts.get(&(ix, home)).copied().unwrap_or(0.0)
            };
            self.state.sort_values(*bit, &used)
        };
        let mut keyed: Vec<(Bit, Vec<f64>)> = order.drain(..).map(|bit| (bit, value(&bit))).collect();
        let rank = |bit: Bit| self.plan().nodes[bit].id;
        merge_sort(&mut keyed, &mut |a, b| {
            crate::universe::compare_keys(keys, &a.1, &b.1).then_with(|| rank(a.0).cmp(&rank(b.0)))
        });
        self.walk = Walk::PerJob(keyed.into_iter().map(|(bit, _)| bit).collect());
        *from = 0;
    }
}

/// The first node in both sets.
fn first_common(a: &NodeSet, b: &NodeSet) -> Option<Bit> {
    a.words().iter().zip(b.words()).enumerate().find_map(|(at, (a, b))| {
        let both = a & b;
        (both != 0).then(|| Bit::at(at * 64 + both.trailing_zeros() as usize))
    })
}

/// The walk over a list for the state at hand.
pub(super) fn walk_of(state: &State, list: &NodeSet) -> Walk {
    if !super::path::sorts_per_job(&state.plan) {
        return Walk::ByBit;
    }
    let order: &Arc<[Bit]> = &state.node_order;
    Walk::PerJob(order.iter().copied().filter(|bit| list.contains(*bit)).collect())
}

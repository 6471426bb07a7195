//! Places one chunk on one host: whole on one vnode, or broken over several (rule 4.5).

use rustc_hash::FxHashSet;

use crate::cluster::{Amount, Arrangement, PlaceSharing};
use crate::universe::{
    Allocation, AllocationPiece, Bit, ChunkFit, ConsIx, JobRequest, NodeSet, PieceResources, Reason, ShapeId,
    Shortage, SortedNodes, State, TakenAmounts,
};

use super::bound::largest_where;
use super::time_check::TimeCheck;
use super::why_not::{lacks_condition, refusal};

/// The vnodes of one host.
#[derive(Clone, Copy)]
pub(super) struct HostVnodes<'v> {
    /// The vnodes on the examined list.
    pub listed: &'v [Bit],
    /// Those that may be used.
    pub usable: &'v [Bit],
}

impl<'v> HostVnodes<'v> {
    /// The vnodes of a host that has only these usable ones.
    pub(super) fn of_usable(usable: &'v [Bit]) -> Self {
        Self { listed: usable, usable }
    }
}

/// State of the search for chunks on hosts.
pub(super) struct HostChunkSearch<'a> {
    state: &'a State,
    request: &'a JobRequest,
    pub(super) time: &'a TimeCheck,
    exclusive: &'a NodeSet,
    /// Amounts used so far by the job's own chunks.
    used: TakenAmounts,
    /// The part of that used by broken chunks, each without its last piece; where vnodes are sorted between chunks it
    /// counts twice (rule M42).
    broken: TakenAmounts,
    /// Whether that part counts twice.
    pub(super) is_sorted: bool,
    /// Vnodes that may take only one chunk and have it.
    pub(super) scattered: FxHashSet<Bit>,
    /// Vnodes that could not hold a whole chunk of the current chunk spec.
    marked: FxHashSet<Bit>,
    /// Why the first unplaced chunk failed: the reason of the last vnode that refused it.
    pub(super) first: Option<Reason>,
}

impl<'a> HostChunkSearch<'a> {
    pub(super) fn new(state: &'a State, request: &'a JobRequest, time: &'a TimeCheck) -> Self {
        Self {
            state,
            request,
            time,
            exclusive: state.plan.exclusive_nodes(request.place.sharedness),
            used: TakenAmounts::default(),
            broken: TakenAmounts::default(),
            is_sorted: false,
            scattered: FxHashSet::default(),
            marked: FxHashSet::default(),
            first: None,
        }
    }

    /// Starts the next chunk spec, which clears the marks.
    pub(super) fn next_spec(&mut self) {
        self.marked.clear();
    }

    /// Records a refusal; only the first reason is kept.
    pub(super) fn note(&mut self, reason: Option<Reason>) {
        if self.first.is_none() {
            self.first = reason;
        }
    }

    /// Returns the vnodes for one chunk: one that holds it whole or, if none could and the chunk may be broken,
    /// several that hold it together. A vnode that could not hold it whole is not considered again for this chunk
    /// spec.
    pub(super) fn find(
        &mut self,
        shape: ShapeId,
        vnodes: HostVnodes<'_>,
        breakable: bool,
    ) -> Option<Vec<(Bit, PieceResources)>> {
        let left: Vec<Bit> = vnodes.usable.iter().copied().filter(|bit| self.is_unmarked(*bit)).collect();
        // A chunk is broken only if no vnode could hold it apart from planned events (measured). Whether that vnode
        // is free, or refused the chunk before, does not matter (rule M38).
        let holds = |bit: &Bit| matches!(self.lacks(*bit, shape), None | Some(Reason::Conflict));
        if breakable && !vnodes.listed.iter().any(holds) {
            return self.broken(shape, &left);
        }
        let mut last = None;
        for bit in left {
            last = self.lacks(bit, shape);
            if last.is_none() {
                return Some(vec![(bit, PieceResources::Shape(shape))]);
            }
            self.marked.insert(bit);
        }
        self.note(last);
        None
    }

    /// Returns what a vnode lacks for a whole chunk even when empty.
    fn refusal_for_good(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        let plan = &self.state.plan;
        match plan.fit(shape, plan.nodes[bit].sig) {
            ChunkFit::Refused(reason) => Some(reason.clone().erased()),
            _ => None,
        }
    }

    fn is_scattered(&self) -> bool {
        self.request.place.arrangement == Arrangement::Scatter
    }

    fn is_unmarked(&self, bit: Bit) -> bool {
        !self.marked.contains(&bit) && !self.scattered.contains(&bit)
    }

    /// Returns how many of `requested` equal chunks a vnode takes in a row, given that it holds one.
    pub(super) fn times_on(&self, bit: Bit, shape: ShapeId, requested: u32) -> u32 {
        if !self.state.plan.is_counted(shape) {
            return 1;
        }
        largest_where(requested, |times| self.lacks_after(bit, shape, times - 1).is_none())
    }

    /// Counts what a piece takes, which may be the last of its chunk; under vscatter its vnode is used up instead.
    pub(super) fn use_up(&mut self, piece: &AllocationPiece, is_last: bool) {
        if self.request.place.arrangement == Arrangement::Vscatter {
            self.scattered.insert(piece.bit);
            return;
        }
        let plan = &self.state.plan;
        let is_broken = matches!(piece.gives, PieceResources::Amounts(_));
        for (ix, amount) in Allocation::consumables_of_piece(plan, piece) {
            let home = plan.capacity.keeper(ix, piece.bit);
            self.used.add(ix, home, amount);
            if is_broken && !is_last {
                self.broken.add(ix, home, amount);
            }
        }
    }

    /// Releases everything that the chunks of the job took.
    pub(super) fn forget(&mut self) {
        self.used.clear();
        self.broken.clear();
    }

    /// Sorts vnodes by what they have left after the job's own chunks.
    pub(super) fn sorted(&self, vnodes: Vec<Bit>) -> Vec<Bit> {
        let taken = |ix, home| self.taken(ix, home);
        SortedNodes::new(&self.state.plan, &self.state.occupancy, vnodes, &taken).into_nodes()
    }

    /// Returns what the job's own chunks count as having taken of a node (rule M42).
    fn taken(&self, ix: ConsIx, home: Bit) -> f64 {
        self.used.of(ix, home) + if self.is_sorted { self.broken.of(ix, home) } else { 0.0 }
    }

    fn left(&self, ix: ConsIx, bit: Bit) -> f64 {
        let home = self.state.plan.capacity.keeper(ix, bit);
        self.state.occupancy.left(&self.state.plan, ix, bit) - self.taken(ix, home)
    }

    /// Returns what a vnode lacks for a whole chunk.
    fn lacks(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        self.lacks_after(bit, shape, 0)
    }

    /// Like [`lacks`](Self::lacks), after `times` equal chunks were placed on the vnode.
    fn lacks_after(&self, bit: Bit, shape: ShapeId, times: u32) -> Option<Reason> {
        let plan = &self.state.plan;
        let needs = &plan.needs[shape];
        let each = |ix| needs.iter().find(|(have, _)| *have == ix).map_or(0.0, |(_, amount)| *amount);
        let left = |ix| match times {
            0 => self.left(ix, bit),
            _ => self.left(ix, bit) - f64::from(times) * each(ix),
        };
        refusal(plan, shape, bit, left, || self.fits_until_events(bit, needs, &left))
    }

    /// Returns the first condition of a chunk, other than an amount, that a vnode does not meet.
    fn lacks_conditions(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        let plan = &self.state.plan;
        let mut conditions = plan.shapes[shape].conditions();
        conditions
            .find_map(|(resource, requirement)| lacks_condition(plan, *resource, requirement, bit))
            .map(Reason::erased)
    }

    fn fits_until_events(&self, bit: Bit, needs: &[(ConsIx, f64)], left: &dyn Fn(ConsIx) -> f64) -> bool {
        self.time.is_empty() || self.time.allows(bit, self.exclusive.contains(bit), needs, left)
    }

    /// Breaks a chunk over vnodes, taking from each as much as it has of what is still missing. A vnode with nothing
    /// left of some resource leaves a reason even if it contributes others. Resources are written in reverse order of
    /// the select (rule 11, item 9).
    ///
    /// If an exclusive job scatters its chunks, a vnode that could not hold the chunk even when empty leaves its
    /// reason first (rule M14).
    fn broken(&mut self, shape: ShapeId, open: &[Bit]) -> Option<Vec<(Bit, PieceResources)>> {
        let mut requested: Vec<(ConsIx, f64)> = self.state.plan.needs[shape].clone();
        let mut pieces = Vec::new();
        // What the chunk already has of amounts that several vnodes share (rule M33).
        let mut given = TakenAmounts::default();
        let mut last = None;
        for bit in open.iter().copied() {
            if self.is_scattered() && self.exclusive.contains(bit) {
                self.note(self.refusal_for_good(bit, shape));
            }
            if let Some(reason) = self.lacks_conditions(bit, shape) {
                last = Some(reason);
                continue;
            }
            let mut taken = self.share(bit, &requested, &given, &mut last);
            if taken.is_empty() {
                continue;
            }
            if !self.fits_until_events(bit, &taken, &|ix| self.left(ix, bit)) {
                last = Some(self.refusal_in_time(&taken));
                continue;
            }
            for (ix, amount) in &taken {
                given.add(*ix, self.state.plan.capacity.keeper(*ix, bit), *amount);
                if let Some((_, rest)) = requested.iter_mut().find(|(have, _)| have == ix) {
                    *rest -= amount;
                }
            }
            requested.retain(|(_, rest)| *rest > 0.0);
            taken.reverse();
            pieces.push((bit, PieceResources::Amounts(taken.into())));
            if requested.is_empty() {
                return Some(pieces);
            }
        }
        self.note(last);
        None
    }

    /// Returns why a vnode contributes nothing to a broken chunk because of planned events. A job that requests
    /// exclusive use finds nothing left, even if the vnode is never given to one job alone (rule M39).
    fn refusal_in_time(&self, taken: &[(ConsIx, f64)]) -> Reason {
        let asks = matches!(self.request.place.sharedness, PlaceSharing::Excl | PlaceSharing::Exclhost);
        let none = taken.last().filter(|_| asks);
        none.map_or(Reason::Conflict, |(ix, _)| self.nothing_left(*ix))
    }

    fn nothing_left(&self, ix: ConsIx) -> Reason {
        let resource = self.state.plan.consumables.resource(ix);
        Reason::Resource(Shortage::amounts(resource, Amount(1.0), Amount(0.0), Amount(0.0))).erased()
    }

    /// Returns what a vnode contributes to a broken chunk: whole units only, so fractional requests are never
    /// satisfied (rule M13). An unset resource that counts as infinite is neither given nor missing (rule M19).
    fn share(
        &self,
        bit: Bit,
        requested: &[(ConsIx, f64)],
        given: &TakenAmounts,
        last: &mut Option<Reason>,
    ) -> Vec<(ConsIx, f64)> {
        let mut taken = Vec::new();
        for (ix, amount) in requested.iter().filter(|(_, amount)| *amount > 0.0) {
            let home = self.state.plan.capacity.keeper(*ix, bit);
            let left = self.left(*ix, bit) - given.of(*ix, home);
            if left.is_infinite() {
                continue;
            }
            let give = left.min(*amount).floor();
            if give > 0.0 {
                taken.push((*ix, give));
            } else {
                *last = Some(self.nothing_left(*ix));
            }
        }
        taken
    }
}

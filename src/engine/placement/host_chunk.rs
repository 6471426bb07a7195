//! One chunk on one host: whole on one vnode, or broken over several (rule 4.5).

use rustc_hash::FxHashSet;

use crate::cluster::{Amount, Arrangement, Sharedness};
use crate::universe::{
    Allocation, Bit, ConsIx, Fit, Gives, JobRequest, NodeSet, Piece, Reason, ShapeId, Shortage, SortedNodes,
    State, TakenAmounts,
};

use super::bound::most_that;
use super::time_check::TimeCheck;
use super::why_not::{lacking, lacks_condition, needs_provisioning};

/// The vnodes of one host.
#[derive(Clone, Copy)]
pub(super) struct Vnodes<'v> {
    /// Those of the list that is examined.
    pub listed: &'v [Bit],
    /// Those of them that may be used.
    pub open: &'v [Bit],
}

impl<'v> Vnodes<'v> {
    /// Of a host that has only these, which may be used.
    pub(super) fn only(open: &'v [Bit]) -> Self {
        Self { listed: open, open }
    }
}

/// What the search for chunks on hosts keeps in mind.
pub(super) struct HostChunks<'a> {
    state: &'a State,
    request: &'a JobRequest,
    pub(super) time: &'a TimeCheck,
    exclusive: &'a NodeSet,
    /// What the chunks of the job itself have used up so far.
    used: TakenAmounts,
    /// What broken chunks have of that: it counts twice where vnodes are sorted (rule M42).
    broken: TakenAmounts,
    /// Vnodes that may take one chunk only and have it.
    pub(super) scattered: FxHashSet<Bit>,
    /// Vnodes that could not hold a whole chunk of the part at hand.
    marked: FxHashSet<Bit>,
    /// Why the first chunk that found no place did not: the reason of the last vnode that refused it.
    pub(super) first: Option<Reason>,
}

impl<'a> HostChunks<'a> {
    pub(super) fn new(state: &'a State, request: &'a JobRequest, time: &'a TimeCheck) -> Self {
        Self {
            state,
            request,
            time,
            exclusive: state.plan.exclusive_nodes(request.place.sharedness),
            used: TakenAmounts::default(),
            broken: TakenAmounts::default(),
            scattered: FxHashSet::default(),
            marked: FxHashSet::default(),
            first: None,
        }
    }

    /// Another part of the select begins: marks do not last longer.
    pub(super) fn next_spec(&mut self) {
        self.marked.clear();
    }

    /// A vnode refuses: the first reason is kept.
    pub(super) fn note(&mut self, reason: Option<Reason>) {
        if self.first.is_none() {
            self.first = reason;
        }
    }

    /// The vnodes for one chunk: one that holds it whole; if none could and the chunk may be broken, several
    /// that together do. A vnode that could not hold it whole is not considered again for this part.
    pub(super) fn find(
        &mut self,
        shape: ShapeId,
        vnodes: Vnodes<'_>,
        breakable: bool,
    ) -> Option<Vec<(Bit, Gives)>> {
        let left: Vec<Bit> = vnodes.open.iter().copied().filter(|bit| self.is_unmarked(*bit)).collect();
        // What is planned there does not count: a chunk that a vnode could hold but for that is not broken (measured).
        // Nor does it matter whether the vnode is free, or has refused the chunk before (rule M38).
        let holds = |bit: &Bit| matches!(self.lacks(*bit, shape), None | Some(Reason::Conflict));
        if breakable && !vnodes.listed.iter().any(holds) {
            return self.broken(shape, &left);
        }
        let mut last = None;
        for bit in left {
            last = self.lacks(bit, shape);
            if last.is_none() {
                return Some(vec![(bit, Gives::Shape(shape))]);
            }
            self.marked.insert(bit);
        }
        self.note(last);
        None
    }

    /// What a vnode lacks of a whole chunk even when it is empty.
    fn refusal_for_good(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        let plan = &self.state.plan;
        match plan.fit(shape, plan.nodes[bit].sig) {
            Fit::No(reason) => Some(reason.clone().erased()),
            _ => None,
        }
    }

    fn is_scattered(&self) -> bool {
        self.request.place.arrangement == Arrangement::Scatter
    }

    fn is_unmarked(&self, bit: Bit) -> bool {
        !self.marked.contains(&bit) && !self.scattered.contains(&bit)
    }

    /// How many equal chunks a vnode that holds one whole takes one after the other, of so many that are requested.
    pub(super) fn times_on(&self, bit: Bit, shape: ShapeId, requested: u32) -> u32 {
        if !self.state.plan.is_counted(shape) {
            return 1;
        }
        most_that(requested, |times| self.lacks_after(bit, shape, times - 1).is_none())
    }

    /// Counts what a piece takes; under vscatter its vnode is taken for good instead.
    pub(super) fn use_up(&mut self, piece: &Piece) {
        if self.request.place.arrangement == Arrangement::Vscatter {
            self.scattered.insert(piece.bit);
            return;
        }
        let plan = &self.state.plan;
        let is_broken = matches!(piece.gives, Gives::Amounts(_));
        for (ix, amount) in Allocation::taken(plan, piece) {
            let home = plan.capacity.home(ix, piece.bit);
            self.used.add(ix, home, amount);
            if is_broken {
                self.broken.add(ix, home, amount);
            }
        }
    }

    /// Gives back all that the chunks of the job took.
    pub(super) fn forget(&mut self) {
        self.used.clear();
        self.broken.clear();
    }

    /// Vnodes sorted by what they have left once the chunks of the job itself took theirs, broken ones twice (rule M42).
    pub(super) fn sorted(&self, vnodes: Vec<Bit>) -> Vec<Bit> {
        let taken = |ix, home| self.used.of(ix, home) + self.broken.of(ix, home);
        SortedNodes::new(&self.state.plan, &self.state.floor, vnodes, &taken).into_nodes()
    }

    fn left(&self, ix: ConsIx, bit: Bit) -> f64 {
        let home = self.state.plan.capacity.home(ix, bit);
        self.state.floor.left(&self.state.plan, ix, bit) - self.used.of(ix, home)
    }

    /// What a vnode lacks of a whole chunk.
    fn lacks(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        self.lacks_after(bit, shape, 0)
    }

    /// The same, once so many more of the same went there.
    fn lacks_after(&self, bit: Bit, shape: ShapeId, times: u32) -> Option<Reason> {
        let plan = &self.state.plan;
        let needs = &plan.needs[shape];
        let each = |ix| needs.iter().find(|(have, _)| *have == ix).map_or(0.0, |(_, amount)| *amount);
        let left = |ix| match times {
            0 => self.left(ix, bit),
            _ => self.left(ix, bit) - f64::from(times) * each(ix),
        };
        let lacking = lacking(plan, shape, bit, left).next().map(Reason::erased);
        let other = || needs_provisioning(plan, shape, bit).then_some(Reason::ProvisioningOff);
        lacking.or_else(other).or_else(|| (!self.in_time(bit, needs, &left)).then_some(Reason::Conflict))
    }

    /// What of a chunk that is no amount a vnode lacks.
    fn lacks_conditions(&self, bit: Bit, shape: ShapeId) -> Option<Reason> {
        let plan = &self.state.plan;
        let mut conditions = plan.shapes[shape].conditions();
        conditions
            .find_map(|(resource, requirement)| lacks_condition(plan, *resource, requirement, bit))
            .map(Reason::erased)
    }

    fn in_time(&self, bit: Bit, needs: &[(ConsIx, f64)], left: &dyn Fn(ConsIx) -> f64) -> bool {
        self.time.is_empty() || self.time.allows(bit, self.exclusive.contains(bit), needs, left)
    }

    /// A chunk broken over vnodes: from each as much as it has of what is still missing. A vnode that has
    /// nothing left of something refuses, even if it gives of something else. Resources are written in
    /// reverse order of the select (rule 11, item 9).
    ///
    /// Where an exclusive job scatters its chunks, a vnode that could not hold the chunk even when empty refuses first
    /// (rule M14).
    fn broken(&mut self, shape: ShapeId, open: &[Bit]) -> Option<Vec<(Bit, Gives)>> {
        let mut requested: Vec<(ConsIx, f64)> = self.state.plan.needs[shape].clone();
        let mut pieces = Vec::new();
        // Of amounts that several vnodes share, what the chunk has of them already (rule M33).
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
            if !self.in_time(bit, &taken, &|ix| self.left(ix, bit)) {
                last = Some(self.refusal_in_time(&taken));
                continue;
            }
            for (ix, amount) in &taken {
                given.add(*ix, self.state.plan.capacity.home(*ix, bit), *amount);
                if let Some((_, rest)) = requested.iter_mut().find(|(have, _)| have == ix) {
                    *rest -= amount;
                }
            }
            requested.retain(|(_, rest)| *rest > 0.0);
            taken.reverse();
            pieces.push((bit, Gives::Amounts(taken.into())));
            if requested.is_empty() {
                return Some(pieces);
            }
        }
        self.note(last);
        None
    }

    /// Why a vnode gives nothing of this to a broken chunk because of what is planned there: a job that asks to have its
    /// vnodes for itself finds nothing left, also where the vnode is never given to one job alone (rule M39).
    fn refusal_in_time(&self, taken: &[(ConsIx, f64)]) -> Reason {
        let asks = matches!(self.request.place.sharedness, Sharedness::Excl | Sharedness::Exclhost);
        let none = taken.last().filter(|_| asks);
        none.map_or(Reason::Conflict, |(ix, _)| self.nothing_left(*ix))
    }

    fn nothing_left(&self, ix: ConsIx) -> Reason {
        let resource = self.state.plan.consumables.resource(ix);
        Reason::Resource(Shortage::amounts(resource, Amount(1.0), Amount(0.0), Amount(0.0))).erased()
    }

    /// What a vnode gives to a broken chunk of which so much is still missing: whole units only, so that what is requested
    /// in fractions is never satisfied (rule M13). Of what may be unset and is, it gives nothing and lacks nothing (rule
    /// M19).
    fn share(
        &self,
        bit: Bit,
        requested: &[(ConsIx, f64)],
        given: &TakenAmounts,
        last: &mut Option<Reason>,
    ) -> Vec<(ConsIx, f64)> {
        let mut taken = Vec::new();
        for (ix, amount) in requested.iter().filter(|(_, amount)| *amount > 0.0) {
            let home = self.state.plan.capacity.home(*ix, bit);
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

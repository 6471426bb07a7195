//! The node path host by host: for complexes with multi-vnode hosts, and for packing several chunks
//! (rule 4.4 B). Chunks may be broken over the vnodes of one host.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::Arrangement;
use crate::universe::{
    Against, Allocation, Bit, ConsIx, Gives, HostIx, JobRequest, Piece, Plan, Reason, SetBuilder, ShapeId,
    State, is_exclhost,
};

use super::node_path::NodeFailure;
use super::probe::{Event, Probe};
use super::time_check::TimeCheck;
use super::why_not::{lacks_condition, why_not};

/// Places a job host by host over eligible nodes in list order.
///
/// # Errors
/// Why the last host that was not even looked into would not do; a failure inside a host leaves no reason.
pub(super) fn place_by_host(
    state: &State,
    request: &JobRequest,
    nodes: &[Bit],
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let mut placing = ByHost {
        state,
        request,
        time,
        wanted: request.specs.iter().map(|spec| spec.count).collect(),
        pieces: vec![Vec::new(); request.specs.len()],
        used: FxHashMap::default(),
        scattered: FxHashSet::default(),
        last: None,
    };
    if !state.plan.multi_vnode.found {
        return placing.one_by_one(nodes, examined, probe);
    }
    for (host, members) in hosts_in_order(&state.plan, nodes) {
        *examined += members.len() as u64;
        let before = placing.placed();
        placing.on_host(host, &members);
        if placing.placed() > before {
            placing.add_rest_of_host(host, &members, before);
        }
        if placing.is_done() {
            return Ok(placing.finish(probe));
        }
    }
    Err(NodeFailure { last: placing.last, first: None })
}

/// Nodes by host, hosts in the order in which the list first names them.
fn hosts_in_order(plan: &Plan, nodes: &[Bit]) -> Vec<(HostIx, Vec<Bit>)> {
    let mut hosts: Vec<(HostIx, Vec<Bit>)> = Vec::new();
    let mut at: FxHashMap<HostIx, usize> = FxHashMap::default();
    for bit in nodes {
        let host = plan.nodes[*bit].host;
        let index = *at.entry(host).or_insert_with(|| {
            hosts.push((host, Vec::new()));
            hosts.len() - 1
        });
        if let Some((_, members)) = hosts.get_mut(index) {
            members.push(*bit);
        }
    }
    hosts
}

/// Chunks placed so far, part by part.
struct ByHost<'a> {
    state: &'a State,
    request: &'a JobRequest,
    time: &'a TimeCheck,
    /// Chunks still wanted, by part.
    wanted: Vec<u32>,
    /// Pieces by part; a chunk is a run of pieces with one number.
    pieces: Vec<Vec<Piece>>,
    used: FxHashMap<(ConsIx, Bit), f64>,
    scattered: FxHashSet<Bit>,
    last: Option<Reason>,
}

impl ByHost<'_> {
    fn placed(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum()
    }

    fn is_done(&self) -> bool {
        self.wanted.iter().all(|count| *count == 0)
    }

    /// Packs on hosts of one vnode each. A host that cannot hold all chunks leaves at most a reason, and only
    /// the last host's counts, so the others need not be looked into.
    fn one_by_one(
        mut self,
        nodes: &[Bit],
        examined: &mut u64,
        probe: &mut Probe,
    ) -> Result<Allocation, NodeFailure> {
        let sums = self.sums();
        for bit in nodes.iter().filter(|bit| !self.is_hopeless(**bit, &sums)).copied().collect::<Vec<_>>() {
            *examined += 1;
            self.on_host(self.state.plan.nodes[bit].host, &[bit]);
            if self.is_done() {
                return Ok(self.finish(probe));
            }
        }
        let last = nodes.iter().rev().find_map(|bit| self.host_lacks(*bit));
        Err(NodeFailure { last, first: None })
    }

    /// What a host of one vnode lacks for the first part that it cannot hold one chunk of.
    fn host_lacks(&self, bit: Bit) -> Option<Reason> {
        self.request.specs.iter().find_map(|spec| why_not(self.state, spec.shape, bit)).map(Reason::erased)
    }

    /// What all chunks take together.
    fn sums(&self) -> Vec<(ConsIx, f64)> {
        let mut sums: Vec<(ConsIx, f64)> = Vec::new();
        for spec in &self.request.specs {
            for (ix, amount) in &self.state.plan.needs[spec.shape] {
                let sum = f64::from(spec.count) * amount;
                match sums.iter_mut().find(|(have, _)| have == ix) {
                    Some((_, total)) => *total += sum,
                    None => sums.push((*ix, sum)),
                }
            }
        }
        sums
    }

    /// Whether a node cannot hold all chunks.
    fn is_hopeless(&self, bit: Bit, sums: &[(ConsIx, f64)]) -> bool {
        let plan = &self.state.plan;
        sums.iter().any(|(ix, sum)| self.state.floor.left(plan, *ix, bit) < *sum)
            || self.request.specs.iter().any(|spec| !plan.fit_nodes(spec.shape).contains(bit))
    }

    fn on_host(&mut self, host: HostIx, members: &[Bit]) {
        match self.request.place.arrangement {
            Arrangement::Pack => self.pack(host, members),
            Arrangement::Scatter => self.scatter(host, members),
            Arrangement::Free | Arrangement::Vscatter => self.spread(host, members),
        }
    }

    /// All chunks here, or none.
    fn pack(&mut self, host: HostIx, members: &[Bit]) {
        let specs = self.request.specs.len();
        if !(0..specs).all(|spec| self.host_could(spec, host, members)) {
            return;
        }
        let undo = (self.wanted.clone(), self.pieces.clone(), self.used.clone());
        for spec in 0..specs {
            while self.wants(spec) {
                if !self.place_chunk(spec, members, true) {
                    (self.wanted, self.pieces, self.used) = undo;
                    return;
                }
            }
        }
    }

    /// One chunk of the first part that fits.
    fn scatter(&mut self, host: HostIx, members: &[Bit]) {
        for spec in 0..self.request.specs.len() {
            if self.wants(spec)
                && self.host_could(spec, host, members)
                && self.place_chunk(spec, members, true)
            {
                return;
            }
        }
    }

    /// Of every part as many as fit; under vscatter every vnode once.
    fn spread(&mut self, host: HostIx, members: &[Bit]) {
        let once = self.request.place.arrangement == Arrangement::Vscatter;
        for spec in 0..self.request.specs.len() {
            if !self.wants(spec) || !self.host_could(spec, host, members) {
                continue;
            }
            while self.wants(spec) && self.place_chunk(spec, members, !once) {}
        }
    }

    fn wants(&self, spec: usize) -> bool {
        self.wanted.get(spec).is_some_and(|count| *count > 0)
    }

    fn shape(&self, spec: usize) -> ShapeId {
        self.request.specs.get(spec).map_or(ShapeId(0), |spec| spec.shape)
    }

    /// Whether the host has free nodes and its sums hold one chunk (rule 4.4, host check).
    fn host_could(&mut self, spec: usize, host: HostIx, members: &[Bit]) -> bool {
        let plan = &self.state.plan;
        let shape = plan.shapes.get_shape(self.shape(spec));
        let checked = match self.state.host_sets.get(&host) {
            Some(set) => check_host(plan, &self.state.sets[*set], shape),
            None if self.holds_alone(members, spec) => Ok(()),
            None => {
                let builder = SetBuilder { plan, floor: &self.state.floor, events: &self.state.node_events };
                check_host(plan, &builder.everything(members.to_vec()), shape)
            }
        };
        match checked {
            Ok(()) => true,
            Err(reason) => {
                self.last = Some(reason.erased());
                false
            }
        }
    }

    /// Whether one free node is the whole host and holds a chunk: then its sums need not be made.
    fn holds_alone(&self, members: &[Bit], spec: usize) -> bool {
        let [bit] = members else { return false };
        let plan = &self.state.plan;
        let shape = self.shape(spec);
        let needs = plan.needs[shape].iter();
        self.state.floor.states[*bit].is_free()
            && plan.fit_nodes(shape).contains(*bit)
            && plan
                .shapes
                .get_shape(shape)
                .conditions()
                .all(|(resource, want)| lacks_condition(plan, *resource, want, *bit).is_none())
            && needs.clone().all(|(ix, wanted)| self.state.floor.left(plan, *ix, *bit) >= *wanted)
    }

    /// Places one chunk on the host, whole on one vnode if it can be, else broken over several.
    fn place_chunk(&mut self, spec: usize, members: &[Bit], breakable: bool) -> bool {
        let shape = self.shape(spec);
        let whole = members.iter().copied().find(|bit| self.holds(*bit, shape));
        let pieces = match whole {
            Some(bit) => vec![(bit, Gives::Shape(shape))],
            None if breakable => match self.broken(shape, members) {
                Some(pieces) => pieces,
                None => return false,
            },
            None => return false,
        };
        let chunk = u32::try_from(self.placed()).unwrap_or(u32::MAX);
        for (bit, gives) in pieces {
            let piece = Piece { bit, chunk, spec: u32::try_from(spec).unwrap_or(u32::MAX), gives };
            self.use_up(&piece);
            if let Some(list) = self.pieces.get_mut(spec) {
                list.push(piece);
            }
        }
        if let Some(count) = self.wanted.get_mut(spec) {
            *count -= 1;
        }
        true
    }

    fn use_up(&mut self, piece: &Piece) {
        for (ix, amount) in Allocation::amounts(&self.state.plan, piece) {
            let home = self.state.plan.capacity.home(*ix, piece.bit);
            *self.used.entry((*ix, home)).or_insert(0.0) += amount;
        }
        if self.request.place.arrangement == Arrangement::Vscatter {
            self.scattered.insert(piece.bit);
        }
    }

    fn left(&self, ix: ConsIx, bit: Bit) -> f64 {
        let home = self.state.plan.capacity.home(ix, bit);
        self.state.floor.left(&self.state.plan, ix, bit) - self.used.get(&(ix, home)).copied().unwrap_or(0.0)
    }

    /// Whether a vnode meets all conditions of a chunk that are not amounts.
    fn suits(&self, bit: Bit, shape: ShapeId) -> bool {
        let plan = &self.state.plan;
        !self.scattered.contains(&bit)
            && plan
                .shapes
                .get_shape(shape)
                .conditions()
                .all(|(resource, want)| lacks_condition(plan, *resource, want, bit).is_none())
    }

    fn holds(&self, bit: Bit, shape: ShapeId) -> bool {
        let needs = &self.state.plan.needs[shape];
        self.suits(bit, shape)
            && needs.iter().all(|(ix, wanted)| *wanted <= 0.0 || self.left(*ix, bit) >= *wanted)
            && self.in_time(bit, needs)
    }

    fn in_time(&self, bit: Bit, needs: &[(ConsIx, f64)]) -> bool {
        let exclusive = self.state.plan.exclusive_nodes(self.request.place.sharedness).contains(bit);
        self.time.is_empty() || self.time.allows(bit, exclusive, needs, &|ix| self.left(ix, bit))
    }

    /// A chunk broken over vnodes: from each as much as it has of what is still wanted. Resources are
    /// written in reverse order of the select (rule 11, item 9).
    fn broken(&self, shape: ShapeId, members: &[Bit]) -> Option<Vec<(Bit, Gives)>> {
        let mut wanted: Vec<(ConsIx, f64)> = self.state.plan.needs[shape].clone();
        wanted.reverse();
        let mut pieces = Vec::new();
        for bit in members.iter().copied().filter(|bit| self.suits(*bit, shape)) {
            let share = |(ix, amount): &(ConsIx, f64)| {
                let take = self.left(*ix, bit).floor().min(*amount);
                (take > 0.0).then_some((*ix, take))
            };
            let taken: Vec<(ConsIx, f64)> = wanted.iter().filter_map(share).collect();
            if taken.is_empty() || !self.in_time(bit, &taken) {
                continue;
            }
            for (ix, amount) in &taken {
                if let Some((_, rest)) = wanted.iter_mut().find(|(have, _)| have == ix) {
                    *rest -= amount;
                }
            }
            pieces.push((bit, Gives::Amounts(taken.into())));
            if wanted.iter().all(|(_, rest)| *rest <= 0.0) {
                return Some(pieces);
            }
        }
        None
    }

    /// Adds the rest of a host that the job has for itself, without any resource (rule 4.4, exclhost).
    fn add_rest_of_host(&mut self, host: HostIx, members: &[Bit], before: usize) {
        let plan = &self.state.plan;
        let sharing = |bit: Bit| plan.snap.nodes[plan.nodes[bit].id].sharing;
        let whole = |bit: &Bit| is_exclhost(sharing(*bit), self.request.place.sharedness);
        if !plan.multi_vnode.found || !members.iter().any(whole) {
            return;
        }
        let taken: FxHashSet<Bit> = self.pieces.iter().flatten().map(|piece| piece.bit).collect();
        let rest: Vec<Bit> =
            plan.nodes.ids().filter(|bit| plan.nodes[*bit].host == host && !taken.contains(bit)).collect();
        let Some(spec) = self.pieces.iter().position(|list| list.iter().any(|p| p.chunk as usize >= before))
        else {
            return;
        };
        for bit in rest {
            let chunk = u32::try_from(self.placed()).unwrap_or(u32::MAX);
            let piece = Piece {
                bit,
                chunk,
                spec: u32::try_from(spec).unwrap_or(u32::MAX),
                gives: Gives::Amounts(Box::default()),
            };
            if let Some(list) = self.pieces.get_mut(spec) {
                list.push(piece);
            }
        }
    }

    /// The allocation: part by part, chunks numbered in that order.
    fn finish(self, probe: &mut Probe) -> Allocation {
        let mut allocation = Allocation::default();
        let mut number = 0;
        let mut last = None;
        for piece in self.pieces.into_iter().flatten() {
            if last.is_some_and(|chunk| chunk != (piece.spec, piece.chunk)) {
                number += 1;
            }
            last = Some((piece.spec, piece.chunk));
            probe.hear(|| Event::ChunkPlaced { spec: piece.spec as usize, node: piece.bit });
            allocation.pieces.push(Piece { chunk: number, ..piece });
        }
        allocation
    }
}

/// The host check: a free node, and sums that hold one chunk now.
fn check_host(
    plan: &Plan,
    host: &crate::universe::PlacementSet,
    shape: &crate::universe::Shape,
) -> Result<(), Reason> {
    if host.free_nodes < 1 {
        return Err(Reason::NoFreeNodes);
    }
    host.check_chunk(plan, shape, Against::Now)
}

//! The node path host by host: for complexes with multi-vnode hosts, and for packing several chunks
//! (rule 4.4 B).

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::cluster::{Arrangement, Sharedness};
use crate::universe::{
    Against, Allocation, Bit, Gives, HostIx, JobRequest, NodeSet, Piece, PlacementSet, Plan, Reason,
    SetBuilder, Shape, ShapeId, Spec, State, is_exclhost,
};

use super::bound::MAX_STEPS;
use super::host_chunk::{HostChunks, Vnodes};
use super::host_order::{hosts_in_order, order_kept};
use super::node_path::{NodeFailure, sorts_between_chunks};
use super::pack::WholeJob;
use super::probe::{Event, HostStep, Probe};
use super::time_check::TimeCheck;

/// The nodes that a job may examine host by host.
#[derive(Clone, Copy)]
pub(super) struct HostNodes<'a> {
    /// All of them, in order.
    pub list: &'a [Bit],
    /// Those that may be used; they may be more than the list has.
    pub eligible: &'a NodeSet,
    /// Which nodes the list is made of.
    pub reach: Reach,
    /// Whether they are those of a reservation.
    pub is_inside: bool,
    /// The reason of the last placement set: the first reason, if the first host has no node to be examined.
    pub left_over: Option<&'a Reason>,
}

/// Places a job host by host: hosts in the order in which the list first names them, whether or not the
/// named node may be used; of each host the eligible nodes.
///
/// # Errors
/// The first reason of any host or vnode, and which vnodes have a chunk already.
pub(super) fn place_by_host(
    state: &State,
    request: &JobRequest,
    nodes: HostNodes<'_>,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodeFailure> {
    let HostNodes { list, eligible, reach, is_inside, left_over } = nodes;
    let mut placing = ByHost::new(state, request, time);
    placing.reach = reach;
    placing.recording = probe.is_on().then(Vec::new);
    if !state.plan.multi_vnode.found {
        let first = list.first().map(|bit| (state.plan.nodes[*bit].host, std::slice::from_ref(bit)));
        placing.keep_left_over(left_over, first, eligible);
        return placing.one_by_one(list, eligible, examined, probe);
    }
    let mut hosts = hosts_in_order(&state.plan, list);
    if state.sorts_nodes() && reach == Reach::Complex {
        order_kept(state, list, &mut hosts);
    }
    let first = hosts.first().map(|(host, members)| (*host, members.as_slice()));
    placing.keep_left_over(left_over, first, eligible);
    placing.is_set_on_one_host = reach == Reach::Set && hosts.len() == 1;
    for (host, members) in hosts {
        *examined += members.len() as u64;
        let open: Vec<Bit> = members.iter().copied().filter(|bit| eligible.contains(*bit)).collect();
        let before = placing.placed;
        placing.record(HostStep::Host(host));
        placing.on_host(host, Vnodes { listed: &members, open: &open });
        if placing.gave_up {
            break;
        }
        // A job that goes back to its nodes gets those, whatever else the host has.
        if placing.placed > before && (reach != Reach::Own || is_inside) {
            placing.add_rest_of_host(host, before);
        }
        if placing.is_done() {
            return Ok(placing.finish(probe));
        }
    }
    Err(placing.failure(probe))
}

/// Which nodes a job examines. The sums of hosts are kept for all nodes that are bound to no queue; for others they are
/// made anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// All that are bound to no queue.
    Complex,
    /// All that are bound to the job's queue.
    Queue,
    /// Those of a placement set.
    Set,
    /// Those that it had, or of its reservation.
    Own,
}

/// Chunks placed so far, part by part.
struct ByHost<'a> {
    state: &'a State,
    request: &'a JobRequest,
    /// Chunks still missing, by part.
    requested: Vec<u32>,
    /// Pieces by part; a chunk is a run of pieces with one number.
    pieces: Vec<Vec<Piece>>,
    /// How many pieces there are.
    placed: u32,
    /// Whether there are more chunks than are placed one by one.
    gave_up: bool,
    chunks: HostChunks<'a>,
    /// Which nodes are examined.
    reach: Reach,
    /// Whether they are a placement set that lies on one host.
    is_set_on_one_host: bool,
    /// What goes to the probe.
    recording: Option<Vec<HostStep>>,
}

impl<'a> ByHost<'a> {
    fn new(state: &'a State, request: &'a JobRequest, time: &'a TimeCheck) -> Self {
        Self {
            state,
            request,
            requested: request.specs.iter().map(|spec| spec.count).collect(),
            pieces: vec![Vec::new(); request.specs.len()],
            placed: 0,
            gave_up: false,
            chunks: HostChunks::new(state, request, time),
            reach: Reach::Complex,
            is_set_on_one_host: false,
            recording: None,
        }
    }

    /// Keeps the reason of the last set as the first one if the first host leaves none of its own: where jobs are packed,
    /// none of its nodes may be used; else the sums by which it is checked count none as free, stale or not (rule M43).
    fn keep_left_over(
        &mut self,
        left_over: Option<&Reason>,
        first: Option<(HostIx, &[Bit])>,
        eligible: &NodeSet,
    ) {
        let (Some(reason), Some((host, members))) = (left_over, first) else { return };
        let is_free = |bit: &Bit| self.state.floor.states[*bit].is_free();
        let is_silent = match (self.request.place.arrangement, self.kept_sums(host)) {
            (Arrangement::Pack, _) => !members.iter().any(|bit| eligible.contains(*bit)),
            (_, Some(sums)) => sums.free_nodes < 1,
            (_, None) => !members.iter().any(is_free),
        };
        if is_silent {
            self.chunks.note(Some(reason.clone().erased()));
        }
    }

    /// The sums of a host that are kept, where they count.
    fn kept_sums(&self, host: HostIx) -> Option<&'a PlacementSet> {
        let set = self.state.host_sets.get(&host).filter(|_| self.reach == Reach::Complex)?;
        Some(&self.state.sets[*set])
    }

    fn is_done(&self) -> bool {
        self.requested.iter().all(|count| *count == 0)
    }

    fn record(&mut self, word: HostStep) {
        if let Some(recording) = &mut self.recording {
            recording.push(word);
        }
    }

    fn failure(self, probe: &mut Probe) -> NodeFailure {
        if let Some(recording) = self.recording {
            probe.record(|| Event::HostsTried(recording));
        }
        let reason = if self.gave_up { Some(Reason::TooManyChunks) } else { self.chunks.first };
        let placed_some = self.placed > 0;
        NodeFailure { reason, taken: self.chunks.scattered.into_iter().collect(), placed_some }
    }

    /// Packs on hosts of one vnode each. A host that cannot hold all chunks leaves at most a reason, so it is
    /// not examined until a reason is requested.
    fn one_by_one(
        mut self,
        list: &[Bit],
        eligible: &NodeSet,
        examined: &mut u64,
        probe: &mut Probe,
    ) -> Result<Allocation, NodeFailure> {
        let left_over = self.chunks.first.clone();
        let whole = WholeJob::new(self.state, &self.request.specs, self.chunks.time);
        let open = || list.iter().copied().filter(|bit| eligible.contains(*bit));
        // A recording names every host, also of those that need not be examined.
        let one = self.request.specs.first().map(|spec| Spec { count: 1, ..spec.clone() });
        let one = one.filter(|_| probe.is_on());
        let one =
            one.as_ref().map(|one| WholeJob::new(self.state, std::slice::from_ref(one), self.chunks.time));
        for bit in list.iter().copied() {
            let is_open = eligible.contains(bit);
            let holds = match &one {
                None if !is_open || whole.is_hopeless(bit) => continue,
                None => None,
                Some(one) if !is_open || one.is_hopeless(bit) => Some(0),
                Some(_) => whole.holds_at_most(bit),
            };
            if one.is_some() {
                self.record(HostStep::Host(self.state.plan.nodes[bit].host));
            }
            if let Some(chunks) = holds {
                *examined += 1;
                if chunks > 0 {
                    self.record(HostStep::Held(0, chunks));
                }
                self.record(HostStep::NotHeld(0));
                continue;
            }
            *examined += 1;
            self.pack(Vnodes::only(&[bit]));
            if self.gave_up {
                return Err(self.failure(probe));
            }
            if self.is_done() {
                return Ok(self.finish(probe));
            }
        }
        let mut first = Self::new(self.state, self.request, self.chunks.time);
        first.chunks.note(left_over);
        for bit in open().filter(|bit| !whole.is_silent(*bit)) {
            if first.chunks.first.is_some() || first.gave_up {
                break;
            }
            first.pack(Vnodes::only(&[bit]));
        }
        first.recording = self.recording.take();
        Err(first.failure(probe))
    }

    fn on_host(&mut self, host: HostIx, vnodes: Vnodes<'_>) {
        match self.request.place.arrangement {
            // Seen in every log: packing examines each host, whatever its sums are.
            Arrangement::Pack => self.pack(vnodes),
            Arrangement::Scatter => self.scatter(host, vnodes),
            Arrangement::Free | Arrangement::Vscatter => self.spread(host, vnodes),
        }
    }

    /// All chunks here, or none. Where a key sorts by use, the vnodes are sorted anew after every chunk (rule M36).
    fn pack(&mut self, vnodes: Vnodes<'_>) {
        let is_sorted = vnodes.open.len() > 1 && sorts_between_chunks(self.state);
        let most = if is_sorted { 1 } else { u32::MAX };
        let mut open = Cow::Borrowed(vnodes.open);
        for spec in 0..self.request.specs.len() {
            self.chunks.next_spec();
            while self.needs_more(spec) {
                if !self.place_chunks(spec, Vnodes { open: &open, ..vnodes }, true, most) {
                    self.unpack(spec);
                    return;
                }
                if is_sorted {
                    open = Cow::Owned(self.chunks.sorted(open.into_owned()));
                }
            }
        }
    }

    /// Gives up what was packed on a host, up to the part that found no place there. No other host has anything.
    fn unpack(&mut self, up_to: usize) {
        let requested = self.requested.iter_mut().zip(self.request.specs.iter());
        requested.take(up_to + 1).for_each(|(requested, spec)| *requested = spec.count);
        self.pieces.iter_mut().take(up_to + 1).for_each(Vec::clear);
        self.chunks.forget();
        self.placed = 0;
    }

    /// One chunk of the first part that fits.
    fn scatter(&mut self, host: HostIx, vnodes: Vnodes<'_>) {
        for spec in 0..self.request.specs.len() {
            self.chunks.next_spec();
            // The host is checked for every part, also for one that has all its chunks: that leaves its reason.
            if self.host_could(spec, host, vnodes.listed)
                && self.needs_more(spec)
                && self.place_chunks(spec, vnodes, true, 1)
            {
                return;
            }
        }
    }

    /// Of every part as many as fit; under vscatter every vnode once, and no chunk is broken but in a set that lies on one
    /// host (rule M21).
    fn spread(&mut self, host: HostIx, vnodes: Vnodes<'_>) {
        let once = self.request.place.arrangement == Arrangement::Vscatter;
        let breakable = !once || self.is_set_on_one_host;
        for spec in 0..self.request.specs.len() {
            if !self.host_could(spec, host, vnodes.listed) || !self.needs_more(spec) {
                continue;
            }
            // A host whose sums still count vnodes that are no longer free, and that has none left, is not tried
            // the other parts (measured).
            if !vnodes.listed.iter().any(|bit| self.state.floor.open.contains(*bit)) {
                return;
            }
            self.chunks.next_spec();
            let most = if once { 1 } else { u32::MAX };
            while self.needs_more(spec) && self.place_chunks(spec, vnodes, breakable, most) {}
            if self.gave_up {
                return;
            }
        }
    }

    fn needs_more(&self, spec: usize) -> bool {
        self.requested.get(spec).is_some_and(|count| *count > 0)
    }

    fn shape(&self, spec: usize) -> ShapeId {
        self.request.specs.get(spec).map_or(ShapeId(0), |spec| spec.shape)
    }

    /// Whether the host has free nodes and its sums hold one chunk (rule 4.4, host check).
    fn host_could(&mut self, spec: usize, host: HostIx, members: &[Bit]) -> bool {
        let plan = &self.state.plan;
        let shape = &plan.shapes[self.shape(spec)];
        let checked = match self.kept_sums(host) {
            Some(sums) => check_host(plan, sums, shape),
            None => {
                let builder = SetBuilder { plan, floor: &self.state.floor, events: &self.state.node_events };
                check_host(plan, &builder.everything(members.to_vec()), shape)
            }
        };
        match checked {
            Ok(()) => true,
            Err(reason) => {
                self.chunks.note(reason);
                false
            }
        }
    }

    /// Places one chunk on the host, with as many equal ones as go to the same vnode, but at most so many.
    fn place_chunks(&mut self, spec: usize, vnodes: Vnodes<'_>, breakable: bool, most: u32) -> bool {
        if self.placed as usize >= MAX_STEPS {
            self.gave_up = true;
            return false;
        }
        let shape = self.shape(spec);
        let found = self.chunks.find(shape, vnodes, breakable);
        let part = u32::try_from(spec).unwrap_or(u32::MAX);
        let Some(found) = found else {
            self.record(HostStep::NotHeld(part));
            return false;
        };
        let most = self.requested.get(spec).map_or(1, |requested| most.min(*requested));
        let times = match found.as_slice() {
            [(bit, Gives::Shape(_))] => self.chunks.times_on(*bit, shape, most),
            _ => 1,
        };
        self.record(HostStep::Held(part, times));
        let chunk = self.placed;
        for (bit, gives) in found {
            let piece = Piece { bit, chunk, times, spec: part, gives };
            self.chunks.use_up(&piece);
            self.put(spec, piece);
        }
        if let Some(count) = self.requested.get_mut(spec) {
            *count -= times;
        }
        true
    }

    fn put(&mut self, spec: usize, piece: Piece) {
        if let Some(list) = self.pieces.get_mut(spec) {
            list.push(piece);
            self.placed += 1;
        }
    }

    /// Adds the rest of a host that the job has for itself, without any resource (rule 4.4, exclhost). A job that
    /// requests whole hosts gets them also where vnodes ignore that, and others may come to them (measured).
    fn add_rest_of_host(&mut self, host: HostIx, before: u32) {
        let plan = &self.state.plan;
        // In a reservation there is no more of a host than what that got (rule M47).
        let granted = self.state.floor.granted.as_ref();
        let is_there = |bit: &Bit| granted.is_none_or(|all| all.keys().any(|(_, other)| other == bit));
        let of_host = |bit: &Bit| plan.nodes[*bit].host == host;
        let mut members: Vec<Bit> = plan.nodes.ids().filter(of_host).filter(is_there).collect();
        if let Some(own) = self.state.list_of_host(host).filter(|_| self.state.sorts_nodes()) {
            members.sort_by_key(|bit| own.iter().position(|other| other == bit).unwrap_or(usize::MAX));
        }
        let sharing = |bit: Bit| plan.snap.nodes[plan.nodes[bit].id].sharing;
        let requested = self.request.place.sharedness;
        let whole = |bit: &Bit| requested == Sharedness::Exclhost || is_exclhost(sharing(*bit), requested);
        if !members.iter().any(whole) {
            return;
        }
        let taken: FxHashSet<Bit> = self.pieces.iter().flatten().map(|piece| piece.bit).collect();
        let rest: Vec<Bit> = members.into_iter().filter(|bit| !taken.contains(bit)).collect();
        let spec = self.last_spec_since(before);
        for bit in rest {
            let gives = Gives::Amounts([].into());
            let part = u32::try_from(spec).unwrap_or(u32::MAX);
            self.put(spec, Piece { bit, chunk: self.placed, times: 1, spec: part, gives });
        }
    }

    /// The last part that got anything on the host at hand.
    fn last_spec_since(&self, before: u32) -> usize {
        let since = |piece: &Piece| piece.chunk >= before;
        self.pieces.iter().rposition(|list| list.iter().any(since)).unwrap_or_default()
    }

    /// The allocation: part by part, chunks numbered in that order; of an estimate host by host, as placed,
    /// unless the job goes back to its own nodes.
    fn finish(self, probe: &mut Probe) -> Allocation {
        let mut allocation = Allocation::default();
        let mut number: u32 = 0;
        let mut last: Option<(u32, u32, u32)> = None;
        if let Some(recording) = self.recording {
            probe.record(|| Event::HostsTried(recording));
        }
        let mut pieces: Vec<Piece> = self.pieces.into_iter().flatten().collect();
        if self.state.simulated && self.reach != Reach::Own {
            pieces.sort_by_key(|piece| piece.chunk);
        }
        for piece in pieces {
            if let Some((spec, chunk, times)) = last
                && (spec, chunk) != (piece.spec, piece.chunk)
            {
                number = number.saturating_add(times);
            }
            last = Some((piece.spec, piece.chunk, piece.times));
            let (spec, node, times) = (piece.spec as usize, piece.bit, piece.times);
            probe.record(|| Event::ChunkPlaced { spec, node, times });
            allocation.pieces.push(Piece { chunk: number, ..piece });
        }
        allocation
    }
}

/// The host check: a free node, and sums that hold one chunk now.
fn check_host(plan: &Plan, host: &PlacementSet, shape: &Shape) -> Result<(), Option<Reason>> {
    if host.free_nodes < 1 {
        return Err(None);
    }
    host.check_chunk(plan, shape, Against::Now).map_err(|reason| Some(reason.erased()))
}

//! The node path host by host, for complexes with multi-vnode hosts and for packing several chunks (rule 4.4 B).

mod arrangements;
mod host_check;
mod rest_of_host;
mod single_vnode;

use crate::cluster::Column;
use crate::universe::{
    Allocation, AllocationPiece, Bit, JobRequest, NodeSet, PieceResources, Reason, Spec, State,
};

use super::bound::MAX_STEPS;
use super::candidates::NodePathFailure;
use super::host_chunk::{HostChunkSearch, HostVnodes};
use super::host_order::{hosts_in_order, order_kept};
use super::{HostStep, Probe, ProbeEvent, TimeCheck};

/// The nodes that a job may examine, host by host.
#[derive(Clone, Copy)]
pub(super) struct HostNodes<'a> {
    /// All nodes, in order.
    pub list: &'a [Bit],
    /// Nodes that may be used; may contain nodes that are not on the list.
    pub eligible: &'a NodeSet,
    /// The origin of the list.
    pub reach: ListOrigin,
    /// Whether they are the job's previous nodes, or those of its reservation.
    pub is_own: bool,
    /// Whether they are the nodes of a reservation.
    pub is_in_reservation: bool,
    /// The reason left by the last placement set; it becomes the first reason if the first host has no node to
    /// examine.
    pub set_reason: Option<&'a Reason>,
}

/// Places a job host by host: hosts in the order in which the list first names them, whether or not that node may be
/// used, and on each host its eligible nodes.
///
/// # Errors
/// The first reason of any host or vnode, and the vnodes that already have a chunk.
pub(super) fn place_by_host(
    state: &State,
    request: &JobRequest,
    nodes: HostNodes<'_>,
    time: &TimeCheck,
    examined: &mut u64,
    probe: &mut Probe,
) -> Result<Allocation, NodePathFailure> {
    let HostNodes { list, eligible, reach, is_own, is_in_reservation, set_reason } = nodes;
    let mut placing = HostByHostPlacement::new(state, request, time);
    placing.origin = reach;
    placing.is_previous_or_reserved = is_own;
    placing.recording = probe.names_hosts().then(Vec::new);
    if !state.plan.multi_vnode.exists {
        let first = list.first().map(|bit| (state.plan.nodes[*bit].host, std::slice::from_ref(bit)));
        placing.keep_left_over(set_reason, first, eligible);
        return placing.one_by_one(list, eligible, examined, probe);
    }
    let mut hosts = hosts_in_order(&state.plan, list);
    if state.sorts_nodes() && reach == ListOrigin::Complex && state.plan.masks.all_unbound {
        order_kept(state, list, &mut hosts);
    }
    let first = hosts.first().map(|(host, members)| (*host, members.as_slice()));
    placing.keep_left_over(set_reason, first, eligible);
    placing.is_set_on_one_host = reach == ListOrigin::Set && hosts.len() == 1;
    for (host, members) in hosts {
        *examined += members.len() as u64;
        let open: Vec<Bit> = members.iter().copied().filter(|bit| eligible.contains(*bit)).collect();
        let before = placing.placed;
        placing.record(HostStep::Host(host));
        placing.on_host(host, HostVnodes { listed: &members, usable: &open });
        if placing.gave_up {
            break;
        }
        // A job that returns to its previous nodes gets only those, whatever else the host has.
        if placing.placed > before && (!is_own || is_in_reservation) {
            placing.add_rest_of_host(host, before);
        }
        if placing.is_done() {
            return Ok(placing.finish(probe));
        }
    }
    Err(placing.failure(probe))
}

/// The origin of a job's list of nodes. Sums of hosts are kept for all nodes bound to no queue; for other lists they
/// are computed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ListOrigin {
    /// All nodes bound to no queue.
    Complex,
    /// Nodes bound to the job's queue, its previous or named nodes, or those of its reservation.
    Subset,
    /// The nodes of a placement set.
    Set,
}

crate::id!(
    /// Index of a chunk spec of the select.
    #[expect(unreachable_pub, reason = "all ids are declared so")]
    PartIx
);

/// The placed and missing chunks of one chunk spec.
struct SpecProgress<'a> {
    spec: &'a Spec,
    /// Chunks still missing.
    missing: u32,
    /// Placed pieces; consecutive pieces with the same number form a chunk.
    pieces: Vec<AllocationPiece>,
}

/// Chunks placed so far, by chunk spec.
struct HostByHostPlacement<'a> {
    state: &'a State,
    request: &'a JobRequest,
    parts: Column<PartIx, SpecProgress<'a>>,
    /// Number of pieces placed.
    placed: u32,
    /// Whether the job has more chunks than are placed one by one.
    gave_up: bool,
    chunks: HostChunkSearch<'a>,
    /// The origin of the nodes.
    origin: ListOrigin,
    /// Whether the nodes are the job's previous nodes, or those of its reservation.
    is_previous_or_reserved: bool,
    /// Whether the nodes are a placement set on a single host.
    is_set_on_one_host: bool,
    /// Steps recorded for the probe.
    recording: Option<Vec<HostStep>>,
}

impl<'a> SpecProgress<'a> {
    /// Creates it with no chunk placed.
    fn of(spec: &'a Spec) -> Self {
        Self { spec, missing: spec.count, pieces: Vec::new() }
    }
}

impl<'a> HostByHostPlacement<'a> {
    fn new(state: &'a State, request: &'a JobRequest, time: &'a TimeCheck) -> Self {
        Self {
            state,
            request,
            parts: request.specs.iter().map(SpecProgress::of).collect(),
            placed: 0,
            gave_up: false,
            chunks: HostChunkSearch::new(state, request, time),
            origin: ListOrigin::Complex,
            is_previous_or_reserved: false,
            is_set_on_one_host: false,
            recording: None,
        }
    }

    fn is_done(&self) -> bool {
        self.parts.iter().all(|part| part.missing == 0)
    }

    fn record(&mut self, step: HostStep) {
        if let Some(recording) = &mut self.recording {
            recording.push(step);
        }
    }

    fn failure(self, probe: &mut Probe) -> NodePathFailure {
        if let Some(recording) = self.recording {
            probe.record(|| ProbeEvent::HostsTried(recording));
        }
        let reason = if self.gave_up { Some(Reason::TooManyChunks) } else { self.chunks.first };
        let placed_some = self.placed > 0;
        NodePathFailure { reason, marked_vnodes: self.chunks.scattered.into_iter().collect(), placed_some }
    }

    fn needs_more(&self, part: PartIx) -> bool {
        self.parts[part].missing > 0
    }

    /// Places one chunk on the host, together with up to `most` equal ones that fit on the same vnode.
    fn place_chunks(&mut self, part: PartIx, vnodes: HostVnodes<'_>, breakable: bool, most: u32) -> bool {
        if self.placed as usize >= MAX_STEPS {
            self.gave_up = true;
            return false;
        }
        let shape = self.parts[part].spec.shape;
        let Some(found) = self.chunks.find(shape, vnodes, breakable) else {
            self.record(HostStep::NotHeld(part.0));
            return false;
        };
        let most = most.min(self.parts[part].missing);
        let times = match found.as_slice() {
            [(bit, PieceResources::Shape(_))] => self.chunks.times_on(*bit, shape, most),
            _ => 1,
        };
        self.record(HostStep::Fitted(part.0, times));
        let chunk = self.placed;
        let last = found.len().saturating_sub(1);
        for (at, (bit, gives)) in found.into_iter().enumerate() {
            let piece = AllocationPiece { bit, chunk, times, spec: part.0, gives };
            self.chunks.use_up(&piece, at == last);
            self.put(part, piece);
        }
        self.parts[part].missing -= times;
        true
    }

    fn put(&mut self, part: PartIx, piece: AllocationPiece) {
        self.parts[part].pieces.push(piece);
        self.placed += 1;
    }

    /// Builds the allocation with chunks numbered in the order of the chunk specs. Chunks of an estimate stay in the
    /// order placed, host by host, unless the job returns to its previous nodes.
    fn finish(self, probe: &mut Probe) -> Allocation {
        let mut allocation = Allocation::default();
        let mut number: u32 = 0;
        let mut last: Option<(u32, u32, u32)> = None;
        if let Some(recording) = self.recording {
            probe.record(|| ProbeEvent::HostsTried(recording));
        }
        let mut pieces: Vec<AllocationPiece> = self.parts.into_iter().flat_map(|part| part.pieces).collect();
        if self.state.is_of_calendar() && !self.is_previous_or_reserved {
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
            probe.record(|| ProbeEvent::ChunkPlaced { spec, node, times });
            allocation.pieces.push(AllocationPiece { chunk: number, ..piece });
        }
        allocation
    }
}

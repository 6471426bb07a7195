//! The return of a job that was started and suspended in this cycle (rules 4.1, 6.10). It requests one chunk on every
//! vnode that it had, by vnode name and with all resources it had there, whatever its select was.

use std::sync::Arc;

use crate::cluster::{ResourceId, value_of};
use crate::universe::{
    Allocation, AllocationPiece, Bit, ConsIx, HostIx, JobRequest, NodeSet, Occupant, Reason, Rejection,
    Shortage, ShortageDetail, State, TakenAmounts,
};

use super::{PlacementSearch, ProposedPlacement, rejected};
use crate::placement::set_list::left_in_this_cycle;
use crate::placement::{Candidates, ProbeEvent, TimeCheck};

/// Returns the allocation of a job that was started in this cycle and must return to it.
pub(super) fn former_allocation(state: &State, occupant: Occupant) -> Option<&Arc<Allocation>> {
    let Occupant::Job(job, _) = occupant else { return None };
    left_in_this_cycle(state, job)
}

impl PlacementSearch<'_> {
    /// Places a job where it ran, each vnode with the resources it gave (rule 6.10).
    pub(super) fn on_way_back(
        &mut self,
        state: &State,
        left: &Arc<Allocation>,
        nodes: Candidates<'_>,
        time: &TimeCheck,
        first: Option<Reason>,
    ) -> Result<ProposedPlacement, Rejection> {
        let order = nodes.members();
        self.examined.nodes += order.len() as u64;
        let ways = ReturnNodes { order: &order, eligible: nodes.eligible(), time };
        fits_on_former_vnodes(state, self.request, left, ways).map_err(|last| rejected(last, first))?;
        for piece in &left.pieces {
            let (spec, node, times) = (piece.spec as usize, piece.bit, piece.times);
            self.probe.record(|| ProbeEvent::ChunkPlaced { spec, node, times });
        }
        Ok(ProposedPlacement { allocation: left.clone(), set: None, by_quirk: None })
    }
}

/// The nodes that the returning job may use.
#[derive(Clone, Copy)]
struct ReturnNodes<'a> {
    /// The nodes in the order they are examined.
    order: &'a [Bit],
    /// Nodes that may be used; may contain nodes that are not on the list.
    eligible: &'a NodeSet,
    time: &'a TimeCheck,
}

/// Checks that every vnode can give again what it gave.
///
/// # Errors
/// Why the first unplaced chunk failed; `None` if no vnode was examined for it.
fn fits_on_former_vnodes(
    state: &State,
    request: &JobRequest,
    left: &Allocation,
    return_nodes: ReturnNodes<'_>,
) -> Result<(), Option<Reason>> {
    let exclusive = state.plan.exclusive_nodes(request.place.sharedness);
    let mut back = ReturnCheck { state, return_nodes, exclusive, used: TakenAmounts::default() };
    let pieces = left.by_node(&state.plan).pieces;
    let chunks: Vec<ReturnChunk> = pieces.iter().map(|piece| back_chunk(state, piece)).collect();
    if state.plan.multi_vnode.exists {
        return back.by_host(&chunks);
    }
    match chunks.iter().find(|chunk| !back.take(chunk)) {
        Some(chunk) => Err(back.last_refusal(chunk)),
        None => Ok(()),
    }
}

/// A chunk on one vnode, with resources in reverse order, as in the select for the return.
struct ReturnChunk {
    bit: Bit,
    amounts: Vec<(ConsIx, f64)>,
}

fn back_chunk(state: &State, piece: &AllocationPiece) -> ReturnChunk {
    let amounts = Allocation::amounts(&state.plan, piece).iter().rev().copied();
    ReturnChunk { bit: piece.bit, amounts: amounts.filter(|(_, amount)| *amount > 0.0).collect() }
}

struct ReturnCheck<'a> {
    state: &'a State,
    return_nodes: ReturnNodes<'a>,
    /// Vnodes that the job uses exclusively.
    exclusive: &'a NodeSet,
    /// Amounts taken by its chunks so far. An amount that a vnode keeps on another one is not seen there until the
    /// job starts.
    used: TakenAmounts,
}

impl ReturnCheck<'_> {
    /// Takes a chunk's amounts from its vnode, if the vnode has them.
    fn take(&mut self, chunk: &ReturnChunk) -> bool {
        let is_open =
            self.return_nodes.eligible.contains(chunk.bit) && self.return_nodes.order.contains(&chunk.bit);
        if !is_open || self.refusal(chunk, chunk.bit).is_some() {
            return false;
        }
        for (ix, amount) in &chunk.amounts {
            self.used.add(*ix, chunk.bit, *amount);
        }
        true
    }

    fn left(&self, ix: ConsIx, bit: Bit) -> f64 {
        let plan = &self.state.plan;
        let used = self.used.of(ix, plan.capacity.keeper(ix, bit));
        self.state.occupancy.left(plan, ix, bit) - used
    }

    /// Returns why a vnode refuses a chunk.
    fn refusal(&self, chunk: &ReturnChunk, bit: Bit) -> Option<Reason> {
        if bit != chunk.bit {
            return Some(lacks(ResourceId::vnode()));
        }
        let short = chunk.amounts.iter().find(|(ix, amount)| self.left(*ix, bit) < *amount);
        if let Some((ix, _)) = short {
            return Some(lacks(self.state.plan.consumables.resource(*ix)));
        }
        let (time, is_alone) = (self.return_nodes.time, self.exclusive.contains(bit));
        let waits = !time.is_empty() && !time.allows(bit, is_alone, &chunk.amounts, &|ix| self.left(ix, bit));
        waits.then_some(Reason::Conflict)
    }

    /// Returns the reason of the vnode examined last. A vnode that is too small even when empty gives that reason
    /// instead, and others of its signature are then skipped.
    fn last_refusal(&self, chunk: &ReturnChunk) -> Option<Reason> {
        let plan = &self.state.plan;
        let mut last = None;
        let mut too_small = Vec::new();
        for bit in
            self.return_nodes.order.iter().copied().filter(|bit| self.return_nodes.eligible.contains(*bit))
        {
            let sig = plan.nodes[bit].sig;
            if too_small.contains(&sig) {
                continue;
            }
            let never = chunk.amounts.iter().find(|(ix, amount)| {
                let total = plan.capacity.available(*ix, bit);
                let is_endless = total.is_nan() && plan.unset_ok.contains(&plan.consumables.resource(*ix));
                // An unset total is NaN, so no amount fits.
                !is_endless && (total.is_nan() || total < *amount)
            });
            if let Some((ix, _)) = never {
                too_small.push(sig);
                last = Some(lacks(plan.consumables.resource(*ix)));
            } else {
                last = self.refusal(chunk, bit);
            }
        }
        last
    }

    /// Places the chunks host by host. The first refusal is reported, even from a host that a chunk was never on.
    fn by_host(&mut self, chunks: &[ReturnChunk]) -> Result<(), Option<Reason>> {
        let mut hosts: Vec<(HostIx, Vec<Bit>)> = Vec::new();
        for bit in self.return_nodes.order {
            let host = self.state.plan.nodes[*bit].host;
            value_of(&mut hosts, host).push(*bit);
        }
        let mut waiting: Vec<&ReturnChunk> = chunks.iter().collect();
        let mut first = None;
        for (_, members) in &hosts {
            waiting.retain(|chunk| {
                if members.contains(&chunk.bit) && self.take(chunk) {
                    return false;
                }
                let open = members.iter().filter(|bit| self.return_nodes.eligible.contains(**bit));
                let last = open.filter_map(|bit| self.refusal(chunk, *bit)).next_back();
                first = first.take().or(last);
                true
            });
        }
        if waiting.is_empty() { Ok(()) } else { Err(first) }
    }
}

fn lacks(resource: ResourceId) -> Reason {
    Reason::Resource(Shortage { resource, detail: ShortageDetail::Erased })
}

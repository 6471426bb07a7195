//! The check of a host before any chunk is tried on it, and the reason it leaves (rule 4.4, host check).

use crate::cluster::Arrangement;
use crate::universe::{
    AmountBasis, Bit, ChunkShape, HostIx, NodeSet, PlacementSet, Plan, Reason, SetBuilder,
};

use super::{HostByHostPlacement, ListOrigin, PartIx};

impl<'a> HostByHostPlacement<'a> {
    /// Whether the host has free nodes and its sums can hold one chunk (rule 4.4, host check).
    pub(super) fn host_could(&mut self, part: PartIx, host: HostIx, members: &[Bit]) -> bool {
        let plan = &self.state.plan;
        let shape = &plan.shapes[self.parts[part].spec.shape];
        let checked = match self.kept_sums(host) {
            Some(sums) => check_host(plan, sums, shape),
            None => {
                let builder =
                    SetBuilder { plan, occupancy: &self.state.occupancy, events: &self.state.node_events };
                check_host(plan, &builder.all_nodes_set(members.to_vec()), shape)
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

    /// Keeps the reason of the last set as the first one if the first host leaves none of its own: for packing, if
    /// none of its nodes may be used; otherwise, if the sums it is checked by count no free node, even if they are
    /// stale (rule M43).
    pub(super) fn keep_left_over(
        &mut self,
        left_over: Option<&Reason>,
        first: Option<(HostIx, &[Bit])>,
        eligible: &NodeSet,
    ) {
        let (Some(reason), Some((host, members))) = (left_over, first) else { return };
        let is_free = |bit: &Bit| self.state.occupancy.states[*bit].is_free();
        let is_silent = match (self.request.place.arrangement, self.kept_sums(host)) {
            (Arrangement::Pack, _) => !members.iter().any(|bit| eligible.contains(*bit)),
            (_, Some(sums)) => sums.free_nodes < 1,
            (_, None) => !members.iter().any(is_free),
        };
        if is_silent {
            self.chunks.note(Some(reason.clone().erased()));
        }
    }

    /// Returns the kept sums of a host, if they apply to this list.
    fn kept_sums(&self, host: HostIx) -> Option<&'a PlacementSet> {
        let set = self.state.host_sets.get(&host).filter(|_| self.origin == ListOrigin::Complex)?;
        Some(&self.state.sets[*set])
    }
}

/// The host check: a free node, and sums that can hold one chunk now.
fn check_host(plan: &Plan, host: &PlacementSet, shape: &ChunkShape) -> Result<(), Option<Reason>> {
    if host.free_nodes < 1 {
        return Err(None);
    }
    host.check_chunk(plan, shape, AmountBasis::Now).map_err(|reason| Some(reason.erased()))
}

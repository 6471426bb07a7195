//! Extra vnodes of a host that a job has to itself, in addition to those of its chunks (rule 4.4, exclhost).

use rustc_hash::FxHashSet;

use crate::cluster::PlaceSharing;
use crate::universe::{AllocationPiece, Bit, HostIx, PieceResources};

use super::{HostByHostPlacement, PartIx, SpecProgress};

impl HostByHostPlacement<'_> {
    /// Adds the remaining vnodes of a host that the job has to itself, without resources (rule 4.4, exclhost). A job
    /// that requests whole hosts gets them even if vnodes ignore exclusive use, and other jobs may be placed on them
    /// (measured).
    pub(super) fn add_rest_of_host(&mut self, host: HostIx, before: u32) {
        let plan = &self.state.plan;
        // Inside a reservation, a host has only the vnodes granted to the reservation (rule M47).
        let granted = self.state.occupancy.granted.as_ref();
        let is_there = |bit: &Bit| granted.is_none_or(|all| all.keys().any(|(_, other)| other == bit));
        let of_host = |bit: &Bit| plan.nodes[*bit].host == host;
        let mut members: Vec<Bit> = plan.nodes.ids().filter(of_host).filter(is_there).collect();
        if let Some(own) = self.state.list_of_host(host).filter(|_| self.state.sorts_nodes()) {
            members.sort_by_key(|bit| own.iter().position(|other| other == bit).unwrap_or(usize::MAX));
        }
        let sharing = |bit: Bit| plan.node(bit).sharing;
        let requested = self.request.place.sharedness;
        let whole = |bit: &Bit| requested == PlaceSharing::Exclhost || sharing(*bit).is_exclhost(requested);
        let taken: FxHashSet<Bit> =
            self.parts.iter().flat_map(|part| &part.pieces).map(|piece| piece.bit).collect();
        // The sharing of vnodes that the job does not use does not matter (rule M51).
        if !members.iter().filter(|bit| taken.contains(bit)).any(whole) {
            return;
        }
        let rest: Vec<Bit> = members.into_iter().filter(|bit| !taken.contains(bit)).collect();
        let part = self.last_part_since(before);
        for bit in rest {
            let gives = PieceResources::Amounts([].into());
            self.put(part, AllocationPiece { bit, chunk: self.placed, times: 1, spec: part.0, gives });
        }
    }

    /// Returns the last chunk spec that got a piece on the current host.
    fn last_part_since(&self, before: u32) -> PartIx {
        let since = |part: &SpecProgress<'_>| part.pieces.iter().any(|piece| piece.chunk >= before);
        let last = self.parts.enumerate().rfind(|(_, part)| since(part));
        last.map_or(PartIx(0), |(part, _)| part)
    }
}

//! Placing a job's chunks on the current host, by arrangement: all or nothing, one chunk, or as many as fit.

use std::borrow::Cow;

use crate::cluster::{Arrangement, Id};
use crate::universe::HostIx;

use super::{HostByHostPlacement, PartIx};
use crate::placement::candidates::sorts_between_chunks;
use crate::placement::host_chunk::HostVnodes;

impl HostByHostPlacement<'_> {
    /// Places the chunks of the job that go to this host.
    pub(super) fn on_host(&mut self, host: HostIx, vnodes: HostVnodes<'_>) {
        match self.request.place.arrangement {
            // Packing examines each host, whatever its sums are (seen in every log).
            Arrangement::Pack => self.pack(vnodes),
            Arrangement::Scatter => self.scatter(host, vnodes),
            Arrangement::Free | Arrangement::Vscatter => self.place_spread(host, vnodes),
        }
    }

    /// Places all chunks on this host, or none. If a sort key depends on usage, the vnodes are re-sorted after every
    /// chunk (rule M36).
    pub(super) fn pack(&mut self, vnodes: HostVnodes<'_>) {
        let is_sorted = vnodes.usable.len() > 1 && sorts_between_chunks(self.state);
        self.chunks.is_sorted = is_sorted;
        let most = if is_sorted { 1 } else { u32::MAX };
        let mut open = Cow::Borrowed(vnodes.usable);
        for part in self.parts.ids() {
            self.chunks.next_spec();
            while self.needs_more(part) {
                if !self.place_chunks(part, HostVnodes { usable: &open, ..vnodes }, true, most) {
                    self.unpack(part);
                    return;
                }
                if is_sorted {
                    open = Cow::Owned(self.chunks.sorted(open.into_owned()));
                }
            }
        }
    }

    /// Undoes the packing on a host up to the chunk spec that did not fit; no other host has a chunk.
    fn unpack(&mut self, up_to: PartIx) {
        for part in self.parts.iter_mut().take(up_to.ix() + 1) {
            part.missing = part.spec.count;
            part.pieces.clear();
        }
        self.chunks.forget();
        self.placed = 0;
    }

    /// Places one chunk of the first chunk spec that fits.
    fn scatter(&mut self, host: HostIx, vnodes: HostVnodes<'_>) {
        for part in self.parts.ids() {
            self.chunks.next_spec();
            // The host is checked for every chunk spec, even for completed ones: the check leaves its reason.
            if self.host_could(part, host, vnodes.listed)
                && self.needs_more(part)
                && self.place_chunks(part, vnodes, true, 1)
            {
                return;
            }
        }
    }

    /// Places as many chunks of every chunk spec as fit. Under vscatter each vnode is used once, and chunks are
    /// broken only in a set on a single host (rule M21).
    fn place_spread(&mut self, host: HostIx, vnodes: HostVnodes<'_>) {
        let once = self.request.place.arrangement == Arrangement::Vscatter;
        let breakable = !once || self.is_set_on_one_host;
        for part in self.parts.ids() {
            if !self.host_could(part, host, vnodes.listed) || !self.needs_more(part) {
                continue;
            }
            // If the sums of a host still count vnodes that are no longer free, and it has no free vnode left, the
            // other chunk specs are not tried on it (measured).
            if !vnodes.listed.iter().any(|bit| self.state.occupancy.open_nodes.contains(*bit)) {
                return;
            }
            self.chunks.next_spec();
            let most = if once { 1 } else { u32::MAX };
            while self.needs_more(part) && self.place_chunks(part, vnodes, breakable, most) {}
            if self.gave_up {
                return;
            }
        }
    }
}

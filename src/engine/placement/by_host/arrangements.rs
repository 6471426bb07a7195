//! What of a job goes to the host at hand, by its arrangement: everything or nothing, one chunk, or as much as fits.

use std::borrow::Cow;

use crate::cluster::{Arrangement, Id};
use crate::universe::HostIx;

use super::{ByHost, PartIx};
use crate::placement::candidates::sorts_between_chunks;
use crate::placement::host_chunk::Vnodes;

impl ByHost<'_> {
    /// Places what goes here of the job.
    pub(super) fn on_host(&mut self, host: HostIx, vnodes: Vnodes<'_>) {
        match self.request.place.arrangement {
            // Seen in every log: packing examines each host, whatever its sums are.
            Arrangement::Pack => self.pack(vnodes),
            Arrangement::Scatter => self.scatter(host, vnodes),
            Arrangement::Free | Arrangement::Vscatter => self.spread(host, vnodes),
        }
    }

    /// All chunks here, or none. Where a key sorts by use, the vnodes are sorted anew after every chunk (rule M36).
    pub(super) fn pack(&mut self, vnodes: Vnodes<'_>) {
        let is_sorted = vnodes.open.len() > 1 && sorts_between_chunks(self.state);
        let most = if is_sorted { 1 } else { u32::MAX };
        let mut open = Cow::Borrowed(vnodes.open);
        for part in self.parts.ids() {
            self.chunks.next_spec();
            while self.needs_more(part) {
                if !self.place_chunks(part, Vnodes { open: &open, ..vnodes }, true, most) {
                    self.unpack(part);
                    return;
                }
                if is_sorted {
                    open = Cow::Owned(self.chunks.sorted(open.into_owned()));
                }
            }
        }
    }

    /// Undoes what was packed on a host, up to the part that found no place there: no other host has a chunk.
    fn unpack(&mut self, up_to: PartIx) {
        for part in self.parts.iter_mut().take(up_to.ix() + 1) {
            part.missing = part.spec.count;
            part.pieces.clear();
        }
        self.chunks.forget();
        self.placed = 0;
    }

    /// One chunk of the first part that fits.
    fn scatter(&mut self, host: HostIx, vnodes: Vnodes<'_>) {
        for part in self.parts.ids() {
            self.chunks.next_spec();
            // The host is checked for every part, also for one that has all its chunks: that leaves its reason.
            if self.host_could(part, host, vnodes.listed)
                && self.needs_more(part)
                && self.place_chunks(part, vnodes, true, 1)
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
        for part in self.parts.ids() {
            if !self.host_could(part, host, vnodes.listed) || !self.needs_more(part) {
                continue;
            }
            // A host whose sums still count vnodes that are no longer free, and that has none left, is not tried
            // the other parts (measured).
            if !vnodes.listed.iter().any(|bit| self.state.floor.open.contains(*bit)) {
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

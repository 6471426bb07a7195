//! Packing on hosts with one vnode each: a host that cannot hold the whole job leaves at most a reason, so most hosts
//! need not be examined.

use crate::universe::{Allocation, Bit, NodeSet, Spec};

use super::HostByHostPlacement;
use crate::placement::candidates::NodePathFailure;
use crate::placement::host_chunk::HostVnodes;
use crate::placement::pack::PreparedJob;
use crate::placement::probe::{HostStep, Probe};

impl HostByHostPlacement<'_> {
    /// Packs on hosts with one vnode each. A host that cannot hold all chunks leaves at most a reason, so it is
    /// examined only when a reason is needed.
    pub(super) fn one_by_one(
        mut self,
        list: &[Bit],
        eligible: &NodeSet,
        examined: &mut u64,
        probe: &mut Probe,
    ) -> Result<Allocation, NodePathFailure> {
        let left_over = self.chunks.first.clone();
        let whole = PreparedJob::new(self.state, &self.request.specs, self.chunks.time);
        // A log names every host, including those that need not be examined.
        let one = self.request.specs.first().map(|spec| Spec { count: 1, ..spec.clone() });
        let one = one.filter(|_| probe.names_hosts());
        let one =
            one.as_ref().map(|one| PreparedJob::new(self.state, std::slice::from_ref(one), self.chunks.time));
        let to_examine = if one.is_none() && whole.is_impossible() { &[] } else { list };
        for bit in to_examine.iter().copied() {
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
                    self.record(HostStep::Fitted(0, chunks));
                }
                self.record(HostStep::NotHeld(0));
                continue;
            }
            *examined += 1;
            self.pack(HostVnodes::of_usable(&[bit]));
            if self.gave_up {
                return Err(self.failure(probe));
            }
            if self.is_done() {
                return Ok(self.finish(probe));
            }
        }
        let mut first = Self::new(self.state, self.request, self.chunks.time);
        first.chunks.note(left_over);
        let open = list.iter().copied().filter(|bit| eligible.contains(*bit));
        first.pack_until_a_reason(open.filter(|bit| !whole.fails_without_reason(*bit)));
        first.recording = self.recording.take();
        Err(first.failure(probe))
    }

    /// Packs on one host after the other until one leaves a reason.
    fn pack_until_a_reason(&mut self, hosts: impl Iterator<Item = Bit>) {
        for bit in hosts {
            if self.chunks.first.is_some() || self.gave_up {
                break;
            }
            self.pack(HostVnodes::of_usable(&[bit]));
        }
    }
}

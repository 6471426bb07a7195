//! Packed requests against single units, and remainders too small for a chunk.

use qscope_engine::cluster::{Arrangement, ResourceId};
use qscope_engine::placement::could_hold;
use qscope_engine::universe::{Bit, ConsIx, Spec};

use super::{FitAnalysis, LargestUnit, need};

/// The request of packed chunks together, and the most that one unit has.
#[derive(Clone, Debug)]
pub(crate) struct PackedRequest {
    pub resource: ResourceId,
    /// Requested by all chunks together.
    pub requested: f64,
    /// The most that one unit has, or has left.
    pub largest_unit: LargestUnit,
}

impl PackedRequest {
    /// The part of the request that the unit has.
    fn part(&self) -> f64 {
        self.largest_unit.amount / self.requested
    }
}

impl FitAnalysis<'_> {
    /// For a packed job, returns the scarcest resource that no unit has enough of for all chunks together; if each
    /// resource is enough on some unit, the one that comes nearest on a unit with the rest of the request.
    pub(crate) fn packed(&self) -> Option<PackedRequest> {
        if self.request.place.arrangement != Arrangement::Pack || self.request.total_chunks() < 2 {
            return None;
        }
        let by_part = |a: &PackedRequest, b: &PackedRequest| a.part().total_cmp(&b.part());
        let all = || self.plan().consumables.ids();
        let scarcest = all().filter_map(|ix| self.packed_amount(ix, |_| true)).min_by(by_part);
        scarcest.or_else(|| {
            let beside_rest = |ix| {
                let resource = self.plan().consumables.resource(ix);
                let short = self.packed_amount(ix, |unit| self.packs(unit, Some(resource), false))?;
                let largest_unit = LargestUnit { with_rest: true, ..short.largest_unit };
                Some(PackedRequest { largest_unit, ..short })
            };
            all().filter_map(beside_rest).max_by(by_part)
        })
    }

    /// Returns what all chunks together request of a consumable, if it is more than any of some units has.
    fn packed_amount(&self, ix: ConsIx, is_meant: impl Fn(&[Bit]) -> bool) -> Option<PackedRequest> {
        let (plan, specs) = (self.plan(), &self.request.specs);
        let requested: f64 = specs.iter().map(|spec| f64::from(spec.count) * need(plan, spec, ix)).sum();
        let offers = specs.iter().filter_map(|spec| self.largest(spec, ix, &is_meant));
        let largest_unit = offers.max_by(|a, b| a.amount.total_cmp(&b.amount))?;
        let resource = plan.consumables.resource(ix);
        (requested > largest_unit.amount).then_some(PackedRequest { resource, requested, largest_unit })
    }

    /// Returns how much of a consumable is left for a chunk spec, and how much of that in pieces too small for one
    /// chunk, over the nodes that could hold a chunk. `None` for a resource that nodes share, because it is on no
    /// single node.
    pub(crate) fn left_and_fragmented(&self, spec: &Spec, resource: ResourceId) -> Option<(f64, f64)> {
        let plan = self.plan();
        let ix = plan.consumables.ix(resource).filter(|ix| !plan.capacity.is_shared(*ix))?;
        let need = need(plan, spec, ix);
        let able = could_hold(plan, spec.shape);
        let (mut all, mut rest) = (0.0, 0.0);
        for unit in self.units.iter() {
            let bits = unit.iter().filter(|bit| able.contains(**bit));
            let offered: f64 = bits.map(|bit| self.offer(ix, *bit)).sum();
            all += offered;
            rest += if need > 0.0 && offered.is_finite() { offered % need } else { 0.0 };
        }
        (all.is_finite() && rest > 0.0).then_some((all, rest))
    }
}

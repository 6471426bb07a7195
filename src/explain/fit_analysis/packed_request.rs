//! Packed requests against single units, and remainders too small for a chunk.

use qscope_engine::cluster::{Arrangement, ResourceId};
use qscope_engine::placement::could_hold;
use qscope_engine::universe::Spec;

use super::{FitAnalysis, need};

/// The request of packed chunks together, and the most that one unit has.
#[derive(Clone, Debug)]
pub(crate) struct PackedRequest {
    pub resource: ResourceId,
    /// Requested by all chunks together.
    pub requested: f64,
    /// The most that one unit has, or has left.
    pub largest_unit: f64,
    /// The name of that unit.
    pub node: String,
}

impl FitAnalysis<'_> {
    /// For a packed job, returns the scarcest resource that no unit has enough of for all chunks together.
    pub(crate) fn packed(&self) -> Option<PackedRequest> {
        if self.request.place.arrangement != Arrangement::Pack || self.request.total_chunks() < 2 {
            return None;
        }
        let plan = self.plan();
        let specs = &self.request.specs;
        let lacking = plan.consumables.ids().filter_map(|ix| {
            let requested: f64 = specs.iter().map(|spec| f64::from(spec.count) * need(plan, spec, ix)).sum();
            let resource = plan.consumables.resource(ix);
            let offers = specs.iter().filter_map(|spec| self.best(spec, resource));
            let (largest_unit, node) = offers.max_by(|a, b| a.0.total_cmp(&b.0))?;
            (requested > largest_unit).then_some(PackedRequest { resource, requested, largest_unit, node })
        });
        lacking.min_by(|a, b| (a.largest_unit / a.requested).total_cmp(&(b.largest_unit / b.requested)))
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

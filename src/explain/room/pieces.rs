//! What one host would have to hold, and what is left in pieces too small.

use qscope_engine::cluster::{Arrangement, ResourceId};
use qscope_engine::universe::Spec;

use super::{Room, need};

/// What packed chunks request together, and the most that one unit has.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    pub resource: ResourceId,
    /// By all chunks.
    pub requested: f64,
    /// The most that one unit has, or has left.
    pub best: f64,
    /// That unit.
    pub node: String,
}

impl Room<'_> {
    /// What all chunks together request of a resource that no unit has for all of them, if they are to be packed: the
    /// narrowest.
    pub(crate) fn packed(&self) -> Option<Packed> {
        if self.request.place.arrangement != Arrangement::Pack || self.request.total_chunks() < 2 {
            return None;
        }
        let plan = self.plan();
        let specs = &self.request.specs;
        let lacking = plan.consumables.ids().filter_map(|ix| {
            let requested: f64 = specs.iter().map(|spec| f64::from(spec.count) * need(plan, spec, ix)).sum();
            let resource = plan.consumables.resource(ix);
            let offers = specs.iter().filter_map(|spec| self.best(spec, resource));
            let (best, node) = offers.max_by(|a, b| a.0.total_cmp(&b.0))?;
            (requested > best).then_some(Packed { resource, requested, best, node })
        });
        lacking.min_by(|a, b| (a.best / a.requested).total_cmp(&(b.best / b.requested)))
    }

    /// How much of a consumable is left in pieces too small for one chunk of a part, over all units.
    pub(crate) fn scraps(&self, spec: &Spec, resource: ResourceId) -> f64 {
        let plan = self.plan();
        let Some(ix) = plan.consumables.ix(resource) else { return 0.0 };
        let need = need(plan, spec, ix);
        let rest = self.units.iter().map(|unit| {
            let bits = unit.iter().filter(|bit| self.meets(spec, **bit, None));
            let offered: f64 = bits.map(|bit| self.offer(ix, *bit)).sum();
            if need > 0.0 && offered.is_finite() { offered % need } else { 0.0 }
        });
        rest.sum()
    }
}

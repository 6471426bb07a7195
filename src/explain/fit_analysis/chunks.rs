//! Counts the chunks of each chunk spec that the units hold, optionally ignoring a resource, and finds the bottleneck
//! resource.

use qscope_engine::cluster::{Arrangement, ResourceId};
use qscope_engine::universe::{Bit, ConsIx, NodeSet, Spec};

use super::{FitAnalysis, need};

impl<'a> FitAnalysis<'a> {
    /// Returns how many chunks of a chunk spec one unit holds, optionally ignoring a resource or exclusive use.
    pub(super) fn times(&self, spec: &Spec, unit: &[Bit], but: Option<ResourceId>, shared: bool) -> u64 {
        let plan = self.plan();
        let usable = |bit: &&Bit| {
            self.meets_conditions(spec, **bit, but)
                && self.is_open(**bit)
                && (shared || !self.is_touched(**bit))
        };
        // Most units are a single usable node, and these are not copied.
        let some: Vec<Bit>;
        let bits = if unit.iter().all(|bit| usable(&bit)) {
            unit
        } else {
            some = unit.iter().filter(usable).copied().collect();
            &some
        };
        if bits.is_empty() {
            return 0;
        }
        let most = if self.needs_distinct_units() { 1 } else { u64::from(spec.count) };
        let fits = |(ix, need): &(ConsIx, f64)| {
            if *need <= 0.0 || but == Some(plan.consumables.resource(*ix)) {
                return most;
            }
            let offered: f64 = bits.iter().map(|bit| self.offer(*ix, *bit)).sum();
            // Number of whole chunks that fit, clamped to the request before the conversion to an integer.
            (offered / need).floor().clamp(0.0, most as f64) as u64
        };
        plan.needs[spec.shape].iter().map(fits).min().unwrap_or(most).min(most)
    }

    /// Returns the nodes on which a chunk of some chunk spec has room, whole or as a part of one broken over vnodes.
    pub(crate) fn nodes_with_room(&self) -> NodeSet {
        let of_unit = |unit: &[Bit]| -> Vec<Bit> {
            let holding = self.request.specs.iter().filter(|spec| self.times(spec, unit, None, false) > 0);
            let holding: Vec<&Spec> = holding.collect();
            let is_usable = |bit: &Bit| {
                let meets = |spec: &&Spec| self.meets_conditions(spec, *bit, None);
                self.is_open(*bit) && !self.is_touched(*bit) && holding.iter().any(meets)
            };
            unit.iter().copied().filter(is_usable).collect()
        };
        NodeSet::of(self.plan().nodes.len(), self.units.iter().flat_map(of_unit))
    }

    /// Whether one unit holds all chunks of all chunk specs.
    pub(super) fn packs(&self, unit: &[Bit], but: Option<ResourceId>, shared: bool) -> bool {
        let plan = self.plan();
        let specs = &self.request.specs;
        let each = specs.iter().all(|spec| self.times(spec, unit, but, shared) >= u64::from(spec.count));
        each && plan.consumables.ids().filter(|ix| but != Some(plan.consumables.resource(*ix))).all(|ix| {
            let offered: f64 = unit.iter().map(|bit| self.offer(ix, *bit)).sum();
            let requested: f64 = specs.iter().map(|spec| f64::from(spec.count) * need(plan, spec, ix)).sum();
            requested <= offered
        })
    }

    /// Returns how many chunks of a chunk spec all units hold together; for packed jobs, all or none.
    pub(crate) fn chunks(&self, spec: &Spec, but: Option<ResourceId>, shared: bool) -> u64 {
        if self.request.place.arrangement == Arrangement::Pack && self.request.total_chunks() > 1 {
            let packed = self.units.iter().any(|unit| self.packs(unit, but, shared));
            return if packed { u64::from(spec.count) } else { 0 };
        }
        self.units.iter().map(|unit| self.times(spec, unit, but, shared)).sum()
    }

    /// Whether all units together hold all chunks of every chunk spec; stops as soon as they are found.
    pub(crate) fn holds_all_chunks(&self) -> bool {
        self.request.specs.iter().all(|spec| {
            let wanted = u64::from(spec.count);
            if self.request.place.arrangement == Arrangement::Pack {
                return self.chunks(spec, None, false) >= wanted;
            }
            let mut found = 0;
            let mut enough = |unit: &[Bit]| {
                found += self.times(spec, unit, None, false);
                found >= wanted
            };
            wanted == 0 || self.units.iter().any(&mut enough)
        })
    }

    /// Returns the most chunks of a chunk spec that one unit holds.
    pub(crate) fn most_on_a_unit(&self, spec: &Spec) -> u64 {
        self.units.iter().map(|unit| self.times(spec, unit, None, false)).max().unwrap_or(0)
    }

    /// Returns how many units hold all chunks of all chunk specs.
    pub(crate) fn units_for_all(&self) -> u64 {
        self.units.iter().filter(|unit| self.packs(unit, None, false)).count() as u64
    }

    /// Returns how many units hold at least one chunk of a chunk spec.
    pub(crate) fn units_for(&self, spec: &Spec) -> u64 {
        self.units.iter().filter(|unit| self.times(spec, unit, None, false) > 0).count() as u64
    }

    /// Returns how many units hold at least one chunk of any chunk spec.
    pub(crate) fn units_for_any(&self) -> u64 {
        let holds =
            |unit: &&[Bit]| self.request.specs.iter().any(|spec| self.times(spec, unit, None, false) > 0);
        self.units.iter().filter(holds).count() as u64
    }

    /// Returns the nodes of all units that hold at least one chunk of a chunk spec.
    pub(crate) fn nodes_holding(&self, spec: &Spec) -> impl Iterator<Item = Bit> {
        self.units.iter().filter(|unit| self.times(spec, unit, None, false) > 0).flatten().copied()
    }

    /// Returns the chunk specs that all units together cannot hold, with the number of chunks they do hold.
    pub(crate) fn lacking(&self) -> Vec<(&'a Spec, u64)> {
        let specs = self.request.specs.iter().map(|spec| (spec, self.chunks(spec, None, false)));
        specs.filter(|(spec, room)| *room < u64::from(spec.count)).collect()
    }

    /// Returns each resource without which a chunk spec would find its nodes; if there is none, the resource that
    /// restricts it most.
    pub(crate) fn narrow(&self, spec: &Spec) -> Vec<ResourceId> {
        let requests = &self.plan().shapes[spec.shape].requests;
        let without: Vec<(ResourceId, u64)> = requests
            .iter()
            .map(|(resource, _)| (*resource, self.chunks(spec, Some(*resource), false)))
            .collect();
        let enough: Vec<ResourceId> = without
            .iter()
            .filter(|(_, room)| *room >= u64::from(spec.count))
            .map(|(resource, _)| *resource)
            .collect();
        if !enough.is_empty() {
            return enough;
        }
        let now = self.chunks(spec, None, false);
        let best = without.iter().filter(|(_, room)| *room > now).max_by_key(|(_, room)| *room);
        best.map(|(resource, _)| vec![*resource]).unwrap_or_default()
    }
}

//! Counts how many chunks of a request the nodes hold, now or when empty, and finds the bottleneck resource.
//!
//! A unit is what one chunk must fit on: a node, or a whole host if hosts have several vnodes, because chunks may be
//! broken over them, unless the job forbids it.

mod chunks;
mod packed_request;
mod sums;
mod texts;
mod units;

use std::borrow::Cow;
use std::cell::OnceCell;

use qscope_engine::cluster::{Column, ResourceId};
use qscope_engine::placement::{could_hold, lacks_condition};
use qscope_engine::universe::{AmountBasis, Bit, ConsIx, JobRequest, NodeSet, Plan, Spec, State};

pub(super) use packed_request::PackedRequest;
pub(super) use sums::ResourceSum;
pub(super) use texts::{folded_names, names, out_of_service_text, requested};
use units::UnitList;

/// The unit that offers the most of a resource.
#[derive(Clone, Debug, Default)]
pub(super) struct LargestUnit {
    pub amount: f64,
    pub name: String,
    /// Whether only units that hold the rest of the request are meant: others offer more.
    pub with_rest: bool,
}

/// A request compared with a list of nodes.
pub(super) struct FitAnalysis<'a> {
    state: &'a State,
    request: &'a JobRequest,
    against: AmountBasis,
    units: UnitList,
    touched: Cow<'a, NodeSet>,
    /// Nodes that could serve the request, computed on first use: for all chunk specs, then for each one.
    serving: Vec<OnceCell<Vec<Bit>>>,
}

impl<'a> FitAnalysis<'a> {
    /// Creates the room on these nodes.
    pub(super) fn new(
        state: &'a State,
        request: &'a JobRequest,
        list: &NodeSet,
        against: AmountBasis,
    ) -> Self {
        let touched = touched_by(state, request, list, against);
        let units = UnitList::new(&state.plan, request.place.arrangement, list.iter());
        Self::of_units(state, request, units, against, Cow::Owned(touched))
    }

    /// Creates the room on the nodes of one of many sets, given the [touched](touched_by) nodes of all.
    pub(super) fn in_set(
        state: &'a State,
        request: &'a JobRequest,
        members: &[Bit],
        against: AmountBasis,
        touched: &'a NodeSet,
    ) -> Self {
        let units = UnitList::new(&state.plan, request.place.arrangement, members.iter().copied());
        Self::of_units(state, request, units, against, Cow::Borrowed(touched))
    }

    fn of_units(
        state: &'a State,
        request: &'a JobRequest,
        units: UnitList,
        against: AmountBasis,
        touched: Cow<'a, NodeSet>,
    ) -> Self {
        let serving = vec![OnceCell::new(); request.specs.len() + 1];
        Self { state, request, against, units, touched, serving }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Whether chunks must be on different units.
    fn needs_distinct_units(&self) -> bool {
        self.request.is_spread()
    }

    /// Returns what a node offers of a consumable: its total, or what is left while it is open to the job.
    fn offer(&self, ix: ConsIx, bit: Bit) -> f64 {
        let plan = self.plan();
        match self.against {
            AmountBasis::Now if !self.is_open(bit) => 0.0,
            AmountBasis::Now => self.state.occupancy.left(plan, ix, bit),
            AmountBasis::Total => {
                let available = plan.capacity.available(ix, bit);
                let endless = plan.unset_ok.contains(&plan.consumables.resource(ix));
                if !available.is_nan() {
                    available
                } else if endless {
                    f64::INFINITY
                } else {
                    0.0
                }
            }
        }
    }

    /// Whether a node accepts jobs at all now.
    pub(super) fn is_open(&self, bit: Bit) -> bool {
        self.against == AmountBasis::Total || self.state.occupancy.open_nodes.contains(bit)
    }

    /// Whether the job requests a node exclusively while another job is on it, or on its host.
    pub(super) fn is_touched(&self, bit: Bit) -> bool {
        self.touched.contains(bit)
    }

    /// Whether a node is out of service.
    pub(super) fn is_out_of_service(&self, bit: Bit) -> bool {
        self.state.occupancy.states[bit].is_out_of_service()
    }

    /// Returns the word for a unit.
    pub(super) fn unit(&self) -> &'static str {
        if self.units.are_hosts() { "host" } else { "node" }
    }

    /// Whether a node meets all conditions of a chunk spec (booleans, texts, names), optionally ignoring one of them.
    pub(super) fn meets_conditions(&self, spec: &Spec, bit: Bit, but: Option<ResourceId>) -> bool {
        let plan = self.plan();
        let mut conditions = plan.shapes[spec.shape].conditions();
        conditions.all(|(resource, requirement)| {
            Some(*resource) == but || lacks_condition(plan, *resource, requirement, bit).is_none()
        })
    }

    /// Returns the nodes that meet the conditions of some chunk spec and accept jobs at all.
    pub(super) fn open_to_some_part(&self) -> NodeSet {
        let is_open = |bit: &Bit| {
            self.is_open(*bit)
                && self.request.specs.iter().any(|spec| self.meets_conditions(spec, *bit, None))
        };
        NodeSet::of(self.plan().nodes.len(), self.units.bits().copied().filter(is_open))
    }

    /// Returns the unit that offers the most of a consumable: of all that meet the conditions of a chunk spec or, where
    /// that is enough for a chunk, of those that hold the rest of the chunk.
    pub(super) fn best(&self, spec: &Spec, resource: ResourceId) -> Option<LargestUnit> {
        let ix = self.plan().consumables.ix(resource)?;
        let best = self.largest(spec, ix, |_| true)?;
        if best.amount < need(self.plan(), spec, ix) {
            return Some(best);
        }
        let has_rest = |unit: &[Bit]| self.times(spec, unit, Some(resource), false) > 0;
        let with_rest = self.largest(spec, ix, has_rest).map(|unit| LargestUnit { with_rest: true, ..unit });
        with_rest.or(Some(best))
    }

    /// Returns the one of some units that offers the most of a consumable on nodes that meet the conditions of a chunk
    /// spec.
    fn largest(&self, spec: &Spec, ix: ConsIx, is_meant: impl Fn(&[Bit]) -> bool) -> Option<LargestUnit> {
        let plan = self.plan();
        let offers = self.units.iter().filter(|unit| is_meant(unit)).filter_map(|unit| {
            let bits: Vec<&Bit> =
                unit.iter().filter(|bit| self.meets_conditions(spec, **bit, None)).collect();
            let first = **bits.first()?;
            let name = match bits.len() {
                1 => plan.node_name(first).to_string(),
                // The vnodes of a host count together.
                several => {
                    let host = plan.host_name(plan.nodes[first].host);
                    format!("host {host}, {several} vnodes")
                }
            };
            let amount = bits.iter().map(|bit| self.offer(ix, **bit)).sum();
            Some(LargestUnit { amount, name, with_rest: false })
        });
        offers.fold(None, |best: Option<LargestUnit>, offer| match best {
            Some(best) if best.amount >= offer.amount => Some(best),
            _ => Some(offer),
        })
    }

    /// Returns the nodes that could serve some chunk spec: they meet its conditions and are large enough when empty.
    pub(super) fn could_serve(&self) -> &[Bit] {
        self.could_serve_part(None)
    }

    /// Returns the nodes that could serve one chunk spec, or any of them.
    pub(super) fn could_serve_part(&self, part: Option<usize>) -> &[Bit] {
        let find = || {
            let able: Vec<&NodeSet> =
                self.parts(part).into_iter().map(|spec| could_hold(self.plan(), spec.shape)).collect();
            let serves = |bit: &Bit| able.iter().any(|nodes| nodes.contains(*bit));
            self.units.bits().copied().filter(serves).collect()
        };
        self.serving.get(part.map_or(0, |part| part + 1)).map_or(&[], |found| found.get_or_init(find))
    }

    /// Returns one chunk spec of the select, or all.
    pub(super) fn parts(&self, part: Option<usize>) -> Vec<&'a Spec> {
        let parts = self.request.specs.iter().enumerate();
        parts.filter(|(at, _)| part.is_none_or(|part| part == *at)).map(|(_, spec)| spec).collect()
    }

    /// The request.
    pub(super) fn request(&self) -> &'a JobRequest {
        self.request
    }

    /// Number of units.
    pub(super) fn units(&self) -> usize {
        self.units.len()
    }

    /// Returns the nodes that could hold a chunk of a chunk spec when empty.
    pub(super) fn could_hold_one(&self, spec: &Spec) -> Vec<Bit> {
        let able = could_hold(self.plan(), spec.shape);
        self.units.bits().copied().filter(|bit| able.contains(*bit)).collect()
    }
}

/// Returns the nodes that a job cannot have because others are on them; none if nodes are taken as empty.
pub(super) fn touched_by(state: &State, request: &JobRequest, list: &NodeSet, basis: AmountBasis) -> NodeSet {
    match basis {
        AmountBasis::Now => conflicting_nodes(state, request, list),
        AmountBasis::Total => NodeSet::new(list.capacity()),
    }
}

/// Returns the nodes that a job requests exclusively while another job is on them, or on their host (rule 2.5).
pub(super) fn conflicting_nodes(state: &State, request: &JobRequest, list: &NodeSet) -> NodeSet {
    let plan = &state.plan;
    let sharedness = request.place.sharedness;
    let mut found = list.common(plan.exclusive_nodes(sharedness));
    found.intersect(&state.occupancy.occupied);
    if !plan.multi_vnode.exists {
        return found;
    }
    let whole = |bit: &Bit| plan.node(*bit).sharing.is_exclhost(sharedness);
    let alone: Vec<Bit> = list.iter().filter(whole).collect();
    if !alone.is_empty() {
        let mut hosts = Column::filled(plan.host_count(), false);
        for bit in state.occupancy.occupied.iter() {
            hosts[plan.nodes[bit].host] = true;
        }
        for bit in alone.into_iter().filter(|bit| hosts[plan.nodes[*bit].host]) {
            found.insert(bit);
        }
    }
    found
}

/// Returns what one chunk of a chunk spec takes of a consumable.
pub(super) fn need(plan: &Plan, spec: &Spec, ix: ConsIx) -> f64 {
    plan.needs[spec.shape].iter().find(|(have, _)| *have == ix).map_or(0.0, |(_, amount)| *amount)
}

//! How many chunks of a request the nodes hold, now or when they are empty, and which resource is the narrow
//! one.
//!
//! A unit is what one chunk has to fit on: a node, or a whole host where hosts have several vnodes, since
//! chunks may be broken over them.

mod chunks;
mod pieces;
mod sums;
mod units;
mod words;

use std::borrow::Cow;
use std::cell::OnceCell;

use qscope_engine::cluster::{Column, ResourceId};
use qscope_engine::placement::{could_hold, lacks_condition};
use qscope_engine::universe::{Against, Bit, ConsIx, JobRequest, NodeSet, Plan, Spec, State};

pub(super) use pieces::Packed;
pub(super) use sums::Sum;
use units::Units;
pub(super) use words::{names, out_words, requested, some_names};

/// A request against a list of nodes.
pub(super) struct Room<'a> {
    state: &'a State,
    request: &'a JobRequest,
    against: Against,
    units: Units,
    touched: Cow<'a, NodeSet>,
    /// Nodes that could serve, once needed: for all parts, then for each part.
    serving: Vec<OnceCell<Vec<Bit>>>,
}

impl<'a> Room<'a> {
    /// The room on these nodes.
    pub(super) fn new(state: &'a State, request: &'a JobRequest, list: &NodeSet, against: Against) -> Self {
        let touched = touched_by(state, request, list, against);
        Self::on(state, request, Units::new(&state.plan, list.iter()), against, Cow::Owned(touched))
    }

    /// The room on the nodes of one of many sets, with those [touched](touched_by) of all.
    pub(super) fn in_set(
        state: &'a State,
        request: &'a JobRequest,
        members: &[Bit],
        against: Against,
        touched: &'a NodeSet,
    ) -> Self {
        let units = Units::new(&state.plan, members.iter().copied());
        Self::on(state, request, units, against, Cow::Borrowed(touched))
    }

    fn on(
        state: &'a State,
        request: &'a JobRequest,
        units: Units,
        against: Against,
        touched: Cow<'a, NodeSet>,
    ) -> Self {
        let serving = vec![OnceCell::new(); request.specs.len() + 1];
        Self { state, request, against, units, touched, serving }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Whether chunks are to stand on different units.
    fn spread(&self) -> bool {
        self.request.is_spread()
    }

    /// What a node offers of a consumable: what it has, or what is left on it while it is open to the job.
    fn offer(&self, ix: ConsIx, bit: Bit) -> f64 {
        let plan = self.plan();
        match self.against {
            Against::Now if !self.is_open(bit) => 0.0,
            Against::Now => self.state.floor.left(plan, ix, bit),
            Against::Total => {
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

    /// Whether a node takes jobs at all now.
    pub(super) fn is_open(&self, bit: Bit) -> bool {
        self.against == Against::Total || self.state.floor.open.contains(bit)
    }

    /// Whether the job requests a node exclusively that another job is on, or whose host another job is on.
    pub(super) fn is_touched(&self, bit: Bit) -> bool {
        self.touched.contains(bit)
    }

    /// What one unit is called.
    pub(super) fn unit(&self) -> &'static str {
        if self.plan().multi_vnode.found { "host" } else { "node" }
    }

    /// Whether a node meets all conditions of a part: switches, texts, names; one of them may be left out.
    pub(super) fn meets(&self, spec: &Spec, bit: Bit, but: Option<ResourceId>) -> bool {
        let plan = self.plan();
        let mut conditions = plan.shapes[spec.shape].conditions();
        conditions.all(|(resource, requirement)| {
            Some(*resource) == but || lacks_condition(plan, *resource, requirement, bit).is_none()
        })
    }

    /// The nodes that meet the conditions of some part, and take jobs at all.
    pub(super) fn open_to_some_part(&self) -> NodeSet {
        let is_open = |bit: &Bit| {
            self.is_open(*bit) && self.request.specs.iter().any(|spec| self.meets(spec, *bit, None))
        };
        NodeSet::of(self.plan().nodes.len(), self.units.bits().copied().filter(is_open))
    }

    /// The most that any unit which meets the other conditions offers of a consumable, and the unit's name.
    pub(super) fn best(&self, spec: &Spec, resource: ResourceId) -> Option<(f64, String)> {
        let plan = self.plan();
        let ix = plan.consumables.ix(resource)?;
        let offers = self.units.iter().filter_map(|unit| {
            let bits: Vec<&Bit> = unit.iter().filter(|bit| self.meets(spec, **bit, None)).collect();
            let first = **bits.first()?;
            let name = match bits.len() {
                1 => plan.node_name(first).to_string(),
                // The vnodes of one host count together.
                several => {
                    let host = &plan.hosts[plan.nodes[first].host];
                    format!("host {host}, {several} vnodes")
                }
            };
            Some((bits.iter().map(|bit| self.offer(ix, **bit)).sum::<f64>(), name))
        });
        offers.fold(None, |best: Option<(f64, String)>, offer| match best {
            Some(best) if best.0 >= offer.0 => Some(best),
            _ => Some(offer),
        })
    }

    /// The nodes that could serve some part: they meet its conditions and are large enough when empty.
    pub(super) fn could_serve(&self) -> &[Bit] {
        self.could_serve_part(None)
    }

    /// The same of one part, or of all.
    pub(super) fn could_serve_part(&self, part: Option<usize>) -> &[Bit] {
        let find = || {
            let able: Vec<&NodeSet> =
                self.parts(part).into_iter().map(|spec| could_hold(self.plan(), spec.shape)).collect();
            let serves = |bit: &Bit| able.iter().any(|nodes| nodes.contains(*bit));
            self.units.bits().copied().filter(serves).collect()
        };
        self.serving.get(part.map_or(0, |part| part + 1)).map_or(&[], |found| found.get_or_init(find))
    }

    /// One part of the select, or all.
    pub(super) fn parts(&self, part: Option<usize>) -> Vec<&'a Spec> {
        let parts = self.request.specs.iter().enumerate();
        parts.filter(|(at, _)| part.is_none_or(|part| part == *at)).map(|(_, spec)| spec).collect()
    }

    /// How many units there are.
    pub(super) fn units(&self) -> usize {
        self.units.len()
    }

    /// The nodes that could hold a chunk of a part when they are empty.
    pub(super) fn could_hold_one(&self, spec: &Spec) -> Vec<Bit> {
        let able = could_hold(self.plan(), spec.shape);
        self.units.bits().copied().filter(|bit| able.contains(*bit)).collect()
    }
}

/// The nodes that a job cannot have since others are on them; when all are empty there are none.
pub(super) fn touched_by(state: &State, request: &JobRequest, list: &NodeSet, against: Against) -> NodeSet {
    match against {
        Against::Now => touched(state, request, list),
        Against::Total => NodeSet::new(list.capacity()),
    }
}

/// The nodes that a job requests exclusively and that another job is on, or whose host another job is on (rule 2.5).
pub(super) fn touched(state: &State, request: &JobRequest, list: &NodeSet) -> NodeSet {
    let plan = &state.plan;
    let sharedness = request.place.sharedness;
    let mut found = list.common(plan.exclusive_nodes(sharedness));
    found.intersect(&state.floor.occupied);
    if !plan.multi_vnode.found {
        return found;
    }
    let whole = |bit: &Bit| plan.node(*bit).sharing.is_exclhost(sharedness);
    let alone: Vec<Bit> = list.iter().filter(whole).collect();
    if !alone.is_empty() {
        let mut hosts = Column::filled(plan.hosts.len(), false);
        for bit in state.floor.occupied.iter() {
            hosts[plan.nodes[bit].host] = true;
        }
        for bit in alone.into_iter().filter(|bit| hosts[plan.nodes[*bit].host]) {
            found.insert(bit);
        }
    }
    found
}

/// What one chunk of a part takes of a consumable.
pub(super) fn need(plan: &Plan, spec: &Spec, ix: ConsIx) -> f64 {
    plan.needs[spec.shape].iter().find(|(have, _)| *have == ix).map_or(0.0, |(_, amount)| *amount)
}

//! How many chunks of a request the nodes hold, now or when they are empty, and which resource is the narrow
//! one.
//!
//! A unit is what one chunk has to fit on: a node, or a whole host where hosts have several vnodes, since
//! chunks may be broken over them.

mod pieces;
mod sums;
mod units;

use std::cell::OnceCell;

use qscope_engine::cluster::{Arrangement, Column, Id, NodeState, NodeStates, ResourceId};
use qscope_engine::placement::{could_hold, lacks_condition};
use qscope_engine::universe::{
    Against, Bit, ConsIx, JobRequest, NodeSet, Plan, Requirement, Spec, State, is_exclhost,
};

pub(super) use pieces::Packed;
pub(super) use sums::Sum;
use units::Units;

use super::words;

/// A request against a list of nodes.
pub(super) struct Room<'a> {
    state: &'a State,
    request: &'a JobRequest,
    against: Against,
    units: Units,
    touched: NodeSet,
    /// Nodes that could serve, once needed: for all parts, then for each part.
    serving: Vec<OnceCell<Vec<Bit>>>,
}

impl<'a> Room<'a> {
    /// The room on these nodes.
    pub(super) fn new(state: &'a State, request: &'a JobRequest, list: &NodeSet, against: Against) -> Self {
        let plan = &state.plan;
        let units = Units::new(plan, list);
        let touched = match against {
            Against::Now => touched(state, request, list),
            Against::Total => NodeSet::new(list.capacity()),
        };
        let serving = vec![OnceCell::new(); request.specs.len() + 1];
        Self { state, request, against, units, touched, serving }
    }

    fn plan(&self) -> &'a Plan {
        &self.state.plan
    }

    /// Whether chunks are to stand on different units.
    fn spread(&self) -> bool {
        matches!(self.request.place.arrangement, Arrangement::Scatter | Arrangement::Vscatter)
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

    /// How many chunks of a part one unit holds; one resource may be left out, whole nodes too.
    fn times(&self, spec: &Spec, unit: &[Bit], but: Option<ResourceId>, shared: bool) -> u64 {
        let plan = self.plan();
        let usable = |bit: &&Bit| {
            self.meets(spec, **bit, but) && self.is_open(**bit) && (shared || !self.is_touched(**bit))
        };
        // Most units are one node, and most nodes are usable: nothing is copied for them.
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
        let most = if self.spread() { 1 } else { u64::from(spec.count) };
        let fits = |(ix, need): &(ConsIx, f64)| {
            if *need <= 0.0 || but == Some(plan.consumables.resource(*ix)) {
                return most;
            }
            let offered: f64 = bits.iter().map(|bit| self.offer(*ix, *bit)).sum();
            // Whole chunks that fit; more than any request is cut off before it leaves the range.
            (offered / need).floor().clamp(0.0, most as f64) as u64
        };
        plan.needs[spec.shape].iter().map(fits).min().unwrap_or(most).min(most)
    }

    /// Whether one unit holds every chunk of every part.
    fn packs(&self, unit: &[Bit], but: Option<ResourceId>, shared: bool) -> bool {
        let plan = self.plan();
        let specs = &self.request.specs;
        let each = specs.iter().all(|spec| self.times(spec, unit, but, shared) >= u64::from(spec.count));
        each && plan.consumables.ids().filter(|ix| but != Some(plan.consumables.resource(*ix))).all(|ix| {
            let offered: f64 = unit.iter().map(|bit| self.offer(ix, *bit)).sum();
            let requested: f64 = specs.iter().map(|spec| f64::from(spec.count) * need(plan, spec, ix)).sum();
            requested <= offered
        })
    }

    /// How many chunks of a part all units hold together; for packed jobs, all or none.
    pub(super) fn chunks(&self, spec: &Spec, but: Option<ResourceId>, shared: bool) -> u64 {
        if self.request.place.arrangement == Arrangement::Pack && self.request.total_chunks() > 1 {
            let packed = self.units.iter().any(|unit| self.packs(unit, but, shared));
            return if packed { u64::from(spec.count) } else { 0 };
        }
        self.units.iter().map(|unit| self.times(spec, unit, but, shared)).sum()
    }

    /// Whether all units together hold every chunk of every part; the rest is not looked at once they are found.
    pub(super) fn holds_all(&self) -> bool {
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

    /// The most chunks of a part that one unit holds.
    pub(super) fn most_on_a_unit(&self, spec: &Spec) -> u64 {
        self.units.iter().map(|unit| self.times(spec, unit, None, false)).max().unwrap_or(0)
    }

    /// How many units hold every chunk of every part.
    pub(super) fn units_for_all(&self) -> u64 {
        self.units.iter().filter(|unit| self.packs(unit, None, false)).count() as u64
    }

    /// The nodes that meet the conditions of some part, and take jobs at all.
    pub(super) fn open_to_some_part(&self) -> NodeSet {
        let is_open = |bit: &Bit| {
            self.is_open(*bit) && self.request.specs.iter().any(|spec| self.meets(spec, *bit, None))
        };
        NodeSet::of(self.plan().nodes.len(), self.units.bits().copied().filter(is_open))
    }

    /// How many units hold at least one chunk of a part.
    pub(super) fn units_for(&self, spec: &Spec) -> u64 {
        self.units.iter().filter(|unit| self.times(spec, unit, None, false) > 0).count() as u64
    }

    /// The parts that all units together cannot hold, with how many chunks they do hold.
    pub(super) fn lacking(&self) -> Vec<(&'a Spec, u64)> {
        let specs = self.request.specs.iter().map(|spec| (spec, self.chunks(spec, None, false)));
        specs.filter(|(spec, room)| *room < u64::from(spec.count)).collect()
    }

    /// The resources without which a part would find its nodes, each by itself; the narrowest if none would do
    /// alone.
    pub(super) fn narrow(&self, spec: &Spec) -> Vec<ResourceId> {
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

/// The nodes that a job requests exclusively and that another job is on, or whose host another job is on (rule 2.5).
pub(super) fn touched(state: &State, request: &JobRequest, list: &NodeSet) -> NodeSet {
    let plan = &state.plan;
    let sharedness = request.place.sharedness;
    let mut found = list.common(plan.exclusive_nodes(sharedness));
    found.intersect(&state.floor.occupied);
    if !plan.multi_vnode.found {
        return found;
    }
    let whole = |bit: &Bit| is_exclhost(plan.snap.nodes[plan.nodes[*bit].id].sharing, sharedness);
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

/// What a part requests of a resource, as written.
pub(super) fn requested(plan: &Plan, spec: &Spec, resource: ResourceId) -> String {
    match plan.shapes[spec.shape].requirement(resource) {
        Some(Requirement::Amount(amount)) => amount.show(plan.snap.catalogue.kind(resource)),
        Some(Requirement::Bool(true)) => "True".to_owned(),
        Some(Requirement::Bool(false)) => "False".to_owned(),
        Some(Requirement::Text(text)) => text.to_string(),
        None => "0".to_owned(),
    }
}

/// What to call it.
pub(super) fn out_words(state: &State, gone: &[Bit]) -> &'static str {
    let all = |is: &dyn Fn(NodeStates) -> bool| gone.iter().all(|bit| is(state.floor.states[*bit]));
    if all(&NodeStates::is_gone) {
        "down or offline"
    } else if all(&|states| states.has(NodeState::Busy)) {
        "busy by their load"
    } else {
        "out of service"
    }
}

/// The names of nodes.
pub(super) fn names(plan: &Plan, bits: &[Bit]) -> Vec<String> {
    known(plan, bits).map(|bit| plan.node_name(bit).to_string()).collect()
}

/// For each name wanted a list of nodes has so many columns.
const NAME_COLUMNS: usize = 9;

/// The names of nodes, folded, `n[1-3,7]`, in the columns of so many names; and how many there are besides.
pub(super) fn some_names(plan: &Plan, bits: &[Bit], most: usize) -> String {
    words::folded_within(known(plan, bits).map(|bit| &**plan.node_name(bit)), most * NAME_COLUMNS)
}

fn known<'b>(plan: &Plan, bits: &'b [Bit]) -> impl Iterator<Item = Bit> + use<'b> {
    let nodes = plan.nodes.len();
    bits.iter().copied().filter(move |bit| bit.ix() < nodes)
}

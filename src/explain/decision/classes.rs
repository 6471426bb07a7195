//! Contents of the node path: nodes with the same result for a chunk spec of the select, and each single node.

use rustc_hash::FxHashMap;

use crate::{attempts, words};
use qscope_engine::cluster::Name;
use qscope_engine::placement::{NodeFilter, ProbeEvent, TimeCheck, nodes_for, why_not};
use qscope_engine::universe::{Bit, ChunkFit, JobRequest, NodeSet, Reason, ShapeId, ShortageDetail, State};

use super::searches::{holds, search_at};
use super::{DecisionLevel, DecisionPoint, DecisionRow, DecisionTraceRef};

/// The result of a node for a chunk spec.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeClass {
    /// Taken for this chunk spec.
    Taken,
    /// Taken for another chunk spec.
    TakenByOtherSpec,
    /// Suitable, but not reached.
    Suitable,
    /// Examined, but something is planned on it.
    Planned,
    /// Lacks something now; holds the resource.
    Shortage(String),
    /// Cannot hold the chunk even when empty; holds the resource.
    NeverFits(String),
    /// In use, while the job requests whole nodes.
    InUse,
    /// Not free; holds its state.
    NotFree(String),
}

impl NodeClass {
    fn label(&self) -> String {
        match self {
            Self::Taken => "taken".to_owned(),
            Self::TakenByOtherSpec => "taken for other parts".to_owned(),
            Self::Suitable => "would do".to_owned(),
            Self::Planned => "planned for others".to_owned(),
            Self::Shortage(what) => format!("lacks {what} now"),
            Self::NeverFits(what) => format!("no fit: {what}"),
            Self::InUse => "in use".to_owned(),
            Self::NotFree(state) => state.clone(),
        }
    }

    fn text(&self) -> &'static str {
        match self {
            Self::Taken => "taken for this part of the request",
            Self::TakenByOtherSpec => "used up by other parts of the same job",
            Self::Suitable => "they stand behind the last node examined, or the job's own chunks fill them",
            Self::Planned => "a reservation or top job starts there before the job would end",
            Self::Shortage(_) => "examined, and too little is left",
            Self::NeverFits(_) => "left out by their resources: not even when empty",
            Self::InUse => "left out before: the job requests whole nodes",
            Self::NotFree(_) => "left out before: not free",
        }
    }
}

/// Data for classifying nodes for one chunk spec.
struct NodeClassifier<'a> {
    trace: DecisionTraceRef<'a>,
    request: &'a JobRequest,
    shape: ShapeId,
    listed: NodeSet,
    usable: NodeSet,
    time: TimeCheck,
    taken: FxHashMap<Bit, usize>,
    /// Whether the job was placed by this search.
    holds: bool,
    part: usize,
}

impl<'a> NodeClassifier<'a> {
    fn new(scene: DecisionTraceRef<'a>, attempt: usize, part: usize) -> Option<Self> {
        let (state, occupant) = (scene.state, scene.occupant());
        let request = scene.request()?;
        let tried = attempts(scene.events);
        let search = search_at(&tried, attempt)?;
        let all = nodes_for(state, occupant);
        let listed = match search.set {
            Some(name) => {
                let mut within = members(state, name);
                within.intersect(&all);
                within
            }
            None => all.clone(),
        };
        let mut taken = FxHashMap::default();
        for event in &search.events {
            if let ProbeEvent::ChunkPlaced { spec, node, .. } = event {
                taken.entry(*node).or_insert(*spec);
            }
        }
        Some(Self {
            trace: scene,
            request,
            shape: request.specs.get(part)?.shape,
            usable: NodeFilter::new(state, &all, occupant, request.place.sharedness).nodes,
            listed,
            time: TimeCheck::new(state, occupant, request),
            taken,
            holds: holds(scene, search),
            part,
        })
    }

    fn class(&self, bit: Bit) -> NodeClass {
        let (state, plan) = (self.trace.state, &self.trace.run.plan);
        match self.taken.get(&bit) {
            Some(part) if *part == self.part => return NodeClass::Taken,
            Some(_) => return NodeClass::TakenByOtherSpec,
            None => {}
        }
        if !state.occupancy.open_nodes.contains(bit) {
            return NodeClass::NotFree(state.state_word(bit).to_owned());
        }
        if !self.usable.contains(bit) {
            return NodeClass::InUse;
        }
        if let ChunkFit::Refused(reason) = plan.fit(self.shape, plan.nodes[bit].sig) {
            return NodeClass::NeverFits(self.resource(reason));
        }
        if let Some(reason) = why_not(state, self.shape, bit) {
            let what = self.resource(&reason);
            // A text or boolean with another value, such as another host, is not a shortage.
            return if is_amount(&reason) { NodeClass::Shortage(what) } else { NodeClass::NeverFits(what) };
        }
        let exclusive = plan.exclusive_nodes(self.request.place.sharedness).contains(bit);
        let left = |ix| state.occupancy.left(plan, ix, bit);
        if !self.time.allows(bit, exclusive, &plan.needs[self.shape], &left) {
            return NodeClass::Planned;
        }
        NodeClass::Suitable
    }

    fn resource(&self, reason: &Reason) -> String {
        let catalogue = &self.trace.run.plan.snap.catalogue;
        match reason {
            Reason::Resource(shortage) => catalogue.name(shortage.resource).to_string(),
            other => words::bare(&other.text(catalogue)).to_owned(),
        }
    }

    /// Returns the numbers compared on one node.
    fn compared_numbers(&self, bit: Bit, class: &NodeClass) -> String {
        let plan = &self.trace.run.plan;
        let chunks = self.trace.placed().into_iter().flat_map(|placed| &placed.allocation.pieces);
        match class {
            NodeClass::Taken | NodeClass::TakenByOtherSpec => {
                let here = chunks.filter(|piece| piece.bit == bit);
                let count: u64 = here.map(|piece| u64::from(piece.times)).sum();
                if count > 0 { words::count(count, "chunk") } else { "fits, and given back".to_owned() }
            }
            NodeClass::Shortage(_) | NodeClass::NeverFits(_) => why_not(self.trace.state, self.shape, bit)
                .map_or_else(String::new, |reason| {
                    words::bare(&reason.text(&plan.snap.catalogue)).to_owned()
                }),
            _ => self.trace.state.occupancy.states[bit].to_string(),
        }
    }
}

/// Whether the reason is that too little of something is left.
fn is_amount(reason: &Reason) -> bool {
    matches!(reason, Reason::Resource(shortage) if matches!(shortage.detail, ShortageDetail::Amounts { .. }))
}

/// Returns the nodes of the set with this name.
fn members(state: &State, name: &Name) -> NodeSet {
    let groups = state.group_pools.values().flat_map(|pool| &pool.sets);
    let set = state.sets.iter().chain(groups).find(|set| set.shape.name == *name);
    NodeSet::of(state.plan.nodes.len(), set.iter().flat_map(|set| set.shape.members.iter().copied()))
}

/// Returns the classes for a chunk spec, best first: the number of nodes in each, and what they have in common.
pub(super) fn classes(scene: DecisionTraceRef<'_>, attempt: usize, part: usize) -> DecisionLevel {
    let Some(sorter) = NodeClassifier::new(scene, attempt, part) else { return DecisionLevel::default() };
    let mut found: FxHashMap<NodeClass, (usize, Bit)> = FxHashMap::default();
    for bit in sorter.listed.iter() {
        found.entry(sorter.class(bit)).or_insert((0, bit)).0 += 1;
    }
    let mut found: Vec<(NodeClass, (usize, Bit))> = found.into_iter().collect();
    found.sort();
    let frame = |(class, (count, first)): (NodeClass, (usize, Bit))| {
        let passed = match class {
            NodeClass::Taken => Some(true),
            NodeClass::Shortage(_) | NodeClass::NeverFits(_) | NodeClass::Planned => Some(false),
            _ => None,
        };
        let (label, text) = match class {
            // A search that found too few nodes takes none.
            NodeClass::Taken if !sorter.holds => {
                ("fits".to_owned(), "chunks fit here, but not the whole request")
            }
            _ => (class.label(), class.text()),
        };
        let text = format!("{text} · first {}", scene.run.plan.node_name(first));
        DecisionRow::new(DecisionPoint::Class { attempt, part, class }, passed, label, text)
            .with(vec![count.to_string()])
    };
    DecisionLevel { headings: &["nodes"], frames: found.into_iter().map(frame).collect() }
}

/// Returns the nodes of a class, in the scheduler's order, with the numbers compared on each.
pub(super) fn nodes(
    trace: DecisionTraceRef<'_>,
    attempt: usize,
    part: usize,
    class: &NodeClass,
) -> DecisionLevel {
    let Some(sorter) = NodeClassifier::new(trace, attempt, part) else { return DecisionLevel::default() };
    let passed = (*class == NodeClass::Taken).then_some(true);
    let frame = |bit: Bit| {
        let what = DecisionPoint::Node { bit, of: (attempt, part) };
        DecisionRow::new(what, passed, &**trace.run.plan.node_name(bit), sorter.compared_numbers(bit, class))
    };
    DecisionLevel::plain(sorter.listed.iter().filter(|bit| sorter.class(*bit) == *class).map(frame).collect())
}

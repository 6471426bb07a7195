//! The nodes for the map, grouped as in all maps, before the step of the selected job.

mod lines;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::theme::{Role, Theme};
use crate::views::nodes::groups::{self, NodeGrouping};
use crate::views::nodes::sign_of;
use crate::widgets::bitmap::Map;
use crate::widgets::ramp::{RampCell, glyph_and_role};
use qscope_engine::cluster::{Column, NodeState, NodeStates};
use qscope_engine::cycle::Outcome;
use qscope_engine::placement::ProbeEvent;
use qscope_engine::universe::{Availability, Bit, BucketIx, NodeUse, PlacementSet, Slot, State};

use lines::{by_bucket, by_groups, by_set};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MapLine {
    /// The name of the bucket, set or group.
    pub label: String,
    /// The name as values in columns.
    pub values: String,
    /// Free and total nodes.
    pub note: String,
    /// The name of its first node, which distinguishes labels that are cut alike; empty if labels are plain names.
    pub first: String,
    /// Its nodes and their roles.
    pub nodes: Vec<(Bit, Role)>,
}

/// What a decision did to nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NodeMarks {
    taken: FxHashSet<Bit>,
    rejected: FxHashSet<Bit>,
    /// The index of the chunk of the select that owns a node, if chunks are numbered.
    owners: FxHashMap<Bit, usize>,
}

impl NodeMarks {
    /// The nodes a job was given, and those refused because of a later start or examined last.
    pub(crate) fn of(outcome: &Outcome, events: &[ProbeEvent]) -> Self {
        let taken = outcome.placed.iter().flat_map(|placed| placed.allocation.nodes()).collect();
        let mut rejected = FxHashSet::default();
        for event in events {
            match event {
                ProbeEvent::Taken { skipped, .. } => rejected.extend(skipped.iter().map(|(bit, ..)| *bit)),
                ProbeEvent::ChunkFailed { last: Some((bit, _)), .. } => {
                    rejected.insert(*bit);
                }
                _ => {}
            }
        }
        Self { taken, rejected, owners: FxHashMap::default() }
    }

    /// Marks nodes with the chunk of the select that owns them, and refused nodes.
    pub(crate) fn owned(owned: Vec<(Bit, usize)>, rejected: Vec<Bit>) -> Self {
        let taken = owned.iter().map(|(bit, _)| *bit).collect();
        Self { taken, rejected: rejected.into_iter().collect(), owners: owned.into_iter().collect() }
    }

    /// Returns the role of each node the decision touched, for `nodes` nodes.
    fn by_node(&self, nodes: usize) -> Column<Bit, Option<Role>> {
        let mut roles = Column::filled(nodes, None);
        self.rejected.iter().for_each(|bit| roles[*bit] = Some(Role::NodeRejected));
        self.taken.iter().for_each(|bit| roles[*bit] = Some(Role::NodeTaken));
        roles
    }
}

/// The whole map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NodeMap {
    /// Its lines in order.
    pub lines: Vec<MapLine>,
    /// The heads of the columns of values; empty if there are none.
    headings: String,
    owners: FxHashMap<Bit, usize>,
    /// The free share of each partly used node, as the view Nodes draws it.
    shares: FxHashMap<Bit, RampCell>,
}

impl NodeMap {
    pub(crate) fn new(state: &State, grouping: NodeGrouping, marks: &NodeMarks) -> Self {
        let marked = marks.by_node(state.plan.nodes.len());
        let (lines, headings) = match grouping {
            NodeGrouping::Bucket => by_bucket(state, &marked),
            NodeGrouping::Set => (by_set(state, &marked), String::new()),
            NodeGrouping::Name | NodeGrouping::Host | NodeGrouping::Resource(_) => {
                (by_groups(groups::of(state, grouping), state, &marked), String::new())
            }
        };
        let nodes = lines.iter().flat_map(|line| &line.nodes);
        let in_part = nodes.filter(|(_, role)| *role == Role::NodeMixed);
        let shares = in_part.map(|(bit, _)| (*bit, sign_of(state, &[*bit]))).collect();
        Self { lines, headings, owners: marks.owners.clone(), shares }
    }

    /// Whether taken nodes show the number of the chunk that owns them.
    pub(crate) fn shows_owners(&self) -> bool {
        !self.owners.is_empty()
    }

    /// The node at a place.
    pub(crate) fn node(&self, line: usize, node: usize) -> Option<Bit> {
        self.lines.get(line)?.nodes.get(node).map(|(bit, _)| *bit)
    }

    /// The role of the node at a place.
    pub(crate) fn role(&self, line: usize, node: usize) -> Option<Role> {
        self.lines.get(line)?.nodes.get(node).map(|(_, role)| *role)
    }

    /// Returns the line and index of a node, in line `near` if it is there.
    pub(crate) fn find(&self, bit: Bit, near: usize) -> Option<(usize, usize)> {
        let within = |line: usize| {
            let nodes = &self.lines.get(line)?.nodes;
            nodes.iter().position(|(known, _)| *known == bit).map(|node| (line, node))
        };
        within(near).or_else(|| (0..self.lines.len()).find_map(within))
    }
}

/// Returns the role of every node according to its bucket.
pub(crate) fn roles(state: &State) -> Column<Bit, Role> {
    let mut roles: Column<Bit, Role> = Column::filled(state.plan.nodes.len(), Role::Node);
    for bucket in &state.buckets {
        for (bit, availability) in bucket.placed() {
            roles[bit] = role(state, bit, availability);
        }
    }
    roles
}

/// The role of a node by the set's own bitmaps, which may lag behind the complex (quirk B1).
pub(crate) fn set_role(state: &State, set: &PlacementSet, slot: Slot, bit: Bit) -> Role {
    let buckets = set.buckets(&state.plan);
    let bucket = set.bucket_of(&state.plan, slot);
    let availability =
        bucket.and_then(|at| buckets.get(usize::from(at))).map(|bucket| bucket.availability(slot));
    match availability {
        Some(availability) => role(state, bit, availability),
        None => Role::NodeDown,
    }
}

/// The role of a node in a bitmap. Buckets count a node with any job as busy, although others may use the rest of it.
fn role(state: &State, bit: Bit, availability: Availability) -> Role {
    match availability {
        Availability::Free => Role::NodeFree,
        Availability::Later => Role::NodeLater,
        Availability::Busy | Availability::Out if is_out_of_service(state.occupancy.states[bit]) => {
            Role::NodeDown
        }
        Availability::Busy
            if state.occupancy.open_nodes.contains(bit) && state.node_use(bit) == NodeUse::Part =>
        {
            Role::NodeMixed
        }
        Availability::Busy => Role::NodeBusy,
        Availability::Out => Role::Node,
    }
}

/// Whether its state, not its load, keeps a node from work.
fn is_out_of_service(states: NodeStates) -> bool {
    use NodeState as S;
    let out = [
        S::Unknown,
        S::Down,
        S::Stale,
        S::Offline,
        S::Initializing,
        S::Provisioning,
        S::Maintenance,
        S::Sleep,
    ];
    out.into_iter().any(|state| states.has(state))
}

impl Map for NodeMap {
    fn lines(&self) -> usize {
        self.lines.len()
    }

    fn nodes(&self, line: usize) -> usize {
        self.lines.get(line).map_or(0, |line| line.nodes.len())
    }

    fn label(&self, line: usize) -> Cow<'_, str> {
        self.lines.get(line).map_or("".into(), |line| (&*line.label).into())
    }

    fn headings(&self) -> &str {
        &self.headings
    }

    fn values(&self, line: usize) -> Cow<'_, str> {
        self.lines.get(line).map_or("".into(), |line| (&*line.values).into())
    }

    fn begins_with(&self, line: usize) -> Cow<'_, str> {
        self.lines.get(line).map_or("".into(), |line| (&*line.first).into())
    }

    fn note(&self, line: usize) -> Cow<'_, str> {
        self.lines.get(line).map_or("".into(), |line| (&*line.note).into())
    }

    fn note_words(&self) -> &'static str {
        if self.shows_owners() { "n/m: free of all  1-9: for that chunk" } else { "n/m: free of all" }
    }

    fn state(&self, line: usize, node: usize) -> Role {
        self.role(line, node).unwrap_or(Role::Node)
    }

    fn sign(&self, line: usize, node: usize, theme: &Theme) -> Option<&'static str> {
        const NUMBERS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let bit = self.node(line, node)?;
        if !self.shows_owners() {
            let is_in_part = self.role(line, node) == Some(Role::NodeMixed);
            return self.shares.get(&bit).filter(|_| is_in_part).map(|share| glyph_and_role(*share, theme).0);
        }
        let part = *self.owners.get(&bit)?;
        Some(NUMBERS.get(part).copied().unwrap_or("+"))
    }

    fn shows_shares(&self) -> bool {
        !self.shows_owners()
    }
}

pub(crate) fn bucket_of(state: &State, bit: Bit) -> Option<BucketIx> {
    state.buckets.enumerate().find(|(_, bucket)| bucket.members.contains(bit)).map(|(ix, _)| ix)
}

//! What is known of a node other than what batch systems count: the site's settings first, then the dump's.

use super::{Component, MauiOptions, NodeConfig};
use qscope_engine::cluster::{
    Catalogue, Column, Name, Node, NodeId, ResourceId, Snapshot, Value, split_number,
};

/// The node properties that are the same in every state of a cluster.
#[derive(Clone, PartialEq, Debug)]
pub struct SiteTraits {
    pub by_node: Column<NodeId, NodeTraits>,
    /// The source of positions.
    pub positions: PositionSource,
    /// The resource that is local disk, if there is one.
    pub disk: Option<ResourceId>,
    /// The resource that is virtual memory, if there is one.
    pub swap: Option<ResourceId>,
    /// For each component, the number of nodes that have no value of it.
    lacking: Vec<usize>,
}

impl SiteTraits {
    /// Collects the traits of a cluster.
    pub fn of(snap: &Snapshot, options: &MauiOptions) -> Self {
        let traits: Column<NodeId, NodeTraits> =
            snap.nodes.iter().map(|node| NodeTraits::of(node, options)).collect();
        let mut known = Self {
            positions: positions(snap, traits.iter().any(|traits| traits.slot.is_some())),
            by_node: traits,
            disk: snap.catalogue.id(options.disk.as_deref().unwrap_or("scratch")),
            swap: snap.catalogue.id("vmem"),
            lacking: Vec::new(),
        };
        known.lacking =
            Component::ALL.iter().map(|component| known.count_lacking(snap, *component)).collect();
        known
    }

    /// Returns the number of nodes that have no value of a component (rule 2.6).
    pub fn lacking(&self, component: Component) -> usize {
        self.lacking.get(component as usize).copied().unwrap_or(0)
    }

    fn count_lacking(&self, snap: &Snapshot, component: Component) -> usize {
        let without = |resource: Option<ResourceId>| {
            let has_resource = |node: &&Node| resource.is_some_and(|id| node.available.amount(id).is_some());
            snap.nodes.len() - snap.nodes.iter().filter(has_resource).count()
        };
        match component {
            Component::Amem | Component::Cmem => without(Some(ResourceId::mem())),
            Component::Adisk | Component::Cdisk => without(self.disk),
            Component::Aswap | Component::Cswap => without(self.swap),
            Component::Load => self.by_node.iter().filter(|traits| traits.load.is_none()).count(),
            Component::Usage => self.by_node.iter().filter(|traits| traits.usage.is_none()).count(),
            _ => 0,
        }
    }
}

/// The traits of one node; an unknown one is none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeTraits {
    /// Load average.
    pub load: Option<f64>,
    /// Share of up-time spent on batch jobs, in percent.
    pub usage: Option<f64>,
    /// Relative speed.
    pub speed: Option<f64>,
    /// Processor speed in MHz.
    pub procspeed: Option<f64>,
    /// Position number.
    pub slot: Option<i64>,
    /// The administrator's constant.
    pub priority: f64,
    /// Features that the site names; [`NodeTraits::all_features`] adds those from resources.
    pub features: Vec<Name>,
    /// MAXJOB.
    pub max_job: Option<u32>,
    /// MAXJOBPERUSER.
    pub max_job_per_user: Option<u32>,
    /// MAXLOAD.
    pub max_load: Option<f64>,
}

impl NodeTraits {
    fn of(node: &Node, options: &MauiOptions) -> Self {
        let blank = NodeConfig::default();
        let own = options.node(&node.name).unwrap_or(&blank);
        let default = options.node("DEFAULT").unwrap_or(&blank);
        let dumped = node.priority.map(|priority| priority as f64);
        let mut features = node.extra.features.clone();
        features.extend(default.features.iter().chain(&own.features).cloned());
        Self {
            load: node.extra.load,
            usage: node.extra.usage,
            speed: own.speed.or(node.extra.speed).or(default.speed),
            procspeed: own.procspeed.or(node.extra.procspeed).or(default.procspeed),
            slot: own.slot.or(node.extra.slot),
            priority: own.priority.or(dumped).or(default.priority).unwrap_or(0.0),
            features,
            max_job: own.max_job.or(default.max_job),
            max_job_per_user: own.max_job_per_user.or(default.max_job_per_user),
            max_load: own.max_load.or(default.max_load),
        }
    }

    /// Returns all features of the node: those that the site names, and those from its resources.
    pub fn all_features(&self, node: &Node, catalogue: &Catalogue) -> Vec<Name> {
        let mut features = self.features.clone();
        features.extend(features_in_resources(node, catalogue));
        features
    }

    /// Returns the relative speed, 1.0 if unknown.
    pub fn relative_speed(&self) -> f64 {
        self.speed.unwrap_or(1.0)
    }
}

/// Returns a node's true booleans and its strings as features: `fast`, `switch=sw1`.
fn features_in_resources(node: &Node, catalogue: &Catalogue) -> Vec<Name> {
    let mut features: Vec<Name> = Vec::new();
    for (id, value) in node.available.iter() {
        let name = catalogue.name(id);
        match value {
            Value::Bool(true) => features.push(name.clone()),
            Value::Texts(texts) if !id.is_node_name() => {
                features.extend(texts.iter().map(|text| Name::from(format!("{name}={text}"))));
            }
            _ => {}
        }
    }
    features
}

/// The source of positions (rule 1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PositionSource {
    /// The slots that the site sets.
    Slot,
    /// The number at the end of the name.
    Name,
    /// The order of the dump.
    Dump,
}

/// Chooses slots if the site sets any; else the numbers at the end of names, if each is unique; else the
/// order of the dump.
fn positions(snap: &Snapshot, has_slots: bool) -> PositionSource {
    if has_slots {
        return PositionSource::Slot;
    }
    let names = snap.nodes.iter().map(|node| trailing_number(&node.name));
    let Some(mut numbers) = names.collect::<Option<Vec<i64>>>() else { return PositionSource::Dump };
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() == count { PositionSource::Name } else { PositionSource::Dump }
}

pub(super) fn trailing_number(name: &str) -> Option<i64> {
    split_number(name).1.parse().ok()
}

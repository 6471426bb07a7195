//! What is known of a node besides what batch systems count: the site's words first, then the dump's.

use super::options::{MauiOptions, NodeConfig};
use crate::cluster::{Catalogue, Column, Name, Node, NodeId, ResourceId, Snapshot, Value};

/// The traits of one node; what nobody says is none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Traits {
    /// Load average.
    pub load: Option<f64>,
    /// Share of up-time spent on batch jobs, in percent.
    pub usage: Option<f64>,
    /// Relative speed.
    pub speed: Option<f64>,
    /// Processor speed in MHz.
    pub procspeed: Option<f64>,
    /// Position.
    pub slot: Option<i64>,
    /// The administrator's constant.
    pub priority: f64,
    /// Features.
    pub features: Vec<Name>,
    /// MAXJOB.
    pub max_job: Option<u32>,
    /// MAXJOBPERUSER.
    pub max_job_per_user: Option<u32>,
    /// MAXLOAD.
    pub max_load: Option<f64>,
}

impl Traits {
    /// The traits of all nodes of a cluster.
    #[must_use]
    pub fn of_all(snap: &Snapshot, options: &MauiOptions) -> Column<NodeId, Self> {
        snap.nodes.iter().map(|node| Self::of(node, &snap.catalogue, options)).collect()
    }

    /// The traits of a node.
    fn of(node: &Node, catalogue: &Catalogue, options: &MauiOptions) -> Self {
        let blank = NodeConfig::default();
        let own = options.node(&node.name).unwrap_or(&blank);
        let default = options.node("DEFAULT").unwrap_or(&blank);
        let dumped = node.priority.map(|priority| priority as f64);
        let mut features = node.extra.features.clone();
        features.extend(default.features.iter().chain(&own.features).cloned());
        features.extend(said_by_resources(node, catalogue));
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

    /// Relative speed, 1.0 where nobody says.
    #[must_use]
    pub fn relative_speed(&self) -> f64 {
        self.speed.unwrap_or(1.0)
    }
}

/// Booleans that are true and texts of a node count as features: `fast`, `switch=sw1`.
fn said_by_resources(node: &Node, catalogue: &Catalogue) -> Vec<Name> {
    let mut features: Vec<Name> = Vec::new();
    for (id, value) in node.available.iter() {
        let name = catalogue.name(id);
        match value {
            Value::Bool(true) => features.push(name.clone()),
            Value::Texts(texts) if id != ResourceId::host() && id != ResourceId::vnode() => {
                features.extend(texts.iter().map(|text| Name::from(format!("{name}={text}"))));
            }
            _ => {}
        }
    }
    features
}

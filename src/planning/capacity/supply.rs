//! Node types of a cluster: its nodes grouped by the properties that matter to its jobs.

mod types;

use std::collections::BTreeMap;

use qscope_engine::cluster::{
    Amount, Name, Node, NodeId, ResourceId, ResourceType, Sharing, Snapshot, Value,
};

use super::offers::{VnodeOffer, VnodeOffers};
use super::{CapacityShape, NodeType};
pub use types::from_nodes;

/// The resources of the cluster that are the amounts of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dimensions {
    /// The scratch space that jobs request, if any do.
    pub disk: Option<ResourceId>,
    /// The accelerators, if nodes have any.
    pub gpus: Option<ResourceId>,
}

/// An amount that stands for unlimited: bytes or accelerators.
const WITHOUT_END: f64 = 9e15;
/// A number of cores that stands for unlimited.
const CORES_WITHOUT_END: f64 = 1e9;

/// Resources of type size that are not scratch space.
const NO_DISK: [&str; 6] = ["mem", "vmem", "hbmem", "accelerator_memory", "pmem", "pvmem"];

impl Dimensions {
    /// Finds the scratch space that nodes offer and jobs request, and the accelerators that nodes offer.
    pub fn of(snap: &Snapshot) -> Self {
        let offered = |id: ResourceId| snap.nodes.iter().any(|node| node.available.amount(id).is_some());
        let asked = |name: &Name| {
            let mut chunks =
                snap.jobs.iter().filter_map(|job| job.select.as_ref()).flat_map(|s| s.chunks.iter());
            chunks.any(|chunk| chunk.requests.iter().any(|request| request.resource == *name))
        };
        let disk = snap.catalogue.iter().find(|(id, def)| {
            def.kind == ResourceType::Size
                && !NO_DISK.contains(&&*def.name)
                && offered(*id)
                && asked(&def.name)
        });
        let gpu = |name: &str| name.contains("gpu") || name == "naccelerators";
        let gpus = (snap.catalogue.iter())
            .find(|(id, def)| def.kind == ResourceType::Long && gpu(&def.name) && offered(*id));
        Self { disk: disk.map(|(id, _)| id), gpus: gpus.map(|(id, _)| id) }
    }

    /// Returns whether a resource is one of the amounts of a shape.
    pub fn has(&self, id: ResourceId) -> bool {
        id == ResourceId::ncpus() || id == ResourceId::mem() || self.disk == Some(id) || self.gpus == Some(id)
    }

    /// Returns the shape with these amounts and no wall time.
    pub fn shape(&self, amount: impl Fn(ResourceId) -> Option<Amount>) -> CapacityShape {
        let amount_or_zero =
            |id: Option<ResourceId>| id.and_then(&amount).map_or(0.0, |amount| amount.0.max(0.0));
        let bytes = |id| (amount_or_zero(id) * 1024.0).min(WITHOUT_END) as i64;
        CapacityShape {
            memory: bytes(Some(ResourceId::mem())),
            cores: amount_or_zero(Some(ResourceId::ncpus())).min(CORES_WITHOUT_END),
            disk: bytes(self.disk),
            gpus: amount_or_zero(self.gpus).min(WITHOUT_END) as i64,
            ..CapacityShape::default()
        }
    }
}

/// The conditions of a job on a node, other than amounts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeConditions {
    pub queue: Name,
    /// The partition of that queue.
    pub partition: Option<Name>,
    /// Other resources with their requested values.
    pub resources: Vec<(ResourceId, Value)>,
}

impl NodeConditions {
    /// Returns whether a node meets the conditions. `queue_has_nodes` is whether nodes are bound to the
    /// queue.
    pub fn allow(&self, offers: &VnodeOffers<'_>, id: NodeId, queue_has_nodes: bool) -> bool {
        let node = &offers.snapshot().nodes[id];
        let queue = match &node.queue {
            Some(owner) => *owner == self.queue,
            None => !queue_has_nodes,
        };
        queue
            && node.partition == self.partition
            && self.resources.iter().all(|(resource, wanted)| satisfies(offers, id, *resource, wanted))
    }

    /// Whether the queue of the job has nodes of its own.
    pub fn queue_has_nodes(&self, snap: &Snapshot) -> bool {
        snap.nodes.iter().any(|node| node.queue.as_ref() == Some(&self.queue))
    }

    /// The conditions that a node does not meet.
    fn unmet(&self, offers: &VnodeOffers<'_>, id: NodeId, queue_has_nodes: bool) -> Vec<UnmetCondition> {
        let (snap, node) = (offers.snapshot(), &offers.snapshot().nodes[id]);
        let queue = || format!("queue {}", self.queue);
        let mut found = Vec::new();
        match &node.queue {
            Some(owner) if *owner != self.queue => {
                found.push(UnmetCondition { finding: format!("is for queue {owner}"), requirement: queue() });
            }
            None if queue_has_nodes => {
                found.push(UnmetCondition {
                    finding: format!("is not for {}", queue()),
                    requirement: queue(),
                });
            }
            _ => {}
        }
        if node.partition != self.partition {
            let wanted =
                self.partition.as_ref().map_or("no partition".to_owned(), |one| format!("partition {one}"));
            found.push(UnmetCondition { finding: "is of another partition".to_owned(), requirement: wanted });
        }
        let lacking =
            self.resources.iter().filter(|(resource, wanted)| !satisfies(offers, id, *resource, wanted));
        found.extend(lacking.map(|wanted| UnmetCondition::of_resource(wanted, snap)));
        found
    }

    /// The conditions that a type of the operator's own does not meet.
    fn unmet_by_type(
        &self,
        queue: Option<&Name>,
        has: &BTreeMap<Name, String>,
        snap: &Snapshot,
    ) -> Vec<UnmetCondition> {
        let mut found = Vec::new();
        if let Some(owner) = queue.filter(|queue| **queue != self.queue) {
            let wanted = format!("queue {}", self.queue);
            found.push(UnmetCondition { finding: format!("is for queue {owner}"), requirement: wanted });
        }
        let alone = |wanted: &&(ResourceId, Value)| {
            let resources = vec![(*wanted).clone()];
            !Self { resources, ..Self::default() }.allow_type(None, has, snap)
        };
        found.extend(
            self.resources.iter().filter(alone).map(|wanted| UnmetCondition::of_resource(wanted, snap)),
        );
        found
    }

    /// Returns whether hosts or vnodes are requested by name.
    fn name_nodes(&self) -> bool {
        self.resources.iter().any(|(id, _)| id.is_node_name())
    }

    /// Returns whether a type defined by the operator may serve the job: what it states must agree with the
    /// conditions.
    pub fn allow_type(&self, queue: Option<&Name>, has: &BTreeMap<Name, String>, snap: &Snapshot) -> bool {
        let kind_of = |id| snap.catalogue.kind(id);
        queue.is_none_or(|queue| *queue == self.queue)
            && self.resources.iter().all(|(id, wanted)| {
                let value = has.get(snap.catalogue.name(*id));
                value.is_none_or(|have| have.eq_ignore_ascii_case(&wanted.show(kind_of(*id))))
            })
    }
}

/// A condition of a job that a type does not meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnmetCondition {
    /// What is wrong with the type: `has no color=purple`.
    pub finding: String,
    /// What would have to be there: `color=purple`.
    pub requirement: String,
}

impl UnmetCondition {
    fn of_resource((id, wanted): &(ResourceId, Value), snap: &Snapshot) -> Self {
        let wanted = format!("{}={}", snap.catalogue.name(*id), wanted.show(snap.catalogue.kind(*id)));
        Self { finding: format!("has no {wanted}"), requirement: wanted }
    }
}

fn satisfies(offers: &VnodeOffers<'_>, node: NodeId, id: ResourceId, wanted: &Value) -> bool {
    let offer = offers.of(node, id);
    if id.is_node_name() {
        let own = wanted.texts().contains(&offers.snapshot().nodes[node].name);
        return own || matches!(offer, VnodeOffer::Value(have) if have_common_text(have, wanted));
    }
    match (offer, wanted) {
        (VnodeOffer::Unlimited, _) => true,
        (VnodeOffer::Value(Value::Amount(have)), Value::Amount(wanted)) => have >= wanted,
        (VnodeOffer::Unset, Value::Amount(wanted)) => wanted.0 <= 0.0,
        (VnodeOffer::Value(Value::Bool(have)), Value::Bool(wanted)) => have == wanted,
        (VnodeOffer::Unset, Value::Bool(wanted)) => !wanted,
        (VnodeOffer::Value(have), wanted) => have_common_text(have, wanted),
        (VnodeOffer::Unset, _) => false,
    }
}

fn have_common_text(have: &Value, wanted: &Value) -> bool {
    wanted.texts().iter().any(|text| have.texts().contains(text))
}

/// A node type and the nodes it stands for.
#[derive(Clone, Debug)]
pub struct TypeSupply {
    /// The type: at most as many nodes as exist, at least as many as are up.
    pub node_type: NodeType,
    /// The existing nodes in the order of the dump, each as the vnodes of its host; empty for types defined
    /// by the operator.
    pub hosts: Vec<Vec<NodeId>>,
    /// Number of these nodes that are up.
    pub nodes_up: u64,
    /// For a type defined by the operator: the queue that it is bound to.
    pub queue: Option<Name>,
    /// For a type defined by the operator: its resources and their values.
    pub own_resources: BTreeMap<Name, String>,
}

impl TypeSupply {
    /// Returns whether the type may serve jobs with these conditions.
    pub fn allows(
        &self,
        conditions: &NodeConditions,
        queue_has_nodes: bool,
        offers: &VnodeOffers<'_>,
    ) -> bool {
        // Nodes of one type differ only in their names.
        let different = if conditions.name_nodes() { self.hosts.len() } else { 1 };
        let allow = |id: &NodeId| conditions.allow(offers, *id, queue_has_nodes);
        match self.hosts.first() {
            Some(_) => self.hosts.iter().take(different).flatten().any(allow),
            None => conditions.allow_type(self.queue.as_ref(), &self.own_resources, offers.snapshot()),
        }
    }

    /// The conditions that the type does not meet; of a host with several vnodes those of the first.
    pub fn unmet(
        &self,
        conditions: &NodeConditions,
        queue_has_nodes: bool,
        offers: &VnodeOffers<'_>,
    ) -> Vec<UnmetCondition> {
        match self.hosts.first().and_then(|host| host.first()) {
            Some(node) => conditions.unmet(offers, *node, queue_has_nodes),
            None => conditions.unmet_by_type(self.queue.as_ref(), &self.own_resources, offers.snapshot()),
        }
    }
}

/// Returns whether a node accepts jobs, now or after its running jobs end.
pub fn is_up(node: &Node) -> bool {
    node.states.without_occupancy().is_free()
}

/// Returns whether a node can be taken away: declared in a hand-written file, or by a boolean resource of
/// that name.
pub fn is_preemptible(snap: &Snapshot, node: &Node) -> bool {
    node.extra.preemptible || is_switched_on(snap, PREEMPTIBLE, |id| node.available.get(id))
}

/// The boolean resource by which nodes and jobs declare that they are preemptible.
pub const PREEMPTIBLE: &str = "preemptible";

/// Returns whether a boolean resource of this name is set and true.
pub fn is_switched_on<'v>(
    snap: &Snapshot,
    name: &str,
    value: impl Fn(ResourceId) -> Option<&'v Value>,
) -> bool {
    snap.catalogue.id(name).and_then(value).is_some_and(|value| matches!(value, Value::Bool(true)))
}

/// Returns whether a node is given to one job at a time by default.
pub fn is_exclusive(node: &Node) -> bool {
    !matches!(node.sharing, Sharing::DefaultShared | Sharing::IgnoreExcl)
}

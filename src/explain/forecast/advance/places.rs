//! The vnodes of a snapshot by name, indexed once for all moments of a forecast.

use qscope_engine::cluster::{ExecVnode, Name, NodeId, ResourceId, Snapshot, Value};
use rustc_hash::FxHashMap;

/// Vnodes by name and by host.
pub(super) struct Places {
    pub(super) nodes: FxHashMap<Name, NodeId>,
    pub(super) hosts: FxHashMap<Name, Vec<NodeId>>,
}

impl Places {
    pub(super) fn new(snap: &Snapshot) -> Self {
        let nodes = snap.nodes.enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
        let mut hosts: FxHashMap<Name, Vec<NodeId>> = FxHashMap::default();
        for (id, node) in snap.nodes.enumerate() {
            for host in node.available.get(ResourceId::host()).map(Value::texts).unwrap_or_default() {
                hosts.entry(host.clone()).or_default().push(id);
            }
        }
        Self { nodes, hosts }
    }

    pub(super) fn nodes_of(&self, on: &ExecVnode) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> =
            on.parts().filter_map(|part| self.nodes.get(&*part.vnode).copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Returns all vnodes of a vnode's host.
    pub(super) fn beside(&self, snap: &Snapshot, id: NodeId) -> Vec<NodeId> {
        let hosts = snap.nodes[id].available.get(ResourceId::host()).map(Value::texts).unwrap_or_default();
        let named = hosts.first().and_then(|host| self.hosts.get(host));
        named.cloned().unwrap_or_else(|| vec![id])
    }
}

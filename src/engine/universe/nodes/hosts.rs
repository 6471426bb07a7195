//! Hosts: their names, and whether some have several vnodes (rule 1.1).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cluster::{Column, Name, Node, NodeState, Snapshot};

crate::id!(
    /// Index of a host, in the order of first appearance.
    HostIx
);

/// Whether some host of the complex has several vnodes (rule 3.1 test 9).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MultiVnode {
    /// Whether such a host exists.
    pub exists: bool,
    /// Whether that was inferred because the dump hides the attribute.
    pub inferred: bool,
    /// Whether every vnode is on a host of its own name.
    pub(in crate::universe) own_hosts: bool,
}

/// Determines whether a host has several vnodes: from the attribute, or else from equal host names (rule 1.1).
pub(in crate::universe) fn multi_vnode(snap: &Snapshot) -> MultiVnode {
    // Vnode names are distinct, so hosts named as their vnodes are distinct too.
    let own_hosts = snap.nodes.iter().all(|node| node.host().is_none_or(|host| *host == node.name));
    if snap.nodes.iter().any(|node| node.in_multivnode_host == Some(true)) {
        return MultiVnode { exists: true, inferred: false, own_hosts };
    }
    if own_hosts {
        return MultiVnode { exists: false, inferred: true, own_hosts };
    }
    let mut seen: FxHashSet<&Name> = FxHashSet::default();
    let current = snap.nodes.iter().filter(|node| !node.states.has(NodeState::Stale));
    let exists = current.filter_map(Node::host).any(|host| !seen.insert(host));
    MultiVnode { exists, inferred: true, own_hosts }
}

/// Hosts by name, in order of first appearance.
#[derive(Default)]
pub(in crate::universe) struct HostTable {
    names: Column<HostIx, Name>,
    known: FxHashMap<Name, HostIx>,
}

impl HostTable {
    /// Returns the host of a name, adding it if it is new.
    pub(in crate::universe) fn of(&mut self, name: &Name) -> HostIx {
        if let Some(host) = self.known.get(name) {
            return *host;
        }
        let host = self.names.push(name.clone());
        self.known.insert(name.clone(), host);
        host
    }

    /// Returns all names.
    pub(in crate::universe) fn into_names(self) -> Column<HostIx, Name> {
        self.names
    }
}

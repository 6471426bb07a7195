//! Resources and vnodes that a placement takes.

use qscope_engine::cluster::{
    Amount, Catalogue, ExecVnode, NodeId, PlaceSharing, ResourceId, Snapshot, Value,
};

use super::{ServerOccupancy, host_of};
use crate::track::HeldNodes;

impl ServerOccupancy {
    /// Returns what a job with this placement would hold.
    pub(crate) fn holdings(
        &self,
        snap: &Snapshot,
        placement: &ExecVnode,
        sharedness: PlaceSharing,
    ) -> HeldNodes {
        let taken = self.taken_amounts(snap, placement);
        let mut held = HeldNodes::default();
        for part in placement.parts() {
            let Some(id) = self.by_name.get(&part.vnode).copied() else { continue };
            if held.nodes.contains(&id) {
                continue;
            }
            held.nodes.push(id);
            let Some(node) = snap.nodes.checked(id) else { continue };
            if node.sharing.is_exclhost(sharedness) {
                let host = self.by_host.get(&host_of(node));
                held.exclusive_nodes.extend(host.into_iter().flatten());
            } else if node.sharing.is_exclusive(sharedness) {
                held.exclusive_nodes.push(id);
            }
        }
        held.exclusive_nodes.sort_unstable();
        held.exclusive_nodes.dedup();
        held.cores = cores_of(snap, placement);
        held.amounts = taken;
        held
    }

    /// Returns the amounts that a placement takes on each vnode, as far as they are accounted there: consumables with
    /// flag `n`, and those with flag `f` on the first vnode of a chunk.
    pub(super) fn taken_amounts(
        &self,
        snap: &Snapshot,
        placement: &ExecVnode,
    ) -> Vec<(NodeId, ResourceId, f64)> {
        let mut taken: Vec<(NodeId, ResourceId, f64)> = Vec::new();
        for chunk in placement.chunks.iter() {
            for (nth, part) in chunk.iter().enumerate() {
                let Some(id) = self.by_name.get(&part.vnode).copied() else { continue };
                for (name, text) in &part.resources {
                    let Some((resource, amount)) = counted(&snap.catalogue, name, text, nth == 0) else {
                        continue;
                    };
                    taken.push((self.keeper(snap, id, resource), resource, amount));
                }
            }
        }
        taken.sort_by_key(|(node, resource, _)| (*node, *resource));
        taken.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            if same {
                first.2 += next.2;
            }
            same
        });
        taken
    }

    /// Returns the vnode that keeps a resource of another.
    fn keeper(&self, snap: &Snapshot, id: NodeId, resource: ResourceId) -> NodeId {
        let indirect = snap.nodes.checked(id).and_then(|node| node.available.get(resource));
        match indirect {
            Some(Value::Indirect(target)) => self.by_name.get(target).copied().unwrap_or(id),
            _ => id,
        }
    }
}

/// Parses a resource of a placement; `None` if it is not accounted on vnodes.
fn counted(catalogue: &Catalogue, name: &str, text: &str, is_first: bool) -> Option<(ResourceId, f64)> {
    let resource = catalogue.id(name)?;
    let def = catalogue.def(resource);
    let counts = def.flags.every_node || (def.flags.first_node && is_first);
    (counts && def.kind.is_consumable()).then_some(())?;
    Some((resource, Amount::parse(def.kind, text).ok()?.0))
}

/// Returns the total cores of a placement.
fn cores_of(snap: &Snapshot, placement: &ExecVnode) -> f64 {
    let kind = snap.catalogue.kind(ResourceId::ncpus());
    let name = snap.catalogue.name(ResourceId::ncpus());
    let cores = placement.parts().flat_map(|part| &part.resources).filter(|(have, _)| have == name);
    cores.filter_map(|(_, text)| Amount::parse(kind, text).ok()).map(|amount| amount.0).sum()
}

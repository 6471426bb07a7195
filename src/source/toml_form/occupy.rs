//! What a running job or reservation does to its nodes: their job lists, `resources_assigned` and state
//! bits, as the server would set them (rules 1.3, 2.5, 3.4).

use super::node::Index;
use super::values;
use qscope_engine::cluster::{
    Amount, Catalogue, ExecVnode, ExecVnodePart, Name, Node, NodeId, NodeState, Place, ResourceId,
    Sharedness, Sharing, Snapshot, Value,
};

/// Who sits on the nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tenant {
    /// A running job.
    Job,
    /// A running job inside a reservation, whose amounts the reservation has taken already.
    JobInReservation,
    /// A running reservation.
    Reservation,
}

/// Names of `on` that are no nodes.
pub(super) fn unknown_nodes<'a>(on: &'a ExecVnode, index: &Index) -> Vec<&'a Name> {
    on.parts().map(|part| &part.vnode).filter(|name| index.get(name).is_none()).collect()
}

/// Puts a tenant on its nodes; returns what does not fit.
pub(super) fn occupy(
    snap: &mut Snapshot,
    index: &Index,
    name: &Name,
    on: &ExecVnode,
    place: &Place,
    tenant: Tenant,
) -> Vec<String> {
    let mut remarks = Vec::new();
    for chunk in on.chunks.iter() {
        for (nth, part) in chunk.iter().enumerate() {
            let Some(id) = index.get(&part.vnode) else { continue };
            if tenant != Tenant::JobInReservation {
                remarks.extend(assign(snap, index, id, part, nth == 0));
            }
            if tenant != Tenant::Reservation && !snap.nodes[id].jobs.contains(name) {
                snap.nodes[id].jobs.push(name.clone());
            }
            take_whole(snap, id, place, tenant);
        }
    }
    remarks
}

/// Adds what a part takes to `resources_assigned` of its node, or of the node that owns the resource.
fn assign(
    snap: &mut Snapshot,
    index: &Index,
    node: NodeId,
    part: &ExecVnodePart,
    first: bool,
) -> Option<String> {
    let mut remark = None;
    for (name, value) in &part.resources {
        let id = values::resource(&mut snap.catalogue, name, value);
        let def = snap.catalogue.def(id);
        let Ok(amount) = Amount::parse(def.kind, value) else {
            remark = Some(format!("`{name}={value}` on {} is not an amount", part.vnode));
            continue;
        };
        if !def.kind.is_consumable() || !(def.flags.every_node || (def.flags.first_node && first)) {
            continue;
        }
        let owner = match snap.nodes[node].available.get(id) {
            Some(Value::Indirect(target)) => index.get(target).unwrap_or(node),
            _ => node,
        };
        values::add(&mut snap.nodes[owner].assigned, id, amount);
        remark = overfull(&snap.nodes[owner], id, &snap.catalogue).or(remark);
    }
    remark
}

/// The message when more is assigned than there is.
fn overfull(node: &Node, id: ResourceId, catalogue: &Catalogue) -> Option<String> {
    let (taken, there) = (node.assigned.amount(id)?, node.available.amount(id).unwrap_or_default());
    let kind = catalogue.kind(id);
    (taken > there).then(|| {
        let (taken, there) = (taken.show(kind), there.show(kind));
        format!("{} has {there} of {}, but {taken} are taken now", node.name, catalogue.name(id))
    })
}

/// Sets the exclusive state on the node, or on every vnode of its host.
fn take_whole(snap: &mut Snapshot, id: NodeId, place: &Place, tenant: Tenant) {
    let state = match tenant {
        Tenant::Reservation => NodeState::ResvExclusive,
        Tenant::Job | Tenant::JobInReservation => NodeState::JobExclusive,
    };
    let node = &snap.nodes[id];
    if takes_host(node.sharing, place) {
        let host = node.available.get(ResourceId::host()).cloned();
        snap.nodes.change_where(
            |_, node| node.available.get(ResourceId::host()) == host.as_ref(),
            |_, node| node.states = node.states.with(state),
        );
    } else if takes_node(node.sharing, place) {
        snap.nodes[id].states = node.states.with(state);
    }
}

/// Whether a job has the vnode for itself (table of rule 2.5).
fn takes_node(sharing: Sharing, place: &Place) -> bool {
    match sharing {
        Sharing::DefaultShared => place.is_excl(),
        Sharing::DefaultExcl | Sharing::DefaultExclhost => place.sharedness != Sharedness::Shared,
        Sharing::IgnoreExcl => false,
        Sharing::ForceExcl | Sharing::ForceExclhost => true,
    }
}

/// Whether a job has the whole host for itself (rule 2.5).
fn takes_host(sharing: Sharing, place: &Place) -> bool {
    match sharing {
        Sharing::ForceExclhost => true,
        Sharing::IgnoreExcl => false,
        Sharing::DefaultExclhost if place.sharedness == Sharedness::Unsaid => true,
        _ => place.sharedness == Sharedness::Exclhost,
    }
}

/// A node with jobs whose cpus are all assigned is job-busy, unless it is exclusive anyway.
pub(super) fn mark_busy(snap: &mut Snapshot) {
    let is_busy = |node: &Node| {
        let taken = node.assigned.amount(ResourceId::ncpus()).unwrap_or_default();
        let full = node.available.amount(ResourceId::ncpus()).is_some_and(|there| taken >= there);
        full && taken > Amount::ZERO && !node.states.has(NodeState::JobExclusive)
    };
    snap.nodes.change_where(
        |_, node| !node.jobs.is_empty() && is_busy(node),
        |_, node| node.states = node.states.with(NodeState::JobBusy),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sharing_and_place_decide_who_is_alone() {
        use Sharing as S;
        let place = |text| Place::parse(text).unwrap();
        let (excl, shared, plain) = (place("excl"), place("shared"), place("free"));
        let row = |sharing| [&excl, &shared, &plain].map(|place| takes_node(sharing, place));
        assert_eq!(row(S::DefaultShared), [true, false, false]);
        assert_eq!(row(S::DefaultExcl), [true, false, true]);
        assert_eq!(row(S::DefaultExclhost), [true, false, true]);
        assert_eq!(row(S::IgnoreExcl), [false, false, false]);
        assert_eq!(row(S::ForceExcl), [true, true, true]);
        assert_eq!(row(S::ForceExclhost), [true, true, true]);
        assert!(takes_host(S::DefaultShared, &place("exclhost")) && !takes_host(S::DefaultShared, &excl));
        assert!(takes_host(S::DefaultExclhost, &plain) && !takes_host(S::DefaultExclhost, &excl));
        assert!(takes_host(S::ForceExclhost, &shared) && !takes_host(S::IgnoreExcl, &place("exclhost")));
    }
}

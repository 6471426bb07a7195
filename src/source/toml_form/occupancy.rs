//! Applies the effects of a running job or reservation to its nodes: job lists, `resources_assigned` and state bits,
//! as the server would set them (rules 1.3, 2.5, 3.4).

use super::node::NodeNameIndex;
use super::values;
use qscope_engine::cluster::{
    Amount, Catalogue, ExecVnode, ExecVnodePart, Job, Name, Node, NodeId, NodeState, Place, ResourceId,
    ResourceList, Snapshot, Value,
};

/// Kind of the user of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OccupantKind {
    /// A running job.
    Job,
    /// A running job inside a reservation, which already holds the amounts.
    JobInReservation,
    /// A running reservation.
    Reservation,
}

/// Puts all running jobs and reservations on their nodes, instead of what the nodes have. Returns the number of jobs.
pub(crate) fn occupy_all(snap: &mut Snapshot) -> usize {
    // Nodes that are read again may be those of the last reading, which were occupied then.
    snap.nodes.change_all(|node| {
        node.jobs.clear();
        node.reservations.clear();
        node.assigned = ResourceList::default();
        node.states = node.states.without_occupancy();
    });
    let index = NodeNameIndex::of(snap);
    let place = |place: &Option<Place>| place.clone().unwrap_or_default();
    let running = snap.jobs.iter().filter(|job| job.state.has_nodes() && !job.is_array());
    let of_job = |job: &Job| {
        let kind = if job.reservation.is_some() { OccupantKind::JobInReservation } else { OccupantKind::Job };
        Some((job.name.clone(), job.exec_vnode.clone()?, place(&job.place), kind))
    };
    let mut occupants: Vec<_> = running.filter_map(of_job).collect();
    let jobs = occupants.len();
    for resv in &snap.reservations {
        let Some(on) = resv.nodes.clone() else { continue };
        for id in on.parts().filter_map(|part| index.get(&part.vnode)) {
            snap.nodes[id].reservations.push(resv.name.clone());
        }
        if resv.is_running() {
            occupants.push((resv.name.clone(), on, place(&resv.place), OccupantKind::Reservation));
        }
    }
    for (name, on, place, kind) in occupants {
        // What does not fit on a node as it was set is taken all the same, as it runs.
        occupy(snap, &index, &name, &on, &place, kind);
    }
    mark_busy(snap);
    jobs
}

/// Returns the names in `on` that are not nodes.
pub(crate) fn unknown_nodes<'a>(on: &'a ExecVnode, index: &NodeNameIndex) -> Vec<&'a Name> {
    on.parts().map(|part| &part.vnode).filter(|name| index.get(name).is_none()).collect()
}

/// Puts a tenant on its nodes; returns remarks on what does not fit.
pub(super) fn occupy(
    snap: &mut Snapshot,
    index: &NodeNameIndex,
    name: &Name,
    on: &ExecVnode,
    place: &Place,
    tenant: OccupantKind,
) -> Vec<String> {
    let mut remarks = Vec::new();
    for chunk in on.chunks.iter() {
        for (nth, part) in chunk.iter().enumerate() {
            let Some(id) = index.get(&part.vnode) else { continue };
            if tenant != OccupantKind::JobInReservation {
                remarks.extend(assign(snap, index, id, part, nth == 0));
            }
            if tenant != OccupantKind::Reservation && !snap.nodes[id].jobs.contains(name) {
                snap.nodes[id].jobs.push(name.clone());
            }
            take_whole(snap, index, id, place, tenant);
        }
    }
    remarks
}

/// Adds the resources of a part to `resources_assigned` of its node, or of the node that owns the resource.
fn assign(
    snap: &mut Snapshot,
    index: &NodeNameIndex,
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

/// Returns a message if more is assigned than available.
fn overfull(node: &Node, id: ResourceId, catalogue: &Catalogue) -> Option<String> {
    let (taken, there) = (node.assigned.amount(id)?, node.available.amount(id).unwrap_or_default());
    let kind = catalogue.kind(id);
    (taken > there).then(|| {
        let (taken, there) = (taken.show(kind), there.show(kind));
        format!("{} has {there} of {}, but {taken} are taken now", node.name, catalogue.name(id))
    })
}

/// Sets the exclusive state on the node, or on every vnode of its host.
fn take_whole(snap: &mut Snapshot, index: &NodeNameIndex, id: NodeId, place: &Place, kind: OccupantKind) {
    let state = match kind {
        OccupantKind::Reservation => NodeState::ResvExclusive,
        OccupantKind::Job | OccupantKind::JobInReservation => NodeState::JobExclusive,
    };
    let node = &snap.nodes[id];
    if node.sharing.is_exclhost(place.sharedness) {
        for id in index.on_host_of(id, snap) {
            snap.nodes[id].states = snap.nodes[id].states.with(state);
        }
    } else if node.sharing.is_exclusive(place.sharedness) {
        snap.nodes[id].states = node.states.with(state);
    }
}

/// Marks a node with jobs whose cpus are all assigned as job-busy, unless it is exclusive anyway.
pub(super) fn mark_busy(snap: &mut Snapshot) {
    snap.nodes
        .change_where(|_, node| node.is_busy(), |_, node| node.states = node.states.with(NodeState::JobBusy));
}

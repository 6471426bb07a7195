//! A cluster without some of its jobs, vnodes or resources; what they held is released as the server would do it.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{
    Amount, ExecVnode, Job, JobState, Name, NodeId, NodeState, Reservation, ResourceId, ResourceList,
    Snapshot, Value,
};

/// Returns the cluster with only the jobs that are kept.
pub(in crate::bundle) fn jobs(snap: &Snapshot, is_kept: &dyn Fn(&Job) -> bool) -> Snapshot {
    let mut smaller = snap.clone();
    let places: FxHashMap<Name, NodeId> =
        snap.nodes.enumerate().map(|(id, node)| (node.name.clone(), id)).collect();
    for job in snap.jobs.iter().filter(|job| !is_kept(job)) {
        release_job(&mut smaller, &places, job);
    }
    smaller.jobs = snap.jobs.iter().filter(|job| is_kept(job)).cloned().collect();
    smaller.qrun = snap.qrun.and_then(|job| smaller.job_named(&snap.jobs[job].name));
    smaller
}

/// Removes a job from its vnodes and from the counts of its queue and the server.
fn release_job(snap: &mut Snapshot, places: &FxHashMap<Name, NodeId>, job: &Job) {
    let holds = matches!(job.state, JobState::Running | JobState::Exiting | JobState::Suspended);
    let Some(on) = job.exec_vnode.as_ref().filter(|_| holds) else { return };
    let runs = job.state != JobState::Suspended;
    for part in on.parts() {
        let Some(id) = places.get(&part.vnode).copied() else { continue };
        for (name, value) in &part.resources {
            let Some(resource) = snap.catalogue.id(name).filter(|_| runs && job.reservation.is_none()) else {
                continue;
            };
            let Ok(amount) = Amount::parse(snap.catalogue.kind(resource), value) else { continue };
            subtract_amount(&mut snap.nodes[id].assigned, resource, amount.0);
        }
        let node = &mut snap.nodes[id];
        node.jobs.retain(|name| *name != job.name);
        if node.jobs.is_empty() {
            node.states = node.states.without(NodeState::JobExclusive).without(NodeState::JobBusy);
        }
    }
    if !runs {
        return;
    }
    let sums: Vec<(ResourceId, f64)> = job
        .requested
        .iter()
        .filter(|(id, _)| snap.catalogue.def(*id).flags.summed)
        .filter_map(|(id, value)| Some((id, value.amount()?.0)))
        .collect();
    let queue = snap.queue_named(&job.queue);
    for (id, amount) in sums {
        subtract_amount(&mut snap.server.assigned, id, amount);
        if let Some(queue) = queue {
            subtract_amount(&mut snap.queues[queue].assigned, id, amount);
        }
    }
}

fn subtract_amount(list: &mut ResourceList, id: ResourceId, amount: f64) {
    if let Some(have) = list.amount(id) {
        list.set(id, Value::Amount(Amount((have.0 - amount).max(0.0))));
    }
}

/// Returns the cluster with only the vnodes that are kept; running jobs keep their parts on these, and a job without
/// any part left is removed.
pub(super) fn nodes(snap: &Snapshot, is_kept: &dyn Fn(&Name) -> bool) -> Snapshot {
    let left = |on: &ExecVnode| {
        let chunks = on
            .chunks
            .iter()
            .map(|chunk| chunk.iter().filter(|part| is_kept(&part.vnode)).cloned().collect::<Vec<_>>());
        let chunks: Vec<_> = chunks.filter(|chunk| !chunk.is_empty()).collect();
        (!chunks.is_empty()).then(|| ExecVnode { chunks: chunks.into() })
    };
    let mut gone: Vec<Name> = Vec::new();
    let mut jobs = Vec::new();
    for job in &snap.jobs {
        let on = job.exec_vnode.as_ref();
        match on.map(&left) {
            Some(None) if job.state == JobState::Running => gone.push(job.name.clone()),
            part => jobs.push(Job { exec_vnode: part.flatten(), ..job.clone() }),
        }
    }
    let without =
        if gone.is_empty() { snap.clone() } else { self::jobs(snap, &|job| !gone.contains(&job.name)) };
    let nodes = without.nodes.iter().filter(|node| is_kept(&node.name)).cloned().collect();
    let reservations = without.reservations.iter().map(|one| {
        let nodes = one.nodes.as_ref().and_then(left);
        Reservation { nodes, ..one.clone() }
    });
    Snapshot { nodes, reservations: reservations.collect(), jobs: jobs.into_iter().collect(), ..without }
}

/// Returns the resources that vnodes have.
pub(super) fn resources(snap: &Snapshot) -> Vec<ResourceId> {
    snap.catalogue.iter().map(|(id, _)| id).filter(|id| snap.is_on_nodes(*id)).collect()
}

/// Returns the cluster without one resource on its vnodes.
pub(super) fn resource(snap: &Snapshot, id: ResourceId) -> Snapshot {
    let mut smaller = snap.clone();
    smaller.nodes.change_where(
        |_, node| node.available.get(id).is_some() || node.assigned.get(id).is_some(),
        |_, node| {
            node.available.unset(id);
            node.assigned.unset(id);
        },
    );
    smaller
}

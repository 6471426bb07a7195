//! Puts jobs on nodes and removes them: starts, subjobs, preemption, and assigned resources.

use super::VnodeIndex;
use qscope_engine::cluster::{
    Amount, ArrayAttributes, Catalogue, ExecVnode, Job, JobId, JobState, NodeId, NodeState, ResourceId,
    ResourceList, Snapshot, Substate, Value,
};
use qscope_engine::cycle::Outcome;
use qscope_engine::universe::{PreemptMethod, resolved};

pub(super) fn start(snap: &mut Snapshot, places: &VnodeIndex, outcome: &Outcome, on: ExecVnode) {
    let id = match outcome.subjob {
        Some(index) => subjob(snap, outcome, index),
        None => outcome.job,
    };
    let now = snap.now;
    let job = &mut snap.jobs[id];
    let kept = kept_part(job, &snap.catalogue);
    let had = job.exec_vnode.take().filter(|_| kept.is_some());
    job.released = None;
    job.state = JobState::Running;
    job.substate = Substate(42);
    job.started = Some(now);
    job.exec_vnode = Some(on);
    if let Some(length) = outcome.shrunk_to {
        job.requested.set(ResourceId::walltime(), Value::Amount(Amount(length.0 as f64)));
    }
    let job = job.clone();
    occupy(snap, places, &job, 1.0);
    let queue = snap.queue_named(&job.queue);
    for (resource, amount) in kept.into_iter().flatten() {
        add(&mut snap.server.assigned, resource, -amount);
        if let Some(queue) = queue {
            add(&mut snap.queues[queue].assigned, resource, -amount);
        }
    }
    if had.is_some() {
        snap.jobs[id].exec_vnode = had;
    }
}

/// Returns the total that a suspended job kept of the resources that the server sums up, if it kept a part: its start
/// does not count those again.
fn kept_part(job: &Job, catalogue: &Catalogue) -> Option<Vec<(ResourceId, f64)>> {
    let part = job.released_part()?;
    let kept = |(id, value): (ResourceId, &Value)| {
        let given = part.parts().flat_map(|part| &part.resources);
        let given = given.filter(|(name, _)| catalogue.id(name) == Some(id));
        let given: f64 =
            given.filter_map(|(_, text)| Amount::parse(catalogue.kind(id), text).ok()).map(|sum| sum.0).sum();
        Some((id, (value.amount()?.0 - given).max(0.0)))
    };
    let counted = job.requested.iter().filter(|(id, _)| catalogue.def(*id).flags.summed);
    Some(counted.filter_map(kept).collect())
}

/// Removes one index from an array and creates its subjob.
pub(super) fn subjob(snap: &mut Snapshot, outcome: &Outcome, index: u32) -> JobId {
    let name = outcome.name(snap);
    let parent = &mut snap.jobs[outcome.job];
    parent.state = JobState::Begun;
    let mut child = Job { name: name.into(), ..parent.clone() };
    if let Some(array) = &mut parent.array {
        array.remaining.retain(|left| *left != index);
        array.running = array.running.map(|running| running + 1);
    }
    child.array = Some(Box::new(ArrayAttributes {
        parent: Some(parent.name.clone()),
        index: Some(index),
        ..ArrayAttributes::default()
    }));
    snap.jobs.push(child)
}

pub(super) fn preempt(snap: &mut Snapshot, places: &VnodeIndex, id: JobId, method: PreemptMethod) {
    let job = snap.jobs[id].clone();
    occupy(snap, places, &job, -1.0);
    let is_read = snap.reads(&job);
    let job = &mut snap.jobs[id];
    job.released = None;
    job.started = None;
    match method {
        PreemptMethod::Suspend => {
            job.state = JobState::Suspended;
            job.substate = Substate::SCHED_SUSPENDED;
        }
        PreemptMethod::Checkpoint => job.state = JobState::Queued,
        PreemptMethod::Requeue => {
            job.state = JobState::Queued;
            job.exec_vnode = None;
        }
        PreemptMethod::Delete => {
            job.state = JobState::Finished;
            job.is_counted = is_read;
            job.exec_vnode = None;
        }
    }
}

/// Puts a job on its nodes and counts it at its queue and the server, or removes it again.
pub(super) fn occupy(snap: &mut Snapshot, places: &VnodeIndex, job: &Job, sign: f64) {
    let Some(on) = job.exec_vnode.clone() else { return };
    let reserved = job.reservation.is_some();
    if !reserved {
        assign(snap, places, &on, sign);
    }
    for id in places.nodes_of(&on) {
        let jobs = &mut snap.nodes[id].jobs;
        jobs.retain(|name| *name != job.name);
        if sign > 0.0 {
            jobs.push(job.name.clone());
        }
    }
    let sums: Vec<(ResourceId, Amount)> = job
        .requested
        .iter()
        .filter(|(id, _)| snap.catalogue.def(*id).flags.summed)
        .filter_map(|(id, value)| Some((id, value.amount()?)))
        .collect();
    let queue = snap.queue_named(&job.queue);
    for (id, amount) in sums {
        add(&mut snap.server.assigned, id, sign * amount.0);
        if let Some(queue) = queue {
            add(&mut snap.queues[queue].assigned, id, sign * amount.0);
        }
    }
    for id in places.nodes_of(&on) {
        mark(snap, places, id, job, sign > 0.0);
    }
}

pub(super) fn assign(snap: &mut Snapshot, places: &VnodeIndex, on: &ExecVnode, sign: f64) {
    for part in on.parts() {
        let Some(node) = places.nodes.get(&*part.vnode).copied() else { continue };
        for (name, value) in &part.resources {
            let Some(id) = snap.catalogue.id(name) else { continue };
            let Ok(amount) = Amount::parse(snap.catalogue.kind(id), value) else { continue };
            let owner = resolved(snap, node, id).map_or(node, |(owner, _)| owner);
            add(&mut snap.nodes[owner].assigned, id, sign * amount.0);
        }
    }
}

pub(super) fn add(list: &mut ResourceList, id: ResourceId, amount: f64) {
    let sum = (list.amount(id).unwrap_or_default().0 + amount).max(0.0);
    list.set(id, Value::Amount(Amount(sum)));
}

/// Sets or clears the effect of a job on the state of a node, or of all vnodes of its host.
pub(super) fn mark(snap: &mut Snapshot, vnodes: &VnodeIndex, id: NodeId, job: &Job, starts: bool) {
    let sharedness = job.place.as_ref().map(|place| place.sharedness).unwrap_or_default();
    let node = &snap.nodes[id];
    let all_host = node.sharing.is_exclhost(sharedness);
    let whole = all_host || node.sharing.is_exclusive(sharedness);
    let here = match all_host {
        true => vnodes.vnodes_of_host(snap, id),
        false => vec![id],
    };
    for id in here {
        let node = &mut snap.nodes[id];
        if whole {
            node.states = node.states.with_if(NodeState::JobExclusive, starts);
        }
        node.states = node.states.with_if(NodeState::JobBusy, node.is_busy());
    }
}

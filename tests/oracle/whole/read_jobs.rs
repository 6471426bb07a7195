//! Jobs: requests in the order compared, lengths, and what they do now (rules 1.4, 2.3, 6.2).

use std::rc::Rc;

use qscope_engine::cluster::{
    Amount, ChunkSpec, JobState, Name, Place, ResourceId, ResourceList, ResourceType, Select, Snapshot,
    Substate, Value,
};

use super::read::{Kept, Preempted, amounts, texts};
use super::world::{Allocation, Array, Ask, Doing, Job, Level, Part, Released, Spec, Want, Wants, World};

/// Reads every job, in the order of the dump.
pub(crate) fn read(world: &mut World, kept: &Kept, preempted: &Preempted) {
    let given = world.given.clone();
    // The scheduler reads jobs queue by queue.
    type Row<'a> = (usize, &'a qscope_engine::cluster::Job);
    let place = |(_, job): &Row<'_>| given.snap.queues.iter().position(|queue| queue.name == job.queue);
    let mut jobs: Vec<Row<'_>> = given.snap.jobs.iter().enumerate().collect();
    jobs.sort_by_key(place);
    for (at, job) in jobs {
        let mut row = read_job(world, &given.snap, job, kept, at);
        row.preempted = preempted.get(&*job.name).copied();
        world.jobs.push(row);
    }
    let wanted = given.snap.qrun.map(|job| given.snap.jobs[job].name.clone());
    if let Some(job) = wanted.and_then(|name| world.jobs.iter().position(|job| job.name == name)) {
        // An operator starts the job, held or not (rule 6.11).
        if world.jobs[job].doing == Doing::Rests {
            world.jobs[job].doing = Doing::Waits;
        }
        world.qrun = Some(job);
    }
    for at in 0..world.jobs.len() {
        if let Some(parent) = world.jobs[at].parent
            && world.jobs[at].doing == Doing::Runs
            && let Some(array) = &mut world.jobs[parent].array
        {
            array.running += 1;
        }
    }
}

fn read_job(
    world: &World,
    snap: &Snapshot,
    job: &qscope_engine::cluster::Job,
    kept: &Kept,
    at: usize,
) -> Job {
    let seconds = |id| job.requested.amount(id).map(|amount| amount.0 as i64);
    let allocation = job.exec_vnode.as_ref().map(|text| world.read_allocation(text)).unwrap_or_default();
    let ask = ask(snap, job.select.as_ref(), job.place.as_ref(), kept);
    let queue = world.queues.iter().position(|queue| queue.name == job.queue);
    let suspended = job.previous_placement().is_some() && !allocation.is_empty();
    let released = job.released_part().map(|part| released_before(world, job, part));
    let to_get = released.as_ref().map_or(&allocation, |part| &*part.allocation);
    let back = ask.as_ref().filter(|_| suspended).map(|ask| Rc::new(back_to(world, ask, to_get)));
    let array = job.array.as_ref();
    let parent = array.and_then(|array| array.parent.as_ref());
    let targets = job.requested.get(ResourceId::preempt_targets()).map(texts);
    Job {
        name: job.name.clone(),
        user: job.user.clone(),
        group: job.group.clone(),
        project: job.project.clone(),
        queue: queue.unwrap_or(0),
        priority: job.priority,
        doing: doing(job, ask.is_some() && queue.is_some()),
        ask: Rc::new(ask.unwrap_or_default()),
        back,
        requested: Rc::new(amounts(&job.requested)),
        job_wide: Rc::new(job_wide(snap, &job.requested)),
        suspended,
        released,
        allocation: Rc::new(allocation),
        preempted: None,
        started: job.started.map_or(world.now, |at| at.0),
        used_running: used_walltime(job),
        keeps_chunks: job.state == JobState::Suspended,
        used: if suspended { used_walltime(job) } else { 0 },
        soft: seconds(ResourceId::soft_walltime()),
        hard: seconds(ResourceId::walltime()),
        min: seconds(ResourceId::min_walltime()),
        max: seconds(ResourceId::max_walltime()),
        cput: seconds(ResourceId::cput()),
        reservation: queue.and_then(|queue| world.queues[queue].reservation),
        array: array.filter(|array| array.is_parent).map(|array| read_array(array, job.state)),
        parent: parent.and_then(|parent| world.jobs.iter().position(|job| job.name == *parent)),
        rank: (job.queue_rank.unwrap_or(at as i64), at),
        rerunable: job.rerunable,
        checkpointable: job.checkpointable,
        topjob_ineligible: job.topjob_ineligible,
        eligible_time: job.eligible_time.0,
        accrue_type: job.accrue_type.map_or(0, i64::from),
        targets,
        runone: runone(job.depend.as_deref().unwrap_or("")),
        account: job.account.clone().unwrap_or_else(|| "".into()),
        node_set: job.node_set.clone(),
        read: is_read(snap, job),
        level: Level::default(),
        entity: 0,
        over_share: false,
        formula: 0.0,
        class: None,
        done: false,
        preempt_failed: false,
        planned: false,
        length: None,
    }
}

/// Returns what a job suspended before the cycle released: the dump lists it, and its sums are the job's
/// total request.
fn released_before(
    world: &World,
    job: &qscope_engine::cluster::Job,
    part: &qscope_engine::cluster::ExecVnode,
) -> Released {
    let allocation = world.read_allocation(part);
    let sum = |id: ResourceId| {
        let amounts = allocation.iter().flatten().flat_map(|(_, amounts)| amounts);
        amounts.filter(|(have, _)| *have == id).map(|(_, amount)| *amount).reduce(|sum, more| sum + more)
    };
    let wide = job_wide(world.snap(), &job.requested);
    let job_wide = wide.into_iter().filter_map(|(id, _)| Some((id, sum(id)?))).collect();
    Released { job_wide: Rc::new(job_wide), allocation: Rc::new(allocation) }
}

/// Returns what a running job releases when it is suspended; none if it releases everything.
pub(crate) fn released_by(world: &World, job: usize) -> Option<Released> {
    let row = &world.jobs[job];
    let named = |id: &ResourceId| !world.is_kept_back(*id);
    if world.snap().server.release_on_suspend.is_empty() {
        return None;
    }
    let mut allocation = (*row.allocation).clone();
    for (_, amounts) in allocation.iter_mut().flatten() {
        amounts.retain(|(id, _)| named(id));
    }
    let job_wide = row.job_wide.iter().filter(|(id, _)| named(id)).copied().collect();
    Some(Released { allocation: Rc::new(allocation), job_wide: Rc::new(job_wide) })
}

fn read_array(array: &qscope_engine::cluster::ArrayAttributes, state: JobState) -> Array {
    Array {
        remaining: array.remaining.clone(),
        running: 0,
        max_running: array.max_run_subjobs,
        begun: state == JobState::Begun,
    }
}

/// Returns whether the scheduler reads a job: those of execution queues, except finished ones, and subjobs
/// without nodes (rules 6.2, 7).
pub(crate) fn is_read(snap: &Snapshot, job: &qscope_engine::cluster::Job) -> bool {
    use JobState as S;
    let queue = snap.queues.iter().find(|queue| queue.name == job.queue);
    let has_nodes = matches!(job.state, S::Running | S::Exiting | S::Suspended | S::UserSuspended);
    let is_subjob = job.array.as_ref().is_some_and(|array| !array.is_parent);
    let state = !matches!(job.state, S::Finished | S::Moved) && (has_nodes || !is_subjob);
    state && queue.is_some_and(|queue| queue.kind == qscope_engine::cluster::QueueKind::Execution)
}

fn doing(job: &qscope_engine::cluster::Job, readable: bool) -> Doing {
    let array_left = job.array.as_ref().is_some_and(|array| array.is_parent && !array.remaining.is_empty());
    match job.state {
        _ if !readable => Doing::Rests,
        JobState::Running => Doing::Runs,
        JobState::Exiting => Doing::Exits,
        JobState::Queued if job.is_array() => {
            if array_left {
                Doing::Waits
            } else {
                Doing::Rests
            }
        }
        JobState::Queued => Doing::Waits,
        JobState::Begun if array_left => Doing::Waits,
        JobState::Suspended if job.substate == Substate::SCHED_SUSPENDED => Doing::Waits,
        _ => Doing::Rests,
    }
}

fn used_walltime(job: &qscope_engine::cluster::Job) -> i64 {
    job.used.amount(ResourceId::walltime()).map_or(0, |amount| amount.0 as i64)
}

/// Returns the ids of `runone:2.svr@svr`.
fn runone(depend: &str) -> Vec<Name> {
    let parts = depend.split(',').filter_map(|part| part.strip_prefix("runone:"));
    parts.flat_map(|ids| ids.split(':')).map(|id| id.split('@').next().unwrap_or(id).into()).collect()
}

/// Returns the job-wide amounts in the order of their names.
pub(crate) fn job_wide(snap: &Snapshot, list: &ResourceList) -> Vec<(ResourceId, f64)> {
    let named = list.by_name(&snap.catalogue);
    named.into_iter().filter_map(|(id, value)| Some((id, value.amount()?.0))).collect()
}

/// Reads a request for nodes; none if the select or the place cannot be read, or no request of a chunk is
/// kept (rule 2.3).
pub(crate) fn ask(
    snap: &Snapshot,
    select: Option<&Select>,
    place: Option<&Place>,
    kept: &Kept,
) -> Option<Ask> {
    let (select, place) = (select?, place?);
    let specs: Vec<Spec> = select.chunks.iter().map(|chunk| spec(snap, chunk, kept)).collect();
    if specs.iter().any(|spec| spec.wants.is_empty()) {
        return None;
    }
    Some(Ask {
        specs,
        arrangement: place.arrangement,
        sharedness: place.sharedness,
        group: place.group.clone(),
    })
}

/// Reads a chunk: consumables in request order, each condition in front of all requests read before (rule
/// 2.3).
fn spec(snap: &Snapshot, chunk: &ChunkSpec, kept: &Kept) -> Spec {
    let mut wants = Wants::new();
    for request in &chunk.requests {
        let Some(id) = snap.catalogue.id(&request.resource) else { continue };
        let kind = snap.catalogue.kind(id);
        if !kept.has(kind, &request.resource) {
            continue;
        }
        match kind {
            ResourceType::Boolean => {
                let on = matches!(Value::parse_direct(kind, &request.value), Ok(Value::Bool(true)));
                wants.insert(0, (id, Want::Bool(on)));
            }
            ResourceType::Text | ResourceType::TextArray => {
                wants.insert(0, (id, Want::Text(request.value.clone())));
            }
            _ => wants.push((id, Want::Amount(Amount::parse(kind, &request.value).map_or(0.0, |a| a.0)))),
        }
    }
    Spec { count: chunk.count as usize, wants }
}

/// Returns what each vnode of a placement gives, every vnode once.
fn vnode_by_vnode(allocation: &Allocation) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (node, amounts) in allocation.iter().flatten() {
        let at = parts.iter().position(|(have, _)| have == node).unwrap_or_else(|| {
            parts.push((*node, Vec::new()));
            parts.len() - 1
        });
        amounts.iter().for_each(|(id, amount)| add(&mut parts[at].1, *id, *amount));
    }
    parts
}

/// Turns an old placement into a request: one chunk for each vnode, which it names, placed free (rule 4.1).
fn back_to(world: &World, ask: &Ask, allocation: &Allocation) -> Ask {
    let spec = |(node, amounts): Part| {
        let own = (ResourceId::vnode(), Want::Text(world.nodes[node].name.clone()));
        let amounts = amounts.into_iter().map(|(id, amount)| (id, Want::Amount(amount)));
        Spec { count: 1, wants: std::iter::once(own).chain(amounts).collect() }
    };
    Ask {
        specs: vnode_by_vnode(allocation).into_iter().map(spec).collect(),
        arrangement: qscope_engine::cluster::Arrangement::Free,
        sharedness: ask.sharedness,
        group: None,
    }
}

impl World {
    /// Returns the request of a preempted job to go back to its nodes.
    pub(crate) fn ask_back(&self, job: usize) -> Ask {
        back_to(self, &self.jobs[job].ask, self.jobs[job].to_get())
    }

    /// Returns all that a job had, one group for each vnode, as in its request to go back.
    pub(crate) fn way_back(&self, job: usize) -> Allocation {
        vnode_by_vnode(&self.jobs[job].allocation).into_iter().map(|part| vec![part]).collect()
    }
}

/// Adds an amount; new resources are put in front, so that they are in reverse order.
fn add(amounts: &mut Vec<(ResourceId, f64)>, id: ResourceId, more: f64) {
    match amounts.iter_mut().find(|(have, _)| *have == id) {
        Some((_, amount)) => *amount += more,
        None => amounts.insert(0, (id, more)),
    }
}

//! Whether jobs compete for the same nodes or limits, so that their order decides.
//!
//! A job starts in every order if the nodes keep room for it whatever the others take. A chunk of another job
//! occupies one unit (a node, or a host with several vnodes) and takes a bounded number of this job's chunks from it.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{Arrangement, JobId, Place, QueueId};
use qscope_engine::placement::nodes_for;
use qscope_engine::universe::{AmountBasis, JobRequest, NodeSet, Occupant, Plan, Spec, State};

use crate::equal_specs::merge_equal_specs;
use crate::fit_analysis::{FitAnalysis, need};

/// Number of job classes above which all are assumed to compete for the same nodes. To prove that one does not takes
/// a check of every node and every other class.
const MANY_CLASSES: usize = 400;

/// Jobs of one class that could start in some order.
#[derive(Debug)]
struct ContenderClass {
    first: JobId,
    class: u32,
    request: JobRequest,
    /// Number of jobs, counting each remaining subjob of arrays.
    jobs: u64,
    /// Whether some of them wait in the computed cycle.
    wait: bool,
    take_nodes: bool,
    /// Whether a chunk of theirs could keep others off its node.
    take_all: bool,
    nodes: OnceCell<NodeSet>,
}

/// The jobs of a cycle that could start in some order, by class.
#[derive(Debug, Default)]
pub(super) struct Contention {
    all: Vec<ContenderClass>,
    /// Index of each class in `all`.
    at: FxHashMap<u32, usize>,
    /// The room for a request, by its chunk specs, place and queue, because a queue may have nodes of its own.
    capacities: RefCell<FxHashMap<RequestCapacityKey, Arc<RequestCapacity>>>,
}

/// Equal requests share their chunk specs, so their address identifies them.
type RequestCapacityKey = (usize, Place, Option<QueueId>);

/// The room for a request on the nodes it may use, at the start of the cycle.
#[derive(Debug)]
struct RequestCapacity {
    /// Number of units that hold all of it.
    units_for_all: u64,
    parts: Vec<ChunkSpecCapacity>,
    /// Whether some node limits the number of jobs.
    counts_jobs: bool,
}

/// The chunks of one chunk spec that the units hold.
#[derive(Debug, Clone, Copy)]
struct ChunkSpecCapacity {
    /// Number of chunks that fit.
    all: u64,
    /// The same, counting on each unit no more than requested.
    up_to_need: u64,
    /// Maximum on one unit; for the first count, then for the second.
    max_per_unit: u64,
    most_needed: u64,
}

/// A job as counted by the contest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contender {
    pub(super) job: JobId,
    pub(super) class: u32,
    /// Whether it waits in the computed cycle.
    pub(super) is_waiting: bool,
    /// Whether it could find nodes in some order.
    pub(super) takes_nodes: bool,
}

impl Contention {
    /// Adds a job that could start in some order.
    pub(super) fn add(&mut self, start: &State, one: Contender) {
        let plan = &start.plan;
        let array = plan.job(one.job).array.as_ref().filter(|array| array.is_parent);
        let jobs = array.map_or(1, |array| array.remaining.len() as u64);
        if let Some(have) = self.at.get(&one.class).and_then(|at| self.all.get_mut(*at)) {
            have.jobs += jobs;
            have.wait |= one.is_waiting;
            have.take_nodes |= one.takes_nodes;
            return;
        }
        let Ok(request) = plan.request(one.job, start.ledger.preempted[one.job]) else { return };
        let request = merge_equal_specs(&start.capped(one.job, request)).into_owned();
        let take_all = !plan.exclusive_nodes(request.place.sharedness).is_empty();
        self.at.insert(one.class, self.all.len());
        self.all.push(ContenderClass {
            first: one.job,
            class: one.class,
            request,
            jobs,
            wait: one.is_waiting,
            take_nodes: one.takes_nodes,
            take_all,
            nodes: OnceCell::new(),
        });
    }

    fn of_class(&self, class: u32) -> Option<&ContenderClass> {
        self.all.get(*self.at.get(&class)?)
    }

    /// Whether a job could find its nodes taken, or its limits used up, in some order of the jobs.
    pub(super) fn is_contested(&self, start: &State, job: JobId, class: u32) -> bool {
        let Some(own) = self.of_class(class) else { return true };
        let plan = &start.plan;
        let others = || self.all.iter().map(|one| (one, one.jobs - u64::from(one.class == class)));
        let others = || others().filter(|(one, jobs)| *jobs > 0 && one.take_nodes);
        if others().next().is_none() && own.request.specs.len() < 2 {
            return false;
        }
        if self.all.len() > MANY_CLASSES
            || plan.reservation_of(job).is_some()
            || others().any(|(one, _)| have_limits_in_common(plan, job, one.first))
        {
            return true;
        }
        let rivals: Vec<(&ContenderClass, u64)> =
            others().filter(|(one, _)| could_meet(start, own, one)).collect();
        if has_sets(plan, &own.request) && own.request.total_chunks() > 1 && !rivals.is_empty() {
            return true;
        }
        !has_room_in_worst_case(plan, own, &self.capacity_for(start, own), &rivals)
    }

    /// Whether a job of another class waits that could use the same nodes.
    pub(super) fn is_beside_a_wait(&self, start: &State, class: u32) -> bool {
        let Some(own) = self.of_class(class) else { return true };
        let is_many = self.all.len() > MANY_CLASSES;
        let mut waits = self.all.iter().filter(|one| one.wait && one.class != class);
        waits.any(|one| is_many || could_meet(start, own, one))
    }

    fn capacity_for(&self, start: &State, own: &ContenderClass) -> Arc<RequestCapacity> {
        let request = &own.request;
        let key = (request.specs.as_ptr() as usize, request.place.clone(), start.plan.queue_of(own.first));
        self.capacities
            .borrow_mut()
            .entry(key)
            .or_insert_with(|| Arc::new(RequestCapacity::new(start, own)))
            .clone()
    }
}

fn could_meet(start: &State, own: &ContenderClass, other: &ContenderClass) -> bool {
    own.class == other.class || own.nodes(start).intersects(other.nodes(start))
}

impl ContenderClass {
    /// Returns the nodes that one of these jobs could use at the start of the cycle.
    fn nodes(&self, start: &State) -> &NodeSet {
        self.nodes.get_or_init(|| {
            let list = nodes_for(start, Occupant::Job(self.first, None));
            FitAnalysis::new(start, &self.request, &list, AmountBasis::Now).open_to_some_part()
        })
    }
}

/// Whether a limit, or an amount of the server or queue, counts both jobs.
fn have_limits_in_common(plan: &Plan, left: JobId, right: JobId) -> bool {
    let charges = |job| plan.meters.charges_of(job).iter();
    charges(left).any(|(meter, _)| charges(right).any(|(other, _)| other == meter))
}

/// Whether placement sets matter for a request of several chunks.
pub(super) fn has_sets(plan: &Plan, request: &JobRequest) -> bool {
    plan.snap.server.node_group_enable || request.place.group.is_some()
}

impl RequestCapacity {
    fn new(start: &State, own: &ContenderClass) -> Self {
        let (plan, request) = (&*start.plan, &own.request);
        let list = nodes_for(start, Occupant::Job(own.first, None));
        let room = FitAnalysis::new(start, request, &list, AmountBasis::Now);
        let is_whole = request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1;
        let part = |spec: &Spec| {
            let wide = Spec { count: u32::MAX, ..spec.clone() };
            ChunkSpecCapacity {
                all: room.chunks(&wide, None, false),
                up_to_need: room.chunks(spec, None, false),
                max_per_unit: room.most_on_a_unit(&wide),
                most_needed: room.most_on_a_unit(spec),
            }
        };
        Self {
            units_for_all: if is_whole { room.units_for_all() } else { 0 },
            parts: if is_whole { Vec::new() } else { request.specs.iter().map(part).collect() },
            counts_jobs: list.iter().any(|bit| plan.node(bit).max_running.is_some()),
        }
    }
}

/// Whether there is room for a job in the worst case of what all others take.
fn has_room_in_worst_case(
    plan: &Plan,
    contender: &ContenderClass,
    rooms: &RequestCapacity,
    rivals: &[(&ContenderClass, u64)],
) -> bool {
    let request = &contender.request;
    if rooms.parts.is_empty() {
        let chunks: u64 =
            rivals.iter().map(|(one, jobs)| jobs.saturating_mul(one.request.total_chunks())).sum();
        return rooms.units_for_all > chunks;
    }
    let takes_all = contender.take_all || plan.multi_vnode.exists || rooms.counts_jobs;
    let lost = |at: usize, spec: &Spec, most: u64| {
        let loss = CapacityLoss { plan, spec, max_chunks: most };
        let parts = request.specs.iter().enumerate().filter(|(other, _)| *other != at);
        let mut lost: u64 = parts.map(|(_, part)| loss.loss_to(part, takes_all)).sum();
        for (one, jobs) in rivals {
            let loss_by_part = |part| loss.loss_to(part, takes_all || one.take_all);
            lost = lost.saturating_add(
                one.request.specs.iter().map(loss_by_part).sum::<u64>().saturating_mul(*jobs),
            );
        }
        lost
    };
    request.specs.iter().zip(&rooms.parts).enumerate().all(|(at, (spec, room))| {
        let left = |room: u64, most: u64| room.saturating_sub(lost(at, spec, most)) >= u64::from(spec.count);
        // Both are lower bounds: with all the room of the units, or on each unit no more than the chunk spec needs.
        left(room.all, room.max_per_unit) || left(room.up_to_need, room.most_needed)
    })
}

/// The room for a chunk spec lost to other chunks.
struct CapacityLoss<'a> {
    plan: &'a Plan,
    spec: &'a Spec,
    /// Maximum number of chunks of the chunk spec on one unit.
    max_chunks: u64,
}

impl CapacityLoss<'_> {
    /// Returns the loss to all chunks of another chunk spec, each of which may take its whole unit.
    fn loss_to(&self, part: &Spec, takes_all: bool) -> u64 {
        let by_one = if takes_all { self.max_chunks } else { self.loss_to_one(part) };
        u64::from(part.count).saturating_mul(by_one)
    }

    /// Returns how many whole chunks no longer fit next to one of another chunk spec.
    fn loss_to_one(&self, part: &Spec) -> u64 {
        let needs = self.plan.needs[self.spec.shape].iter().filter(|(_, own)| *own > 0.0);
        let lost = needs.map(|(ix, own)| (need(self.plan, part, *ix) / own).ceil().max(0.0) as u64);
        lost.max().unwrap_or(0).min(self.max_chunks)
    }
}

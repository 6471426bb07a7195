//! The universe as the scheduler sees it: a plan, and everything that changes during the cycle.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Amount, Column, Epoch, ExecVnode, Id, JobState, NodeSortTerm, QueueId, ReservationState, ResvId, Seconds,
    SortField,
};

use super::allocation::{Allocation, Gives, Piece};
use super::bucket::{Bucket, BucketIx, make_buckets};
use super::floor::Floor;
use super::inside::{Inside, insides};
use super::journal::Journal;
use super::ledger::{ClassId, JobStatus, Ledger};
use super::merge_sort::merge_sort;
use super::node_set::Bit;
use super::plan::Plan;
use super::plan_node::HostIx;
use super::pool::{GroupPools, Pool, PoolIx, PoolOwner, SetBuilder, is_comparable};
use super::quirk::Quirk;
use super::rooms::Rooms;
use super::set::{PlacementSet, SetIx};
use super::tallies::Tallies;
use super::timeline::{Happening, Party, TimedEvent, Timeline};

/// Something planned on a node: somebody starts there (rule 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeEvent {
    /// When.
    pub at: Epoch,
    /// Who.
    pub party: Party,
}

/// A plan and what changes. All change goes through the journal.
#[derive(Clone, Debug)]
pub struct State {
    /// What was derived once.
    pub plan: Arc<Plan>,
    /// The clock; it moves in simulations only.
    pub now: Epoch,
    /// Whether this is a simulation: what the scheduler tries out in a copy of its universe.
    pub simulated: bool,
    /// The nodes.
    pub floor: Floor,
    /// The nodes of running reservations as their jobs see them.
    pub insides: Column<ResvId, Option<Inside>>,
    /// What is planned on each node, in order of time.
    pub node_events: Column<Bit, Option<Arc<[NodeEvent]>>>,
    /// The buckets of the complex in the order tried.
    pub buckets: Column<BucketIx, Bucket<Bit>>,
    /// The bucket that each node believes to be in.
    pub bucket_of: Column<Bit, Option<BucketIx>>,
    /// All sets.
    pub sets: Column<SetIx, PlacementSet>,
    /// The sums of all sets side by side.
    pub tallies: Tallies,
    /// What was found out about the buckets of sets.
    pub rooms: Rooms,
    /// All pools.
    pub pools: Column<PoolIx, Pool>,
    /// The server's pool.
    pub server_pool: Option<PoolIx>,
    /// The pool of each queue.
    pub queue_pools: Column<QueueId, Option<PoolIx>>,
    /// The sets that each node keeps up to date.
    pub sets_of: Arc<Column<Bit, Vec<SetIx>>>,
    /// All unbound nodes as one set, for the check before any placement.
    pub everything: SetIx,
    /// The same for queues with nodes.
    pub queue_everything: Column<QueueId, Option<SetIx>>,
    /// The nodes of every host as one set, where a host has several vnodes.
    pub host_sets: FxHashMap<HostIx, SetIx>,
    /// Pools made for single jobs.
    pub group_pools: Arc<GroupPools>,
    /// Whether sets have to be summed up anew before the next check.
    pub stale: bool,
    /// The order of nodes, where it changes job by job.
    pub node_order: Arc<[Bit]>,
    /// What is known to happen.
    pub timeline: Timeline,
    /// Who runs and what failed.
    pub ledger: Ledger,
    /// What changed since the start.
    pub journal: Journal,
}

impl State {
    /// The universe at the start of the cycle. `classes` is how many job classes there are.
    #[must_use]
    pub fn new(plan: Arc<Plan>, classes: usize) -> Self {
        let floor = Floor::new(&plan);
        let mut timeline = Timeline::default();
        let node_events = plan_reservations(&plan, &mut timeline);
        plan_job_ends(&plan, &mut timeline);
        let (buckets, bucket_of) = complex_buckets(&plan, &floor, &node_events);
        let builder = SetBuilder { plan: &plan, floor: &floor, events: &node_events };
        let sets = Sets::new(&builder);
        Self {
            now: plan.snap.now,
            simulated: false,
            node_order: plan.nodes.ids().collect::<Vec<_>>().into(),
            ledger: ledger(&plan, classes),
            sets_of: Arc::new(sets.remembered(&plan)),
            insides: insides(&plan, &floor),
            floor,
            node_events,
            buckets,
            bucket_of,
            tallies: Tallies::of(&plan, sets.sets.as_slice()),
            rooms: Rooms::default(),
            sets: sets.sets,
            pools: sets.pools,
            server_pool: sets.server_pool,
            queue_pools: sets.queue_pools,
            everything: sets.everything,
            queue_everything: sets.queue_everything,
            host_sets: sets.host_sets,
            group_pools: Arc::default(),
            stale: false,
            timeline,
            journal: Journal::default(),
            plan,
        }
    }

    /// The values of the node sort keys on a node now; `used` is what a job in the making takes besides.
    #[must_use]
    pub fn sort_values(&self, bit: Bit, used: &dyn Fn(super::ConsIx, Bit) -> f64) -> Vec<f64> {
        let snap = &self.plan.snap;
        let node = &snap.nodes[self.plan.nodes[bit].id];
        let value = |term: &NodeSortTerm| match term {
            NodeSortTerm::Priority => node.priority.unwrap_or(0) as f64,
            NodeSortTerm::LastUsed => node.last_used.map_or(0.0, |at| at.0 as f64),
            NodeSortTerm::Resource(name, field) => {
                let ix = snap.catalogue.id(name).and_then(|resource| self.plan.consumables.ix(resource));
                let Some(ix) = ix else { return 0.0 };
                let total = self.plan.capacity.available(ix, bit);
                let total = if total.is_nan() { 0.0 } else { total };
                let assigned = self.floor.assigned[ix][self.plan.capacity.home(ix, bit)] + used(ix, bit);
                match field {
                    SortField::Total => total,
                    SortField::Assigned => assigned,
                    SortField::Unused => total - assigned,
                }
            }
        };
        snap.policy.node_sort_key.get(self.plan.period).iter().map(|key| value(&key.term)).collect()
    }

    /// Nodes sorted by the keys as things are now; ties in the order of the dump.
    #[must_use]
    pub fn sorted_now(&self, bits: &[Bit]) -> Vec<Bit> {
        let keys = self.plan.snap.policy.node_sort_key.get(self.plan.period);
        let nothing = |_: super::ConsIx, _: Bit| 0.0;
        let mut keyed: Vec<(Bit, Vec<f64>)> =
            bits.iter().map(|bit| (*bit, self.sort_values(*bit, &nothing))).collect();
        let rank = |bit: Bit| self.plan.nodes[bit].id;
        merge_sort(&mut keyed, &mut |a, b| {
            super::node_order::compare_keys(keys, &a.1, &b.1).then_with(|| rank(a.0).cmp(&rank(b.0)))
        });
        keyed.into_iter().map(|(bit, _)| bit).collect()
    }

    /// The first thing planned on a node.
    #[must_use]
    pub fn first_event(&self, bit: Bit) -> Option<NodeEvent> {
        self.node_events[bit].as_ref().and_then(|events| events.first().copied())
    }
}

fn ledger(plan: &Plan, classes: usize) -> Ledger {
    let empty = Arc::new(Allocation::default());
    let status = |state| match state {
        JobState::Running | JobState::Exiting => JobStatus::Running(empty.clone()),
        _ => JobStatus::Waiting,
    };
    Ledger {
        jobs: plan.snap.jobs.iter().map(|job| status(job.state)).collect(),
        failed: Column::<ClassId, _>::filled(classes, None),
        first_failed: Column::filled(classes, None),
        meters: plan.meters.base.clone(),
        started: Column::filled(plan.snap.jobs.len(), 0),
        top: Column::filled(plan.snap.jobs.len(), false),
        preempted: Column::filled(plan.snap.jobs.len(), None),
    }
}

/// A dumped placement as pieces; nodes nobody knows are left out.
#[must_use]
pub fn read_allocation(plan: &Plan, placement: &ExecVnode) -> Allocation {
    let mut allocation = Allocation::default();
    for (chunk, parts) in placement.chunks.iter().enumerate() {
        for part in parts {
            let Some(&bit) = plan.bit_named.get(&part.vnode) else { continue };
            let amounts = part.resources.iter().filter_map(|(name, text)| {
                let resource = plan.snap.catalogue.id(name)?;
                let amount = Amount::parse(plan.snap.catalogue.kind(resource), text).ok()?;
                Some((plan.consumables.ix(resource)?, amount.0))
            });
            let chunk = u32::try_from(chunk).unwrap_or(u32::MAX);
            allocation.pieces.push(Piece {
                bit,
                chunk,
                spec: chunk,
                gives: Gives::Amounts(amounts.collect()),
            });
        }
    }
    allocation
}

/// Puts reservations to come on the timeline and on their nodes (rule 10.2).
fn plan_reservations(plan: &Plan, timeline: &mut Timeline) -> Column<Bit, Option<Arc<[NodeEvent]>>> {
    let mut by_node: Column<Bit, Vec<NodeEvent>> = Column::filled(plan.nodes.len(), Vec::new());
    for (id, reservation) in plan.snap.reservations.enumerate() {
        let (Some(start), Some(nodes)) = (reservation.start, &reservation.nodes) else { continue };
        let end = reservation.end.or_else(|| reservation.duration.map(|span| start + span));
        let allocation = Arc::new(read_allocation(plan, nodes));
        let party = Party::Reservation(id);
        if is_planned(plan, id) {
            for bit in allocation.nodes() {
                by_node[bit].push(NodeEvent { at: start, party });
            }
            let key = timeline.fresh_key(start, Happening::Run);
            timeline.put(key, Some(TimedEvent { party, allocation: allocation.clone() }));
        }
        if let Some(end) = end.filter(|_| is_planned(plan, id) || reservation.is_running()) {
            let key = timeline.fresh_key(end, Happening::End);
            timeline.put(key, Some(TimedEvent { party, allocation }));
        }
    }
    let chronological = |events: &Vec<NodeEvent>| {
        let mut events = events.clone();
        events.sort_by_key(|event| event.at);
        (!events.is_empty()).then(|| events.into())
    };
    by_node.iter().map(chronological).collect()
}

/// Whether a reservation is to start in the future on nodes it has.
fn is_planned(plan: &Plan, id: ResvId) -> bool {
    use ReservationState as S;
    let reservation = &plan.snap.reservations[id];
    !reservation.is_running()
        && matches!(reservation.state, S::Confirmed | S::Degraded | S::BeingAltered | S::InConflict)
        && reservation.start.is_some_and(|start| start > plan.snap.now)
}

/// Puts the ends of running jobs on the timeline (rule 6.8).
fn plan_job_ends(plan: &Plan, timeline: &mut Timeline) {
    for (id, job) in plan.snap.jobs.enumerate() {
        let running = matches!(job.state, JobState::Running | JobState::Exiting);
        let Some(placement) = job.exec_vnode.as_ref().filter(|_| running) else { continue };
        let Ok(request) = &plan.requests[id] else { continue };
        let at = job_end(job.state, job.started, request.duration, request.hard_duration, plan.snap.now);
        let key = timeline.fresh_key(at, Happening::End);
        let allocation = Arc::new(read_allocation(plan, placement));
        timeline.put(key, Some(TimedEvent { party: Party::Job(id, None), allocation }));
    }
}

/// When a running job is expected to end (rule 6.8; rule 11 item 2 for those past both walltimes).
#[must_use]
pub fn job_end(state: JobState, started: Option<Epoch>, soft: Seconds, hard: Seconds, now: Epoch) -> Epoch {
    if state == JobState::Exiting {
        return now + Seconds::EXITING;
    }
    let Some(started) = started else { return now + soft };
    let mut end = started + soft;
    if end >= now {
        return end;
    }
    if soft == hard || soft.0 <= 0 {
        return now + Seconds::EXITING;
    }
    let limit = started + hard;
    while end < now && end < limit {
        end = end + soft;
    }
    end.min(limit)
}

/// The buckets of the complex, sorted (rule 3.3), and what each node believes.
fn complex_buckets(
    plan: &Plan,
    floor: &Floor,
    events: &Column<Bit, Option<Arc<[NodeEvent]>>>,
) -> (Column<BucketIx, Bucket<Bit>>, Column<Bit, Option<BucketIx>>) {
    let builder = SetBuilder { plan, floor, events };
    let usable = plan.nodes.ids().filter(|bit| builder.has_bucket(*bit));
    let (made, homes) =
        make_buckets(plan, plan.nodes.len(), usable.map(|bit| (bit, bit, builder.pocket(bit))));
    let keys = plan.snap.policy.node_sort_key.get(plan.period);
    let values: Vec<Vec<f64>> =
        made.iter().map(|bucket| super::bucket_order::key_values(plan, bucket, keys)).collect();
    let mut order: Vec<(usize, Vec<f64>)> = values.into_iter().enumerate().collect();
    merge_sort(&mut order, &mut |a, b| super::node_order::compare_keys(keys, &a.1, &b.1));
    let mut sorted_at: Vec<usize> = vec![0; made.len()];
    for (at, (was, _)) in order.iter().enumerate() {
        if let Some(slot) = sorted_at.get_mut(*was) {
            *slot = at;
        }
    }
    let stale = plan.has(Quirk::StaleBucketIndex);
    let mut bucket_of = Column::filled(plan.nodes.len(), None);
    for (bit, at) in homes {
        let at = if stale { at } else { sorted_at.get(at).copied().unwrap_or(at) };
        bucket_of[bit] = Some(BucketIx::at(at));
    }
    let sorted = order.iter().filter_map(|(was, _)| made.get(*was).cloned()).collect();
    (sorted, bucket_of)
}

/// One set for every host.
fn host_sets(builder: &SetBuilder<'_>, sets: &mut Column<SetIx, PlacementSet>) -> FxHashMap<HostIx, SetIx> {
    let mut members: Column<HostIx, Vec<Bit>> = Column::filled(builder.plan.hosts.len(), Vec::new());
    for (bit, node) in builder.plan.nodes.enumerate() {
        members[node.host].push(bit);
    }
    members.enumerate().map(|(host, nodes)| (host, sets.push(builder.everything(nodes.clone())))).collect()
}

/// All pools and their sets.
struct Sets {
    sets: Column<SetIx, PlacementSet>,
    pools: Column<PoolIx, Pool>,
    server_pool: Option<PoolIx>,
    queue_pools: Column<QueueId, Option<PoolIx>>,
    everything: SetIx,
    queue_everything: Column<QueueId, Option<SetIx>>,
    host_sets: FxHashMap<HostIx, SetIx>,
}

impl Sets {
    fn new(builder: &SetBuilder<'_>) -> Self {
        let plan = builder.plan;
        let snap = &plan.snap;
        let unbound: Vec<Bit> = plan.unbound.iter().collect();
        let mut sets = Column::new();
        let everything = sets.push(builder.everything(unbound.clone()));
        let queue_everything = snap
            .queues
            .ids()
            .map(|queue| {
                let nodes: Vec<Bit> = plan.queue_nodes[queue].iter().collect();
                (!nodes.is_empty()).then(|| sets.push(builder.everything(nodes)))
            })
            .collect();
        let host_sets =
            if plan.multi_vnode.found { host_sets(builder, &mut sets) } else { FxHashMap::default() };
        let mut all = Self {
            sets,
            host_sets,
            pools: Column::new(),
            server_pool: None,
            queue_pools: Column::filled(snap.queues.len(), None),
            everything,
            queue_everything,
        };
        if snap.server.node_group_enable {
            if !snap.server.node_group_key.is_empty() {
                all.server_pool =
                    all.add(builder, PoolOwner::Server, &unbound, &snap.server.node_group_key, true);
            }
            for (id, queue) in snap.queues.enumerate() {
                all.add_queue(builder, id, queue, &unbound);
            }
        }
        all
    }

    fn add_queue(
        &mut self,
        builder: &SetBuilder<'_>,
        id: QueueId,
        queue: &crate::cluster::Queue,
        unbound: &[Bit],
    ) {
        let nodes: Vec<Bit> = builder.plan.queue_nodes[id].iter().collect();
        let own = !queue.node_group_key.is_empty();
        if nodes.is_empty() && !own {
            return;
        }
        let keys = if own { &queue.node_group_key } else { &builder.plan.snap.server.node_group_key };
        let list = if nodes.is_empty() { unbound } else { &nodes };
        if !keys.is_empty() {
            self.queue_pools[id] = self.add(builder, PoolOwner::Queue(id), list, keys, own);
        }
    }

    fn add(
        &mut self,
        builder: &SetBuilder<'_>,
        owner: PoolOwner,
        list: &[Bit],
        keys: &[crate::cluster::Name],
        refreshed: bool,
    ) -> Option<PoolIx> {
        let sets: Vec<SetIx> =
            builder.by_keys(list, keys).into_iter().map(|set| self.sets.push(set)).collect();
        let comparable = is_comparable(builder.plan, &self.sets, &sets);
        let mut pool = Pool { owner, order: sets.as_slice().into(), sets, refreshed, comparable };
        pool.order = pool.sorted(builder.plan, &self.sets);
        Some(self.pools.push(pool))
    }

    /// Which sets each node keeps up to date: all it is in, or only the last one made (quirk B1).
    fn remembered(&self, plan: &Plan) -> Column<Bit, Vec<SetIx>> {
        let mut of: Column<Bit, Vec<SetIx>> = Column::filled(plan.nodes.len(), Vec::new());
        let last_only = plan.has(Quirk::LastSetOnly);
        let mut hosts: Vec<SetIx> = self.host_sets.values().copied().collect();
        hosts.sort_unstable();
        let whole = [&self.everything].into_iter().chain(self.queue_everything.iter().flatten());
        let made = whole.chain(&hosts).chain(self.pools.iter().flat_map(|pool| &pool.sets));
        for set in made {
            for bit in self.sets[*set].shape.members.iter() {
                if last_only {
                    of[*bit].clear();
                }
                of[*bit].push(*set);
            }
        }
        of
    }
}

//! What the scheduler derives once per cycle and never changes: node order, signatures, shapes.

pub(in crate::universe) mod meters;
mod of_nodes;
pub(in crate::universe) mod quirk;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::cluster::{
    Column, Job, JobId, Kind, Name, NodeId, Period, QueueId, Reservation, ResourceId, ResvId, Sharedness,
    Snapshot,
};

use crate::cluster::both;
use crate::universe::level::PreemptLevels;
use crate::universe::nodes::amounts::{Capacity, ConsIx, Consumables};
use crate::universe::nodes::masks::NodeMasks;
use crate::universe::nodes::node_set::{Bit, NodeSet};
use crate::universe::nodes::order::sorted_nodes;
use crate::universe::nodes::plan_node::{HostIx, MultiVnode, PlanNode, multi_vnode};
use crate::universe::nodes::ranking::NodeRanking;
use crate::universe::nodes::signature::{Fit, SigId, Signatures};
use crate::universe::plan::meters::Meters;
use crate::universe::plan::of_nodes::{Compared, InOrder, OfNodes, changed_nodes};
use crate::universe::plan::quirk::{Quirk, Quirks};
use crate::universe::request::chunk_shape::{Shape, ShapeId, Shapes};
use crate::universe::request::requests::{Before, Requests};
use crate::universe::request::returns::read_returns;
use crate::universe::request::{Enforced, JobRequest};
use crate::universe::sets::group_order::{GroupOrder, group_sort_keys};

/// Everything derived once; shared by every state of one cycle.
#[derive(Debug)]
pub struct Plan {
    /// The cluster.
    pub snap: Arc<Snapshot>,
    /// Which quirks are on.
    pub quirks: Quirks,
    /// Prime or non-prime time at the start.
    pub period: Period,
    /// Which resources are enforced.
    pub enforced: Enforced,
    /// Resources that make signatures and sums: requested ones, or all of the line (quirk D1).
    pub checked: Vec<ResourceId>,
    /// Every boolean resource.
    pub booleans: Vec<ResourceId>,
    /// Resources whose absence means "as much as you like".
    pub unset_ok: Vec<ResourceId>,
    /// All chunks requested.
    pub shapes: Shapes,
    /// What each shape takes of each consumable.
    pub needs: Column<ShapeId, Vec<(ConsIx, f64)>>,
    /// What each job requests, or why it is ignored.
    pub requests: Column<JobId, Result<Arc<JobRequest>, &'static str>>,
    /// What each running job will request to get back to its own nodes, once it was preempted.
    pub returns: FxHashMap<JobId, JobRequest>,
    /// What jobs request that go back to nodes they had.
    pub previous: FxHashMap<JobId, JobRequest>,
    /// What each reservation requests, as far as the dump shows it.
    pub reserved: Column<ResvId, Option<JobRequest>>,
    /// Consumables with a column.
    pub consumables: Consumables,
    /// What each node has of them.
    pub capacity: Capacity,
    /// The columns that order sets: cpus and memory, where they are requested.
    pub set_order: [Option<ConsIx>; 2],
    /// The designed order of sets, where it is in force.
    pub group_order: Option<GroupOrder>,
    /// What limits count.
    pub meters: Meters,
    /// `preempt_prio`.
    pub levels: PreemptLevels,
    /// Whether the server or any queue has a soft limit.
    pub has_soft_limits: bool,
    /// Jobs whose entity has used more than its share at the start; empty where no share counts.
    pub over_share: Column<JobId, bool>,
    /// How many subjobs of each array run already.
    pub running_subjobs: Column<JobId, u32>,
    /// The array of each listed subjob.
    pub array_of: Column<JobId, Option<JobId>>,
    /// Nodes in scheduling order.
    pub nodes: Arc<Column<Bit, PlanNode>>,
    /// Where each node of the snapshot stands; none outside the partition.
    pub bit_of: Arc<Column<NodeId, Option<Bit>>>,
    /// The same by name.
    pub bit_named: Arc<FxHashMap<Name, Bit>>,
    pub signatures: Arc<Signatures>,
    /// Whether nodes of unlike signatures may share a bucket (rule 3.2, quirk D2).
    pub joins_unlike: bool,
    /// Hosts by name.
    pub hosts: Arc<Column<HostIx, Name>>,
    /// Multi-vnode hosts.
    pub multi_vnode: MultiVnode,
    /// Sets of nodes: which may be used, whose they are, to whom they are exclusive.
    pub masks: Arc<NodeMasks>,
    /// What orders nodes job by job in the place of the scheduler's own order, if anything does.
    pub ranking: Option<Arc<dyn NodeRanking>>,
    whereabouts: Column<JobId, (Option<QueueId>, Option<ResvId>)>,
    fits: Column<ShapeId, OnceLock<Column<SigId, Fit>>>,
    fit_nodes: Column<ShapeId, OnceLock<NodeSet>>,
    /// What [`crate::placement::could_hold`] found.
    pub(crate) able: Column<ShapeId, OnceLock<NodeSet>>,
    sig_nodes: OnceLock<Option<Column<SigId, NodeSet>>>,
    asked: OnceLock<Vec<ConsIx>>,
}

/// What is the same as in the plan before.
pub(crate) struct Since {
    /// Where all that follows from nodes could be taken over, the nodes whose records are others than before.
    pub(crate) changed: Option<Vec<Bit>>,
    /// Where each job stood that was there before; empty without a plan before.
    pub(crate) places: Column<JobId, Option<JobId>>,
}

/// More signatures than this, and bitmaps by signature would cost more than they save.
const MANY_SIGNATURES: usize = 512;
/// Below this every whole number is written without loss.
const WHOLE_BELOW: f64 = (1u64 << 53) as f64;

impl Plan {
    /// What orders the nodes of a job in the place of the scheduler's own order, if anything does.
    pub fn ranking_of(&self, job: JobId) -> Option<&dyn NodeRanking> {
        self.ranking.as_deref().filter(|ranking| ranking.ranks(job))
    }

    /// Derives the plan of a snapshot.
    pub fn new(snap: Arc<Snapshot>, quirks: Quirks, period: Period) -> Self {
        Self::following(None, snap, quirks, period).0
    }

    /// The same beside the plan of a snapshot before it, from which is taken what cannot differ.
    pub(crate) fn following(
        before: Option<&Self>,
        snap: Arc<Snapshot>,
        quirks: Quirks,
        period: Period,
    ) -> (Self, Since) {
        let enforced = Enforced::new(&snap.policy, &snap.catalogue);
        let changed = before.and_then(|before| changed_nodes(before, &snap, quirks, period));
        let places = before.map_or_else(Column::new, |before| places_in(before, &snap));
        let (of_jobs, placed) = parts(before, &places, changed.is_some(), &snap, (&enforced, quirks, period));
        let OfJobs { requests: all, returns, whereabouts, running_subjobs, array_of } = of_jobs;
        let Requests { shapes, requests, previous, reserved, checked } = all;
        let booleans = boolean_resources(&snap);
        let consumables = Consumables::new(&snap, &checked, period, group_sort_keys(&snap, quirks, period));
        let is_same = |before: &&Self| before.checked == checked && before.consumables == consumables;
        let kept = before.filter(is_same).zip(changed);
        let compared = Compared { checked: &checked, booleans: &booleans, consumables: &consumables };
        let of_nodes = match &kept {
            Some((before, changed)) => OfNodes::following(before, &snap, changed),
            None => {
                let placed = placed.unwrap_or_else(|| in_order(&snap, period));
                OfNodes::read(&snap, placed, compared, quirks)
            }
        };
        let set_order = set_order(&consumables);
        let plan = Self {
            returns,
            joins_unlike: of_nodes.joins_unlike,
            multi_vnode: of_nodes.multi_vnode,
            whereabouts,
            fits: to_be_found(&shapes),
            fit_nodes: to_be_found(&shapes),
            able: to_be_found(&shapes),
            needs: shapes.iter().map(|(_, shape)| needs_of(shape, &consumables)).collect(),
            group_order: GroupOrder::of(&snap, quirks, period, &consumables, set_order),
            set_order,
            meters: Meters::new(&snap),
            levels: PreemptLevels::read(&snap.scheduler.preempt_prio),
            has_soft_limits: has_soft_limits(&snap),
            over_share: Column::new(),
            running_subjobs,
            array_of,
            bit_named: of_nodes.bit_named,
            unset_ok: unset_ok(&snap),
            hosts: of_nodes.hosts,
            masks: of_nodes.masks,
            ranking: None,
            snap,
            quirks,
            period,
            enforced,
            checked,
            booleans,
            shapes,
            requests,
            previous,
            reserved,
            consumables,
            capacity: of_nodes.capacity,
            nodes: of_nodes.nodes,
            bit_of: of_nodes.bit_of,
            signatures: of_nodes.signatures,
            sig_nodes: OnceLock::new(),
            asked: OnceLock::new(),
        };
        (plan, Since { changed: kept.map(|(_, changed)| changed), places })
    }

    /// What a job requests; `returning` is whether it has to get back to the nodes it had.
    ///
    /// # Errors
    /// Why the scheduler ignores it.
    pub fn request(&self, job: JobId, returning: bool) -> Result<&JobRequest, &'static str> {
        let back = self.returns.get(&job).filter(|_| returning).or_else(|| self.previous.get(&job));
        match back {
            Some(request) => Ok(request),
            None => self.requests[job].as_deref().map_err(|why| *why),
        }
    }

    /// What a request requests in all of the consumables whose sums are compared, in the order of
    /// `Resource_List`.
    pub fn totals_of(&self, request: &JobRequest) -> Vec<(ConsIx, f64)> {
        let compared = request.totals.iter().filter(|(resource, _)| self.compares_in_all(*resource));
        compared.filter_map(|(resource, amount)| Some((self.consumables.ix(*resource)?, amount.0))).collect()
    }

    /// Whether a job's sum of a resource is compared with that of nodes: flags `h` and `q`, which resources
    /// of the site with `n` or `f` do not have (rule 5.4).
    pub fn compares_in_all(&self, resource: ResourceId) -> bool {
        let flags = self.snap.catalogue.def(resource).flags;
        flags.host && flags.compared_in_all
    }

    /// How a shape fits a signature by totals.
    pub fn fit(&self, shape: ShapeId, sig: SigId) -> &Fit {
        let row = self.fits[shape].get_or_init(|| {
            let shape = &self.shapes[shape];
            self.signatures.ids().map(|sig| self.signatures[sig].fit(shape, &self.unset_ok)).collect()
        });
        &row[sig]
    }

    /// Whether a chunk takes whole amounts only, so that many of them take a multiple, to the last digit.
    pub fn is_counted(&self, shape: ShapeId) -> bool {
        self.needs[shape].iter().all(|(_, amount)| amount.fract() == 0.0 && amount.abs() < WHOLE_BELOW)
    }

    /// The nodes whose signature could hold a chunk of this shape if they were empty. Names of hosts and
    /// vnodes are no part of signatures and are not considered.
    pub fn fit_nodes(&self, shape: ShapeId) -> &NodeSet {
        self.fit_nodes[shape].get_or_init(|| {
            let len = self.nodes.len();
            let Some(by_sig) = self.sig_nodes() else {
                let fits = |(_, node): &(Bit, &PlanNode)| self.fit(shape, node.sig).fits();
                return NodeSet::of(len, self.nodes.enumerate().filter(fits).map(|(bit, _)| bit));
            };
            let mut nodes = NodeSet::new(len);
            for (sig, members) in by_sig.enumerate() {
                if self.fit(shape, sig).fits() {
                    nodes.unite(members);
                }
            }
            nodes
        })
    }

    /// The nodes of each signature, unless there are too many signatures for that.
    pub fn sig_nodes(&self) -> Option<&Column<SigId, NodeSet>> {
        let build = || {
            (self.signatures.len() <= MANY_SIGNATURES).then(|| {
                let mut by_sig = Column::filled(self.signatures.len(), NodeSet::new(self.nodes.len()));
                for (bit, node) in self.nodes.enumerate() {
                    by_sig[node.sig].insert(bit);
                }
                by_sig
            })
        };
        self.sig_nodes.get_or_init(build).as_ref()
    }

    pub fn node_name(&self, bit: Bit) -> &Name {
        &self.snap.nodes[self.nodes[bit].id].name
    }

    /// The consumables that chunks of jobs request, each once.
    pub fn asked(&self) -> &[ConsIx] {
        self.asked.get_or_init(|| {
            let mut asked: Vec<ConsIx> = self.needs.iter().flatten().map(|(ix, _)| *ix).collect();
            asked.sort_unstable();
            asked.dedup();
            asked
        })
    }

    /// The job.
    pub fn job(&self, id: JobId) -> &Job {
        &self.snap.jobs[id]
    }

    /// The queue of a job, if it is known.
    pub fn queue_of(&self, job: JobId) -> Option<QueueId> {
        self.whereabouts[job].0
    }

    /// Whether any queue has nodes of its own.
    pub fn has_queue_nodes(&self) -> bool {
        self.snap.queues.ids().any(|queue| self.masks.owns_nodes(queue))
    }

    /// The reservation whose queue a job is in.
    pub fn reservation_of(&self, job: JobId) -> Option<ResvId> {
        self.whereabouts[job].1
    }

    /// Nodes that would be exclusive to a job of this sharing (rule 2.5).
    pub fn exclusive_nodes(&self, sharedness: Sharedness) -> &NodeSet {
        match sharedness {
            Sharedness::Unsaid => &self.masks.excl_unsaid,
            Sharedness::Shared => &self.masks.excl_shared,
            Sharedness::Excl | Sharedness::Exclhost => &self.masks.excl_excl,
        }
    }

    /// Whether this quirk is on.
    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks.has(quirk)
    }
}

/// The columns that order sets: cpus and memory, where they are requested.
fn set_order(consumables: &Consumables) -> [Option<ConsIx>; 2] {
    [ResourceId::ncpus(), ResourceId::mem()]
        .map(|resource| consumables.ix(resource).filter(|ix| consumables.is_checked(*ix)))
}

/// A place for each shape, filled when it is asked about.
fn to_be_found<T>(shapes: &Shapes) -> Column<ShapeId, OnceLock<T>> {
    shapes.iter().map(|_| OnceLock::new()).collect()
}

/// Where each job stood in the snapshot of a plan before.
fn places_in(before: &Plan, snap: &Snapshot) -> Column<JobId, Option<JobId>> {
    snap.jobs.places_in(&before.snap.jobs, |one, other| one.name == other.name)
}

/// What follows from the jobs alone, and meanwhile the order of the nodes, unless that is known.
fn parts(
    before: Option<&Plan>,
    places: &Column<JobId, Option<JobId>>,
    is_order_known: bool,
    snap: &Snapshot,
    (enforced, quirks, period): (&Enforced, Quirks, Period),
) -> (OfJobs, Option<InOrder>) {
    let before = before.map(|plan| Before { plan, places });
    let before = before.and_then(|before| before.of_same_resources(snap));
    let of_jobs = || OfJobs::read(snap, enforced, quirks, before);
    if is_order_known {
        return (of_jobs(), None);
    }
    both(snap.nodes.len(), of_jobs, || Some(in_order(snap, period)))
}

/// Where the nodes stand in the order.
fn in_order(snap: &Snapshot, period: Period) -> InOrder {
    let order = sorted_nodes(snap, period);
    let bit_of = positions(&order, snap.nodes.len());
    InOrder { order, bit_of, multi_vnode: multi_vnode(snap) }
}

/// What follows from the jobs alone.
struct OfJobs {
    requests: Requests,
    returns: FxHashMap<JobId, JobRequest>,
    whereabouts: Column<JobId, (Option<QueueId>, Option<ResvId>)>,
    running_subjobs: Column<JobId, u32>,
    array_of: Column<JobId, Option<JobId>>,
}

impl OfJobs {
    fn read(snap: &Snapshot, enforced: &Enforced, quirks: Quirks, before: Option<Before<'_>>) -> Self {
        let mut requests = Requests::read(snap, enforced, quirks, before);
        Self {
            returns: read_returns(snap, enforced, &mut requests.shapes, &requests.requests),
            requests,
            whereabouts: whereabouts(snap),
            running_subjobs: running_subjobs(snap),
            array_of: arrays(snap),
        }
    }
}

/// What the queue of every job is: a queue, and that of a reservation.
fn whereabouts(snap: &Snapshot) -> Column<JobId, (Option<QueueId>, Option<ResvId>)> {
    let mut known: FxHashMap<&str, (Option<QueueId>, Option<ResvId>)> = FxHashMap::default();
    let read = |name: &str| {
        let named = |reservation: &Reservation| reservation.queue.as_deref() == Some(name);
        let reservation = snap.reservations.enumerate().find(|(_, reservation)| named(reservation));
        (snap.queue_named(name), reservation.map(|(id, _)| id))
    };
    snap.jobs.iter().map(|job| *known.entry(&*job.queue).or_insert_with(|| read(&job.queue))).collect()
}

/// What a shape takes of each consumable that has a column.
fn needs_of(shape: &Shape, consumables: &Consumables) -> Vec<(ConsIx, f64)> {
    shape.amounts().filter_map(|(resource, amount)| Some((consumables.ix(resource)?, amount.0))).collect()
}

/// Every boolean resource.
fn boolean_resources(snap: &Snapshot) -> Vec<ResourceId> {
    snap.catalogue.iter().filter(|(_, def)| def.kind == Kind::Boolean).map(|(id, _)| id).collect()
}

pub(in crate::universe) fn has_soft_limits(snap: &Snapshot) -> bool {
    let of_queues = snap.queues.iter().map(|queue| &queue.limits);
    let mut entries = of_queues.chain([&snap.server.limits]).flat_map(|limits| &limits.entries);
    entries.any(|entry| entry.soft)
}

/// How many subjobs of each array run: those listed, or the array's own count.
fn running_subjobs(snap: &Snapshot) -> Column<JobId, u32> {
    let mut listed: FxHashMap<&str, u32> = FxHashMap::default();
    for job in snap.jobs.iter().filter(|job| job.state == crate::cluster::JobState::Running) {
        if let Some(parent) = job.array.as_ref().and_then(|array| array.parent.as_deref()) {
            *listed.entry(parent).or_default() += 1;
        }
    }
    let of = |job: &Job| {
        let text = job.array.as_ref().and_then(|array| array.running).unwrap_or(0);
        listed.get(&*job.name).copied().unwrap_or(text)
    };
    snap.jobs.iter().map(of).collect()
}

/// The array of each listed subjob.
fn arrays(snap: &Snapshot) -> Column<JobId, Option<JobId>> {
    let arrays = snap.jobs.enumerate().filter(|(_, job)| job.is_array());
    let by_name: FxHashMap<&str, JobId> = arrays.rev().map(|(id, job)| (&*job.name, id)).collect();
    let of = |job: &Job| {
        let parent = job.array.as_ref()?.parent.as_deref()?;
        by_name.get(parent).copied().or_else(|| snap.job_named(parent))
    };
    snap.jobs.iter().map(of).collect()
}

/// Where each node of the snapshot stands in the order.
fn positions(order: &[NodeId], len: usize) -> Column<NodeId, Option<Bit>> {
    let mut at = Column::filled(len, None);
    for (position, id) in order.iter().enumerate() {
        at[*id] = Some(crate::cluster::Id::at(position));
    }
    at
}

/// Resources treated as unlimited where a node does not have them (rule 2.4).
fn unset_ok(snap: &Snapshot) -> Vec<ResourceId> {
    let listed = snap.policy.resource_unset_infinite.iter().filter_map(|name| snap.catalogue.id(name));
    [ResourceId::mpiprocs(), ResourceId::ompthreads()].into_iter().chain(listed).collect()
}

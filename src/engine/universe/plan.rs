//! What the scheduler derives once per cycle and never changes: node order, signatures, shapes.

mod derived;
mod job_plan;
pub(in crate::universe) mod meters;
mod node_plan;
pub(in crate::universe) mod quirk;
pub(in crate::universe) mod ranking;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::cluster::{
    ArrayAttributes, Column, Id, Job, JobId, Name, Node, NodeId, Period, PlaceSharing, QueueId, ResourceId,
    ResvId, Snapshot,
};

use super::{
    Bit, Capacity, ChunkFit, ChunkShapes, ConsIx, Consumables, EnforcedResources, GroupOrder, HostIx,
    JobRequest, Meters, MultiVnode, NodeMasks, NodeRanking, NodeSet, Occupant, PlanNode, PreemptLevels,
    PreemptMethod, Quirk, Quirks, ShapeId, SigId, Signatures,
};
use crate::cluster::run_both;
use crate::universe::request::requests::RequestNumbers;
use crate::universe::request::returns::ReturnRequests;

/// Everything derived once; shared by all states of one cycle.
#[derive(Debug)]
pub struct Plan {
    /// The snapshot of the cluster.
    pub snap: Arc<Snapshot>,
    pub quirks: Quirks,
    /// Prime or non-prime time at the start of the cycle.
    pub period: Period,
    /// Which resources are enforced.
    pub enforced: EnforcedResources,
    /// Resources that signatures and sums include: requested ones, or all on the `resources` line (quirk D1).
    pub checked: Vec<ResourceId>,
    /// All boolean resources.
    pub booleans: Vec<ResourceId>,
    /// Resources that are unlimited where unset.
    pub unset_ok: Vec<ResourceId>,
    /// All distinct chunks requested.
    pub shapes: ChunkShapes,
    /// Amount of each consumable that a chunk of each shape takes.
    pub needs: Column<ShapeId, Vec<(ConsIx, f64)>>,
    /// What each job requests, or why it is ignored. Jobs share a record only where they name the same select, place and
    /// amounts, and all or none of them have nodes.
    pub requests: Column<JobId, Result<Arc<JobRequest>, &'static str>>,
    /// The numbers of these requests.
    pub(crate) request_numbers: RequestNumbers,
    /// Request by which each running job would return to its own nodes after preemption.
    pub returns: ReturnRequests,
    /// Requests of jobs that return to nodes they had before.
    pub previous: FxHashMap<JobId, JobRequest>,
    /// Request of each reservation, as far as the dump shows it.
    pub reserved: Column<ResvId, Option<JobRequest>>,
    /// Consumables that have a column.
    pub consumables: Consumables,
    /// Amounts of each node.
    pub capacity: Capacity,
    /// Columns by which sets are ordered: cpus and memory, where requested.
    pub set_order: [Option<ConsIx>; 2],
    /// The designed order of sets, if it is in force.
    pub group_order: Option<GroupOrder>,
    /// Meters of everything that limits count.
    pub meters: Meters,
    /// `preempt_prio`.
    pub levels: PreemptLevels,
    /// Whether the server or any queue has a soft limit.
    pub has_soft_limits: bool,
    /// Whether nodes are sorted again for every job.
    pub sorts_per_job: bool,
    /// Whether each job's entity had used more than its fair share at the start; empty if fair share is not used.
    pub over_share: Column<JobId, bool>,
    /// Number of subjobs of each array that already run.
    pub running_subjobs: Column<JobId, u32>,
    /// Array of each listed subjob.
    pub array_of: Column<JobId, Option<JobId>>,
    /// Whether any job is an array or a subjob. Records of jobs lie far apart in memory and are not read without need.
    pub has_arrays: bool,
    /// Nodes in scheduling order.
    pub nodes: Arc<Column<Bit, PlanNode>>,
    /// Bit of each node of the snapshot; `None` outside the partition.
    pub bit_of: Arc<Column<NodeId, Option<Bit>>>,
    /// Bit of each node by name.
    pub bit_named: Arc<FxHashMap<Name, Bit>>,
    pub signatures: Arc<Signatures>,
    /// Whether nodes of unlike signatures may share a bucket (rule 3.2, quirk D2).
    pub joins_unlike: bool,
    /// Host names; empty if every vnode is on a host of its own name.
    hosts: Arc<Column<HostIx, Name>>,
    /// Whether some host has several vnodes.
    pub multi_vnode: MultiVnode,
    /// Sets of nodes by attribute: licence, queue, sharing.
    pub masks: Arc<NodeMasks>,
    /// Orders the nodes of single jobs instead of the scheduler's own order, if set.
    pub ranking: Option<Arc<dyn NodeRanking>>,
    queue_and_reservation: Column<JobId, (Option<QueueId>, Option<ResvId>)>,
    /// Jobs whose placement reads more of them than their request.
    restricted_jobs: Column<JobId, bool>,
    fits: Column<ShapeId, OnceLock<Column<SigId, ChunkFit>>>,
    fit_nodes: Column<ShapeId, OnceLock<NodeSet>>,
    /// Results of placement's `could_hold`.
    pub(crate) could_hold_nodes: Column<ShapeId, OnceLock<NodeSet>>,
    sig_nodes: OnceLock<Option<Column<SigId, NodeSet>>>,
    asked: OnceLock<Vec<ConsIx>>,
}

/// What did not change since the previous plan.
pub(crate) struct PlanDiff {
    /// The nodes whose records changed, if everything that follows from nodes could be taken over.
    pub(crate) changed: Option<Vec<Bit>>,
    /// Index of each job in the previous plan's snapshot; empty without a previous plan.
    pub(crate) places: Column<JobId, Option<JobId>>,
}

/// Number of signatures above which bitmaps by signature cost more than they save.
const MANY_SIGNATURES: usize = 512;
/// Below this every whole number is exact in an `f64`.
const WHOLE_BELOW: f64 = (1u64 << 53) as f64;

impl Plan {
    /// Returns the order to use for a job's nodes instead of the scheduler's own, if there is one.
    pub fn ranking_of(&self, job: JobId) -> Option<&dyn NodeRanking> {
        self.ranking.as_deref().filter(|ranking| ranking.ranks(job))
    }

    /// Returns the request of a job; `preempted` is how the job was preempted in this cycle, if it was.
    ///
    /// # Errors
    /// Returns the reason why the scheduler ignores the job.
    pub fn request(&self, job: JobId, preempted: Option<PreemptMethod>) -> Result<&JobRequest, &'static str> {
        let back = preempted.and_then(|method| self.returns.of(job, method));
        match back.or_else(|| self.previous.get(&job)) {
            Some(request) => Ok(request),
            None => self.requests[job].as_deref().map_err(|why| *why),
        }
    }

    /// Whether the scheduler reads a job, even if only its request has an effect.
    pub fn reads(&self, job: JobId) -> bool {
        self.snap.reads_in(self.job(job), self.queue_of(job), self.reservation_of(job).is_some())
    }

    /// Returns the totals of a request for all consumables whose sums are compared, in the order of `Resource_List`.
    pub fn totals_of(&self, request: &JobRequest) -> Vec<(ConsIx, f64)> {
        let compared = request.totals.iter().filter(|(resource, _)| self.compares_in_all(*resource));
        compared.filter_map(|(resource, amount)| Some((self.consumables.ix(*resource)?, amount.0))).collect()
    }

    /// Whether a job's total of a resource is compared with that of nodes: it has flags `h` and `q`; site resources
    /// with `n` or `f` are excluded (rule 5.4).
    pub fn compares_in_all(&self, resource: ResourceId) -> bool {
        let flags = self.snap.catalogue.def(resource).flags;
        flags.host && flags.compared_in_all
    }

    /// Returns how often a shape fits a signature by totals.
    pub fn fit(&self, shape: ShapeId, sig: SigId) -> &ChunkFit {
        &self.fits(shape)[sig]
    }

    /// Returns how often a shape fits every signature by totals.
    pub fn fits(&self, shape: ShapeId) -> &Column<SigId, ChunkFit> {
        self.fits[shape].get_or_init(|| {
            let shape = &self.shapes[shape];
            self.signatures.ids().map(|sig| self.signatures[sig].fit(shape, &self.unset_ok)).collect()
        })
    }

    /// Whether a chunk takes only whole amounts, so that multiples of it are exact.
    pub fn is_counted(&self, shape: ShapeId) -> bool {
        self.needs[shape].iter().all(|(_, amount)| amount.fract() == 0.0 && amount.abs() < WHOLE_BELOW)
    }

    /// Returns the nodes whose signature could hold a chunk of this shape if they were empty. Host and vnode names
    /// are not part of signatures and are not considered.
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

    /// Returns the vnode of this name, whether the cycle uses it or not; one that it does not use takes a linear
    /// search.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        match self.bit_named.get(name) {
            Some(bit) => Some(self.nodes[*bit].id),
            None => self.snap.node_named(name),
        }
    }

    /// Returns the nodes of each signature, or `None` if there are too many signatures.
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

    /// Returns the id of an occupant; for a subjob that of its array.
    pub fn occupant_name(&self, occupant: Occupant) -> &Name {
        match occupant {
            Occupant::Job(job, _) => &self.job(job).name,
            Occupant::Reservation(id) => &self.snap.reservations[id].name,
        }
    }

    /// Returns how an occupant requests to share its nodes.
    pub fn sharedness(&self, occupant: Occupant) -> PlaceSharing {
        let place = match occupant {
            Occupant::Job(job, _) => self.requests[job].as_ref().ok().map(|request| &request.place),
            Occupant::Reservation(id) => self.snap.reservations[id].place.as_ref(),
        };
        place.map_or(PlaceSharing::Unsaid, |place| place.sharedness)
    }

    /// Returns the vnode of the snapshot at a bit.
    pub fn node(&self, bit: Bit) -> &Node {
        &self.snap.nodes[self.nodes[bit].id]
    }

    pub fn node_name(&self, bit: Bit) -> &Name {
        &self.nodes[bit].name
    }

    /// Returns the number of hosts.
    pub fn host_count(&self) -> usize {
        if self.multi_vnode.own_hosts { self.nodes.len() } else { self.hosts.len() }
    }

    pub fn host_name(&self, host: HostIx) -> &Name {
        // Hosts of their vnodes' names are numbered as these are.
        self.hosts.checked(host).unwrap_or_else(|| self.node_name(Bit::at(host.ix())))
    }

    /// Returns the consumables that chunks of jobs request, each once.
    pub fn requested_consumables(&self) -> &[ConsIx] {
        self.asked.get_or_init(|| {
            let mut asked: Vec<ConsIx> = self.needs.iter().flatten().map(|(ix, _)| *ix).collect();
            asked.sort_unstable();
            asked.dedup();
            asked
        })
    }

    pub fn job(&self, id: JobId) -> &Job {
        &self.snap.jobs[id]
    }

    /// Returns the attributes that a job has as an array or a subjob.
    pub fn array(&self, job: JobId) -> Option<&ArrayAttributes> {
        if self.has_arrays { self.job(job).array.as_deref() } else { None }
    }

    /// Returns the reservation that a job's record names.
    pub fn named_reservation(&self, job: JobId) -> Option<&Name> {
        if self.is_restricted(job) { self.job(job).reservation.as_ref() } else { None }
    }

    /// Returns the queue of a job, if it is known.
    pub fn queue_of(&self, job: JobId) -> Option<QueueId> {
        self.queue_and_reservation[job].0
    }

    /// Returns the reservation whose queue a job is in.
    pub fn reservation_of(&self, job: JobId) -> Option<ResvId> {
        self.queue_and_reservation[job].1
    }

    /// Whether a job has nodes of its own in the dump: it names a reservation or the nodes that it may use, or returns
    /// to nodes that it had.
    pub fn is_restricted(&self, job: JobId) -> bool {
        self.restricted_jobs[job]
    }

    /// Returns the nodes that would be exclusive to a job of this sharing (rule 2.5).
    pub fn exclusive_nodes(&self, sharedness: PlaceSharing) -> &NodeSet {
        match sharedness {
            PlaceSharing::Unsaid => &self.masks.excl_unsaid,
            PlaceSharing::Shared => &self.masks.excl_shared,
            PlaceSharing::Excl | PlaceSharing::Exclhost => &self.masks.excl_excl,
        }
    }

    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks.has(quirk)
    }
}

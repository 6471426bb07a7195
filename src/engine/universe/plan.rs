//! What the scheduler derives once per cycle and never changes: node order, signatures, shapes.

mod derived;
pub(in crate::universe) mod meters;
mod of_jobs;
mod of_nodes;
pub(in crate::universe) mod quirk;
pub(in crate::universe) mod ranking;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::cluster::{
    Column, Job, JobId, Name, Node, NodeId, Period, QueueId, ResourceId, ResvId, Sharedness, Snapshot,
};

use super::{
    Bit, Capacity, ConsIx, Consumables, Enforced, Fit, GroupOrder, HostIx, JobRequest, Meters, MultiVnode,
    NodeMasks, NodeRanking, NodeSet, Occupant, PlanNode, PreemptLevels, PreemptMethod, Quirk, Quirks,
    ShapeId, Shapes, SigId, Signatures,
};
use crate::cluster::both;
use crate::universe::request::returns::Returns;

/// Everything derived once; shared by every state of one cycle.
#[derive(Debug)]
pub struct Plan {
    /// The cluster.
    pub snap: Arc<Snapshot>,
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
    /// What each job requests, or why it is ignored. Jobs share a record only where they name the same select, place and
    /// amounts.
    pub requests: Column<JobId, Result<Arc<JobRequest>, &'static str>>,
    /// What each running job will request to get back to its own nodes, once it was preempted.
    pub returns: Returns,
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
    /// Whether nodes are sorted anew for every job.
    pub sorts_per_job: bool,
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
    /// What `could_hold` of placement found.
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

    /// What a job requests; `preempted` is how it was preempted in this cycle, if it was.
    ///
    /// # Errors
    /// Why the scheduler ignores it.
    pub fn request(&self, job: JobId, preempted: Option<PreemptMethod>) -> Result<&JobRequest, &'static str> {
        let back = preempted.and_then(|method| self.returns.of(job, method));
        match back.or_else(|| self.previous.get(&job)) {
            Some(request) => Ok(request),
            None => self.requests[job].as_deref().map_err(|why| *why),
        }
    }

    /// Whether the scheduler reads a job: it counts, if only by what it requests.
    pub fn reads(&self, job: JobId) -> bool {
        self.snap.reads_in(self.job(job), self.queue_of(job), self.reservation_of(job).is_some())
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
        &self.fits(shape)[sig]
    }

    /// How a shape fits every signature by totals.
    pub fn fits(&self, shape: ShapeId) -> &Column<SigId, Fit> {
        self.fits[shape].get_or_init(|| {
            let shape = &self.shapes[shape];
            self.signatures.ids().map(|sig| self.signatures[sig].fit(shape, &self.unset_ok)).collect()
        })
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

    /// The vnode of this name, whether the cycle uses it or not; all vnodes are looked through for one that it does not.
    pub fn node_named(&self, name: &str) -> Option<NodeId> {
        match self.bit_named.get(name) {
            Some(bit) => Some(self.nodes[*bit].id),
            None => self.snap.node_named(name),
        }
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

    /// The id of an occupant; a subjob's is that of its array.
    pub fn occupant_name(&self, occupant: Occupant) -> &Name {
        match occupant {
            Occupant::Job(job, _) => &self.job(job).name,
            Occupant::Reservation(id) => &self.snap.reservations[id].name,
        }
    }

    /// How an occupant requests to share its nodes.
    pub fn sharedness(&self, occupant: Occupant) -> Sharedness {
        let place = match occupant {
            Occupant::Job(job, _) => self.requests[job].as_ref().ok().map(|request| &request.place),
            Occupant::Reservation(id) => self.snap.reservations[id].place.as_ref(),
        };
        place.map_or(Sharedness::Unsaid, |place| place.sharedness)
    }

    /// The vnode of the snapshot that a bit stands for.
    pub fn node(&self, bit: Bit) -> &Node {
        &self.snap.nodes[self.nodes[bit].id]
    }

    pub fn node_name(&self, bit: Bit) -> &Name {
        &self.nodes[bit].name
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

    pub fn job(&self, id: JobId) -> &Job {
        &self.snap.jobs[id]
    }

    /// The queue of a job, if it is known.
    pub fn queue_of(&self, job: JobId) -> Option<QueueId> {
        self.whereabouts[job].0
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

    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks.has(quirk)
    }
}

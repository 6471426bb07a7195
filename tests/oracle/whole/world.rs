//! The rows that a cycle works on: nodes, jobs, reservations, events. A simulation works on a copy of all of
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use qscope_engine::cluster::{
    Arrangement, Name, NodeSortKey, NodeState, NodeStates, Period, PlaceSharing, ResourceId, Sharing,
    Snapshot,
};

use super::buckets::Bucket;
use super::limits::Counts;
use super::sets::{Pools, Set};
use super::shares::Shares;

/// Length in seconds of a job without any walltime (rule 0).
pub(crate) const FIVE_YEARS: i64 = 157_680_000;

/// Amounts by resource.
pub(crate) type Amounts = BTreeMap<ResourceId, f64>;

/// The value that a node has of a resource.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Have {
    Amount(f64),
    Bool(bool),
    Texts(Vec<Name>),
    /// The value is another node's (rule 2.4.4).
    Away(Name),
}

/// The value that a chunk requests of a resource.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Want {
    Amount(f64),
    Bool(bool),
    Text(Name),
}

/// Requests in the order in which they are compared (rule 2.3).
pub(crate) type Wants = Vec<(ResourceId, Want)>;

/// One part of a select: a number of chunks with the same requests.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Spec {
    pub(crate) count: usize,
    pub(crate) wants: Wants,
}

/// A request for nodes, by a job or a reservation.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) specs: Vec<Spec>,
    pub(crate) arrangement: Arrangement,
    pub(crate) sharedness: PlaceSharing,
    pub(crate) group: Option<Name>,
}

impl Ask {
    pub(crate) fn chunks(&self) -> usize {
        self.specs.iter().map(|spec| spec.count).sum()
    }

    pub(crate) fn is_scattered(&self) -> bool {
        matches!(self.arrangement, Arrangement::Scatter | Arrangement::Vscatter)
    }

    pub(crate) fn names(&self, resource: ResourceId) -> bool {
        self.specs.iter().any(|spec| spec.wants.iter().any(|(id, _)| *id == resource))
    }
}

/// What one vnode gives to one chunk, resources in the order written.
pub(crate) type Part = (usize, Vec<(ResourceId, f64)>);

/// Chunks, each over one or several vnodes.
pub(crate) type Allocation = Vec<Vec<Part>>;

/// Returns the total that each node gives, nodes in the order of first mention.
pub(crate) fn by_node(allocation: &Allocation) -> Vec<(usize, Amounts)> {
    let mut nodes: Vec<(usize, Amounts)> = Vec::new();
    for (node, amounts) in allocation.iter().flatten() {
        if !nodes.iter().any(|(have, _)| have == node) {
            nodes.push((*node, Amounts::new()));
        }
        for (_, mine) in nodes.iter_mut().filter(|(have, _)| have == node) {
            for (id, amount) in amounts {
                *mine.entry(*id).or_default() += amount;
            }
        }
    }
    nodes
}

/// One vnode of the server, or a reservation's copy of one.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Its index among the nodes as read; a copy has that of its original.
    pub(crate) read_at: usize,
    pub(crate) name: Name,
    pub(crate) host: Name,
    pub(crate) available: Rc<BTreeMap<ResourceId, Have>>,
    pub(crate) assigned: Amounts,
    /// Unset resources of which a start took some: the node has them since, with nothing available (rule M27).
    pub(crate) made: BTreeSet<ResourceId>,
    pub(crate) states: NodeStates,
    pub(crate) licensed: bool,
    /// Jobs that run here.
    pub(crate) jobs: Vec<usize>,
    /// Number of reservations that run here.
    pub(crate) reservations: usize,
    /// Planned starts here, in order of time (rule 3.4).
    pub(crate) events: Vec<(i64, Who)>,
    pub(crate) queue: Option<usize>,
    pub(crate) priority: i64,
    pub(crate) last_used: i64,
    pub(crate) sharing: Sharing,
    pub(crate) max_running: Option<u32>,
    pub(crate) max_user_run: Option<u32>,
    pub(crate) max_group_run: Option<u32>,
    pub(crate) no_multinode: bool,
    pub(crate) resv_enable: bool,
    /// The server's node of which this is a reservation's copy.
    pub(crate) copy_of: Option<usize>,
    /// The index of its bucket, as the node remembers it.
    pub(crate) bucket: Option<usize>,
    /// The sets that it remembers (quirk B1).
    pub(crate) sets: Vec<usize>,
}

impl Node {
    pub(crate) fn is_free(&self) -> bool {
        self.states.is_free()
    }

    /// Returns whether it is down or offline: in no bucket, and nothing changes there.
    pub(crate) fn is_gone(&self) -> bool {
        self.states.is_gone()
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.states.has(NodeState::Stale)
    }
}

/// The job or reservation of an event or an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(crate) enum Who {
    Job(usize),
    Resv(usize),
}

/// The effect of a planned event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    End,
    Start,
    DedicatedEnd,
    DedicatedStart,
    NodeUp(usize),
}

/// One entry of the calendar.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) what: What,
    /// The job or reservation that starts or ends; none for dedicated time.
    pub(crate) who: Option<Who>,
    pub(crate) allocation: Rc<Allocation>,
    pub(crate) nodes: Rc<Vec<(usize, Amounts)>>,
}

/// The activity of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doing {
    /// It could start: queued, an array with an index left, or suspended by the scheduler.
    Waits,
    Runs,
    Exits,
    /// Held, suspended by a user, or finished.
    Rests,
}

/// The attributes of an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    pub(crate) remaining: Vec<u32>,
    pub(crate) running: u32,
    pub(crate) max_running: Option<u32>,
    pub(crate) begun: bool,
}

/// The preemption level of a job (rule 6.10).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Level {
    /// The number by which levels are compared.
    pub(crate) priority: i64,
    /// Index of the entry of `preempt_prio`; that of normal jobs if none applies.
    pub(crate) entry: usize,
    pub(crate) express: bool,
    pub(crate) normal: bool,
}

/// One job, array or subjob.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) name: Name,
    pub(crate) user: Name,
    pub(crate) group: Name,
    pub(crate) project: Name,
    pub(crate) queue: usize,
    pub(crate) priority: i64,
    pub(crate) ask: Rc<Ask>,
    /// Its old placement as a request to go back to its own nodes (rule 4.1).
    pub(crate) back: Option<Rc<Ask>>,
    /// `Resource_List`, consumables only.
    pub(crate) requested: Rc<Amounts>,
    /// The job-wide amounts in the order of their names.
    pub(crate) job_wide: Rc<Vec<(ResourceId, f64)>>,
    /// What a suspended job released and gets back, if it kept a part (rule M45).
    pub(crate) released: Option<Released>,
    pub(crate) doing: Doing,
    /// Whether it is suspended or checkpointed and has nodes to go back to.
    pub(crate) suspended: bool,
    pub(crate) allocation: Rc<Allocation>,
    pub(crate) preempted: Option<i64>,
    pub(crate) started: i64,
    /// Seconds it had used before it starts again.
    pub(crate) used: i64,
    /// Seconds it has used by the dump.
    pub(crate) used_running: i64,
    /// Whether its chunks are as before when it starts again; otherwise one for each vnode.
    pub(crate) keeps_chunks: bool,
    pub(crate) soft: Option<i64>,
    pub(crate) hard: Option<i64>,
    pub(crate) min: Option<i64>,
    pub(crate) max: Option<i64>,
    pub(crate) cput: Option<i64>,
    pub(crate) reservation: Option<usize>,
    pub(crate) array: Option<Array>,
    pub(crate) parent: Option<usize>,
    pub(crate) rank: (i64, usize),
    pub(crate) rerunable: bool,
    pub(crate) checkpointable: bool,
    pub(crate) topjob_ineligible: bool,
    pub(crate) eligible_time: i64,
    pub(crate) accrue_type: i64,
    pub(crate) targets: Option<Vec<Name>>,
    pub(crate) runone: Vec<Name>,
    pub(crate) account: Name,
    /// The only nodes that it may use; empty if it names none (rule 4.1).
    pub(crate) node_set: Vec<Name>,
    /// Whether the scheduler reads it at all (rule 6.2).
    pub(crate) read: bool,
    // ---- added by the cycle
    pub(crate) level: Level,
    /// Its entity in the fair share tree.
    pub(crate) entity: usize,
    pub(crate) over_share: bool,
    pub(crate) formula: f32,
    /// The class; none after the job was preempted.
    pub(crate) class: Option<usize>,
    /// Whether it is not to be considered anymore.
    pub(crate) done: bool,
    /// Whether its priority could not be restored by preemption (rule 6.10).
    pub(crate) preempt_failed: bool,
    /// Whether it has a place in the calendar.
    pub(crate) planned: bool,
    /// Length in seconds, for shrink-to-fit jobs during a trial and jobs that were shrunk.
    pub(crate) length: Option<i64>,
}

/// What a suspended job released.
#[derive(Clone, Debug)]
pub(crate) struct Released {
    pub(crate) allocation: Rc<Allocation>,
    pub(crate) job_wide: Rc<Vec<(ResourceId, f64)>>,
}

impl Job {
    /// Returns the nodes that a preempted job must get back.
    pub(crate) fn to_get(&self) -> &Allocation {
        self.released.as_ref().map_or(&self.allocation, |part| &part.allocation)
    }

    /// Returns its total request at the moment.
    pub(crate) fn wide(&self) -> &Rc<Vec<(ResourceId, f64)>> {
        self.released.as_ref().map_or(&self.job_wide, |part| &part.job_wide)
    }

    /// Returns its expected length in seconds: soft walltime first (rule 6.8).
    pub(crate) fn duration(&self) -> i64 {
        let shrinks = self.min.is_some() && !self.runs();
        let waiting = shrinks.then(|| self.max.or(self.hard)).flatten();
        self.length.or(self.soft).or(waiting).or(self.hard).unwrap_or(FIVE_YEARS)
    }

    /// Returns the length in seconds for which it is planned from its start: for an overdue job preempted at
    /// this time, until its expected end (rule M23); a soft walltime was extended when it was read.
    pub(crate) fn planned_length(&self, now: i64) -> i64 {
        let overdue = self.overdue_length(now).filter(|_| self.preempted == Some(now));
        overdue.unwrap_or_else(|| self.duration())
    }

    /// Returns the length in seconds up to its expected end, if its hard walltime has passed.
    pub(crate) fn overdue_length(&self, now: i64) -> Option<i64> {
        let is_overdue = self.soft.is_none() && self.started + self.duration() < now;
        is_overdue.then_some(now - self.started + 1)
    }

    /// Returns its maximum length in seconds.
    pub(crate) fn hard_duration(&self) -> i64 {
        self.length.or(self.hard).unwrap_or(FIVE_YEARS)
    }

    /// Returns its current request for nodes.
    pub(crate) fn wish(&self) -> &Rc<Ask> {
        self.back.as_ref().unwrap_or(&self.ask)
    }

    pub(crate) fn runs(&self) -> bool {
        matches!(self.doing, Doing::Runs | Doing::Exits)
    }
}

/// One queue.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    pub(crate) name: Name,
    pub(crate) priority: i64,
    pub(crate) has_nodes: bool,
    pub(crate) started: bool,
    pub(crate) executes: bool,
    pub(crate) dedicated: bool,
    pub(crate) prime: bool,
    pub(crate) non_prime: bool,
    pub(crate) depth: Option<u32>,
    pub(crate) available: Amounts,
    pub(crate) assigned: Amounts,
    pub(crate) reservation: Option<usize>,
}

/// One reservation.
#[derive(Clone, Debug)]
pub(crate) struct Resv {
    pub(crate) name: Name,
    pub(crate) ask: Rc<Ask>,
    pub(crate) requested: Rc<Amounts>,
    pub(crate) job_wide: Rc<Vec<(ResourceId, f64)>>,
    pub(crate) running: bool,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) allocation: Rc<Allocation>,
    /// Indices of its copies of nodes, in the order in which its jobs try them.
    pub(crate) nodes: Vec<usize>,
}

/// The input that does not change during a cycle.
pub(crate) struct Given {
    pub(crate) snap: Snapshot,
    /// Whether the bugs B1 to B4 are corrected.
    pub(crate) fixed: bool,
    /// Requested resources (rule 3.2).
    pub(crate) checked: BTreeSet<ResourceId>,
    pub(crate) booleans: BTreeSet<ResourceId>,
    /// Resources that match if they are unset (rule 2.4.2).
    pub(crate) infinite: BTreeSet<ResourceId>,
    /// Whether some host has several vnodes (rule 3.1.9).
    pub(crate) multi_vnode: bool,
    /// Whether the order of nodes depends on usage (rule 4.3).
    pub(crate) sorts_per_job: bool,
    pub(crate) dedicated: Vec<(i64, i64)>,
}

/// The state of the cluster during a cycle.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) given: Rc<Given>,
    pub(crate) now: i64,
    pub(crate) period: Period,
    /// Whether the one change of period after the last event was made (rule 6.8).
    pub(crate) last_change: bool,
    /// When the period ends.
    pub(crate) period_end: Option<i64>,
    /// The job that an operator starts (rule 6.11).
    pub(crate) qrun: Option<usize>,
    pub(crate) simulated: bool,
    pub(crate) nodes: Vec<Node>,
    pub(crate) jobs: Vec<Job>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) resvs: Vec<Resv>,
    /// The server's list of nodes, and that of nodes bound to no queue, as currently sorted.
    pub(crate) all: Vec<usize>,
    pub(crate) unbound: Vec<usize>,
    /// The list of each queue's own nodes.
    pub(crate) of_queue: Vec<Vec<usize>>,
    pub(crate) buckets: Vec<Bucket>,
    pub(crate) sets: Vec<Set>,
    pub(crate) pools: Pools,
    /// Whether something ended since the sums of sets were made (rule 3.4).
    pub(crate) stale: bool,
    pub(crate) calendar: Vec<Event>,
    /// The time at which a planned start of a top job never happens: that of the cycle, unless an event was
    /// already due when it began (rule M11).
    pub(crate) missed_at: Option<i64>,
    pub(crate) counts: Counts,
    pub(crate) shares: Shares,
    /// Number of running jobs of each entry of `preempt_prio`, as last counted.
    pub(crate) level_counts: BTreeMap<usize, usize>,
    pub(crate) server_assigned: Amounts,
    /// The host of the last pack job (rule 11.7).
    pub(crate) last_host: Option<Name>,
    /// Whether some reservation is not confirmed yet: hard durations count then (rule 6.8).
    pub(crate) hard_ends: bool,
    /// Requests to the server other than starts of jobs.
    pub(crate) actions: Vec<String>,
}

impl World {
    pub(crate) fn snap(&self) -> &Snapshot {
        &self.given.snap
    }

    /// Returns the `node_sort_key` of the current period.
    pub(crate) fn node_keys(&self) -> &[NodeSortKey] {
        self.snap().policy.node_sort_key.get(self.period)
    }

    /// Returns what a node has of a resource, with references followed, and the node that has it (rule
    /// 2.4.4).
    pub(crate) fn have(&self, node: usize, resource: ResourceId) -> Option<(usize, &Have)> {
        let mut at = node;
        for _ in 0..10 {
            match self.nodes[at].available.get(&resource) {
                Some(Have::Away(name)) => at = self.nodes.iter().position(|node| node.name == *name)?,
                Some(have) => return Some((at, have)),
                None => return None,
            }
        }
        None
    }

    /// Returns the total of a consumable on a node.
    pub(crate) fn total(&self, node: usize, resource: ResourceId) -> Option<f64> {
        match self.have(node, resource) {
            Some((_, Have::Amount(amount))) => Some(*amount),
            _ => None,
        }
    }

    /// Returns the assigned amount of a consumable on a node.
    pub(crate) fn assigned(&self, node: usize, resource: ResourceId) -> f64 {
        let at = self.have(node, resource).map_or(node, |(at, _)| at);
        self.nodes[at].assigned.get(&resource).copied().unwrap_or(0.0)
    }

    /// Returns how a job in the calendar, or a reservation, shares nodes (rule 2.5).
    pub(crate) fn sharedness(&self, who: Who) -> PlaceSharing {
        match who {
            Who::Job(job) => self.jobs[job].ask.sharedness,
            Who::Resv(resv) => self.resvs[resv].ask.sharedness,
        }
    }

    pub(crate) fn ncpus() -> ResourceId {
        ResourceId::ncpus()
    }
}

/// Returns whether a job would have a node for itself, by the table of rule 2.5.
pub(crate) fn exclusive(sharing: Sharing, place: PlaceSharing) -> bool {
    let column = match place {
        PlaceSharing::Excl | PlaceSharing::Exclhost => 0,
        PlaceSharing::Shared => 1,
        PlaceSharing::Unsaid => 2,
    };
    let row = match sharing {
        Sharing::DefaultShared => [true, false, false],
        Sharing::DefaultExcl | Sharing::DefaultExclhost => [true, false, true],
        Sharing::IgnoreExcl => [false, false, false],
        Sharing::ForceExcl | Sharing::ForceExclhost => [true, true, true],
    };
    row[column]
}

/// Returns whether a job would have the whole host of a vnode (rule 2.5).
pub(crate) fn whole_host(sharing: Sharing, place: PlaceSharing) -> bool {
    match sharing {
        Sharing::ForceExclhost => true,
        Sharing::IgnoreExcl => false,
        Sharing::DefaultExclhost => place != PlaceSharing::Shared && place != PlaceSharing::Excl,
        _ => place == PlaceSharing::Exclhost,
    }
}
